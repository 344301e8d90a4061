"""Gold edits typed as the metric types the edits of systems."""

from __future__ import annotations

from dataclasses import replace

import pytest

import made_up
from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
from geceval.evaluation.resampling import Resampling
from geceval.extraction.annotator import Annotator
from geceval.extraction.corpus import retype
from geceval.metrics.errant import Errant
from geceval.metrics.maxmatch import M2
from geceval.model import apply_edits
from geceval.report.collect import collect
from geceval.report.consistency import find_problem
from geceval.report.retyping import has_foreign_types


def test_types_of_another_vocabulary_are_assigned_anew() -> None:
    """One edit found, one missed, one wrong: all of types of the metric."""
    edits = (Edit(0, 1, (("the",),), "ArtOrDet"), Edit(1, 2, (("cats",),), "Nn"))
    gold = Corpus((Sentence(("a", "cat", "see"), (Annotation("0", edits),)),))
    output = Hypothesis("h", (("the", "cat", "sea"),))
    found = collect(gold, [output], [M2(), Errant(lang="plain")], resampling=Resampling(0))

    assert set(found["types"]["errant"]["h"]) > {"ArtOrDet", "Nn"}
    types = found["retyped"]["h"]
    assert not {"ArtOrDet", "Nn"} & set(types)
    totals = [sum(one[key] or 0 for one in types.values()) for key in ("tp", "fp", "fn", "gold")]
    assert totals == [1, 1, 1, 2]
    names = [found["sentences"]["types"][number] for number in found["sentences"]["retyped"][0][0]]
    annotator = Errant(lang="plain").annotator
    source = ("a", "cat", "see")
    [first] = annotator.annotate(source, ("the", "cat", "see"))
    [second] = annotator.annotate(source, ("a", "cats", "see"))
    assert names == [first.type, second.type]
    assert find_problem(found) is None


def test_edits_that_are_known_are_not_typed_again() -> None:
    """Those that were extracted have their types; others are typed as before."""
    gold = [replace(sent, raw=None) for sent in made_up.corpus(40)]
    annotator = Annotator("plain")
    pairs = [
        (sent.tokens, apply_edits(sent.tokens, ann.edits))
        for sent in gold
        for ann in sent.annotations
    ]
    known = dict(zip(pairs, annotator.annotate_pairs(pairs), strict=True))
    expected = retype(gold, annotator, minimize=False)
    assert retype(gold, annotator, minimize=False, known=known) == expected
    renamed = {
        pair: tuple(replace(edit, type="KNOWN") for edit in edits) for pair, edits in known.items()
    }
    found = retype(gold, annotator, minimize=False, known=renamed)
    types = [edit.type for sent in found for ann in sent.annotations for edit in ann.edits]
    assert 0 < types.count("KNOWN") < len(types)


def test_totals_are_those_of_the_metric() -> None:
    gold = made_up.corpus(60)
    systems = made_up.systems(gold, "one", "two")
    found = collect(gold, systems, [Errant(lang="plain")], resampling=Resampling(0))

    for name, types in found["retyped"].items():
        parts = found["scores"]["errant"][name]["parts"]
        for key in ("tp", "fp", "fn"):
            assert sum(one[key] or 0 for one in types.values()) == parts[key]
        assert all(one["precision"] is not None for one in types.values())


def test_types_of_the_same_vocabulary_stay() -> None:
    gold = made_up.corpus(30)
    metric = Errant(lang="plain", auto_gold=True)
    found = collect(gold, made_up.systems(gold, "one"), [metric], resampling=Resampling(0))

    assert not has_foreign_types(found)
    assert "retyped" not in found
    assert "retyped" not in found["sentences"]


@pytest.mark.parametrize("what", ["systems", "rows", "edits", "types"])
def test_damaged_types_are_noticed(what: str) -> None:
    gold = made_up.corpus(20)
    found = collect(
        gold, made_up.systems(gold, "one"), [Errant(lang="plain")], resampling=Resampling(0)
    )
    sentences = found["sentences"]
    row = next(n for n, gold_ in enumerate(sentences["gold"]) if any(e for _, e in gold_))
    which = next(n for n, (_, edits) in enumerate(sentences["gold"][row]) if edits)
    if what == "systems":
        found["retyped"]["other"] = {}
    elif what == "rows":
        sentences["retyped"].pop()
    elif what == "edits":
        sentences["retyped"][row][which].append(0)
    else:
        sentences["retyped"][row][which][0] = len(sentences["types"])
    assert "retyped" in str(find_problem(found))
