"""Tables in the forms in which people take them away."""

from __future__ import annotations

import csv
import io
import json

import pytest

from geceval.tables import FORMS, Table

TABLE = Table(
    "scores",
    "Scores",
    ("system", "F0.5", "edits"),
    (("A & B_1", 0.123456789, 12), ("50 % | \\x", None, 7)),
)


def test_table_as_csv_keeps_all_digits() -> None:
    rows = list(csv.reader(io.StringIO(TABLE.as_csv())))
    assert rows == [
        ["system", "F0.5", "edits"],
        ["A & B_1", "0.123456789", "12"],
        ["50 % | \\x", "", "7"],
    ]


def test_table_as_tsv_is_for_people() -> None:
    assert TABLE.as_tsv() == "system\tF0.5\tedits\nA & B_1\t0.1235\t12\n50 % | \\x\t\t7\n"


def test_table_as_json_has_a_mapping_for_each_row() -> None:
    assert json.loads(TABLE.as_json()) == {
        "name": "scores",
        "title": "Scores",
        "rows": [
            {"system": "A & B_1", "F0.5": 0.123456789, "edits": 12},
            {"system": "50 % | \\x", "F0.5": None, "edits": 7},
        ],
    }


def test_table_as_markdown_escapes_bars() -> None:
    assert TABLE.as_markdown() == (
        "| system | F0.5 | edits |\n"
        "| :--- | ---: | ---: |\n"
        "| A & B_1 | 0.1235 | 12 |\n"
        "| 50 % \\| \\\\x |  | 7 |\n"
    )


def test_table_as_latex_escapes_what_latex_takes_for_commands() -> None:
    assert TABLE.as_latex() == (
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "system & F0.5 & edits \\\\\n"
        "\\midrule\n"
        "A \\& B\\_1 & 0.1235 & 12 \\\\\n"
        "50 \\% | \\textbackslash{}x &  & 7 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )


def test_table_without_rows_has_every_form() -> None:
    empty = Table("empty", "Empty", ("a", "b"), ())
    assert {ending: form(empty) for ending, form in FORMS.items()} == {
        "csv": "a,b\n",
        "md": "| a | b |\n| ---: | ---: |\n",
        "tex": "\\begin{tabular}{rr}\n\\toprule\na & b \\\\\n\\midrule\n\\bottomrule\n"
        "\\end{tabular}\n",
        "json": '{\n  "name": "empty",\n  "title": "Empty",\n  "rows": []\n}\n',
    }


def test_table_refuses_rows_of_another_length() -> None:
    with pytest.raises(ValueError, match="a row of the table 'odd' does not fit its header"):
        Table("odd", "Odd", ("a", "b"), ((1,),))
