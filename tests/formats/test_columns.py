"""Tables whose columns are sources, references, outputs and labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import geceval
from geceval import FormatError, OptionError, UnknownNameError
from geceval.cli import main
from geceval.formats.columns import Columns, read_columns

SOURCES = ["I likes cat .", "All is well ."] * 15
REFERENCES = ["I like cats .", "All is well ."] * 15
OURS = ["I like cat .", "All is well ."] * 15
THEIRS = ["I likes cats .", "All was well ."] * 15
LEVELS = ["A", "B"] * 15
ROLES = "source=src,reference=ref,hypothesis=ours,hypothesis=theirs,slice=level"
COLUMNS = Columns.parse(ROLES)


def rows() -> list[dict[str, str]]:
    names = ("src", "ref", "ours", "theirs", "level")
    texts = zip(SOURCES, REFERENCES, OURS, THEIRS, LEVELS, strict=True)
    return [dict(zip(names, row, strict=True)) for row in texts]


@pytest.fixture(params=["data.csv", "data.tsv", "data.jsonl"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / str(request.param)
    if path.suffix == ".jsonl":
        text = "".join(json.dumps(row) + "\n" for row in rows())
    else:
        separator = "," if path.suffix == ".csv" else "\t"
        lines = [separator.join(rows()[0]), *(separator.join(row.values()) for row in rows())]
        text = "\n".join(lines) + "\n"
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_are_read(table: Path) -> None:
    content = read_columns(table, COLUMNS)
    assert content.corpus == geceval.Corpus.from_texts(SOURCES, REFERENCES, name=str(table))
    assert [one.name for one in content.hypotheses] == ["ours", "theirs"]
    assert content.labelings[0].sizes() == {"A": 15, "B": 15}


def test_columns_score_and_compare(table: Path) -> None:
    result = CliRunner().invoke(
        main, ["score", "-m", "gleu", "--columns", ROLES, str(table), "--json"]
    )
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    expected = geceval.score(OURS, SOURCES, REFERENCES, "gleu")
    first = data["results"][0]
    assert (first["system"], first["score"]) == ("ours", expected.value)
    assert first["interval"] == list(expected.interval or ())
    assert set(first["slices"]["level"]["labels"]) == {"A", "B"}
    compared = CliRunner().invoke(
        main, ["compare", "-m", "gleu", "--columns", ROLES, str(table), "--json"]
    )
    assert compared.exit_code == 0, compared.output
    assert len(json.loads(compared.stdout)["comparisons"]) == 1


def test_columns_references_may_be_lists(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    lines = [
        {"src": "a b", "ref": ["a c", "a d"], "ours": "a c"},
        {"src": "a b", "ref": ["a b", None], "ours": "a b"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    corpus = read_columns(path, Columns.parse("source=src,reference=ref,hypothesis=ours")).corpus
    assert [len(sent.annotations) for sent in corpus] == [2, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source=a,reference=b", "no column is named as hypothesis"),
        ("source=a,source=b,reference=c,hypothesis=d", "only one column can be the source"),
        ("source=a,reference=a,hypothesis=d", "the column 'a' is named twice"),
        ("source,reference=a", "expected a column as ROLE=NAME, not 'source'"),
    ],
)
def test_columns_wrong_roles(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Columns.parse(text)


def test_columns_unknown_role() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'hypothesis'"):
        Columns.parse("source=a,reference=b,hypotheses=c")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("d.csv", "src,ref\na,b\n", "line 2: unknown column 'ours'"),
        ("d.csv", "src,ref,ours\na,b\n", "line 2: expected 3 cells as in the header, found 2"),
        ("d.csv", "src,src,ours\na,b,c\n", "the header names a column twice"),
        ("d.csv", "src,ref,ours\n", "expected a row for each sentence, found none"),
        ("d.csv", 'src,ref,ours\n"a\nb",c,d\n', "expected one sentence in the column 'src'"),
        ("d.jsonl", '{"src": "a", "ref": "b", "ours": null}\n', "expected text in the column"),
        ("d.jsonl", '{"src": "a", "ref": 3, "ours": "b"}\n', "expected text in the column 'ref'"),
        ("d.jsonl", "{\n", "line 1: expected a JSON object"),
    ],
)
def test_columns_wrong_tables(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_columns(tmp_path / name, Columns.parse("source=src,reference=ref,hypothesis=ours"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--columns", "source=a", "t.csv"], "no column is named as reference"),
        (["--columns", ROLES, "--gold", "g.m2", "t.csv"], "--gold, --src and --ref exclude it"),
        (["--columns", ROLES, "t.csv", "u.csv"], "--columns takes one table, not 2 files"),
    ],
)
def test_columns_wrong_usage(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["score", "-m", "gleu", *arguments])
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
