import numpy as np
from numpy.typing import NDArray

def choose_weighted(
    sums: NDArray[np.float64],
    mask: NDArray[np.uint8],
    rows: NDArray[np.int64],
    beta: float,
    *,
    by_errors: bool,
    with_choice: bool = True,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def swap_weighted(
    sums: NDArray[np.float64],
    mask: NDArray[np.uint8],
    flags: NDArray[np.uint8],
    beta: float,
    *,
    by_errors: bool,
) -> NDArray[np.float64]: ...
