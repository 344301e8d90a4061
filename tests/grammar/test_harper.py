"""The checker that runs in this process."""

from __future__ import annotations

import pytest

from geceval.errors import GecevalError, UnknownNameError
from geceval.grammar import get_checker, get_ignored_rules
from geceval.grammar.base import IgnoredRules, Problem
from geceval.grammar.harper import Harper

TEXTS = ["He go home.", "All is well.", "", "It was an book 😀 with an page.", "He go home."]


def test_harper_finds_problems_where_they_are() -> None:
    found = Harper().check(TEXTS)
    assert [[(p.rule, p.start, p.end) for p in problems] for problems in found] == [
        [("PronounVerbAgreement", 3, 5)],
        [],
        [],
        [("AnA", 7, 9), ("AnA", 22, 24)],
        [("PronounVerbAgreement", 3, 5)],
    ]
    assert found[0][0].message.startswith("The form of the verb")


def test_harper_worker_count_changes_nothing() -> None:
    texts = [f"{text} He has {number} book." for number in range(60) for text in TEXTS]
    assert Harper(jobs=3).check(texts) == Harper().check(texts)


def test_harper_leaves_out_rules_and_kinds() -> None:
    text = "He go home and also to bed , yes."
    everything = Harper(ignored=IgnoredRules("nothing")).check([text])[0]
    assert {p.rule for p in everything} >= {"PronounVerbAgreement", "AvoidAndAlso", "CommaFixes"}
    counted = Harper().check([text])[0]
    assert [p.rule for p in counted] == ["PronounVerbAgreement"]


def test_harper_knows_the_variants_of_english() -> None:
    assert [p.rule for p in Harper(lang="en-US").check(["The colour."])[0]] == ["SpellCheck"]
    assert Harper(lang="en-GB").check(["The colour."]) == [[]]
    with pytest.raises(UnknownNameError, match="unknown language of Harper 'de-DE'"):
        Harper(lang="de-DE")


def test_harper_identity_names_all_that_matters() -> None:
    checker = Harper()
    label = get_ignored_rules("harper").label
    assert checker.identity == f"harper {checker.version} en-US {label}"
    assert label.startswith("detokenized-")
    assert get_ignored_rules("harper", raw_tokens=True).label.startswith("published-")


def test_get_checker_refuses_what_does_not_fit() -> None:
    with pytest.raises(UnknownNameError, match="unknown checker 'harpe'; did you mean 'harper'"):
        get_checker("harpe")
    with pytest.raises(GecevalError, match="only the checker 'languagetool' accepts the address"):
        get_checker("harper", url="http://127.0.0.1:1")


def test_left_out_label_depends_on_the_list() -> None:
    some = IgnoredRules("x", frozenset({"A"}), frozenset({"B"}))
    assert some.label == IgnoredRules("x", frozenset({"A"}), frozenset({"B"})).label
    assert some.label != IgnoredRules("x", frozenset({"B"}), frozenset({"A"})).label
    assert some.label != IgnoredRules("x", frozenset({"A", "B"})).label


def test_problem_is_a_plain_tuple() -> None:
    assert Problem("R", 0, 1, "m") == ("R", 0, 1, "m")
