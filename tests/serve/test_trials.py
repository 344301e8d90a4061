"""Texts that people paste into the page may have any line ends."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra 'serve'")

from geceval.errors import MismatchError
from geceval.serve.schemas import TryScoreRequest
from geceval.serve.trials import Trials


@pytest.fixture(scope="module")
def trials() -> Trials:
    """One for all tests, as in a server, since each loads a model."""
    return Trials()


def score(trials: Trials, source: str, output: str, *, tokenize: bool = False) -> float:
    request = TryScoreRequest(
        source=source, references=[source], output=output, metrics=["wer"], tokenize=tokenize
    )
    value = trials.scores(request)["scores"][0]["value"]
    assert isinstance(value, float)
    return value


@pytest.mark.filterwarnings("ignore::geceval.GecevalWarning")
@pytest.mark.parametrize("tokenize", [False, True])
def test_characters_that_end_lines_elsewhere_separate_tokens(
    trials: Trials, tokenize: bool
) -> None:
    for character in "\v\f\x1c\x85\u2028":
        assert score(trials, "a b", f"a{character}b", tokenize=tokenize) == 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(trials: Trials, end: str) -> None:
    assert score(trials, "I see it\nI do", f"I see it{end}I do{end}") == 1
    with pytest.raises(MismatchError, match="the source has 1 sentence but the output has 2"):
        score(trials, "I see it", f"I see{end}it")
