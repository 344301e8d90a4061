"""The summary for a pull request."""

from __future__ import annotations

from geceval.report.headline import headline
from geceval.report.markdown_summary import summarize
from report_examples import HOSTILE, example_results, with_one_system


def test_summary_has_headline_scores_and_tests() -> None:
    results = example_results()
    text = summarize(results)
    lines = text.splitlines()

    assert lines[0] == "## Made up"
    assert lines[2] == str(headline(results))
    record = results["scores"]["m2"]["careful"]
    assert record["score"] is not None
    [row] = [line for line in lines if line.startswith("| careful | 0.")]
    assert f"| {record['score']:.4f} |" in row
    best, worst = record["rank_range"]
    assert f"| {best}–{worst} |" in row or f"| {best} |" in row
    assert "| doing nothing | 0.0000 |  |  |  | 0.5000 |" in lines
    assert any(line.startswith("| careful |  |") for line in lines)
    assert "1,000 resamples, adjusted for all pairs" in text


def test_summary_of_one_system_has_no_tests() -> None:
    text = summarize(with_one_system(8))
    assert "Row against column" not in text
    assert "careful" in text


def test_summary_escapes_text() -> None:
    text = summarize(example_results(hostile=True))
    assert HOSTILE not in text
    assert r"\<script\>alert(1)\</script\>" in text


def test_summary_tells_what_would_change_a_score() -> None:
    results = example_results()
    assert "changes scores" not in summarize(results)
    results["warnings"][0]["severity"] = "error"
    results["warnings"].append({**results["warnings"][0], "message": "x", "count": 1})
    lines = summarize(results).splitlines()
    place = lines.index(
        "- **changes scores:** gold.m2, line 7: edits overlap . And 1 more of this kind."
    )
    # One list, not two.
    assert lines[place + 1] == "- **changes scores:** gold.m2, line 7: x."
