"""Models of Hugging Face's transformers, from a local folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from geceval.errors import GecevalError
from geceval.metrics.neural.arithmetic import cosine, greedy_match, perplexity_of
from geceval.metrics.neural.backend import Backend, Floats, hash_files, import_or_explain
from geceval.metrics.neural.onnx import MAX_TOKENS


class TransformersBackend(Backend):
    """A model folder as ``save_pretrained`` writes it.

    A model with a classification head of one label gives scores, a causal language model gives
    perplexity, and any other gives similarity and the F1 of BERTScore.

    Parameters
    ----------
    path
        The folder; nothing is downloaded.
    """

    def __init__(self, path: str | Path) -> None:
        self._folder = Path(path)
        if not (self._folder / "config.json").is_file():
            raise GecevalError(f"{path} is not the folder of a model: it has no config.json")

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to copy and pickle, without the loaded model."""
        return {key: value for key, value in self.__dict__.items() if key != "_loaded"}

    @cached_property
    def identity(self) -> str:
        """Name of the folder and hash of its files."""
        files = [path for path in self._folder.iterdir() if path.is_file()]
        return f"transformers:{self._folder.name}:{hash_files(files)}"

    @cached_property
    def _kind(self) -> str:
        transformers = import_or_explain("transformers", "this model", "transformers[torch]")
        config = transformers.AutoConfig.from_pretrained(self._folder, local_files_only=True)
        named = next(iter(config.architectures or ()), "")
        if named.endswith("ForSequenceClassification"):
            return "SequenceClassification"
        is_causal = named.endswith(("ForCausalLM", "LMHeadModel"))
        return "CausalLM" if is_causal else ""

    @cached_property
    def uses_references(self) -> bool:  # type: ignore[override]
        """Whether scores compare with references."""
        return not self._kind

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The model and the tokenizer."""
        transformers = import_or_explain("transformers", "this model", "transformers[torch]")
        kind = f"AutoModelFor{self._kind}" if self._kind else "AutoModel"
        where = {"pretrained_model_name_or_path": self._folder, "local_files_only": True}
        try:
            model = getattr(transformers, kind).from_pretrained(**where).eval()
            tokenizer = transformers.AutoTokenizer.from_pretrained(**where)
        except (OSError, ValueError) as error:
            what = str(error).splitlines()[0]
            raise GecevalError(f"the model {self._folder} cannot be loaded: {what}") from error
        return model, tokenizer

    def score(
        self,
        sources: Sequence[str],  # noqa: ARG002
        outputs: Sequence[str],
        references: Sequence[str],
    ) -> Floats:
        """Score outputs by a head, or against references by an encoder."""
        if self._kind == "SequenceClassification":
            return self._regression([(output, None) for output in outputs])
        if self._kind:
            raise self._lacking("scores")
        first, second = self._vectors(outputs), self._vectors(references)
        return np.array([greedy_match(*pair)[2] for pair in zip(first, second, strict=True)])

    def _regression(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        """Return the number that a head of one label gives for each text, or pair of texts."""
        found = [self._run(*text)[0].logits[0].tolist() for text in texts]
        if any(len(values) != 1 for values in found):
            raise self._lacking("single number for a text, as a head of one label would")
        return np.array([values[0] for values in found], dtype=np.float64)

    def score_pairs(self, sources: Sequence[str], outputs: Sequence[str]) -> Floats:
        """Score pairs of source and output by a regression head."""
        return self._regression(list(zip(sources, outputs, strict=True)))

    def similarity(self, first: Sequence[str], second: Sequence[str]) -> Floats:
        """Return the cosines of mean vectors of tokens."""
        if self._kind:
            raise self._lacking("similarity")
        means = [
            [own.mean(axis=0) for own in self._vectors(texts, special=True)]
            for texts in (first, second)
        ]
        return np.array([cosine(*pair) for pair in zip(*means, strict=True)])

    def perplexity(self, texts: Sequence[str]) -> Floats:
        """Return the perplexities by a causal language model."""
        if self._kind != "CausalLM":
            raise self._lacking("perplexity")
        found = []
        for text in texts:
            answer, ids, _ = self._run(text)
            found.append(perplexity_of(answer.logits[0].numpy(), ids))
        return np.array(found, dtype=np.float64)

    def _vectors(self, texts: Sequence[str], *, special: bool = False) -> list[Any]:
        found = []
        for text in texts:
            answer, _, is_special = self._run(text)
            vectors = answer.last_hidden_state[0].numpy()
            found.append(vectors if special else vectors[np.array(is_special) == 0])
        return found

    def _run(self, text: str, pair: str | None = None) -> tuple[Any, list[int], list[int]]:
        torch = import_or_explain("torch", "this model", "transformers[torch]")
        model, tokenizer = self._loaded
        encoded = tokenizer(
            text, pair, return_tensors="pt", return_special_tokens_mask=True, truncation=False
        )
        is_special = encoded.pop("special_tokens_mask")[0].tolist()
        ids = encoded["input_ids"][0].tolist()
        if len(ids) > MAX_TOKENS:
            raise GecevalError(
                f"a sentence has {len(ids):,} tokens of the model, more than {MAX_TOKENS}: "
                f"{text[:60]!r}…; split it"
            )
        with torch.no_grad():
            return model(**encoded), ids, is_special
