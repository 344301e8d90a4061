"""Every example of the documentation runs as it is written, and prints what is shown.

`documents` says how blocks are marked that cannot be run, and what output may leave out.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from documents import PAGES, ROOT, Block, blocks, examples, is_shown, name_of
from example_runner import PageRunner, copy_example_data

WITH_EXAMPLES = [page for page in PAGES if examples(page.read_text(encoding="utf-8"))]
FOR_STRANGERS = [
    ROOT / "README.md",
    ROOT / "docs" / "tutorial.md",
    *(ROOT / "docs" / "howto").glob("*.md"),
]


@pytest.fixture(scope="session")
def example_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    copy_example_data(folder)
    return folder


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
def test_examples_run_as_shown(
    page: Path, example_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a stranger is to paste must work in an empty folder.
    if page not in FOR_STRANGERS:
        shutil.copytree(example_data, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    runner = PageRunner(tmp_path)
    for example in examples(page.read_text(encoding="utf-8")):
        runner.run(example)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_examples_that_are_not_run_have_a_reason(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = list(blocks(text))
    for block in found:
        assert not block.reason or re.match(r"(needs|installs|runs) \w+", block.reason), block.line
    # A comment that is not right before a block would change nothing.
    marks = len(re.findall(r"^ *<!-- *(?:not run|file)", text, re.MULTILINE))
    assert marks == sum(bool(block.reason or block.file) for block in found)


def test_examples_the_first_of_the_readme_is_three_lines() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = next(block for block in blocks(text) if block.language == "python")
    assert sum(line.startswith(">>> ") for line in block.text.splitlines()) == 3


def test_examples_are_found_with_their_output() -> None:
    page = (
        "```console\n$ one\n1\n$ two \\\n  more\n```\n\n```\n2\n```\n\n"
        "text\n\n```\nno output\n```\n"
        "<!-- not run: needs a server -->\n```console\n$ three\n```\n\n```\n3\n```\n"
        "<!-- file: a.py -->\n```python\nx = 1\n```\n```python\n>>> 1\n1\n```\n```sh\na\nb\n```\n"
    )
    found = [(one.kind, one.text, one.shown) for one in examples(page)]
    assert found == [
        ("shell", "one", "1"),
        ("shell", "two \\\n  more", "2\n"),
        ("file", "a.py\nx = 1\n", None),
        ("doctest", ">>> 1\n1\n", None),
        ("shell", "a", None),
        ("shell", "b", None),
    ]
    skipped = [block for block in blocks(page) if block.reason]
    assert skipped == [Block("console", "$ three\n", 19, reason="needs a server", follows=True)]


def test_examples_that_print_something_else_are_noticed() -> None:
    assert is_shown("a\n b", "a\n\n b  \n")
    assert is_shown("took […] s\n[…]\nversion:0.1.0", "took 3 s\nx\ny\nversion:9.9\n")
    assert not is_shown("a 0.7704", "a 0.7705")
    assert not is_shown("a", "a\nb")
    assert not is_shown("a […]", "b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```console\n$ geceval score --gold no-such.m2 careful.txt\n```\n", "exit code"),
        ("```console\n$ echo 1\n2\n```\n", "but:"),
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected"),
        ("```python\nprint(1)\n```\n```\n2\n```\n", "but:"),
    ],
)
def test_examples_that_are_wrong_fail(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runner = PageRunner(tmp_path)
    (example,) = examples(text)
    with pytest.raises(AssertionError, match=message):
        runner.run(example)
