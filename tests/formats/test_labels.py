"""Labels of sentences: what people give by mistake is an error that names the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from geceval.errors import FormatError, GecevalError, MismatchError
from geceval.formats.findings import Findings
from geceval.formats.labels import Labeling, read_labels


def write(folder: Path, text: str, name: str = "levels.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_labels_one_per_line(tmp_path: Path) -> None:
    path = write(tmp_path, "A\nB, or C\r\n A \n\u4e2d\x1b\n")
    findings = Findings()
    assert read_labels(path, n_sents=4, findings=findings) == [
        Labeling("levels", ("A", "B, or C", "A", "\u4e2d\x1b"))
    ]
    assert {"label-spaces", "small-slice"} <= set(findings.counts)


def test_labels_table(tmp_path: Path) -> None:
    path = write(tmp_path, "id\tlevel\tL1\n1\tA\tfr\n2\tA\tko\n3\tB\tFR\n4\tB\tko\n", "meta.tsv")
    findings = Findings()
    found = read_labels(path, n_sents=4, findings=findings)
    assert [(one.name, one.labels) for one in found] == [
        ("level", ("A", "A", "B", "B")),
        ("L1", ("fr", "ko", "FR", "ko")),
    ]
    lines = "\n".join(findings.summary())
    assert "the column 'id' is skipped" in lines
    assert "the labels 'fr', 'FR' differ in case only" in lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A\n\nB\nA\n", "line 2: a label is missing; give sentences without one"),
        ("A\nB\tC\nB\nA\n", "line 2: expected a label without tabs"),
        ("x\ty\nA\tB\nA\n", "line 3: expected 2 labels, one for each column, found 1"),
        ("x\tx\nA\tB\n", "line 1: expected a header with a different name"),
        ("x\t\nA\tB\n", "line 1: expected a header with a different name"),
        ("a\nb\nc\nd\n", "most sentences have a label of their own"),
    ],
)
def test_labels_bad_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_labels(write(tmp_path, text), n_sents=4)


@pytest.mark.parametrize(
    ("text", "n_found", "hint"),
    [
        ("A\nB\nA\n", 3, "one line for each sentence, and no header"),
        # A header of a single column would hide that labels are shifted by a line.
        ("level\nA\nB\nA\nB\n", 5, "no header unless it has tabs"),
        ("A\nB\nA\nB\n\n", None, ""),
        ("", 0, "one line for each sentence"),
        ("x\ty\nA\tB\nA\tB\n", 2, "a header and then one line"),
        # A table without a header.
        ("A\tb\nB\tc\nA\td\nB\te\n", 3, "a header and then one line"),
    ],
)
def test_labels_wrong_number(tmp_path: Path, text: str, n_found: int | None, hint: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(GecevalError) as caught:
        read_labels(path, n_sents=4, corpus="gold.m2")
    if n_found is not None:
        assert isinstance(caught.value, MismatchError)
        assert f"gold.m2 has 4 sentences but {path} has {n_found}" in str(caught.value)
        assert hint in str(caught.value)


def test_labels_that_are_sentences(tmp_path: Path) -> None:
    """A system's output given by mistake: some sentences repeat, most do not."""
    text = "".join(f"Sentence number {n // 2 if n < 20 else n} .\n" for n in range(100))
    with pytest.raises(FormatError, match="most sentences have a label of their own"):
        read_labels(write(tmp_path, text), n_sents=100)


def test_labels_from_python() -> None:
    with pytest.raises(TypeError, match=r"Labeling\.labels"):
        Labeling("level", ["A", "B"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="name of a labeling"):
        Labeling(1, ("A",))  # type: ignore[arg-type]
