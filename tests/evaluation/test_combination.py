"""Combinations of systems: votes on edits, and the best output of each sentence."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import made_up
from geceval.errors import GecevalError, OptionError
from geceval.evaluation.combination import ORACLE, find_oracle, vote
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.metrics.base import Metric
from geceval.metrics.options import options_of
from geceval.metrics.registry import standalone_names
from geceval.model import Corpus, Edit, Hypothesis, Tokens, apply_edits, plain_edits
from strategies import apart_edits, phrases

NO_RESAMPLES = Resampling(0)
SOURCE = ("a", "b", "c", "d")


def voted(*systems: list[Edit], n_votes: int) -> Tokens:
    [tokens] = vote([SOURCE], [[own] for own in systems], n_votes=n_votes).sentences
    return tokens


def test_vote_counts_equal_spans_and_corrections() -> None:
    one, other = Edit.replace(1, 2, "x", type="R"), Edit.replace(1, 2, "x", type="S")
    assert voted([one], [other], [Edit.replace(1, 2, "y")], n_votes=2) == ("a", "x", "c", "d")
    assert voted([one], [Edit.replace(1, 3, "x c")], n_votes=2) == SOURCE


def test_vote_solves_conflicts_by_votes_then_by_the_order_of_systems() -> None:
    wide, narrow = Edit.replace(0, 3, "w"), Edit.replace(2, 3, "n")
    assert voted([wide], [narrow], [narrow], n_votes=1) == ("a", "b", "n", "d")
    assert voted([wide], [narrow], n_votes=1) == ("w", "d")
    assert voted([narrow], [wide], n_votes=1) == ("a", "b", "n", "d")
    the, an = Edit.insert(1, "the"), Edit.insert(1, "an")
    assert voted([the], [an], n_votes=1) == ("a", "the", "b", "c", "d")
    found = vote([SOURCE], [[[wide]], [[narrow]], [[the, narrow]]], n_votes=1)
    assert (found.proposed, found.accepted) == ((1, 1, 2), (0, 1, 2))
    assert (found.outvoted, found.conflicting) == (0, 1)


def test_vote_keeps_insertions_beside_replacements() -> None:
    edits = [Edit.insert(1, "x"), Edit.insert(1, "y"), Edit.replace(1, 2, "z")]
    assert voted(edits, edits, n_votes=2) == ("a", "x", "y", "z", "c", "d")


@pytest.mark.parametrize("n_votes", [0, 3])
def test_vote_refuses_impossible_numbers(n_votes: int) -> None:
    with pytest.raises(OptionError, match="votes of 2 systems are from 1 to 2"):
        voted([], [], n_votes=n_votes)


@st.composite
def ballots(draw: st.DrawFn) -> tuple[Tokens, list[list[Edit]]]:
    tokens = draw(phrases(st.sampled_from("abc"), max_size=5))
    return tokens, draw(st.lists(apart_edits(tokens), min_size=1, max_size=4))


@given(ballots())
def test_vote_of_a_system_with_itself_is_its_output(drawn: tuple[Tokens, list[list[Edit]]]) -> None:
    tokens, (edits, *_) = drawn
    found = vote([tokens], [[edits]] * 3, n_votes=3)
    assert found.sentences == (apply_edits(tokens, edits),)


@given(ballots())
def test_vote_accepts_only_edits_with_enough_votes(drawn: tuple[Tokens, list[list[Edit]]]) -> None:
    tokens, systems = drawn
    outputs = [apply_edits(tokens, own) for own in systems]
    # One edit per difference, so that none is joined.
    own = [[list(plain_edits(tokens, output))] for output in outputs]
    for n_votes in range(1, len(systems) + 1):
        found = vote([tokens], own, n_votes=n_votes)
        [kept] = found.edits
        for edit in kept:
            assert sum(edit in edits for [edits] in own) >= n_votes
        for one, other in pairwise(kept):
            assert not one.overlaps(other)
        assert found.sentences == (apply_edits(tokens, kept),)


# The oracle.


def best_value(corpus: Corpus, systems: list[Hypothesis], metric: Metric) -> float:
    """Try all selections of outputs."""
    return max(
        metric.score(
            corpus,
            Hypothesis("any", tuple(one.sentences[row] for row, one in enumerate(choice))),
        ).value
        for choice in product(systems, repeat=len(corpus))
    )


ALWAYS_EXACT = (
    "ld-reference",
    "bleu(average=sentence)",
    "gotoscorer",
    "ter",
    "wer",
    "cer",
    "green(average=sentence)",
    "cleme(weights=none, assumption=independent)",
    "cleme2(average=sentence)",
    "pt-errant(scorer=lev, average=sentence)",
)
EXACT = (
    *ALWAYS_EXACT,
    "m2",
    "m2(beta=2)",
    "ged",
    "cleme(weights=none)",
    "pt-errant(scorer=lev)",
    "pt-m2(scorer=self)",
)
"""Where the best selection is found, with one reference and with any number."""


# Without the model and the checker, which are slow.
@pytest.mark.parametrize("spec", sorted({*EXACT, *standalone_names()} - {"grammar"}))
@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_oracle_is_the_best_selection_if_it_says_so(spec: str, seed: int) -> None:
    """Whatever metric says that it is separable must be, with one reference or two."""
    corpus = made_up.corpus(4, annotators=("0",) if seed % 2 else ("0", "1"), seed=seed)
    systems = made_up.systems(corpus, "one", "two", "three")
    [metric] = make_metrics([spec])
    if "lang" in options_of(type(metric)):
        metric = metric.with_options(lang="plain")
    found = find_oracle(corpus, systems, metric, resampling=NO_RESAMPLES)
    if spec in (EXACT if seed % 2 else ALWAYS_EXACT):
        assert found.is_exact
    if found.is_exact:
        best = best_value(corpus, systems, found.best.metric)
        assert found.best.score.value == pytest.approx(best)


@pytest.mark.parametrize("spec", ["m2", "gleu", "bleu", "errant(lang=plain)", "imeasure"])
def test_oracle_is_never_below_a_system(spec: str) -> None:
    corpus = made_up.corpus(12, absent=0.2)
    systems = made_up.systems(corpus, "one", "two", "three")
    [metric] = make_metrics([spec])
    found = find_oracle(corpus, systems, metric, resampling=Resampling(50))
    value = found.best.score.value
    assert value >= max(result.score.value for result in found.systems)
    # The combined output has the score that was found.
    assert metric.score(corpus, found.hypothesis).value == pytest.approx(value)
    assert found.best.score.signature == found.systems[0].score.signature
    assert found.best.system == ORACLE
    assert found.best.interval is not None
    assert found.best.interval.low <= value <= found.best.interval.high


def test_oracle_says_when_it_is_a_local_maximum() -> None:
    corpus = made_up.corpus(6)
    systems = made_up.systems(corpus, "one", "two")
    exact = {
        spec: find_oracle(
            corpus, systems, make_metrics([spec])[0], resampling=NO_RESAMPLES
        ).is_exact
        for spec in ("m2", "bleu", "ld-reference", "ged(ref=0, lang=plain)", "m2(beta=0)")
    }
    assert exact == {
        "m2": False,
        "bleu": False,
        "ld-reference": True,
        "ged(ref=0, lang=plain)": True,
        "m2(beta=0)": False,
    }


def test_oracle_takes_the_first_of_equal_systems() -> None:
    corpus = made_up.corpus(5)
    [one] = made_up.systems(corpus, "one")
    other = Hypothesis("other", one.sentences)
    [metric] = make_metrics(["m2"])
    found = find_oracle(corpus, [one, other], metric, resampling=NO_RESAMPLES)
    assert np.all(found.chosen == 0)


def test_oracle_needs_systems_that_correct() -> None:
    corpus = made_up.corpus(2)
    [metric] = make_metrics(["ged"])
    with pytest.raises(GecevalError, match="needs sentences and systems"):
        find_oracle(corpus, [], metric)
    labels = Hypothesis("labels", corpus.sources, ((), ()), labeled=True)
    with pytest.raises(GecevalError, match="labels of tokens but no corrections"):
        find_oracle(corpus, [labels], metric)
