"""Cards of metrics."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from geceval.errors import FormatError
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.extraction.annotator import Annotator
from geceval.formats.inputs import Input
from geceval.metaeval.card.metric_card import (
    Card,
    built_in_cards,
    load_cards,
    make_cards,
    record,
    speed_of,
)
from geceval.metaeval.card.studies import cards_of
from geceval.metaeval.card.tables import is_compared, sections, tables
from geceval.metaeval.human.judgment_files import read_judgments
from geceval.metaeval.human.study import study
from geceval.metrics import metric_names
from geceval.model import Annotation, Corpus, Edit, Hypothesis
from human_examples import CORPUS, JUDGED, SYSTEMS, appraise

TWO = Corpus(
    tuple(
        replace(
            sent,
            annotations=(*sent.annotations, Annotation("1", (Edit(1, 2, (("is",),), "SVA"),))),
        )
        for sent in CORPUS
    ),
    "gold",
)
OUTPUTS = [*SYSTEMS, Hypothesis("INPUT", TWO.sources)]
FEW = Resampling(20)


@pytest.fixture(scope="module")
def cards() -> list[Card]:
    judgments = read_judgments(Input.from_text(appraise(JUDGED)), "made up")
    return cards_of(
        make_metrics(["m2", "gleu"], {}),
        TWO,
        Annotator("plain"),
        judgments=[judgments],
        hypotheses=OUTPUTS,
        resampling=FEW,
    )


def test_card_has_the_numbers_of_the_studies(cards: list[Card]) -> None:
    judgments = read_judgments(Input.from_text(appraise(JUDGED)), "made up")
    found = study([judgments], TWO, OUTPUTS, make_metrics(["m2", "gleu"], {}), resampling=FEW)
    for card, correlation in zip(cards, found.sets[0].correlations["TrueSkill"], strict=True):
        (own,) = card.agreements
        assert (own.name, own.n_systems) == ("made up", 5)
        assert own.spearman == correlation.coefficients["spearman"].value
        assert correlation.concordance is not None
        assert own.tied_share == correlation.concordance.tied_share
        assert own.signature.startswith(card.metric)
        assert card.maege is not None
        assert set(card.maege.sensitivity) == {"SVA"}
        assert card.behavior.is_deterministic
        assert card.behavior.sentences_per_second > 0


def test_card_is_compared_on_the_same_data_only(cards: list[Card]) -> None:
    first, second = cards
    shown = {table.name: len(table.rows) for table in tables(first, [first, second])}
    assert shown == {"maege": 2, "people-0-made-up": 2, "sensitivity": 1, "behavior": 2}
    assert is_compared(first, [second])
    assert second.maege is not None
    elsewhere = replace(
        second,
        agreements=(replace(second.agreements[0], data="other"),),
        maege=replace(second.maege, data="other"),
    )
    shown = {table.name: len(table.rows) for table in tables(first, [elsewhere])}
    assert shown == {"maege": 1, "people-0-made-up": 1, "sensitivity": 1, "behavior": 2}
    assert not is_compared(first, [elsewhere])
    (section,) = sections(first, [second])
    assert first.configuration in section.text


def test_card_without_data_has_speed_and_determinism() -> None:
    (card,) = make_cards(make_metrics(["ld-source"], {}))
    assert (card.maege, card.agreements) == (None, ())
    assert [table.name for table in tables(card)] == ["behavior"]
    assert is_compared(card, [])
    assert speed_of(make_metrics(["ld-source"], {})[0]) > 0


def test_cards_are_read_back(cards: list[Card], tmp_path: Path) -> None:
    path = tmp_path / "cards.json"
    path.write_text(json.dumps(record(cards)), encoding="utf-8")
    assert load_cards(path) == cards
    undefined = replace(cards[0], agreements=(replace(cards[0].agreements[0], spearman=math.nan),))
    path.write_text(json.dumps(record([undefined])), encoding="utf-8")
    assert math.isnan(load_cards(path)[0].agreements[0].spearman)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no", "expected cards of metrics"),
        ("[]", "expected cards of metrics"),
        ('{"schema": 9, "cards": []}', "the schema is 9, not 1"),
        ('{"schema": 1}', "expected cards of metrics"),
        ('{"schema": 1, "cards": [{"metric": "m2"}]}', "missing required field"),
    ],
)
def test_cards_other_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "cards.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        load_cards(path)


def test_cards_of_built_in_metrics_are_shipped() -> None:
    """Numbers and signatures only: neither texts nor paths."""
    shipped = built_in_cards()
    assert {card.metric for card in shipped} <= set(metric_names())
    assert len({card.metric for card in shipped}) == len(shipped) >= 9
    for card in shipped:
        assert "/" not in card.configuration
        assert card.maege is not None
        assert {one.name for one in card.agreements} >= {"GJG15", "SEEDA-E base", "SEEDA-S base"}
