import numpy as np
from numpy.typing import NDArray

class SampledGleu:
    def __init__(
        self,
        counts: NDArray[np.int64],
        of_sentence: NDArray[np.int64],
        skips_empty: bool = False,
    ) -> None: ...
    def scores(
        self, choices: NDArray[np.uint16], table_of: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]: ...
