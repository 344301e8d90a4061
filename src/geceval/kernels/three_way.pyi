import numpy as np
from numpy.typing import NDArray

def align_three(
    sources: NDArray[np.int32],
    source_offsets: NDArray[np.int64],
    hypotheses: NDArray[np.int32],
    hypothesis_offsets: NDArray[np.int64],
    groups: NDArray[np.int64],
    references: NDArray[np.int32],
    reference_offsets: NDArray[np.int64],
    first: int,
    last: int,
    want_columns: bool,
    max_cells: int,
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]: ...
