"""The Python examples of the documentation run as shown, in a folder with the example data."""

from __future__ import annotations

import doctest
from importlib import resources
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    path
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run_as_shown(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in resources.files("geceval").joinpath("data", "demo").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8").replace("```", "")
    name = str(page.relative_to(ROOT))
    test = doctest.DocTestParser().get_doctest(text, {}, name, str(page), 0)
    assert test.examples
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_examples_the_first_of_the_readme_is_three_lines() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text.split("```python\n")[1].split("```")[0]
    assert sum(line.startswith(">>> ") for line in block.splitlines()) == 3
