"""Whole studies."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from altered import alterations
from geceval.errors import GecevalError, MismatchError, UnknownNameError
from geceval.extraction.annotator import Annotator
from geceval.formats import Findings
from geceval.metaeval.maege.figures import human_picture, pictures
from geceval.metaeval.maege.material import Reference, read_references, span
from geceval.metaeval.maege.protocol import Protocol
from geceval.metaeval.maege.rows import Extractor, Row, count_mixed_references
from geceval.metaeval.maege.study import Job, study
from geceval.metaeval.maege.summary import Estimate, Study, StudySettings
from geceval.metaeval.maege.tables import sections, summary, tables
from geceval.metaeval.store import StudyStore
from geceval.metrics import metric_class
from geceval.metrics.base import Metric
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, apply_edits
from toy_metrics import TYPES, Constant, CountsEdits, Noise, Opposite, marked_corpus

SEEDS = StudySettings(seeds=(1, 2))


def run(
    *metrics: Metric, settings: StudySettings = SEEDS, corpus: Corpus | None = None, **more: object
) -> Study:
    return study(
        span(marked_corpus() if corpus is None else corpus),
        {metric.name: metric for metric in metrics},
        Annotator("plain"),
        settings=settings,
        **more,  # type: ignore[arg-type]
    )


@pytest.fixture(scope="module")
def toys() -> Study:
    """The toy metrics, with many chains so that noise averages out."""
    settings = StudySettings(seeds=(1, 2, 3), n_chains=4)
    return run(CountsEdits(), Opposite(), Noise(), Constant(), settings=settings)


def test_counting_edits_is_perfect(toys: Study) -> None:
    found = toys.metrics["counts"]
    assert found.kendall.values == (1, 1, 1)
    assert all(p_value < 1e-10 for p_value in found.kendall.p_values)
    assert set(found.changes) == set(TYPES)
    for change in found.changes.values():
        assert (change.mean, change.error) == (1, 0)
    assert all(toys.is_significant("counts", name) for name in TYPES)
    # Corpora whose models want more edits than sentences have are alike.
    assert all(value > 0.7 for value in found.spearman.values)
    assert [one.corpus_scores for one in found.results] == [
        pytest.approx(means) for means in toys.applied
    ]
    assert found.spearman.values == pytest.approx(toys.upper_bound.values)


def test_the_opposite_is_as_bad_as_can_be(toys: Study) -> None:
    found, best = toys.metrics["opposite"], toys.metrics["counts"]
    assert found.kendall.values == (-1, -1, -1)
    assert {change.mean for change in found.changes.values()} == {-1}
    assert found.spearman.values == pytest.approx([-value for value in best.spearman.values])
    assert found.pearson.values == pytest.approx([-value for value in best.pearson.values])


def test_noise_says_nothing(toys: Study) -> None:
    found = toys.metrics["noise"]
    for unit, tau in zip(found.results, found.kendall.values, strict=True):
        assert abs(tau) < 4 / math.sqrt(unit.pairs.n) + 0.1
    assert abs(found.pearson.mean) < 0.15


def test_constant_scores_are_ties(toys: Study) -> None:
    found = toys.metrics["constant"]
    for unit in found.results:
        assert unit.pairs.ties == unit.pairs.n
    assert found.kendall.values == (1, 1, 1)
    assert math.isnan(found.spearman.mean)
    assert math.isnan(found.spearman.p_value)
    half = replace(found, ties="half")
    assert half.kendall.values == (0, 0, 0)
    assert math.isnan(replace(found, ties="excluded").kendall.mean)


def test_missing_scores_are_told() -> None:
    found = run(Constant(silent=True)).metrics["constant"]
    for unit in found.results:
        assert unit.pairs.unscored > 0
        assert unit.pearson.n < unit.n_elements


def test_edit_metrics_get_edits_of_the_sampled_source() -> None:
    """The gold edits of every row lead from its source to each reference."""
    material = span(marked_corpus(), annotators="0")
    extractor = Extractor(material, Annotator("plain"))
    rows = [
        Row(place, sent.lattices[0].correction({0}), "", sent.tokens)
        for place, sent in enumerate(material.sentences)
    ]
    corpus = extractor.corpus(rows)
    for sent, row, spanned in zip(corpus, rows, material.sentences, strict=True):
        assert sent.tokens == row.source
        texts = {ann.annotator: apply_edits(sent.tokens, ann.edits) for ann in sent.annotations}
        assert texts == dict(spanned.references)
        assert set(texts) == {"1"}


def test_sentences_of_running_metrics_stand_alone() -> None:
    """M² of a row is that of a corpus of one, whatever rows are around it."""
    corpus = marked_corpus(12, n_annotators=3)
    outputs = tuple(sent.corrected("0") or () for sent in corpus)
    for name in ("m2", "gleu", "imeasure"):
        metric = metric_class(name)()
        counts = metric.statistics(corpus, Hypothesis("h", outputs))
        scores = metric.independent_sentence_scores(counts)
        alone = []
        for sent, output in zip(corpus, outputs, strict=True):
            single = metric.statistics(Corpus((sent,)), Hypothesis("h", (output,)))
            alone.append(float(metric.aggregate(single).sentences.values[0]))
        assert scores.tolist() == alone


def test_workers_change_nothing() -> None:
    studies = [
        run(*(metric_class(name)(jobs=jobs) for name in ("m2", "gleu", "sari"))) for jobs in (1, 3)
    ]
    assert studies[0].record() == studies[1].record()


def test_a_metric_does_not_depend_on_the_others() -> None:
    both = run(metric_class("gleu")(), CountsEdits())
    alone = run(CountsEdits(), settings=replace(SEEDS, seeds=(2,)))
    assert both.metrics["counts"].results[1] == alone.metrics["counts"].results[0]


def test_source_original() -> None:
    """With the original as source, M² of leaving it alone is 0, and corpora are the same."""
    settings = StudySettings(source="original")
    found = run(metric_class("m2")(), CountsEdits(), settings=settings)
    usual = run(CountsEdits(), settings=StudySettings())
    assert found.metrics["m2"].results[0].corpus_scores[0] == 0
    (ours,), (theirs,) = (one.metrics["counts"].results for one in (found, usual))
    assert ours.corpus_scores == theirs.corpus_scores
    assert ours.signature != theirs.signature
    assert "|source:original|" in found.signature


def test_record_is_json_with_everything(toys: Study) -> None:
    record = json.loads(json.dumps(toys.record(), allow_nan=False))
    assert record["schema"] == 1
    assert record["kind"] == "maege"
    assert record["settings"]["seeds"] == [1, 2, 3]
    assert record["settings"]["chains"] == 4
    assert record["material"]["leave_one_out"] is True
    assert record["material"]["counts"]["kept"] == 40
    names = [metric["metric"] for metric in record["metrics"]]
    assert names == ["counts", "opposite", "noise", "constant"]
    counts = record["metrics"][0]
    assert counts["kendall"]["values"] == [1, 1, 1]
    assert counts["kendall"]["spread"] == 0
    assert len(counts["corpora"]) == 3
    assert len(counts["corpora"][0]) == 11
    assert counts["sensitivity"]["SVA"]["change"] == 1
    assert record["ceiling"]["values"] == counts["spearman"]["values"]
    assert record["applied"] == [list(means) for means in toys.applied]
    assert record["metrics"][3]["spearman"]["mean"] is None
    assert toys.signature.startswith("maege|data:")
    for part in (
        "|refs:others|", "|seeds:1,2,3|", "|ties:not-discordant|", "|chains:4|", "|protocol:paper|",
    ):  # fmt: skip
        assert part in toys.signature


def test_tables_and_sections(toys: Study) -> None:
    found = {table.name: table for table in tables(toys)}
    assert list(found) == [
        "maege-correlations", "maege-pairs", "maege-corpora", "maege-sensitivity",
        "maege-changes", "maege-originals", "maege-protocol", "maege-signatures",
    ]  # fmt: skip
    first = found["maege-correlations"]
    assert first.header == (
        "metric", "ρ", "ρ sd", "ρ p", "r", "r sd", "r p", "τ", "τ sd", "τ p",
    )  # fmt: skip
    assert [row[0] for row in first.rows] == ["edit counter", "opposite", "noise", "constant"]
    assert first.rows[0][7] == 1
    assert found["maege-sensitivity"].rows[0][2:4] == ("+1.000*", "-1.000*")
    assert "40 of 40 sentences" in summary(toys)
    one = run(CountsEdits(), settings=StudySettings())
    assert "ρ sd" not in tables(one)[0].header
    for table in found.values():
        assert table.as_latex().startswith("\\begin{tabular}")
    mixed = [1, 8, 1000]
    parts = sections(toys, mixed=mixed, human={"noise": 0.2, "counts": 0.5})
    assert [part.name for part in parts] == [
        "material", "correlations", "corpora", "sensitivity", "originals", "protocol",
        "signatures",
    ]  # fmt: skip
    assert [picture.name for part in parts for picture in part.pictures][:2] == [
        "mixed-references",
        "human-and-maege",
    ]


def test_pictures(toys: Study) -> None:
    names = [picture.name for picture in pictures(toys, mixed=[1, 10, 100])]
    assert names == [
        "mixed-references", "corpus-models", "sensitivity",
        "originals-counts", "originals-opposite", "originals-noise", "originals-constant",
    ]  # fmt: skip
    names = [picture.name for picture in pictures(toys, human={"counts": 0.5})]
    assert names[:2] == ["corpus-models", "human-and-maege"]
    title, mean = toys.metrics["counts"].title, toys.metrics["counts"].spearman.mean
    both = human_picture(toys, {"counts": 0.5, "b": -0.5})
    assert both.description.endswith(f"(y): {title} 0.50 and {mean:.2f}.")
    assert "no common metric" in human_picture(toys, {"a": 1.0}).description


def test_tables_set_people_beside_maege(toys: Study) -> None:
    assert "maege-human" not in {table.name for table in tables(toys)}
    found = {table.name: table for table in tables(toys, human={"noise": 0.2, "counts": -0.5})}
    expected = [
        (metric.title, human, metric.spearman.mean)
        for metric, human in ((toys.metrics["counts"], -0.5), (toys.metrics["noise"], 0.2))
    ]
    assert list(found["maege-human"].rows) == expected


def test_mixed_references_are_counted() -> None:
    first = Annotation("0", (Edit(0, 1, (("x",),)), Edit(2, 3, (("y",),))))
    second = Annotation("1", (Edit(0, 1, (("z",),)),))
    third = Annotation("2", (Edit(1, 2, ((),)),))
    corpus = Corpus((Sentence(("a", "b", "c", "d"), (first, second, third)),))
    extractor = Extractor(span(corpus, annotators="2"), Annotator("plain"))
    assert count_mixed_references(extractor) == [4]


# Going on where a study stopped.


def counting_progress(seen: list[Job]) -> object:
    def progress(jobs: Sequence[Job]) -> Sequence[Job]:
        seen.extend(jobs)
        return jobs

    return progress


def test_resume_does_only_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "units.jsonl"
    first = run(CountsEdits(), settings=StudySettings(seeds=(1,)), resume=path)
    assert first.n_restored == 0
    jobs: list[Job] = []
    both = run(CountsEdits(), Noise(), resume=path, progress=counting_progress(jobs))
    assert jobs == [(1, "noise"), (2, "counts"), (2, "noise")]
    assert both.n_restored == 1
    assert both.record() == run(CountsEdits(), Noise()).record()
    again: list[Job] = []
    half = replace(SEEDS, protocol=Protocol(ties="half"))
    run(CountsEdits(), Noise(), settings=half, resume=path, progress=counting_progress(again))
    assert again == []


def test_resume_after_a_broken_line(tmp_path: Path) -> None:
    path = tmp_path / "units.jsonl"
    whole = run(CountsEdits(), resume=path)
    data = path.read_bytes()
    path.write_bytes(data[:-20])
    again = run(CountsEdits(), resume=path)
    assert again.n_restored == 1
    assert again.record() == whole.record()
    assert path.read_bytes() == data


def test_resume_refuses_another_study(tmp_path: Path) -> None:
    path = tmp_path / "units.jsonl"
    run(Constant(), resume=path)
    with pytest.raises(GecevalError, match=r"units.jsonl: holds another study, the source differ"):
        run(Constant(), settings=StudySettings(source="original"), resume=path)
    with pytest.raises(GecevalError, match="the data"):
        run(Constant(), corpus=marked_corpus(seed=2), resume=path)
    with pytest.raises(GecevalError, match="the number of chains"):
        run(Constant(), settings=StudySettings(n_chains=2), resume=path)
    with pytest.raises(GecevalError, match="the protocol"):
        run(Constant(), settings=StudySettings(protocol=Protocol(pairs="all")), resume=path)
    run(metric_class("m2")(), resume=path)
    with pytest.raises(GecevalError, match=r"holds m2 with other settings \(m2\|beta:0.5"):
        run(metric_class("m2")(beta=1.0), resume=path)


@pytest.mark.parametrize("content", ["hello\n", "[1]\n", '{"kind": "report"}\n', "x"])
def test_resume_refuses_other_files(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(GecevalError, match="is not a file of an unfinished study"):
        run(Constant(), resume=path)
    assert path.read_text(encoding="utf-8") == content


def test_resume_tells_of_damage(tmp_path: Path) -> None:
    path = tmp_path / "units.jsonl"
    run(Constant(), resume=path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for damaged in ("{}\n", "nothing\n"):
        path.write_text("".join([lines[0], damaged, *lines[1:]]), encoding="utf-8")
        with pytest.raises(GecevalError, match="line 2: damaged"):
            run(Constant(), resume=path)
    header = json.loads(lines[0])
    path.write_text(json.dumps({**header, "schema": 99}) + "\n", encoding="utf-8")
    with pytest.raises(GecevalError, match="another version"):
        run(Constant(), resume=path)


def test_resume_tells_where_it_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match="cannot be written"):
        run(Constant(), resume=tmp_path / "nowhere" / "units.jsonl")
    with pytest.raises(GecevalError, match="cannot be written: is a directory"):
        run(Constant(), resume=tmp_path)


def test_resume_refuses_altered_files(tmp_path: Path) -> None:
    path = tmp_path / "units.jsonl"
    run(CountsEdits(), resume=path)
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    n_refused = 0
    for altered in alterations([json.loads(line) for line in (header, *lines)], n=400):
        path.write_text("".join(f"{json.dumps(line)}\n" for line in altered), encoding="utf-8")
        try:
            run(CountsEdits(), resume=path)
        except GecevalError:
            n_refused += 1
    assert n_refused > 380


def test_resume_takes_a_lock(tmp_path: Path) -> None:
    def opened() -> StudyStore[int]:
        return StudyStore("toy", int, {"data": "x"}, {}, tmp_path / "units.jsonl")

    store = opened()
    with pytest.raises(GecevalError, match=r"units.jsonl is being written by another run"):
        opened()
    del store
    assert opened().n_restored == 0


# What takes part.

EDIT = (Edit(0, 1, (("x",),)),)
FLAG = (Edit(0, 1, (), "flag"),)


def sentence(**readings: tuple[Edit, ...]) -> Sentence:
    return Sentence(("a", "b"), tuple(Annotation(name, edits) for name, edits in readings.items()))


def test_sentences_that_are_not_used_are_counted() -> None:
    corpus = Corpus(
        (
            sentence(a=EDIT, b=EDIT, c=()),
            sentence(a=EDIT, b=()),
            sentence(a=EDIT),
            sentence(c=EDIT),
            sentence(a=EDIT, b=FLAG, c=EDIT),
            sentence(a=EDIT, b=(*EDIT, *FLAG)),
        ),
        "gold",
    )
    findings = Findings()
    material = span(corpus, annotators="ab", findings=findings)
    assert [sent.number for sent in material.sentences] == [0]
    assert material.references == ("c",)
    assert not material.leave_one_out
    assert {code: count for code, count in material.counts.items() if count} == {
        "sentences": 6, "left-alone": 3, "only-flagged": 1, "without-reference": 1, "kept": 1,
        "lattices": 2, "edits": 2,
    }  # fmt: skip
    assert [finding.severity for finding in findings] == ["note"] * 3
    noop = span(corpus, annotators="ab", missing="noop")
    assert [sent.number for sent in noop.sentences] == [0, 5]
    assert noop.counts["flags"] == 1
    everybody = span(corpus.keep_annotators("ab"))
    assert everybody.leave_one_out
    assert everybody.held_out("a") == "a"
    assert material.held_out("a") == ""
    assert material.digest != noop.digest


def test_references_that_give_the_answer_are_told() -> None:
    corpus = Corpus((sentence(a=EDIT),), "gold")
    findings = Findings()
    span(corpus, references=[Reference("r", (("x", "b"),))], findings=findings)
    assert [finding.code for finding in findings] == ["maege-same"]


def test_material_needs_references_and_annotators() -> None:
    with pytest.raises(GecevalError, match="single annotator"):
        span(Corpus((sentence(a=EDIT),)))
    with pytest.raises(UnknownNameError, match="annotator"):
        span(Corpus((sentence(a=EDIT),)), annotators="z")
    with pytest.raises(GecevalError, match="has no annotations"):
        span(Corpus((sentence(),)))
    with pytest.raises(GecevalError, match="has no sentence that each"):
        span(Corpus((sentence(a=EDIT, b=()),)))
    with pytest.raises(MismatchError):
        span(Corpus((sentence(a=EDIT),)), references=[Reference("r", ())])


def test_read_references(tmp_path: Path) -> None:
    corpus = Corpus((sentence(a=EDIT),), "gold")
    plain = tmp_path / "plain.txt"
    plain.write_text("y b\n", encoding="utf-8")
    assert read_references(plain, corpus) == [Reference("plain", (("y", "b"),))]
    with pytest.raises(GecevalError, match="no annotators"):
        read_references(plain, corpus, annotators="0")
    m2 = tmp_path / "more.m2"
    m2.write_text(
        "S a b\nA 0 1|||X|||p|||REQUIRED|||-NONE-|||0\nA 1 2|||X||||||REQUIRED|||-NONE-|||1\n",
        encoding="utf-8",
    )
    first, second = Reference("more:0", (("p", "b"),)), Reference("more:1", (("a",),))
    assert read_references(m2, corpus) == [first, second]
    assert read_references(m2, corpus, annotators="1") == [second]
    m2.write_text("S a c\nA 0 1|||X|||p|||REQUIRED|||-NONE-|||0\n", encoding="utf-8")
    with pytest.raises(GecevalError, match="sentence 1 differs"):
        read_references(m2, corpus)
    m2.write_text("S a b\n\nS a b\n", encoding="utf-8")
    with pytest.raises(MismatchError):
        read_references(m2, corpus)


@pytest.mark.parametrize(
    "wrong", [{"seeds": ()}, {"seeds": (-1,)}, {"n_chains": 0}, {"source": "x"}]
)
def test_settings_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(GecevalError):
        StudySettings(**wrong)  # type: ignore[arg-type]


def test_a_study_needs_a_metric() -> None:
    with pytest.raises(GecevalError, match="at least one metric"):
        run()


def test_estimate_over_seeds() -> None:
    found = Estimate((0.1, 0.3, math.nan), (0.5, 0.01, math.nan))
    assert found.mean == pytest.approx(0.2)
    assert found.spread == pytest.approx(np.std([0.1, 0.3], ddof=1))
    assert found.p_value == pytest.approx(0.255)
    assert math.isnan(Estimate((0.5,), (0.1,)).spread)
