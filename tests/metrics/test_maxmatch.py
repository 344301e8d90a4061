"""MaxMatch: the kernel against its twin, the published counts, the papers' examples."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geceval import Annotation, Corpus, Edit, GecevalError, Hypothesis, MismatchError, Sentence
from geceval.formats import Findings, load, load_hypothesis
from geceval.metrics.maxmatch import M2, Level, LongEdits, is_detected
from geceval.metrics.statistics import Score
from geceval.metrics.views import count_by_type
from geceval.model import apply_edits, in_order
from oracles import levels as levels_oracle
from oracles import maxmatch as oracle
from oracles import nested as nested_oracle
from strategies import nested_edits

OFFICIAL = ("AMU", "CAMB", "CUUI", "IITB", "INPUT", "NTHU", "PKU", "RAC", "UFC")


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def corpus_of(source: str, *readings: list[Edit]) -> Corpus:
    annotations = (Annotation(str(i), tuple(edits)) for i, edits in enumerate(readings))
    return Corpus((Sentence(words(source), tuple(annotations)),))


def score_of(
    source: str, hypothesis: str, *readings: list[Edit], metric: M2 | None = None
) -> Score:
    metric = metric or M2()
    return metric.score(corpus_of(source, *readings), Hypothesis("h", (words(hypothesis),)))


def counts(score: Score) -> tuple[float, float, float]:
    return score.parts["correct"], score.parts["proposed"], score.parts["gold"]


def change(start: int, end: int, text: str, kind: str = "X", *, required: bool = True) -> Edit:
    return Edit(start, end, tuple(map(words, text.split("|"))), kind, required)


# Against the twin.

TOKENS = st.lists(st.sampled_from("abcde"), max_size=7).map(tuple)


@st.composite
def readings(draw: st.DrawFn) -> tuple[tuple[str, ...], tuple[str, ...], list[Edit]]:
    source, hypothesis = draw(TOKENS), draw(TOKENS)
    edits = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(source) + 1))
        end = draw(st.integers(start, min(start + 3, len(source) + 2)))
        # Half of the corrections are pieces of the hypothesis, so that something matches.
        left = draw(st.integers(0, len(hypothesis)))
        piece = hypothesis[left : left + draw(st.integers(0, 2))]
        options = draw(st.lists(st.one_of(st.just(piece), TOKENS.map(lambda t: t[:2])), max_size=2))
        edits.append(Edit(start, end, tuple(options), "X"))
    return source, hypothesis, edits


@settings(max_examples=1500)
@given(readings(), st.integers(0, 3), st.booleans())
def test_maxmatch_long_edits_equal_oracle(
    case: tuple[tuple[str, ...], tuple[str, ...], list[Edit]],
    max_unchanged: int,
    ignore_casing: bool,
) -> None:
    """Edits that equal a gold edit may have any number of unchanged words."""
    source, hypothesis, edits = case
    # The whole sentence is an edit with as many unchanged words as there can be.
    edits.append(Edit(0, len(source), (hypothesis,), "X"))
    edits.sort(key=lambda edit: (edit.start, edit.end))
    gold = [(edit.start, edit.end, edit.corrections) for edit in edits]
    expected = oracle.max_match(
        source,
        hypothesis,
        gold,
        max_unchanged=max_unchanged,
        match_long=True,
        ignore_casing=ignore_casing,
    )
    corpus = Corpus((Sentence(source, (Annotation("0", tuple(edits)),)),))
    metric = M2(
        max_unchanged=max_unchanged,
        long_edits="always",
        ignore_whitespace_casing=ignore_casing,
        nested="off",
    )
    statistics = metric.statistics(corpus, Hypothesis("h", (hypothesis,)))
    assert tuple(statistics.counts[0, 0].tolist()) == expected[:3]


@settings(max_examples=1500)
@given(readings(), st.integers(0, 3), st.booleans())
def test_maxmatch_kernel_equals_oracle(
    case: tuple[tuple[str, ...], tuple[str, ...], list[Edit]], max_unchanged: int, in_order: bool
) -> None:
    source, hypothesis, edits = case
    if in_order:
        edits.sort(key=lambda edit: (edit.start, edit.end))
    gold = [(edit.start, edit.end, edit.corrections) for edit in edits]
    expected = oracle.max_match(source, hypothesis, gold, max_unchanged=max_unchanged)
    corpus = Corpus((Sentence(source, (Annotation("0", tuple(edits)),)),))
    metric = M2(max_unchanged=max_unchanged, nested="off")
    statistics = metric.statistics(corpus, Hypothesis("h", (hypothesis,)))
    found = tuple(statistics.counts[0, 0].tolist())
    [[view]] = metric.all_edits(corpus, Hypothesis("h", (hypothesis,)))
    shown = [(edit.start, edit.end, edit.correction) for edit in view.edits]
    assert found[1:] == expected[1:3]
    assert oracle.cost_of(
        shown, source, hypothesis, gold, max_unchanged=max_unchanged
    ) == oracle.best_cost(source, hypothesis, gold, max_unchanged=max_unchanged)
    if in_order:
        assert found[0] == expected[0]
    marked = [edit.is_correct for edit in view.edits]
    assert sum(marked) == found[0]
    scanned = oracle.scan(shown, [edit for edit in gold if edit[1] <= len(source)])
    if oracle.n_correct(scanned) == found[0]:
        assert marked == [is_correct for *_, is_correct in scanned]
    else:
        # Several insertions at one place: a greedy scan finds fewer than the path.
        assert oracle.n_correct(scanned) < found[0]
        assert any(edit.start == edit.end for edit in edits)


@st.composite
def nested_golds(draw: st.DrawFn) -> tuple[tuple[str, ...], tuple[str, ...], list[Edit]]:
    """A source, nested edits, and an output that has the edits of some reading, or others."""
    source = draw(st.lists(st.sampled_from("abc"), max_size=6).map(tuple))
    edits = in_order(draw(nested_edits(len(source), "abc")))
    reading = draw(st.sampled_from(nested_oracle.readings(edits, len(source))))
    kept = [edit for edit in reading if draw(st.booleans())]
    return source, draw(st.one_of(st.just(apply_edits(source, kept)), TOKENS)), edits


@settings(max_examples=500)
@given(nested_golds(), st.integers(0, 3))
def test_maxmatch_nested_golds_equal_oracle(
    case: tuple[tuple[str, ...], tuple[str, ...], list[Edit]], max_unchanged: int
) -> None:
    """Each reading is scored by itself, and the best is chosen as among annotators."""
    source, hypothesis, edits = case
    is_nested = len(nested_oracle.outer_edits(edits)) < len(edits)
    readings = nested_oracle.readings(edits, len(source)) if is_nested else [edits]
    expected = []
    for reading in readings:
        gold = [(edit.start, edit.end, edit.corrections) for edit in reading]
        found = oracle.max_match(
            source, hypothesis, gold, max_unchanged=max_unchanged, match_long=is_nested
        )
        expected.append(found[:3])
    corpus = Corpus((Sentence(source, (Annotation("0", tuple(edits)),)),))
    metric = M2(max_unchanged=max_unchanged)
    statistics = metric.statistics(corpus, Hypothesis("h", (hypothesis,)))
    # The columns are in the order of the names of the readings.
    assert sorted(map(tuple, statistics.counts[0].tolist())) == sorted(expected)
    [best] = oracle.choose([expected])
    assert counts(metric.aggregate(statistics)) == expected[best]


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from("abc"), max_size=4).map(tuple),
    st.lists(st.sampled_from("abc"), max_size=4).map(tuple),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=3),
    st.integers(0, 2),
    st.sampled_from(["recognition", "detection"]),
    st.sampled_from(["always", "never"]),
)
def test_maxmatch_levels_equal_brute_force(
    source: tuple[str, ...],
    hypothesis: tuple[str, ...],
    spans: list[tuple[int, int]],
    max_unchanged: int,
    level: Level,
    long_edits: LongEdits,
) -> None:
    gold = [(start, start + size) for start, size in spans]
    edits = tuple(Edit(start, end, (("z",),), "X") for start, end in gold)
    corpus = Corpus((Sentence(source, (Annotation("0", edits),)),))
    metric = M2(level=level, max_unchanged=max_unchanged, long_edits=long_edits, nested="off")
    hypotheses = Hypothesis("h", (hypothesis,))
    found = tuple(metric.statistics(corpus, hypotheses).counts[0, 0].tolist())
    assert level != "correction"
    assert found == levels_oracle.level_counts(
        source,
        hypothesis,
        gold,
        level=level,
        max_unchanged=max_unchanged,
        match_long=long_edits == "always",
    )
    [[view]] = metric.all_edits(corpus, hypotheses)
    assert (sum(edit.is_correct for edit in view.edits), len(view.edits)) == found[:2]
    rebuilt = list(source)
    for edit in reversed(view.edits):
        rebuilt[edit.start : edit.end] = edit.correction
        if edit.gold is not None:
            assert is_detected(edits[edit.gold], edit.start, edit.end)
    assert tuple(rebuilt) == hypothesis


# Against the published counts.


def rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        yield from csv.DictReader(file, delimiter="\t")


@pytest.fixture(scope="module")
def conll(shared_data: Path) -> Path:
    return shared_data / "conll14"


@pytest.fixture(scope="module")
def gold(conll: Path) -> Corpus:
    return load(conll / "gold" / "official-2014.combined.m2", findings=Findings())


def system(conll: Path, name: str) -> Hypothesis:
    return load_hypothesis(conll / "systems" / f"{name}.txt", findings=Findings())


@pytest.mark.parametrize("name", OFFICIAL)
def test_maxmatch_conll_2014_totals(conll: Path, gold: Corpus, name: str) -> None:
    """Made by the official scorer, version 3.2."""
    [expected] = [row for row in rows(conll / "scores/m2-totals.tsv") if row["system"] == name]
    score = M2().score(gold, system(conll, name))
    assert counts(score) == tuple(int(expected[part]) for part in ("correct", "proposed", "gold"))
    assert f"{score.parts['precision']:.4f}" == expected["P"]
    assert f"{score.parts['recall']:.4f}" == expected["R"]
    assert f"{score.value:.4f}" == expected["F0.5"]


@pytest.mark.parametrize("name", OFFICIAL)
def test_maxmatch_conll_2014_each_annotator(conll: Path, gold: Corpus, name: str) -> None:
    statistics = M2().statistics(gold, system(conll, name))
    found = {
        (sentence, statistics.references[ref]): tuple(statistics.counts[sentence, ref].tolist())
        for sentence, ref in zip(*np.nonzero(statistics.mask), strict=True)
    }
    expected = {
        (int(row["sent"]), row["annotator"]): tuple(
            int(row[part]) for part in ("correct", "proposed", "gold")
        )
        for row in rows(conll / "scores/m2-counts-by-annotator.tsv")
        if row["system"] == name
    }
    assert found == expected


def chosen(score: Score, references: tuple[str, ...]) -> list[tuple[str, int, int, int]]:
    view = score.sentences
    return [
        (
            references[ref],
            *(int(view.parts[part][number]) for part in ("correct", "proposed", "gold")),
        )
        for number, ref in enumerate(view.chosen.tolist())
    ]


def expected_choice(path: Path, name: str) -> list[tuple[str, int, int, int]]:
    return [
        (row["annotator"], int(row["correct"]), int(row["proposed"]), int(row["gold"]))
        for row in rows(path)
        if row["system"] == name
    ]


@pytest.mark.parametrize("name", OFFICIAL)
def test_maxmatch_conll_2014_chosen_annotators(conll: Path, gold: Corpus, name: str) -> None:
    metric = M2(jobs=2)
    statistics = metric.statistics(gold, system(conll, name))
    assert chosen(metric.aggregate(statistics), statistics.references) == expected_choice(
        conll / "scores/m2-counts-chosen.tsv", name
    )


@pytest.mark.parametrize(("file", "n"), [("bryant-ng-10", 10), ("all-16", 16)])
def test_maxmatch_conll_2014_many_annotators(conll: Path, file: str, n: int) -> None:
    corpus = load(conll / f"gold/{file}.m2", findings=Findings())
    metric = M2()
    statistics = metric.statistics(corpus, system(conll, "AMU"))
    assert chosen(metric.aggregate(statistics), statistics.references) == expected_choice(
        conll / f"scores/m2-counts-chosen-{n}-annotators-AMU.tsv", "AMU"
    )


# The papers' examples.


def test_maxmatch_paper_figure_2() -> None:
    source = "Our baseline system feeds word into PB-SMT pipeline ."
    hypothesis = "Our baseline system feeds a word into PB-SMT pipeline ."
    assert counts(score_of(source, hypothesis, [change(4, 5, "a word")])) == (1, 1, 1)


@pytest.mark.parametrize(
    ("source", "hypothesis", "edits", "expected"),
    [
        (
            "should basic translational unit be word",
            "should basic translational unit be a word",
            [change(5, 6, "a word")],
            (1, 1, 1),
        ),
        (
            "development set similar with test set",
            "development set similar to the test set",
            [change(3, 4, "to"), change(4, 4, "the")],
            (2, 2, 2),
        ),
        (
            "Xinhua portion of the English Gigaword3",
            "The xinhua portion of the English Gigaword3",
            [change(0, 0, "The")],
            (1, 2, 1),
        ),
    ],
)
def test_maxmatch_paper_table_2(
    source: str, hypothesis: str, edits: list[Edit], expected: tuple[int, int, int]
) -> None:
    assert counts(score_of(source, hypothesis, edits)) == expected


def test_maxmatch_imeasure_paper_table_1() -> None:
    """Felice and Briscoe (2015): the first annotator is chosen, P, R and F are 0.67."""
    score = score_of(
        "This machines is designed for help people .",
        "These machines are designed to help people .",
        [change(0, 1, "These"), change(2, 3, "are"), change(5, 6, "helping")],
        [change(1, 2, "machine"), change(4, 5, "to")],
    )
    assert counts(score) == (2, 3, 3)
    assert score.sentences.chosen.tolist() == [0]
    assert round(score.value, 2) == 0.67


# Options and borders.


@pytest.mark.parametrize(
    ("source", "hypothesis", "expected"),
    [("", "", (0, 0, 0)), ("", "a b", (0, 1, 0)), ("a b", "", (0, 1, 0)), ("a", "a", (0, 0, 0))],
)
def test_maxmatch_empty_sentences(
    source: str, hypothesis: str, expected: tuple[int, int, int]
) -> None:
    assert counts(score_of(source, hypothesis, [])) == expected


def test_maxmatch_nothing_proposed_has_precision_1() -> None:
    score = score_of("a b", "a b", [change(0, 1, "x")])
    assert (score.parts["precision"], score.parts["recall"], score.value) == (1.0, 0.0, 0.0)


def test_maxmatch_nothing_at_all_has_f_1() -> None:
    assert score_of("a b", "a b", []).value == 1.0


def test_maxmatch_insertions_at_one_place_each_once() -> None:
    gold = [change(1, 1, "x"), change(1, 1, "y")]
    assert counts(score_of("a b", "a x y b", gold)) == (2, 2, 2)
    assert counts(score_of("a b", "a y x b", gold)) == (1, 2, 2)
    assert counts(score_of("a b", "a x x b", gold[:1])) == (1, 2, 1)


def test_maxmatch_past_the_end_is_ignored() -> None:
    assert counts(score_of("a b", "a c", [change(1, 2, "c"), change(2, 3, "d")])) == (1, 1, 1)


def test_maxmatch_alternatives_count_once() -> None:
    assert counts(score_of("a b", "a d", [change(1, 2, "c|d")])) == (1, 1, 1)


def test_maxmatch_flags_count_as_gold() -> None:
    assert counts(score_of("a b", "a c", [Edit(1, 2, (), "UNK")])) == (0, 1, 1)


def test_maxmatch_beta() -> None:
    gold = [change(0, 1, "x"), change(1, 2, "y"), change(2, 3, "z")]
    balanced = score_of("a b c", "x b c", gold, metric=M2(beta=1.0))
    assert balanced.value == pytest.approx(2 * 1 * (1 / 3) / (1 + 1 / 3))
    assert score_of("a b c", "x b c", gold).value > balanced.value


def test_maxmatch_ignore_whitespace_casing() -> None:
    gold = [change(0, 1, "The"), change(2, 3, "sat")]
    ignoring = M2(ignore_whitespace_casing=True)
    assert counts(score_of("the cat sit", "The cat sat", gold)) == (2, 2, 2)
    assert counts(score_of("the cat sit", "The cat sat", gold, metric=ignoring)) == (1, 1, 2)
    assert counts(score_of("any one", "anyone", [], metric=ignoring)) == (0, 0, 0)


def test_maxmatch_levels() -> None:
    gold = [change(1, 3, "x"), change(4, 5, "y")]
    found = {
        level: counts(score_of("a b c d e", "a q d z", gold, metric=M2(level=level)))
        for level in ("correction", "recognition", "detection")
    }
    assert found == {"correction": (0, 1, 2), "recognition": (2, 2, 2), "detection": (2, 2, 2)}
    overlap = [change(0, 2, "x")]
    assert counts(score_of("a b c", "a q c", overlap, metric=M2(level="detection")))[0] == 1
    assert counts(score_of("a b c", "a q c", overlap, metric=M2(level="recognition")))[0] == 1
    detection = M2(level="detection")
    far = [change(0, 1, "x")]
    assert counts(score_of("a b c d", "a b q d", far, metric=detection)) == (0, 1, 1)
    # A replacement seen as an insertion and a deletion touches what it stands next to.
    assert counts(score_of("a b c", "a q c", far, metric=detection)) == (1, 2, 1)


def test_maxmatch_bonus() -> None:
    """An optional edit left alone is no miss without bonus, and correct with it."""
    gold = [change(0, 1, "x"), change(2, 3, "z", required=False)]
    without = score_of("a b c", "x b c", gold, metric=M2(bonus="without"))
    with_bonus = score_of("a b c", "x b c", gold, metric=M2(bonus="with"))
    assert counts(score_of("a b c", "x b c", gold)) == (1, 1, 2)
    assert counts(without) == (1, 1, 1)
    assert counts(with_bonus) == (2, 2, 2)
    assert without.parts["optional_left"] == with_bonus.parts["optional_left"] == 1
    assert without.parts["f_with_bonus"] == with_bonus.value
    assert with_bonus.parts["f_without_bonus"] == without.value
    # One that the system touches is judged like any other.
    touched = score_of("a b c", "x b q", gold, metric=M2(bonus="with"))
    assert counts(touched) == (1, 2, 2)


def test_maxmatch_missing_annotator() -> None:
    first = Sentence(("a",), (Annotation("0", (change(0, 1, "x"),)), Annotation("1")))
    second = Sentence(("b",), (Annotation("0", (change(0, 1, "y"),)),))
    corpus = Corpus((first, second))
    unchanged = Hypothesis("h", (("a",), ("b",)))
    assert counts(M2().score(corpus, unchanged)) == (0, 0, 1)
    assert counts(M2(missing="noop").score(corpus, unchanged)) == (0, 0, 0)


def test_maxmatch_unannotated_sentence_takes_no_part() -> None:
    corpus = Corpus((Sentence(("a",)), Sentence(("b",), (Annotation("0", (change(0, 1, "y"),)),))))
    score = M2().score(corpus, Hypothesis("h", (("z",), ("y",))))
    assert counts(score) == (1, 1, 1)
    assert score.sentences.chosen.tolist() == [-1, 0]


def test_maxmatch_by_type() -> None:
    corpus = corpus_of("a b c", [change(0, 1, "x", "Nn"), change(2, 3, "z", "Vt")])
    metric = M2()
    hypothesis = Hypothesis("h", (("x", "b", "q"),))
    views = metric.marked_edits(corpus, hypothesis, metric.score(corpus, hypothesis))
    found = count_by_type(corpus, views)
    assert found == metric.counts_by_type(corpus, hypothesis, metric.score(corpus, hypothesis))
    assert {name: (c.correct, c.gold, c.recall) for name, c in found.items()} == {
        "Nn": (1, 1, 1.0),
        "Vt": (0, 1, 0.0),
    }
    [view] = views
    assert view is not None
    assert [edit.type for edit in view.missed(3)] == ["Vt"]


def test_maxmatch_repeated_phrase_is_quick() -> None:
    """A phrase repeated twenty times made the old scorer run for hours; here it is a blink."""
    source = " ".join(["so on and"] * 3)
    score = score_of(source, " ".join(["so on and"] * 20), [change(8, 9, ".")])
    assert counts(score) == (0, 1, 1)


def test_maxmatch_unrelated_sentences() -> None:
    source = " ".join(f"s{i}" for i in range(300))
    hypothesis = " ".join(f"h{i}" for i in range(300))
    score = score_of(source, hypothesis, [change(i, i + 1, f"h{i}") for i in range(0, 300, 3)])
    assert counts(score) == (100, 200, 100)


@pytest.mark.parametrize(
    "options",
    [{"beta": -1}, {"max_unchanged": -1}, {"level": "detect"}, {"bonus": "yes"}, {"missing": "no"}],
)
def test_maxmatch_bad_options(options: dict[str, object]) -> None:
    with pytest.raises(GecevalError):
        M2(**options)  # type: ignore[arg-type]


def test_maxmatch_line_counts_must_agree() -> None:
    with pytest.raises(MismatchError, match=r"1 sentence but .* has 2"):
        M2().score(corpus_of("a", []), Hypothesis("h", (("a",), ("b",))))


def test_maxmatch_workers_change_nothing() -> None:
    sentences = tuple(
        Sentence(words("a b c"), (Annotation("0", (change(1, 2, f"x{i % 3}"),)),))
        for i in range(500)
    )
    hypothesis = Hypothesis("h", tuple(words(f"a x{i % 5} c") for i in range(500)))
    one = M2().statistics(Corpus(sentences), hypothesis)
    four = M2(jobs=4).statistics(Corpus(sentences), hypothesis)
    assert np.array_equal(one.counts, four.counts)


# Gold edits that repeat the source, and ignored casing.


@st.composite
def odd_readings(draw: st.DrawFn) -> tuple[tuple[str, ...], tuple[str, ...], list[Edit]]:
    """Words that differ by case or a space, and gold edits that repeat the source."""
    texts = st.lists(st.sampled_from(["a", "A", "b", "B", "ab", "aB"]), max_size=7).map(tuple)
    source, hypothesis = draw(texts), draw(texts)
    edits = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(source)))
        end = draw(st.integers(start, min(start + 2, len(source))))
        left = draw(st.integers(0, len(hypothesis)))
        piece = hypothesis[left : left + draw(st.integers(0, 2))]
        repeated = source[start:end]
        options = draw(st.lists(st.sampled_from([piece, repeated, ("x",)]), max_size=2))
        edits.append(Edit(start, end, tuple(options), "X"))
    return source, hypothesis, sorted(edits, key=lambda edit: (edit.start, edit.end))


@settings(max_examples=1500)
@given(odd_readings(), st.integers(0, 3), st.booleans())
def test_maxmatch_odd_golds_equal_oracle(
    case: tuple[tuple[str, ...], tuple[str, ...], list[Edit]],
    max_unchanged: int,
    ignore_casing: bool,
) -> None:
    """Among the best paths, one that drops the most edits and then has the most right ones."""
    source, hypothesis, edits = case
    gold = [(edit.start, edit.end, edit.corrections) for edit in edits]
    expected = oracle.max_match(
        source, hypothesis, gold, max_unchanged=max_unchanged, ignore_casing=ignore_casing
    )
    corpus = Corpus((Sentence(source, (Annotation("0", tuple(edits)),)),))
    metric = M2(max_unchanged=max_unchanged, ignore_whitespace_casing=ignore_casing, nested="off")
    statistics = metric.statistics(corpus, Hypothesis("h", (hypothesis,)))
    assert tuple(statistics.counts[0, 0].tolist()) == expected[:3]
    [[view]] = metric.all_edits(corpus, Hypothesis("h", (hypothesis,)))
    assert (sum(edit.is_correct for edit in view.edits), len(view.edits)) == expected[:2]


def test_maxmatch_matches_as_many_insertions_at_one_place_as_it_can() -> None:
    """The first "a" equals the second gold edit, which is left for the last "a"."""
    gold = (Edit(0, 0, (("b",),), "X"), Edit(0, 0, (("a",),), "Y"))
    corpus = Corpus((Sentence((), (Annotation("0", gold),)),))
    output = Hypothesis("h", (("a", "b", "a"),))
    assert M2().statistics(corpus, output).counts[0, 0].tolist() == [2, 3, 2]
    [[view]] = M2().all_edits(corpus, output)
    assert [edit.is_correct for edit in view.edits] == [False, True, True]


def test_maxmatch_ignored_casing_drops_as_many_as_possible() -> None:
    """A change of case is part of the edit before the gap or stands alone; both have 2 edits."""
    ignoring = M2(ignore_whitespace_casing=True)
    source, hypothesis = "the a x b c y", "The a q b c z"
    assert counts(score_of(source, hypothesis, [])) == (0, 2, 0)
    assert counts(score_of(source, hypothesis, [], metric=ignoring)) == (0, 1, 0)


def card_rows() -> list[list[str]]:
    """The table of the metric's card that says where the official scorer differs."""
    card = Path(__file__).parents[2] / "docs" / "metrics" / "m2.md"
    section = card.read_text(encoding="utf-8").partition("(m2-official)=")[2].partition("\n## P")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [
        [cell.strip().replace("`", "") for cell in line.replace("\\|", "/").split("|")[1:5]]
        for line in lines
    ]


def test_maxmatch_card_has_examples() -> None:
    assert len(card_rows()) == 4


@pytest.mark.parametrize(("source", "edits", "output", "expected"), card_rows())
def test_maxmatch_differs_from_the_official_scorer_as_its_card_says(
    source: str, edits: str, output: str, expected: str, tmp_path: Path
) -> None:
    """As M2, so that what readers make of such edits takes part."""
    lines = [f"S {source}"]
    for edit in edits.split(", "):
        span, _, correction = edit.partition("→")
        lines.append(f"A {span}|||X|||{correction.replace('//', '||')}|||REQUIRED|||-NONE-|||0")
    (tmp_path / "gold.m2").write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    corpus = load(tmp_path / "gold.m2", findings=Findings())
    score = M2().score(corpus, Hypothesis("h", (words(output),)))
    assert counts(score) == tuple(map(int, expected.split()))
