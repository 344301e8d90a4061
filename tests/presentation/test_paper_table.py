"""Tables as papers print them."""

from __future__ import annotations

import re

import pytest

from geceval.presentation.paper_table import DAGGER, ColumnGroup, PaperCell, PaperTable


def table(*names: str, groups: tuple[ColumnGroup, ...] = (ColumnGroup("", ("F",)),)) -> str:
    n_cells = sum(len(group.headings) for group in groups)
    rows = tuple(((name,), (PaperCell("1.00"),) * n_cells) for name in names)
    return PaperTable(("System",), groups, rows, "A caption.", "x").as_latex()


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (PaperCell("-1.00"), "$-$1.00"),
        (PaperCell("<0.001"), r"\textless{}0.001"),
        (PaperCell("2.00", is_bold=True), r"\textbf{2.00}"),
        (PaperCell("2.00", mark=DAGGER), r"2.00\rlap{\textsuperscript{\textdagger}}"),
    ],
)
def test_paper_cell(cell: PaperCell, expected: str) -> None:
    assert cell.latex == expected


def test_paper_table_has_titles_of_groups_only_if_there_are_any() -> None:
    assert "cmidrule" not in table("a")
    groups = ColumnGroup("M²", ("P", "R", "F0.5")), ColumnGroup("", ("GLEU",))
    lines = table("a", groups=groups).splitlines()
    assert r" & \multicolumn{3}{c}{M\textsuperscript{2}} &  \\" in lines
    assert r"\cmidrule(lr){2-4}" in lines
    assert r"System & P & R & F\textsubscript{0.5} & GLEU \\" in lines


def test_paper_table_breaks_long_names() -> None:
    name = "a_very_long_name_" + "x" * 40
    text = table("short", name)
    assert r"\begin{tabular}{p{0.3\linewidth}r}" in text
    [line] = [line for line in text.splitlines() if line.startswith("a\\_")]
    shown = line.partition(" & ")[0]
    assert shown.replace(r"\allowbreak{}", "").replace("\\", "") == name
    assert max(map(len, shown.split(r"\allowbreak{}"))) <= 17
    assert "allowbreak" not in table("short")


@pytest.mark.parametrize(
    "name", ["[x]", "*", "100%&#$_^~{}", "\\input{/etc/passwd}", "a\nb", "→|<"]
)
@pytest.mark.parametrize("more", ["", " and" * 10])
def test_paper_table_escapes_names(name: str, more: str) -> None:
    lines = table(name + more).splitlines()
    [row] = [line for line in lines if line.endswith(r" & 1.00 \\")]
    left = re.sub(
        r"\\text\w+\{\}|\\allowbreak\{\}|\\[%&#$_{}]|\{[\[*]\}", "", row[: -len(r" & 1.00 \\")]
    )
    assert "\\" not in left
    assert not set(left) & set("%&#$_^~{}")
    assert not row.lstrip().startswith(("[", "*"))


def test_paper_table_refuses_rows_of_another_size() -> None:
    rows = ((("a",), ()),)
    with pytest.raises(ValueError, match="does not match its header"):
        PaperTable(("System",), (ColumnGroup("", ("F",)),), rows, "", "x")


def test_paper_table_comments_stay_comments() -> None:
    text = PaperTable(("System",), (), (), "", "x", ("m2\n\\input{x}",)).as_latex()
    assert text.splitlines()[-1] == "% m2\\n\\input{x}"
