"""Statistics of shards and chunks: joined, they are those of the whole, to the last bit."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import made_up
from geceval.engines.local import LocalEngine
from geceval.errors import GecevalError
from geceval.evaluation import chunked
from geceval.evaluation.chunked import can_chunk, count_in_chunks
from geceval.evaluation.entries import Entry
from geceval.evaluation.evaluate import Result, evaluate, make_metrics, score_counted
from geceval.evaluation.resampling import Resampling
from geceval.evaluation.stored_statistics import (
    StoredStatistics,
    check_metrics,
    join_shards,
    load_statistics,
    save_statistics,
    store,
)
from geceval.metrics.base import Metric
from geceval.metrics.registry import standalone_names
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, apply_edits

GOLD = made_up.corpus(40, annotators=("0", "1", "10"), absent=0.3)
SYSTEMS = made_up.systems(GOLD, "ours", "theirs")
FEW = Resampling(20, 0.95, 7)


def plain_metrics() -> list[Metric]:
    """Make all metrics that count sentences alone, and need no server."""
    names = [name for name in standalone_names() if name not in ("gotoscorer", "grammar")]
    made = make_metrics(names, texts={"lang": "plain"})
    return [metric for metric in made if metric.counts_sentences_alone]


METRICS = plain_metrics()


def section(corpus: Corpus, hypothesis: Hypothesis, first: int, last: int) -> Entry:
    edits = None if hypothesis.edits is None else hypothesis.edits[first:last]
    return Entry(
        replace(corpus, sentences=corpus.sentences[first:last]),
        replace(hypothesis, sentences=hypothesis.sentences[first:last], edits=edits),
    )


def records(results: list[Result]) -> list[Any]:
    return [(one.score.to_dict(), one.samples is None or one.samples.tobytes()) for one in results]


def test_sentences_are_counted_alone_by_most_metrics() -> None:
    names = {metric.name for metric in METRICS}
    assert names >= {"m2", "errant", "gleu", "imeasure", "cleme", "bleu", "chrf", "ter", "sari"}
    assert not names & {"ged", "pt-m2"}


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
@given(places=st.lists(st.integers(1, 39), max_size=4, unique=True))
@settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_joined_shards_give_the_score_of_one_run(
    tmp_path_factory: pytest.TempPathFactory, metric: Metric, places: list[int]
) -> None:
    """Through files, with annotators that some shards lack, and with intervals."""
    folder = tmp_path_factory.mktemp("shards")
    expected = evaluate(GOLD, SYSTEMS, [metric], resampling=FEW)
    edges = [0, *sorted(places), len(GOLD)]
    shards = []
    for number, (first, last) in enumerate(pairwise(edges)):
        entries = [section(GOLD, one, first, last) for one in SYSTEMS]
        outputs = [entry.hypothesis for entry in entries]
        results = evaluate(entries[0].corpus, outputs, [metric], resampling=Resampling(0))
        save_statistics([store(one) for one in results], folder / f"{number}.npz")
        shards.append(load_statistics(folder / f"{number}.npz"))
    joined = join_shards(shards)
    counted = ((one.metric, one.system, one.statistics) for one in joined)
    assert records(score_counted(counted, resampling=FEW)) == records(expected)
    save_statistics(joined, folder / "joined.npz")
    save_statistics([store(one) for one in expected], folder / "one.npz")
    assert (folder / "joined.npz").read_bytes() == (folder / "one.npz").read_bytes()


@pytest.mark.parametrize("limit", [1, 50, 10_000])
def test_chunks_of_any_size_give_the_same_results(
    monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(chunked, "CHUNK_TOKENS", limit)
    expected = evaluate(GOLD, SYSTEMS, METRICS, resampling=FEW)
    found = evaluate(GOLD, SYSTEMS, METRICS, resampling=FEW, engine=LocalEngine())
    assert records(found) == records(expected)


def test_chunks_on_several_workers_give_the_same_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunked, "CHUNK_TOKENS", 150)
    metrics = [metric for metric in METRICS if metric.name in ("m2", "gleu", "sari")]
    expected = evaluate(GOLD, SYSTEMS, metrics, resampling=FEW)
    found = evaluate(GOLD, SYSTEMS, metrics, resampling=FEW, engine=LocalEngine(2))
    assert records(found) == records(expected)


def test_chunks_keep_the_edits_of_systems() -> None:
    """Also where the output has edits of its own, which are not extracted again."""
    metric = make_metrics(["errant"], texts={"lang": "plain"})[0]
    edits = tuple(sent.annotations[0].edits if sent.annotations else () for sent in GOLD)
    texts = (apply_edits(sent.tokens, own) for sent, own in zip(GOLD, edits, strict=True))
    output = Hypothesis("given", tuple(texts), edits)
    entries = [Entry(GOLD, output)]
    (found,) = count_in_chunks(metric, entries, LocalEngine(), limit=100)
    expected = metric.statistics(GOLD, output)
    assert found.extraction == expected.extraction
    assert np.array_equal(found.counts, expected.counts)
    assert np.array_equal(found.mask, expected.mask)


def test_chunks_are_not_for_every_metric() -> None:
    """Others are counted as ever, so the results are the same."""
    (gleu,) = make_metrics(["gleu"], {"missing": "same"})
    entries = [Entry(GOLD, one) for one in SYSTEMS]
    assert not can_chunk(gleu, entries)
    assert can_chunk(gleu.with_options(missing="absent"), entries)
    complete = made_up.corpus(10)
    assert can_chunk(gleu, [Entry(complete, made_up.system(complete, "ours"))])
    assert not can_chunk(made_up.Slow(), [])
    ged = make_metrics(["ged"], texts={"lang": "plain"})
    results = evaluate(GOLD, SYSTEMS, [*ged, gleu], resampling=FEW, engine=LocalEngine())
    assert records(results) == records(evaluate(GOLD, SYSTEMS, [*ged, gleu], resampling=FEW))
    with pytest.raises(GecevalError, match="cannot be counted in shards"):
        check_metrics(ged)


def shard_of(corpus: Corpus, metric: Metric, system: str = "ours") -> list[StoredStatistics]:
    output = Hypothesis(system, corpus.sources)
    return [StoredStatistics(metric, system, metric.statistics(corpus, output))]


def test_parts_of_nested_golds_are_read_like_the_whole() -> None:
    """A nested edit in one sentence changes what can be matched in others."""
    words = tuple("abcdef")
    long = Edit.replace(0, 6, "f a b c d e")
    nested = (Edit.replace(0, 1, "x"), Edit.replace(0, 2, "x b"))
    corpus = Corpus(
        tuple(Sentence(words, (Annotation("0", edits),)) for edits in ((long,), nested))
    )
    output = Hypothesis("ours", (tuple("fabcde"), words))
    (metric,) = make_metrics(["m2"])
    assert metric.score(corpus, output).parts["correct"] == 1
    assert not can_chunk(metric, [Entry(corpus, output)])
    shards = []
    for number in range(2):
        entry = section(corpus, output, number, number + 1)
        statistics = metric.statistics(entry.corpus, entry.hypothesis)
        shards.append([StoredStatistics(metric, "ours", statistics)])
    with pytest.raises(GecevalError, match="only some shards have edits inside of others"):
        join_shards(shards)


def test_shards_that_do_not_fit() -> None:
    (gleu,) = make_metrics(["gleu"], {"missing": "same"})
    both = made_up.corpus(5)
    one = replace(
        both,
        sentences=tuple(replace(sent, annotations=(Annotation("0"),)) for sent in both.sentences),
    )
    with pytest.raises(GecevalError, match="some annotators have no line in a whole shard"):
        join_shards([shard_of(both, gleu), shard_of(one, gleu)])
    other = gleu.with_options(missing="noop")
    with pytest.raises(GecevalError, match="do not have the same metrics and systems: only one"):
        join_shards([shard_of(both, gleu), shard_of(both, other)])
    with pytest.raises(GecevalError, match="do not have the same metrics and systems: only one"):
        join_shards([shard_of(both, gleu), shard_of(both, gleu, "theirs")])


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("extraction", ("lang:en|spacy:3.7", "lang:en|spacy:3.8")),
        ("gold_extraction", ("", "lang:en")),
        ("preparation", ("", "normalize:nfc")),
        ("tokenized", (False, True)),
        ("unit", ("", "character")),
    ],
)
def test_shards_that_were_made_differently(field: str, values: tuple[Any, Any]) -> None:
    """Such as by workers with other models: a score of both would be of neither."""
    (metric,) = make_metrics(["gleu"])
    (one,) = shard_of(made_up.corpus(5), metric)
    shards = [[replace(one, statistics=replace(one.statistics, **{field: v}))] for v in values]
    with pytest.raises(GecevalError, match="differs between parts, so GLEU would be of mixed data"):
        join_shards(shards)
    same = join_shards([shards[1], shards[1]])
    assert getattr(same[0].statistics, field) == values[1]


def test_statistics_files_by_url(tmp_path: Path) -> None:
    (metric,) = make_metrics(["gleu"])
    (one,) = shard_of(made_up.corpus(5), metric)
    url = (tmp_path / "a b.npz").as_uri()
    save_statistics([one], url)
    (found,) = load_statistics(url)
    assert (found.key, found.statistics.counts.tobytes()) == (
        one.key,
        one.statistics.counts.tobytes(),
    )


def test_statistics_files_that_are_not_ours(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with pytest.raises(GecevalError, match="cannot be read"):
        load_statistics(path)
    path.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(GecevalError, match="not a file of statistics"):
        load_statistics(path)
    np.savez(path, counts=np.zeros(3))
    with pytest.raises(GecevalError, match="not a file of statistics"):
        load_statistics(path)
    np.savez(path, header=np.array([{"a": 1}], dtype=object))
    with pytest.raises(GecevalError, match="not a file of statistics"):
        load_statistics(path)


def test_chunks_show_progress() -> None:
    """Each chunk counts, so that the time left is known while one metric counts."""
    (metric,) = make_metrics(["gleu"])
    shown: list[tuple[str, int]] = []

    def progress(items: Any, stage: str) -> Any:
        for number, item in enumerate(items, 1):
            yield item
            shown.append((stage, number))

    entries = [Entry(GOLD, one) for one in SYSTEMS]
    count_in_chunks(metric, entries, LocalEngine(), limit=100, progress=progress)
    assert [number for _, number in shown] == list(range(1, len(shown) + 1))
    assert len(shown) > 3
    assert {stage for stage, _ in shown} == {f"counting chunks for {metric.title}"}
