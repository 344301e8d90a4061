import numpy as np
from numpy.typing import NDArray

def play(
    means: NDArray[np.float64],
    variances: NDArray[np.float64],
    wins: NDArray[np.int64],
    ties: NDArray[np.int64],
    chances: NDArray[np.float64],
    beta: float,
    margin: float,
) -> None: ...
def rate_in_order(
    outcomes: NDArray[np.int8],
    rows: NDArray[np.int64],
    n_players: int,
    variance: float,
    beta: float,
    margin: float,
) -> NDArray[np.float64]: ...
