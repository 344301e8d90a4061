"""Raw text: split and analyzed as spaCy does, with the spaces that it really has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geceval.extraction.annotator import Annotator
from geceval.extraction.corpus import annotate_rows
from geceval.extraction.lang.analysis import Analysis, SpacedTokens, Text
from geceval.extraction.lang.disk_cache import StoredAnalyzer
from geceval.extraction.lang.en import analyzer as english
from geceval.extraction.lang.en_fast import fast as fast_module
from geceval.extraction.lang.en_fast import self_check as selfcheck
from geceval.extraction.lang.en_fast.fast import FastAnalyzer
from geceval.extraction.lang.memory_cache import CachedAnalyzer
from geceval.extraction.lang.spacy_analyzer import SpacyAnalyzer
from geceval.grammar.detokenize import detokenize

TEXTS = [
    "",
    "   ",
    "He/she do not knows.",
    "They do not know.",
    '"I\'m agree",he said ;but I dont/wont.',
    "I cannot  go\tthere , she's gonna\n\n\nwait (a bit)...",
    "C'mon y'all, Ill see ya at 5pm/17:00h -- ok?",
    " leading and trailing ",
    "a\u00a0b\u3000c \u2003 d",
    "Mr.Smith's dog's toys (all of'em) were £5.50/each!",
]

WORDS = "I he she dont wont cannot gonna can't it's John's the dogs go knows Mr. 5pm a-b 😀 猫"
pieces = st.sampled_from([*WORDS.split(), "http://a.b/c?d", "e\u0301"])
MARKS = ["/", ",", ".", "-", "'", '"', "(", "...", "&", "'s"]
between = st.sampled_from(
    [" ", "", "  ", "\t", "\u00a0", " \n ", *MARKS, *(f"{mark} " for mark in MARKS), " ,", " - "]
)
raw_texts = st.lists(st.tuples(pieces, between), max_size=14).map(
    lambda parts: "".join(word + space for word, space in parts)
)


class Reference:
    """spaCy's own pipeline, given the text itself and read token by token."""

    def __init__(self, nlp: Any) -> None:
        self.nlp = nlp

    def __call__(self, text: str) -> Analysis:
        doc = self.nlp(text.strip())
        seen = [token for token in doc if not token.is_space]
        numbers = {token.i: number for number, token in enumerate(seen)}
        return Analysis(
            tuple(token.text for token in seen),
            tuple(token.tag_ for token in seen),
            tuple(token.pos_ for token in seen),
            tuple(token.lemma_ for token in seen),
            tuple(numbers[self._head(token).i] for token in seen),
            tuple(token.dep_ for token in seen),
            tuple(
                bool(token.whitespace_) or (token.i + 1 < len(doc) and doc[token.i + 1].is_space)
                for token in seen
            ),
        )

    def _head(self, token: Any) -> Any:
        head = token.head
        while head.is_space and head.head.i != head.i:
            head = head.head
        return token if head.is_space else head


@pytest.fixture(scope="module")
def slow() -> Reference:
    spacy = pytest.importorskip("spacy")
    return Reference(spacy.load(english.installed_model(), exclude=["ner"]))


@pytest.fixture(scope="module")
def fast() -> FastAnalyzer:
    pytest.importorskip("spacy")
    analyzer = english.load_analyzer()
    assert isinstance(analyzer, FastAnalyzer)
    return analyzer


@pytest.fixture(scope="module")
def pipeline(fast: FastAnalyzer) -> SpacyAnalyzer:
    return fast._spacy


def test_raw_fast_equals_spacy(fast: FastAnalyzer, slow: Reference) -> None:
    assert fast.analyze([fast.tokenize(text) for text in TEXTS]) == [slow(text) for text in TEXTS]


def test_raw_pipeline_equals_spacy(pipeline: SpacyAnalyzer, slow: Reference) -> None:
    found = pipeline.analyze([pipeline.tokenize(text) for text in TEXTS])
    assert found == [slow(text) for text in TEXTS]


@settings(max_examples=80)
@given(st.lists(raw_texts, max_size=4))
def test_raw_fast_equals_spacy_on_any_text(
    fast: FastAnalyzer, slow: Reference, texts: list[str]
) -> None:
    assert fast.analyze([fast.tokenize(text) for text in texts]) == [slow(text) for text in texts]


