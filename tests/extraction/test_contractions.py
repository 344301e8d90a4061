from __future__ import annotations

import pytest

from geceval.extraction.annotator import Annotator
from geceval.extraction.merge import Rule


@pytest.mark.parametrize("merge", ["rules", "rules-2017"])
@pytest.mark.parametrize(
    ("source", "target", "span"),
    [
        ("Je vais à le parc .", "Je vais au parc .", (2, 4)),
        ("Il parle des films .", "Il parle de les films .", (2, 3)),
    ],
)
def test_contractions_are_one_edit(
    source: str, target: str, span: tuple[int, int], merge: str
) -> None:
    annotator = Annotator("fr", model="plain", merge=merge)
    (edit,) = annotator.annotate(source, target)
    assert (edit.start, edit.end) == span
    (change,) = annotator.merge(annotator.align(source, target))
    assert change.rule is Rule.CONTRACTION


def test_contractions_of_other_languages_stay_apart() -> None:
    changes = [
        len(Annotator(name, model="plain").annotate("on va à le parc", "on va au parc"))
        for name in ("fr", "es")
    ]
    assert changes == [1, 2]
