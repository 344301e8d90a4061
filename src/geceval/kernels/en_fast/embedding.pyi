from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Name = TypeVar("_Name")

def distinct(
    first: NDArray[np.int32], second: NDArray[np.int32], third: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def named(
    names: list[_Name], numbers: NDArray[np.int32], offsets: NDArray[np.int64]
) -> list[tuple[_Name, ...]]: ...

class Embedding:
    def __init__(
        self,
        *,
        tables: NDArray[np.float32],
        weights: NDArray[np.float32],
        bias: NDArray[np.float32],
        gain: NDArray[np.float32],
        shift: NDArray[np.float32],
    ) -> None: ...
    def embed(self, rows: NDArray[np.int32]) -> NDArray[np.float32]: ...
