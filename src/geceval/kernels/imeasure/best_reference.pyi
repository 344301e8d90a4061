import numpy as np
from numpy.typing import NDArray

def best_references(
    sources: NDArray[np.int32],
    source_offsets: NDArray[np.int64],
    hypotheses: NDArray[np.int32],
    hypothesis_offsets: NDArray[np.int64],
    nodes: NDArray[np.int64],
    positions: NDArray[np.int32],
    edges: NDArray[np.int64],
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    words: NDArray[np.int32],
    word_offsets: NDArray[np.int64],
    first: int,
    last: int,
    metric: int,
    detection: bool,
    weight: tuple[int, int],
    beta: tuple[int, int],
    totals: NDArray[np.int64],
    taken: NDArray[np.int64],
    limit: int,
    beam_width: int = 100,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.uint8],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
]: ...
def choose_references(
    counts: NDArray[np.int64],
    mask: NDArray[np.uint8],
    rows: NDArray[np.int64],
    metric: int,
    detection: bool,
    weight: tuple[int, int],
    beta: tuple[int, int],
    running: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
