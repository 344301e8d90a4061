"""One name for one thing: modules and classes of the package have names of their own."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import geceval

ROOT = Path(geceval.__file__).parent

SHARED_MODULE_NAMES = {
    "__init__": "every package has one",
    "base": "the contract of what the folder holds: formats, metrics, typers, checkers",
    "figures": "the figures of a report or of a study",
    "tables": "the tables of a report or of a study",
    "study": "the study of each folder of metaeval",
    "metric": "the class of a metric that has a folder of its own",
    "options": "the options of metrics, and those options on the command line",
    "plain": "the typer without a model, and the language pack that it needs",
    "universal": "the typer of Universal Dependencies, and the language packs that it needs",
}
"""Names of modules that stand for one idea in several folders, and for which idea."""

SOURCES = (".py", ".pyx", ".pxd")

KERNEL_CLASS = re.compile(r"^(?:cdef |ctypedef )(?:class|struct) (\w+)", re.MULTILINE)


def owners(names: dict[str, set[str]]) -> dict[str, list[str]]:
    """Return the names with more than one owner."""
    return {name: sorted(paths) for name, paths in names.items() if len(paths) > 1}


def sources() -> list[Path]:
    return [path for path in sorted(ROOT.rglob("*")) if path.suffix in SOURCES]


def place(path: Path) -> str:
    """Return where a module is; the files of one kernel are one module."""
    return path.relative_to(ROOT).with_suffix("").as_posix()


def classes(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return KERNEL_CLASS.findall(text)
    return [node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)]


def test_module_names_mean_one_thing() -> None:
    """A file of the command line may be named after its command, and so after what it calls."""
    names: dict[str, set[str]] = defaultdict(set)
    for path in sources():
        if path.parent != ROOT / "cli":
            names[path.stem].add(place(path))
    assert not set(SHARED_MODULE_NAMES) - set(owners(names)), "no longer shared"
    assert {k: v for k, v in owners(names).items() if k not in SHARED_MODULE_NAMES} == {}


def test_class_names_mean_one_thing() -> None:
    """Private ones too, for a name that is searched for should lead to one place."""
    names: dict[str, set[str]] = defaultdict(set)
    for path in sources():
        for name in classes(path):
            names[name].add(place(path))
    assert owners(names) == {}


def test_fenced_parts_are_entered_by_their_front_door() -> None:
    """The README of a fenced part explains it; others import from its `__init__` only."""
    for part in ("metrics.imeasure", "extraction.lang.en_fast"):
        folder = ROOT.joinpath(*part.split("."))
        assert (folder / "README.md").is_file()
        inside = re.compile(rf"\bgeceval\.{re.escape(part)}\.\w+ import")
        intruders = [
            place(path)
            for path in sources()
            if folder not in path.parents and inside.search(path.read_text(encoding="utf-8"))
        ]
        assert intruders == []
