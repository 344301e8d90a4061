"""Grammaticality."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fake_languagetool import FakeLanguageTool
from geceval import Corpus, GecevalError, Hypothesis, OptionError, Sentence
from geceval.grammar import get_ignored_rules
from geceval.metrics.grammar import Grammaticality
from geceval.metrics.provenance import Provenance

TEXTS = ("He go home .", "All is well .", "", "The cat sleep , is n't it ?", "I has an book .")


@pytest.fixture
def fake() -> Iterator[FakeLanguageTool]:
    server = FakeLanguageTool().start()
    yield server
    server.stop()


def outputs(*texts: str) -> tuple[Corpus, Hypothesis]:
    sentences = tuple(tuple(text.split()) for text in texts)
    return Corpus(tuple(map(Sentence, sentences))), Hypothesis("ours", sentences)


def test_grammar_counts_errors_and_tokens() -> None:
    corpus, hypothesis = outputs(*TEXTS)
    metric = Grammaticality(cache=False)
    statistics = metric.statistics(corpus, hypothesis)
    assert statistics.columns == ("errors", "tokens")
    assert statistics.counts[:, 0].tolist() == [[1, 4], [0, 4], [0, 0], [0, 8], [2, 5]]
    score = metric.aggregate(statistics)
    assert score.sentences.values.tolist() == [0.75, 1.0, 1.0, 1.0, 0.6]
    assert score.value == pytest.approx((0.75 + 1 + 1 + 1 + 0.6) / 5)
    assert score.parts == {"errors": 3, "tokens": 21}
    assert score.sentences.chosen.tolist() == [-1] * 5
    assert score.sentences.parts["errors"].tolist() == [1, 0, 0, 0, 2]


def test_grammar_may_fall_below_zero() -> None:
    statistics = Grammaticality(cache=False).statistics(*outputs("x"))
    statistics.counts[0, 0, 0] = 3
    assert Grammaticality(cache=False).aggregate(statistics).value == -2.0


def test_grammar_of_no_sentences() -> None:
    score = Grammaticality(cache=False).score(*outputs())
    assert (score.value, dict(score.parts)) == (0.0, {"errors": 0, "tokens": 0})


def test_grammar_spaces_of_tokenized_text_do_not_count() -> None:
    corpus, hypothesis = outputs(
        "`` Well , '' she said , `` we 're fine ( and I do n't care ) . ''"
    )
    assert Grammaticality(cache=False).score(corpus, hypothesis).parts["errors"] == 0
    raw = Grammaticality(cache=False, raw_tokens=True)
    assert raw.text(("it", "'s")) == "it 's"
    assert raw.score(corpus, hypothesis).parts["errors"] > 0


def test_grammar_resamples_as_it_aggregates() -> None:
    metric = Grammaticality(cache=False)
    statistics = metric.statistics(*outputs(*TEXTS))
    rows = np.random.default_rng(1).integers(0, 5, size=(50, 5))
    expected = [metric.aggregate(statistics.take(row)).value for row in rows]
    assert metric.resample(statistics, rows).tolist() == pytest.approx(expected)


def test_grammar_signature_names_checker_and_what_is_left_out(fake: FakeLanguageTool) -> None:
    corpus, hypothesis = outputs(*TEXTS)
    metric = Grammaticality(cache=False)
    version = metric.checker.version
    label = get_ignored_rules("harper").label
    read = Provenance.of_sources(corpus).digest
    assert metric.score(corpus, hypothesis).signature.startswith(
        f"grammar|sents:5|refs:0|data:{read}|checker:harper-{version}|lang:en-US|"
        f"text:detokenized|ignored:{label}|version:"
    )
    other = Grammaticality(
        checker="languagetool", url=fake.url, lang="en-GB", raw_tokens=True, cache=False
    )
    label = get_ignored_rules("languagetool", raw_tokens=True).label
    assert other.score(corpus, hypothesis).signature.startswith(
        f"grammar|sents:5|refs:0|data:{read}|checker:languagetool-6.8|server:given|"
        f"lang:en-GB|text:tokens|ignored:{label}|version:"
    )


def test_grammar_with_languagetool(fake: FakeLanguageTool, tmp_path: Path) -> None:
    corpus, hypothesis = outputs("A bad , bad day .", "All is well .", "A bad idea .")
    metric = Grammaticality(checker="languagetool", url=fake.url, cache=tmp_path / "answers")
    statistics = metric.statistics(corpus, hypothesis)
    assert statistics.counts[:, 0].tolist() == [[2, 6], [0, 4], [1, 4]]
    found = metric.problems(hypothesis)[0]
    text = metric.text(hypothesis.sentences[0])
    assert [(text[p.start : p.end], p.rule, p.message) for p in found] == [
        ("bad", "BAD", "BAD found")
    ] * 2


def test_grammar_asks_nothing_that_is_cached(fake: FakeLanguageTool, tmp_path: Path) -> None:
    corpus, hypothesis = outputs("A bad day .", "All is well .")
    options = {"url": fake.url, "cache": tmp_path / "answers"}
    first = Grammaticality(checker="languagetool", **options).statistics(corpus, hypothesis)  # type: ignore[arg-type]
    n_asked = len(fake.forms)
    again = Grammaticality(checker="languagetool", **options).statistics(corpus, hypothesis)  # type: ignore[arg-type]
    assert np.array_equal(first.counts, again.counts)
    assert len(fake.forms) == n_asked > 0


def test_grammar_cache_is_in_the_cache_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GECEVAL_CACHE", str(tmp_path))
    Grammaticality().score(*outputs("He go home ."))
    assert (tmp_path / "grammar" / "answers.sqlite").is_file()


def test_grammar_takes_plain_english_for_american() -> None:
    assert Grammaticality(lang="en").lang == "en-US"
    assert "lang:en-US" in Grammaticality(lang="en", cache=False).score(*outputs("Yes .")).signature


def test_grammar_refuses_unknown_names() -> None:
    with pytest.raises(OptionError, match=r"checker .*not 'languagetol'; did you mean 'langu"):
        Grammaticality(checker="languagetol")  # type: ignore[arg-type]
    with pytest.raises(GecevalError, match="only the checker 'languagetool' accepts the address"):
        Grammaticality(url="http://127.0.0.1:8081")
    with pytest.raises(GecevalError, match="the address of LanguageTool is not a URL"):
        Grammaticality(checker="languagetool", url="localhost")
