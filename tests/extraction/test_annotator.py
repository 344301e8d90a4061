from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.errors import UnknownNameError
from geceval.extraction import annotator as annotating
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang.analysis import Analyzer
from geceval.extraction.lang.en.analyzer import installed_model, load_analyzer
from geceval.model import Edit, Tokens, apply_edits
from guard import finishes
from toy_analyzers import Counting

PAIRS = [
    ("I has an apple .", "I have an apple ."),
    ("He go to school every days", "He goes to school every day ."),
    ("she like cats dogs and", "She likes cats and dogs ."),
    ("This are the informations which I need it .", "This is the information I need ."),
    ("I look forward to see you , it is fun .", "I look forward to seeing you . It is fun ."),
    ("My freinds house is big", "My friend 's house is big ."),
    ("We goed in the sub way yesterday", "We went into the subway yesterday ."),
    ("On the other hand it can only works", "In addition , it only can work"),
    ("He is more tall than me .", "He is taller than I am ."),
    ("The childs is eated", "The children have been eating"),
    ("i think thats alot !", "I think that 's a lot !"),
    ("Yesterday I am go home", "Yesterday I went home"),
    ("It depends of you", "It depends on you"),
    ("He do n't knows nothing about it", "He does n't know anything about it"),
    ("", "Now there is something ."),
    ("All of it has to go", ""),
    ("👍👍 ok", "👍 okay !"),
    ("x x x x", "x x"),
    ("http://a.b/c?d=e <tag> &amp; ***", "http://a.b/c?d=f <tag> & ***"),
    ("Same as before .", "Same as before ."),
    ("word " * 50, "word " * 25 + "other " + "word " * 24),
    ("a quick test " * 9, "the quickest tests " * 9),
    ("cannot", "can not"),
    ("the The tHe", "The the THE"),
]


def split(pairs: Sequence[tuple[str, str]]) -> list[tuple[Tokens, Tokens]]:
    return [(tuple(source.split()), tuple(target.split())) for source, target in pairs]


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    pytest.importorskip("errant")
    return load_analyzer()


@pytest.fixture(scope="module")
def errant() -> Any:
    """The original, with the same model."""
    package = pytest.importorskip("errant")
    import spacy

    return package.load("en", spacy.load(installed_model(), disable=["ner"]))


def errant_edits(
    errant: Any, source: Tokens, target: Tokens, *, merging: str = "rules", lev: bool = False
) -> tuple[Edit, ...]:
    original, corrected = (errant.parse(" ".join(tokens)) for tokens in (source, target))
    return tuple(
        Edit(edit.o_start, edit.o_end, (target[edit.c_start : edit.c_end],), edit.type)
        for edit in errant.annotate(original, corrected, lev=lev, merging=merging)
    )


def test_annotate_equals_errant(analyzer: Analyzer, errant: Any) -> None:
    annotator = Annotator("en", analyzer=analyzer)
    pairs = split(PAIRS)
    assert list(annotator.annotate_pairs(pairs)) == [errant_edits(errant, *pair) for pair in pairs]


@pytest.mark.parametrize("merge", ["rules", "all-split", "all-merge", "all-equal"])
@pytest.mark.parametrize("align", ["linguistic", "levenshtein"])
def test_annotate_options_equal_errant(
    analyzer: Analyzer, errant: Any, align: Any, merge: str
) -> None:
    annotator = Annotator("en", analyzer=analyzer, align=align, merge=merge)
    pairs = split(PAIRS[:14])
    assert list(annotator.annotate_pairs(pairs)) == [
        errant_edits(errant, *pair, merging=merge, lev=align == "levenshtein") for pair in pairs
    ]


def lines(path: Path) -> list[Tokens]:
    return [tuple(line.split()) for line in path.read_text(encoding="utf-8").split("\n")]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("conll14/systems/INPUT.txt", "conll14/systems/CAMB.txt"),
        ("jfleg/dev.src", "jfleg/dev.ref1"),
        ("seeda/outputs/INPUT.txt", "seeda/outputs/GPT-3.5.txt"),
    ],
)
def test_annotate_equals_errant_on_published_data(
    shared_data: Path, analyzer: Analyzer, errant: Any, source: str, target: str
) -> None:
    """A sample; `make reproduce` compares all pairs."""
    pairs = list(zip(lines(shared_data / source), lines(shared_data / target), strict=True))
    sample = [pair for pair in pairs if pair[0] != pair[1]][3::7][:50]
    annotator = Annotator("en", analyzer=analyzer)
    assert list(annotator.annotate_pairs(sample)) == [
        errant_edits(errant, *pair) for pair in sample
    ]


