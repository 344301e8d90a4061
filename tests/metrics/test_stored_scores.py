"""StoredScores made elsewhere: what is read, what is refused, and what comes for nothing."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import made_up
from geceval import FormatError, GecevalError
from geceval.cli import main
from geceval.errors import OptionError
from geceval.evaluation.evaluate import evaluate, make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.metaeval.human.metric_scores import score_judged
from geceval.metrics.specs import MetricSpec, parse_specs
from geceval.metrics.stored_scores import ScoreFile, StoredScores

HEADER = "system\tsentence\tscore\n"
GOOD = HEADER + "a\t0\t0.5\na\t1\t1\nb\t1\t-2.5\nb\t0\t1e-3\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "scores.tsv"


def written(file: Path, text: str) -> Path:
    file.write_text(text, encoding="utf-8")
    return file


# Reading.


def test_scores_are_read_in_any_order_and_form(file: Path) -> None:
    expected = {"a": [0.5, 1], "b": [0.001, -2.5]}
    lines = [line.split("\t") for line in GOOD.splitlines()[1:]]
    as_json = "\n".join(
        json.dumps({"system": one, "sentence": int(two), "score": float(three), "more": []})
        for one, two, three in lines
    )
    more = "annotator\tScore\tSentence\tsystem\n" + "".join(
        f"0\t{three}\t{two}\t{one}\n" for one, two, three in lines
    )
    for text in (GOOD, GOOD.replace("\n", "\r\n") + "\n", as_json, more):
        found = ScoreFile.read(written(file, text)).scores
        assert {name: own.tolist() for name, own in found.items()} == expected
    file.write_bytes(gzip.compress(GOOD.encode()))
    assert ScoreFile.read(file).n_sents == 2


def test_scores_may_be_numbered_from_one(file: Path) -> None:
    written(file, HEADER + "a\t1\t0.5\na\t2\t1\n")
    assert StoredScores(file=file, first_sentence=1).table.scores["a"].tolist() == [0.5, 1]
    with pytest.raises(
        FormatError, match=r"numbered from 1, write scores\(file=.*first_sentence=1"
    ):
        StoredScores(file=file)
    with pytest.raises(FormatError, match="line 2: sentence 0 comes before the first, 1"):
        StoredScores(file=written(file, GOOD), first_sentence=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected a header with the columns system, sentence, score"),
        ("a\t0\t0.5\n", "line 1: expected a header"),
        ("system\tscore\tscore\tsentence\n", "line 1: expected a header"),
        (HEADER, "there are no scores"),
        (HEADER + "a\t0\n", "line 2: expected 3 columns as in the header, not 2"),
        (HEADER + "a\t0\tx\n", "line 2: expected the number of a sentence and a score, not '0' an"),
        (HEADER + "a\t0.5\t1\n", "line 2: expected the number of a sentence"),
        (HEADER + "a\t0\t\n", "line 2: expected the number of a sentence and a score, not '0' an"),
        (HEADER + "\t0\t1\n", "line 2: the system has no name"),
        (HEADER + "a\t0\tnan\n", "line 2: the score is nan; it must be finite"),
        (HEADER + "\na\t0\t1\na\t1\t-inf\n", "line 4: the score is -inf; it must be finite"),
        (HEADER + "a\t-1\t1\n", "line 2: sentence -1 comes before the first, 0"),
        (GOOD + "a\t1\t1\n", "line 6: a second score of sentence 1 of the system 'a'"),
        (GOOD + "a\t2\t1\n", "the system 'b' has no score of sentence 2; others have scores up to"),
        (HEADER + "a\t0\t1\na\t2\t1\n", "the system 'a' has no score of sentence 1"),
        ('{"system": "a", "sentence": 0}\n', "line 1: expected {"),
        ('{"system": "a", "sentence": true, "score": 1}\n', "line 1: expected {"),
        ('{"system": "a", "sentence": 0, "score": "1"}\n', "line 1: expected {"),
        ('{"system": "a", "sentence": 0, "score": 1}\n[]\n', "line 2: expected {"),
        ('{"system": "a", "sentence": 0, "score": NaN}\n', "line 1: the score is nan"),
        (f'{{"system": "a", "sentence": 0, "score": 1{"0" * 400}}}\n', "line 1: the score is inf"),
        ('{"system": "a"\n', "line 1: not valid JSON"),
    ],
)  # fmt: skip
def test_scores_that_are_wrong_are_refused(file: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError) as error:
        StoredScores(file=written(file, text))
    assert str(error.value).startswith(str(file))
    assert message in str(error.value)


def test_scores_need_a_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read: no such file or directory"):
        StoredScores(file=tmp_path / "no such file")
    with pytest.raises(OptionError, match="not standard input"):
        StoredScores(file="-")
    with pytest.raises(OptionError, match=r"scores needs file: write scores\(file=…\)"):
        make_metrics(["scores"])


# The metric.


def test_scores_are_those_of_the_system_and_its_sentences(file: Path) -> None:
    corpus = made_up.corpus(2)
    metric = StoredScores(file=written(file, GOOD))
    score = metric.score(corpus, made_up.system(corpus, "a"))
    assert (score.value, score.sentences.values.tolist()) == (0.75, [0.5, 1])
    assert metric.title == "scores from scores.tsv"
    with pytest.raises(
        GecevalError, match=r"no scores of the system 'aa'; did you mean 'a'\? \(it"
    ):
        metric.score(corpus, made_up.system(corpus, "aa"))
    longer = made_up.corpus(3)
    with pytest.raises(GecevalError, match="scores of 2 sentences, but made up has 3 sentences"):
        metric.score(longer, made_up.system(longer, "a"))


def test_scores_have_the_hash_of_the_file_in_the_signature(file: Path) -> None:
    corpus = made_up.corpus(2)
    system = made_up.system(corpus, "a")
    signatures = {
        StoredScores(file=written(file, text)).score(corpus, system).signature
        for text in (GOOD, GOOD, GOOD.replace("-2.5", "2.5"))
    }
    assert len(signatures) == 2
    assert all("|file:" in signature and str(file) not in signature for signature in signatures)


def test_scores_get_intervals_and_can_be_pickled(file: Path) -> None:
    corpus = made_up.corpus(50)
    own = np.random.default_rng(1).normal(size=50).tolist()
    text = HEADER + "".join(f"a\t{number}\t{score!r}\n" for number, score in enumerate(own))
    metric = StoredScores(file=written(file, text))
    file.unlink()
    again = pickle.loads(pickle.dumps(metric))  # noqa: S301 - our own
    (result,) = evaluate(corpus, [made_up.system(corpus, "a")], [again], resampling=Resampling(200))
    assert result.interval is not None
    assert result.interval.low < result.score.value == np.mean(own) < result.interval.high


def test_scores_of_some_sentences(file: Path) -> None:
    """Studies of judged sentences take the scores of these sentences."""
    corpus = made_up.corpus(2)
    metric = StoredScores(file=written(file, GOOD))
    systems = [made_up.system(corpus, name) for name in "ab"]
    ((found,),) = score_judged(corpus, systems, [metric], [[1]])
    assert found.scores == {"a": 1, "b": -2.5}
    with pytest.raises(GecevalError, match="scores of 2 sentences, but the gold standard has 9"):
        metric.on_sentences([1], 9)


# The command line.


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("scores:a.tsv", {"file": "a.tsv"}),
        ("Scores:a=b/c d.tsv", {"file": "a=b/c d.tsv"}),
        ("scores:'a,b.tsv'", {"file": "a,b.tsv"}),
        ("scores:a.tsv(first_sentence=1)", {"file": "a.tsv", "first_sentence": "1"}),
        ("scores(file=a.tsv)", {"file": "a.tsv"}),
    ],
)
def test_scores_are_specified_by_their_file(text: str, options: dict[str, str]) -> None:
    expected = MetricSpec("scores", options)
    assert parse_specs(text) == [expected]
    assert parse_specs(f"m2, {text} ,gleu") == [MetricSpec("m2"), expected, MetricSpec("gleu")]
    assert parse_specs(str(expected)) == [expected]


@pytest.mark.parametrize("text", ["scores:", "scores:,m2", "scores:a(file=b)", "scores:a'b'"])
def test_scores_specified_wrongly(text: str) -> None:
    with pytest.raises(OptionError):
        parse_specs(text)


@pytest.fixture
def inputs(tmp_path: Path) -> list[str]:
    """A gold standard, two systems and their scores."""
    files = {
        "gold.m2": "S He go .\nA 1 2|||V|||goes|||REQUIRED|||-NONE-|||0\n\nS Fine .\n\n" * 20,
        "one.txt": "He goes .\nFine .\n" * 20,
        "two.txt": "He go .\nFine .\n" * 20,
        "scores.tsv": HEADER
        + "".join(f"one\t{n}\t{n % 3 + 1}\ntwo\t{n}\t{n % 3}\n" for n in range(40)),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return ["--gold", *(str(tmp_path / name) for name in ("gold.m2", "one.txt", "two.txt"))]


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == 0, result.output
    return result


def test_scores_in_score_compare_and_report(inputs: list[str], tmp_path: Path) -> None:
    spec = f"scores:{tmp_path / 'scores.tsv'}"
    data = json.loads(run("score", "-m", f"m2,{spec}", *inputs, "--json").stdout)
    values = {(one["metric"], one["system"]): one["score"] for one in data["results"]}
    assert values["scores", "one"] == pytest.approx(1 + values["scores", "two"])
    compared = json.loads(run("compare", "-m", spec, *inputs, "--json").stdout)
    assert "file:" in json.dumps(compared)
    pytest.importorskip("jinja2")
    page = tmp_path / "report.html"
    run("report", "-m", f"m2,{spec}", *inputs, "-o", str(page), "--resamples", "20")
    results = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert results["scores"]["scores"]["one"]["rank"] == 1
    assert {one["scores"]["scores"] for one in results["baselines"]} <= {None}


def test_scores_are_not_overwritten_and_not_among_all(inputs: list[str], tmp_path: Path) -> None:
    table = tmp_path / "scores.tsv"
    arguments = ["-m", f"scores:{table}", *inputs, "--per-sentence", str(table)]
    result = CliRunner().invoke(main, ["score", *arguments])
    assert result.exit_code != 0
    assert table.read_text(encoding="utf-8").startswith(HEADER)
    data = json.loads(run("score", "-m", "all", *inputs, "--json").stdout)
    assert "scores" not in {one["metric"] for one in data["results"]}
    assert "scores" not in str(data["warnings"])


def test_scores_exported_by_sentence_can_be_read_again(inputs: list[str], tmp_path: Path) -> None:
    table = tmp_path / "again.tsv"
    first = json.loads(
        run("score", "-m", "ld-reference", *inputs, "--per-sentence", str(table), "--json").stdout
    )
    data = json.loads(run("score", "-m", f"scores:{table}", *inputs, "--json").stdout)
    scores = [[one["score"] for one in found["results"]] for found in (first, data)]
    assert scores[0] == pytest.approx(scores[1])
    assert len(scores[0]) == 2
