"""The replay of given chains, and metrics as the released code computes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.errors import FormatError
from geceval.extraction.annotator import Annotator
from geceval.metaeval.maege.material import Reference, span
from geceval.metaeval.maege.released import (
    MEASURES,
    ParagraphM2,
    _bleu_of,
    bleu,
    gleu,
    grammaticality,
    ld,
    min_ld,
)
from geceval.metaeval.maege.replay import (
    RELEASED,
    Replay,
    Replayed,
    SpacedLattice,
    read_chains,
    source_variation,
)
from geceval.metrics.gleu.metric import GLEU
from geceval.metrics.grammar import Grammaticality
from geceval.model import Annotation, Corpus, Edit, Sentence, Tokens
from geceval.text import split_tokens

HEADER = "chain\tsentence\tannotator\torder\tsource\tgleu\n"

FIRST = Sentence(
    split_tokens("He go to the the school ."),
    (
        Annotation(
            "0", (Edit.replace(1, 2, "goes", type="SVA"), Edit.delete(3, 4, type="ArtOrDet"))
        ),
        Annotation("1", (Edit.delete(3, 5, type="ArtOrDet"), Edit.insert(1, "should", type="Vm"))),
    ),
)
SECOND = Sentence(
    split_tokens("And they was late"),
    (
        Annotation(
            "0",
            (
                Edit.delete(0, 1, type="Trans"),
                Edit.replace(2, 3, "were", type="SVA"),
                Edit.insert(4, ".", type="Mec"),
            ),
        ),
        Annotation("1", (Edit.delete(0, 4, type="Um"),)),
    ),
)
CORPUS = Corpus((FIRST, SECOND), "gold")
REFERENCES = [
    Reference(
        "r",
        (split_tokens("He goes to school ."), split_tokens("They were late .")),
    ),
    Reference("s", (split_tokens("He should go to the school ."), ())),
]
LINES = (
    "0\t0\t0\t1 0\t1\t0 0 0",
    "1\t0\t1\t0 1\t2\t0 0 0",
    "2\t1\t0\t2 0 1\t0\t0 0 0 0",
    "3\t1\t1\t0\t1\t0 0",
)


def replayed(
    tmp_path: Path,
    lines: Sequence[str] = LINES,
    corpus: Corpus = CORPUS,
    references: Sequence[Reference] = REFERENCES,
) -> Replay:
    path = tmp_path / "chains.tsv"
    path.write_text(HEADER + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return read_chains(path, corpus, span(corpus, references=references, protocol=RELEASED))


def test_chains_are_read_and_scored(tmp_path: Path) -> None:
    found = replayed(tmp_path)
    level = found.level
    assert (level.n_chains, len(level.elements), len(level.lower)) == (4, 12, 3 + 3 + 6 + 1)
    outputs = [" ".join(found.texts.rows[row].output) for row in level.elements]
    assert outputs == [
        "He go to the the school .", "He go to the school .", "He goes to the school .",
        "He go to the the school .", "He go to school .", "He should go to school .",
        "And they was late", "And they was late .", " they was late .", " they were late .",
        "And they was late", "",
    ]  # fmt: skip
    assert found.texts.rows[level.elements[1]].source == found.texts.rows[level.elements[1]].output
    expected = GLEU().independent_sentence_scores(
        GLEU().statistics(found.texts.gold, found.texts.outputs)
    )
    assert gleu(found.texts).tolist() == expected.tolist()
    assert found.without(1).level.n_chains == 2
    assert len(found.without(1).gleu) == 6


def test_texts_have_spaces_at_their_ends(tmp_path: Path) -> None:
    texts = replayed(tmp_path).texts
    assert ("", "they", "was", "late", ".") in texts.spaced_outputs.sentences
    assert ("they", "was", "late", ".") in texts.outputs.sentences
    assert ("",) in texts.spaced_outputs.sentences
    assert () in texts.outputs.sentences


@given(st.sets(st.integers(0, 4)))
def test_spaced_lattice_has_the_words_of_the_lattice(chosen: set[int]) -> None:
    tokens = tuple("abcde")
    edits = tuple(Edit.delete(place, place + 1) for place in range(5))
    text = " ".join(SpacedLattice(tokens, edits).correction(chosen))
    assert text.split() == [token for place, token in enumerate(tokens) if place not in chosen]
    assert "  " not in text


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("0\t0\t0\t0 0\t1\t0 0 0", "no permutation of 2 edits"),
        ("0\t0\t0\t0\t1\t0 0", "no permutation"),
        ("0\t0\t0\t0 1\t3\t0 0 0", "one of them as source"),
        ("0\t0\t0\t0 1\t0\t0 0", "as many scores"),
        ("0\t0\t7\t0 1\t0\t0 0 0", "no annotator 7"),
        ("0\t9\t0\t0 1\t0\t0 0 0", "index"),
        ("0\tx\t0\t0 1\t0\t0 0 0", "invalid literal"),
        ("0\t0\t0", "values"),
        ("", "values"),
    ],
)
def test_chains_of_other_data_are_refused(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(FormatError, match=rf"chains.tsv, line 3: .*{reason}"):
        replayed(tmp_path, (LINES[0], line))


def test_a_table_without_the_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.tsv"
    path.write_text("chain\tsentence\n", encoding="utf-8")
    with pytest.raises(FormatError, match="line 1: expected the columns chain, sentence"):
        read_chains(path, CORPUS, span(CORPUS, references=REFERENCES, protocol=RELEASED))


def oracle_bleu(output: Tokens, references: list[Tokens]) -> float:
    """BLEU by its definition; the order is limited by the shortest text."""
    order = min(4, len(output), *map(len, references))

    def grams(tokens: Tokens, n: int) -> list[Tokens]:
        return [tokens[place : place + n] for place in range(len(tokens) - n + 1)]

    if not order or not any(token in text for token in output for text in references):
        return 0.0
    logs = 0.0
    n_zero = 0
    for n in range(1, order + 1):
        ours = grams(output, n)
        matches = sum(
            min(ours.count(gram), max(grams(text, n).count(gram) for text in references))
            for gram in set(ours)
        )
        if not matches:
            n_zero += 1
        logs += math.log((matches or 0.5**n_zero) / len(ours))
    closest = min((abs(len(text) - len(output)), len(text)) for text in references)[1]
    return math.exp(min(0.0, 1 - closest / len(output)) + logs / order)


def test_bleu_is_that_of_the_oracle(tmp_path: Path) -> None:
    found = replayed(tmp_path)
    texts = found.texts
    expected = [
        oracle_bleu(output, texts.references(row.sentence))
        for row, output in zip(texts.rows, texts.outputs, strict=True)
    ]
    assert bleu(texts) == pytest.approx(expected)
    with_source = [
        0.8 * value + 0.2 * oracle_bleu(output, [sent.tokens])
        for value, output, sent in zip(expected, texts.outputs, texts.gold, strict=True)
    ]
    assert MEASURES["iBLEU"](texts) == pytest.approx(with_source)
    # The second sentence has an empty reference, which leaves no order.
    assert any(expected)
    assert not all(expected)


def test_bleu_of_counts_without_matches() -> None:
    counts = np.array([[3, 3, 3, 1, 0, 0, 3, 2, 1, 0], [3, 3, 0, 0, 0, 0, 3, 2, 1, 0]])
    expected = math.exp((math.log(1) + math.log(1 / 2) + math.log(1 / 2)) / 3)
    assert _bleu_of(counts, np.array([3, 3])) == pytest.approx([expected, 0])


def test_distance_to_an_empty_text_is_none(tmp_path: Path) -> None:
    texts = replayed(tmp_path).texts
    second = np.array([row.sentence == 1 for row in texts.rows])
    assert set(min_ld(texts)[second]) == {1.0}
    assert set(min_ld(texts)[~second]) != {1.0}
    empty = [row.source == ("",) for row in texts.rows]
    assert sum(empty) == 2
    assert set(ld(texts)[empty]) == {1.0}


def test_grammaticality_divides_by_spaces(tmp_path: Path) -> None:
    texts = replayed(tmp_path).texts
    metric = Grammaticality(raw_tokens=True, cache=False)
    scores = grammaticality(texts, metric)
    for score, output, problems in zip(
        scores, texts.outputs, metric.problems(texts.outputs), strict=True
    ):
        n_spaces = len(output) - 1
        assert score == (1 if n_spaces < 1 else pytest.approx(1 - len(problems) / n_spaces))


def test_paragraph_m2_has_the_edits_of_all_sentences(tmp_path: Path) -> None:
    """A right insertion scores as often as any sentence has it; other edits hardly ever match."""
    the, other = Edit.insert(1, "the"), Edit.replace(1, 2, "g")
    corpus = Corpus(
        (
            Sentence(("a", "b"), (Annotation("0", (the,)), Annotation("1", (other,)))),
            Sentence(("c", "d"), (Annotation("0", (the, other)), Annotation("1", (other,)))),
            Sentence(("e", "f"), (Annotation("0", (other,)), Annotation("1", (the,)))),
        )
    )
    references = [Reference("r", (("a", "the", "b"), ("c", "the", "d"), ("e", "g")))]
    lines = ("0\t0\t0\t0\t0\t0 0", "1\t1\t0\t0 1\t0\t0 0 0", "2\t2\t0\t0\t0\t0 0")
    replay = replayed(tmp_path, lines, corpus, references)
    scores = ParagraphM2(Annotator("plain"))(replay.texts)[replay.level.elements]
    # Of three gold edits, two are the insertion of "the".
    right, with_wrong = 1.25 * 2 / (0.25 * 3 + 1), 1.25 * 2 / (0.25 * 3 + 2)
    # In the paragraph, the span of the third sentence's edit holds "b" instead of "f".
    assert scores.tolist() == pytest.approx([0, right, 0, right, with_wrong, 0, 0])


def test_m2_as_released_takes_edits_within_others_as_they_are(tmp_path: Path) -> None:
    shorter, longer = Edit.delete(1, 2), Edit.delete(1, 3)
    tokens = split_tokens("a b c d")
    corpus = Corpus(
        tuple(
            Sentence(tokens, (Annotation("0", (edit,)), Annotation("1", (edit,))))
            for edit in (shorter, longer)
        )
    )
    references = [Reference("r", (("a", "c", "d"), ("a", "d")))]
    lines = ("0\t0\t0\t0\t0\t0 0", "1\t1\t0\t0\t0\t0 0")
    replay = replayed(tmp_path, lines, corpus, references)
    scores = ParagraphM2(Annotator("plain"))(replay.texts)[replay.level.elements]
    # Each sentence has both deletions in its gold standard.
    right = 1.25 / (0.25 * 2 + 1)
    assert scores.tolist() == pytest.approx([0, right, 0, right])


def test_source_variation_is_over_all_sources(tmp_path: Path) -> None:
    found = replayed(tmp_path)
    taus = []
    for sources in product(*(range(len(chain)) for _, chain in found.chains)):
        lines = []
        for line, source in zip(LINES, sources, strict=True):
            parts = line.split("\t")
            lines.append("\t".join((*parts[:4], str(source), parts[5])))
        one = replayed(tmp_path, tuple(lines))
        taus.append(one.level.count_pairs(ld(one.texts)).kendall().value)
    variation = source_variation(found, ld)
    assert variation.mean == pytest.approx(np.mean(taus))
    assert variation.spread == pytest.approx(np.std(taus))
    assert variation.share_up_to(0.0) == pytest.approx(np.mean(np.array(taus) <= 1e-12))
    assert variation.share_up_to(1.0) == pytest.approx(1)


def test_replayed_results_are_those_of_the_chains(tmp_path: Path) -> None:
    replay = replayed(tmp_path)
    found = Replayed.of(replay, gleu)
    scores = gleu(replay.texts)
    assert found.pearson == replay.level.pearson(scores)
    assert found.kendall == replay.level.count_pairs(scores).kendall(RELEASED.ties)
    assert found.changes == replay.level.steps.changes(scores)
