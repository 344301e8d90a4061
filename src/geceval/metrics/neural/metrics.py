"""Metrics on top of a model: IMPARA, Scribendi, SOME, and any score of a model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import numpy as np

from geceval.engines.threads import Latest
from geceval.errors import GecevalError, OptionError
from geceval.metrics._shared.texts import References, SentenceMean, no_choice
from geceval.metrics.base import check_lengths
from geceval.metrics.neural.arithmetic import (
    Unit,
    impara_scores,
    scribendi_scores,
    sigmoid,
    some_scores,
    surface_ratios,
)
from geceval.metrics.neural.backend import Backend, BackendName, Floats, load_backend
from geceval.metrics.options import Jobs, Range
from geceval.metrics.papers import ISLAM_MAGNANI_2021, MAEDA_2022, YOSHIMURA_2020
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import SentenceScores, Statistics
from geceval.model import Corpus, Hypothesis, MissingPolicy, Tokens

Share: TypeAlias = Annotated[float, Range(min=0, max=1)]
Model: TypeAlias = str | Path | Backend


def _loaded(model: Model, kind: BackendName, jobs: int) -> Backend:
    return model if isinstance(model, Backend) else load_backend(kind, model, jobs=jobs)


def _texts(sentences: Sequence[Tokens]) -> list[str]:
    return [" ".join(tokens) for tokens in sentences]


def _checked(values: Floats, model: Backend, texts: Sequence[str]) -> Floats:
    """Raise an error for a number that is not finite, or for too few of them."""
    if values.shape != (len(texts),):
        raise GecevalError(
            f"the model {model.identity} gave {values.size:,} numbers for {len(texts):,} sentences"
        )
    for number in np.flatnonzero(~np.isfinite(values)).tolist():
        raise GecevalError(
            f"the model {model.identity} gives {values[number]} for {texts[number]!r}; it must "
            "be finite"
        )
    return values


class _ReferenceFree(SentenceMean):
    """A metric that asks models about sources and outputs."""

    needs_references = False

    def __init__(self) -> None:
        self._provenance: Latest[Corpus, Provenance] = Latest()

    @abstractmethod
    def counts(self, name: str, sources: list[str], outputs: list[str]) -> Sequence[Floats]:
        """Return what models say about each sentence, a list for each column."""

    @abstractmethod
    def values(self, *counts: Floats) -> Floats:
        """Compute the score of each sentence."""

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Ask the models about each sentence."""
        check_lengths(corpus, hypothesis)
        sources, outputs = _texts(corpus.sources), _texts(hypothesis.sentences)
        columns = self.counts(hypothesis.name, sources, outputs)
        return Statistics(
            np.stack(columns, axis=-1).reshape(len(corpus), 1, len(self.columns)),
            np.ones((len(corpus), 1), dtype=bool),
            self.columns,
            ("none",),
            self._provenance.get(corpus, Provenance.of_sources),
        )

    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Score each sentence."""
        counts = [np.asarray(column, dtype=np.float64) for column in statistics.counts[:, 0].T]
        parts = dict(zip(self.columns, counts, strict=True))
        return SentenceScores(no_choice(statistics), self.values(*counts), parts)


class Impara(_ReferenceFree):
    """IMPARA: the quality of the output, if it means the same as the source.

    Parameters
    ----------
    estimator
        Model that gives a logit for the quality of a text.
    encoder
        Model that gives the similarity of source and output.
    threshold
        Similarity below which the score is 0.
    backend
        Kind of the models.
    jobs
        Threads.

    References
    ----------
    Maeda, Kaneko and Okazaki (2022), IMPARA: Impact-Based Metric for GEC Using Parallel Data,
    COLING.
    """

    name = "impara"
    title = "IMPARA"
    papers = (MAEDA_2022,)
    columns = ("quality", "similarity")

    def __init__(
        self,
        *,
        estimator: Model,
        encoder: Model,
        threshold: Share = 0.9,
        backend: BackendName = "onnx",
        jobs: Jobs = 1,
    ) -> None:
        super().__init__()
        self.threshold = threshold
        self._estimator = _loaded(estimator, backend, jobs)
        self._encoder = _loaded(encoder, backend, jobs)

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "estimator": self._estimator.identity,
            "encoder": self._encoder.identity,
            "threshold": self.threshold,
        }

    def counts(self, name: str, sources: list[str], outputs: list[str]) -> Sequence[Floats]:  # noqa: ARG002
        """Return quality and similarity."""
        quality = sigmoid(self._estimator.score(sources, outputs, outputs))
        similarity = self._encoder.similarity(sources, outputs)
        return (
            _checked(quality, self._estimator, outputs),
            _checked(similarity, self._encoder, outputs),
        )

    def values(self, *counts: Floats) -> Floats:
        """Gate quality by similarity."""
        quality, similarity = counts
        return impara_scores(quality, similarity, self.threshold)


class Scribendi(_ReferenceFree):
    """Scribendi Score: +1 if the output is more probable and similar, -1 if not, 0 if unchanged.

    Parameters
    ----------
    model
        Language model.
    threshold
        Minimum of the larger of token sort ratio and Levenshtein ratio.
    unit
        Unit of the Levenshtein ratio, ``"character"`` or ``"word"``.
    backend
        Kind of the model.
    jobs
        Threads.

    References
    ----------
    Islam and Magnani (2021), Is this the end of the gold standard? A straightforward
    reference-less grammatical error correction metric, EMNLP.
    """

    name = "scribendi"
    title = "Scribendi Score"
    papers = (ISLAM_MAGNANI_2021,)
    columns = ("changed", "source_perplexity", "perplexity", "ratio")

    def __init__(
        self,
        *,
        model: Model,
        threshold: Share = 0.8,
        unit: Unit = "character",
        backend: BackendName = "onnx",
        jobs: Jobs = 1,
    ) -> None:
        super().__init__()
        self.threshold = threshold
        self.unit: Unit = unit
        self._model = _loaded(model, backend, jobs)

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {"model": self._model.identity, "threshold": self.threshold, "unit": self.unit}

    def counts(self, name: str, sources: list[str], outputs: list[str]) -> Sequence[Floats]:
        """Return whether sentences are changed, perplexities and surface ratios."""
        pairs = zip(sources, outputs, strict=True)
        texts = [*sources, *outputs]
        perplexity = _checked(self._model.perplexity(texts), self._model, texts)
        return (
            np.array([source != output for source, output in pairs], dtype=np.float64),
            perplexity[: len(sources)],
            perplexity[len(sources) :],
            surface_ratios(name, sources, outputs, self.unit),
        )

    def values(self, *counts: Floats) -> Floats:
        """Compare perplexities."""
        is_changed, before, after, ratio = counts
        return scribendi_scores(is_changed > 0, before, after, ratio, self.threshold)


class Some(_ReferenceFree):
    """SOME: a weighted sum of grammaticality, fluency and meaning preservation.

    Parameters
    ----------
    grammaticality, fluency
        Models that give a number for an output.
    meaning
        Model that gives a number for a source and an output.
    grammaticality_weight, fluency_weight, meaning_weight
        Weights of the three, 1 in sum.
    backend
        Kind of the models.
    jobs
        Threads.

    References
    ----------
    Yoshimura, Kaneko, Kajiwara and Komachi (2020), SOME: Reference-less Sub-Metrics Optimized for
    Manual Evaluations of Grammatical Error Correction, COLING.
    """

    name = "some"
    title = "SOME"
    papers = (YOSHIMURA_2020,)
    columns = ("grammaticality", "fluency", "meaning")

    def __init__(
        self,
        *,
        grammaticality: Model,
        fluency: Model,
        meaning: Model,
        grammaticality_weight: Share = 0.55,
        fluency_weight: Share = 0.43,
        meaning_weight: Share = 0.02,
        backend: BackendName = "onnx",
        jobs: Jobs = 1,
    ) -> None:
        super().__init__()
        self.weights = grammaticality_weight, fluency_weight, meaning_weight
        if abs(sum(self.weights) - 1) > 1e-9:
            raise OptionError(f"some: the weights sum to {sum(self.weights):g}, not to 1")
        models = (grammaticality, fluency, meaning)
        self._models = [_loaded(model, backend, jobs) for model in models]

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        models = dict(zip(self.columns, (model.identity for model in self._models), strict=True))
        return {**models, "weights": ",".join(f"{weight!r}" for weight in self.weights)}

    def counts(self, name: str, sources: list[str], outputs: list[str]) -> Sequence[Floats]:  # noqa: ARG002
        """Return the three numbers."""
        grammaticality, fluency, meaning = self._models
        return (
            _checked(grammaticality.score(sources, outputs, outputs), grammaticality, outputs),
            _checked(fluency.score(sources, outputs, outputs), fluency, outputs),
            _checked(meaning.score_pairs(sources, outputs), meaning, outputs),
        )

    def values(self, *counts: Floats) -> Floats:
        """Weigh the three numbers."""
        return some_scores(counts, self.weights)


class Neural(SentenceMean):
    """The score of a model, against the best reference if it compares with references.

    Parameters
    ----------
    model
        The model: a path, the name of a class of gec-metrics, or the name that an endpoint has
        for it.
    backend
        ``"onnx"``, ``"transformers"``, ``"gec-metrics"`` or ``"endpoint"``.
    url
        Address of the endpoint.
    prompt
        File with the prompt for the endpoint.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    jobs
        Threads, or concurrent requests.

    Notes
    -----
    An encoder gives the F1 of BERTScore, which is not rescaled.

    References
    ----------
    Zhang, Kishore, Wu, Weinberger and Artzi (2020), BERTScore: Evaluating Text Generation with
    BERT, ICLR.
    """

    name = "neural"
    title = "score of a model"
    is_share = False
    columns = ("score",)

    def __init__(
        self,
        *,
        model: Model,
        backend: Literal["onnx", "transformers", "gec-metrics", "endpoint"] = "onnx",
        url: str | None = None,
        prompt: str | Path | None = None,
        missing: MissingPolicy = "absent",
        jobs: Jobs = 1,
    ) -> None:
        if backend != "endpoint" and (url is not None or prompt is not None):
            raise OptionError("neural: url and prompt are options of backend=endpoint")
        if isinstance(model, Backend):
            self._model = model
        elif backend == "gec-metrics":
            from geceval.metrics.neural.gec_metrics import GecMetricsBackend

            self._model = GecMetricsBackend.named(str(model))
        elif backend == "endpoint":
            self._model = _endpoint(str(model), url, prompt, jobs)
        else:
            self._model = load_backend(backend, model, jobs=jobs)
        self.missing: MissingPolicy = missing
        self.needs_references = self._model.uses_references  # type: ignore[misc]
        self._references: Latest[Corpus, References] = Latest()
        self._provenance: Latest[Corpus, Provenance] = Latest()

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {"model": self._model.identity, "missing": self.missing}

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Score each sentence, against each of its references."""
        check_lengths(corpus, hypothesis)
        if not self.needs_references:
            scores = self._scores(corpus.sources, hypothesis.sentences, hypothesis.sentences)
            return Statistics(
                scores[:, None, None],
                np.ones((len(corpus), 1), dtype=bool),
                self.columns,
                ("none",),
                self._provenance.get(corpus, Provenance.of_sources),
            )
        references = self._references.get(
            corpus, lambda corpus: References.of(corpus, missing=self.missing)
        )
        rows = references.rows.tolist()
        scores = self._scores(
            [corpus.sentences[row].tokens for row in rows],
            [hypothesis.sentences[row] for row in rows],
            references.texts,
        )
        return references.by_reference(scores[:, None], self.columns)

    def _scores(
        self, sources: Sequence[Tokens], outputs: Sequence[Tokens], references: Sequence[Tokens]
    ) -> Floats:
        texts = _texts(outputs)
        scores = self._model.score(_texts(sources), texts, _texts(references))
        return _checked(scores, self._model, texts)

    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Choose the best reference of each sentence, the first of ties."""
        if not statistics.references:
            return SentenceScores(no_choice(statistics), np.zeros(len(statistics)), {})
        values = np.where(statistics.mask, statistics.counts[..., 0], -np.inf)
        best = values.argmax(axis=1)
        chosen = best if self.needs_references else no_choice(statistics)
        scores = statistics.counts[np.arange(len(statistics)), best, 0]
        return SentenceScores(chosen, np.asarray(scores, dtype=np.float64), {})


def _endpoint(model: str, url: str | None, prompt: str | Path | None, jobs: int) -> Backend:
    from geceval.formats.inputs import Input
    from geceval.metrics.neural.endpoint import PROMPT, EndpointBackend

    if url is None:
        raise OptionError("neural: backend=endpoint needs the option url, its address")
    text = PROMPT
    if prompt is not None:
        with Input.open(prompt) as source:
            text = source.text()
    return EndpointBackend(url, model, prompt=text, jobs=jobs)
