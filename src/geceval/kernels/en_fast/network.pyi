import numpy as np
from numpy.typing import NDArray

class Network:
    def __init__(
        self,
        *,
        layers: NDArray[np.float32],
        bias: NDArray[np.float32],
        gain: NDArray[np.float32],
        shift: NDArray[np.float32],
        tagger: NDArray[np.float32],
        tagger_bias: NDArray[np.float32],
        reducer: NDArray[np.float32],
        reducer_bias: NDArray[np.float32],
        features: NDArray[np.float32],
        padding: NDArray[np.float32],
        hidden_bias: NDArray[np.float32],
        transitions: NDArray[np.float32],
        transition_bias: NDArray[np.float32],
        kinds: NDArray[np.uint8],
    ) -> None: ...
    def decide(
        self,
        vectors: NDArray[np.float32],
        words: NDArray[np.int32],
        offsets: NDArray[np.int64],
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]: ...
    def encode(
        self,
        vectors: NDArray[np.float32],
        words: NDArray[np.int32],
        offsets: NDArray[np.int64],
    ) -> NDArray[np.float32]: ...
