"""Adding systems to a results file gives what a report from scratch gives."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from geceval.evaluation import resampling


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, with the results of two of its systems."""
    folder = tmp_path_factory.mktemp("example")
    assert CliRunner().invoke(main, ["demo", "-o", str(folder)]).exit_code == 0
    return folder


def report(folder: Path, *arguments: str) -> Result:
    paths = [
        str(folder / one) if one.endswith((".txt", ".json", ".m2")) and "=" not in one else one
        for one in arguments
    ]
    return CliRunner().invoke(main, ["report", *paths])


@pytest.mark.parametrize(
    ("resamples", "metrics"),
    [("20", "m2,gleu,cleme"), ("100", "m2,gleu,cleme"), ("100", "m2(beta=1),gotoscorer")],
)
def test_added_systems_are_those_of_a_report_from_scratch(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resamples: str, metrics: str
) -> None:
    options = ["--gold", "gold.m2", "-m", metrics, "--resamples", resamples]
    outputs = {name: str(tmp_path / f"{name}.html") for name in ("two", "three", "scratch")}
    done = report(folder, *options, "careful.txt", "eager.txt", "-o", outputs["two"])
    assert done.exit_code == 0, done.output
    whole = report(
        folder, *options, "careful.txt", "eager.txt", "unchanged.txt", "-o", outputs["scratch"]
    )
    assert whole.exit_code == 0, whole.output

    tested = []
    real = resampling.swapped_differences

    def counted(*arguments: Any) -> Any:
        tested.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(resampling, "swapped_differences", counted)
    added = CliRunner().invoke(
        main,
        [
            *("report", str(tmp_path / "two.json"), str(folder / "unchanged.txt")),
            *("--gold", str(folder / "gold.m2"), "-o", outputs["three"], "-m", metrics),
        ],
    )
    assert added.exit_code == 0, added.output
    scratch, three = ((tmp_path / f"{name}.json").read_bytes() for name in ("scratch", "three"))
    assert three == scratch
    # Three pairs need 75 resamples; with more, the first pair is known unless systems are pooled.
    n_metrics = len(metrics.split(","))
    n_known = 0 if resamples == "20" else n_metrics - ("gotoscorer" in metrics)
    assert len(tested) == 3 * n_metrics - n_known


@pytest.fixture(scope="module")
def two(folder: Path) -> str:
    """The name of a results file of two systems, in the folder of its gold standard."""
    options = ("--gold", "gold.m2", "-m", "m2", "--resamples", "30")
    done = report(folder, *options, "careful.txt", "eager.txt", "-o", str(folder / "two.html"))
    assert done.exit_code == 0, done.output
    return "two.json"


def test_gold_standard_is_found_beside_the_results_file(
    folder: Path, two: str, tmp_path: Path
) -> None:
    done = report(folder, two, f"new={folder / 'unchanged.txt'}", "-o", str(tmp_path / "a.html"))
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert found["systems"] == ["careful", "eager", "new"]
    (tmp_path / "two.json").write_bytes((folder / two).read_bytes())
    alone = report(
        tmp_path, "two.json", str(folder / "unchanged.txt"), "-o", str(tmp_path / "b.html")
    )
    assert alone.exit_code == 1
    assert "was computed with gold.m2, which is not beside it: give --gold" in alone.output


def test_changed_gold_standard_is_refused_with_both_hashes(
    folder: Path, two: str, tmp_path: Path
) -> None:
    old = (folder / "gold.m2").read_bytes()
    changed = tmp_path / "gold.m2"
    changed.write_bytes(old + b"\n")
    done = report(
        folder, two, "unchanged.txt", "--gold", str(changed), "-o", str(tmp_path / "a.html")
    )
    assert done.exit_code == 1
    for content in (old, changed.read_bytes()):
        assert hashlib.sha256(content).hexdigest() in done.output
    assert not (tmp_path / "a.html").exists()


def test_stored_output_with_another_score_is_refused(
    folder: Path, two: str, tmp_path: Path
) -> None:
    document = json.loads((folder / two).read_text(encoding="utf-8"))
    outputs = document["sentences"]["systems"]["eager"]["output"]
    outputs[:] = ["Something else ."] * len(outputs)
    (tmp_path / "two.json").write_text(json.dumps(document), encoding="utf-8")
    done = report(
        tmp_path, "two.json", str(folder / "unchanged.txt"), "--gold", str(folder / "gold.m2"),
        "-o", str(tmp_path / "a.html"),
    )  # fmt: skip
    assert done.exit_code == 1
    assert "the score of 'eager' by m2 is" in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["eager.txt"], "has a system 'eager' already"),
        (["unchanged.txt", "--seed", "3"], "--seed cannot be changed"),
        (["unchanged.txt", "-m", "gleu"], "was computed with m2, not with gleu"),
        (["unchanged.txt", "--beta", "2"], "m2 was computed with other settings or data"),
    ],
)
def test_what_does_not_fit_the_results_file_is_refused(
    folder: Path, two: str, tmp_path: Path, arguments: list[str], message: str
) -> None:
    done = report(folder, two, *arguments, "-o", str(tmp_path / "a.html"))
    assert done.exit_code != 0
    assert message in " ".join(done.output.split())
