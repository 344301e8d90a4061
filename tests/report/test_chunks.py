"""Chunks in a report: what source, output and references have between common boundaries."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from geceval import Corpus, Hypothesis
from geceval.evaluation.resampling import Resampling
from geceval.metrics.cleme import Cleme, Cleme2
from geceval.metrics.gleu.metric import GLEU
from geceval.report.collect import collect
from geceval.report.consistency import find_problem
from geceval.report.figures import figures
from geceval.report.rendering import render
from geceval.report.results import Results, save
from geceval.report.results_loader import load

SOURCES = ["I likes cat and dog .", "All is well .", "We was at home ."]
REFERENCES = (
    ["I like cats and dog .", "All is well .", "We were at home ."],
    ["I like the cat and dogs .", "All is well .", "We were home ."],
)
OUTPUTS = ["I like cats and the dog .", "All is well .", "Was we at home"]


@pytest.fixture(scope="module")
def results() -> Results:
    corpus = Corpus.from_texts(SOURCES, *REFERENCES)
    systems = [
        Hypothesis.from_texts(OUTPUTS, name="ours"),
        Hypothesis.from_texts(SOURCES, name="source"),
    ]
    metrics = [GLEU(), Cleme(lang="plain"), Cleme2(lang="plain", assumption="independent")]
    return collect(corpus, systems, metrics, resampling=Resampling(20))


def texts(results: Results, system: str, sentence: int) -> list[str]:
    """Put output and references together again, as the page does."""
    found = results["sentences"]["systems"][system]["chunks"][sentence]
    assert found is not None
    _, annotators, chunks = found
    tokens = SOURCES[sentence].split()
    rows: list[list[str]] = [[] for _ in range(1 + len(annotators))]
    reached = 0
    for start, end, _, output, references in chunks:
        for row, text in zip(rows, (output, *references), strict=True):
            new = tokens[start:end] if text is None else text.split()
            row.extend((*tokens[reached:start], *new))
        reached = end
    return [" ".join((*row, *tokens[reached:])) for row in rows]


def test_chunks_of_the_first_metric_that_has_any(results: Results) -> None:
    assert results["chunk_metric"] == "cleme"
    ours = results["sentences"]["systems"]["ours"]["chunks"]
    assert [one is None for one in ours] == [False, True, False]
    for sentence in (0, 2):
        expected = [OUTPUTS[sentence], *(texts_[sentence] for texts_ in REFERENCES)]
        assert texts(results, "ours", sentence) == expected
    assert ours[0] is not None
    chosen, annotators, chunks = ours[0]
    assert (chosen, annotators) == (0, [0, 1])
    assert [kind for _, _, kind, *_ in chunks] == [0, 2]


def test_chunks_are_saved_loaded_and_rendered(results: Results, tmp_path: Path) -> None:
    save(results, tmp_path / "results.json")
    loaded = load(tmp_path / "results.json")
    assert loaded["chunk_metric"] == "cleme"
    assert texts(loaded, "ours", 0)[0] == OUTPUTS[0]
    assert "Chunks of" in render(loaded)


def test_chunks_are_not_there_without_such_a_metric() -> None:
    corpus = Corpus.from_texts(SOURCES, *REFERENCES)
    system = Hypothesis.from_texts(OUTPUTS, name="ours")
    plain = collect(corpus, [system], [GLEU()], resampling=Resampling(0))
    assert "chunk_metric" not in plain
    assert "chunks" not in plain["sentences"]["systems"]["ours"]


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ((), [None], "has 1 entries instead of 3"),
        ((0,), (2, [0, 1], []), "has the position 2, but there are 2"),
        ((0,), (0, [0, 7], []), "has the position 7, but there are 2"),
        ((0, 2, 0), (3, 2, 0, None, [None, None]), "has the span 3 2 in a sentence of 6 tokens"),
        ((0, 2, 0), (5, 7, 0, None, [None, None]), "has the span 5 7 in a sentence of 6 tokens"),
        ((0, 2, 0), (1, 2, 5, None, [None, None]), "has the position 5, but there are 5"),
        ((0, 2, 0), (1, 2, 0, None, [None]), "has 1 entries instead of 2"),
    ],
)
def test_chunks_that_do_not_fit_are_refused(
    results: Results, place: tuple[int, ...], value: Any, message: str
) -> None:
    altered: Any = deepcopy(results)
    view = altered["sentences"]["systems"]["ours"]
    if not place:
        view["chunks"] = value
    elif len(place) == 1:
        view["chunks"][place[0]] = value
    else:
        chosen, annotators, _ = view["chunks"][place[0]]
        view["chunks"][place[0]] = (chosen, annotators, [value])
    assert find_problem(altered) == f"sentences.systems.ours.chunks {message}"
    assert find_problem(results) is None


def test_chunk_metric_must_be_known(results: Results) -> None:
    altered = deepcopy(results)
    altered["chunk_metric"] = "nothing"
    assert find_problem(altered) == "chunk_metric names the unknown metric 'nothing'"


def test_precision_and_recall_of_chunks_have_intervals_and_a_figure(results: Results) -> None:
    intervals = results["scores"]["cleme"]["ours"]["part_intervals"]
    assert intervals.keys() == {"P", "R"}
    names = [picture.name for picture in figures(results)]
    assert "precision-recall-cleme" in names
    assert "precision-recall-cleme2" not in names
