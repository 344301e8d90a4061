"""A plug-in that keeps the contract gets all that a built-in metric gets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import geceval
import made_up
import toy_metrics
from geceval.cli import main
from geceval.errors import GecevalError
from geceval.evaluation.entries import Entry
from geceval.evaluation.evaluate import count_all, evaluate
from geceval.evaluation.resampling import Resampling, compare
from geceval.extraction.annotator import Annotator
from geceval.formats import save
from geceval.metaeval.maege.material import span
from geceval.metaeval.maege.study import study
from geceval.metaeval.maege.summary import StudySettings
from geceval.metrics import registry
from geceval.metrics.base import Metric
from geceval.metrics.bleu import BLEU
from geceval.metrics.errant import Errant
from geceval.metrics.gleu import GLEU
from geceval.metrics.imeasure import IMeasure
from geceval.metrics.maxmatch import M2
from geceval.model import Corpus
from geceval.report.collect import collect
from toy_metrics import CountsEdits, Infinite

SOURCE = Path(geceval.__file__).parent

PAIRS: dict[str, tuple[Callable[[], Metric], str]] = {
    "m2": (M2, "PluginM2"),
    "errant": (lambda: Errant(lang="plain"), "PluginErrant"),
    "imeasure": (IMeasure, "PluginIMeasure"),
    "bleu": (BLEU, "PluginBleu"),
}


@pytest.fixture(scope="module")
def gold() -> Corpus:
    return made_up.corpus(40, annotators=("0", "1", "2"), absent=0.2)


@pytest.fixture(params=PAIRS)
def pair(request: pytest.FixtureRequest) -> tuple[Metric, Metric]:
    make, plugin = PAIRS[request.param]
    return make(), getattr(toy_metrics, plugin)()


def as_named(name: str, found: object) -> object:
    """Write results down as if the plug-in had the name of the metric that it asks."""
    return json.loads(re.sub(r"\bplugin\b", name, json.dumps(found, default=str)))


def test_plugin_has_the_same_report(gold: Corpus, pair: tuple[Metric, Metric]) -> None:
    systems = made_up.systems(gold, "a", "b", "c")
    expected, found = (
        collect(gold, systems, [metric], resampling=Resampling(30)) for metric in pair
    )
    assert as_named(pair[0].name, found) == as_named(pair[0].name, expected)
    assert (expected["edit_metric"] is None) == (pair[0].name in ("imeasure", "bleu"))


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_plugin_has_the_same_comparisons(
    gold: Corpus, pair: tuple[Metric, Metric], test: Any
) -> None:
    systems = made_up.systems(gold, "a", "b", "c")
    expected, found = (
        compare(
            metric,
            {one.name: metric.statistics(gold, one) for one in systems},
            resampling=Resampling(30, test=test),
        )
        for metric in pair
    )
    assert found == expected


def test_plugin_has_the_same_maege(gold: Corpus, pair: tuple[Metric, Metric]) -> None:
    name = pair[0].name
    expected, found = (
        study(
            span(gold),
            {name: metric.for_sentences()},
            Annotator("plain"),
            settings=StudySettings(seeds=(1,)),
        ).record()
        for metric in pair
    )
    assert as_named(name, found) == as_named(name, expected)


@pytest.mark.parametrize("options", [["--verbose"], ["--per-type"], ["--per-type", "--json"]])
@pytest.mark.parametrize("name", PAIRS)
def test_plugin_has_the_same_output(
    gold: Corpus,
    name: str,
    options: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save(gold, tmp_path / "gold.m2")
    (system,) = made_up.systems(gold, "ours")
    lines = "".join(f"{' '.join(tokens)}\n" for tokens in system)
    (tmp_path / "ours.txt").write_text(lines, encoding="utf-8")
    point = EntryPoint("plugin", f"toy_metrics:{PAIRS[name][1]}", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])  # noqa: ARG005
    registry._plugins.cache_clear()
    monkeypatch.chdir(tmp_path)
    arguments = ["score", "--gold", "gold.m2", "ours.txt", "--resamples", "5", *options]
    plain = ["--lang", "plain"] if name == "errant" else []
    try:
        expected = CliRunner().invoke(main, [*arguments, "-m", name, *plain])
        found = CliRunner().invoke(main, [*arguments, "-m", "plugin"])
    finally:
        monkeypatch.undo()
        registry._plugins.cache_clear()
    assert (found.exit_code, expected.exit_code) == (0, 0)
    assert re.sub(r"\bplugin(?=[|\"])", name, found.stdout) == expected.stdout


def test_metric_with_other_options_is_a_new_one() -> None:
    metric = GLEU(exact=True)
    other = metric.with_options(missing="same")
    assert (metric.settings()["missing"], other.settings()["missing"]) == ("absent", "same")
    assert other.settings()["references"] == metric.settings()["references"] == "expected"
    with pytest.raises(GecevalError, match="the option missing takes"):
        metric.with_options(missing="sam")


def test_metric_with_another_name_keeps_it_with_other_options(gold: Corpus) -> None:
    metric = GLEU(exact=True).with_name("gleu(exact=yes)", "GLEU, exact=yes")
    other = metric.with_options(missing="same")
    assert (other.name, other.title) == ("gleu(exact=yes)", "GLEU, exact=yes")
    score = other.score(gold, made_up.system(gold, "a"))
    assert score.metric == "gleu(exact=yes)"
    assert score.signature.startswith("gleu|")
    assert (GLEU.name, GLEU().name) == ("gleu", "gleu")


def test_variant_for_sentences_respects_what_was_asked_for() -> None:
    assert BLEU().for_sentences().settings()["average"] == "sentence"
    assert BLEU(average="corpus").for_sentences().settings()["average"] == "corpus"
    metric = M2()
    assert metric.for_sentences() is metric


def test_defaults_of_the_contract(gold: Corpus) -> None:
    metric = CountsEdits()
    (system,) = made_up.systems(gold, "a")
    (result,) = evaluate(gold, [system], [metric], resampling=Resampling(0))
    assert metric.marked_edits(gold, system, result.score) is None
    assert metric.counts_by_type(gold, system, result.score) is None
    assert metric.aligned_view(gold, system) is None
    assert metric.effective_counts(result.statistics) is None
    assert metric.max_part_resamples == 200


def test_loop_skips_what_is_finished(gold: Corpus) -> None:
    entries = [Entry(gold, one) for one in made_up.systems(gold, "a", "b")]
    counted = [
        (metric.name, entry.hypothesis.name)
        for metric, entry, _ in count_all(
            [M2(), CountsEdits()],
            entries,
            skip=lambda metric, entry: (metric.name, entry.hypothesis.name) == ("m2", "a"),
        )
    ]
    assert counted == [("m2", "b"), ("counts", "a"), ("counts", "b")]


@pytest.mark.parametrize("jobs", [1, 2])
def test_signature_names_our_tokens_however_it_is_counted(gold: Corpus, jobs: int) -> None:
    (system,) = made_up.systems(gold, "a")
    raw = geceval.Hypothesis("raw", system.sentences, tokenized=True)
    metrics: list[Metric] = [made_up.Slow(), M2()]
    results = evaluate(gold, [raw], metrics, resampling=Resampling(0), jobs=jobs)
    assert all("|tokens:geceval|" in result.score.signature for result in results)


def test_studies_refuse_scores_that_are_not_finite(gold: Corpus) -> None:
    with pytest.raises(GecevalError, match="'infinite' gives inf as the score"):
        study(span(gold), {"infinite": Infinite()}, Annotator("plain"))


def test_nobody_outside_asks_what_kind_of_metric_it_is() -> None:
    wrong = re.compile(r"isinstance\([^)]*metric\b[^)]*\)|geceval\.metrics\._shared|metric\.\w+ = ")
    found = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).parts[0] != "metrics"
        for line in path.read_text(encoding="utf-8").splitlines()
        if wrong.search(line)
    ]
    assert found == []
