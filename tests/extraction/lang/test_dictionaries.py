"""Dictionaries that say whether words are spelled correctly."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from geceval.errors import GecevalError
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang import PackOptions, get_pack
from geceval.extraction.lang.dictionaries import DictionaryAnalyzer, HunspellDictionary, WordList
from geceval.extraction.lang.plain import PlainAnalyzer

AFFIXES = """\
SET UTF-8
TRY esianrtolcdugmphbyfvkwz
COMPOUNDFLAG C
COMPOUNDMIN 3
SFX N Y 1
SFX N 0 en .
"""
WORDS = "4\nTür/CN\nHaus/C\ngrün\nund\n"


@pytest.fixture
def dictionary(tmp_path: Path) -> str:
    pytest.importorskip("spylls")
    (tmp_path / "de.aff").write_text(AFFIXES, encoding="utf-8")
    (tmp_path / "de.dic").write_text(WORDS, encoding="utf-8")
    return str(tmp_path / "de")


def test_hunspell_affixes_and_compounds(dictionary: str) -> None:
    words = ["Tür", "Türen", "Haus", "Hausen", "HausTür", "xyz"]
    simple, compounds = (
        HunspellDictionary(dictionary),
        HunspellDictionary(dictionary, compounds=True),
    )
    assert [simple.has(word) for word in words] == [True, True, True, False, False, False]
    assert compounds.has("HausTür") or compounds.has("Haustür")
    assert not compounds.has("xyz")
    assert simple.signature != compounds.signature
    assert simple.signature.startswith("hunspell-de-")


@pytest.mark.parametrize("suffix", ["", ".dic", ".aff"])
def test_hunspell_path_may_have_either_extension(dictionary: str, suffix: str) -> None:
    assert HunspellDictionary(f"{dictionary}{suffix}").has("Haus")


def test_hunspell_needs_both_files(dictionary: str) -> None:
    Path(f"{dictionary}.aff").unlink()
    with pytest.raises(GecevalError, match=r"two files.*de\.aff does not exist"):
        HunspellDictionary(dictionary)


def test_hunspell_other_files_are_refused(dictionary: str) -> None:
    Path(f"{dictionary}.aff").write_bytes(b"SET no-such-encoding\n")
    with pytest.raises(GecevalError, match="no Hunspell dictionary"):
        HunspellDictionary(dictionary)


class Noting:
    """A dictionary that notes what it was asked."""

    signature = "noting"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def has(self, word: str) -> bool:
        self.asked.append(word)
        return word == "haus"


def test_dictionary_is_asked_once_for_each_word() -> None:
    noting = Noting()
    analyzer = DictionaryAnalyzer(PlainAnalyzer(), noting)
    for _ in range(2):
        (found,) = analyzer.analyze([("Haus", "Huas", "Huas", "B2", ",", "haus")])
        # Lower case will do, and what is no word is never unknown.
        assert found.known == (True, False, False, True, True, True)
    assert sorted(noting.asked) == ["Haus", "Huas", "haus", "haus", "huas"]


def test_dictionary_decides_what_is_misspelled(dictionary: str) -> None:
    options = PackOptions(dictionary=dictionary)
    annotator = Annotator("de", model="light", options=options)
    (edit,) = annotator.annotate("grün unt Haus", "grün und Haus")
    assert edit.type == "R:SPELL"
    assert "hunspell-de-" in annotator.signature
    assert pickle.loads(pickle.dumps(annotator)).signature == annotator.signature  # noqa: S301


def test_dictionary_none_leaves_it_open() -> None:
    pytest.importorskip("simplemma")
    analyzer = get_pack("de").analyzer("light", options=PackOptions(dictionary="none"))
    assert analyzer.analyze([("Haus",)])[0].known == (None,)
    assert analyzer.signature.endswith("+none")


def test_dictionary_of_simplemma() -> None:
    pytest.importorskip("simplemma")
    words = WordList("de")
    assert words.has("Haus")
    assert not words.has("Hauzz")
