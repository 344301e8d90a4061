"""The metrics of the paper as the released code computes them, for the replay of its chains.

They differ from those of geceval where the code differs from definitions, or has a defect. The
docstrings say how.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geceval.extraction.annotator import Annotator
from geceval.metaeval.maege.replay import Measure, ReplayedTexts, words
from geceval.metaeval.maege.sentence_level import Values
from geceval.metrics.base import Metric
from geceval.metrics.bleu import IBLEU
from geceval.metrics.gleu.metric import GLEU
from geceval.metrics.grammar import Grammaticality
from geceval.metrics.levenshtein import LDReference, LDSource
from geceval.metrics.maxmatch import M2
from geceval.metrics.sari import SARI, MaxSARI
from geceval.metrics.views import SystemEdit
from geceval.model import Annotation, Corpus, Edit, Sentence, Tokens

ALPHA = 0.8
"""Weight of the references in iBLEU."""

ORDER = 4
"""Length of the longest n-grams of BLEU."""


def gleu(texts: ReplayedTexts) -> Values:
    """Score by GLEU, the mean over references, with counts of 0 replaced by 1."""
    return _scores(GLEU(), texts)


def bleu(texts: ReplayedTexts) -> Values:
    """Score by BLEU, whose order is limited by the shortest of the output and the references."""
    return _bleus(texts)[0]


def ibleu(texts: ReplayedTexts) -> Values:
    """Score by iBLEU with the term of the source added, not subtracted."""
    references, source = _bleus(texts)
    return ALPHA * references + (1 - ALPHA) * source


def sari(texts: ReplayedTexts) -> Values:
    """Score by SARI on text split at single spaces, so that there may be empty tokens."""
    return _scores(SARI(), texts, spaced=True)


def max_sari(texts: ReplayedTexts) -> Values:
    """Score by MAX-SARI on text split at single spaces, so that there may be empty tokens."""
    return _scores(MaxSARI(), texts, spaced=True)


def min_ld(texts: ReplayedTexts) -> Values:
    """Score by similarity to the closest reference; that to an empty reference is 1."""
    counts = LDReference(length="second").statistics(texts.spaced_gold, texts.spaced_outputs).counts
    best: Values = _similarity(counts).max(axis=1)
    return best


def ld(texts: ReplayedTexts) -> Values:
    """Score by similarity to the source; that to an empty source is 1."""
    counts = LDSource(length="first").statistics(texts.spaced_gold, texts.spaced_outputs).counts
    return _similarity(counts)[:, 0]


def grammaticality(texts: ReplayedTexts, metric: Grammaticality) -> Values:
    """Score by errors per space; a text without spaces scores 1."""
    counts = metric.statistics(texts.gold, texts.outputs).counts
    n_errors, n_spaces = counts[:, 0, 0], counts[:, 0, 1] - 1
    return np.where(n_spaces < 1, 1.0, 1 - n_errors / np.maximum(1, n_spaces))


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "iBLEU": ibleu,
        "BLEU": bleu,
        "MinLD O→R": min_ld,
        "GLEU": gleu,
        "MAX-SARI": max_sari,
        "SARI": sari,
        "LD S→O": ld,
    }
)
"""The metrics that need neither extracted edits nor a grammar checker, as the paper names them."""


def _scores(metric: Metric, texts: ReplayedTexts, *, spaced: bool = False) -> Values:
    gold, outputs = (
        (texts.spaced_gold, texts.spaced_outputs) if spaced else (texts.gold, texts.outputs)
    )
    return metric.independent_sentence_scores(metric.statistics(gold, outputs))


def _similarity(counts: NDArray[Any]) -> Values:
    distance, length = counts[..., 0], counts[..., 1]
    return np.where(length == 0, 1.0, 1 - distance / np.maximum(1, length))


def _bleus(texts: ReplayedTexts) -> tuple[Values, Values]:
    """Return BLEU against the references, and against the source."""
    counts = IBLEU().statistics(texts.gold, texts.outputs).counts.max(axis=1)
    references, source = np.split(counts, 2, axis=1)
    shortest = np.array([min(map(len, texts.references(row.sentence))) for row in texts.rows])
    lengths = np.array([len(sent.tokens) for sent in texts.gold])
    return _bleu_of(references, shortest), _bleu_of(source, lengths)


def _bleu_of(counts: NDArray[np.int64], shortest: NDArray[np.int64]) -> Values:
    """Compute BLEU; the k-th order without a match counts as half of a match to the power of k."""
    length, reference = counts[:, 0], counts[:, 1]
    matches, totals = counts[:, 2 : 2 + ORDER], counts[:, 2 + ORDER :]
    order = np.minimum(ORDER, np.minimum(length, shortest))
    smoothed = np.where(matches == 0, 0.5 ** np.cumsum(matches == 0, axis=1), matches)
    logs = np.log(smoothed / np.maximum(1, totals))
    used = np.arange(ORDER) < order[:, None]
    means = np.where(used, logs, 0).sum(axis=1) / np.maximum(1, order)
    penalty = np.minimum(0.0, 1 - reference / np.maximum(1, length))
    return np.where((order > 0) & (matches[:, 0] > 0), np.exp(means + penalty), 0.0)


@dataclass(frozen=True, slots=True)
class ParagraphM2:
    """M² with the gold edits of all sentences as those of each, a defect of the released code.

    Its gold file has no empty lines, so that the scorer reads a single paragraph: each sentence
    has the edits of all, with offsets within their own sentences, and the text that they replace
    is taken from these offsets in the concatenation of all sources. A proposed edit scores each
    equal gold edit after the last one that was scored.

    Parameters
    ----------
    annotator
        Extracts the edits between sources and references. Those of the paper are not known.
    jobs
        Threads.
    """

    annotator: Annotator
    jobs: int = 1

    def __call__(self, texts: ReplayedTexts) -> Values:
        """Score each row."""
        paragraph = _ScoredParagraph.of(texts, self.annotator)
        starts: dict[tuple[int, Tokens], int] = {}
        total = 0
        for place, source in texts.sources:
            total += len(words(source))
            starts.setdefault((place, source), total)
        rows = [
            (words(row.source), words(row.output), starts[row.sentence, row.source])
            for row in texts.rows
        ]
        gold = Corpus(
            tuple(
                Sentence(
                    source,
                    tuple(
                        Annotation(str(name), tuple(edits))
                        for name, edits in enumerate(paragraph.candidates(source, output))
                    ),
                )
                for source, output, _ in rows
            )
        )
        # Edits of other sentences often lie within one another; the scorer took them as they are.
        metric = M2(ignore_whitespace_casing=True, nested="off", jobs=self.jobs)
        scores = np.zeros(len(rows))
        for number, (views, (source, _, n_tokens)) in enumerate(
            zip(metric.all_edits(gold, texts.outputs), rows, strict=True)
        ):
            scores[number] = max(
                paragraph.score(reference, view.edits, source, n_tokens)
                for reference, view in enumerate(views)
            )
        return scores


class _ScoredParagraph:
    """The gold edits of a paragraph, by reference."""

    def __init__(self, sources: Sequence[Tokens], edits: Sequence[Sequence[Edit]]) -> None:
        self.tokens = tuple(token for source in sources for token in source)
        self.ends = [np.sort([edit.end for edit in some]) for some in edits]
        self.places: list[dict[tuple[int, int, str], list[int]]] = []
        self.by_span: list[dict[tuple[int, int], dict[str, list[tuple[int, Tokens]]]]] = []
        for some in edits:
            places: dict[tuple[int, int, str], list[int]] = defaultdict(list)
            by_span: dict[tuple[int, int], dict[str, list[tuple[int, Tokens]]]] = {}
            for number, edit in enumerate(some):
                key = edit.start, edit.end, _letters(edit.correction)
                if key not in places:
                    first = edit.correction[0].lower() if edit.correction else ""
                    by_first = by_span.setdefault((edit.start, edit.end), {})
                    by_first.setdefault(first, []).append((number, edit.correction))
                places[key].append(number)
            self.places.append(places)
            self.by_span.append(by_span)
        self._known: dict[Tokens, list[list[tuple[int, int]]]] = {}

    @classmethod
    def of(cls, texts: ReplayedTexts, annotator: Annotator) -> _ScoredParagraph:
        sources = [words(source) for _, source in texts.sources]
        references = [texts.references(place) for place, _ in texts.sources]
        pairs = [
            (source, text)
            for source, some in zip(sources, references, strict=True)
            for text in some
        ]
        distinct = list(dict.fromkeys(pairs))
        known = dict(zip(distinct, annotator.annotate_pairs(distinct), strict=True))
        n_references = len(references[0])
        edits: list[list[Edit]] = [[] for _ in range(n_references)]
        for number, pair in enumerate(pairs):
            edits[number % n_references] += known[pair]
        return cls(sources, edits)

    def candidates(self, source: Tokens, output: Tokens) -> Iterator[list[Edit]]:
        """Yield, for each reference, the gold edits that an edit of this output could equal."""
        from rapidfuzz.distance import Levenshtein

        # No alignment is farther from the diagonal.
        reach = Levenshtein.distance(source, output)
        forms = [token.lower() for token in output]
        for by_span, spans in zip(self.by_span, self._spans(source), strict=True):
            found: list[tuple[int, Edit]] = []
            for start, end in spans if reach else ():
                by_first = by_span[start, end]
                near = {"", *forms[max(0, start - reach) : start + reach + 1]}
                found += [
                    (number, Edit(start, end, (correction,)))
                    for first in by_first.keys() & near
                    for number, correction in by_first[first]
                ]
            # In their order, on which the choice among equally good paths may depend.
            yield [edit for _, edit in sorted(found, key=itemgetter(0))]

    def _spans(self, source: Tokens) -> list[list[tuple[int, int]]]:
        """Return, for each reference, the spans of gold edits that replace text of a source."""
        if source not in self._known:
            self._known[source] = [
                [
                    (start, end)
                    for start, end in by_span
                    if end <= len(source) and self._replaces(start, end, source)
                ]
                for by_span in self.by_span
            ]
        return self._known[source]

    def _replaces(self, start: int, end: int, source: Tokens) -> bool:
        """Whether the paragraph and a source have the same text at a span."""
        return start == end or _letters(self.tokens[start:end]) == _letters(source[start:end])

    def score(
        self, reference: int, edits: Sequence[SystemEdit], source: Tokens, n_tokens: int
    ) -> float:
        """Return F0.5 of the edits of a sentence up to whose end there are `n_tokens` tokens."""
        places = self.places[reference]
        correct = last = 0
        for edit in edits:
            found = places.get((edit.start, edit.end, _letters(edit.correction)), [])
            after = found[bisect_left(found, last) :]
            if after and self._replaces(edit.start, edit.end, source):
                correct += len(after)
                last = after[-1] + 1
        n_gold = int(np.searchsorted(self.ends[reference], n_tokens, side="right"))
        below = 0.25 * n_gold + len(edits)
        return 1.25 * correct / below if below else 0.0


def _letters(tokens: Tokens) -> str:
    return "".join(tokens).lower()
