"""ONNX models with a fast tokenizer, from local files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import in_threads
from geceval.errors import GecevalError
from geceval.metrics.neural.arithmetic import cosine, greedy_match, perplexity_of
from geceval.metrics.neural.backend import Backend, Floats, hash_files, import_or_explain

_Input: TypeAlias = tuple[str, str | None]
"""A text, or two texts."""

_LOADING = Lock()

MAX_TOKENS = 512
"""Tokens of a text that models take at most."""


class OnnxBackend(Backend):
    """An ONNX model.

    What it can do depends on its output: a number for each text (a regression head) gives scores;
    a vector for each token (an encoder) gives similarity and, against a reference, the F1 of
    BERTScore; a logit for each token and word of the vocabulary (a language model) gives
    perplexity.

    Parameters
    ----------
    path
        The model, or a folder with ``model.onnx``; ``tokenizer.json`` is next to it.
    jobs
        Threads.

    Notes
    -----
    Texts are not batched: with dynamic quantization, the values of a text would depend on the
    others of its batch. Texts longer than `MAX_TOKENS` are refused, never truncated.
    """

    def __init__(self, path: str | Path, *, jobs: int = 1) -> None:
        given = Path(path)
        self._model = given / "model.onnx" if given.is_dir() else given
        self._tokens = self._model.parent / "tokenizer.json"
        self._jobs = jobs
        for file in (self._model, self._tokens):
            if not file.is_file():
                raise GecevalError(f"an ONNX model needs {file}, which is not there")

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to copy and pickle, without the loaded model."""
        return {key: value for key, value in self.__dict__.items() if key != "_loaded"}

    @cached_property
    def identity(self) -> str:
        """File name and hash of model and tokenizer."""
        return f"onnx:{self._model.name}:{hash_files([self._model, self._tokens])}"

    @cached_property
    def uses_references(self) -> bool:  # type: ignore[override]
        """Whether scores compare with references, as those of an encoder do."""
        return self._rank == _ENCODER

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The session and the tokenizer."""
        runtime = import_or_explain("onnxruntime", "an ONNX model")
        tokenizers = import_or_explain("tokenizers", "an ONNX model")
        with _LOADING:
            options = runtime.SessionOptions()
            # One thread for each text: sums are then always in the same order.
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = 4
            try:
                session = runtime.InferenceSession(
                    str(self._model), options, providers=["CPUExecutionProvider"]
                )
                tokenizer = tokenizers.Tokenizer.from_file(str(self._tokens))
            # Both raise exceptions of their own, of any class.
            except Exception as error:
                what = str(error).splitlines()[0]
                raise GecevalError(f"the model {self._model} cannot be loaded: {what}") from error
            tokenizer.no_truncation()
            tokenizer.no_padding()
        return session, tokenizer

    @cached_property
    def _rank(self) -> int:
        """Number of axes of the output, including that of texts; one more for logits of words."""
        session, tokenizer = self._loaded
        output = session.get_outputs()[0]
        is_vocabulary = output.name == "logits" or output.shape[-1] == tokenizer.get_vocab_size()
        is_model = len(output.shape) == _ENCODER and is_vocabulary
        return _LANGUAGE_MODEL if is_model else len(output.shape)

    def score(
        self,
        sources: Sequence[str],  # noqa: ARG002
        outputs: Sequence[str],
        references: Sequence[str],
    ) -> Floats:
        """Score outputs by a regression head, or against references by an encoder."""
        if self._rank == _ENCODER:
            vectors = self._run([(text, None) for text in (*outputs, *references)])
            pairs = zip(vectors[: len(outputs)], vectors[len(outputs) :], strict=True)
            return np.array([greedy_match(*pair)[2] for pair in pairs], dtype=np.float64)
        return self._regression([(output, None) for output in outputs])

    def _regression(self, texts: Sequence[_Input]) -> Floats:
        """Return the number that a regression head gives for each text, or pair of texts."""
        found = self._run(texts)
        if any(value.size != 1 for value in found):
            raise self._lacking("single number for a text, as a regression head would")
        return np.array([value.item() for value in found], dtype=np.float64)

    def score_pairs(self, sources: Sequence[str], outputs: Sequence[str]) -> Floats:
        """Score pairs of source and output by a regression head."""
        return self._regression(list(zip(sources, outputs, strict=True)))

    def similarity(self, first: Sequence[str], second: Sequence[str]) -> Floats:
        """Return the cosines of mean vectors of tokens."""
        if self._rank != _ENCODER:
            raise self._lacking("similarity")
        vectors = self._run([(text, None) for text in (*first, *second)], special=True)
        means = [own.mean(axis=0) for own in vectors]
        pairs = zip(means[: len(first)], means[len(first) :], strict=True)
        return np.array([cosine(*pair) for pair in pairs], dtype=np.float64)

    def perplexity(self, texts: Sequence[str]) -> Floats:
        """Return the perplexities by a causal language model."""
        if self._rank != _LANGUAGE_MODEL:
            raise self._lacking("perplexity")
        return np.array(self._run([(text, None) for text in texts]), dtype=np.float64)

    def _run(self, texts: Sequence[_Input], *, special: bool = False) -> list[NDArray[Any]]:
        """Run the model on each distinct text.

        An encoder gives the vectors of the tokens, with or without special ones; a language
        model the perplexity.
        """
        distinct = list(dict.fromkeys(texts))
        answers = in_threads(
            lambda text: self._run_one(text, special=special), distinct, workers=self._jobs
        )
        found = dict(zip(distinct, answers, strict=True))
        return [found[text] for text in texts]

    def _run_one(self, text: _Input, *, special: bool) -> NDArray[Any]:
        session, tokenizer = self._loaded
        encoded = tokenizer.encode(*(part for part in text if part is not None))
        if len(encoded.ids) > MAX_TOKENS:
            raise GecevalError(
                f"a sentence has {len(encoded.ids):,} tokens of the model, more than "
                f"{MAX_TOKENS}: {text[0][:60]!r}…; split it"
            )
        known = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
            "position_ids": range(len(encoded.ids)),
        }
        try:
            given = {
                one.name: np.array([known[one.name]], dtype=np.int64)
                for one in session.get_inputs()
            }
            output: NDArray[Any] = session.run(None, given)[0][0]
        except KeyError as error:
            raise GecevalError(f"the model {self._model} has the unknown input {error}") from error
        # The runtime raises exceptions of its own, of any class.
        except Exception as error:
            what = str(error).splitlines()[0]
            raise GecevalError(f"the model {self._model} fails on {text[0]!r}: {what}") from error
        if self._rank == _LANGUAGE_MODEL:
            return np.array(perplexity_of(output, encoded.ids))
        if self._rank == _ENCODER and not special:
            output = output[np.array(encoded.special_tokens_mask) == 0]
        return output


_ENCODER = 3
_LANGUAGE_MODEL = 4