def test_annotate_figure_1(analyzer: Analyzer) -> None:
    """The paper's example, with the model of today and ERRANT's types."""
    annotator = Annotator("en", analyzer=analyzer)
    source = "This wide spread propaganda benefits only to the companys ."
    target = "This widespread publicity only benefits their companies ."
    assert annotator.annotate(source.split(), target.split()) == (
        Edit(1, 3, (("widespread",),), "R:ORTH"),
        Edit(3, 4, (("publicity",),), "R:NOUN"),
        Edit(4, 6, (("only", "benefits"),), "R:WO"),
        Edit(6, 7, ((),), "U:PREP"),
        Edit(7, 8, (("their",),), "R:DET"),
        Edit(8, 9, (("companies",),), "R:NOUN:INFL"),
    )


def test_annotate_signature(analyzer: Analyzer) -> None:
    rest = f"spacy:{version('spacy')}|align:linguistic|merge:rules|types:errant-3.0.2"
    assert Annotator("en", analyzer=analyzer).signature == (
        f"lang:en|model:{analyzer.signature}|analyzer:fast|{rest}"
    )
    assert Annotator("en", analyzer="spacy").signature == (
        f"lang:en|model:{analyzer.signature}|analyzer:spacy|{rest}"
    )
    assert Annotator("plain", align="levenshtein", merge="all-merge").signature == (
        "lang:plain|model:none|align:levenshtein|merge:all-merge|types:plain-2"
    )


def test_annotate_long_sentences(analyzer: Analyzer) -> None:
    """300 tokens, each of which changes: errant needs minutes for that."""
    source = ("a", "quick", "test") * 100
    target = ("the", "quickest", "tests") * 100
    with finishes():
        edits = Annotator("en", analyzer=analyzer).annotate(source, target)
        assert apply_edits(source, edits) == target


words = st.lists(st.sampled_from(["a", "A", "b", "bb", "abc", "acb", ",", "🙂"]), max_size=8)


@given(st.lists(st.tuples(words, words), max_size=8))
def test_annotate_edits_make_the_target(pairs: list[tuple[list[str], list[str]]]) -> None:
    for (source, target), edits in zip(
        pairs, Annotator("plain").annotate_pairs(pairs), strict=True
    ):
        assert apply_edits(tuple(source), edits) == tuple(target)


@given(st.lists(st.tuples(words, words), max_size=12), st.integers(1, 5))
def test_annotate_chunks_do_not_matter(
    pairs: list[tuple[list[str], list[str]]], chunk: int
) -> None:
    annotator = Annotator("plain")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(annotating, "CHUNK", chunk)
        cut = list(annotator.annotate_pairs(pairs))
    assert cut == [annotator.annotate(*pair) for pair in pairs]


def test_annotate_analyses_nothing_twice_and_nothing_unchanged() -> None:
    counting = Counting()
    annotator = Annotator("plain", analyzer=counting)
    pairs = split([("a", "b"), ("a", "c"), ("x", "x"), ("b", "a"), ("a", "b")])
    assert [len(edits) for edits in annotator.annotate_pairs(pairs)] == [1, 1, 0, 1, 1]
    assert counting.asked == [("a",), ("b",), ("c",)]


def test_annotate_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless stream is read a chunk at a time."""
    monkeypatch.setattr(annotating, "CHUNK", 10)
    read = 0

    def endless() -> Iterator[tuple[Tokens, Tokens]]:
        nonlocal read
        while True:
            read += 1
            yield (f"w{read}",), (f"v{read}",)

    stream = Annotator("plain", cache=15).annotate_pairs(endless())
    found = [next(stream) for _ in range(25)]
    assert [edits[0].correction for edits in found] == [(f"v{n}",) for n in range(1, 26)]
    assert read == 30


def test_annotate_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="unknown language"):
        Annotator("klingon")
    with pytest.raises(UnknownNameError, match="unknown merging strategy"):
        Annotator("plain", merge="none")
    with pytest.raises(UnknownNameError, match="unknown typer"):
        Annotator("plain", typer="none")
    with pytest.raises(UnknownNameError, match="unknown alignment"):
        Annotator("plain", align="none")  # type: ignore[arg-type]
