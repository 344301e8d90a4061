"""The fast analyzer against spaCy itself, one sentence at a time."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geceval.errors import GecevalError, GecevalWarning, UnknownNameError
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.lang.en import analyzer as english
from geceval.extraction.lang.en_fast import fast as fast_module
from geceval.extraction.lang.en_fast import lexicon as memory
from geceval.extraction.lang.en_fast import self_check as selfcheck
from geceval.extraction.lang.en_fast.fast import FastAnalyzer
from geceval.extraction.lang.en_fast.rules import Rules
from geceval.extraction.lang.en_fast.trees import reattach
from geceval.extraction.lang.en_fast.weights import OtherArchitectureError, digest, read_weights
from geceval.extraction.lang.loading import load_pipeline
from geceval.extraction.lang.spacy_analyzer import SpacyAnalyzer
from geceval.model import Tokens
from random_tokens import COMMON, ODD, SPACES, SPECIAL, random_sentences

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
        "What did you say that they wanted us to give to whom ?",
    )
]

tokens = st.sampled_from([*COMMON, *SPECIAL, *ODD, *SPACES]) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12
)


class Reference:
    """spaCy's own pipeline, read token by token."""

    def __init__(self, nlp: Any) -> None:
        self.nlp = nlp

    def __call__(self, sentences: Iterable[Tokens]) -> list[Analysis]:
        from spacy.tokens import Doc

        docs = [self.nlp(Doc(self.nlp.vocab, list(sentence))) for sentence in sentences]
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


@pytest.fixture(scope="module")
def fast() -> FastAnalyzer:
    """The analyzer as it is used."""
    pytest.importorskip("spacy")
    analyzer = english.load_analyzer()
    assert isinstance(analyzer, FastAnalyzer)
    return analyzer


@pytest.fixture(scope="module")
def slow() -> Reference:
    spacy = pytest.importorskip("spacy")
    return Reference(spacy.load(english.installed_model(), exclude=["ner"]))


@pytest.fixture
def pipeline() -> SpacyAnalyzer:
    """A pipeline to spoil."""
    pytest.importorskip("spacy")
    return SpacyAnalyzer(lambda: load_pipeline(english.installed_model()))


def test_fast_equals_spacy(fast: FastAnalyzer, slow: Reference) -> None:
    assert fast.analyze(SENTENCES) == slow(SENTENCES)


@settings(max_examples=60)
@given(st.lists(st.lists(tokens, max_size=15).map(tuple), max_size=6))
def test_fast_equals_spacy_on_any_tokens(
    fast: FastAnalyzer, slow: Reference, sentences: list[Tokens]
) -> None:
    assert fast.analyze(sentences) == slow(sentences)


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
@pytest.mark.parametrize("threads", [1, 4])
def test_fast_batches_and_threads_do_not_matter(
    fast: FastAnalyzer, slow: Reference, size: int, threads: int
) -> None:
    sentences = random_sentences(150, seed=7)
    batches = [sentences[start : start + size] for start in range(0, len(sentences), size)]
    with ThreadPoolExecutor(threads) as executor:
        found = [one for batch in executor.map(fast.analyze, batches) for one in batch]
    assert found == slow(sentences)


@pytest.mark.parametrize("words", [1, 20, 10_000])
def test_fast_smaller_and_larger_batches(
    fast: FastAnalyzer, slow: Reference, monkeypatch: pytest.MonkeyPatch, words: int
) -> None:
    monkeypatch.setattr(fast_module, "BATCH_WORDS", words)
    assert fast.analyze(SENTENCES[::-1]) == slow(SENTENCES[::-1])


def test_fast_long_sentence(fast: FastAnalyzer, slow: Reference) -> None:
    sentence = tuple(word for sentence in SENTENCES * 4 for word in sentence)[:400]
    assert fast.analyze([sentence]) == slow([sentence])


def test_fast_nothing(fast: FastAnalyzer) -> None:
    assert fast.analyze([]) == []


def test_fast_refuses_empty_tokens(fast: FastAnalyzer) -> None:
    with pytest.raises(GecevalError, match="a token is empty"):
        fast.analyze([("a", "", "b")])


@pytest.mark.parametrize("name", ["conll14/systems/INPUT.txt", "jfleg/dev.src"])
def test_fast_equals_spacy_on_shared_data(
    shared_data: Path, fast: FastAnalyzer, slow: Reference, name: str
) -> None:
    lines = (shared_data / name).read_text(encoding="utf-8").splitlines()[:200]
    sentences = [tuple(line.split()) for line in lines]
    assert fast.analyze(sentences) == slow(sentences)


