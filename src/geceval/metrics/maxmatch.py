"""MaxMatch (M²): the score of the CoNLL shared tasks, computed exactly in linear time.

Dahlmeier and Ng (2012), Better Evaluation for Grammatical Error Correction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Annotated, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import Latest, in_threads
from geceval.limits import TooLargeError, check_pairs, max_cells, place
from geceval.metrics._shared.edits import COLUMNS, GoldArrays, RunningF, by_annotator, offsets_of
from geceval.metrics._shared.readings import pair_readings, views_of_readings
from geceval.metrics.base import check_lengths
from geceval.metrics.options import Beta, Jobs, Range
from geceval.metrics.papers import DAHLMEIER_NG_2012
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Part, Score, Statistics, f_score
from geceval.metrics.views import SentenceEdits, SystemEdit
from geceval.model import Annotation, Corpus, Edit, Hypothesis, MissingPolicy, Tokens
from geceval.references.nested import NestedPolicy, with_readings
from geceval.text import Interned, Interner

Level: TypeAlias = Literal["correction", "recognition", "detection"]
Bonus: TypeAlias = Literal["off", "without", "with"]
LongEdits: TypeAlias = Literal["nested", "always", "never"]

MAX_UNCHANGED = 1000
"""Upper limit of the option `max_unchanged`, which bounds memory."""

_CHUNK = 128


@dataclass(slots=True)
class _InternedGold:
    """A corpus interned for the kernel, shared by all systems."""

    given: Corpus
    corpus: Corpus
    interner: Interner
    sources: Interned
    gold: GoldArrays
    provenance: Provenance
    nested: bool
    match_long: bool

    def arrange(self, counts: NDArray[np.int64], columns: tuple[str, ...]) -> Statistics:
        """Arrange the counts of annotations by sentence and annotator."""
        found = by_annotator(self.corpus, counts, columns, self.provenance)
        return replace(found, nested=self.nested)


class M2(RunningF):
    r"""The MaxMatch score.

    Of all sequences of edits that turn the source into the output, the one is chosen that matches
    most gold edits; the score is precision, recall and :math:`F_{0.5}` of these edits.

    Parameters
    ----------
    beta
        Weight of recall in F; with 0 F is the precision.
    max_unchanged
        Maximum number of unchanged words in an edit.
    long_edits
        Whether a gold edit with more unchanged words can be matched: ``"never"`` as in the shared
        tasks, ``"always"``, or in gold standards that are divided into readings (``"nested"``).
    level
        What makes an edit correct: its span and correction (``"correction"``), its span
        (``"recognition"``), or any overlap with a gold edit (``"detection"``).
    ignore_whitespace_casing
        Ignore proposed edits that change only spaces or letter case.
    bonus
        How to count optional gold edits that the system does not touch: as missed (``"off"``),
        not at all (``"without"`` bonus), or as correct (``"with"`` bonus).
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    nested
        Whether an annotation with edits inside of others is divided into ``"readings"`` without
        overlaps, of which the best is chosen, or scored as it is (``"off"``).
    jobs
        Threads.

    Notes
    -----
    Precision is 1 without proposed edits, recall is 1 without gold edits. The annotator of a
    sentence maximizes F of the totals up to it, so the order of sentences matters. If the output
    has several annotators as well, the best pair is chosen.

    References
    ----------
    Dahlmeier and Ng (2012), Better Evaluation for Grammatical Error Correction, NAACL.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> edit = Edit(1, 2, (("like",),), "SVA")
    >>> corpus = Corpus((Sentence(("I", "likes", "it"), (Annotation("0", (edit,)),)),))
    >>> score = M2().score(corpus, Hypothesis("ours", (("I", "like", "them"),)))
    >>> score.parts["correct"], score.parts["proposed"], round(score.value, 4)
    (1, 2, 0.5556)
    """

    name = "m2"
    title = "MaxMatch (M²)"
    counts_sentences_alone = True
    papers = (DAHLMEIER_NG_2012,)

    def __init__(
        self,
        *,
        beta: Beta = 0.5,
        max_unchanged: Annotated[int, Range(min=0, max=MAX_UNCHANGED)] = 2,
        long_edits: LongEdits = "nested",
        level: Level = "correction",
        ignore_whitespace_casing: bool = False,
        bonus: Bonus = "off",
        missing: MissingPolicy = "absent",
        nested: NestedPolicy = "readings",
        jobs: Jobs = 1,
    ) -> None:
        super().__init__(beta=beta)
        self.max_unchanged = max_unchanged
        self.long_edits: LongEdits = long_edits
        self.level: Level = level
        self.ignore_whitespace_casing = ignore_whitespace_casing
        self.bonus: Bonus = bonus
        self.missing: MissingPolicy = missing
        self.nested: NestedPolicy = nested
        self.jobs = jobs
        self._latest: Latest[Corpus, _InternedGold] = Latest()

    @property
    def uses_detections(self) -> bool:
        """Whether gold edits without corrections are enough for a score."""
        return self.level != "correction"

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "beta": self.beta,
            "unchanged": self.max_unchanged,
            **({"long": self.long_edits} if self.long_edits != "nested" else {}),
            "level": self.level,
            "casing": "ignored" if self.ignore_whitespace_casing else "counts",
            "bonus": self.bonus,
            "missing": self.missing,
            **({"nested": "off"} if self.nested == "off" else {}),
        }

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count correct, proposed and gold edits for each sentence and annotator."""
        if hypothesis.readings:
            return pair_readings(self.statistics, corpus, hypothesis)
        prepared = self._prepare(corpus)
        needs_edits = self.ignore_whitespace_casing or self.bonus != "off"
        counts, edits = self._count(prepared, hypothesis, want_edits=needs_edits)
        if self.ignore_whitespace_casing:
            edits = self._drop_casing(prepared, hypothesis, counts, edits)
        if self.bonus == "off":
            return prepared.arrange(counts, COLUMNS)
        left = _count_untouched(prepared.corpus, edits)
        return prepared.arrange(np.column_stack((counts, left)), (*COLUMNS, "optional_left"))

    def effective(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return correct, proposed and gold as they enter the score."""
        return with_bonus(counts, self.bonus)

    def more_parts(self, totals: NDArray[np.int64]) -> Mapping[str, Part]:
        """Return the scores with and without bonus."""
        if self.bonus == "off":
            return {}
        both: tuple[Bonus, Bonus] = ("without", "with")
        return {
            "optional_left": int(totals[3]),
            **{
                f"f_{mode}_bonus": float(f_score(*with_bonus(totals, mode), beta=self.beta)[2])
                for mode in both
            },
        }

    def marked_edits(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> list[SentenceEdits | None]:
        """Return the edits of each sentence against its chosen reference; None without one."""
        if hypothesis.readings:
            return views_of_readings(self.marked_edits, corpus, hypothesis, score)
        references = self._prepare(corpus).corpus.annotators
        names = [references[number] if number >= 0 else None for number in score.sentences.chosen]
        return [
            next((view() for ann, view in views if ann.annotator == name), None)
            for name, views in zip(names, self._views(corpus, hypothesis), strict=True)
        ]

    def all_edits(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[SentenceEdits]]:
        """Return the edits of the best path, for each sentence and annotation."""
        return [[view() for _, view in views] for views in self._views(corpus, hypothesis)]

    def _views(
        self, corpus: Corpus, hypothesis: Hypothesis
    ) -> Iterator[list[tuple[Annotation, Callable[[], SentenceEdits]]]]:
        """Yield the annotations of each sentence, with the edits of the best path on request."""
        prepared = self._prepare(corpus)
        counts, edits = self._count(prepared, hypothesis, want_edits=True)
        if self.ignore_whitespace_casing:
            edits = self._drop_casing(prepared, hypothesis, counts, edits)
        borders = np.searchsorted(edits[:, 0], np.arange(len(counts) + 1)).tolist()
        rows = edits.tolist()

        def view(ann: Annotation, words: Tokens, number: int) -> SentenceEdits:
            found = tuple(
                SystemEdit(start, end, words[left:right], None if gold < 0 else gold)
                for _, start, end, left, right, gold in rows[borders[number] : borders[number + 1]]
            )
            return SentenceEdits(ann, found)

        numbers = count()
        for sent, words in zip(prepared.corpus, hypothesis, strict=True):
            yield [(ann, partial(view, ann, words, next(numbers))) for ann in sent.annotations]

    def _prepare(self, corpus: Corpus) -> _InternedGold:
        return self._latest.get(corpus, self._intern)

    def _intern(self, corpus: Corpus) -> _InternedGold:
        corpus = corpus.first_alignments()
        filled = corpus.fill_missing(self.missing)
        divided = filled if self.nested == "off" else with_readings(filled)
        interner = Interner()
        return _InternedGold(
            corpus,
            divided,
            interner,
            interner.intern(divided.sources),
            GoldArrays.of(divided, interner),
            Provenance.of_edits(divided, required=self.bonus != "off"),
            nested=divided is not filled,
            match_long=self.long_edits == "always"
            or (self.long_edits == "nested" and divided is not filled),
        )

    def _count(
        self, prepared: _InternedGold, hypothesis: Hypothesis, *, want_edits: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Run the kernel over chunks of sentences, in threads."""
        from geceval.kernels.maxmatch.counting import max_match

        check_lengths(prepared.given, hypothesis)
        check_pairs(hypothesis.name, prepared.corpus.sources, hypothesis.sentences)
        hypotheses = prepared.interner.intern(hypothesis.sentences)
        gold = prepared.gold
        letters, letter_offsets = self._letters(prepared.interner)
        limit = max_cells()

        def run(first: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
            last = min(first + _CHUNK, len(prepared.corpus))
            counts, edits = max_match(
                prepared.sources.tokens,
                prepared.sources.offsets,
                hypotheses.tokens,
                hypotheses.offsets,
                gold.annotations,
                gold.edits,
                gold.starts,
                gold.ends,
                gold.options,
                gold.corrections.tokens,
                gold.corrections.offsets,
                letters,
                letter_offsets,
                self.max_unchanged,
                prepared.match_long,
                get_args(Level).index(self.level),
                first,
                last,
                want_edits,
                limit,
            )
            edits[:, 0] += gold.annotations[first]
            return counts, edits

        starts = range(0, len(prepared.corpus), _CHUNK)
        try:
            parts = in_threads(run, starts, workers=self.jobs)
        except OverflowError as error:
            number, fits = error.args
            shape = "comparing its edits takes too many cells" if fits else "its edits are too many"
            found = TooLargeError(shape, limit if fits else None)
            raise found.at(hypothesis.name, number) from None
        except MemoryError as error:
            if not error.args:
                raise
            where = place(hypothesis.name, error.args[0])
            raise MemoryError(f"{where}: not enough memory for its edits") from None
        if not parts:
            return np.zeros((0, 3), dtype=np.int64), np.zeros((0, 6), dtype=np.int32)
        all_counts, all_edits = zip(*parts, strict=True)
        return np.concatenate(all_counts), np.concatenate(all_edits)

    def _letters(self, interner: Interner) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the characters of all tokens, lower-cased; empty if case matters."""
        if not self.ignore_whitespace_casing:
            return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
        forms = [token.lower() for token in interner.tokens]
        text = "".join(forms).encode("utf-32-le", "surrogatepass")
        return np.frombuffer(text, dtype=np.int32), offsets_of(map(len, forms))

    def _drop_casing(
        self,
        prepared: _InternedGold,
        hypothesis: Hypothesis,
        counts: NDArray[np.int64],
        edits: NDArray[np.int32],
    ) -> NDArray[np.int32]:
        """Remove edits that change only spaces or case, and update the counts."""
        sentence = np.searchsorted(prepared.gold.annotations, edits[:, 0], side="right") - 1
        keep = np.ones(len(edits), dtype=bool)
        for number, (_, start, end, left, right, _) in enumerate(edits.tolist()):
            source = prepared.corpus.sentences[sentence[number]].tokens[start:end]
            target = hypothesis.sentences[sentence[number]][left:right]
            keep[number] = _letters(source) != _letters(target)
        kept = edits[keep]
        counts[:, 1] = np.bincount(kept[:, 0], minlength=len(counts))
        counts[:, 0] = np.bincount(kept[kept[:, 5] >= 0, 0], minlength=len(counts))
        return kept


def _letters(tokens: Tokens) -> str:
    return "".join(token.lower() for token in tokens)


def with_bonus(counts: NDArray[np.int64], bonus: Bonus) -> NDArray[np.int64]:
    """Apply a bonus for untouched optional edits, the fourth count."""
    effective = np.array(counts[..., :3], dtype=np.int64, order="C")
    if bonus == "with":
        effective[..., :2] += counts[..., 3:4]
    elif bonus == "without":
        effective[..., 2] -= counts[..., 3]
    return effective


def _count_untouched(corpus: Corpus, edits: NDArray[np.int32]) -> NDArray[np.int64]:
    """Count, for each annotation, the optional gold edits that no system edit touches."""
    annotations = [(ann, len(sent.tokens)) for sent in corpus for ann in sent.annotations]
    left = np.zeros(len(annotations), dtype=np.int64)
    borders = np.searchsorted(edits[:, 0], np.arange(len(annotations) + 1))
    for number, (ann, n_tokens) in enumerate(annotations):
        optional = [edit for edit in ann.edits if not edit.required and edit.fits(n_tokens)]
        if optional:
            rows = edits[borders[number] : borders[number + 1], 1:3].tolist()
            left[number] = sum(
                not any(is_detected(gold, start, end) for start, end in rows) for gold in optional
            )
    return left


def is_detected(gold: Edit, start: int, end: int) -> bool:
    """Whether a system edit overlaps a gold edit, for insertions including its boundaries.

    Examples
    --------
    >>> gold = Edit(2, 4, (("x",),))
    >>> is_detected(gold, 3, 5), is_detected(gold, 4, 4), is_detected(gold, 4, 5)
    (True, True, False)
    """
    if gold.is_insertion or start == end:
        return start <= gold.end and gold.start <= end
    return start < gold.end and gold.start < end
