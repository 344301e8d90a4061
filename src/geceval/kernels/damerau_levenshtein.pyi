import numpy as np
from numpy.typing import NDArray

def align(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    forms: NDArray[np.int32],
    lowers: NDArray[np.int32],
    lemmas: NDArray[np.int32],
    pos: NDArray[np.int32],
    is_open: NDArray[np.uint8],
    characters: NDArray[np.int32],
    spelling: NDArray[np.int64],
    linguistic: bool,
    max_steps: int,
    similar: NDArray[np.uint8] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