def test_fast_close_decisions_are_left_to_spacy(
    pipeline: SpacyAnalyzer, slow: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyzer = FastAnalyzer(pipeline)
    analyzer.analyze(SENTENCES)
    assert analyzer.n_close == 0
    monkeypatch.setattr(fast_module, "MARGIN", 1e9)
    assert analyzer.analyze(SENTENCES) == slow(SENTENCES)
    # Nothing is to be decided where there is nothing; a single token has one tag of many.
    assert analyzer.n_close == len([sentence for sentence in SENTENCES if sentence])


def test_fast_forgetting_changes_nothing(
    pipeline: SpacyAnalyzer, slow: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast_module, "BATCH_WORDS", 10)
    monkeypatch.setattr(memory, "MAX_WORDS", 5)
    analyzer = FastAnalyzer(pipeline)
    assert analyzer.analyze(SENTENCES) == slow(SENTENCES)
    assert len(analyzer._cache._words) < 40
    monkeypatch.setattr(memory, "MAX_WORDS", 10_000)
    monkeypatch.setattr(memory, "MAX_CASES", 5)
    assert analyzer.analyze(SENTENCES) == slow(SENTENCES)
    assert len(analyzer._cache._results) < 60


def test_fast_does_not_fill_the_vocabulary(fast: FastAnalyzer) -> None:
    before = len(fast._spacy.nlp.vocab)
    fast.analyze([(f"word{number}", "is", "new") for number in range(50)])
    assert len(fast._spacy.nlp.vocab) - before < 10


def test_fast_words_of_one_pattern_need_their_neighbors(fast: FastAnalyzer) -> None:
    """The lemma of 's is "us" after "let" only."""
    let, there = fast.analyze([("Let", "'s", "go"), ("He", "'s", "here")])
    assert let.lemmas[1] == "us"
    assert there.lemmas[1] == "be"


def test_fast_signature_and_tokens(fast: FastAnalyzer) -> None:
    assert fast.signature.startswith("en_core_web_sm")
    assert fast.signature.endswith("-3.8.0")
    assert fast.kind == "fast"
    text = fast.tokenize("I don't  know.\n")
    assert text.tokens == ("I", "do", "n't", "know", ".")
    assert text.words == ("I", "do", "n't", " ", "know", ".")
    assert text.spaces == (True, False, True, False, False, False)


# Crossing arcs.


@pytest.mark.parametrize(
    ("heads", "labels", "is_space", "expected_heads", "expected_labels"),
    [
        # The head is the child of the parser's head that has the label.
        ([1, 1, 1, 1], "nsubj ROOT dobj x||dobj", "....", [1, 1, 1, 2], "nsubj ROOT dobj x"),
        # Nobody has it.
        ([1, 1, 1, 1], "nsubj ROOT dobj x||pobj", "....", [1, 1, 1, 1], "nsubj ROOT dobj x"),
        # The nearer generation comes first, then the left.
        ([2, 0, 2, 2, 2], "a b ROOT b x||b", ".....", [2, 0, 2, 2, 3], "a b ROOT b x"),
        ([1, 1, 1, 1, 1], "b ROOT b b x||b", ".....", [1, 1, 1, 1, 0], "b ROOT b b x"),
        # White space is no head.
        ([1, 1, 1, 1, 1], "b ROOT b b x||b", "s....", [1, 1, 1, 1, 2], "b ROOT b b x"),
        # Who got a new head is not found beyond what that head spanned in the beginning.
        ([1, 1, 1, 1], "a ROOT c||a d||c", "....", [1, 1, 0, 1], "a ROOT c d"),
    ],
)
def test_trees_reattach(
    heads: list[int],
    labels: str,
    is_space: str,
    expected_heads: list[int],
    expected_labels: str,
) -> None:
    found = labels.split()
    reattach(heads, found, [character == "s" for character in is_space])
    assert (heads, found) == (expected_heads, expected_labels.split())


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int], list[str], list[str]]:
    """Heads without crossing arcs, labels, and words."""
    size = draw(st.integers(1, 12))
    heads = list(range(size))

    def attach(start: int, end: int, head: int) -> None:
        while start < end:
            stop = draw(st.integers(start + 1, end))
            root = draw(st.integers(start, stop - 1))
            heads[root] = root if head < 0 else head
            attach(start, root, root)
            attach(root + 1, stop, root)
            start = stop

    attach(0, size, -1)
    names = st.sampled_from(["a", "b", "c", "a||b", "b||a", "c||c", "a||c"])
    labels = ["ROOT" if head == token else draw(names) for token, head in enumerate(heads)]
    return heads, labels, draw(st.lists(st.sampled_from("xy "), min_size=size, max_size=size))


