"""What ERRANT's own commands wrote, and ours with the same options, byte by byte."""

from __future__ import annotations

import gzip
import re
import shlex
from pathlib import Path

import pytest

from geceval.extraction.files import ExtractionSettings, annotate_files
from requirements import skip_or_fail

NOOP = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n"
EMPTY = re.compile(r"^S \n(A -1 -1\|\|\|noop.*\n)+\n", re.MULTILINE)


@pytest.fixture
def cases(shared_data: Path) -> Path:
    folder = shared_data / "compat"
    if not folder.is_dir():
        skip_or_fail("compat", f"{folder} holds what the original tools wrote")
    pytest.importorskip("spacy")
    return folder


def expected(case: Path) -> str:
    path = case / "out" / "made.m2"
    if path.exists():
        return path.read_text(encoding="utf-8")
    with gzip.open(f"{path}.gz", "rt", encoding="utf-8") as file:
        return file.read()


def arguments(case: Path) -> tuple[str, ...]:
    """Return the options and files of a case, to be sure which ones it was made with."""
    return tuple(shlex.split((case / "cmd.txt").read_text(encoding="utf-8"))[1:])


PARALLEL = {
    "plain": ExtractionSettings(),
    "two-corrections": ExtractionSettings(),
    "all-equal": ExtractionSettings(merge="all-equal"),
    "all-merge": ExtractionSettings(merge="all-merge"),
    "all-split": ExtractionSettings(merge="all-split"),
    "levenshtein": ExtractionSettings(align="levenshtein"),
    "levenshtein-all-equal": ExtractionSettings(align="levenshtein", merge="all-equal"),
    "tokenise": ExtractionSettings(tokenize=True),
    "conll-CAMB": ExtractionSettings(),
}


@pytest.mark.parametrize("name", PARALLEL)
def test_compat_errant_parallel(cases: Path, tmp_path: Path, name: str) -> None:
    """But for empty lines, which stay where they are."""
    case, settings = cases / "errant_parallel" / name, PARALLEL[name]
    given = arguments(case)
    assert ("-tok" in given, "-lev" in given) == (
        settings.tokenize,
        settings.align == "levenshtein",
    )
    start = given.index("-orig") + 1
    names = [given[start], *given[given.index("-cor") + 1 : given.index("-out")]]
    folders = {"systems": cases.parent / "conll14" / "systems"}
    paths = []
    for one in names:
        folder, _, rest = one.rpartition("/")
        paths.append(folders.get(folder, case) / rest)
    annotate_files(paths, tmp_path / "made.m2", format="parallel", settings=settings)
    found = (tmp_path / "made.m2").read_text(encoding="utf-8")
    n_empty = paths[0].read_text(encoding="utf-8").splitlines().count("")
    assert len(EMPTY.findall(found)) == n_empty
    assert EMPTY.sub("", found) == expected(case)


M2 = {
    "auto": ExtractionSettings(),
    "auto-all-merge": ExtractionSettings(merge="all-merge"),
    "auto-all-split": ExtractionSettings(merge="all-split"),
    "auto-levenshtein": ExtractionSettings(align="levenshtein"),
    "gold": ExtractionSettings(keep_spans=True),
    "gold-no-min": ExtractionSettings(keep_spans=True, minimize=False),
}


@pytest.mark.parametrize("name", M2)
def test_compat_errant_m2(cases: Path, tmp_path: Path, name: str) -> None:
    """But for a sentence without any line, which has a reading here: nothing to correct."""
    case, settings = cases / "errant_m2" / name, M2[name]
    given = arguments(case)
    assert ("-gold" in given, "-no_min" in given) == (settings.keep_spans, not settings.minimize)
    annotate_files([case / "e.gold.m2"], tmp_path / "made.m2", settings=settings)
    found = (tmp_path / "made.m2").read_text(encoding="utf-8")
    assert found.count(f"S It is fine .\n{NOOP}") == 1
    assert found.replace(f"S It is fine .\n{NOOP}", "S It is fine .\n") == expected(case)


def test_compat_no_case_is_forgotten(cases: Path) -> None:
    """Old categories, and wrong usage, have nothing that would correspond to them."""
    left_out = {"gold-old-cats", "gold-old-cats-no-min", "usage"}
    assert {path.name for path in (cases / "errant_parallel").iterdir()} == set(PARALLEL)
    assert {path.name for path in (cases / "errant_m2").iterdir()} == set(M2) | left_out
