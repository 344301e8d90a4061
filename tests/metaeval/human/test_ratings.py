"""Ratings of single outputs, and GMEG-Data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from geceval.errors import FormatError, GecevalError
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.resampling import Resampling, resampled_rows
from geceval.formats import Findings
from geceval.formats.inputs import Input
from geceval.metaeval.correlation import pearson
from geceval.metaeval.human.gmeg_data import load_gmeg, paths
from geceval.metaeval.human.judgment_files import read_judgments
from geceval.metaeval.human.judgments import Judgments
from geceval.metaeval.human.rankings import SentenceOutcomes
from geceval.metaeval.human.ratings import (
    is_rated,
    mean_ratings,
    rating_correlation,
    rating_table,
)
from geceval.metaeval.human.resampled import resampled_rankings
from geceval.metaeval.human.study import study
from human_examples import CORPUS, SYSTEMS, ranked, write_gmeg

RATINGS = """system,sentence,judge,rating
A,0,anna,80
B,0,anna,60.5
src,0,anna,60.5
A,0,ben,90
B,0,ben,70
A,2,anna,10
B,2,anna,20
src,2,anna,
"""


def read(text: str) -> Judgments:
    return read_judgments(Input.from_text(text, findings=Findings()), "rated")


def test_ratings_rank_the_outputs_of_a_judge() -> None:
    found = read(RATINGS)
    assert found.systems == ("A", "B", "INPUT")
    first = found.items[0]
    assert [(place.systems, place.rank, place.rating) for place in first.places] == [
        (("A",), 1, 80.0), (("B",), 2, 60.5), (("INPUT",), 2, 60.5),
    ]  # fmt: skip
    assert found.judges == ("anna", "ben")
    assert is_rated(found)
    assert not is_rated(ranked("A>B"))


def test_ratings_may_be_tab_separated_and_without_judges() -> None:
    found = read("sentence\tsystem\trating\n3\tA\t1\n3\tB\t-2.5\n")
    assert found.judges == ("",)
    assert found.items[0].places[1].rating == -2.5


def test_ratings_table_and_means() -> None:
    found = read(RATINGS)
    np.testing.assert_array_equal(rating_table(found), [[85, 10], [65.25, 20], [60.5, np.nan]])
    ranking = mean_ratings(found)
    assert ranking.scores == {"INPUT": 60.5, "A": 47.5, "B": 42.625}
    assert ranking.note == "not all outputs were rated (1 to 2 of a system)"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("A,0,anna,good", "line 2: expected a rating, found 'good'"),
        ("A,0,anna,nan", "line 2: expected a rating, found 'nan'"),
        ("A,first,anna,1", "line 2: expected the number of a sentence, found 'first'"),
        (",0,anna,1", "line 2: expected the name of a system, found nothing"),
        ("A B,0,anna,1", "line 2: expected one system in a row of ratings"),
        ("A,0,anna", "line 2: expected 4 fields, found 3"),
        ("A,0,anna,1\nA,0,anna,2", "line 3: A is rated twice in the sentence 0 by anna"),
        ("A,0,anna,", "no judgments found"),
    ],
)
def test_ratings_bad_rows_are_named(row: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(f"system,sentence,judge,rating\n{row}\n")


def test_ratings_resampled_means_are_those_of_the_sentences() -> None:
    found = read(RATINGS)
    rows = resampled_rows(2, Resampling(6, seed=3))
    samples = resampled_rankings(found, SentenceOutcomes.of(found), found.sentences, rows)[
        "mean rating"
    ]
    table = rating_table(found)
    for number, row in enumerate(rows[0]):
        assert samples["A"][number] == pytest.approx(table[0, row].mean())
        known = table[2, row][~np.isnan(table[2, row])]
        assert samples["INPUT"][number] == pytest.approx(
            known.mean() if len(known) else np.nan, nan_ok=True
        )


def test_ratings_correlate_with_sentence_scores() -> None:
    scores = {"A": np.array([0.9, 0.1]), "B": np.array([0.5, 0.3])}
    found = rating_correlation(read(RATINGS), scores, ["A", "B"])
    assert found["pearson"] == pearson([0.9, 0.1, 0.5, 0.3], [85, 10, 65.25, 20])


def test_ratings_study_has_the_mean_rating_first(tmp_path: Path) -> None:
    write_gmeg(tmp_path)
    findings = Findings()
    data = load_gmeg(tmp_path, "wiki", "test", findings)
    assert [finding.message for finding in findings] == [
        "1 outputs have no rating",
        "no output of ref: rated, but not correlated with metrics",
    ]
    assert data.corpus.annotators == ("0", "1")
    (one,) = study(
        [data.judgments], data.corpus, data.hypotheses, make_metrics(["gleu"], {}),
        resampling=Resampling(20),
    ).sets  # fmt: skip
    assert [ranking.name for ranking in one.rankings] == [
        "mean rating", "TrueSkill", "Expected Wins",
    ]  # fmt: skip
    assert one.systems == ("INPUT", "best", "good", "worst")
    assert set(one.ratings["gleu"]) == {"pearson", "spearman", "kendall"}
    assert one.ratings["gleu"]["pearson"].n == 4 * len(CORPUS) - 1
    assert one.correlations["mean rating"][0].resampled == "sentences and systems"


def test_gmeg_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match="expected dev/wiki, found none; give a copy of GMEG"):
        load_gmeg(tmp_path, "wiki", "dev", Findings())
    write_gmeg(tmp_path)
    table = tmp_path / "data" / "test" / "wiki-segment-scores.csv"
    lines = table.read_text().splitlines()
    for text, message in (
        ("\n".join(lines[:-1]), "rates 5 sentences, but the source has 6"),
        ("\n".join([*lines[:-1], "1,2"]), "line 7: expected 5 fields, found 2"),
        ("\n".join([*lines[:-1], "1,2,3,4,x"]), "line 7: expected a rating, found 'x'"),
        ("best,best\n1,2\n", "line 1: expected the names of systems"),
        ("\n".join([lines[0], *[",,,,"] * 6]), "no ratings found"),
    ):
        table.write_text(text)
        with pytest.raises(FormatError, match=message):
            load_gmeg(tmp_path, "wiki", "test", Findings())
    for path in (tmp_path / "data" / "test" / "wiki").glob("ref*"):
        path.unlink()
    with pytest.raises(GecevalError, match="expected the references ref0 to ref3, found none"):
        load_gmeg(tmp_path, "wiki", "test", Findings())


def test_gmeg_lists_its_files(tmp_path: Path) -> None:
    write_gmeg(tmp_path)
    names = {path.name for path in paths(tmp_path, ["wiki"], ["test"])}
    assert names == {
        "wiki-segment-scores.csv", "source", "ref0", "ref1", *(one.name.lower() for one in SYSTEMS),
    } - {"bad"}  # fmt: skip
