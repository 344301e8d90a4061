"""The metric ``errant``, and that it gives the numbers of ``errant_compare`` when asked."""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeAlias, get_args

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from geceval import Annotation, Corpus, Edit, GecevalError, Hypothesis, Sentence
from geceval.cli import main
from geceval.engines.threads import at_most
from geceval.errors import OptionError, UnknownNameError
from geceval.evaluation.resampling import Resampling, compare
from geceval.extraction.annotator import Annotator
from geceval.extraction.merge import STRATEGIES
from geceval.formats import load, load_hypothesis, save
from geceval.kernels.running_totals import RunningChoice
from geceval.metrics._shared.pairing import Mode, count_pairs, pair, pair_like_errant
from geceval.metrics.errant import edit_extractor
from geceval.metrics.errant.edit_extractor import Merge
from geceval.metrics.errant.metric import OTHER_TYPES, Errant
from geceval.metrics.statistics import Score
from geceval.metrics.views import EditCounts
from geceval.model import apply_edits
from oracles import errant as oracle

Line: TypeAlias = tuple[int, int, str, str, int]
Table: TypeAlias = dict[str, tuple[int, int, int]]

MODES: dict[Mode, str] = {"correction": "-cs", "span-detection": "-ds", "token-detection": "-dt"}
NOOP: Line = (-1, -1, "noop", "-NONE-", 0)
TEXT = "a b c d"


def m2(*sentences: Sequence[Line], text: str = TEXT) -> str:
    return "\n".join(
        f"S {text}\n"
        + "".join(
            f"A {start} {end}|||{kind}|||{correction}|||REQUIRED|||-NONE-|||{annotator}\n"
            for start, end, kind, correction, annotator in lines
        )
        for lines in sentences
    )


def load_both(folder: Path, hyp: str, ref: str) -> tuple[Corpus, Hypothesis]:
    (folder / "hyp.m2").write_text(hyp, encoding="utf-8")
    (folder / "ref.m2").write_text(ref, encoding="utf-8")
    corpus = load(folder / "ref.m2", format="m2")
    return corpus, load_hypothesis(folder / "hyp.m2", format="m2")


@pytest.fixture(scope="module")
def errant_compare() -> Callable[..., tuple[tuple[int, ...], Table]]:
    """The original: takes two files and options, gives its totals and its table."""
    pytest.importorskip("errant")
    main = entry_points(group="console_scripts", name="errant_compare")["errant_compare"].load()

    def run(hyp: Path, ref: Path, *options: str) -> tuple[tuple[int, ...], Table]:
        printed = io.StringIO()
        arguments = ["errant_compare", "-hyp", str(hyp), "-ref", str(ref), *options]
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
            patch.setattr(sys, "argv", arguments)
            # It leaves its files open.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)
                main()
        return read_output(printed.getvalue())

    return run


def read_output(printed: str) -> tuple[tuple[int, ...], Table]:
    """Read the rows of types, whose names may be empty, and the line of totals."""
    totals: tuple[int, ...] = ()
    rows: Table = {}
    for line in printed.split("\n"):
        if "\t" in line and line[0].isdigit():
            totals = tuple(map(int, line.split("\t")[:3]))
        numbers = line[15:].split()
        if len(numbers) == 6 and numbers[0].isdigit():
            tp, fp, fn = map(int, numbers[:3])
            rows[line[:15].strip()] = tp, fp, fn
    return totals, rows


def totals(score: Score) -> tuple[Any, ...]:
    return tuple(score.parts[name] for name in ("tp", "fp", "fn"))


def plain(table: dict[str, EditCounts]) -> Table:
    return {name: (count.tp, count.fp, count.fn) for name, count in table.items()}


