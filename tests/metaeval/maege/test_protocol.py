"""Protocols, and studies by the released one."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from geceval.errors import GecevalError, OptionError, UnknownNameError
from geceval.extraction.annotator import Annotator
from geceval.metaeval.human.aggregation import Aggregation
from geceval.metaeval.maege.material import span
from geceval.metaeval.maege.protocol import PAPER, PROTOCOLS, RELEASED_OPTIONS, Protocol
from geceval.metaeval.maege.study import study
from geceval.metaeval.maege.summary import Study, StudySettings
from geceval.metaeval.maege.tables import protocol as protocol_table
from geceval.metrics import metric_class
from geceval.metrics.base import Metric
from geceval.metrics.options import check_options, descriptions_of, options_of
from geceval.model import Annotation, Corpus, Edit, Sentence
from toy_metrics import CountsEdits, marked_corpus

RELEASED = PROTOCOLS["released"]


def run(*metrics: Metric, protocol: Protocol = RELEASED, corpus: Corpus | None = None) -> Study:
    return study(
        span(marked_corpus(30) if corpus is None else corpus, protocol=protocol),
        {metric.name: metric for metric in metrics},
        Annotator("plain"),
        settings=StudySettings(seeds=(1, 2), protocol=protocol),
    )


def test_protocols_differ_in_every_option() -> None:
    for field in fields(Protocol):
        assert getattr(PAPER, field.name) != getattr(RELEASED, field.name)
    options = options_of(Protocol)
    assert (
        list(options) == list(descriptions_of(Protocol)) == [one.name for one in fields(Protocol)]
    )
    for option in options.values():
        assert option.choices or option.kinds == (int,)


def test_label_names_the_closest_protocol() -> None:
    assert PAPER.label == "paper"
    assert RELEASED.label == "released"
    assert Protocol(pairs="all", chain_annotators=3).label == "paper,chain_annotators=3,pairs=all"
    assert replace(RELEASED, ties="half").label == "released,ties=half"
    assert RELEASED.record()["corpus_source"] == "output"


@pytest.mark.parametrize(
    "wrong", [{"ties": "x"}, {"chain_annotators": 0}, {"pairs": True}, {"edits": None}]
)
def test_options_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(OptionError, match="Protocol: the option"):
        Protocol(**wrong)  # type: ignore[arg-type]


def test_protocols_are_found_by_name() -> None:
    assert Protocol.named("released") is RELEASED
    with pytest.raises(UnknownNameError, match="did you mean 'released'"):
        Protocol.named("release")


def test_variants_keep_what_was_given() -> None:
    assert RELEASED.variant(metric_class("ibleu")()).settings()["source"] == "reward"
    given = metric_class("ibleu")(source_term="penalty")
    assert RELEASED.variant(given) is given
    assert PAPER.variant(metric_class("ibleu")()).settings()["source"] == "penalty"
    metric = CountsEdits()
    assert RELEASED.variant(metric) is metric
    for name, options in RELEASED_OPTIONS.items():
        check_options(metric_class(name), options)


def test_a_study_uses_variants_and_says_so() -> None:
    found = run(metric_class("ibleu")(), CountsEdits())
    assert "|source:reward|" in found.metrics["ibleu"].signature
    assert "|protocol:released|" in found.signature
    assert found.record()["settings"]["protocol"] == RELEASED.record()
    table = protocol_table(found)
    assert table.title == "Protocol: released"
    assert table.header == ("option", "used", "paper", "released")
    assert ("ties", "argsort", "not-discordant", "argsort") in table.rows
    # However it is sampled, who counts edits is always right.
    assert found.metrics["counts"].kendall.values == (1, 1)


def test_a_corpus_has_the_mean_of_its_sentences() -> None:
    """M² differs from the mean of sentence scores; a mean does not."""
    by_mean = replace(PAPER, aggregation="mean")
    m2, mean = (
        run(metric_class("m2")(), CountsEdits(), protocol=protocol).metrics
        for protocol in (PAPER, by_mean)
    )
    assert m2["m2"].corpus_scores != pytest.approx(mean["m2"].corpus_scores)
    assert m2["counts"].corpus_scores == pytest.approx(mean["counts"].corpus_scores)
    assert m2["m2"].signature == mean["m2"].signature
    assert m2["m2"].kendall == mean["m2"].kendall


@pytest.mark.parametrize("aggregation", ["trueskill", "expected-wins"])
def test_corpora_are_ranked_by_their_sentences(aggregation: Aggregation) -> None:
    found = run(CountsEdits(), protocol=replace(PAPER, aggregation=aggregation))
    by_mean = run(CountsEdits(), protocol=replace(PAPER, aggregation="mean"))
    assert f"|protocol:paper,aggregation={aggregation}|" in found.signature
    ours, others = found.metrics["counts"], by_mean.metrics["counts"]
    assert ours.kendall == others.kendall
    for one in ours.results:
        assert one.corpus_scores[0] == min(one.corpus_scores)
        if aggregation == "expected-wins":
            # What one corpus wins, another loses.
            assert np.mean(one.corpus_scores) == pytest.approx(0.5)
            assert one.corpus_scores[0] == 0
        else:
            assert one.corpus_scores[0] < 0 < one.corpus_scores[-1]
    assert ours.spearman.mean > 0.8


def test_original_sources_may_be_those_of_corpora_only() -> None:
    metric = metric_class("ld-source")()
    corpus = marked_corpus(30)
    found = {
        (source, protocol.label): study(
            span(corpus),
            {"ld": metric},
            Annotator("plain"),
            settings=StudySettings(source, (1,), protocol=protocol),
        ).metrics["ld"]
        for source in ("random", "original")
        for protocol in (PAPER, Protocol(original_source="corpora"))
    }
    label = Protocol(original_source="corpora").label
    assert found["original", label].spearman == found["original", "paper"].spearman
    assert found["original", label].kendall == found["random", "paper"].kendall
    assert found["random", label].kendall == found["random", "paper"].kendall


EDIT = (Edit(0, 1, (("x",),)),)


def sentence(**readings: tuple[Edit, ...]) -> Sentence:
    return Sentence(("a", "b"), tuple(Annotation(name, edits) for name, edits in readings.items()))


def test_sentences_of_some_annotators() -> None:
    corpus = Corpus(
        (
            sentence(a=EDIT, b=EDIT, r=()),
            sentence(a=EDIT, r=()),
            sentence(a=EDIT, b=(), r=()),
            sentence(r=()),
            sentence(b=EDIT),
        )
    )
    material = span(corpus, annotators="ab", protocol=RELEASED)
    assert [sent.number for sent in material.sentences] == [0, 1]
    assert [len(sent.lattices) for sent in material.sentences] == [2, 1]
    assert material.counts["left-alone"] == 2
    assert material.counts["without-reference"] == 1
    # What the file suggests does not matter, since no annotator is needed.
    assert span(corpus, annotators="ab", protocol=RELEASED, missing=None) == material
    with pytest.raises(GecevalError, match="no sentence that one of the annotators a, b"):
        span(Corpus((sentence(a=(), b=EDIT, r=()),)), annotators="ab", protocol=RELEASED)


def test_material_of_another_protocol_is_refused() -> None:
    """Released sampling from the material of the paper would give numbers of neither."""
    with pytest.raises(GecevalError, match=r"has sentences=some, but .* built with sentences=all"):
        study(
            span(marked_corpus(5)),
            {"counts": CountsEdits()},
            Annotator("plain"),
            settings=StudySettings(protocol=RELEASED),
        )
    with pytest.raises(GecevalError, match="edits=all"):
        span(marked_corpus(5)).check_protocol(Protocol(edits="all"))
