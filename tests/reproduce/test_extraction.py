"""Edits and types of every published pair against errant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from geceval.extraction.annotator import Annotator
from geceval.extraction.lang.en.analyzer import installed_model
from geceval.model import Edit, Tokens

pytestmark = pytest.mark.reproduce


def lines(path: Path) -> list[Tokens]:
    rows = path.read_text(encoding="utf-8").split("\n")
    return [tuple(row.split()) for row in (rows if rows[-1] else rows[:-1])]


def data_sets(data: Path) -> dict[str, tuple[Path, list[Path]]]:
    """Source and targets of each set."""
    sets = {"jfleg": (data / "jfleg" / "dev.src", sorted((data / "jfleg").glob("dev.ref*")))}
    for name, folder in (
        ("conll14", data / "conll14" / "systems"),
        ("seeda", data / "seeda" / "outputs"),
    ):
        source = folder / "INPUT.txt"
        sets[name] = source, [path for path in sorted(folder.glob("*.txt")) if path != source]
    return sets


@pytest.fixture(scope="module")
def errant() -> Any:
    package = pytest.importorskip("errant")
    import spacy

    return package.load("en", spacy.load(installed_model(), disable=["ner"]))


@pytest.mark.parametrize(
    ("name", "n_targets", "n_changed"),
    [("conll14", 12, 7235), ("jfleg", 4, 2593), ("seeda", 14, 4262)],
)
def test_extraction_equals_errant(
    shared_data: Path, errant: Any, name: str, n_targets: int, n_changed: int
) -> None:
    source_path, target_paths = data_sets(shared_data)[name]
    assert len(target_paths) == n_targets
    rows = list(zip(lines(source_path), *map(lines, target_paths), strict=True))
    pairs = [(source, target) for source, *targets in rows for target in targets]
    ours = list(Annotator("en").annotate_pairs(pairs))
    changed = differing = 0
    parsed: dict[Tokens, Any] = {}
    for (source, target), edits in zip(pairs, ours, strict=True):
        if source == target:
            assert edits == ()
            continue
        changed += 1
        if source not in parsed:
            parsed = {source: errant.parse(" ".join(source))}
        theirs = tuple(
            Edit(edit.o_start, edit.o_end, (target[edit.c_start : edit.c_end],), edit.type)
            for edit in errant.annotate(parsed[source], errant.parse(" ".join(target)))
        )
        differing += edits != theirs
    assert (changed, differing) == (n_changed, 0)
