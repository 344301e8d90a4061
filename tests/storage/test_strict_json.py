"""JSON in parts is the JSON of the whole."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.errors import GecevalError
from geceval.storage.strict_json import compact_parts, dumps

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(document=DOCUMENTS, depth=st.integers(0, 4))
def test_parts_are_the_whole(document: Any, depth: int) -> None:
    assert "".join(compact_parts(document, depth)) == dumps(document, compact=True)


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_parts_say_where_a_number_is_not_finite(depth: int) -> None:
    document = {"scores": {"ours": {"values": [1, math.nan]}}}
    with pytest.raises(GecevalError, match=r"^scores\.ours\.values\[1\] is nan"):
        list(compact_parts(document, depth))
