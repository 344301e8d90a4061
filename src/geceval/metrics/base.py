"""The contract of a metric: statistics → aggregate → score, with a signature.

A metric counts once, per sentence and reference; scores, confidence intervals, paired tests and
tables by sentence are computed from the counts alone. Everything that reports, studies and the
command line need is a method of `Metric` with a default.
"""

# Default methods ignore their arguments.
# ruff: noqa: ARG002

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from geceval import __version__
from geceval.errors import GecevalError, MismatchError
from geceval.metrics.options import check_options, options_of
from geceval.metrics.papers import Paper
from geceval.metrics.statistics import Rows, Score, SentenceSums, Statistics, Swaps
from geceval.metrics.views import (
    Aligned,
    ChunkedSentence,
    CountsByType,
    SentenceEdits,
    count_by_type,
)
from geceval.model import Corpus, Edit, Hypothesis, annotator_order, split_alignment

if TYPE_CHECKING:
    from geceval.extraction.annotator import Annotator


class Metric(ABC):
    """A metric: a class with keyword-only options.

    Subclasses set `name`, `title` and `columns`, and implement `statistics`, `aggregate` and
    `settings`; every other method has a default. Options are validated against their annotations
    before `__init__` sees them, see `geceval.metrics.options`.
    """

    name: str
    """Name of the metric; that of an instance includes options if the metric is used twice."""
    title: str
    columns: ClassVar[tuple[str, ...]]
    table_parts: tuple[str, ...] | None = None
    """Parts of the score that tables show; None for all."""
    needs_edits: bool = False
    """Whether the metric compares given gold edits, so that corrected text is not enough."""
    needs_references: ClassVar[bool] = True
    """Whether the metric compares the output with references."""
    weighs_references: bool = False
    """Whether references are sampled or averaged, so that repeated ones have more weight; such
    a metric has the option ``missing``."""
    pools_systems: ClassVar[bool] = False
    """Whether the score depends on all systems that are scored together, see `prepared_for`."""
    scores_labels: ClassVar[bool] = False
    """Whether the output may label tokens as correct or incorrect instead of correcting them."""
    max_part_resamples: ClassVar[int | None] = 200
    """Maximum number of resamples for intervals of parts, as the default of `resample_parts`
    is slow; None for no maximum."""
    counts_sentences_alone: ClassVar[bool] = False
    """Whether the counts of a sentence depend on no other sentence, so that a corpus can be counted
    in shards, on any number of machines, with the same result."""
    scores_any_output: ClassVar[bool] = True
    """Whether the metric can score any output, not only those of given systems."""
    is_share: ClassVar[bool] = True
    """Whether the best score is 1, so that tables for papers show percent; False for numbers of
    any scale."""
    papers: tuple[Paper, ...] = ()
    """Papers to cite for the metric."""
    beta: float | None = None
    """Weight of recall, for metrics that are an F score."""
    runs_in_background: bool = False
    """Whether to count in other processes, since it blocks threads and needs only sources and
    outputs."""

    chooses_alignments: ClassVar[bool] = False
    """Whether the metric chooses among several alignments of one correction; for others, they
    would be further references."""

    type_legend: str = ""
    """What error types stand for, if they may be mistaken for others."""

    _options: Mapping[str, Any]

    def __new__(cls, *_: Any, **options: Any) -> Self:
        """Validate the options; copying and unpickling call this without any."""
        check_options(cls, options)
        metric = super().__new__(cls)
        metric._options = options
        return metric

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to copy and pickle, without the callback for messages."""
        options = {name: value for name, value in self._options.items() if name != "notify"}
        return {**self.__dict__, "_options": options}

    def with_options(self, **options: Any) -> Self:
        """Return a copy of this metric with other values of some options."""
        metric = type(self)(**{**self._options, **options})
        metric.name, metric.title = self.name, self.title
        return metric

    def with_name(self, name: str, title: str) -> Self:
        """Return a copy with another name; signatures have the name of the class."""
        metric = self.with_options()
        metric.name, metric.title = name, title
        return metric

    @property
    def given_options(self) -> Mapping[str, Any]:
        """The options that were given explicitly."""
        return self._options

    def is_given(self, option: str) -> bool:
        """Whether an option was given explicitly."""
        return option in self._options

    @property
    def language(self) -> str:
        """The language in which the metric analyzes text; empty if it does not."""
        option = options_of(type(self)).get("lang")
        if option is None or self._options.get("annotator") is not None:
            return ""
        return str(self._options.get("lang", option.default))

    def on_sentences(self, numbers: Sequence[int], n_sents: int) -> Metric:
        """Return the metric for some of the sentences of a corpus; itself by default.

        Metrics with data of their own for each sentence select those of these sentences.
        """
        return self

    def for_sentences(self) -> Metric:
        """Return the variant of this metric for studies of single sentences; itself by default."""
        return self

    def prepared_for(
        self,
        corpus: Corpus,
        hypotheses: Iterable[Hypothesis],
    ) -> Metric:
        """Return this metric for systems that are scored together; itself by default.

        A metric that depends on all of the systems returns a copy that knows what it needs of
        them. The scoring loop calls this once, and uses the copy for every system.
        """
        return self

    def steps_for(
        self, outputs: Sequence[tuple[Corpus, Hypothesis]]
    ) -> Sequence[Callable[[], object]]:
        """Return steps of work that take less time for several outputs together; none by default.

        The scoring loop calls them before it counts these outputs, each with its gold standard.
        """
        return ()

    @property
    def retokenizer(self) -> Annotator | None:
        """The annotator whose tokens all texts must have, if they are not separated by spaces."""
        return None

    @property
    def type_annotator(self) -> Annotator | None:
        """The annotator that types the edits of systems, if the metric types them."""
        return None

    @property
    def uses_detections(self) -> bool:
        """Whether gold edits without corrections are enough for a score."""
        return not self.needs_references

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return "score"

    @abstractmethod
    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count, for each sentence and reference, everything that the score needs."""

    @abstractmethod
    def aggregate(self, statistics: Statistics) -> Score:
        """Compute the score of counts; cheap, since it runs on every resample."""

    @abstractmethod
    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""

    def configuration(self) -> str:
        """Identify the metric and its settings, whatever is scored."""
        return "|".join((type(self).name, *_pairs(self.settings())))

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many samples of sentences; `rows` has the axes ``(n_resamples, n_sents)``."""
        return np.array([self.aggregate(statistics.take(sample)).value for sample in rows])

    def resample_parts(self, statistics: Statistics, rows: Rows) -> dict[str, NDArray[np.float64]]:
        """Compute the parts of the score of many samples of sentences, by name.

        A faster implementation may return some parts only; intervals are shown for precision
        and recall. See `max_part_resamples`.
        """
        parts = [self.aggregate(statistics.take(sample)).parts for sample in rows]
        names = parts[0] if parts else ()
        return {name: np.array([one[name] for one in parts], dtype=np.float64) for name in names}

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score two systems many times, each time with some of their sentences swapped."""
        both = first.followed_by(second)
        scores = [[self.resample(both, own) for own in rows] for rows in swaps.rows()]
        one, other = map(np.concatenate, zip(*scores, strict=True))
        return one, other

    def independent_sentence_scores(self, statistics: Statistics) -> NDArray[np.float64]:
        """Score each sentence as a corpus of one, independently of all others."""
        return np.asarray(self.aggregate(statistics).sentences.values, dtype=np.float64)

    def fixed_sums(self, statistics: Statistics) -> SentenceSums | None:
        """Return the score as a function of sums over sentences, if it is one.

        References are those chosen for the whole corpus, or the mean over references that are
        sampled. It shows how much each sentence contributes.
        """
        return None

    def is_separable(self, statistics: Statistics) -> bool:
        """Whether the score is a mean or a ratio of sums over sentences, whatever their order.

        The best combination of the outputs of several systems can then be found exactly.
        """
        return False

    def effective_counts(self, statistics: Statistics) -> NDArray[np.int64] | None:
        """Return correct, proposed and gold edits as they enter the score, if the metric has edits.

        The axes are ``(n_sents, n_refs, 3)``.
        """
        return None

    def typed_edits(
        self, corpus: Corpus, hypothesis: Hypothesis
    ) -> Sequence[tuple[Edit, ...]] | None:
        """Return the edits of an output as `type_annotator` extracts them, if it does."""
        return None

    def marked_edits(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> list[SentenceEdits | None] | None:
        """Return the edits of each sentence against its chosen reference, if the metric has edits.

        A sentence without a chosen reference has None.
        """
        return None

    def counts_by_type(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> CountsByType | None:
        """Count edits by error type, if the metric has edits; by default those of `marked_edits`.

        The default counts gold edits and those among them that the system has.
        """
        marked = self.marked_edits(corpus, hypothesis, score)
        return None if marked is None else count_by_type(corpus, marked)

    def aligned_view(self, corpus: Corpus, hypothesis: Hypothesis) -> list[Aligned] | None:
        """Align each sentence with its chosen reference, if the metric compares alignments."""
        return None

    def chunk_view(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> list[ChunkedSentence | None] | None:
        """Divide each sentence into chunks, if the metric compares chunks.

        A sentence without references has None.
        """
        return None

    def score(self, corpus: Corpus, hypothesis: Hypothesis) -> Score:
        """Score one system."""
        return self.aggregate(self.statistics(corpus, hypothesis))

    def signature(self, statistics: Statistics) -> str:
        """Describe a score in one line; equal signatures mean comparable scores."""
        settings = {
            "sents": len(statistics),
            "refs": statistics.provenance.refs,
            "data": statistics.provenance.digest,
            **self.settings(),
        }
        version = f"version:{__version__}"
        return "|".join((type(self).name, *_pairs(settings), *self.remarks(statistics), version))

    def remarks(self, statistics: Statistics) -> tuple[str, ...]:
        """Return parts of the signature that depend on the counts and not on the settings."""
        readings = statistics.readings
        return (
            *([f"readings:{len(readings)}"] if readings else []),
            *(["tokens:geceval"] if statistics.tokenized else []),
            *([statistics.preparation] if statistics.preparation else []),
            *([f"tokens:{statistics.unit}"] if statistics.unit else []),
            *([f"gold:auto|{statistics.gold_extraction}"] if statistics.gold_extraction else []),
            *(["nested:readings"] if statistics.nested else []),
        )


def _pairs(settings: Mapping[str, object]) -> Iterator[str]:
    return (f"{key}:{_printed(value)}" for key, value in settings.items())


def _printed(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return str(value)


def check_lengths(corpus: Corpus, hypothesis: Hypothesis) -> None:
    """Raise an error unless the hypothesis has one output for each sentence of the corpus."""
    check_counts(corpus, hypothesis)
    check_output(hypothesis)


def check_counts(corpus: Corpus, hypothesis: Hypothesis) -> None:
    """Raise an error if the hypothesis has more or fewer sentences than the corpus."""
    if len(corpus) != len(hypothesis):
        from geceval.metrics.detection.token_labels import first_difference
        from geceval.validation.misalignment import misalignment_hint

        # Labels are of the tokens of the source, so the first other token tells the place.
        difference = first_difference(corpus, hypothesis) if hypothesis.labeled else None
        raise MismatchError(
            corpus.name or "the gold standard",
            len(corpus),
            hypothesis.name or "the hypothesis",
            len(hypothesis),
            hint=difference or misalignment_hint(corpus.sources, hypothesis.sentences),
        )


def check_output(hypothesis: Hypothesis) -> None:
    """Raise an error for output that has several annotators or only labels."""
    check_readings(hypothesis)
    if hypothesis.labeled:
        raise GecevalError(
            f"the output of {hypothesis.name or 'the hypothesis'} has labels of tokens but no "
            "corrections, which only ged supports"
        )


def check_readings(hypothesis: Hypothesis) -> None:
    """Raise an error for output with several annotators; alignments have the same text."""
    annotators = {split_alignment(reading.annotator)[0] for reading in hypothesis.readings}
    if len(annotators) > 1:
        names = ", ".join(sorted(annotators, key=annotator_order))
        raise GecevalError(
            f"the output of {hypothesis.name or 'the hypothesis'} has several annotators "
            f"({names}), which only m2, errant and cleme support; select one with 'geceval convert "
            "--apply --annotator NAME'"
        )
