"""GoToScorer: chunks, weights and sums, against a plain oracle and the numbers of the original."""

from __future__ import annotations

import copy
import csv
import gzip
import io
import pickle
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import made_up
from geceval.errors import FormatError, GecevalError, OptionError, UnknownNameError
from geceval.evaluation.evaluate import evaluate
from geceval.evaluation.resampling import Resampling
from geceval.formats import Findings, load, load_hypothesis
from geceval.metrics.base import Metric
from geceval.metrics.gotoscorer import Difficulty, GoToScorer
from geceval.metrics.gotoscorer.gold_chunks import GoldChunks, chunk_edits
from geceval.metrics.statistics import Swaps
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, Tokens, apply_edits
from oracles import gotoscorer as oracle
from strategies import edits as any_edits
from strategies import phrases

POOL = ("AMU", "CAMB", "CUUI", "IITB", "NTHU", "PKU", "RAC", "UFC")
PARTS = ("tp", "fp", "fn", "tn", "P", "R", "F1", "F0.5", "accuracy")


def words(text: str) -> Tokens:
    return tuple(text.split())


def edit(start: int, end: int, text: str, type: str = "R:OTHER") -> Edit:
    return Edit(start, end, (words(text),), type)


# The example of the original program.

SOURCES = ("We discussing about its .", "I have been to park tomorrow .")
GOLD = (
    (edit(1, 1, "have been"), edit(2, 3, ""), edit(3, 4, "it")),
    (edit(1, 3, "go"), edit(4, 4, "the"), edit(5, 6, "")),
)
SYSTEMS = (
    ((edit(1, 1, "have been"), edit(3, 4, "it")), (edit(1, 3, "go"), edit(4, 4, "the"))),
    (
        (edit(0, 0, '"'), edit(1, 1, "are"), edit(2, 3, ""), edit(3, 4, "it"), edit(5, 5, '"')),
        (edit(2, 3, "went"), edit(4, 4, "the")),
    ),
    (
        (edit(1, 3, "talking"), edit(3, 4, "it")),
        (edit(2, 2, "to"), edit(4, 4, "the"), edit(5, 6, "past")),
    ),
)


def gold_standard() -> Corpus:
    return Corpus(
        tuple(
            Sentence(words(source), (Annotation("0", edits),))
            for source, edits in zip(SOURCES, GOLD, strict=True)
        ),
        "gold",
    )


def outputs() -> list[Hypothesis]:
    return [
        Hypothesis(
            f"system {number}",
            tuple(apply_edits(words(s), own) for s, own in zip(SOURCES, edits, strict=True)),
            edits,
        )
        for number, edits in enumerate(SYSTEMS)
    ]


def test_gotoscorer_gives_the_numbers_of_the_original_example(tmp_path: Path) -> None:
    corpus, systems = gold_standard(), outputs()
    metric = GoToScorer(lang="plain").prepared_for(corpus, systems)
    assert isinstance(metric.weights, Difficulty)
    metric.weights.write(tmp_path / "weights.txt")
    assert (tmp_path / "weights.txt").read_text() == (
        "3\n2 3 1 2 3 1 3 3 3 3 2\n3 3 3 1 3 3 3 3 3 0 3 3 3\n"
    )
    expected = [
        (1.3333, 0, 1.6667, 1, 0.8),
        (0.6667, 2, 2.3333, 0.3333, 0.2439),
        (0, 2.6667, 3, 0.6667, 0),
    ]
    for system, numbers in zip(systems, expected, strict=True):
        parts = metric.score(corpus, system).parts
        found = [round(parts[name], 4) for name in ("tp", "fp", "fn", "tn", "F0.5")]
        assert tuple(found) == numbers


