"""The fast analyzer against spaCy, one sentence at a time, on every published sentence."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.lang.en.analyzer import installed_model, load_analyzer
from geceval.extraction.lang.en_fast.fast import FastAnalyzer
from geceval.model import Tokens
from random_tokens import random_sentences

pytestmark = pytest.mark.reproduce

RANDOM = 5_000


@pytest.fixture(scope="module")
def fast() -> FastAnalyzer:
    pytest.importorskip("spacy")
    analyzer = load_analyzer()
    assert isinstance(analyzer, FastAnalyzer)
    return analyzer


@pytest.fixture(scope="module")
def nlp() -> Any:
    spacy = pytest.importorskip("spacy")
    return spacy.load(installed_model(), disable=["ner"])


def by_spacy(nlp: Any, sentences: list[Tokens]) -> Iterator[Analysis]:
    from spacy.tokens import Doc

    for sentence in sentences:
        doc = nlp(Doc(nlp.vocab, list(sentence)))
        yield Analysis(
            sentence,
            tuple(token.tag_ for token in doc),
            tuple(token.pos_ for token in doc),
            tuple(token.lemma_ for token in doc),
            tuple(token.head.i for token in doc),
            tuple(token.dep_ for token in doc),
        )


@pytest.mark.parametrize("name", ["conll14/systems/*.txt", "jfleg/dev.*", "seeda/outputs/*.txt"])
def test_analyzer_equals_spacy_on_shared_data(
    shared_data: Path, fast: FastAnalyzer, nlp: Any, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(shared_data.glob(name))]
    sentences = list(
        dict.fromkeys(tuple(line.split()) for text in texts for line in text.split("\n"))
    )
    close = fast.n_close
    found = fast.analyze(sentences)
    n_words = sum(map(len, sentences))
    with capsys.disabled():
        print(  # noqa: T201
            f"\n{len(sentences):,} sentences, {n_words:,} words, "
            f"{fast.n_close - close} sentences left to spaCy"
        )
    differing = [
        ours for ours, theirs in zip(found, by_spacy(nlp, sentences), strict=True) if ours != theirs
    ]
    assert len(texts) > 1
    assert differing == []


def test_analyzer_equals_spacy_on_random_tokens(fast: FastAnalyzer, nlp: Any) -> None:
    sentences = random_sentences(RANDOM, seed=2016)
    expected = list(by_spacy(nlp, sentences))
    for size in (1, 7, 64, 1000):
        batches = [sentences[start : start + size] for start in range(0, RANDOM, size)]
        for threads in (1, 4):
            with ThreadPoolExecutor(threads) as executor:
                found = [one for batch in executor.map(fast.analyze, batches) for one in batch]
            assert found == expected
