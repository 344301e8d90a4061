"""ERRANT of Chinese: readings, compatibility with ChERRANT, and its published counts."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from chinese_examples import write_resources
from geceval.errors import GecevalError, OptionError
from geceval.evaluation.evaluate import evaluate, make_metrics
from geceval.evaluation.preparation import prepare_gold, prepare_outputs
from geceval.evaluation.resampling import Resampling
from geceval.extraction.annotator import Annotator
from geceval.extraction.corpus import annotate_rows
from geceval.extraction.lang import PackOptions
from geceval.formats import Findings, get_format, load, load_hypothesis
from geceval.metrics.base import Metric
from geceval.metrics.errant import Errant
from geceval.metrics.statistics import Score
from geceval.model import Annotation, Corpus, Edit, Hypothesis, OutputReading, Sentence

TOKENS = tuple("我在去学校")
FIX = Edit(1, 2, (("再",),), "S")
LONGER = Edit(1, 3, (("再", "去"),), "S")
EXTRA = Edit(5, 5, (("。",),), "M")


def gold(*annotations: Annotation, declined: tuple[str, ...] = ()) -> Corpus:
    return Corpus((Sentence(TOKENS, annotations, not_annotatable=declined),), "gold")


def output(*readings: tuple[Edit, ...]) -> Hypothesis:
    """Return an output whose target has several alignments."""
    target = tuple("我再去学校")
    named = [
        OutputReading(f"0-A{number}" if number else "0", (target,), (edits,))
        for number, edits in enumerate(readings)
    ]
    return Hypothesis("h", (target,), (readings[0],), tuple(named) if len(named) > 1 else ())


def counts(score: Score) -> tuple[object, ...]:
    return score.parts["tp"], score.parts["fp"], score.parts["fn"]


def test_each_alignment_is_a_reading() -> None:
    corpus = gold(Annotation("0", (FIX,)), Annotation("0-A1", (LONGER,)))
    assert counts(Errant(lang="zh").score(corpus, output((LONGER,)))) == (1, 0, 0)
    both = output((EXTRA, FIX), (LONGER,))
    with pytest.raises(GecevalError, match="the source is another one"):
        Errant(lang="zh").score(corpus, both)
    assert counts(Errant(lang="zh").score(corpus, output((FIX,), (LONGER,)))) == (1, 0, 0)


def test_cherrant_pools_alignments() -> None:
    corpus = gold(Annotation("0", (FIX, EXTRA)), Annotation("0-A1", (LONGER, EXTRA)))
    metric = Errant(lang="zh", compat="cherrant")
    # The insertion is a gold edit twice, and both substitutions are.
    assert counts(metric.score(corpus, output((FIX,)))) == (1, 0, 3)
    text = tuple("我再去学校。")
    found = Hypothesis("h", (text,), ((FIX, EXTRA),))
    assert counts(metric.score(corpus, found)) == (3, 0, 1)
    assert "compat:cherrant" in metric.score(corpus, found).signature


def test_cherrant_counts_nothing_where_nobody_could_annotate() -> None:
    metric = Errant(lang="zh", compat="cherrant")
    assert counts(metric.score(gold(declined=("0",)), output((FIX,)))) == (0, 0, 0)
    assert counts(Errant(lang="zh").score(gold(declined=("0",)), output((FIX,)))) == (0, 0, 0)


@pytest.mark.parametrize("mode", ["correction", "correction+type", "span-detection"])
def test_cherrant_misses_those_who_could_not_annotate(mode: str) -> None:
    """The annotator is a reference with one edit, which is chosen if it costs less."""
    corpus = gold(Annotation("0", (FIX, LONGER, EXTRA)), declined=("1",))
    metric = Errant(lang="zh", compat="cherrant", mode=mode)  # type: ignore[arg-type]
    unchanged = Hypothesis("h", (TOKENS,), ((),))
    assert counts(metric.score(corpus, unchanged)) == (0, 0, 1)
    assert counts(Errant(lang="zh", nested="off").score(corpus, unchanged)) == (0, 0, 3)


def test_type_may_have_to_agree() -> None:
    other = Edit(1, 2, (("再",),), "W")
    corpus = gold(Annotation("0", (other,)))
    assert counts(Errant(lang="zh").score(corpus, output((FIX,)))) == (1, 0, 0)
    for compat in (None, "cherrant"):
        metric = Errant(lang="zh", mode="correction+type", compat=compat)
        assert counts(metric.score(corpus, output((FIX,)))) == (0, 1, 1)


def test_words_are_compared_without_spaces() -> None:
    tokens = ("已", "搾好", "了")
    one, two = Edit(1, 2, (("榨好",),), "S:SPELL"), Edit(1, 2, (("榨", "好"),), "S:SPELL")
    corpus = Corpus((Sentence(tokens, (Annotation("0", (one,)),)),))
    found = Hypothesis("h", (("已", "榨", "好", "了"),), ((two,),))
    words = PackOptions(level="word")
    for compat in (None, "cherrant"):
        metric = Errant(lang="zh", pack_options=words, compat=compat)
        assert counts(metric.score(corpus, found)) == (1, 0, 0)
        assert metric.title == "ERRANT, Chinese, word level"


def test_operations_are_those_of_chinese() -> None:
    corpus = gold(Annotation("0", (FIX, EXTRA)))
    metric = Errant(lang="zh")
    score = metric.score(corpus, output((FIX,)))
    assert set(metric.by_operation(corpus, output((FIX,)), score)) == {"M", "S"}
    assert metric.type_legend.startswith("M missing, R redundant")
    assert Errant(lang="plain").type_legend == ""


def test_compat_belongs_to_a_language() -> None:
    with pytest.raises(OptionError, match="takes cherrant with lang=zh only, not with en"):
        Errant(compat="cherrant")
    with pytest.raises(OptionError, match=r"takes cherrant for Chinese, not errant-3.0.2"):
        Errant(lang="zh", compat="errant-3.0.2")


def test_resampled_score_is_that_of_all_sentences() -> None:
    import numpy as np

    corpus = gold(Annotation("0", (FIX,)), Annotation("0-A1", (LONGER,)))
    metric = Errant(lang="zh")
    statistics = metric.statistics(corpus, output((FIX,), (LONGER,)))
    assert statistics.readings == ("0", "0-A1")
    assert metric.resample(statistics, np.zeros((2, 1), dtype=np.int64)).tolist() == [1.0, 1.0]


def scored(metric: Errant, gold_file: Path, output_file: Path) -> tuple[Score, Corpus, Hypothesis]:
    """Score files as the command does."""
    findings = Findings()
    corpus = load(gold_file, findings=findings)
    hypothesis = load_hypothesis(output_file, findings=findings)
    prepared = prepare_gold(corpus, [metric], findings=findings)
    (prepared_output,) = prepare_outputs(prepared, [hypothesis], findings=findings)
    score = metric.score(prepared.corpus, prepared_output)
    return score, prepared.corpus, prepared_output


def test_published_scores(shared_data: Path, tmp_path: Path) -> None:
    data = shared_data / "lang" / "zh"
    folder = str(write_resources(shared_data, tmp_path))
    text = (data / "expected-scores.tsv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t"))
    assert len(rows) == 16
    by_type = {
        row["mode"][-1]: tuple(int(row[name]) for name in ("tp", "fp", "fn"))
        for row in rows
        if ", type " in row["mode"]
    }
    for row in rows:
        if ", type " in row["mode"]:
            continue
        is_ours = row["mode"].startswith("correction, each")
        expected = tuple(int(row[name]) for name in ("tp", "fp", "fn"))
        metric = Errant(
            lang="zh",
            mode="correction" if is_ours else row["mode"],  # type: ignore[arg-type]
            compat=None if is_ours else "cherrant",
            pack_options=PackOptions(
                level="word" if row["gold"].endswith(".word") else "char", resources=folder
            ),
        )
        ways = [(row["gold"], row["hypothesis"])]
        if "mucgec" in row["gold"] and metric.mode == "correction":
            ways.append(("mucgec-dev-1.tsv", "example-pred-1.tsv"))
        for gold_file, output_file in ways:
            score, corpus, hypothesis = scored(metric, data / gold_file, data / output_file)
            if len(ways) > 1 and not is_ours:
                found = metric.counts_by_type(corpus, hypothesis, score)
                types = {name: (one.tp, one.fp, one.fn) for name, one in found.items()}
                assert types == by_type
            assert counts(score) == expected, row
            assert f"{score.value:.4f}" == row["f0.5"]
            assert f"{score.parts['precision']:.4f}" == row["precision"]
            assert f"{score.parts['recall']:.4f}" == row["recall"]


def prepared_scores(
    metrics: list[Metric], gold_file: Path, output_file: Path
) -> tuple[dict[str, float], list[str]]:
    """Score files by several metrics together; return scores and the codes of findings."""
    findings = Findings()
    prepared = prepare_gold(load(gold_file), metrics, findings=findings, extraction={"pack": "zh"})
    outputs = prepare_outputs(prepared, [load_hypothesis(output_file)], findings=findings)
    found = evaluate(prepared.corpus, outputs, prepared.metrics, resampling=Resampling(0))
    codes = [finding.code for finding in findings]
    return {result.score.metric: result.score.value for result in found}, codes


@pytest.fixture
def two_alignments(tmp_path: Path) -> tuple[Path, Path]:
    """A gold table and an output in which one correction has two cheapest alignments."""
    texts = tmp_path / "gold.tsv", tmp_path / "output.tsv"
    texts[0].write_text(
        "1\t学去学\t很学们\t学去很\n2\t我在去\t我再去\n3\t好的\t无法标注\n", "utf-8"
    )
    texts[1].write_text("1\t学去学\t很学们\n2\t我在去\t我在去\n3\t好的\t好\n", "utf-8")
    return texts


@pytest.mark.parametrize("name", ["gleu", "m2", "sari", "cleme", "ged", "chrf"])
def test_alignments_are_no_references_of_other_metrics(
    name: str, two_alignments: tuple[Path, Path]
) -> None:
    """A score does not depend on the metrics that are used with it."""
    options = {"lang": "zh"} if name in ("cleme", "ged") else {}
    (metric,) = make_metrics([name], options)
    alone, _ = prepared_scores([metric], *two_alignments)
    together, codes = prepared_scores([metric, Errant(lang="zh")], *two_alignments)
    assert together[name] == alone[name]
    # How many references a sentence of a table has is not open.
    assert "missing-annotator" not in codes


def test_output_with_alignments_is_one_text(
    two_alignments: tuple[Path, Path], tmp_path: Path
) -> None:
    gold_file, output_file = two_alignments
    edits = tmp_path / "output.m2"
    with edits.open("w", encoding="utf-8") as out:
        rows = [line.split("\t")[1:] for line in output_file.read_text("utf-8").splitlines()]
        get_format("m2-zh").writer(annotate_rows(rows, Annotator("zh")), [out])
    assert len(load_hypothesis(edits).readings) > 1
    gleu = make_metrics(["gleu"])
    expected, _ = prepared_scores(gleu, gold_file, output_file)
    assert prepared_scores(gleu, gold_file, edits)[0] == expected
