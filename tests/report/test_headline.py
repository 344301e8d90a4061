"""The sentence on top of a report follows from its numbers."""

from __future__ import annotations

import re
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.report.headline import Headline, headline
from geceval.report.pair_tests import pair_tests
from geceval.report.results import Results
from geceval.report.score_records import add_rank_ranges
from report_examples import example_results

LEVEL = 0.95


def results_of(
    scores: dict[str, list[float | None]],
    p_values: dict[tuple[str, str, str], float] | None = None,
    outcomes: dict[str, tuple[int, int]] | None = None,
) -> Results:
    """Make results from the scores of systems by metric, and from p-values of pairs.

    `outcomes` are correct and wrong edits.
    """
    results = example_results(3)
    names = [chr(ord("A") + place) for place in range(len(next(iter(scores.values()))))]
    first = results["metrics"][0]
    results["systems"] = names
    results["metrics"] = [{**first, "name": name, "title": name.upper()} for name in scores]
    results["scores"] = {
        metric: {
            name: {
                "score": value,
                "interval": None,
                "parts": {},
                "rank": 1 + sum(other is not None and other > (value or -9) for other in values),
                "cluster": 1,
            }
            for name, value in zip(names, values, strict=True)
        }
        for metric, values in scores.items()
    }
    results["comparisons"] = {metric: [] for metric in scores}
    for (metric, one, other), p_value in (p_values or {}).items():
        values = [results["scores"][metric][name]["score"] for name in (one, other)]
        is_known = None not in values
        results["comparisons"][metric].append(
            {
                "first": one,
                "second": other,
                "difference": values[1] - values[0] if is_known else None,  # type: ignore[operator]
                "interval": None,
                "p": p_value,
                "p_adjusted": p_value if is_known else 1.0,
            }
        )
    results["outcomes"] = {
        name: {"correct": right, "wrong fix": 0, "wrong": wrong, "missed": 1}
        for name, (right, wrong) in (outcomes or {}).items()
    }
    add_rank_ranges(results)
    return results


@st.composite
def random_results(draw: st.DrawFn) -> Results:
    """Few different scores, so that ties are frequent; tests for all pairs or for none."""
    n_systems = draw(st.integers(1, 6))
    names = [chr(ord("A") + place) for place in range(n_systems)]
    score = st.sampled_from([None, -0.1, 0.0, 0.25, 0.2501, 0.5, 0.75])
    values = st.lists(score, min_size=n_systems, max_size=n_systems)
    scores = {f"m{number}": draw(values) for number in range(draw(st.integers(1, 5)))}
    p_values = {}
    if draw(st.booleans()):
        p_values = {
            (metric, one, other): draw(st.sampled_from([0.001, 0.049, 0.05, 0.3, 1.0]))
            for metric in scores
            for one, other in combinations(names, 2)
        }
    edits = st.tuples(st.integers(0, 500), st.integers(0, 500))
    outcomes = {name: draw(edits) for name in names} if draw(st.booleans()) else {}
    return results_of(scores, p_values, outcomes)


@given(random_results())
def test_headline_names_no_uncertain_leader_as_certain(results: Results) -> None:
    found = headline(results)
    scores = {name: record["score"] for name, record in results["scores"]["m0"].items()}
    known = [score for score in scores.values() if score is not None]
    tests = pair_tests(results, "m0")
    text = str(found)

    # Brute force, from the records.
    def beats(one: str, other: str) -> bool:
        return any(
            {row["first"], row["second"]} == {one, other}
            and row["p_adjusted"] < 1 - LEVEL
            and scores[one] > scores[other]  # type: ignore[operator]
            for row in results["comparisons"]["m0"]
            if scores[one] is not None and scores[other] is not None
        )

    best = [name for name, score in scores.items() if known and score == max(known)]
    assert list(found.leaders) == best
    for one, other in permutations(scores, 2):
        verdict = tests[one, other].verdict if (one, other) in tests else "untested"
        assert (verdict == "win") == beats(one, other)
    is_certain = len(best) == 1 < len(scores) and all(
        beats(best[0], other) for other in scores if other != best[0]
    )
    assert found.is_certain == is_certain
    assert ("is the best" in text) == is_certain
    is_tested = bool(results["comparisons"]["m0"])
    close = [
        other
        for other in scores
        if other not in best and any(not beats(one, other) for one in best)
    ]
    lead = "".join(phrase.text for phrase in found.lead)
    assert ("is not significant" in lead) == bool(best and is_tested and close)
    assert ("significantly ahead" in lead) == bool(
        is_tested and len(scores) > len(best) > 0 and not close
    )
    is_open = len(best) == 1 < len(scores) and is_tested and not is_certain
    assert ("were not tested" in text) == (len(best) == 1 < len(scores) and not is_tested)
    if is_open:
        low, high = results["scores"]["m0"][best[0]]["rank_range"]
        assert f"(ranks {low}–{high})" in text or f"(rank {low})" in text
        # Somebody whose difference is not significant is named.
        assert {phrase.system for phrase in found.lead[2:] if phrase.system} <= set(close)
        assert found.lead[2].system in close


