"""Short names of systems are short and different."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from geceval.report.short_names import LONGEST, short_names

NAMES = st.lists(st.text("ab-_…", min_size=1, max_size=50), min_size=1, max_size=6, unique=True)


@given(NAMES)
def test_short_names_differ(names: list[str]) -> None:
    found = short_names(names)

    assert len(set(found)) == len(names)
    for name, short in zip(names, found, strict=True):
        assert short == name or len(short) <= LONGEST


def test_names_that_fit_stay() -> None:
    assert short_names(["CAMB", "x" * LONGEST]) == ["CAMB", "x" * LONGEST]


def test_one_long_name_loses_its_middle() -> None:
    assert short_names(["the-only-system-with-such-a-long-name"]) == ["the-only-syst…-long-name"]


def test_names_keep_what_fits_beside_what_differs() -> None:
    names = [
        f"my-experiment-with-t5-xxl-and-many-words-checkpoint-{number}000-beam-{number}"
        for number in range(1, 4)
    ]
    assert short_names(names) == [f"…{number}000-beam-{number}" for number in range(1, 4)]


def test_a_name_that_others_continue_is_not_just_an_ellipsis() -> None:
    name = "the-only-system-with-such-a-long-name"
    short = short_names([name, f"{name}-2"])
    assert short == ["…a-long-name", "…a-long-name-2"]


def test_names_of_many_words_are_shortened_at_once() -> None:
    names = [("word " * 20_000) + number for number in "ab"]
    assert [name[-1] for name in short_names(names)] == ["a", "b"]