def assert_equals_original(
    errant_compare: Callable[..., tuple[tuple[int, ...], Table]],
    hyp: Path,
    ref: Path,
    corpus: Corpus,
    hypothesis: Hypothesis,
    beta: float = 0.5,
) -> None:
    for mode, flag in MODES.items():
        metric = Errant(mode=mode, compat="errant-3.0.2", beta=beta)
        score = metric.score(corpus, hypothesis)
        for number, table in enumerate(
            (metric.by_operation, metric.by_category, metric.counts_by_type), 1
        ):
            expected, rows = errant_compare(hyp, ref, flag, "-cat", str(number), "-b", str(beta))
            assert totals(score) == expected
            assert plain(table(corpus, hypothesis, score)) == rows


# Made-up files with everything in them that is known to be treated oddly.
ODD: dict[str, tuple[list[Line], list[Line]]] = {
    "the gold has an insertion twice": (
        [(1, 1, "M:X", "x", 0)],
        [(1, 1, "M:X", "x", 0), (1, 1, "M:Y", "x", 0)],
    ),
    "the system has an insertion twice": (
        [(1, 1, "M:X", "x", 0), (1, 1, "M:Z", "x", 0)],
        [(1, 1, "M:Y", "x", 0)],
    ),
    "twice and wrong": ([(1, 1, "M:X", "x", 0), (1, 1, "M:Z", "x", 0)], [NOOP]),
    "two insertions at one place": (
        [(1, 1, "M:X", "x", 0)],
        [(1, 1, "M:X", "x", 0), (1, 1, "M:Y", "y", 0)],
    ),
    "unknown": ([(1, 2, "R:X", "z", 0)], [(1, 2, "UNK", "b", 0)]),
    "unknown in both": ([(1, 2, "UNK", "b", 0)], [(1, 2, "UNK", "b", 0)]),
    "no lines": ([(1, 2, "R:X", "z", 0)], []),
    "nothing at all": ([], []),
    "alternatives": ([(1, 2, "R:X", "z", 0)], [(1, 2, "R:X", "z||y", 0)]),
    "insertion before a replaced token": (
        [(4, 4, "M:X", "z", 0), (1, 1, "M:X", "q", 0)],
        [(4, 4, "M:X", "z", 0), (1, 3, "R:Y", "q", 0)],
    ),
    "noop among edits": ([(1, 2, "U:X", "", 0)], [NOOP, (1, 2, "U:X", "", 0)]),
    "past the end": ([(1, 2, "U:X", "", 0)], [(7, 9, "R:X", "x", 0), (1, 2, "U:X", "", 0)]),
    "a correction that changes nothing": ([(1, 2, "R:X", "x", 0)], [(1, 2, "R:Y", "b", 0)]),
    "types of another kind": (
        [(1, 2, "R:X", "x", 0)],
        [(1, 2, "ArtOrDet", "x", 0), (2, 3, "Um", "y", 0)],
    ),
    "later annotator first in the file": (
        [NOOP],
        [(1, 2, "R:X", "x", 1), (1, 2, "R:Y", "y", 0)],
    ),
}


@pytest.mark.filterwarnings("ignore::geceval.GecevalWarning")
@pytest.mark.parametrize("name", ODD)
def test_errant_compat_equals_original_on_odd_files(
    name: str, tmp_path: Path, errant_compare: Callable[..., Any]
) -> None:
    hyp, ref = ODD[name]
    corpus, hypothesis = load_both(tmp_path, m2(hyp), m2(ref))
    assert_equals_original(
        errant_compare, tmp_path / "hyp.m2", tmp_path / "ref.m2", corpus, hypothesis
    )


def random_lines(rng: random.Random, n_annotators: int) -> list[Line]:
    lines: list[Line] = []
    for annotator in rng.sample(range(n_annotators), rng.randint(1, n_annotators)):
        found: list[Line] = []
        for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
            start = rng.randint(0, 4)
            end = min(4, start + rng.choice([0, 0, 1, 1, 2]))
            kind = rng.choice(["M:DET", "R:NOUN", "R:NOUN:NUM", "U:PUNCT", "UNK", "ArtOrDet"])
            correction = rng.choice(["x", "y", "x y", "" if start < end else "x", "x||y"])
            found.append((start, end, kind, correction, annotator))
        lines += found or [(-1, -1, "noop", "-NONE-", annotator)]
    return lines if rng.random() < 0.95 else []


