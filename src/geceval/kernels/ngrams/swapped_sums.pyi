import numpy as np
from numpy.typing import NDArray

def swapped_sums(
    differences: NDArray[np.int32],
    choices: NDArray[np.uint8],
    places: NDArray[np.int64],
    flags: NDArray[np.uint8],
) -> NDArray[np.int32]: ...
