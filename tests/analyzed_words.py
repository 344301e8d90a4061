"""Analyses written down word by word, for tests of rules that no model should decide."""

from __future__ import annotations

from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.lang.casing import lower_for

KNOWN = {"": None, "+": True, "-": False}


def parsed(text: str, language: str = "") -> Analysis:
    """Read "form/POS/lemma/features/known/relation …"; what is missing at the end is not known.

    The lemma is by default the form. A word is known (+) or not (-).
    """
    rows = [(*item.split("/"), *[""] * 6)[:6] for item in text.split()]
    forms, pos, lemmas, feats, known, labels = (
        [tuple(column) for column in zip(*rows, strict=True)] if rows else [()] * 6
    )
    return Analysis(
        forms,
        ("",) * len(forms),
        pos,
        tuple(lemma or form for form, lemma in zip(forms, lemmas, strict=True)),
        tuple(range(len(forms))),
        labels,
        feats=feats,
        known=tuple(KNOWN[one] for one in known),
        lower=lower_for(language),
    )