@pytest.mark.parametrize("seed", range(30))
def test_errant_compat_equals_original_on_random_files(
    seed: int, tmp_path: Path, errant_compare: Callable[..., Any]
) -> None:
    """Many sentences and annotators: F has four digits when annotators are compared."""
    rng = random.Random(seed)
    n_sentences = rng.choice([1, 10, 100, 300])
    hyp = m2(*(random_lines(rng, 1) for _ in range(n_sentences)))
    ref = m2(*(random_lines(rng, 3) for _ in range(n_sentences)))
    corpus, hypothesis = load_both(tmp_path, hyp, ref)
    beta = rng.choice([0.5, 1.0, 2.0])
    assert_equals_original(
        errant_compare, tmp_path / "hyp.m2", tmp_path / "ref.m2", corpus, hypothesis, beta
    )


def test_errant_compat_equals_original_on_conll(
    shared_data: Path, tmp_path: Path, errant_compare: Callable[..., Any]
) -> None:
    """Text in, the totals of the published tool out; a sample of CoNLL-2014."""
    pytest.importorskip("errant")
    gold = load(shared_data / "conll14" / "gold" / "official-2014.combined.m2")
    output = load_hypothesis(shared_data / "conll14" / "systems" / "CAMB.txt")
    sample = Corpus(gold.sentences[::6])
    hypothesis = Hypothesis("CAMB", output.sentences[::6])
    edits = Annotator("en").annotate_pairs(zip(sample.sources, hypothesis, strict=True))
    save(sample, tmp_path / "ref.m2")
    save(
        Corpus(
            tuple(
                Sentence(tokens, (Annotation("0", found),))
                for tokens, found in zip(sample.sources, edits, strict=True)
            )
        ),
        tmp_path / "hyp.m2",
    )
    assert_equals_original(
        errant_compare, tmp_path / "hyp.m2", tmp_path / "ref.m2", sample, hypothesis
    )


# What is put right unless compatibility is asked for.


def edit(start: int, end: int, text: str, kind: str = "R:X") -> Edit:
    return Edit(start, end, (tuple(text.split()),), kind)


def scored(system: Sequence[Edit], *gold: Sequence[Edit], **options: Any) -> Score:
    readings = tuple(Annotation(str(number), tuple(edits)) for number, edits in enumerate(gold))
    corpus = Corpus((Sentence(tuple(TEXT.split()), readings),))
    output = apply_edits(corpus.sources[0], system)
    return Errant(**options).score(corpus, Hypothesis("h", (output,), (tuple(system),)))


def test_errant_counts_equal_edits_once_each() -> None:
    comma = edit(1, 1, ",")
    assert totals(scored([comma], [comma, comma])) == (1, 0, 1)
    assert totals(scored([comma, comma], [comma])) == (1, 1, 0)
    assert totals(scored([comma], [comma, comma], compat="errant-3.0.2")) == (2, 0, 0)


def test_errant_takes_any_alternative() -> None:
    gold = Edit(1, 2, (("x",), ("y",)), "R:X")
    assert totals(scored([edit(1, 2, "y")], [gold])) == (1, 0, 0)
    assert totals(scored([edit(1, 2, "y")], [gold], compat="errant-3.0.2")) == (0, 1, 1)


def test_errant_pairs_what_leaves_most_to_others() -> None:
    """An edit with one alternative is not taken by one who finds others as well."""
    wide, narrow = Edit(1, 1, (("x",), ("y",))), Edit(1, 1, (("x",),))
    found = pair([edit(1, 1, "x"), edit(1, 1, "y")], [wide, narrow], mode="correction")
    assert found.counts == (2, 0, 0)


EDITS = st.lists(
    st.builds(
        lambda start, size, words: Edit(start, start + size, tuple((word,) for word in words)),
        st.integers(0, 3),
        st.integers(0, 2),
        st.lists(st.sampled_from("xyz"), min_size=1, max_size=2, unique=True),
    ),
    max_size=4,
)


