from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class ChunkChoice:
    def __init__(
        self,
        counts: NDArray[np.int64],
        mask: NDArray[np.uint8],
        *,
        weights: Sequence[Sequence[float]] = (),
        running: bool = True,
        beta: float = 0.5,
        rounded: bool = False,
        factors: Sequence[float] = (),
    ) -> None: ...
    def choose(
        self, rows: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]: ...
    def resample(self, rows: NDArray[np.int64]) -> NDArray[np.float64]: ...
    def swap(self, flags: NDArray[np.uint8]) -> NDArray[np.float64]: ...
