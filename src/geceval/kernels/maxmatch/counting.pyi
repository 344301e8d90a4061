import numpy as np
from numpy.typing import NDArray

def max_match(
    sources: NDArray[np.int32],
    source_offsets: NDArray[np.int64],
    hypotheses: NDArray[np.int32],
    hypothesis_offsets: NDArray[np.int64],
    annotations: NDArray[np.int64],
    edits: NDArray[np.int64],
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    options: NDArray[np.int64],
    option_tokens: NDArray[np.int32],
    option_offsets: NDArray[np.int64],
    letters: NDArray[np.int32],
    letter_offsets: NDArray[np.int64],
    max_unchanged: int,
    match_long: bool,
    level: int,
    first: int,
    last: int,
    want_edits: bool,
    max_cells: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