@given(random_results())
def test_headline_puts_nobody_first_whom_a_metric_does_not(results: Results) -> None:
    found = headline(results)
    lead_names = {phrase.system for phrase in found.lead if phrase.system}
    other_names = {phrase.system for phrase in found.others if phrase.system}
    best = set(found.leaders)
    for metric in results["metrics"][1:]:
        scores = {name: one["score"] for name, one in results["scores"][metric["name"]].items()}
        known = [score for score in scores.values() if score is not None]
        best |= {name for name, score in scores.items() if known and score == max(known)}
    assert other_names <= best
    assert lead_names <= set(results["systems"])
    text = str(found)
    assert text.endswith(".")
    assert "None" not in text
    assert "nan" not in text


@given(random_results())
def test_headline_claims_no_significance_that_a_metric_does_not_have(results: Results) -> None:
    """Each clause on few metrics names them, the system that they put first, and the leader."""
    others = both(headline(results))[1]
    pattern = (
        r"((?:M\d(?:, | and )?)+) puts? ([A-F]) first, "
        r"(though not )?(always )?significantly ahead of ([A-F])"
    )
    for titles, system, is_not, always, leader in re.findall(pattern, others):
        verdicts = {
            pair_tests(results, title.lower())[system, leader].verdict
            for title in re.findall(r"M\d", titles)
        }
        expected = {"win", "undecided"} if always else {"undecided"} if is_not else {"win"}
        assert verdicts == expected
    if "other metrics" not in others:
        assert others.count("significantly ahead") == len(re.findall(pattern, others))


def both(found: Headline) -> list[str]:
    return ["".join(phrase.text for phrase in part) for part in (found.lead, found.others)]


def test_headline_of_one_system() -> None:
    results = results_of({"m0": [0.3125], "m1": [0.5]})
    results["scores"]["m0"]["A"]["interval"] = (0.25, 0.375)
    assert both(headline(results)) == [
        "A scores 0.312 by M0 (95 % interval 0.250 to 0.375).",
        "",
    ]


def test_headline_of_two_systems() -> None:
    scores: dict[str, list[float | None]] = {"m0": [0.2, 0.4]}
    sure = results_of(scores, {("m0", "A", "B"): 0.01})
    unsure = results_of(scores, {("m0", "A", "B"): 0.06})
    untested = results_of(scores)
    assert (
        str(headline(sure)) == "B is the best by M0 with 0.400 (rank 1), significantly ahead of A."
    )
    assert str(headline(unsure)) == (
        "B leads by M0 with 0.400 (ranks 1–2), but its lead over A is not significant."
    )
    assert str(headline(untested)) == (
        "B has the highest score by M0, 0.400; differences were not tested."
    )


def test_headline_of_equal_scores() -> None:
    results = results_of(
        {"m0": [0.5, 0.5, 0.4], "m1": [0.5, 0.5, 0.5]},
        {("m0", one, other): 0.5 for one, other in combinations("ABC", 2)},
    )
    assert both(headline(results)) == [
        "A and B share the best score by M0: 0.500; their lead over C is not significant.",
        "M1 puts A, B and C first.",
    ]


def test_headline_of_equal_scores_that_are_ahead() -> None:
    results = results_of(
        {"m0": [0.5, 0.5, 0.4], "m1": [0.3, 0.3, 0.2]},
        {("m0", one, "C"): 0.01 for one in "AB"} | {("m0", "A", "B"): 1.0},
    )
    assert both(headline(results)) == [
        "A and B share the best score by M0: 0.500, significantly ahead of C.",
        "M1 agrees.",
    ]