@given(trees())
def test_trees_reattach_as_spacy_does(
    slow: Reference, tree: tuple[list[int], list[str], list[str]]
) -> None:
    from spacy.pipeline._parser_internals import nonproj
    from spacy.tokens import Doc

    heads, labels, words = tree
    doc = Doc(slow.nlp.vocab, words=words, heads=heads, deps=labels)
    nonproj.deprojectivize(doc)
    reattach(heads, labels, [word.isspace() for word in words])
    assert heads == [token.head.i for token in doc]
    assert labels == [token.dep_ for token in doc]


# Which pipelines.


def test_fast_knows_the_small_model(pipeline: SpacyAnalyzer) -> None:
    weights = read_weights(pipeline.nlp)
    assert (len(weights.tags), len(weights.transitions)) == (50, 106)
    assert weights.parameters["layers"].shape == (4, 96, 864)


def test_fast_digest_follows_the_weights(pipeline: SpacyAnalyzer) -> None:
    before = digest(pipeline.nlp)
    assert digest(pipeline.nlp) == before
    tagger: Any = pipeline.nlp.get_pipe("tagger")
    softmax = tagger.model.layers[1].layers[0]
    softmax.set_param("b", softmax.get_param("b") + 1)
    assert digest(pipeline.nlp) != before


def test_fast_refuses_other_components(pipeline: SpacyAnalyzer) -> None:
    pipeline.nlp.add_pipe("sentencizer")
    with pytest.raises(OtherArchitectureError, match=r"its components are tok2vec, .*sentencizer"):
        FastAnalyzer(pipeline)


@pytest.mark.parametrize("name", ["tok2vec", "tagger", "parser"])
def test_fast_refuses_other_layers(pipeline: SpacyAnalyzer, name: str) -> None:
    pipe: Any = pipeline.nlp.get_pipe(name)
    layer = [node for node in pipe.model.walk() if node.name in ("maxout", "softmax", "linear")][-1]
    layer._params.set_param(layer.id, "W", layer.get_param("W").astype("float64"))
    with pytest.raises(OtherArchitectureError, match="is not of the shape"):
        FastAnalyzer(pipeline)


def test_fast_refuses_layers_with_other_names(pipeline: SpacyAnalyzer) -> None:
    for name in ("parser", "tagger", "tok2vec"):
        pipe: Any = pipeline.nlp.get_pipe(name)
        pipe.model.name += ">>more"
        for layer in pipe.model.layers:
            layer.name += ">>more"
        with pytest.raises(OtherArchitectureError, match=f"its {name} is of another kind"):
            FastAnalyzer(pipeline)


@pytest.mark.parametrize(
    "pattern",
    [
        [{"LOWER": "a"}, {"LOWER": "b"}, {"LOWER": "c"}],
        [{"LOWER": "a", "OP": "+"}],
        [{"LEMMA": "a"}],
        [{"LOWER": {"NOT_IN": ["a"]}}],
        [{"TAG": "NN"}, {"LOWER": "b"}],
        [{"LOWER": "a"}, {"TAG": "NN"}],
        [{"LOWER": "a"}, {"DEP": {"NOT_IN": ["nsubj"]}}],
    ],
)
def test_fast_refuses_patterns_that_read_more(
    pipeline: SpacyAnalyzer, pattern: list[dict[str, Any]]
) -> None:
    Rules(pipeline.nlp)
    ruler: Any = pipeline.nlp.get_pipe("attribute_ruler")
    ruler.add([pattern], {"POS": "X"})
    with pytest.raises(OtherArchitectureError, match="its attribute_ruler has the pattern"):
        Rules(pipeline.nlp)


def test_fast_follows_added_patterns(pipeline: SpacyAnalyzer) -> None:
    """Also patterns that change tags and labels, and that read neighbors."""
    ruler: Any = pipeline.nlp.get_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "cats"}]], {"TAG": "NN", "DEP": "odd", "LEMMA": "catz"})
    ruler.add([[{"LOWER": "big"}, {"LOWER": "dogs"}]], {"TAG": "XX", "POS": "X"}, index=1)
    sentences = [("Big", "dogs", "chase", "cats"), ("Small", "dogs", "do", "not")]
    expected = Reference(pipeline.nlp)(sentences)
    assert FastAnalyzer(pipeline).analyze(sentences) == expected
    assert expected[0].tags[1] == "XX"
    assert expected[0].labels[3] == "odd"


