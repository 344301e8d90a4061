import numpy as np
from numpy.typing import NDArray

def translation_edits(
    hypotheses: NDArray[np.int32],
    hypothesis_offsets: NDArray[np.int64],
    references: NDArray[np.int32],
    reference_offsets: NDArray[np.int64],
    sentences: NDArray[np.int64],
    first: int,
    last: int,
) -> NDArray[np.int64]: ...
