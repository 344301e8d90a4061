"""Reading judgments, and what they say of pairs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from geceval.errors import FormatError, GecevalError
from geceval.formats import Findings
from geceval.formats.inputs import Input
from geceval.metaeval.human.judgment_files import load_judgments, read_judgments
from geceval.metaeval.human.judgments import Judgment, Judgments, Place, Preference, combined
from mutations import mutations

XML = """<?xml version="1.0" encoding="UTF-8"?>
<appraise-results>
<error-correction-ranking-result source-language="err" id="x" target-language="cor">
  <ranking-item doc-id="a" id="0" src-id="7" user="anna" duration="00:00:10">
    <translation rank="2" system="A"/>
    <translation rank="1" system="B src"/>
    <translation rank="2" system="C,D"/>
  </ranking-item>
  <ranking-item doc-id="b" id="1" src-id="8" user="ben" skipped="true"/>
  <ranking-item doc-id="c" id="2" user="ben">
    <translation rank="1" system="A"/>
  </ranking-item>
</error-correction-ranking-result>
</appraise-results>
"""

CSV = """system1rank,judgeID,system2Id,system2rank,srcIndex,system1Id
1,anna,B,2,4,A
1,anna,C,1,4,A
2,anna,C,1,4,B
3,ben,B,1,4,A
"""


def read(text: str, findings: Findings | None = None) -> Judgments:
    return read_judgments(Input.from_text(text, name="file", findings=findings), "set")


def outcomes(judgments: Judgments) -> Counter[tuple[str, str, int]]:
    """Count preferences, whichever system comes first."""
    return Counter(
        (p.first, p.second, p.outcome) if p.first < p.second else (p.second, p.first, -p.outcome)
        for judgment in judgments
        for p in judgment.preferences()
    )


def test_judgments_appraise() -> None:
    findings = Findings()
    found = read(XML, findings)
    assert found.items == (
        Judgment(7, "anna", (Place(("A",), 2), Place(("B", "INPUT"), 1), Place(("C", "D"), 2))),
        Judgment(2, "ben", (Place(("A",), 1),)),
    )
    assert findings.summary() == ["file: 1 items were skipped by the judge"]
    assert found.systems == ("A", "B", "C", "D", "INPUT")
    assert found.sentences == (2, 7)
    assert found.judges == ("anna", "ben")


def test_judgments_preferences_of_systems_and_of_outputs() -> None:
    found = read(XML)
    assert outcomes(found) == {
        ("A", "B", -1): 1, ("A", "INPUT", -1): 1, ("A", "C", 0): 1, ("A", "D", 0): 1,
        ("B", "C", 1): 1, ("B", "D", 1): 1, ("C", "INPUT", -1): 1, ("D", "INPUT", -1): 1,
        ("B", "INPUT", 0): 1, ("C", "D", 0): 1,
    }  # fmt: skip
    assert list(found.comparisons()) == [
        Preference(7, "anna", "A", "B", -1),
        Preference(7, "anna", "A", "C", 0),
        Preference(7, "anna", "B", "C", 1),
    ]


def test_judgments_wmt_rows_become_whole_items() -> None:
    found = read(CSV)
    assert found.items == (
        Judgment(4, "anna", (Place(("A",), 1), Place(("B",), 2), Place(("C",), 1))),
        Judgment(4, "ben", (Place(("A",), 3), Place(("B",), 1))),
    )


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(["1,anna,B,2,4,A", "1,anna,C,1,4,A"], id="a pair is missing"),
        pytest.param(["1,anna,B,2,4,A", "2,anna,B,1,4,A"], id="judged twice"),
    ],
)
def test_judgments_wmt_rows_stay_apart_unless_they_are_one_item(rows: list[str]) -> None:
    found = read("\n".join([CSV.split("\n", 1)[0], *rows, ""]))
    assert [len(item.systems) for item in found] == [2, 2]


def test_judgments_wmt_of_several_systems_leaves_out_what_has_no_rank() -> None:
    findings = Findings()
    text = (
        "segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,system3Id,system3rank\n"
        "0,anna,A,1,B,2,C,-1\n"
    )
    assert read(text, findings).items == (
        Judgment(0, "anna", (Place(("A",), 1), Place(("B",), 2))),
    )
    assert findings.summary() == ["file: 1 outputs were given no rank (below 1)"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file, line 1: neither Appraise XML nor WMT CSV"),
        ("a,b\n", "file, line 1: neither Appraise XML nor WMT CSV"),
        ("<appraise-results/>", "file: no judgments found"),
        ("<a><b></a>", "file, line 1: not well-formed XML"),
        (XML.replace('rank="1"', 'rank="x"', 1), "file, line 6: expected a rank, found 'x'"),
        (XML.replace('rank="1"', 'rank="0"', 1), "file, line 6: ranks begin with 1, but found 0"),
        (XML.replace('rank="1" ', "", 1), "file, line 6: expected a rank, found nothing"),
        (XML.replace('"A"', '" "', 1), "file, line 5: expected the name of a system"),
        (XML.replace('"C,D"', '"C,A"', 1), "file, line 4: one judgment ranks A twice"),
        (XML.replace('src-id="7"', 'src-id="s7"', 1), "file, line 4: expected the number of a sen"),
        (CSV.replace("system1rank", "system1Id"), "file, line 1: the header names a column twice"),
        (CSV.replace("2,4,A", "2,4", 1), "file, line 2: expected 6 fields, found 5"),
        (CSV.replace("1,anna,C,1,4,A", "1,anna,C,,4,A"), "file, line 3: expected a rank, found ''"),
        (CSV.replace("3,ben,B", "3,ben,A"), "file, line 5: one judgment ranks A twice"),
    ],
)
def test_judgments_bad_files(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert str(caught.value).startswith(message)


def test_judgments_choosing() -> None:
    found = read(XML)
    kept = found.keep_systems({"A", "D"})
    assert kept.items == (Judgment(7, "anna", (Place(("A",), 2), Place(("D",), 2))),)
    assert found.without_judges({"anna"}).judges == ("ben",)
    assert found.moved(-2).sentences == (0, 5)
    with pytest.raises(GecevalError, match=r"set has no judge 'carl' \(known: anna, ben\)"):
        found.without_judges(["carl"])


def test_judgments_combined_keeps_judges_apart() -> None:
    first, second = read(XML), read(CSV)
    both = combined([Judgments("x", first.items), Judgments("y", second.items)])
    assert both.name == "combined"
    assert both.judges == ("x:anna", "x:ben", "y:anna", "y:ben")
    assert outcomes(both) == outcomes(first) + outcomes(second)


def test_judgments_grouped_by_output() -> None:
    """Identical outputs of one rank are one place; unknown and differently ranked ones are not."""
    places = (
        Place(("A",), 1),
        Place(("B",), 1),
        Place(("C",), 2),
        Place(("X",), 1),
        Place(("Y",), 1),
    )
    same, other = ("a", "b"), ("c",)
    found = Judgments("set", (Judgment(0, "anna", places),)).grouped(
        {"A": [same], "B": [same], "C": [same], "Z": [other]}
    )
    assert found.items[0].places == (
        Place(("A", "B"), 1), Place(("C",), 2), Place(("X",), 1), Place(("Y",), 1),
    )  # fmt: skip
    assert outcomes(found) == outcomes(Judgments("set", (Judgment(0, "anna", places),)))


def test_judgments_of_nspt15_are_the_same_in_both_formats(shared_data: Path) -> None:
    """The CSV lacks the judge who is no native speaker, and knows no groups."""
    folder = shared_data / "conll14" / "human"
    findings = Findings()
    xml = load_judgments(folder / "nspt15-judgments.xml", "NSPT15", findings=findings)
    table = load_judgments(folder / "nspt15-judgments.csv", "NSPT15", findings=findings)
    assert findings.counts["skipped-judgment"] == 1
    native = xml.without_judges(["non-native"])
    assert len(native) == len(table)
    assert native.sentences == table.sentences
    assert outcomes(native) == outcomes(table)


@pytest.mark.parametrize("text", [XML, CSV], ids=["xml", "csv"])
def test_spoiled_judgments_raise_our_errors_only(text: str) -> None:
    n_refused = 0
    for spoiled in mutations(text, letters='",\r\n0-19\x00A <>=/', n=2000):
        try:
            read(spoiled)
        except GecevalError:
            n_refused += 1
    assert 500 < n_refused < 2000