@given(edits=EDITS, gold=EDITS, mode=st.sampled_from(get_args(Mode)))
def test_errant_counts_are_those_of_pairs(edits: list[Edit], gold: list[Edit], mode: Mode) -> None:
    assert count_pairs(edits, gold, mode=mode) == pair(edits, gold, mode=mode).counts


def test_errant_pairs_edits_of_one_type_first() -> None:
    gold = [edit(1, 1, "x", "M:A"), edit(1, 1, "y", "M:B")]
    found = pair([edit(1, 1, "z", "M:B")], gold, mode="span-detection")
    assert found.types == (["M:B"], [], ["M:A"])


@pytest.mark.parametrize("compare_edits", [pair, pair_like_errant])
def test_errant_insertion_detects_the_token_after_it(compare_edits: Any) -> None:
    found = compare_edits([edit(2, 2, "x")], [edit(1, 4, "y")], mode="token-detection")
    assert found.counts == (1, 0, 2)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("correction", (0, 1, 0)), ("span-detection", (1, 0, 0)), ("token-detection", (1, 0, 0))],
)
@pytest.mark.parametrize("flag", [edit(1, 2, "b", "UNK"), Edit(1, 2, (), "Um")])
def test_errant_flags_are_for_detection(
    mode: Mode, expected: tuple[int, int, int], flag: Edit
) -> None:
    assert totals(scored([edit(1, 2, "x")], [flag], mode=mode)) == expected


def test_errant_ignores_gold_past_the_end() -> None:
    assert totals(scored([], [edit(3, 9, "x")])) == (0, 0, 0)


def test_errant_leaves_out_sentences_that_nobody_annotated() -> None:
    assert totals(scored([edit(1, 2, "x")])) == (0, 0, 0)
    assert totals(scored([edit(1, 2, "x")], compat="errant-3.0.2")) == (0, 1, 0)


def test_errant_missing_annotators_may_have_found_nothing() -> None:
    sentences = (
        Sentence(("a", "b"), (Annotation("0", (edit(0, 1, "x"),)), Annotation("1"))),
        Sentence(("a", "b"), (Annotation("0", (edit(0, 1, "x"),)),)),
    )
    corpus = Corpus(sentences)
    unchanged = Hypothesis("h", corpus.sources, ((), ()))
    assert totals(Errant().score(corpus, unchanged)) == (0, 0, 1)
    assert totals(Errant(missing="noop").score(corpus, unchanged)) == (0, 0, 0)


# The rule by which annotators are chosen.

COUNTS = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4))


@settings(max_examples=300)
@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(COUNTS, min_size=n, max_size=n), min_size=1, max_size=30)
    ),
    st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    st.booleans(),
)
def test_errant_choice_equals_oracle(
    counts: list[list[tuple[int, int, int]]], beta: float, rounded: bool
) -> None:
    array = Errant().effective(np.array(counts, dtype=np.int64))
    mask = np.ones(array.shape[:2], dtype=np.uint8)
    choice = RunningChoice(array, mask, beta, by_errors=True, rounded=rounded)
    _, chosen = choice.choose()
    assert chosen.tolist() == oracle.choose(counts, beta=beta, rounded=rounded)


@given(st.integers(0, 3000), st.integers(1, 3000), st.integers(1, 3000))
def test_errant_choice_rounds_as_python_does(tp: int, fp: int, fn: int) -> None:
    """Of two annotators whose F is equal with four digits, the second is better only by tp."""
    first, second = (tp, fp, fn), (tp + 1, fp + 3, fn)
    counts = Errant().effective(np.array([[first, second]], dtype=np.int64))
    mask = np.ones((1, 2), dtype=np.uint8)
    _, chosen = RunningChoice(counts, mask, 0.5, by_errors=True, rounded=True).choose()
    assert chosen.tolist() == oracle.choose([[first, second]], beta=0.5, rounded=True)


