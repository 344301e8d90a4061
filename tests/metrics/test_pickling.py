"""Metrics and results go through pickle and copy, as processes and caches need them to."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geceval.evaluation.evaluate import evaluate
from geceval.evaluation.resampling import Resampling
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang import get_pack
from geceval.extraction.lang.disk_cache import StoredAnalyzer
from geceval.grammar.languagetool.checker import LanguageTool
from geceval.metrics import metric_class, standalone_names
from geceval.metrics.base import Metric
from geceval.metrics.errant import Errant
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence

Copy = Callable[[Any], Any]

OPTIONS: dict[str, dict[str, Any]] = {"gotoscorer": {"weights": "none"}}
"""What a metric needs to score a single system."""

CORPUS = Corpus(
    (
        Sentence(
            ("He", "go", "to", "school", "."),
            (
                Annotation("0", (Edit(1, 2, (("goes",),), "R:VERB:SVA"),)),
                Annotation("1", (Edit(1, 2, (("went",),), "R:VERB:TENSE"),)),
            ),
        ),
        Sentence(
            ("I", "likes", "dog", "."),
            (
                Annotation("0", (Edit(1, 2, (("like",),)), Edit(2, 3, (("dogs",),)))),
                Annotation("1", (Edit(2, 3, (("the", "dog"),)),)),
            ),
        ),
    ),
    "gold",
)
OUTPUT = Hypothesis("ours", (("He", "goes", "to", "school", "."), ("I", "like", "dog", ".")))


def pickled(value: Any) -> Any:
    """Send a value through pickle."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own


def test_pickling_covers_every_metric() -> None:
    assert {"m2", "errant", "imeasure", "gleu", "bleu", "sari", "grammar"} <= set(
        standalone_names()
    )


@pytest.mark.parametrize("duplicate", [pickled, copy.deepcopy], ids=["pickle", "deepcopy"])
@pytest.mark.parametrize("name", standalone_names())
def test_metrics_and_results_can_be_pickled(name: str, duplicate: Copy) -> None:
    fresh = metric_class(name)(**OPTIONS.get(name, {}))
    before: Metric = duplicate(fresh)
    (result,) = evaluate(CORPUS, [OUTPUT], [fresh], resampling=Resampling(20))
    found = duplicate(result)
    assert found.score.to_dict() == result.score.to_dict()
    assert found.statistics.counts.tolist() == result.statistics.counts.tolist()
    for metric in (before, duplicate(fresh), found.metric):
        (again,) = evaluate(CORPUS, [OUTPUT], [metric], resampling=Resampling(20))
        assert again.score.to_dict() == result.score.to_dict()


@pytest.mark.parametrize("duplicate", [pickled, copy.deepcopy], ids=["pickle", "deepcopy"])
def test_errant_with_an_annotator_of_ones_own_can_be_pickled(duplicate: Copy) -> None:
    annotator = Annotator("en", merge="all-split")
    metric = Errant(annotator=annotator)
    expected = metric.score(CORPUS, OUTPUT)
    found = duplicate(metric)
    assert found.annotator.strategy == "all-split"
    assert found.score(CORPUS, OUTPUT).signature == expected.signature
    assert found.score(CORPUS, OUTPUT).value == expected.value


def test_errant_leaves_who_is_told_behind() -> None:
    metric = Errant(lang="plain", notify=lambda _: None)
    value = metric.score(CORPUS, OUTPUT).value
    assert pickled(metric).score(CORPUS, OUTPUT).value == value


def test_analyzers_can_be_pickled(tmp_path: Path) -> None:
    sentence = ("They", "goes", "home", ".")
    fast = get_pack("en").analyzer()
    spacy = get_pack("en").analyzer(kind="spacy")
    stored = StoredAnalyzer(fast, tmp_path)
    for analyzer in (fast, spacy, stored):
        found = pickled(analyzer)
        assert found.signature == analyzer.signature
        assert found.analyze([sentence]) == analyzer.analyze([sentence])
        assert found.tokenize("They're home.") == analyzer.tokenize("They're home.")


def test_languagetool_can_be_pickled() -> None:
    checker = LanguageTool(url="http://localhost:1", lang="de-DE", jobs=3, notify=lambda _: None)
    found = pickled(checker)
    assert (found.url, found.lang, found.jobs) == ("http://localhost:1", "de-DE", 3)