def test_gotoscorer_example_of_chunks() -> None:
    chunks = GoldChunks.of(gold_standard())
    spans = list(zip(chunks.starts.tolist(), chunks.ends.tolist(), strict=True))[:11]
    assert spans == [
        (0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (4, 5), (5, 5),
    ]  # fmt: skip
    assert np.flatnonzero(chunks.is_edited).tolist()[:3] == [2, 5, 7]


# The oracle.


@st.composite
def cases(draw: st.DrawFn) -> tuple[Tokens, list[list[Edit]]]:
    """Draw a sentence, and edits of an annotator and of some systems, as they come."""
    word = st.sampled_from(("a", "b", "c"))
    tokens = draw(phrases(word))
    one = st.lists(any_edits(tokens, word), max_size=4)
    return tokens, draw(st.lists(one, min_size=3, max_size=5))


@given(st.lists(cases(), min_size=1, max_size=3))
def test_gotoscorer_equals_the_oracle(drawn: list[tuple[Tokens, list[list[Edit]]]]) -> None:
    n_systems = min(len(edits) for _, edits in drawn) - 1
    corpus = Corpus(
        tuple(Sentence(tokens, (Annotation("0", tuple(edits[0])),)) for tokens, edits in drawn)
    )
    systems = [
        Hypothesis(
            str(number),
            tuple(apply_edits(tokens, edits[number + 1]) for tokens, edits in drawn),
            tuple(tuple(edits[number + 1]) for _, edits in drawn),
        )
        for number in range(n_systems)
    ]
    found = [
        [
            oracle.outcomes(
                tokens, chunk_edits(edits[0], tokens), chunk_edits(edits[number + 1], tokens)
            )
            for tokens, edits in drawn
        ]
        for number in range(n_systems)
    ]
    n_correct = [
        [sum(one[place][chunk][2] for one in found) for chunk in range(len(found[0][place]))]
        for place in range(len(drawn))
    ]
    unweighted = GoToScorer(weights="none", auto_gold=False, lang="plain")
    metrics: list[tuple[GoToScorer, list[list[Fraction]]]] = [
        (unweighted, [[Fraction(1)] * len(row) for row in n_correct])
    ]
    if n_systems > 1:
        weighted = GoToScorer(auto_gold=False, lang="plain").prepared_for(corpus, systems)
        weights = [[1 - Fraction(count, n_systems) for count in row] for row in n_correct]
        metrics.append((weighted, weights))
        others = weighted.with_options(a=1.5, b=0.5, c=2.0)
        a, b, c = Fraction(3, 2), Fraction(1, 2), 2
        weights = [[a - (count + b) / (n_systems + c) for count in row] for row in n_correct]
        metrics.append((others, weights))
    for metric, weights in metrics:
        for system, own in zip(systems, found, strict=True):
            view = metric.score(corpus, system).sentences.parts
            for place, row in enumerate(own):
                expected = [float(number) for number in oracle.sums(row, weights[place])]
                assert [view[name][place] for name in PARTS[:4]] == pytest.approx(expected)


# Weights.


def made(n_sents: int = 30) -> tuple[Corpus, list[Hypothesis]]:
    corpus = made_up.corpus(n_sents, absent=0.2)
    return corpus, made_up.systems(corpus, "one", "two", "three")


def test_gotoscorer_constants_change_weights_difficulty_and_signature() -> None:
    corpus, systems = made()
    plain = GoToScorer(lang="plain").prepared_for(corpus, systems)
    other = plain.with_options(a=2, b=1, c=3)
    assert isinstance(plain.weights, Difficulty)
    assert other.configuration() == plain.configuration().replace(
        plain.weights.digest, f"{plain.weights.digest} 2-(n+1)/(N+3)"
    )
    for before, after in zip(
        sorted(plain.difficulty_by_type(corpus), key=lambda one: one.type),
        sorted(other.difficulty_by_type(corpus), key=lambda one: one.type),
        strict=True,
    ):
        # 1 - n/3 becomes 2 - (n + 1)/6.
        assert after.mean == pytest.approx(4 / 3 + before.mean / 2)
        assert after.deviation == pytest.approx(before.deviation / 2)
    assert GoToScorer(a=2).for_sentences().configuration() == (
        GoToScorer(weights="none").configuration()
    )


def test_gotoscorer_constants_that_make_no_sense_are_refused() -> None:
    corpus, systems = made()
    metric = GoToScorer(lang="plain", b=0.5).prepared_for(corpus, systems)
    with pytest.raises(
        OptionError, match="what all 3 systems get right would weigh less than 0; give a larger a"
    ):
        metric.score(corpus, systems[0])
    with pytest.raises(OptionError, match="option a takes no value with weights=none"):
        GoToScorer(weights="none", a=2)
    with pytest.raises(OptionError, match="c takes a number from 0 to 1000, not -1"):
        GoToScorer(c=-1)


def test_gotoscorer_needs_several_systems_or_weights() -> None:
    corpus, systems = made()
    for score in (
        lambda: GoToScorer().score(corpus, systems[0]),
        lambda: evaluate(corpus, systems[:1], [GoToScorer(lang="plain")]),
        lambda: GoToScorer().difficulty_by_type(corpus),
    ):
        with pytest.raises(OptionError, match=r"at least two systems together, or give weights="):
            score()


def test_gotoscorer_weights_come_from_all_systems_that_are_evaluated() -> None:
    corpus, systems = made()
    metric = GoToScorer(lang="plain")
    results = evaluate(corpus, systems, [metric], resampling=Resampling(0))
    again = metric.prepared_for(corpus, systems)
    for result, system in zip(results, systems, strict=True):
        expected = again.score(corpus, system)
        assert dict(result.score.parts) == dict(expected.parts)
        assert result.score.signature == expected.signature
        assert "|difficulty:3 systems " in expected.signature
        assert "|gold:given|" in expected.signature
    fewer = evaluate(corpus, systems[:2], [metric], resampling=Resampling(0))
    assert fewer[0].score.signature != results[0].score.signature


def test_gotoscorer_gold_edits_weigh_the_same_for_all_systems() -> None:
    corpus, systems = made()
    results = evaluate(corpus, systems, [GoToScorer(lang="plain")], resampling=Resampling(0))
    weights = {result.score.parts["tp"] + result.score.parts["fn"] for result in results}
    assert max(weights) - min(weights) < 1e-9


def test_gotoscorer_weight_file_gives_the_same_as_the_pool(tmp_path: Path) -> None:
    corpus, systems = made()
    path = tmp_path / "weights.txt.gz"
    pool = GoToScorer(lang="plain").prepared_for(corpus, systems)
    assert isinstance(pool.weights, Difficulty)
    pool.weights.write(path)
    from_file = GoToScorer(lang="plain", weights=str(path), auto_gold=False)
    # The file is read once.
    path.unlink()
    for metric in (from_file, from_file.with_name("other", "Other")):
        score, expected = metric.score(corpus, systems[0]), pool.score(corpus, systems[0])
        assert dict(score.parts) == dict(expected.parts)
        assert score.signature == expected.signature


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected the number of systems, found ''"),
        ("0\n", "line 1: expected the number of systems, found 0"),
        ("He went .\n", "line 1: expected the number of systems, found 'He went .'"),
        ("2\n1 x\n", "line 2: expected numbers of systems, found 'x'"),
        ("2\n1 -1\n", "line 2: expected numbers of systems, found '-1'"),
        ("2\n1 ²\n", "line 2: expected numbers of systems, found '²'"),
        ("2\n\n1 3\n", "line 3: 3 systems cannot be right about a chunk: line 1 says 2"),
    ],
)
def test_gotoscorer_refuses_other_files_as_weights(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "weights.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        GoToScorer(weights=path)
    assert str(caught.value) == f"{path}, {message}"


def test_gotoscorer_refuses_weights_of_other_sentences(tmp_path: Path) -> None:
    corpus, systems = gold_standard(), outputs()
    path = tmp_path / "weights.txt"
    path.write_text("3\n1 1\n", encoding="utf-8")
    with pytest.raises(GecevalError, match="has weights of 1 sentences, but gold has 2"):
        GoToScorer(weights=path).score(corpus, systems[0])
    path.write_text("3\n1 1\n1\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"line 2: 2 weights for the 11 chunks of sentence 1"):
        GoToScorer(weights=path).score(corpus, systems[0])
    with pytest.raises(GecevalError, match="no such file"):
        GoToScorer(weights="pol")
    for name in ("\ud800", "a\0b"):
        with pytest.raises(FormatError, match="no file can have this name"):
            GoToScorer(weights=name)


def test_gotoscorer_refuses_weights_of_absent_annotators(tmp_path: Path) -> None:
    corpus = Corpus((Sentence(("a",)), Sentence(("b",), (Annotation("0"),))), "gold")
    path = tmp_path / "weights.txt"
    path.write_text("2\n2 1 2\n2 2 2\n", encoding="utf-8")
    system = Hypothesis("h", (("x",), ("b",)))
    metric = GoToScorer(weights=path, lang="plain")
    with pytest.raises(FormatError, match="the annotator is absent, which missing=noop reads"):
        metric.score(corpus, system)
    parts = metric.with_options(missing="noop").score(corpus, system).parts
    assert (parts["fp"], parts["tn"], parts["accuracy"]) == (0.5, 0.0, 0.0)


def test_gotoscorer_difficulty_by_type() -> None:
    corpus, systems = gold_standard(), outputs()
    found = GoToScorer(lang="plain").prepared_for(corpus, systems).difficulty_by_type(corpus)
    weights = [2 / 3, 2 / 3, 0, 2 / 3, 0, 1]
    assert [(one.type, one.n_edits) for one in found] == [("R:OTHER", 6)]
    assert found[0].mean == pytest.approx(np.mean(weights))
    assert found[0].deviation == pytest.approx(np.std(weights, ddof=1))


# References, special cases and the contract.


def test_gotoscorer_scores_against_one_annotator() -> None:
    corpus, systems = made()
    for name in ("0", "1"):
        alone = corpus.keep_annotators([name])
        metric = GoToScorer(weights="none", ref=name, lang="plain")
        expected = GoToScorer(weights="none", lang="plain").score(alone, systems[0])
        assert dict(metric.score(corpus, systems[0]).parts) == dict(expected.parts)
    with pytest.raises(UnknownNameError, match="unknown annotator '7'"):
        GoToScorer(weights="none", ref="7").score(corpus, systems[0])


def test_gotoscorer_extracts_the_edits_of_text() -> None:
    corpus = Corpus.from_texts(["I likes it much ."], ["I like it a lot ."])
    system = Hypothesis.from_texts(["I like it much ."])
    for auto, n_edits in ((None, 1), (True, 1)):
        metric = GoToScorer(weights="none", auto_gold=auto).prepared_for(corpus, [])
        score = metric.score(corpus, system)
        assert (score.parts["tp"], score.parts["fn"] >= 1) == (n_edits, True)
        assert "|gold:auto|" in score.signature


def test_gotoscorer_of_nothing() -> None:
    metric = GoToScorer(weights="none", lang="plain")
    empty = Corpus((Sentence((), (Annotation("0"),)), Sentence(("a",))))
    score = metric.score(empty, Hypothesis("h", ((), ("b",))))
    assert [score.parts[name] for name in PARTS] == [0, 0, 0, 1, 0, 0, 0, 0, 1]
    assert np.isnan(score.sentences.values[1])
    inserted = metric.score(empty, Hypothesis("h", (("a",), ("b",))))
    assert inserted.parts["fp"] == 1
    nobody = Corpus((Sentence(("a",)),))
    assert metric.score(nobody, Hypothesis("h", (("b",),))).value == 0.0


def test_gotoscorer_with_weights_keeps_the_contract() -> None:
    corpus, systems = made()
    metric = GoToScorer(lang="plain").prepared_for(corpus, systems)
    first, second = (metric.statistics(corpus, system) for system in systems[:2])
    assert first.counts.dtype == np.int64
    rows = np.random.default_rng(3).integers(0, len(corpus), size=(40, len(corpus)))
    expected = [metric.aggregate(first.take(row)) for row in rows]
    assert metric.resample(first, rows).tolist() == pytest.approx([one.value for one in expected])
    for name, values in metric.resample_parts(first, rows).items():
        assert values.tolist() == pytest.approx([one.parts[name] for one in expected])
    swaps = Swaps(np.random.default_rng(4).integers(0, 2, size=(40, len(corpus))).astype(bool))
    np.testing.assert_allclose(
        metric.resample_swapped(first, second, swaps),
        Metric.resample_swapped(metric, first, second, swaps),
        rtol=0,
        atol=1e-13,
    )
    for other in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)):  # noqa: S301
        assert other.score(corpus, systems[0]).signature == metric.aggregate(first).signature