def test_errant_choice_rounds_ties_to_even() -> None:
    """F of 1/32 is 0.0312 with four digits, so a slightly lower F with more right edits wins."""
    exact, lower = (1, 62, 0), (13, 807, 0)
    assert oracle.exact_f(*exact, beta=1.0) == Fraction(1, 32)
    assert oracle.exact_f(*lower, beta=1.0) < Fraction(1, 32)
    assert oracle.rounded_f(*exact, beta=1.0) == oracle.rounded_f(*lower, beta=1.0) == 0.0312
    counts = Errant().effective(np.array([[exact, lower]], dtype=np.int64))
    mask = np.ones((1, 2), dtype=np.uint8)
    _, chosen = RunningChoice(counts, mask, 1.0, by_errors=True, rounded=True).choose()
    assert chosen.tolist() == [1]


def test_errant_choice_takes_rows_in_order() -> None:
    counts = np.array([[[0, 1, 1], [0, 0, 2]], [[1, 1, 1], [0, 0, 0]]], dtype=np.int64)
    choice = RunningChoice(counts, np.ones((2, 2), dtype=np.uint8), 0.5, by_errors=True)
    totals_, chosen = choice.choose(np.array([1, 0, 1]))
    assert chosen.tolist() == [0, 1, 0]
    assert totals_.tolist() == [2, 2, 4]


# Text in, scores out.


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    def sentence(text: str, *readings: Sequence[Edit]) -> Sentence:
        annotations = (
            Annotation(str(number), tuple(edits)) for number, edits in enumerate(readings)
        )
        return Sentence(tuple(text.split()), tuple(annotations))

    return Corpus(
        (
            sentence(
                "He go to school yesterday .",
                [edit(1, 2, "went", "R:VERB:TENSE")],
                [edit(0, 2, "He did go", "R:VERB:TENSE")],
            ),
            sentence(
                "I likes cat and dog .",
                [edit(1, 2, "like", "R:VERB:SVA"), edit(2, 3, "cats", "R:NOUN:NUM"),
                 edit(4, 5, "dogs", "R:NOUN:NUM")],
            ),
            sentence("They want to playing it .", [edit(3, 4, "play", "R:VERB:FORM")]),
            sentence("All is well .", []),
        ),
        name="made up",
    )  # fmt: skip


def hypothesis(*texts: str) -> Hypothesis:
    return Hypothesis("ours", tuple(tuple(text.split()) for text in texts))


@pytest.fixture(scope="module")
def ours() -> Hypothesis:
    return hypothesis(
        "He did go to school yesterday .",
        "I like cat and dogs .",
        "They want to play it .",
        "All is good .",
    )


@pytest.fixture(scope="module")
def annotator() -> Annotator:
    return Annotator("plain")


def test_errant_extracts_edits_from_text(corpus: Corpus, ours: Hypothesis) -> None:
    pytest.importorskip("errant")
    metric = Errant()
    score = metric.score(corpus, ours)
    # "did" before "go" is minimal, the annotator's edit is not.
    assert totals(score) == (3, 2, 2)
    assert list(score.parts) == ["tp", "fp", "fn", "precision", "recall"]
    assert "|mode:correction|gold:given|macro:no|compat:no|" in score.signature
    assert "|lang:en|model:en_core_web_sm" in score.signature
    assert "|types:errant-" in score.signature
    assert plain(metric.counts_by_type(corpus, ours, score)) == {
        "M:VERB:TENSE": (0, 1, 0),
        "R:ADJ": (0, 1, 0),
        "R:NOUN:NUM": (1, 0, 1),
        "R:VERB:FORM": (1, 0, 0),
        "R:VERB:SVA": (1, 0, 0),
        "R:VERB:TENSE": (0, 0, 1),
    }


def test_errant_auto_gold_has_spans_like_the_system(corpus: Corpus, ours: Hypothesis) -> None:
    pytest.importorskip("errant")
    score = Errant(auto_gold=True).score(corpus, ours)
    assert totals(score) == (4, 1, 1)
    assert "|gold:auto|" in score.signature


