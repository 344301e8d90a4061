"""Joined sentences give what each gives alone, whatever rules look across them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fake_languagetool import reply
from geceval.grammar.base import Problem
from geceval.grammar.languagetool import batching as joined
from geceval.grammar.languagetool.batching import (
    Mode,
    batches,
    can_be_joined,
    check_alone,
    check_batch,
    code_point,
    utf16_length,
)
from geceval.grammar.languagetool.client import Match, RejectedError, Response

WORDS = ["bad", "Bad", "good", "colour", "color", "He", "😀", "é", "(", "bad,", "stop.", "“x"]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


def ask(text: str, mode: Mode) -> Response:
    record = reply(text, mode)
    matches = tuple(
        Match(m["rule"]["id"], m["offset"], m["offset"] + m["length"], m["message"])
        for m in record["matches"]
    )
    return Response(matches, tuple(start for start, _ in record["sentenceRanges"]))


def alone(given: list[str]) -> list[list[Problem]]:
    return [check_alone(ask, text) for text in given]


@given(st.lists(texts, min_size=1, max_size=8))
@example(["The colour", "The color is"])
@example(["He came,", "he went"])
@example(["😀 bad", "a color 😀 colour bad"])
def test_joined_equals_alone(given: list[str]) -> None:
    assert check_batch(ask, given) == alone(given)


def test_joined_naively_does_not() -> None:
    """The rules of the fake server do look across sentences: this is not tested for nothing."""
    both = ask("The colour\n\nThe color", "all").matches
    assert [match.rule for match in both] == ["COHERENCY"]
    assert alone(["The colour", "The color"]) == [[], []]
    silent = ask("He came,\n\nhe went", "all").matches
    assert silent == ()
    assert [p.rule for p in check_alone(ask, "he went")] == ["CAPITAL"]


def counting() -> tuple[list[tuple[str, Mode]], Callable[[str, Mode], Response]]:
    asked: list[tuple[str, Mode]] = []

    def counted(text: str, mode: Mode) -> Response:
        asked.append((text, mode))
        return ask(text, mode)

    return asked, counted


def test_joined_asks_twice_and_alone_only_where_needed() -> None:
    asked, counted = counting()
    given = ["A bad one.", "The colour.", "All well.", "The color."]
    assert check_batch(counted, given) == alone(given)
    whole = "\n\n".join(given)
    assert asked == [
        (whole, "allButTextLevelOnly"),
        (whole, "textLevelOnly"),
        ("The color.", "all"),
    ]


def test_joined_finding_that_reaches_over_a_sentence_is_not_believed() -> None:
    def reaching(text: str, mode: Mode) -> Response:
        answer = ask(text, mode)
        wide = Match("WIDE", 0, 8, "") if "\n\n" in text and mode != "textLevelOnly" else None
        return Response((*answer.matches, wide), answer.sentences) if wide else answer

    assert check_batch(reaching, ["A bad", "B bad"]) == alone(["A bad", "B bad"])


def test_joined_borders_that_languagetool_does_not_see_are_not_believed() -> None:
    asked, counted = counting()

    def blurring(text: str, mode: Mode) -> Response:
        answer = counted(text, mode)
        starts = answer.sentences or ()
        return Response(answer.matches, starts[:1] + starts[2:])

    given = ["A bad", "B bad", "C bad"]
    assert check_batch(blurring, given) == alone(given)
    assert [text for text, mode in asked if mode == "all"] == ["A bad", "B bad"]


def test_joined_without_sentences_in_the_answer_asks_one_by_one() -> None:
    asked, counted = counting()

    def silent(text: str, mode: Mode) -> Response:
        return Response(counted(text, mode).matches, None)

    given = ["A bad", "B bad"]
    assert check_batch(silent, given) == alone(given)
    assert [text for text, mode in asked if mode == "all"] == given


def test_joined_batch_that_is_refused_is_halved() -> None:
    def strict(text: str, mode: Mode) -> Response:
        if len(text) > 12:
            raise RejectedError("answers 413: too long")
        return ask(text, mode)

    given = ["A bad", "B bad", "C bad", "D bad", "E bad"]
    assert check_batch(strict, given) == alone(given)
    with pytest.raises(RejectedError, match=r"413: too long \(for the sentence 'A bad bad bad'\)"):
        check_batch(strict, [*given, "A bad bad bad"])


def test_batches_hold_what_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joined, "LARGEST_BATCH", 10)
    given = ["12345", "123", "two\nlines", "1234567890123", "1", "2"]
    found = list(batches(given))
    assert found == [["two\nlines"], ["12345", "123"], ["1234567890123"], ["1", "2"]]
    assert list(batches(given, join=False)) == [[text] for text in given]
    assert list(batches([])) == []


@pytest.mark.parametrize(
    "text", ["a\nb", "a  b", " a", "a ", "a\u00adb", "a\u200bb", "a\u00a0b", "a\u2028b", "\ud800"]
)
def test_joined_leaves_odd_characters_alone(text: str) -> None:
    assert not can_be_joined(text)
    assert can_be_joined("a b 😀 é")


@given(st.text(alphabet="aé😀中", max_size=8))
def test_code_point_undoes_utf16(text: str) -> None:
    positions = [utf16_length(text[:number]) for number in range(len(text) + 1)]
    assert [code_point(text, position) for position in positions] == list(range(len(text) + 1))
