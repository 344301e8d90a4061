"""The examples of table 2 of Dahlmeier and Ng (2012), as printed there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pytest

from geceval.metrics.maxmatch import M2
from geceval.metrics.views import SystemEdit
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, Tokens
from geceval.model.diff import changes
from reproduce.published import Comparison, Reason, published

if TYPE_CHECKING:
    from reproduce.pages import Reproduction

pytestmark = pytest.mark.reproduce

EXAMPLES = {
    "1": (
        "should basic translational unit be word",
        "should basic translational unit be a word",
        (Edit.replace(5, 6, "a word"),),
    ),
    "2": (
        "development set similar with test set",
        "development set similar to the test set",
        (Edit.replace(3, 4, "to"), Edit.insert(4, "the")),
    ),
    "3": (
        "Xinhua portion of the English Gigaword3",
        "The xinhua portion of the English Gigaword3",
        (Edit.insert(0, "The"),),
    ),
}
"""Source, hypothesis and the gold edits that the printed asterisks leave."""


def marked(tokens: Tokens, edits: Iterable[SystemEdit]) -> str:
    """Write edits as the paper does, with an asterisk before those that match no gold edit."""
    words: list[str] = []
    position = 0
    for edit in edits:
        words += tokens[position : edit.start]
        before = " ".join(tokens[edit.start : edit.end]) or "ε"
        star = "" if edit.is_correct else "*"
        words.append(f"{star}({before} → {' '.join(edit.correction) or 'ε'})")
        position = edit.end
    return " ".join((*words, *tokens[position:]))


def by_maxmatch(sent: Sentence, output: Tokens) -> Sequence[SystemEdit]:
    corpus, hypothesis = Corpus((sent,)), Hypothesis("example", (output,))
    views = M2().marked_edits(corpus, hypothesis, M2().score(corpus, hypothesis))
    assert views is not None
    assert views[0] is not None
    return views[0].edits


def by_wdiff(sent: Sentence, output: Tokens) -> Iterable[SystemEdit]:
    gold = [(edit.start, edit.end, edit.correction) for edit in sent.annotations[0].edits]
    for one in changes(sent.tokens, output):
        edit = one.start, one.end, output[one.new_start : one.new_end]
        yield SystemEdit(*edit, gold.index(edit) if edit in gold else None)


def test_maxmatch_table_2(reproduction: Reproduction) -> None:
    ours: dict[str, dict[str, str]] = {}
    for name, (source, hypothesis, gold) in EXAMPLES.items():
        sent = Sentence(tuple(source.split()), (Annotation("0", gold),))
        output = tuple(hypothesis.split())
        ours[name] = {
            "M2 scorer": marked(sent.tokens, by_maxmatch(sent, output)),
            "HOO scorer": marked(sent.tokens, by_wdiff(sent, output)),
        }
    comparison = reproduction.compare(
        Comparison.of(
            published("maxmatch-2012", "table-2"),
            ours,
            title="Table 2",
            about="Edits by M² and by a word diff. Those that match no gold edit have an asterisk.",
            reasons=[
                Reason(
                    "The paper adds a small cost to every edge that matches no gold edit, even to "
                    "unchanged words, so that a phrase of three words beats three single edges. "
                    "The official scorer 3.2, which we follow, adds it to changes only: the same "
                    "counts with the shorter edit.",
                    rows=["3"],
                    columns=["M2 scorer"],
                )
            ],
        )
    )
    assert comparison.n_equal == 5