def test_errant_auto_gold_keeps_flags(annotator: Annotator) -> None:
    edits = (edit(0, 2, "a x"), edit(2, 3, "c", "UNK"))
    corpus = Corpus((Sentence(("a", "b", "c"), (Annotation("0", edits),)),))
    found = hypothesis("a x z")
    options: dict[str, Any] = {"auto_gold": True, "annotator": annotator}
    assert totals(Errant(**options).score(corpus, found)) == (1, 1, 0)
    assert totals(Errant(mode="span-detection", **options).score(corpus, found)) == (2, 0, 0)


def test_errant_tables_by_operation_and_category(corpus: Corpus, annotator: Annotator) -> None:
    metric = Errant(annotator=annotator)
    found = hypothesis("He went to school .", "I like cat and dog .", "", "All is well .")
    score = metric.score(corpus, found)
    assert plain(metric.by_operation(corpus, found, score)) == {"R": (2, 0, 3), "U": (0, 2, 0)}
    assert plain(metric.by_category(corpus, found, score)) == {
        "NOUN:NUM": (0, 0, 2),
        "OTHER": (0, 2, 0),
        "VERB:FORM": (0, 0, 1),
        "VERB:SVA": (1, 0, 0),
        "VERB:TENSE": (1, 0, 0),
    }
    count = metric.by_category(corpus, found, score)["VERB:SVA"]
    assert (count.precision, count.recall, count.f) == (1.0, 1.0, 1.0)


def test_errant_types_without_operation_are_categories() -> None:
    corpus = Corpus((Sentence(("a",), (Annotation("0", (edit(0, 1, "x", "Prep"),)),)),))
    metric = Errant()
    found = Hypothesis("h", (("x",),), ((edit(0, 1, "x", "R:PREP"),),))
    score = metric.score(corpus, found)
    assert plain(metric.by_operation(corpus, found, score)) == {"": (1, 0, 0)}
    assert plain(metric.by_category(corpus, found, score)) == {"Prep": (1, 0, 0)}


def test_errant_shows_edits(corpus: Corpus, annotator: Annotator) -> None:
    metric = Errant(annotator=annotator)
    found = hypothesis("He went to school .", "I like cat and dog .", "", "All is well .")
    first, second, _, last = metric.marked_edits(corpus, found, metric.score(corpus, found))
    assert first is not None
    assert first.annotation.annotator == "0"
    assert [(one.start, one.end, one.gold) for one in first.edits] == [(1, 2, 0), (4, 5, None)]
    assert second is not None
    assert [one.correction for one in second.missed(6)] == [("cats",), ("dogs",)]
    assert last is not None
    assert last.edits == ()


def test_errant_macro_is_the_mean_over_types(corpus: Corpus, annotator: Annotator) -> None:
    metric = Errant(macro=True, annotator=annotator)
    found = hypothesis("He went to school .", "I like cats and dog .", "", "All is well .")
    statistics = metric.statistics(corpus, found)
    assert statistics.columns[:6] == (
        "tp", "fp", "fn", "tp R:NOUN:NUM", "fp R:NOUN:NUM", "fn R:NOUN:NUM",
    )  # fmt: skip
    assert statistics.columns[-1] == f"fn {OTHER_TYPES}"
    score = metric.aggregate(statistics)
    nouns = EditCounts(1, 0, 1).f
    # Nouns, form (missed), agreement, tense, and the deletions of a type the gold has not.
    assert score.value == pytest.approx((nouns + 0 + 1 + 1 + 0) / 5)
    assert score.parts["types"] == 5
    assert score.parts["micro_f"] == pytest.approx(EditCounts(3, 2, 2).f)
    assert metric.score_name == "macro F0.5"
    rows = np.random.default_rng(1).integers(0, len(corpus), size=(20, len(corpus)))
    expected = [metric.aggregate(statistics.take(row)).value for row in rows]
    assert metric.resample(statistics, rows).tolist() == expected


