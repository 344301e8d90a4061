"""CLEME and CLEME2.0 against the original (v1.1, commit e90abea) on CoNLL-2014.

Edits of outputs and references are those of ERRANT 3.0.2, or as given in the original's M2 files.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from geceval import Corpus, Hypothesis
from geceval.formats import Findings, load, load_hypothesis
from geceval.metrics.cleme import Cleme, Cleme2
from geceval.metrics.cleme.base import ChunkMetric
from geceval.metrics.cleme.chunks import Assumption
from geceval.metrics.errant.edit_extractor import EditExtractor
from geceval.metrics.statistics import Score
from geceval.model import apply_edits

SHORT: dict[Assumption, str] = {"dependent": "dep", "independent": "ind"}
KINDS = ("tp", "fp_ne", "fp_un", "fn", "tn")
Rows: TypeAlias = list[dict[str, str]]
EXACT = 1e-13

VARIANTS: dict[str, dict[str, Any]] = {
    "corpus_unweighted": {"average": "corpus", "weights": "none"},
    "corpus_length": {"average": "corpus", "weights": "length"},
    "sentence_unweighted": {"average": "sentence", "weights": "none"},
    "sentence_length_sent": {"average": "sentence", "weights": "length"},
    "sentence_length_corpus": {"average": "sentence", "weights": "corpus-length"},
}
CHOSEN = {
    "corpus_unweighted": "chosen_corpus_unweighted",
    "corpus_length": "chosen_corpus_length",
    "sentence_unweighted": "chosen_sentence",
    "sentence_length_sent": "chosen_sentence_length_sent",
    "cleme2_sentence_unweighted": "chosen_cleme2_sentence",
}
VALUES = {
    "sentence_unweighted": "F_sentence",
    "sentence_length_sent": "F_sentence_length_sent",
    "cleme2_sentence_unweighted": "score_cleme2_sentence",
}


def table(path: Path) -> Rows:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def of(rows: Rows, system: str, assumption: str) -> Rows:
    return [row for row in rows if (row["system"], row["assumption"]) == (system, assumption)]


def metrics(rows: Rows, **more: Any) -> Iterator[tuple[dict[str, str], ChunkMetric]]:
    """Yield each row of a table with the metric that must give its numbers."""
    for row in rows:
        variant = row["variant"].removeprefix("cleme2_")
        assumption = {short: name for name, short in SHORT.items()}[row["assumption"]]
        options = {**VARIANTS[variant], "assumption": assumption, **more}
        if variant == row["variant"]:
            yield row, Cleme(compat="cleme-1.1", **options)
        else:
            yield row, Cleme2(**options)


def check_row(row: Mapping[str, str], score: Score) -> None:
    found = {**score.parts, "score": score.value}
    for name in row.keys() - {"system", "assumption", "variant"}:
        assert found[name] == pytest.approx(float(row[name]), rel=EXACT, abs=EXACT), (row, name)


@pytest.fixture(scope="module")
def scores_folder(shared_data: Path) -> Path:
    return shared_data / "conll14" / "scores"


@pytest.fixture(scope="module")
def conll(shared_data: Path) -> Corpus:
    """The sources and the two corrected texts of CoNLL-2014."""
    gold = shared_data / "conll14" / "gold"
    sources = load(gold / "official-2014.combined.m2", findings=Findings()).sources
    texts = [
        (gold / f"official-2014.ref{number}.txt").read_text(encoding="utf-8").splitlines()
        for number in (0, 1)
    ]
    return Corpus.from_texts(map(" ".join, sources), *texts)


@pytest.fixture(scope="module")
def extractor() -> EditExtractor:
    return EditExtractor()


@pytest.fixture(scope="module")
def conll_edits(conll: Corpus, extractor: EditExtractor) -> Corpus:
    """The same with extracted edits, which need not be extracted for every metric."""
    sentences = []
    for sent in conll:
        pairs = [(sent.tokens, apply_edits(sent.tokens, ann.edits)) for ann in sent.annotations]
        found = zip(sent.annotations, extractor.extract("conll", pairs), strict=True)
        annotations = tuple(replace(ann, edits=edits) for ann, edits in found)
        sentences.append(replace(sent, annotations=annotations))
    return Corpus(tuple(sentences))


def output_of(shared_data: Path, system: str) -> Hypothesis:
    path = shared_data / "conll14" / "systems" / f"{system}.txt"
    return load_hypothesis(path, findings=Findings())


@pytest.mark.parametrize("system", ["AMU", "NTHU", "UFC", "INPUT"])
def test_cleme_equals_the_original_on_conll(
    shared_data: Path, conll_edits: Corpus, extractor: EditExtractor, system: str
) -> None:
    """Totals, scores and chosen references, in all variants."""
    folder = shared_data / "conll14" / "scores"
    names = ("cleme", "cleme2")
    tables = [table(folder / f"{name}-system.tsv") for name in names]
    rows = [row for rows in tables for row in rows if row["system"] == system]
    assert len(rows) == 16
    sentences = table(folder / "cleme-sentence.tsv.gz")
    output = output_of(shared_data, system)
    pairs = list(zip(conll_edits.sources, output, strict=True))
    output = replace(output, edits=tuple(extractor.extract(system, pairs)))
    for row, metric in metrics(rows, auto_gold=False):
        score = metric.score(conll_edits, output)
        check_row(row, score)
        own = of(sentences, system, row["assumption"])
        assert len(own) == (0 if system == "INPUT" else 1312)
        if own and row["assumption"] == "dep" and row["variant"] in CHOSEN:
            chosen = [int(one[CHOSEN[row["variant"]]]) for one in own]
            assert score.sentences.chosen.tolist() == chosen
        if own and row["variant"] in VALUES:
            values = [float(one[VALUES[row["variant"]]]) for one in own]
            assert score.sentences.values.tolist() == pytest.approx(values, abs=EXACT)


@pytest.mark.parametrize("assumption", SHORT)
def test_cleme_counts_equal_the_original_on_conll(
    scores_folder: Path, shared_data: Path, conll: Corpus, assumption: Assumption
) -> None:
    rows = of(table(scores_folder / "cleme-counts.tsv.gz"), "NTHU", SHORT[assumption])
    output = output_of(shared_data, "NTHU")
    statistics = Cleme(assumption=assumption).statistics(conll, output)
    expected = np.zeros((*statistics.mask.shape, len(KINDS)))
    for row in rows:
        place = int(row["sent"]), max(0, int(row["ref"]))
        assert statistics.mask[place]
        expected[place] = [float(row[name]) for name in KINDS]
    assert len(rows) == statistics.mask.sum()
    assert np.array_equal(statistics.counts[:, :, : len(KINDS)], expected)


def test_cleme_equals_the_original_on_edits_as_given(scores_folder: Path) -> None:
    """The M2 files that come with the original, whose edits are those of an older ERRANT."""
    corpus = load(scores_folder / "cleme-input-ref.m2.gz", findings=Findings())
    output = load_hypothesis(scores_folder / "cleme-input-AMU.m2.gz", findings=Findings())
    rows = [
        row
        for name in ("cleme", "cleme2")
        for row in table(scores_folder / f"{name}-system-errant233.tsv")
        if row["system"] == "AMU"
    ]
    assert len(rows) == 16
    for row, metric in metrics(rows, auto_gold=False):
        score = metric.score(corpus, output)
        check_row(row, score)
        assert "|edits:given|" in score.signature


def test_cleme_published_example(scores_folder: Path) -> None:
    """The example of the original's documentation: AMU, dependent, by length."""
    corpus = load(scores_folder / "cleme-input-ref.m2.gz", findings=Findings())
    output = load_hypothesis(scores_folder / "cleme-input-AMU.m2.gz", findings=Findings())
    score = Cleme(auto_gold=False, compat="cleme-1.1").score(corpus, output)
    shown = {name: round(part, 4) for name, part in score.parts.items()}
    assert shown["F"] == 0.2514
    assert (shown["acc"], shown["P"], shown["R"]) == (0.7634, 0.2645, 0.2097)
    assert [round(score.parts[name], 2) for name in ("tp", "fp", "fn", "tn")] == [
        313.51, 871.8, 1181.71, 6312.0,
    ]  # fmt: skip