def test_headline_does_not_call_first_what_is_ahead_of_the_leader_only() -> None:
    """By the other metric, B is significantly ahead of A, the leader, but not of C."""
    results = results_of(
        {"m0": [0.5, 0.4, 0.4], "m1": [0.1, 0.3, 0.2]},
        {("m1", "A", "B"): 0.01, ("m1", "A", "C"): 0.2, ("m1", "B", "C"): 0.4},
    )
    assert both(headline(results))[1] == "M1 puts B first, significantly ahead of A."


def test_headline_of_metrics_that_differ_in_significance() -> None:
    results = results_of(
        {"m0": [0.5, 0.4], "m1": [0.1, 0.3], "m2": [0.1, 0.2]},
        {("m0", "A", "B"): 0.4, ("m1", "A", "B"): 0.01, ("m2", "A", "B"): 0.2},
    )
    assert both(headline(results))[1] == (
        "M1 and M2 put B first, though not always significantly ahead of A."
    )


def test_headline_without_scores() -> None:
    assert str(headline(results_of({"m0": [None, None]}))) == "No system has a score by M0."


def test_headline_tells_scores_apart() -> None:
    """The next score is not the same when both are rounded."""
    results = results_of({"m0": [0.37312, 0.37308]}, {("m0", "A", "B"): 0.4})
    assert "A leads by M0 with 0.3731 " not in str(headline(results))
    assert "A leads by M0 with 0.37312 " in str(headline(results))


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (
            {"A": (300, 300), "B": (30, 10)},
            ": B makes fewer edits (40 versus 600; 75 % versus 50 % of them correct).",
        ),
        (
            {"A": (30, 10), "B": (300, 300)},
            ": B makes more edits (600 versus 40; 50 % versus 75 % of them correct).",
        ),
        ({"A": (30, 10), "B": (0, 0)}, ": B makes no edits."),
        ({"A": (30, 10), "B": (31, 10)}, "."),
        ({"A": (0, 0), "B": (31, 10)}, "."),
        ({}, "."),
    ],
)
def test_headline_says_what_differs(outcomes: dict[str, tuple[int, int]], expected: str) -> None:
    results = results_of(
        {"m0": [0.5, 0.4], "m1": [0.1, 0.2]},
        {("m0", "A", "B"): 0.01, ("m1", "A", "B"): 0.01},
        outcomes,
    )
    assert both(headline(results))[1] == f"M1 puts B first, significantly ahead of A{expected}"


def test_headline_gives_a_reason_that_the_numbers_have() -> None:
    results = results_of(
        {"m0": [0.5, 0.4], "m1": [-0.1, 0.2]},
        {("m0", "A", "B"): 0.01, ("m1", "A", "B"): 0.01},
        {"A": (300, 300), "B": (30, 10)},
    )
    results["baselines"] = [
        {"name": "doing nothing", "kind": "floor", "scores": {"m0": 0.0, "m1": 0.0}}
    ]
    assert (
        "M1 puts B first, significantly ahead of A: by that metric, even doing nothing beats A,"
        " which makes 600 edits, B only 40." in str(headline(results))
    )
    # An unknown score is not one of zero, which would be more than that of A.
    results["baselines"][0]["scores"]["m1"] = None
    assert "doing nothing" not in str(headline(results))
    results["baselines"] = []
    parts = results["scores"]["m1"]
    parts["A"]["parts"], parts["B"]["parts"] = (
        {"precision": 0.3, "recall": 0.4},
        {"precision": 0.5, "recall": 0.2},
    )
    assert ": B has the higher precision (0.500 versus 0.300)." in str(headline(results))
    parts["B"]["parts"]["recall"] = 0.5
    assert "higher" not in str(headline(results))


def test_headline_counts_many_metrics() -> None:
    results = results_of({f"m{number}": [0.5, 0.4] for number in range(6)})
    assert both(headline(results))[1] == "All 5 other metrics agree."
    results["scores"]["m5"]["A"]["score"] = 0.1
    assert both(headline(results))[1].startswith("4 of the 5 other metrics agree; M5 puts B first")


def test_headline_counts_further_leaders() -> None:
    scores: dict[str, list[float | None]] = {"m0": [0.9, 0.1, 0.1, 0.1]}
    for number, place in enumerate((1, 2, 3), 1):
        scores[f"m{number}"] = [0.1 + 0.5 * (place == other) for other in range(4)]
    text = both(headline(results_of(scores)))[1]
    assert text == "M3 puts another system first; M2 puts C first; M1 puts B first."
