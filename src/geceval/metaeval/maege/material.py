"""What a MAEGE study is made of: sentences with lattices, and references to score against."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from geceval.errors import FormatError, GecevalError, MismatchError, UnknownNameError
from geceval.formats import Findings, Input, PathLike, detect, load
from geceval.metaeval.maege.lattice import AnnotationLattice, spanning_edits
from geceval.model import Corpus, MissingPolicy, Sentence, Tokens
from geceval.references.missing import MissingAnnotations, policy_for
from geceval.text import split_tokens

_ANNOTATED = ("m2", "m2-char", "jsonl")
"""Formats of references that are not plain text."""

_SAME = 0.9
"""Share of sentences past which a reference is taken for the correction of an annotator."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Corrected sentences, one for each of the corpus; None where there is none."""

    name: str
    texts: tuple[Tokens | None, ...]


@dataclass(frozen=True, slots=True)
class SpannedSentence:
    """A sentence that every annotator corrected.

    Parameters
    ----------
    number
        Its place in the corpus.
    lattices
        What the edits of each annotator span.
    references
        Names and texts.
    """

    number: int
    lattices: tuple[AnnotationLattice, ...]
    references: tuple[tuple[str, Tokens], ...]

    @property
    def tokens(self) -> Tokens:
        """The original."""
        return self.lattices[0].tokens


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that is sampled from and scored against.

    Parameters
    ----------
    name
        Where it comes from.
    sentences
        Those that take part.
    annotators
        Whose edits span the lattices.
    references
        Names of the references.
    leave_one_out
        Whether the annotators are each other's references, nobody being their own.
    counts
        What took part, what did not, and why.
    """

    name: str
    sentences: tuple[SpannedSentence, ...]
    annotators: tuple[str, ...]
    references: tuple[str, ...]
    leave_one_out: bool
    counts: Mapping[str, int]

    def held_out(self, annotator: str) -> str:
        """Name the reference that corrections by `annotator` are not scored against, if any."""
        return annotator if self.leave_one_out else ""

    @property
    def digest(self) -> str:
        """Tell this material apart from any other."""
        state = hashlib.sha256()
        for part in (self.annotators, self.references, self.leave_one_out):
            state.update(repr(part).encode())
        for sent in self.sentences:
            lattices = [(lattice.tokens, lattice.edits) for lattice in sent.lattices]
            state.update(repr((sent.number, lattices, sent.references)).encode())
        return state.hexdigest()


def span(
    corpus: Corpus,
    *,
    annotators: Sequence[str] | None = None,
    references: Sequence[Reference] | None = None,
    missing: MissingPolicy | None = "absent",
    findings: Findings | None = None,
) -> Material:
    """Make lattices of the annotations of a corpus.

    Sentences that one of the annotators left alone are not used, and neither are those without a
    reference.

    Parameters
    ----------
    corpus
        A gold standard.
    annotators
        Whose edits span the lattices; everybody's when None.
    references
        What to score against. When None, the corrected sentences of all other annotators; where
        there are no others, each annotator is scored against the rest.
    missing
        Whether an annotator without a line in a sentence did not look (``"absent"``), found
        nothing to correct (``"noop"``), neither of which spans a lattice, or agrees with the
        annotator before (``"same"``). When None, as the content of the corpus speaks for it.
    findings
        Where to note what was left out or merged.
    """
    policy = policy_for(corpus, missing)
    if policy == "same":
        if findings is not None:
            _note_same(corpus, findings)
        corpus = corpus.fill_missing(policy)
    spanning = _spanning(corpus, annotators)
    leave_one_out = False
    if references is None:
        others = [name for name in corpus.annotators if name not in spanning]
        leave_one_out = not others
        references = own_references(corpus, others or spanning, missing=policy)
    if leave_one_out and len(spanning) < 2:
        raise GecevalError(
            f"{corpus.name or 'the gold standard'} has a single annotator, who cannot be scored "
            "against nobody: name references"
        )
    _check_lengths(corpus, references)
    counts: Counter[str] = Counter(sentences=len(corpus))
    sentences = tuple(_spanned(corpus, spanning, references, leave_one_out, counts))
    if not sentences:
        raise GecevalError(
            f"{corpus.name or 'the gold standard'} has no sentence that each of the annotators "
            f"{', '.join(spanning)} corrected and that has a reference"
        )
    counts["kept"] = len(sentences)
    counts["lattices"] = sum(len(sent.lattices) for sent in sentences)
    counts["edits"] = sum(len(lattice) for sent in sentences for lattice in sent.lattices)
    material = Material(
        corpus.name,
        sentences,
        spanning,
        tuple(reference.name for reference in references),
        leave_one_out,
        counts,
    )
    if findings is not None:
        _note(material, findings)
    return material


def _spanning(corpus: Corpus, annotators: Sequence[str] | None) -> tuple[str, ...]:
    everybody = corpus.annotators
    if not everybody:
        raise GecevalError(f"{corpus.name or 'the gold standard'} has no annotations")
    if annotators is None:
        return everybody
    for name in annotators:
        if name not in everybody:
            raise UnknownNameError("annotator", name, everybody)
    return tuple(dict.fromkeys(annotators))


def _check_lengths(corpus: Corpus, references: Sequence[Reference]) -> None:
    for reference in references:
        if len(reference.texts) != len(corpus):
            name = corpus.name or "the gold standard"
            raise MismatchError(name, len(corpus), reference.name, len(reference.texts))


def _spanned(
    corpus: Corpus,
    annotators: Sequence[str],
    references: Sequence[Reference],
    leave_one_out: bool,
    counts: Counter[str],
) -> Iterator[SpannedSentence]:
    for number, sent in enumerate(corpus):
        readings = [sent.annotation(name) for name in annotators]
        if any(ann is None or not ann.edits for ann in readings):
            counts["left-alone"] += 1
            continue
        lost: Counter[str] = Counter()
        lattices = tuple(
            AnnotationLattice(
                sent.tokens, spanning_edits(sent.tokens, ann.edits, lost), ann.annotator
            )
            for ann in readings
            if ann is not None
        )
        known = tuple(
            (reference.name, text)
            for reference in references
            if (text := reference.texts[number]) is not None
        )
        if not all(len(lattice) for lattice in lattices):
            counts["only-flagged"] += 1
        elif len(known) < 1 + leave_one_out:
            counts["without-reference"] += 1
        else:
            counts.update(lost)
            yield SpannedSentence(number, lattices, known)


NOTES = {
    "left-alone": "sentences that an annotator left alone, not used",
    "only-flagged": "sentences in which an annotator only flagged errors, not used",
    "without-reference": "sentences without a reference, not used",
    "intersecting": "edits that intersect others of the same annotator, merged with them",
    "flags": "edits that only flag an error, left out",
    "past-the-end": "edits past the end of their sentence, left out",
    "no-change": "edits that change nothing, left out",
    "alternatives": "edits with several corrections, of which the first is used",
}
"""What is told about `Material.counts`."""


def _note(material: Material, findings: Findings) -> None:
    for code, message in NOTES.items():
        if count := material.counts.get(code, 0):
            findings.add(
                f"maege-{code}", f"{message}: {count:,}", severity="note", path=material.name
            )
    if material.leave_one_out:
        findings.add(
            "maege-leave-one-out",
            "there are no separate references: each annotator is scored against the others",
            severity="note",
            path=material.name,
        )
        return
    for name, annotator in _copies(material):
        findings.add(
            "maege-same",
            f"reference {name} is nearly what annotator {annotator} made of the sentences, so "
            "scores are compared with themselves",
            path=material.name,
        )


def _copies(material: Material) -> Iterator[tuple[str, str]]:
    """Yield references that are the full corrections of an annotator."""
    same: Counter[tuple[str, str]] = Counter()
    for sent in material.sentences:
        for lattice in sent.lattices:
            full = lattice.correction(range(len(lattice)))
            same.update((name, lattice.annotator) for name, text in sent.references if text == full)
    for pair, count in same.items():
        if count > _SAME * len(material.sentences):
            yield pair


def _note_same(corpus: Corpus, findings: Findings) -> None:
    found = MissingAnnotations.of(corpus)
    if found.open:
        findings.add(
            "maege-repeated",
            f"in {found.open:,} sentences an annotator without a line is taken to agree with the "
            "one before; --missing-annotator absent would not use them",
            severity="note",
            path=corpus.name,
        )


def own_references(
    corpus: Corpus, annotators: Sequence[str], *, missing: MissingPolicy | None = "absent"
) -> list[Reference]:
    """Return the corrected sentences of annotators of a corpus."""
    texts = corpus.references(missing=policy_for(corpus, missing))
    return [Reference(name, tuple(texts[name])) for name in annotators]


def read_references(
    path: PathLike,
    corpus: Corpus,
    *,
    annotators: Sequence[str] | None = None,
    missing: MissingPolicy | None = "absent",
    findings: Findings | None = None,
    encoding: str = "utf-8",
) -> list[Reference]:
    """Read references from a file: plain text, one sentence per line, or M2.

    Parameters
    ----------
    path
        The file.
    corpus
        The gold standard, to whose sentences they belong.
    annotators
        Whose corrections are taken from an M2 file; everybody's when None.
    missing, findings
        As for `span`.
    encoding
        Text encoding.
    """
    with Input.open(path, findings=findings, encoding=encoding) as source:
        fmt = detect(source)
        if fmt.name not in (*_ANNOTATED, "parallel"):
            raise source.error(f"this is {fmt.title}, neither plain text nor M2 nor JSON Lines")
        if fmt.name == "parallel":
            if annotators is not None:
                raise FormatError("plain text has no annotators to choose from", path=source.name)
            texts = tuple(map(split_tokens, source.lines()))
            return [Reference(Path(source.name).stem, texts)]
    other = load(path, findings=findings, encoding=encoding, name=str(path))
    _check_sources(corpus, other)
    wanted = _spanning(other, annotators)
    stem = Path(path).stem
    return [
        Reference(f"{stem}:{reference.name}", reference.texts)
        for reference in own_references(other, wanted, missing=missing)
    ]


def _check_sources(corpus: Corpus, other: Corpus) -> None:
    if len(corpus) != len(other):
        raise MismatchError(corpus.name, len(corpus), other.name, len(other))
    pairs: Iterator[tuple[Sentence, Sentence]] = zip(corpus, other, strict=True)
    for number, (one, two) in enumerate(pairs, 1):
        if one.tokens != two.tokens:
            raise GecevalError(f"{other.name}: sentence {number} is another one in {corpus.name}")
