"""The drawing of the layers is the one that import-linter's contract gives, and names all."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from documents import ROOT


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("architecture", ROOT / "tools/architecture.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_drawing_shows_the_layers_that_are_enforced() -> None:
    tool = load_tool()
    drawn = (ROOT / "docs" / "architecture.svg").read_text(encoding="utf-8")
    assert drawn == tool.drawing(), "run: python tools/architecture.py"
    assert {name for layer in tool.layers() for name in layer} == set(tool.CONTENTS)


def test_the_layers_name_every_folder_and_each_exists() -> None:
    named = {name for layer in load_tool().layers() for name in layer}
    package = ROOT / "src" / "geceval"
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    assert folders <= named
    for name in named:
        assert (package / name).is_dir() or (package / f"{name}.py").exists()
