import numpy as np
from numpy.typing import NDArray

class RunningChoice:
    is_proper: bool

    def __init__(
        self,
        counts: NDArray[np.int64],
        mask: NDArray[np.uint8],
        beta: float,
        *,
        by_errors: bool = False,
        rounded: bool = False,
    ) -> None: ...
    def choose(
        self, rows: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
    def resample(self, rows: NDArray[np.int64]) -> NDArray[np.int64]: ...
    def followed_by(self, other: RunningChoice) -> RunningChoice: ...
    def swap(self, flags: NDArray[np.uint8]) -> NDArray[np.int64]: ...
