"""SEEDA's protocol."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import pytest

import geceval
from geceval.errors import FormatError, GecevalError
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.formats import Findings
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.seeda.dataset import (
    Seeda,
    judged_sentences,
    load_seeda,
    read_scores,
    system_sets,
)
from geceval.metaeval.seeda.study import SeedaStudy, score, study
from geceval.metaeval.seeda.tables import (
    pictures,
    record,
    sections,
    sentence_tables,
    tables,
)
from geceval.model import Corpus
from human_examples import CORPUS, SYSTEMS, appraise

NAMES = ("Bad", "Best", "GPT-3.5", "Good", "INPUT", "REF-F", "Worst")
ORDER = ("REF-F", "GPT-3.5", "Best", "Good", "Bad", "INPUT", "Worst")
"""From the best to the worst, for all judges."""


def write_seeda(folder: Path) -> None:
    """Write a small SEEDA down; sentences 2, 3 and 5 of the gold standard, from 1, are judged."""
    rows = {system.name: system.sentences for system in SYSTEMS}
    rows |= {"INPUT": CORPUS.sources, "REF-F": rows["Best"], "GPT-3.5": rows["Best"]}
    (folder / "outputs" / "subset").mkdir(parents=True)
    for name in NAMES:
        lines = [" ".join(rows[name][number - 1]) for number in (2, 3, 5)]
        (folder / "outputs" / "subset" / f"{name}.txt").write_text("\n".join(lines))
    ranks = [(name, rank) for rank, name in enumerate(ORDER, 1)]
    for kind in ("edit", "sent"):
        items = [(number, "anna", ranks) for number in (5, 2, 3)]
        (folder / f"judgments_{kind}.xml").write_text(appraise(items))
    human = folder / "scores" / "human"
    human.mkdir(parents=True)
    (human / "TS_edit.txt").write_text("\n".join(f"{-0.1 * ORDER.index(n):.1f}" for n in NAMES))
    table = [
        "# Scores",
        "| | M<sup>2</sup> | flat |",
        "| :--- | :---: | :---: |",
        *(f"| {name} | {10 - ORDER.index(name)} | 1.5 |" for name in NAMES),
        "",
        "| other | table |",
    ]
    (folder / "README.md").write_text("\n".join(table) + "\n")


@pytest.fixture
def seeda(tmp_path: Path) -> Seeda:
    write_seeda(tmp_path)
    return load_seeda(tmp_path, Findings())


def test_seeda_reads_what_is_there(seeda: Seeda) -> None:
    assert seeda.systems == NAMES
    assert set(seeda.judgments) == {"edit", "sent"}
    assert set(seeda.human) == {("edit", "TrueSkill")}
    ranking = seeda.human["edit", "TrueSkill"]
    assert list(ranking.scores) == list(ORDER)
    assert [metric.title for metric in seeda.metrics] == ["M² (published)", "flat (published)"]
    assert seeda.metrics[0].scores["REF-F"] == 10.0
    assert set(seeda.outputs) == set(NAMES)


def test_seeda_system_sets() -> None:
    sets = system_sets(NAMES)
    assert sets == {
        "base": ("Bad", "Best", "Good", "Worst"),
        "+REF-F,GPT-3.5": ("Bad", "Best", "GPT-3.5", "Good", "REF-F", "Worst"),
        "+INPUT": ("Bad", "Best", "Good", "INPUT", "Worst"),
        "all": NAMES,
    }


def test_seeda_study(seeda: Seeda) -> None:
    own = score(seeda, CORPUS, make_metrics(["m2"], {}))
    assert own[0].signature.startswith("m2|sents:3|")
    found = study(seeda, own, window_sizes=(3, 5), resampling=Resampling(20))
    assert [metric.title for metric in found.metrics] == [
        "M² (published)", "flat (published)", "MaxMatch (M²)",
    ]  # fmt: skip
    # The published ranking is used where there is one.
    assert found.used["edit", "TrueSkill"] is seeda.human["edit", "TrueSkill"]
    assert found.used["sent", "TrueSkill"] is found.computed["sent", "TrueSkill"]
    assert len(found.results) == 2 * 2 * 4
    for one in found.results:
        perfect, flat, ours = one.correlations
        assert perfect.coefficients["spearman"].value == pytest.approx(1.0)
        assert math.isnan(flat.coefficients["spearman"].value)
        assert (perfect.concordance, flat.concordance) == (None, None)
        assert ours.concordance is not None
        assert ours.concordance.human_ties == 0
    windows = found.windows["edit", "TrueSkill"]
    # Windows of 3 out of 7, and of 5, for each metric.
    assert len(windows) == 3 * (5 + 3)
    assert windows[1].systems == ORDER[1:4]
    assert windows[1].coefficients["pearson"].value == pytest.approx(1.0)


def test_seeda_tables_record_and_page(seeda: Seeda) -> None:
    found = study(seeda, window_sizes=(4,), resampling=Resampling(10))
    assert sentence_tables(found) == []
    check_presentation(found, ["correlation", "pairs", "windows", "human"])
    own = score(seeda, CORPUS, make_metrics(["gleu"], {}))
    both = study(seeda, own, window_sizes=(4,), resampling=Resampling(10))
    check_presentation(both, ["correlation", "sentences", "pairs", "windows", "human"])
    assert len(record(both)["windows"]) == 4 * 3 * 4


def check_presentation(found: SeedaStudy, parts: list[str]) -> None:
    names = [table.name for table in tables(found)]
    assert len(set(names)) == len(names)
    for table in tables(found):
        assert len(set(table.header)) == len(table.header)
    told = sections(found)
    assert [part.name for part in told] == parts
    assert {table.name for part in told for table in part.tables} == set(names)
    drawn = [picture.name for picture in pictures(found)]
    assert sorted(drawn) == sorted(picture.name for part in told for picture in part.pictures)
    assert len(set(drawn)) == len(drawn) == 4


def test_seeda_gold_may_hold_judged_sentences_only(seeda: Seeda) -> None:
    assert judged_sentences(seeda, CORPUS) == [1, 2, 4]
    some = Corpus(tuple(CORPUS.sentences[number] for number in (1, 2, 4)))
    assert judged_sentences(seeda, some) == [0, 1, 2]
    wrong = Corpus(CORPUS.sentences[::-1], "wrong")
    with pytest.raises(GecevalError, match="wrong does not fit SEEDA: its sentence 2 is not"):
        judged_sentences(seeda, wrong)


def test_seeda_bad_folders(tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match=r"expected judgments_edit.xml or judgments_sent.xml"):
        load_seeda(tmp_path, Findings())
    write_seeda(tmp_path)
    (tmp_path / "outputs" / "subset" / "Bad.txt").write_text("one\n")
    with pytest.raises(GecevalError, match=r"Bad.txt has 1 sentences, but 3 were judged"):
        load_seeda(tmp_path, Findings())
    (tmp_path / "outputs" / "subset" / "Bad.txt").unlink()
    (tmp_path / "README.md").unlink()
    findings = Findings()
    bare = load_seeda(tmp_path, findings)
    assert findings.counts == {"no-published-scores": 1}
    with pytest.raises(GecevalError, match="there are no metric scores"):
        study(bare)
    with pytest.raises(GecevalError, match="metrics need all of SEEDA's outputs; missing: Bad"):
        judged_sentences(bare, CORPUS)
    with pytest.raises(GecevalError, match="a window holds 3 to 7 of 7 systems, not 8"):
        study(bare, [metric_of(bare)], window_sizes=(8,))


def metric_of(seeda: Seeda) -> MetricScores:
    return MetricScores("x", "X", {name: len(name) for name in seeda.systems}, {}, "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\nNone\n3\n", "line 2: expected a number, found 'None'"),
        ("1\n2\n", "no score of C"),
        ("1\n2\n3\n4\n", "line 4: expected 3 scores, found more"),
        ("A\t1\nA\t2\n", "line 2: 'A' was not judged, or has two scores"),
        ("X\t1\n", "line 1: 'X' was not judged, or has two scores"),
    ],
)
def test_seeda_bad_scores(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "s.txt").write_text(text)
    with pytest.raises(FormatError, match=message):
        read_scores(tmp_path / "s.txt", ["A", "B", "C"], Findings())


def test_seeda_scores_with_and_without_names(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("1\n2\n\n3")
    (tmp_path / "t.txt").write_text("C\t3\nA\t1\nB\t2\n")
    for name in ("s.txt", "t.txt"):
        found = read_scores(tmp_path / name, ["A", "B", "C"], Findings())
        assert found == {"A": 1.0, "B": 2.0, "C": 3.0}


def plain_pearson(x: list[float], y: list[float]) -> float:
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    below = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    return above / math.sqrt(below)


def ranks(values: list[float]) -> list[float]:
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def test_seeda_correlations_of_published_scores_by_hand(shared_data: Path) -> None:
    """Read the files in the plainest way, and correlate by the plain formula."""
    folder = shared_data / "seeda"
    readme = (folder / "README.upstream.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in readme if "|" in line]
    scores = {row[0]: list(map(float, row[1:])) for row in rows[2:]}
    names = sorted(scores)
    outside = {"base": {"INPUT", "REF-F", "GPT-3.5"}, "+REF-F,GPT-3.5": {"INPUT"}, "all": set()}
    findings = Findings()
    found = study(load_seeda(folder, findings), resampling=Resampling(10))
    assert len(names) == 15
    for kind in ("edit", "sent"):
        for short, name in (("TS", "TrueSkill"), ("EW", "Expected Wins")):
            lines = (folder / "scores" / "human" / f"{short}_{kind}.txt").read_text().split()
            human = dict(zip(names, map(float, lines), strict=True))
            for systems_name, left_out in outside.items():
                systems = [system for system in names if system not in left_out]
                (one,) = (
                    each
                    for each in found.results
                    if (each.granularity, each.ranking) == (kind, name)
                    and each.systems_name == systems_name
                )
                assert list(one.systems) == systems
                y = [human[system] for system in systems]
                for column, correlated in enumerate(one.correlations):
                    x = [scores[system][column] for system in systems]
                    assert correlated.coefficients["pearson"].value == pytest.approx(
                        plain_pearson(x, y)
                    )
                    assert correlated.coefficients["spearman"].value == pytest.approx(
                        plain_pearson(ranks(x), ranks(y))
                    )


def test_seeda_judgments_call_identical_what_is(shared_data: Path) -> None:
    """The outputs are in the order of the numbers of sentences, which begin with 1."""
    seeda = load_seeda(shared_data / "seeda", Findings())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", geceval.GecevalWarning)
        gold = geceval.load(shared_data / "conll14" / "gold" / "official-2014.combined.m2")
    rows = judged_sentences(seeda, gold)
    judgments = seeda.judgments["sent"]
    assert rows == [number - 1 for number in judgments.sentences]
    line = {number: place for place, number in enumerate(judgments.sentences)}
    groups = [
        {seeda.outputs[name].sentences[line[item.sentence]] for name in place.systems}
        for item in judgments
        for place in item.places
    ]
    assert {len(group) for group in groups} == {1}
