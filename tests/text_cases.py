"""Sentences with outputs and references, for tests of metrics that compare texts."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from geceval import Corpus, Hypothesis, Sentence
from geceval.formats import Findings, load, load_hypothesis
from geceval.model import annotation_from_target

Words = tuple[str, ...]
Case = tuple[Words, Words, list[Words]]
"""Source, output and references of a sentence."""

SYSTEMS = ("AMU", "CAMB", "CUUI", "IITB", "NTHU", "PKU", "RAC", "UFC", "INPUT")
"""Systems of CoNLL-2014 with known scores."""

TOKENS = st.lists(st.sampled_from(("a", "b", "c", "A", "bc", "ä", "👩‍👧")), max_size=9).map(tuple)


def cases(
    *, tokens: st.SearchStrategy[Words] = TOKENS, min_refs: int = 0, max_refs: int = 3
) -> st.SearchStrategy[list[Case]]:
    """Up to five sentences, each with any number of references."""
    case = st.tuples(tokens, tokens, st.lists(tokens, min_size=min_refs, max_size=max_refs))
    return st.lists(case, max_size=5)


@st.composite
def full_cases(draw: st.DrawFn, *, tokens: st.SearchStrategy[Words] = TOKENS) -> list[Case]:
    """Sentences with equally many references, as other tools want them."""
    n_refs = draw(st.integers(1, 4))
    found = draw(cases(tokens=tokens, min_refs=n_refs, max_refs=n_refs))
    return found or [((), ("a",), [("a",)] * n_refs)]


def words(text: str) -> Words:
    return tuple(text.split())


def corpus_of(some: list[Case]) -> tuple[Corpus, Hypothesis]:
    sentences = (
        Sentence(
            source,
            tuple(annotation_from_target(str(i), source, ref) for i, ref in enumerate(refs)),
        )
        for source, _, refs in some
    )
    return Corpus(tuple(sentences)), Hypothesis("h", tuple(hyp for _, hyp, _ in some))


def toy(spelling: str) -> list[Case]:
    """Return the sentences on which gec-metrics is tested.

    Parameters
    ----------
    spelling
        How the first reference spells "grammatical", which differs between its tests.
    """
    texts = (
        (
            "This sentences contain gramamtical error .",
            "This sentence contains a grammatical error .",
            f"This sentence contains a {spelling} error .",
            "These sentences contain grammatical errors .",
        ),
        (
            "This is a sentence .",
            "the sentence was corrected into completely different one .",
            "dummy sentence .",
            "another dummy sentence .",
        ),
        ("This is no change .",) * 4,
        (
            "I bought a pen to write a letter to a friend .",
            "I bought a pen to write a letter to a friend .",
            "I bought a pen to write a letter to the friend .",
            "I bought a pen to write the letter to the friend .",
        ),
    )
    return [(words(src), words(hyp), list(map(words, refs))) for src, hyp, *refs in texts]


def for_sacrebleu(some: list[Case]) -> tuple[list[str], list[list[str]]]:
    """Return outputs, and references by annotator; all sentences have equally many."""
    references = [[" ".join(ref) for ref in refs] for *_, refs in some]
    return [" ".join(hyp) for _, hyp, _ in some], list(map(list, zip(*references, strict=True)))


# CoNLL-2014.


@cache
def conll_corpus(shared_data: Path) -> Corpus:
    """Return the official references, as text."""
    folder = shared_data / "conll14"
    references = (folder / "gold" / f"official-2014.ref{i}.txt" for i in (0, 1))
    return load(
        folder / "systems" / "INPUT.txt", *references, format="parallel", findings=Findings()
    )


@cache
def conll_corpus_with_absent_unchanged(shared_data: Path) -> Corpus:
    """Return references of the M2 file as other tools make them.

    Every edit is applied, even one that only marks an error (``Um``); an absent annotator leaves
    the source as it is.
    """
    text = (shared_data / "conll14/gold/official-2014.combined.m2").read_text(encoding="utf-8")
    sentences = []
    for block in text.strip().split("\n\n"):
        first, *lines = block.split("\n")
        source = words(first[2:])
        references = {"0": list(source), "1": list(source)}
        moved = dict.fromkeys(references, 0)
        for line in lines:
            span, _, correction, *_, annotator = line[2:].split("|||")
            start, end = map(int, span.split())
            if start >= 0:
                new, by = words(correction), moved[annotator]
                references[annotator][start + by : end + by] = new
                moved[annotator] += len(new) - (end - start)
        readings = (
            annotation_from_target(name, source, tuple(ref)) for name, ref in references.items()
        )
        sentences.append(Sentence(source, tuple(readings)))
    return Corpus(tuple(sentences))


@cache
def conll_output(shared_data: Path, name: str) -> Hypothesis:
    return load_hypothesis(shared_data / "conll14" / "systems" / f"{name}.txt", findings=Findings())


def conll_rows(shared_data: Path, name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a file of scores."""
    path = shared_data / "conll14" / "scores" / name
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        yield from csv.DictReader(file, delimiter="\t")
