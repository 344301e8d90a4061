"""``geceval explain``, and what the names of types mean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from geceval.extraction.annotator import Annotator
from geceval.extraction.categories import CATEGORIES, OPERATIONS, describe
from geceval.extraction.explain import explain

SOURCE = "This wide spread propaganda benefits only to the companys ."
CORRECTED = "This widespread publicity only benefits their companies ."


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["explain", *arguments])


def loaded(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


@pytest.fixture(scope="module")
def english() -> Annotator:
    pytest.importorskip("errant")
    return Annotator("en")


@pytest.fixture(scope="module")
def figure() -> Result:
    """The worked example of the paper."""
    pytest.importorskip("errant")
    return run(SOURCE, CORRECTED)


def test_explain_alignment(figure: Result) -> None:
    assert figure.exit_code == 0
    lines = [" ".join(line.split()) for line in figure.stdout.splitlines()]
    assert lines[0] == "Alignment (linguistic), cost 6.568"
    assert "This This match 0" in lines
    assert "wide ∅ deletion 1.000" in lines
    assert (
        "spread widespread substitution 0.749 lemma 0.499 + part of speech 0 + letters 0.250"
    ) in lines
    assert (
        "benefits only only benefits transposition 1.000 number of transposed words minus 1"
    ) in lines


def test_explain_edits(figure: Result) -> None:
    blocks = [block.splitlines() for block in figure.stdout.split("\n\n")]
    assert [
        "1. wide spread → widespread  R:ORTH",
        "   Merging: 2 operations, one edit: only spaces, hyphens and apostrophes change.",
        "   R: something was replaced.",
        "   ORTH: Only case or spaces are wrong.",
        "   • ignoring spaces and case, both sides are “widespread”",
    ] in blocks
    assert [
        "4. to → ∅  U:PREP",
        "   Merging: 1 operation, one edit: no adjacent operation to merge with.",
        "   U: something was unnecessary.",
        "   PREP: A preposition is unnecessary.",
        "   • “to” is a preposition (PREP, tag IN, prep of “benefits”)",
    ] in blocks
    assert [
        "6. companys → companies  R:NOUN:INFL",
        "   Merging: 1 operation, one edit: adjacent substitutions are separate edits.",
        "   R: something was replaced.",
        "   NOUN:INFL: A noun has an inflection that does not exist.",
        "   • “companys” is not in the list of English words",
        "   • both are forms of “company”",
        "   • the word class remains NOUN",
        "   • the tag remains NNS",
        "   • the role changes: pobj of “to” → dobj of “benefits”",
        "   • the spelling of the two words is 78 % similar",
    ] in blocks


def test_explain_json() -> None:
    data = loaded(run("--lang", "plain", "--json", "a [b] likke", "a like"))
    assert data == {
        "schema": 1,
        "signature": "lang:plain|model:none|align:linguistic|merge:rules|types:plain-2",
        "source": [
            {"token": token, "pos": "", "tag": "", "lemma": token, "head": place, "label": ""}
            for place, token in enumerate(("a", "[b]", "likke"))
        ],
        "corrected": [
            {"token": token, "pos": "", "tag": "", "lemma": token, "head": place, "label": ""}
            for place, token in enumerate(("a", "like"))
        ],
        "cost": pytest.approx(1 + 0.499 + 1 / 9),
        "alignment": [
            {**spans(0, 1, 0, 1), "operation": "match", "cost": 0.0, "parts": None},
            {**spans(1, 2, 1, 1), "operation": "deletion", "cost": 1.0, "parts": None},
            {
                **spans(2, 3, 1, 2),
                "operation": "substitution",
                "cost": pytest.approx(0.499 + 1 / 9),
                "parts": {"lemma": 0.499, "pos": 0.0, "characters": pytest.approx(1 / 9)},
            },
        ],
        "edits": [
            {
                **spans(1, 2, 1, 1),
                "correction": [],
                "type": "U:OTHER",
                "meaning": CATEGORIES["OTHER"],
                "operations": 1,
                "rule": "similar",
                "reason": "a word with a similar spelling to its correction is a separate edit",
                "facts": [],
            },
            {
                **spans(2, 3, 1, 2),
                "correction": ["like"],
                "type": "R:SPELL",
                "meaning": "A word is misspelled.",
                "operations": 1,
                "rule": "similar",
                "reason": "a word with a similar spelling to its correction is a separate edit",
                "facts": ["the spelling of the two words is 80 % similar"],
            },
        ],
    }


def spans(start: int, end: int, corrected_start: int, corrected_end: int) -> dict[str, int]:
    return {
        "start": start,
        "end": end,
        "corrected_start": corrected_start,
        "corrected_end": corrected_end,
    }


def test_explain_equal_sentences_with_brackets() -> None:
    result = run("--lang", "plain", "a [b]", "a [b]")
    assert "[b]" in result.stdout
    assert "there is nothing to correct" in result.stdout


def test_explain_empty_sentence() -> None:
    data = loaded(run("--lang", "plain", "--json", "", "a"))
    assert [edit["type"] for edit in data["edits"]] == ["M:OTHER"]


def test_explain_tokenizes() -> None:
    data = loaded(run("--lang", "plain", "--tokenize", "--json", "It's.", "It is."))
    assert [word["token"] for word in data["source"]] == ["It", "'s", "."]


def test_explain_levenshtein_costs_one() -> None:
    data = loaded(run("--lang", "plain", "--align", "levenshtein", "--json", "a likke", "b like"))
    assert [(step["cost"], step["parts"]) for step in data["alignment"]] == [(1.0, None)] * 2


def test_explain_other_strategies() -> None:
    result = run("--lang", "plain", "--merge", "all-merge", "a b", "x y")
    assert "2 operations, one edit: the merging strategy is not rule-based" in result.stdout


def test_explain_needs_two_sentences() -> None:
    assert run("a").exit_code == 2


@pytest.mark.parametrize(
    ("source", "corrected", "expected"),
    [
        ("We run , we fall .", "We run . We fall .", "“we” changes only in case"),
        ("Cat sleeps .", "The cat sleeps .", "“The” is a determiner (DET, tag DT, det of “cat”)"),
        ("I want eat .", "I want to eat .", "“to” is a particle (PART, tag TO, aux of “eat”)"),
        ("I has eaten it .", "I ate it .", "both sides end in a form of “eat”"),
        ("the my car", "my the car", "both sides have the same words in a different order"),
        ("I can not swim .", "I must walk .", "they end in forms of different words"),
    ],
)
def test_explain_facts(english: Annotator, source: str, corrected: str, expected: str) -> None:
    explanation = explain(source.split(), corrected.split(), english)
    facts = [fact for explained in explanation.edits for fact in explained.facts]
    assert any(fact.startswith(expected) for fact in facts), facts


def test_explain_gives_the_edits_of_annotate(english: Annotator) -> None:
    pair = SOURCE.split(), CORRECTED.split()
    explanation = explain(*pair, english)
    assert tuple(explained.edit for explained in explanation.edits) == english.annotate(*pair)
    n_changes = sum(step.operation.kind != "M" for step in explanation.steps)
    assert sum(len(explained.operations) for explained in explanation.edits) == n_changes


@pytest.mark.parametrize(
    ("type", "meaning"),
    [
        ("M:DET", "A determiner is missing."),
        ("U:ADV", "An adverb is unnecessary."),
        ("R:PREP", "A different preposition is needed."),
        ("R:VERB:SVA", "Subject and verb do not agree."),
        ("UNK", "An error was flagged but not corrected."),
        ("NOUN", "A noun is wrong, missing or unnecessary."),
        ("R:PROPN:FORM", "A different form of a name is needed."),
        ("ArtOrDet", None),
        ("R:NOUN:ODD", None),
        ("", None),
    ],
)
def test_describe(type: str, meaning: str | None) -> None:
    assert describe(type) == meaning


def test_categories_stand_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "guide" / "types.md").read_text(encoding="utf-8")
    for name, meaning in CATEGORIES.items():
        assert f"| `{name}` | {meaning} |" in page
    for name, meaning in OPERATIONS.items():
        assert f"| `{name}` | {meaning} |" in page


# Attribution.

WRONG, OUTPUT, REFERENCE = "He go home .", "He goes the home .", "He goes home ."


def test_explain_attributes_a_score_to_edits() -> None:
    result = run("--lang", "plain", "--attribute", "m2", WRONG, OUTPUT, "--ref", REFERENCE)
    assert result.exit_code == 0, result.output
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "MaxMatch (M²): 0.0000 → 0.5556, difference +0.5556" in lines
    assert "1. go → goes +0.5556 +2.7778 +0.7778" in lines
    assert "2. ∅ → the +0.0000 -2.2222 -0.2222" in lines
    assert lines[-1].startswith("m2|beta:0.5|")


def test_explain_attribution_as_json() -> None:
    arguments = ("--lang", "plain", "--json", "--attribute", "gleu,ld-source(length=second)")
    data = loaded(run(*arguments, WRONG, OUTPUT, "--ref", REFERENCE, "--ref", WRONG))
    first, second = data["attribution"]
    assert (first["metric"], first["references"]) == ("gleu", 2)
    assert (second["metric"], second["references"]) == ("ld-source", 0)
    assert second["configuration"] == "ld-source|unit:character|length:output"
    assert [one["method"] for one in first["methods"]] == ["add", "sub", "shapley"]
    for one in (first, second):
        for method in one["methods"]:
            assert sum(method["shares"]) == pytest.approx(one["delta"])
    assert "attribution" not in loaded(run("--lang", "plain", "--json", WRONG, OUTPUT))


def test_explain_says_that_shapley_values_are_sampled() -> None:
    letters = "a b c d e f g h i j k l m n o p q r s t u v w x y z"
    output = " ".join(
        one.upper() if number % 2 else one for number, one in enumerate(letters.split())
    )
    arguments = ("--lang", "plain", "--attribute", "ld-source", "--samples", "7", "--seed", "3")
    result = run(*arguments, letters, output)
    assert result.exit_code == 0, result.output
    assert "± standard error from 7 sampled orders, seed 3" in result.stdout
    assert "13. z → Z" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--attribute", "gleu"), "gleu compares with references: give --ref"),
        (("--ref", REFERENCE), "--ref is for --attribute METRIC"),
        (("--attribute", "gluu"), "unknown metric 'gluu'; did you mean 'gleu'?"),
        (("--attribute", "grammar", "--samples", "1"), "1 is not in the range"),
    ],
)
def test_explain_wrong_attribution(arguments: tuple[str, ...], message: str) -> None:
    result = run("--lang", "plain", *arguments, WRONG, OUTPUT)
    assert result.exit_code == 2
    assert message in result.output


def test_explain_attribution_without_edits() -> None:
    result = run("--lang", "plain", "--attribute", "ld-source", WRONG, WRONG)
    assert result.exit_code == 0, result.output
    assert "LD S→O: 1.0000 → 1.0000, difference +0.0000" in result.stdout
