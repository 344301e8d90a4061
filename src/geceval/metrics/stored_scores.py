"""Scores made elsewhere: a score for each sentence of each system, from a file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import Latest
from geceval.errors import GecevalError, OptionError, did_you_mean
from geceval.formats.inputs import Input
from geceval.metrics._shared.texts import SentenceMean, no_choice
from geceval.metrics.base import check_lengths
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import SentenceScores, Statistics
from geceval.model import Corpus, Hypothesis

FIELDS = ("system", "sentence", "score")

_Record: TypeAlias = tuple[int, str, int, float]
"""Line number, system, sentence and score."""

_SHOWN_HASH = 10


@dataclass(frozen=True, slots=True)
class ScoreFile:
    """The scores of a file.

    Parameters
    ----------
    path
        The file.
    scores
        The score of each sentence, by system.
    sha256
        SHA-256 of the file.
    """

    path: str
    scores: Mapping[str, NDArray[np.float64]]
    sha256: str

    @property
    def n_sents(self) -> int:
        """Number of sentences of each system."""
        return len(next(iter(self.scores.values())))

    @classmethod
    def read(cls, path: str | Path, *, first_sentence: int = 0) -> Self:
        """Read TSV with a header, or JSON lines.

        Parameters
        ----------
        path
            The file.
        first_sentence
            Number of the first sentence.

        Raises
        ------
        FormatError
            For anything but one finite score for each sentence of each system.
        """
        with Input.open(path) as source:
            records = _json_records if source.head.lstrip().startswith("{") else _tsv_records
            scores = _by_system(source, records(source), first_sentence)
            return cls(source.name, scores, source.sha256)


def _tsv_records(source: Input) -> Iterator[_Record]:
    lines = source.numbered_lines()
    number, header = next(lines, (1, ""))
    names = [name.strip().casefold() for name in header.split("\t")]
    for field in FIELDS:
        if names.count(field) != 1:
            raise source.error(
                f"expected a header with the columns {', '.join(FIELDS)}, separated by tabs, or "
                "JSON lines with these keys",
                line=number,
            )
    columns = [names.index(field) for field in FIELDS]
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != len(names):
            raise source.error(
                f"expected {len(names)} columns as in the header, not {len(cells)}", line=number
            )
        system, sentence, score = (cells[column].strip() for column in columns)
        try:
            yield number, system, int(sentence), float(score)
        except ValueError as error:
            raise source.error(
                f"expected the number of a sentence and a score, not {sentence!r} and {score!r}",
                line=number,
            ) from error


def _json_records(source: Input) -> Iterator[_Record]:
    for number, line in source.numbered_lines():
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise source.error(f"not valid JSON: {error}", line=number) from error
        values = [record.get(field) for field in FIELDS] if isinstance(record, dict) else [None] * 3
        system, sentence, score = values
        if (
            not isinstance(system, str)
            or not isinstance(sentence, int)
            or not isinstance(score, int | float)
            or isinstance(sentence, bool)
            or isinstance(score, bool)
        ):
            raise source.error(
                'expected {"system": text, "sentence": integer, "score": number}', line=number
            )
        yield number, system, sentence, _as_float(score)


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _by_system(
    source: Input, records: Iterator[_Record], first: int
) -> dict[str, NDArray[np.float64]]:
    found: dict[str, dict[int, float]] = {}
    for line, system, sentence, score in records:
        if not system:
            raise source.error("the system has no name", line=line)
        if not math.isfinite(score):
            raise source.error(f"the score is {score}; it must be finite", line=line)
        if sentence < first:
            raise source.error(
                f"sentence {sentence} comes before the first, {first}; set first_sentence",
                line=line,
            )
        own = found.setdefault(system, {})
        if sentence in own:
            raise source.error(
                f"a second score of sentence {sentence} of the system {system!r}", line=line
            )
        own[sentence] = score
    if not found:
        raise source.error("there are no scores")
    last = max(max(own) for own in found.values())
    if not first and all(0 not in own for own in found.values()):
        raise source.error(
            "no system has a score of sentence 0; if sentences are numbered from 1, write "
            f"scores(file={source.name}, first_sentence=1)"
        )
    for system, own in found.items():
        if len(own) <= last - first:
            missing = next(number for number in range(first, last + 1) if number not in own)
            raise source.error(
                f"the system {system!r} has no score of sentence {missing}; others have scores up "
                f"to sentence {last}"
            )
    return {
        system: np.array([own[number] for number in range(first, last + 1)])
        for system, own in found.items()
    }


class StoredScores(SentenceMean):
    """Scores of sentences that were computed elsewhere; their mean is the score.

    Parameters
    ----------
    file
        TSV with the columns system, sentence and score, or JSON lines with these keys; others
        are ignored. Larger scores must be better.
    first_sentence
        Number of the first sentence in the file.

    Notes
    -----
    Systems are found by name; all sentences must have a score. The signature has a hash of the
    file.
    """

    name = "scores"
    title = "scores from a file"
    is_share = False
    columns = ("score",)
    needs_references = False
    scores_any_output = False

    def __init__(self, *, file: str | Path, first_sentence: Literal[0, 1] = 0) -> None:
        if str(file) == "-":
            raise OptionError("scores: the option file takes a file, not standard input")
        self.table = ScoreFile.read(file, first_sentence=first_sentence)
        self.title = f"scores from {Path(file).name}"
        self._provenance: Latest[Corpus, Provenance] = Latest()

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {"file": self.table.sha256[:_SHOWN_HASH]}

    def on_sentences(self, numbers: Sequence[int], n_sents: int) -> StoredScores:
        """Return the scores of some of the sentences of a corpus."""
        self._check_size("the gold standard", n_sents)
        rows = np.array(numbers, dtype=np.int64)
        metric = copy(self)
        metric.table = replace(
            self.table, scores={name: own[rows] for name, own in self.table.scores.items()}
        )
        return metric

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Look up the score of each sentence."""
        check_lengths(corpus, hypothesis)
        scores = self.table.scores.get(hypothesis.name)
        if scores is None:
            known = ", ".join(sorted(self.table.scores))
            raise GecevalError(
                f"{self.table.path} has no scores of the system {hypothesis.name!r}"
                f"{did_you_mean(hypothesis.name, self.table.scores)} (it has: {known}); name "
                "systems NAME=FILE"
            )
        self._check_size(corpus.name or "the gold standard", len(corpus))
        return Statistics(
            scores[:, None, None],
            np.ones((len(scores), 1), dtype=bool),
            self.columns,
            ("none",),
            self._provenance.get(corpus, Provenance.of_sources),
        )

    def _check_size(self, name: str, n_sents: int) -> None:
        if self.table.n_sents != n_sents:
            raise GecevalError(
                f"{self.table.path} has scores of {self.table.n_sents:,} sentences, but {name} "
                f"has {n_sents:,} sentences"
            )

    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Return the scores."""
        values = np.asarray(statistics.counts[:, 0, 0], dtype=np.float64)
        return SentenceScores(no_choice(statistics), values, {})
