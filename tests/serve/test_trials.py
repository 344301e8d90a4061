"""Try a text, over the network."""

from __future__ import annotations

import pytest

import geceval
from geceval.serve.api_client import ServerClient, ServerError

SOURCE, CORRECTED = "This are a sentences .", "This is a sentence ."


def test_edits_are_those_of_annotate(local: ServerClient) -> None:
    answer = local.try_edits(SOURCE, CORRECTED)
    (sentence,) = answer.sentences
    (found,) = sentence.corrections
    expected = geceval.annotate(SOURCE, CORRECTED)
    assert [(e.start, e.end, tuple(e.correction), e.type) for e in found.edits] == [
        (e.start, e.end, e.correction, e.type) for e in expected
    ]
    assert all(edit.meaning and edit.operation and edit.reason for edit in found.edits)
    assert found.cost == pytest.approx(sum(step.cost for step in found.alignment))
    assert answer.m2.startswith(f"S {SOURCE}\nA 1 2|||R:VERB:SVA|||is|||")
    assert "lang:en" in answer.signature


def test_each_line_is_a_sentence_and_each_correction_an_annotator(local: ServerClient) -> None:
    answer = local.try_edits("a b\nc", "a x\nc", "a b\nd", lang="plain")
    assert [len(one.corrections) for one in answer.sentences] == [2, 2]
    assert answer.m2.count("|||1\n") == 2


def test_raw_text_is_tokenized_on_request(local: ServerClient) -> None:
    answer = local.try_edits("He don't.", "He doesn't.", tokenize=True)
    assert [one.token for one in answer.sentences[0].corrections[0].source] == [
        "He", "do", "n't", ".",
    ]  # fmt: skip


def test_scores_are_those_of_score(local: ServerClient) -> None:
    answer = local.try_score(SOURCE, CORRECTED, ["This is one sentence ."], metrics=METRICS)
    expected = geceval.score(
        [CORRECTED], [SOURCE], ["This is one sentence ."], METRICS, resamples=0
    )
    assert {one.metric: one.value for one in answer.scores} == {
        name: float(score.value) for name, score in expected.items()
    }
    assert [edit.outcome for edit in answer.marked[0].edits] == ["correct", "missed", "correct"]


METRICS = ["m2", "gleu", "errant"]


def test_all_usual_metrics_score_a_short_text(local: ServerClient) -> None:
    answer = local.try_score(SOURCE, CORRECTED, [CORRECTED, SOURCE])
    assert len(answer.scores) == 14
    assert answer.notes == []


@pytest.mark.parametrize(
    ("source", "corrections", "choices", "message"),
    [
        ("a\nb", ("a",), {}, "the source has 2 sentences but the correction has 1"),
        (" ", ("a",), {}, "there is no text"),
        ("a", ("a",), {"lang": "learned:/etc/passwd"}, "lang"),
        ("a", ("a",), {"lang": "klingon"}, "unknown language 'klingon'"),
        ("a", ("a",), {"typer": "nonsense"}, "unknown typer 'nonsense'"),
        ("a", ("a",), {"merge": "nonsense"}, "unknown merging strategy"),
        ("a", ("a",), {"align": "nonsense"}, "align"),
        ("a", ("a",), {"lnag": "en"}, "lnag"),
        ("a" * 10_001, ("a",), {}, "10000"),
        ("a", (), {}, "corrections"),
    ],
)
def test_wrong_requests_are_explained(
    local: ServerClient,
    source: str,
    corrections: tuple[str, ...],
    choices: dict[str, str],
    message: str,
) -> None:
    with pytest.raises(ServerError, match=message) as caught:
        local.try_edits(source, *corrections, **choices)
    assert caught.value.status == 422


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("scores:/etc/passwd", "does not offer"),
        ("gotoscorer(weights=/etc/passwd)", "does not take the option weights"),
        ("impara(model=/tmp)", "does not offer the metric impara"),
        ("grammar", "does not offer the metric grammar"),
        ("m2(jobs=99)", "does not take the option jobs"),
        ("all", "name the metrics one by one"),
        ("nonsense", "unknown metric"),
    ],
)
def test_metrics_cannot_open_files_or_start_servers(
    local: ServerClient, metric: str, message: str
) -> None:
    with pytest.raises(ServerError, match=message):
        local.try_score("a b", "a b", ["a b"], metrics=[metric])
