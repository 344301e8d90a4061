"""Sample logs of evaluation tools as the output of a system."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard

import geceval
from geceval import FormatError, GecevalWarning


def lm_sample(number: int, text: object, **more: object) -> dict[str, object]:
    document = {"source": "I likes it ."}
    return {"doc_id": number, "doc": document, "resps": [[text]], "filtered_resps": [text], **more}


def written(path: Path, *samples: object) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in samples), encoding="utf-8")
    return path


def lines(path: Path) -> list[str]:
    return [" ".join(tokens) for tokens in geceval.load_hypothesis(path)]


def test_lm_eval_samples_are_in_the_order_of_documents(tmp_path: Path) -> None:
    path = written(
        tmp_path / "samples_gec.jsonl", lm_sample(1, "You came ."), lm_sample(0, " I like it . ")
    )
    assert lines(path) == ["I like it .", "You came ."]


def test_lm_eval_several_lines_and_filters_are_reported(tmp_path: Path) -> None:
    path = written(
        tmp_path / "samples.jsonl",
        lm_sample(0, "I like it .\nThat is better .", filter="none"),
        lm_sample(0, "I LIKE IT .", filter="upper"),
    )
    with pytest.warns(GecevalWarning) as warned:
        assert lines(path) == ["I like it ."]
    found = " ".join(str(one.message) for one in warned)
    assert "only the first line of the output was read" in found
    assert "ignored outputs of the filter upper; those of none were read" in found


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([lm_sample(0, "a"), lm_sample(0, "b")], "document 0 has a second output"),
        ([lm_sample(0, "a"), lm_sample(2, "b")], "document 1 has no output, but 2 has one"),
        ([lm_sample(0, 3)], r"expected text in \"filtered_resps\", found 3"),
        ([lm_sample(0, [])], r"expected text in \"filtered_resps\", found \[\]"),
        ([{"doc_id": "x"}], r"expected a sample with a number \"doc_id\""),
        ([lm_sample(0, "\ud800")], "document 0: lone surrogate"),
    ],
)
def test_lm_eval_wrong_samples_are_errors(
    samples: list[object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=message):
        lines(written(tmp_path / "samples.jsonl", *samples))


def inspect_log(*texts: Any, ids: list[object] | None = None) -> dict[str, Any]:
    samples = [
        {"id": number, "epoch": 1, "output": {"choices": [{"message": {"content": text}}]}}
        for number, text in enumerate(texts, 1)
    ]
    dataset = {"sample_ids": ids or [sample["id"] for sample in samples]}
    return {"version": 2, "status": "success", "eval": {"dataset": dataset}, "samples": samples}


def archive(log: dict[str, Any], path: Path, *, method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write a log as an archive; Zstandard by hand, as old versions of Python do not know it."""
    samples = log.pop("samples")
    entries = {"_journal/start.json": {"version": 2}, "header.json": log}
    entries |= {f"samples/{one['id']}_epoch_1.json": one for one in samples}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED if method == 93 else method) as target:
        for name, entry in entries.items():
            data = json.dumps(entry).encode()
            target.writestr(name, zstandard.compress(data) if method == 93 else data)
    content = bytearray(buffer.getvalue())
    if method == 93:
        with zipfile.ZipFile(io.BytesIO(content)) as written_archive:
            infos = written_archive.infolist()
        place = content.index(b"PK\x01\x02")
        for info, entry in zip(infos, entries.values(), strict=True):
            struct.pack_into("<H", content, info.header_offset + 8, method)
            struct.pack_into("<H", content, place + 10, method)
            struct.pack_into("<L", content, place + 24, len(json.dumps(entry).encode()))
            place += 46 + len(info.filename)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, 93])
def test_inspect_archives_are_read(method: int, tmp_path: Path) -> None:
    log = inspect_log("I like it .", [{"type": "text", "text": "You came ."}], ids=[2, 1])
    assert lines(archive(log, tmp_path / "log.eval", method=method)) == [
        "You came .", "I like it .",
    ]  # fmt: skip


def test_inspect_json_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "log.json", inspect_log("I like it .", "You came ."))
    assert lines(path) == ["I like it .", "You came ."]


def test_inspect_wrong_logs_are_errors(tmp_path: Path) -> None:
    twice = inspect_log("a", "b")
    twice["samples"][1]["id"] = 1
    for log, message in (
        (twice, "sample 1 has several epochs"),
        (inspect_log("a", ids=[1, 2]), "sample 2 has no output"),
        (inspect_log(None), "sample 1 has no output"),
        ({"version": 2, "status": "error"}, r"expected a list of \"samples\""),
    ):
        with pytest.raises(FormatError, match=message):
            lines(written(tmp_path / "log.json", log))
    broken = archive(inspect_log("a"), tmp_path / "log.eval")
    broken.write_bytes(broken.read_bytes()[:-30])
    with pytest.raises(FormatError, match=r"expected a log of inspect-ai"):
        lines(broken)


def test_sample_logs_are_no_gold_standard(tmp_path: Path) -> None:
    path = written(tmp_path / "samples.jsonl", lm_sample(0, "I like it ."))
    with pytest.raises(geceval.GecevalError, match="has no annotations to score against"):
        geceval.score(["I like it ."], str(path))