def test_gotoscorer_marks_edits() -> None:
    corpus, systems = gold_standard(), outputs()
    metric = GoToScorer(weights="none", lang="plain")
    views = metric.marked_edits(corpus, systems[0], metric.score(corpus, systems[0]))
    marked = [[one.gold for one in view.edits] for view in views if view is not None]
    assert marked == [[0, 2], [0, 1]]


# The numbers of the original program on CoNLL-2014.


@pytest.fixture(scope="module")
def conll(shared_data: Path) -> Path:
    return shared_data / "conll14"


@pytest.fixture(scope="module")
def systems(conll: Path) -> list[Hypothesis]:
    paths = (conll / "systems" / f"{name}.txt" for name in POOL)
    return [load_hypothesis(path, findings=Findings()) for path in paths]


@pytest.fixture(scope="module")
def annotated(conll: Path) -> Corpus:
    return load(conll / "gold" / "official-2014.combined.m2", findings=Findings())


@pytest.fixture(scope="module")
def texts(conll: Path, annotated: Corpus) -> Corpus:
    references = [
        (conll / "gold" / f"official-2014.ref{number}.txt").read_text("utf-8").splitlines()
        for number in (0, 1)
    ]
    return Corpus.from_texts([" ".join(tokens) for tokens in annotated.sources], *references)