def test_raw_close_decisions_are_left_to_spacy(
    pipeline: SpacyAnalyzer, slow: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which has to see the same spaces."""
    monkeypatch.setattr(fast_module, "MARGIN", 1e9)
    analyzer = FastAnalyzer(pipeline)
    found = analyzer.analyze([analyzer.tokenize(text) for text in TEXTS])
    assert found == [slow(text) for text in TEXTS]
    assert analyzer.n_close > 0


def test_raw_spaces_make_a_difference(fast: FastAnalyzer) -> None:
    """Tokens alone do not decide, so no cache may take one text for the other."""
    raw = fast.tokenize("He/she do not knows.")
    (of_raw,) = fast.analyze([raw])
    (of_tokens,) = fast.analyze([raw.tokens])
    assert of_raw.tokens == of_tokens.tokens
    assert of_raw.tags != of_tokens.tags


def test_raw_norms_make_a_difference(fast: FastAnalyzer) -> None:
    text = fast.tokenize("He wont.")
    assert text.words == ("He", "wo", "nt", ".")
    assert text.norms == (None, "will", "not", None)


def test_raw_and_tokens_are_cached_apart(fast: FastAnalyzer, tmp_path: Path) -> None:
    raw = fast.tokenize("He/she  do not knows.")
    other = fast.tokenize("He /she do not knows .")
    sentences: list[Text] = [
        raw.tokens,
        raw,
        other,
        SpacedTokens(raw.words, raw.spaces, ("x",) * len(raw)),
    ]
    expected = [fast.analyze([sentence])[0] for sentence in sentences]
    assert len({analysis.tags for analysis in expected}) > 1
    for _ in range(2):
        stored = StoredAnalyzer(fast, tmp_path)
        cached = CachedAnalyzer(stored)
        for number in (0, 1, 2, 3, 1, 0):
            assert cached.analyze([sentences[number]]) == [expected[number]]


@pytest.mark.parametrize("is_stored", [False, True])
def test_raw_begun_by_a_second_thread(
    fast: FastAnalyzer, slow: Reference, tmp_path: Path, is_stored: bool
) -> None:
    stored = StoredAnalyzer(fast, tmp_path)
    cached = CachedAnalyzer(stored if is_stored else fast)
    texts = [fast.tokenize(text) for text in TEXTS]
    for _ in range(2):
        cached.prefetch(texts)
        assert cached.analyze(texts) == [slow(text) for text in TEXTS]


def test_raw_text_is_part_of_the_self_check(fast: FastAnalyzer, pipeline: SpacyAnalyzer) -> None:
    texts = selfcheck.raw_sentences()
    assert len(texts) == 50
    assert not all(all(text.spaces[:-1]) for text in texts)
    assert any(norm for text in texts for norm in text.norms)
    assert selfcheck.find_difference(fast, pipeline, texts) == ""


def test_raw_text_of_an_edit() -> None:
    plain = Analysis.plain(("He", "/", "she"))
    assert [plain.text(0, 3), plain.text(1, 1)] == ["He / she", ""]
    text = SpacedTokens(("He", "/", " ", "she"), (False, False, False, True), (None,) * 4)
    raw = Analysis.plain(text.words).of(text)
    assert (raw.tokens, raw.spaces) == (("He", "/", "she"), (False, True, True))
    assert [raw.text(0, 3), raw.text(0, 2), raw.text(2, 2)] == ["He/ she", "He/", ""]


def test_raw_heads_are_never_white_space() -> None:
    text = SpacedTokens(("a", " ", "b", " "), (True,) * 4, (None,) * 4)
    unknown = ("",) * 4
    words = Analysis(text.words, unknown, unknown, unknown, (1, 2, 2, 3), unknown)
    assert words.of(text).heads == (1, 1)
    words = Analysis(text.words, unknown, unknown, unknown, (3, 2, 0, 3), unknown)
    assert words.of(text).heads == (0, 0)


@pytest.fixture(scope="module")
def errant(slow: Reference) -> Any:
    return pytest.importorskip("errant").load("en", slow.nlp)


def of_errant(errant: Any, source: str, target: str) -> list[tuple[int, int, str, str]]:
    edits = errant.annotate(
        errant.parse(source, tokenise=True), errant.parse(target, tokenise=True)
    )
    return [
        (edit.o_start, edit.o_end, " ".join(token.text for token in edit.c_toks), edit.type)
        for edit in edits
    ]


def edits_of(annotator: Annotator, source: str, target: str) -> list[tuple[int, int, str, str]]:
    (sent,) = annotate_rows([(source, target)], annotator, tokenize=True)
    return [
        (edit.start, edit.end, " ".join(edit.correction), edit.type)
        for edit in sent.annotations[0].edits
    ]


@pytest.fixture(scope="module")
def annotator(fast: FastAnalyzer) -> Annotator:
    return Annotator("en", analyzer=fast)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("He/she do not knows.", "They do not know."),
        # The same letters and the same spaces, but other tokens.
        ("Ask him /her.", "Ask him/her."),
        ("I dont no.", "I don't know."),
    ],
)
def test_raw_edits_equal_errant(
    annotator: Annotator, errant: Any, source: str, target: str
) -> None:
    expected = of_errant(errant, source, target)
    assert expected
    assert edits_of(annotator, source, target) == expected


def test_raw_edits_equal_errant_on_shared_data(
    shared_data: Path, annotator: Annotator, errant: Any
) -> None:
    lines = [
        (shared_data / "jfleg" / name).read_text(encoding="utf-8").splitlines()[:120]
        for name in ("dev.src", "dev.ref0")
    ]
    pairs = [tuple(detokenize(line.split()) for line in pair) for pair in zip(*lines, strict=True)]
    for source, target in pairs:
        if source != target:
            assert edits_of(annotator, source, target) == of_errant(errant, source, target)