def test_fast_refuses_other_lemmatizers(pipeline: SpacyAnalyzer) -> None:
    lemmatizer: Any = pipeline.nlp.get_pipe("lemmatizer")
    lemmatizer.overwrite = True
    with pytest.raises(OtherArchitectureError, match="its lemmatizer changes lemmas"):
        Rules(pipeline.nlp)


# Falling back.


def test_fast_falls_back_and_says_so(
    monkeypatch: pytest.MonkeyPatch, pipeline: SpacyAnalyzer, slow: Reference
) -> None:
    pipeline.nlp.add_pipe("sentencizer")
    monkeypatch.setattr(english, "load_pipeline", lambda _, **__: pipeline.nlp)
    told: list[str] = []
    analyzer = english.load_analyzer(notify=told.append)
    assert analyzer.kind == "spacy"
    assert [message.split(": ")[0].partition(" ")[2] for message in told] == [
        "is run by spaCy itself, which takes longer"
    ]
    assert analyzer.analyze(SENTENCES) == slow(SENTENCES)
    with pytest.warns(GecevalWarning, match="is run by spaCy itself"):
        english.load_analyzer()


def test_spacy_can_be_asked_for(slow: Reference) -> None:
    analyzer = english.load_analyzer(kind="spacy")
    assert isinstance(analyzer, SpacyAnalyzer)
    assert analyzer.kind == "spacy"
    assert analyzer.analyze(SENTENCES) == slow(SENTENCES)


def test_unknown_analyzer_is_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown analyzer 'quick'"):
        english.load_analyzer(kind="quick")  # type: ignore[arg-type]


# The self-check.


def test_selfcheck_sentences() -> None:
    sentences = selfcheck.sentences()
    assert len(sentences) == 200
    assert len({word for sentence in sentences for word in sentence}) > 400


def test_selfcheck_finds_nothing(fast: FastAnalyzer) -> None:
    assert selfcheck.find_difference(fast, fast._spacy, selfcheck.sentences()) == ""


def test_selfcheck_finds_other_results(pipeline: SpacyAnalyzer) -> None:
    analyzer = FastAnalyzer(pipeline)
    tagger: Any = pipeline.nlp.get_pipe("tagger")
    softmax = tagger.model.layers[1].layers[0]
    softmax.set_param("W", softmax.get_param("W")[::-1].copy())
    found = selfcheck.find_difference(analyzer, pipeline, SENTENCES)
    assert found == (
        f"the fast analyzer differs from it in {len(SENTENCES) - 1} of {len(SENTENCES)} sentences"
    )


def test_selfcheck_finds_other_scores(pipeline: SpacyAnalyzer) -> None:
    """Also where they decide nothing."""
    analyzer = FastAnalyzer(pipeline)
    tagger: Any = pipeline.nlp.get_pipe("tagger")
    softmax = tagger.model.layers[1].layers[0]
    softmax.set_param("b", softmax.get_param("b") + 0.001)
    found = selfcheck.find_difference(analyzer, pipeline, SENTENCES)
    assert found == "the scores of the fast analyzer differ from its scores by 0.001"


def test_selfcheck_is_remembered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fast: FastAnalyzer
) -> None:
    monkeypatch.setenv("GECEVAL_CACHE", str(tmp_path))
    asked = []

    def compare(*_: object) -> str:
        asked.append(1)
        return "they differ"

    monkeypatch.setattr(selfcheck, "find_difference", compare)
    for _ in range(2):
        with pytest.raises(selfcheck.DifferentResultsError, match="they differ"):
            selfcheck.check(fast, fast._spacy)
    assert len(asked) == 1
    (path,) = (tmp_path / "analyzer").iterdir()
    path.write_text("not what was written")
    with pytest.raises(selfcheck.DifferentResultsError):
        selfcheck.check(fast, fast._spacy)
    monkeypatch.setattr(selfcheck, "__version__", "another version")
    with pytest.raises(selfcheck.DifferentResultsError):
        selfcheck.check(fast, fast._spacy)
    assert len(asked) == 3


def test_selfcheck_without_a_place_to_remember(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fast: FastAnalyzer
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GECEVAL_CACHE", str(tmp_path / "file"))
    selfcheck.check(fast, fast._spacy)


def test_selfcheck_that_fails_leaves_it_to_spacy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("spacy")
    monkeypatch.setenv("GECEVAL_CACHE", str(tmp_path))
    monkeypatch.setattr(selfcheck, "find_difference", lambda *_: "they differ")
    told: list[str] = []
    assert english.load_analyzer(notify=told.append).kind == "spacy"
    assert told[0].endswith("they differ")