def table(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))


def assert_scores(metric: GoToScorer, corpus: Corpus, system: Hypothesis, row: Any) -> None:
    parts = metric.score(corpus, system).parts
    assert [float(parts[name]) for name in PARTS] == [float(row[name]) for name in PARTS]


@pytest.mark.parametrize("ref", ["0", "1"])
def test_gotoscorer_equals_the_original(
    ref: str, conll: Path, texts: Corpus, systems: Sequence[Hypothesis]
) -> None:
    pool = GoToScorer(ref=ref).prepared_for(texts, systems)
    metrics = {"yes": pool, "no": pool.with_options(weights="none")}
    rows = [row for row in table(conll / "scores" / "gotoscorer-system.tsv") if row["ref"] == ref]
    assert len(rows) == 2 * len(systems)
    for row in rows:
        system = next(one for one in systems if one.name == row["system"])
        assert_scores(metrics[row["weighted"]], texts, system, row)


@pytest.mark.parametrize("ref", ["0", "1"])
def test_gotoscorer_chunks_equal_those_of_the_original(
    ref: str, conll: Path, texts: Corpus, systems: Sequence[Hypothesis]
) -> None:
    metric = GoToScorer(ref=ref).prepared_for(texts, systems)
    assert isinstance(metric.weights, Difficulty)
    chunks = metric.chunks(texts)
    found = [metric.outcomes(texts, system) for system in systems]
    letters = np.array([["F", "N"], ["P", "T"]])
    status = np.array([letters[one.tried.astype(int), one.correct.astype(int)] for one in found])
    status[(status == "P") & chunks.is_edited] = "B"
    edits = iter([edit for own in chunks.edits for edit in own])
    rows = table(conll / "scores" / f"gotoscorer-chunks-ref{ref}.tsv.gz")
    assert len(rows) == len(chunks)
    for number, (row, sentence) in enumerate(zip(rows, chunks.sentences.tolist(), strict=True)):
        edit = next(edits) if chunks.is_edited[number] else None
        start, end = chunks.starts[number], chunks.ends[number]
        source = texts.sentences[sentence].tokens[start:end]
        assert list(row.values()) == [
            str(sentence),
            str(number - chunks.offsets[sentence]),
            str(start),
            str(end),
            " ".join(source if edit is None else edit.correction),
            "" if edit is None else edit.type,
            str(int(edit is not None)),
            str(metric.weights.n_correct[number]),
            "".join(status[:, number]),
        ]


def test_gotoscorer_with_published_weights_equals_the_original(
    conll: Path, annotated: Corpus, systems: Sequence[Hypothesis]
) -> None:
    weights = conll / "scores" / "gotoscorer-weights-conll14-8sys.txt.gz"
    metric = GoToScorer(weights=weights, ref="0", missing="noop")
    rows = table(conll / "scores" / "gotoscorer-system-weightfile.tsv")
    for row in rows:
        system = next(one for one in systems if one.name == row["system"])
        assert_scores(metric, annotated, system, row)
