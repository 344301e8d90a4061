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