def test_errant_macro_of_systems_can_be_compared(corpus: Corpus, annotator: Annotator) -> None:
    """Systems have columns in common, whatever types they have."""
    metric = Errant(macro=True, annotator=annotator)
    systems = {
        "some": metric.statistics(corpus, Hypothesis("some", corpus.sources)),
        "other": metric.statistics(corpus, hypothesis("He", "I like cat and dog .", "", "")),
    }
    (comparison,) = compare(metric, systems, resampling=Resampling(50))
    assert 0 < comparison.p_value <= 1


def test_errant_macro_of_nothing_is_one() -> None:
    corpus = Corpus((Sentence(("a",), (Annotation("0"),)),))
    assert Errant(macro=True).score(corpus, Hypothesis("h", (("a",),), ((),))).value == 1.0


@pytest.mark.parametrize("macro", [False, True])
def test_errant_of_a_corpus_that_nobody_annotated(macro: bool) -> None:
    corpus = Corpus((Sentence(("a",)), Sentence(("b",))))
    metric = Errant(lang="plain", macro=macro)
    assert metric.score(corpus, Hypothesis("h", (("a",), ("c",)))).value == 1.0


def test_errant_given_edits_need_no_model(corpus: Corpus) -> None:
    """Edits of an M2 file are taken as they are, and the signature says so."""
    edits = ((edit(1, 2, "went"),), (), (), ())
    outputs = ("He went to school yesterday .", *(" ".join(s) for s in corpus.sources[1:]))
    found = Hypothesis("m2", hypothesis(*outputs).sentences, edits)
    score = Errant(model="there is no such model").score(corpus, found)
    assert totals(score) == (1, 0, 4)
    assert "|edits:given|version:" in score.signature


def test_errant_refuses_edits_of_other_sentences(corpus: Corpus) -> None:
    found = Hypothesis("m2", corpus.sources, ((edit(0, 1, "She"),), (), (), ()))
    with pytest.raises(
        GecevalError, match="the edits of m2 are not edits of sentence 1 of made up"
    ):
        Errant().score(corpus, found)


def test_errant_extracts_each_pair_once(corpus: Corpus) -> None:
    annotator = Annotator("plain")
    seen: list[Any] = []
    annotate = annotator.annotate_pairs

    def watched(pairs: Any) -> Any:
        seen.extend(pairs)
        return annotate(pairs)

    annotator.annotate_pairs = watched  # type: ignore[method-assign]
    metric = Errant(annotator=annotator)
    for name in ("some", "other"):
        found = Hypothesis(name, corpus.sources)
        metric.counts_by_type(corpus, found, metric.score(corpus, found))
    assert len(seen) == len(corpus)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "detection"}, "mode"),
        ({"compat": "errant-2.0"}, "compat"),
        ({"missing": "perhaps"}, "missing"),
        ({"merge": "all"}, "merge"),
    ],
)
def test_errant_refuses_unknown_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=f"errant: the option {message} takes "):
        Errant(**options)


def test_errant_refuses_a_bad_beta() -> None:
    with pytest.raises(OptionError, match="errant: the option beta takes a number from 0 to 1000"):
        Errant(beta=-0.5)


def test_errant_refuses_unknown_names_before_they_are_needed() -> None:
    with pytest.raises(UnknownNameError, match="language 'klingon'"):
        Errant(lang="klingon")
    with pytest.raises(UnknownNameError, match="typer 'errnat'; did you mean 'errant'"):
        Errant(typer="errnat")


def test_errant_merging_strategies_are_those_that_exist() -> None:
    assert get_args(Merge) == tuple(STRATEGIES)


# On the command line.

GOLD = m2(
    [(1, 2, "R:SPELL", "like", 0)],
    [(1, 2, "R:SPELL", "like", 0), (2, 2, "M:DET", "a", 0)],
    text="I liiike cat .",
)
OUTPUT = "I like cat .\nI like the cat .\n"


