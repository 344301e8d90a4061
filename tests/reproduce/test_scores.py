"""Published scores of the systems of CoNLL-2014 by the official tools, beside ours."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import geceval
from geceval.metrics.gleu.metric import GLEU
from geceval.metrics.imeasure import IMeasure
from geceval.metrics.maxmatch import M2
from geceval.model import Corpus, Hypothesis
from reproduce.published import Comparison, PublishedTable

if TYPE_CHECKING:
    from reproduce.pages import Reproduction

pytestmark = [pytest.mark.reproduce, pytest.mark.filterwarnings("ignore::geceval.GecevalWarning")]


def official(shared_data: Path, name: str) -> PublishedTable:
    """Read what an official tool gave."""
    path = shared_data / "conll14" / "scores" / f"{name}.tsv"
    with path.open(encoding="utf-8") as file:
        return PublishedTable.of("scores", name, list(csv.reader(file, delimiter="\t")))


def systems(shared_data: Path, table: PublishedTable) -> dict[str, Hypothesis]:
    folder = shared_data / "conll14" / "systems"
    return {name: geceval.load_hypothesis(folder / f"{name}.txt") for name in table.rows}


def check(
    reproduction: Reproduction,
    table: PublishedTable,
    ours: Mapping[str, Mapping[str, float]],
    title: str,
    about: str,
) -> None:
    comparison = reproduction.compare(Comparison.of(table, ours, title=title, about=about))
    assert comparison.n_equal == len(comparison.all_cells) > 0


def test_scores_of_the_official_m2_scorer(shared_data: Path, reproduction: Reproduction) -> None:
    table = official(shared_data, "m2-totals")
    gold = geceval.load(shared_data / "conll14" / "gold" / "official-2014.combined.m2")
    ours = {}
    for name, output in systems(shared_data, table).items():
        score = M2().score(gold, output)
        parts = score.parts
        ours[name] = {count: parts[count] for count in ("correct", "proposed", "gold")}
        ours[name] |= {"P": parts["precision"], "R": parts["recall"], "F0.5": score.value}
    check(
        reproduction,
        table,
        ours,
        "M², CoNLL-2014",
        "Counts and scores of the official scorer 3.2, two annotators (Ng et al., 2014).",
    )


def test_scores_of_the_official_imeasure(shared_data: Path, reproduction: Reproduction) -> None:
    table = official(shared_data, "official-imeasure-system")
    gold = geceval.load(shared_data / "conll14" / "gold" / "official-2014.combined.ieval.xml")
    measure = IMeasure(mix=False)
    ours = {
        name: {"score": 100 * measure.score(gold, output).value}
        for name, output in systems(shared_data, table).items()
    }
    check(
        reproduction,
        table,
        ours,
        "I-measure, CoNLL-2014",
        "In percent, without mixed references, as published (Napoles et al., 2015).",
    )


def test_scores_of_the_official_gleu(shared_data: Path, reproduction: Reproduction) -> None:
    table = official(shared_data, "official-gleu-system")
    outputs = systems(shared_data, table)
    folder = shared_data / "conll14"
    source, *references = (
        path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        for path in (
            folder / "systems" / "INPUT.txt",
            *(folder / "gold" / f"official-2014.ref{number}.txt" for number in (0, 1)),
        )
    )
    gold = Corpus.from_texts(source, *references)
    ours = {name: {"score": GLEU().score(gold, output).value} for name, output in outputs.items()}
    check(
        reproduction,
        table,
        ours,
        "GLEU, CoNLL-2014",
        "The version of 2016 without tuning, 500 draws of one of two references.",
    )
