from __future__ import annotations

from pathlib import Path

import pytest

from geceval.errors import FormatError, GecevalError
from geceval.extraction.typers.type_names import TypeMap


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("errant-de", "R:PROPN:FORM", "R:PNOUN:FORM"),
        ("errant-de", "M:CCONJ", "M:CONJ"),
        ("errant-de", "U:X", "U:*"),
        ("errant-de", "R:NOUN", "R:NOUN"),
        ("ua-gec", "R:ORTH:CASING", "Spelling"),
        ("ua-gec", "R:NOUN:CASE", "G/Case"),
        ("ua-gec", "R:VERB:FORM", "G/Tense"),
        ("ua-gec", "M:OTHER", "G/UngrammaticalStructure"),
        ("ua-gec", "G/Case", "G/Case"),
        ("estgec", "R:NOUN:CASE", "R:NOM:FORM"),
        ("estgec", "R:NOM:FORM:SPELL", "R:NOM:FORM"),
        ("estgec", "R:ORTH:WSPACE", "R:WS"),
        ("estgec", "M:ADV", "M:LEX"),
        ("merrant", "M:AUX", "M:VERB:TENSE"),
        ("errant-tr", "R:DIACR", "R:DA"),
    ],
)
def test_map_known_sets(name: str, before: str, after: str) -> None:
    assert TypeMap.load(name).rename(before) == after


def test_map_file(tmp_path: Path) -> None:
    path = tmp_path / "names.tsv"
    path.write_text("# theirs, ours\nArtikel\tDET\n\nFall\t*:CASE\n", encoding="utf-8")
    names = TypeMap.load(str(path))
    assert names.rename("M:DET") == "M:Artikel"
    assert names.rename("R:NOUN:CASE") == "R:Fall"
    assert names.rename("R:DET:CASE") == "R:Fall"
    assert names.signature != TypeMap.load("errant-de").signature


@pytest.mark.parametrize("text", ["Artikel\n", "a\tb\tc\n", "\tDET\n"])
def test_map_file_with_another_number_of_columns(tmp_path: Path, text: str) -> None:
    path = tmp_path / "names.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="line 1: expected two columns"):
        TypeMap.load(str(path))


def test_map_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "names.tsv"
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(FormatError, match="is empty"):
        TypeMap.load(str(path))


def test_map_neither_file_nor_set() -> None:
    with pytest.raises(GecevalError, match="no known set of types"):
        TypeMap.load("errant-xx")
