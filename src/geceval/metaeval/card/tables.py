"""Tables and page sections of the card of a metric."""

from __future__ import annotations

from collections.abc import Sequence

from geceval.metaeval.card.metric_card import Card, HumanAgreement
from geceval.presentation.page import Section
from geceval.presentation.table import Cell, Table
from geceval.storage.strict_json import or_none

INTRODUCTION = """
All that the studies of this package tell about one metric, beside the built-in metrics where they
were computed on the same data.
"""


def behavior_table(card: Card, others: Sequence[Card]) -> Table:
    """Return speed and determinism."""
    rows = tuple(
        (
            one.title,
            # Machines differ, so that only the ratio is shown of the others.
            one.behavior.sentences_per_second if one is card else None,
            one.behavior.relative_speed,
            "yes" if one.behavior.is_deterministic else "no",
        )
        for one in (card, *others)
    )
    header = ("metric", "sentences/s", "speed (GLEU = 1)", "deterministic")
    return Table("behavior", "Speed and determinism", header, rows, digits=2)


def maege_table(card: Card, others: Sequence[Card]) -> Table | None:
    """Return the correlations of MAEGE; None if there are none."""
    if card.maege is None:
        return None
    shown = [card, *(o for o in others if o.maege and o.maege.data == card.maege.data)]
    rows = tuple(
        (
            one.title,
            or_none(one.maege.spearman),
            or_none(one.maege.pearson),
            or_none(one.maege.kendall),
        )
        for one in shown
        if one.maege is not None
    )
    header = ("metric", "ρ (corpora)", "r (sentences)", "τ (pairs)")
    return Table("maege", "MAEGE: corrections of known quality", header, rows, digits=3)


def sensitivity_table(card: Card) -> Table | None:
    """Return the score changes by error type, the most frequent first; None if there are none."""
    if card.maege is None or not card.maege.sensitivity:
        return None
    changes = sorted(card.maege.sensitivity.items(), key=lambda item: (-item[1].n, item[0]))
    rows = tuple(
        (name, one.n, or_none(one.mean), "yes" if one.is_certain else "no") for name, one in changes
    )
    header = ("error type", "n", "change", "significant")
    return Table("sensitivity", "Score change by corrected error type", header, rows)


def agreement_table(card: Card, number: int, others: Sequence[Card]) -> Table:
    """Return the agreement with people in one set, for metrics computed on the same data."""
    own = card.agreements[number]
    rows = [_row(card.title, own)]
    for other in others:
        rows += [_row(other.title, one) for one in other.agreements if one.data == own.data]
    header = (
        "metric", "ρ", "low", "high", "r", "τ", "pairs", "accuracy with ties", "τ SEEDA", "tied",
    )  # fmt: skip
    name = "".join(letter if letter.isalnum() else "-" for letter in own.name.lower())
    title = f"{own.name}: agreement with people ({own.n_systems} systems)"
    return Table(f"people-{number}-{name}", title, header, tuple(rows), digits=3)


def _row(title: str, one: HumanAgreement) -> tuple[Cell, ...]:
    values = (
        one.spearman, one.low, one.high, one.pearson, one.kendall, one.pair_accuracy,
        one.sentence_accuracy, one.seeda_tau, one.tied_share,
    )  # fmt: skip
    return (title, *map(or_none, values))


def tables(card: Card, others: Sequence[Card] = ()) -> list[Table]:
    """Return all tables of a card; `others` are compared where the data are the same."""
    rest = [one for one in others if one.configuration != card.configuration]
    found = [
        maege_table(card, rest),
        *(agreement_table(card, number, rest) for number in range(len(card.agreements))),
        sensitivity_table(card),
        behavior_table(card, rest),
    ]
    return [table for table in found if table is not None]


def is_compared(card: Card, others: Sequence[Card]) -> bool:
    """Whether a study of the card was made on the data of another card."""
    own = {one.data for one in card.agreements} | ({card.maege.data} if card.maege else set())
    known = {one.data for other in others for one in other.agreements}
    known |= {other.maege.data for other in others if other.maege}
    return not own or bool(own & known)


def sections(card: Card, others: Sequence[Card] = ()) -> list[Section]:
    """Return the sections of the card's page."""
    return [
        Section(
            "card",
            card.title,
            f"Settings: {card.configuration}. Version {card.version} of geceval.",
            tuple(tables(card, others)),
        )
    ]
