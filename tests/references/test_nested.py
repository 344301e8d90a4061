"""Edits inside of others: applied, divided into readings, and scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence, load
from geceval.cli import main
from geceval.formats import Findings
from geceval.metrics import metric_class
from geceval.model import (
    applicable,
    apply_edits,
    first_reading,
    in_order,
    is_nested,
    readings,
    without_inner,
)
from geceval.model.nesting import MAX_READINGS
from geceval.references.nested import NestedEdits, applied_only, with_readings
from oracles import nested as oracle
from strategies import nested_edits

SOURCE = ("Here", "never", "was", "been", "I", "before", ".")
INNER = (Edit.replace(2, 3, "had", type="R:VERB"), Edit.delete(4, 5, type="U:PRON"))
OUTER = Edit.replace(1, 5, "I had never been", type="R:WO")
ALONE = Edit.replace(0, 1, "There", type="R:ADV")


def corpus_of(*edits: Edit, tokens: tuple[str, ...] = SOURCE) -> Corpus:
    return Corpus((Sentence(tokens, (Annotation("0", edits),)),), name="gold")


def output_of(*edits: Edit) -> Hypothesis:
    return Hypothesis("ours", (apply_edits(SOURCE, edits),))


NESTED = corpus_of(*INNER, OUTER, ALONE)


# Applied.


def test_nested_outer_edit_is_applied_wherever_it_is_listed() -> None:
    expected = ("There", "I", "had", "never", "been", "before", ".")
    for edits in ((*INNER, OUTER, ALONE), (ALONE, OUTER, *INNER), (OUTER, ALONE, *INNER)):
        assert apply_edits(SOURCE, edits) == expected
        assert list(applicable(edits, len(SOURCE))) == [ALONE, OUTER]


def test_nested_contradicting_edits_are_applied_from_left_to_right() -> None:
    """The longer edit does not contain the correction of the shorter, so that neither is inner."""
    edits = (Edit.replace(2, 3, "were"), Edit.replace(1, 5, "nobody was"))
    assert not is_nested(edits)
    assert list(applicable(edits, 7)) == [edits[1]]
    assert without_inner(edits) is edits


def test_nested_letters_of_joined_words_count() -> None:
    assert is_nested((Edit.replace(0, 1, "May"), Edit.replace(0, 2, "Maybe")))


def test_nested_edits_inside_of_an_edit_that_is_skipped_are_applied() -> None:
    crossing = Edit.replace(0, 2, "Never")
    assert list(applicable((crossing, *INNER, OUTER), 7)) == [crossing, *INNER]


# Readings.


@st.composite
def edits_of_a_sentence(draw: st.DrawFn) -> list[Edit]:
    found = []
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, 7))
        end = draw(st.integers(start, 8))
        option = draw(st.lists(st.sampled_from("ab"), max_size=3).map(tuple))
        found.append(Edit(start, end, (option,), draw(st.sampled_from(["X", "UNK"]))))
    return found


@given(edits_of_a_sentence())
def test_readings_have_no_overlaps_and_all_edits(edits: list[Edit]) -> None:
    found = readings(edits, 7)
    apart = [edit for edit in edits if edit.corrects and edit.fits(7)]
    others = [edit for edit in edits if edit not in apart]
    if not any(one.overlaps(other) for one, other in combinations(apart, 2)):
        assert found == [tuple(edits)]
        return
    assert len(found) <= MAX_READINGS
    assert {id(edit) for reading in found for edit in reading} == set(map(id, edits))
    for reading in found:
        applied = [edit for edit in reading if edit in apart]
        assert not any(one.overlaps(other) for one, other in combinations(applied, 2))
        assert [edit for edit in reading if edit not in apart] == others
        # Nothing could be added.
        for edit in apart:
            assert edit in applied or any(edit.overlaps(other) for other in applied)
    assert in_order(edit for edit in found[0] if edit in apart) == list(applicable(edits, 7))


@given(edits_of_a_sentence())
def test_nested_without_inner_equals_its_definition(edits: list[Edit]) -> None:
    """Removed is what lies in an edit that holds a correction of something directly in it."""
    kept = without_inner(edits)
    removed = [edit for edit in edits if not any(edit is other for other in kept)]
    for edit in removed:
        assert any(
            other.start <= edit.start and edit.end <= other.end and other.overlaps(edit)
            for other in kept
        )
    if not any(one.overlaps(other) for one, other in combinations(edits, 2)):
        assert kept is edits


@given(nested_edits(7, "ab"))
def test_nested_edits_are_divided_as_by_the_oracle(edits: list[Edit]) -> None:
    assert list(without_inner(edits)) == oracle.outer_edits(edits)
    found = readings(edits, 7)
    assert len(found) < MAX_READINGS
    assert list(map(list, found)) == oracle.readings(edits, 7)
    assert first_reading(edits, 7) == found[0]
    assert list(applicable(edits, 7)) == in_order(oracle.readings(edits, 7)[0])


def test_readings_of_three_levels() -> None:
    small, middle = Edit.replace(2, 3, "c"), Edit.replace(1, 4, "b c d")
    large = Edit.replace(0, 5, "a b c d e")
    beside = Edit.replace(4, 5, "e")
    found = readings([small, middle, large, beside], 6)
    assert found == [(large,), (middle, beside), (small, beside)]


def test_readings_of_too_many_edits_are_not_divided() -> None:
    edits = [Edit.replace(0, 2 + n, "a " * (n + 1)) for n in range(MAX_READINGS + 1)]
    assert readings(edits, 99) == [tuple(edits)]
    assert len(first_reading(edits, 99)) == 1


def test_readings_are_annotators_of_sentences_with_overlaps() -> None:
    plain = Sentence(("a", "b"), (Annotation("0"), Annotation("1")))
    [sent, same] = with_readings(replace(NESTED, sentences=(*NESTED, plain)))
    assert [ann.annotator for ann in sent.annotations] == ["0", "0 (inner)"]
    assert [ann.edits for ann in sent.annotations] == [(ALONE, OUTER), (ALONE, *INNER)]
    assert same == plain


def test_readings_of_golds_without_nested_edits_are_the_gold_itself() -> None:
    corpus = corpus_of(Edit.replace(2, 3, "were"), Edit.replace(1, 5, "nobody was"))
    assert with_readings(corpus) is corpus
    assert applied_only(corpus) is corpus
    assert not NestedEdits.of(corpus)


# Scores.


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("m2", {}),
        ("errant", {"lang": "plain", "merge": "all-merge"}),
        ("errant", {"lang": "plain", "auto_gold": True}),
        ("cleme", {"lang": "plain"}),
        ("cleme", {"lang": "plain", "auto_gold": False}),
        ("gleu", {}),
        ("imeasure", {}),
        ("green", {}),
    ],
)
def test_nested_perfect_correction_has_the_perfect_score(
    metric: str, options: dict[str, object]
) -> None:
    output = output_of(ALONE, OUTER)
    output = replace(output, edits=((ALONE, OUTER),)) if "merge" in options else output
    assert metric_class(metric)(**options).score(NESTED, output).value == pytest.approx(1)


@pytest.mark.parametrize("metric", ["pt-m2", "imeasure", "wdiff", "gleu", "sari"])
def test_nested_other_metrics_count_the_outer_edits(metric: str) -> None:
    output = output_of(ALONE)
    expected = metric_class(metric)().score(corpus_of(OUTER, ALONE), output)
    assert metric_class(metric)().score(NESTED, output).value == expected.value


def test_nested_inner_edits_alone_are_correct_in_their_reading() -> None:
    metric = metric_class("m2")()
    score = metric.score(NESTED, output_of(*INNER, ALONE))
    assert (score.parts["correct"], score.parts["gold"]) == (3, 3)
    statistics = metric.statistics(NESTED, output_of(*INNER, ALONE))
    assert statistics.references == ("0", "0 (inner)")
    views = metric.marked_edits(NESTED, output_of(*INNER, ALONE), score)
    assert views is not None
    assert views[0] is not None
    assert views[0].annotation.annotator == "0 (inner)"


def test_nested_signature_says_how_they_were_read() -> None:
    output = output_of(ALONE, OUTER)
    for name in ("m2", "errant"):
        lang = {"lang": "plain"} if name == "errant" else {}
        plain = corpus_of(ALONE, OUTER)
        assert "|nested:readings|" in metric_class(name)(**lang).score(NESTED, output).signature
        assert "nested" not in metric_class(name)(**lang).score(plain, output).signature
        off = metric_class(name)(nested="off", **lang).score(NESTED, output)
        assert "|nested:off|" in off.signature
        assert off.parts["recall"] < 1


def test_nested_compat_counts_all_edits_as_errant_does() -> None:
    metric = metric_class("errant")(lang="plain", compat="errant-3.0.2")
    assert metric.score(NESTED, output_of(ALONE, OUTER)).parts["fn"] > 0


# Commands.

M2 = """\
S Here never was been I before .
A 2 3|||R:VERB|||had|||REQUIRED|||-NONE-|||0
A 4 5|||U:PRON||||||REQUIRED|||-NONE-|||0
A 1 5|||R:WO|||I had never been|||REQUIRED|||-NONE-|||0
"""


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.m2"
    path.write_text(M2)
    (tmp_path / "ours.txt").write_text("Here I had never been before .\n")
    return path


def test_nested_edits_are_said_to_be_read_so(gold: Path) -> None:
    output = str(gold.parent / "ours.txt")
    found = CliRunner().invoke(main, ["score", "--gold", str(gold), output])
    assert "1 annotations in 1 sentences have edits inside of others" in found.stderr
    assert "1.0000" in found.stdout
    off = CliRunner().invoke(main, ["score", "--gold", str(gold), output, "--nested", "off"])
    assert "1.0000" not in off.stdout


def test_nested_edits_are_applied_by_convert(gold: Path) -> None:
    target = gold.parent / "corrected.txt"
    command = ["convert", str(gold), str(target), "--apply"]
    assert CliRunner().invoke(main, command).exit_code == 0
    assert target.read_text() == "Here I had never been before .\n"


def test_nested_edits_are_shown_by_the_report(gold: Path) -> None:
    page = gold.parent / "report.html"
    output = str(gold.parent / "ours.txt")
    command = ["report", "--gold", str(gold), output, "-o", str(page), "--resamples", "0"]
    found = CliRunner().invoke(main, command)
    assert found.exit_code == 0, found.output
    assert "nested:readings" in page.read_text()


# EstGEC, where word-order edits contain others.


def _without_detections(sent: Sentence) -> Sentence:
    annotations = (
        replace(ann, edits=tuple(edit for edit in ann.edits if edit.corrects))
        for ann in sent.annotations
    )
    return replace(sent, annotations=tuple(annotations))


@pytest.fixture(scope="module")
def estonian(shared_data: Path) -> Corpus:
    corpus = load(shared_data / "lang/et/estgec-dev.m2", findings=Findings())
    assert NestedEdits.of(corpus).annotations > 300
    return replace(corpus, sentences=tuple(map(_without_detections, corpus)))


def _corrections(corpus: Corpus, annotator: str) -> Hypothesis:
    texts = (sent.corrected(annotator) or sent.tokens for sent in corpus)
    return Hypothesis("perfect", tuple(texts))


@pytest.mark.parametrize(
    ("name", "options", "parts"),
    [
        ("m2", {}, ["precision", "recall"]),
        ("m2", {"level": "recognition"}, ["precision", "recall"]),
        ("m2", {"level": "detection"}, ["recall"]),
        ("pt-m2", {}, ["P", "R"]),
        ("errant", {"lang": "plain", "auto_gold": True}, ["precision", "recall"]),
        ("cleme", {"lang": "plain"}, ["P", "R"]),
        ("cleme2", {"lang": "plain"}, ["hit"]),
        ("gotoscorer", {"lang": "plain", "auto_gold": True, "weights": "none"}, ["P", "R"]),
        ("imeasure", {}, ["precision", "recall", "wacc"]),
    ],
)
def test_nested_estonian_perfect_corrections(
    estonian: Corpus, name: str, options: Mapping[str, Any], parts: Sequence[str]
) -> None:
    for annotator in estonian.annotators:
        own = estonian.keep_annotators([annotator])
        score = metric_class(name)(**options).score(own, _corrections(own, annotator))
        assert [score.parts[part] for part in parts] == [1] * len(parts)


def test_nested_estonian_perfect_edits(estonian: Corpus) -> None:
    for annotator in estonian.annotators:
        own = estonian.keep_annotators([annotator])
        given = replace(
            _corrections(own, annotator),
            edits=tuple(
                tuple(applicable(sent.annotations[0].edits, len(sent.tokens)))
                if sent.annotations
                else ()
                for sent in own
            ),
        )
        score = metric_class("errant")(lang="plain").score(own, given)
        assert score.parts["recall"] == 1
