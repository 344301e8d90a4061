"""inspect-ai: a scorer of single sentences, and a metric of the whole corpus.

The input of a sample is the source sentence, its target the references.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    mean,
    metric,
    scorer,
)
from inspect_ai.solver import TaskState

from geceval.api import score as score_corpus
from geceval.api import sentence_scores


@metric
def corpus_score(name: str = "m2", **options: Any) -> Metric:
    """Score the outputs of all samples together.

    Parameters
    ----------
    name, options
        A metric of geceval and options of `geceval.score`.
    """

    def compute(scores: list[SampleScore]) -> Value:
        found = [one.score.metadata or {} for one in scores]
        return float(
            score_corpus(
                [str(one["output"]) for one in found],
                [str(one["source"]) for one in found],
                [list(one["references"]) for one in found],
                name,
                references_by="sentence",
                **{"resamples": 0, **options},
            ).value
        )

    return compute


@scorer(metrics=[corpus_score(), mean()])
def gec(name: str = "m2", **options: Any) -> Scorer:
    """Score the correction of each sample.

    Parameters
    ----------
    name, options
        A metric of geceval and options of `geceval.score`.
    """

    async def compute(state: TaskState, target: Target) -> Score:
        source, references = state.input_text.strip(), _lines(target)
        lines = state.output.completion.strip().splitlines()
        output = lines[0].strip() if lines else ""
        (value,) = sentence_scores(
            [output], [source], [references], name, references_by="sentence", **options
        )
        return Score(
            value=value,
            answer=output,
            metadata={"source": source, "output": output, "references": references},
        )

    return compute


def _lines(target: Target) -> list[str]:
    references: Sequence[str] = target.target
    return [one.strip() for one in references]
