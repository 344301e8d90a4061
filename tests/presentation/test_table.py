"""Tables in the forms in which people take them away."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable

import pytest

from geceval.presentation.table import FORMS, Table
from hostile_tables import HOSTILE_TABLE, PAYLOADS

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
    with pytest.raises(ValueError, match="a row of the table 'odd' does not match its header"):
        Table("odd", "Odd", ("a", "b"), ((1,),))


LIVE_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


@pytest.mark.parametrize("form", [Table.as_csv, Table.as_markdown, Table.as_latex])
def test_no_form_has_control_characters(form: Callable[[Table], str]) -> None:
    assert not LIVE_CONTROLS.findall(form(HOSTILE_TABLE))
    rows = len(HOSTILE_TABLE.rows)
    assert form(HOSTILE_TABLE).count("\n") == rows + {"as_csv": 1, "as_markdown": 2}.get(
        form.__name__, 6
    )


def test_csv_has_no_formulas_and_numbers_stay_numbers() -> None:
    rows = list(csv.reader(io.StringIO(HOSTILE_TABLE.as_csv())))
    assert not [cell for row in rows for cell in (row[0], row[2]) if cell.lstrip()[:1] in "=+-@＝"]
    assert rows[1][0] == "'" + PAYLOADS[0]
    assert [float(row[1]) for row in rows[1:]] == [row[1] for row in HOSTILE_TABLE.rows]
    plain = Table("plain", "Plain", ("n",), (("-0.5",), (-0.5,), ("+1e-05",), ("-",), ("a=b",)))
    assert plain.as_csv() == "n\n-0.5\n-0.5\n+1e-05\n'-\na=b\n"


def test_tsv_is_exact_but_for_control_characters() -> None:
    table = Table("t", "T", ("a", "b"), (("=1+1", "x\ty\nz\x1b"), ("<b>", "-")))
    assert table.as_tsv() == "a\tb\n=1+1\tx\\ty\\nz\\x1b\n<b>\t-\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<script>", "\\<script\\>"),
        ("[a](b) ![c](d)", "\\[a\\](b) !\\[c\\](d)"),
        ("`a` *b* _c_ snake_case ~~d~~", "\\`a\\` \\*b\\* \\_c\\_ snake_case \\~\\~d\\~\\~"),
        ("&lt; A & B &#60;", "\\&lt; A & B \\&#60;"),
        ("http://x www.y.z", "http\\://x www\\.y.z"),
        ("a\nb\x1b", "a b\\\\x1b"),
    ],
)
def test_markdown_has_no_markup_of_others(text: str, expected: str) -> None:
    row = Table("t", "T", ("a",), ((text,),)).as_markdown().split("\n")[2]
    assert row == f"| {expected} |"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\input{x}", "\\textbackslash{}input\\{x\\}"),
        ("^^5cinput", "\\textasciicircum{}\\textasciicircum{}5cinput"),
        ("[2in]", "{[}2in]"),
        (" *", " {*}"),
        ("a\n\nb\x00", "a\\textbackslash{}n\\textbackslash{}nb\\textbackslash{}x00"),
    ],
)
def test_latex_has_no_commands_of_others(text: str, expected: str) -> None:
    row = Table("t", "T", ("a",), ((text,),)).as_latex().split("\n")[4]
    assert row == f"{expected} \\\\"
