import numpy as np
from numpy.typing import NDArray

def align(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    meanings: NDArray[np.int32],
    classes: NDArray[np.int32],
    is_han: NDArray[np.uint8],
    syllables: NDArray[np.int32],
    reading: NDArray[np.int64],
    characters: NDArray[np.int32],
    spelling: NDArray[np.int64],
    confusions: NDArray[np.int32],
    confused: NDArray[np.int64],
    random: NDArray[np.uint64],
    by_words: bool,
    max_difference: int,
    limit: int,
    max_steps: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]: ...
