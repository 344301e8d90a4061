"""Agreement with published annotations, on analyses in files, so that no model is needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from geceval.evaluation.resampling import Resampling
from geceval.evaluation.typing_agreement import TypingAgreement, measure_typing
from geceval.extraction.annotator import Annotator
from geceval.extraction.corpus import annotate_rows, retype, standardize
from geceval.extraction.lang import PackOptions
from geceval.extraction.typers.type_names import TypeMap
from geceval.formats import load
from geceval.model import Corpus

SHORT = Resampling(0)


def agreement(gold: Corpus, annotator: Annotator, rename: Callable[[str], str]) -> TypingAgreement:
    automatic = Corpus(tuple(standardize(gold.sentences, annotator)))
    return measure_typing(gold, automatic, rename=rename, resampling=SHORT)


def retyped(gold: Corpus, annotator: Annotator, rename: Callable[[str], str]) -> float:
    automatic = Corpus(tuple(retype(gold.sentences, annotator, minimize=False)))
    found = measure_typing(gold, automatic, rename=rename, keep_spans=True, resampling=SHORT)
    return found.types.value


@pytest.fixture(scope="module")
def languages(shared_data: Path) -> Path:
    folder = shared_data / "lang"
    if not folder.is_dir():
        pytest.skip("the shared data has no languages")
    return folder


def analyses(folder: Path, *names: str) -> tuple[str, ...]:
    return tuple(str(folder / name) for name in names)


@pytest.fixture(scope="module")
def german(languages: Path) -> Corpus:
    return load(languages / "de" / "fm-dev.m2")


@pytest.mark.parametrize(("merge", "spans"), [("rules", 0.935), ("rules-2017", 0.98)])
def test_published_german(languages: Path, german: Corpus, merge: str, spans: float) -> None:
    files = analyses(languages / "de", "fm-dev.source.conllu.gz", "fm-dev.corrected.conllu.gz")
    annotator = Annotator("de", merge=merge, options=PackOptions(analyses=files))
    found = agreement(german, annotator, TypeMap.load("errant-de").rename)
    assert found.f1.value >= spans
    assert found.types.value >= 0.92


def test_published_german_with_the_words_of_simplemma(languages: Path, german: Corpus) -> None:
    pytest.importorskip("simplemma")
    files = analyses(languages / "de", "fm-dev.source.conllu.gz", "fm-dev.corrected.conllu.gz")
    options = PackOptions(analyses=files, dictionary="simplemma")
    annotator = Annotator("de", merge="rules-2017", options=options)
    found = agreement(german, annotator, TypeMap.load("errant-de").rename)
    assert found.types.value >= 0.91


def six_classes(name: str) -> str:
    """Cut a type down to what can be known without a tagger."""
    operation, _, category = name.partition(":")
    if category in ("PUNCT", "ORTH", "WO", "SPELL"):
        return name
    is_form = category == "MORPH" or category.endswith("FORM")
    return f"{operation}:{'FORM' if is_form else 'other word'}"


def test_published_german_without_a_tagger(german: Corpus) -> None:
    pytest.importorskip("simplemma")
    assert retyped(german, Annotator("de", model="light"), six_classes) >= 0.95


def test_published_german_by_letters(german: Corpus) -> None:
    assert retyped(german, Annotator("plain"), TypeMap.load("errant-de").rename) >= 0.45


def four_classes(name: str) -> str:
    name = TypeMap.load("ua-gec").rename(name)
    if name.startswith("G/"):
        return "G"
    return name if name in ("Spelling", "Punctuation") else "Other"


def test_published_ukrainian(languages: Path) -> None:
    files = analyses(
        languages / "uk", "ua-gec-valid.source.conllu.gz", "ua-gec-valid.corrected0.conllu.gz"
    )
    gold = load(languages / "uk" / "ua-gec-valid.annotator0.m2")
    annotator = Annotator("uk", options=PackOptions(analyses=files))
    found = agreement(gold, annotator, TypeMap.load("ua-gec").rename)
    assert found.f1.value >= 0.95
    assert found.types.value >= 0.80
    assert agreement(gold, annotator, four_classes).types.value >= 0.88


@pytest.mark.parametrize("detail", [False, True])
def test_published_estonian(languages: Path, detail: bool) -> None:
    files = analyses(
        languages / "et", "estgec-dev.source.conllu.gz", "estgec-dev.corrected0.conllu.gz"
    )
    gold = load(languages / "et" / "estgec-dev.annotator0.m2")
    annotator = Annotator("et", options=PackOptions(analyses=files, detail=detail))
    found = agreement(gold, annotator, TypeMap.load("estgec").rename)
    assert found.f1.value >= 0.75
    assert found.types.value >= 0.85


def test_published_czech_demo_exactly(languages: Path) -> None:
    folder = languages / "cs"
    files = analyses(folder, *(f"demo.{name}.conllu" for name in ("orig", "cor1", "cor2")))
    texts = [
        [line for line in (folder / f"demo.{name}.txt").read_text("utf-8").split("\n") if line]
        for name in ("orig", "cor1", "cor2")
    ]
    rows = list(zip(*texts, strict=True))
    found = annotate_rows(rows, Annotator("cs", options=PackOptions(analyses=files)))
    expected = load(folder / "demo.expected.m2").sentences
    assert [[ann.edits for ann in sent.annotations] for sent in found] == [
        [ann.edits for ann in sent.annotations] for sent in expected
    ]
