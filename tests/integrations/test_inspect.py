"""inspect-ai: a task with our scorer, run on a stub model, and its logs as system output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import geceval
from requirements import skip_or_fail

SOURCES = ["I likes cat .", "All is well ."]
REFERENCES = [["I like cats .", "I like a cat ."], ["All is well .", "All is fine ."]]
OUTPUT = ["I like cat .", "All is well ."]


def run_task(folder: Path, log_format: str) -> Any:
    """Run a task on a stub model, and return its log."""
    try:
        import inspect_ai
        from inspect_ai.dataset import MemoryDataset, Sample
        from inspect_ai.model import ModelAPI, ModelOutput, get_model, modelapi
        from inspect_ai.solver import generate

        from geceval.integrations.inspect import gec
    except ImportError as error:
        skip_or_fail("integrations", f"the package {error.name} is not installed")

    @modelapi(name="stub")
    class Stub(ModelAPI):
        """Corrects the sentences that it knows."""

        async def generate(self, input: list[Any], *_: object, **__: object) -> Any:
            known = dict(zip(SOURCES, OUTPUT, strict=True))
            return ModelOutput.from_content("stub", known[input[-1].text])

        async def count_text_tokens(self, text: str) -> int:
            return len(text.split())

    samples = [
        Sample(input=source, target=references)
        for source, references in zip(SOURCES, REFERENCES, strict=True)
    ]
    task = inspect_ai.Task(
        dataset=MemoryDataset(samples), solver=generate(), scorer=gec("m2", lang="plain")
    )
    (log,) = inspect_ai.eval(
        task,
        model=get_model("stub/model"),
        log_format=log_format,
        log_dir=str(folder),
        display="none",
    )
    return log


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_inspect_scores_and_logs(log_format: str, tmp_path: Path) -> None:
    log = run_task(tmp_path, log_format)
    assert log.status == "success", log.error
    expected = geceval.score(
        OUTPUT, SOURCES, REFERENCES, references_by="sentence", resamples=0, lang="en"
    )
    metrics = {name: one.value for name, one in log.results.scores[0].metrics.items()}
    assert metrics["corpus_score"] == pytest.approx(expected.value)
    assert metrics["mean"] == pytest.approx(expected.sentences.values.mean())
    (path,) = tmp_path.glob(f"*.{log_format}")
    assert [" ".join(one) for one in geceval.load_hypothesis(path)] == OUTPUT
