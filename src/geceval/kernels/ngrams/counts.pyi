import numpy as np
from numpy.typing import NDArray

class NgramCounter:
    def __init__(
        self,
        sources: NDArray[np.int32],
        source_offsets: NDArray[np.int64],
        hypotheses: NDArray[np.int32],
        hypothesis_offsets: NDArray[np.int64],
        references: NDArray[np.int32],
        reference_offsets: NDArray[np.int64],
        of_sentence: NDArray[np.int64],
    ) -> None: ...
    def gleu(self, first: int, last: int) -> NDArray[np.int64]: ...
    def formula_gleu(self, first: int, last: int) -> NDArray[np.int64]: ...
    def regions(self, first: int, last: int, n_orders: int) -> NDArray[np.int64]: ...
    def bleu(self, first: int, last: int) -> NDArray[np.int64]: ...
    def sari(self, first: int, last: int) -> NDArray[np.float64]: ...
    def single_sari(self, first: int, last: int) -> NDArray[np.float64]: ...

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
