"""lm-evaluation-harness: a task from the template, run on a stub model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import geceval
from geceval.integrations.lm_eval import aggregation, process_results, write_task
from requirements import skip_or_fail

SOURCES = ["I likes cat .", "All is well ."]
REFERENCES = [["I like cats .", "I like a cat ."], ["All is well .", "All is fine ."]]
OUTPUT = ["I like cat .", "All is well ."]


def test_lm_eval_aggregation_is_the_corpus_score() -> None:
    collect = process_results(["m2", "gleu"])
    items = [
        collect({"source": source, "references": references}, [f" {output}\nand more"])
        for source, references, output in zip(SOURCES, REFERENCES, OUTPUT, strict=True)
    ]
    expected = geceval.score(
        OUTPUT, SOURCES, REFERENCES, ["m2", "gleu"], lang="plain", references_by="sentence"
    )
    assert aggregation("gleu")([one["gleu"] for one in items]) == expected["gleu"].value
    assert aggregation("m2", lang="plain")([one["m2"] for one in items]) == expected["m2"].value
    assert collect({"source": "a", "references": "b"}, [""])["m2"] == ("a", "", ("b",))


def test_lm_eval_template_is_not_written_over(tmp_path: Path) -> None:
    assert len(write_task(tmp_path)) == 2
    with pytest.raises(geceval.GecevalError, match="exists; choose another folder"):
        write_task(tmp_path)


def run_task(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run the task of the template on a stub model, and return what the tool returns."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(folder / "cache"))
    try:
        import lm_eval
        from lm_eval.api.model import LM
        from lm_eval.tasks import TaskManager
    except ImportError:
        skip_or_fail("integrations", "the package lm_eval is not installed")
    write_task(folder)
    rows = zip(SOURCES, REFERENCES, strict=True)
    lines = [json.dumps({"source": one, "references": others}) for one, others in rows]
    (folder / "test.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(folder)

    class Stub(LM):
        """Corrects the sentences that it knows."""

        def generate_until(self, requests: list[Any], **_: object) -> list[str]:
            known = dict(zip(SOURCES, OUTPUT, strict=True))
            return [known[request.args[0].strip().split("\n")[-1]] for request in requests]

        def loglikelihood(self, requests: list[Any], **_: object) -> list[Any]:
            raise AssertionError(requests)

        loglikelihood_rolling = loglikelihood

    found: dict[str, Any] = lm_eval.simple_evaluate(
        model=Stub(),
        tasks=["gec"],
        task_manager=TaskManager(include_path=str(folder), include_defaults=False),
        log_samples=True,
        bootstrap_iters=0,
    )
    return found


@pytest.mark.filterwarnings("ignore")
def test_lm_eval_runs_the_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run_task(tmp_path, monkeypatch)
    expected = geceval.score(
        OUTPUT, SOURCES, REFERENCES, ["m2", "gleu"], references_by="sentence", resamples=0
    )
    results = found["results"]["gec"]
    assert results["m2,none"] == pytest.approx(expected["m2"].value)
    assert results["gleu,none"] == pytest.approx(expected["gleu"].value)
    # The samples as the tool logs them are the output of a system.
    log = tmp_path / "samples_gec.jsonl"
    lines = [json.dumps(sample, default=str) for sample in reversed(found["samples"]["gec"])]
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert [" ".join(one) for one in geceval.load_hypothesis(log)] == OUTPUT