def run_score(folder: Path, *options: str) -> dict[str, Any]:
    (folder / "gold.m2").write_text(GOLD, encoding="utf-8")
    (folder / "ours.txt").write_text(OUTPUT, encoding="utf-8")
    arguments = ["score", "--gold", f"{folder}/gold.m2", f"{folder}/ours.txt", "--json"]
    arguments += ["--lang", "plain", "--resamples", "50", *(options or ("-m", "errant"))]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    (record,) = json.loads(result.stdout)["results"]
    assert isinstance(record, dict)
    return record


def test_errant_score_has_precision_of_types(tmp_path: Path) -> None:
    record = run_score(tmp_path, "-m", "errant", "--per-type")
    assert record["parts"] == {"tp": 2, "fp": 1, "fn": 1, "precision": 2 / 3, "recall": 2 / 3}
    assert record["types"] == {
        "M:DET": {
            "correct": 0, "gold": 1, "recall": 0.0,
            "tp": 0, "fp": 0, "fn": 1, "precision": 1.0, "f": 0.0,
        },
        "M:OTHER": {
            "correct": 0, "gold": 0, "recall": 1.0,
            "tp": 0, "fp": 1, "fn": 0, "precision": 0.0, "f": 0.0,
        },
        "R:SPELL": {
            "correct": 2, "gold": 2, "recall": 1.0,
            "tp": 2, "fp": 0, "fn": 0, "precision": 1.0, "f": 1.0,
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "setting", "tp"),
    [
        (["-m", "errant(mode=span-detection)"], "mode:span-detection", 3),
        (["-m", "errant", "--auto-gold"], "gold:auto", 2),
        (["-m", "errant", "--compat", "errant-3.0.2"], "compat:errant-3.0.2", 2),
        (["-m", "errant(macro=yes)"], "macro:yes", 2),
        (["-m", "errant(merge=all-merge)"], "merge:all-merge", 1),
        (["-m", "errant(align=levenshtein)"], "align:levenshtein", 1),
        (["-m", "errant(typer=universal)"], "types:universal", 2),
    ],
)
def test_errant_score_takes_options(
    tmp_path: Path, options: list[str], setting: str, tp: int
) -> None:
    record = run_score(tmp_path, *options)
    assert setting in record["signature"].split("|")
    assert record["parts"]["tp"] == tp


def test_errant_score_prints_types_and_edits(tmp_path: Path) -> None:
    run_score(tmp_path)
    arguments = ["-m", "errant", "--lang", "plain", "--per-type", "--verbose"]
    files = ["--gold", f"{tmp_path}/gold.m2", f"{tmp_path}/ours.txt"]
    result = CliRunner().invoke(main, ["score", *arguments, *files])
    assert "I {liiike → like ✓} {∅ → the ✗} {∅ → a ○} cat ." in result.stdout
    assert "2 / 0 / 0  1.00 1.00 1.00" in result.stdout


def test_errant_second_job_prefetches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next pairs are analyzed meanwhile, unless other processes need the core."""
    pytest.importorskip("spacy")
    monkeypatch.setattr(edit_extractor, "CHUNK", 2)
    sources = tuple(("He", "go", f"{number}") for number in range(5))
    corpus = Corpus(tuple(Sentence(words, (Annotation("0"),)) for words in sources))
    output = Hypothesis("h", tuple(("He", "goes", words[2]) for words in sources))
    annotator = Annotator("en")
    prefetched: list[int] = []
    prefetch = annotator.prefetch

    def counted(pairs: Sequence[tuple[Any, Any]]) -> None:
        prefetched.append(len(pairs))
        prefetch(pairs)

    monkeypatch.setattr(annotator, "prefetch", counted)
    one = Errant(annotator=annotator).statistics(corpus, output)
    with at_most(1):
        Errant(annotator=annotator, jobs=2).statistics(corpus, output)
    assert prefetched == []
    # Metrics share the extracted edits of an annotator.
    edit_extractor._caches.clear()
    two = Errant(annotator=annotator, jobs=2).statistics(corpus, output)
    assert prefetched == [2, 1, 0]
    assert two.counts.tolist() == one.counts.tolist()
