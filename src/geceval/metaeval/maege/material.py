"""Material of a MAEGE study: lattices and references."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from geceval.errors import FormatError, GecevalError, MismatchError, UnknownNameError
from geceval.formats import Findings, Input, PathLike, detect, load
from geceval.metaeval.maege.lattice import AnnotationLattice, spanning_edits
from geceval.metaeval.maege.protocol import PAPER, Protocol
from geceval.model import Corpus, MissingPolicy, Tokens
from geceval.references.missing import MissingAnnotations, policy_for
from geceval.text import split_tokens

_ANNOTATED = ("m2", "m2-char", "m2-zh", "jsonl")
"""Annotated formats of references."""

_SAME = 0.9
"""Share of equal sentences above which a reference counts as a copy of an annotator."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Corrected sentences, one for each sentence of the corpus or None."""

    name: str
    texts: tuple[Tokens | None, ...]


@dataclass(frozen=True, slots=True)
class SpannedSentence:
    """A sentence corrected by annotators.

    Parameters
    ----------
    number
        Index in the corpus.
    lattices
        The lattice of each annotator.
    references
        Names and texts of the references.
    """

    number: int
    lattices: tuple[AnnotationLattice, ...]
    references: tuple[tuple[str, Tokens], ...]

    @property
    def tokens(self) -> Tokens:
        """The original sentence."""
        return self.lattices[0].tokens


@dataclass(frozen=True, slots=True)
class Material:
    """Lattices to sample from, and references to score against.

    Parameters
    ----------
    name
        Name of the corpus.
    sentences
        Sentences that are used.
    annotators
        Annotators whose edits span the lattices.
    references
        Names of the references.
    leave_one_out
        Whether each annotator is scored against the other annotators.
    counts
        Numbers of used, merged and excluded sentences and edits.
    protocol
        The protocol by which sentences and edits were selected.
    """

    name: str
    sentences: tuple[SpannedSentence, ...]
    annotators: tuple[str, ...]
    references: tuple[str, ...]
    leave_one_out: bool
    counts: Mapping[str, int]
    protocol: Protocol = PAPER

    def held_out(self, annotator: str) -> str:
        """Return the reference to exclude for corrections by `annotator`, empty if none."""
        return annotator if self.leave_one_out else ""

    def check_protocol(self, protocol: Protocol) -> None:
        """Raise an error if a protocol selects other sentences or edits than this material."""
        for name in ("sentences", "edits", "insertions"):
            ours, theirs = getattr(self.protocol, name), getattr(protocol, name)
            if ours != theirs:
                raise GecevalError(
                    f"the protocol of the study has {name}={theirs}, but its material was built "
                    f"with {name}={ours}: pass the same protocol to both"
                )

    @property
    def digest(self) -> str:
        """Hash of the material."""
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
    protocol: Protocol = PAPER,
) -> Material:
    """Build lattices from the annotations of a corpus.

    Sentences that an annotator did not correct, and those without a reference, are skipped.

    Parameters
    ----------
    corpus
        A gold standard.
    annotators
        Annotators whose edits span the lattices; None for all.
    references
        References to score against. If None, the corrected sentences of all other annotators; if
        there are none, each annotator is scored against the rest.
    missing
        Whether an annotator without an annotation is absent, found no error (``"noop"``) or agrees
        with the previous annotator (``"same"``). If None, the content of the corpus decides;
        an annotator is absent if the protocol needs only some.
    findings
        Receives notes on excluded and merged data.
    protocol
        Selects sentences and edits; that of a study must agree.
    """
    if missing is None and protocol.sentences == "some":
        missing = "absent"
    corpus = corpus.first_alignments()
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
            f"{corpus.name or 'the gold standard'} has a single annotator, and there is nothing to "
            "score against: name references"
        )
    _check_lengths(corpus, references)
    counts: Counter[str] = Counter(sentences=len(corpus))
    sentences = tuple(_spanned(corpus, spanning, references, leave_one_out, counts, protocol))
    if not sentences:
        who = "each" if protocol.sentences == "all" else "one"
        raise GecevalError(
            f"{corpus.name or 'the gold standard'} has no sentence that {who} of the annotators "
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
        protocol,
    )
    if findings is not None:
        _note(material, findings)
    return material


def _spanning(corpus: Corpus, annotators: Sequence[str] | None) -> tuple[str, ...]:
    known = corpus.annotators
    if not known:
        raise GecevalError(f"{corpus.name or 'the gold standard'} has no annotations")
    if annotators is None:
        return known
    for name in annotators:
        if name not in known:
            raise UnknownNameError("annotator", name, known)
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
    protocol: Protocol,
) -> Iterator[SpannedSentence]:
    for number, sent in enumerate(corpus):
        annotations = [ann for name in annotators if (ann := sent.annotation(name)) is not None]
        n_needed = len(annotators) if protocol.sentences == "all" else 1
        if len(annotations) < n_needed or not all(ann.edits for ann in annotations):
            counts["left-alone"] += 1
            continue
        lost: Counter[str] = Counter()
        lattices = tuple(
            AnnotationLattice(
                sent.tokens,
                spanning_edits(sent.tokens, ann.edits, lost, every=protocol.edits == "all"),
                ann.annotator,
                protocol.insertions,
            )
            for ann in annotations
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
    "left-alone": "sentences that an annotator did not correct, skipped",
    "only-flagged": "sentences in which an annotator only detected errors, skipped",
    "without-reference": "sentences without a reference, skipped",
    "intersecting": "intersecting edits of the same annotator, merged",
    "flags": "detections, ignored",
    "past-the-end": "edits past the end of the sentence, ignored",
    "no-change": "edits that change nothing, ignored",
    "alternatives": "edits with alternative corrections, of which the first is used",
}
"""Messages for `Material.counts`."""


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
            f"reference {name} nearly equals the corrections of annotator {annotator}, which are "
            "therefore scored against themselves",
            path=material.name,
        )


def _copies(material: Material) -> Iterator[tuple[str, str]]:
    """Yield references that are copies of an annotator's full corrections."""
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
            f"in {found.open:,} sentences, an absent annotator is assumed to agree with the "
            "previous one; --missing-annotator absent skips them",
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
        The gold standard.
    annotators
        Annotators of an M2 file; None for all.
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
    for number, (one, two) in enumerate(zip(corpus, other, strict=True), 1):
        if one.tokens != two.tokens:
            raise GecevalError(
                f"{other.name}: sentence {number} differs from that of {corpus.name}"
            )
