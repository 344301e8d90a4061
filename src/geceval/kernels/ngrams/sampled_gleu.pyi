from typing import Any

import numpy as np
from numpy.typing import NDArray

class SampledReferences:
    def __init__(self, choices: NDArray[np.unsignedinteger[Any]], n_refs: int) -> None: ...

class SampledGleu:
    def __init__(
        self,
        counts: NDArray[np.int64],
        of_sentence: NDArray[np.int64],
        skips_empty: bool = False,
    ) -> None: ...
    def scores(
        self, samples: list[SampledReferences], n_iterations: int, rows: NDArray[np.int64]
    ) -> NDArray[np.float64]: ...
