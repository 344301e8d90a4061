"""Dictionaries, which say whether a word is spelled correctly."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

from geceval.errors import GecevalError, os_reason
from geceval.extraction.lang.analysis import Analysis, Analyzer, Text
from geceval.extraction.lang.backends import LIGHT, LanguageBackend, installed_version
from geceval.extraction.lang.casing import Lower
from geceval.extraction.surface import is_word

MAX_WORDS = 500_000
"""Number of words of which the answer is cached."""

HUNSPELL = LanguageBackend("hunspell", "light", ("spylls",), "pip install 'geceval[hunspell]'")


class Dictionary(Protocol):
    """A dictionary."""

    @property
    def signature(self) -> str:
        """Name and version."""
        ...

    def has(self, word: str) -> bool:
        """Whether a word is in the dictionary, as it is written."""
        ...


class WordList:
    """The words that simplemma knows the lemma of."""

    def __init__(self, language: str) -> None:
        LIGHT.check()
        import simplemma

        self.signature = f"simplemma-{installed_version('simplemma')}"
        self._language = language
        self._is_known = simplemma.is_known

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the language."""
        return WordList, (self._language,)

    def has(self, word: str) -> bool:
        """Whether simplemma knows a word."""
        return bool(self._is_known(word, self._language))


class HunspellDictionary:
    """A Hunspell dictionary in two files, ``.dic`` and ``.aff``, read by spylls.

    Parameters
    ----------
    path
        One of the files, or their common name.
    compounds
        Whether to accept compounds that the dictionary can form.
    """

    def __init__(self, path: str, *, compounds: bool = False) -> None:
        base = path.removesuffix(".dic").removesuffix(".aff")
        files = [Path(f"{base}{suffix}") for suffix in (".aff", ".dic")]
        if missing := [str(file) for file in files if not file.is_file()]:
            raise GecevalError(
                f"a Hunspell dictionary has two files, .dic and .aff; {missing[0]} does not exist"
            )
        HUNSPELL.check()
        try:
            affixes, words = (file.read_bytes() for file in files)
        except OSError as error:
            raise GecevalError(
                f"{base}: the dictionary cannot be read: {os_reason(error)}"
            ) from error
        try:
            self._dictionary = _parsed(affixes, words)
        # The parser has no errors of its own.
        except Exception as error:
            raise GecevalError(
                f"{base} is no Hunspell dictionary that spylls can read: {error}"
            ) from error
        digest = hashlib.sha256(affixes + words)
        self._path = path
        self._compounds = compounds
        formed = "+compounds" if compounds else ""
        self.signature = (
            f"hunspell-{files[0].stem}-{digest.hexdigest()[:8]}{formed}"
            f"-spylls-{installed_version('spylls')}"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the path."""
        return _opened, (self._path, self._compounds)

    def has(self, word: str) -> bool:
        """Whether the dictionary has or, with compounds, can form a word."""
        lookup = self._dictionary.lookuper
        if self._compounds:
            return bool(lookup(word))
        affixes = self._dictionary.aff
        if affixes.FORBIDDENWORD and self._dictionary.dic.has_flag(
            word, affixes.FORBIDDENWORD, for_all=True
        ):
            return False
        if affixes.ICONV:
            word = affixes.ICONV(word)
        if affixes.IGNORE:
            word = word.translate(affixes.IGNORE.tr)
        return any(True for _ in lookup.good_forms(word, compound_forms=False))


def _parsed(affixes: bytes, words: bytes) -> Any:
    """Parse both files in memory, because spylls leaves files open."""
    from spylls.hunspell import Dictionary as Spylls
    from spylls.hunspell.readers import read_aff, read_dic
    from spylls.hunspell.readers.file_reader import BaseReader

    class MemoryReader(BaseReader):  # type: ignore[misc]
        """Lines of a file in memory, whose encoding may change on the way."""

        def __init__(self, data: bytes, encoding: str = "cp1252") -> None:
            self._data = data
            super().__init__(self._decoded(encoding))

        def reset_encoding(self, encoding: str) -> None:
            self.reset_io(self._decoded(encoding))

        def _decoded(self, encoding: str) -> io.StringIO:
            # Some dictionaries have flags of single bytes.
            return io.StringIO(self._data.decode(encoding, "surrogateescape"), newline=None)

    table, context = read_aff(MemoryReader(affixes))
    return Spylls(
        table, read_dic(MemoryReader(words, context.encoding), aff=table, context=context)
    )


def _opened(path: str, compounds: bool) -> HunspellDictionary:
    return HunspellDictionary(path, compounds=compounds)


class DictionaryAnalyzer:
    """An analyzer with a dictionary that decides which words are known.

    Parameters
    ----------
    analyzer
        Provides everything else.
    dictionary
        Asked once for each distinct word; None if there is no telling.
    lower
        Lowercases a word of the language.
    letters
        Characters that are letters of the language, though Unicode says otherwise.
    """

    def __init__(
        self,
        analyzer: Analyzer,
        dictionary: Dictionary | None,
        *,
        lower: Lower = str.lower,
        letters: frozenset[str] = frozenset(),
    ) -> None:
        self._analyzer = analyzer
        self._dictionary = dictionary
        self.lower = lower
        self._letters = letters
        self._known = lru_cache(MAX_WORDS)(self._look_up)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the parts."""
        made = partial(DictionaryAnalyzer, lower=self.lower, letters=self._letters)
        return made, (self._analyzer, self._dictionary)

    @property
    def kind(self) -> str:
        """Kind of the analyzer."""
        return self._analyzer.kind

    @property
    def signature(self) -> str:
        """Signatures of analyzer and dictionary."""
        name = "none" if self._dictionary is None else self._dictionary.signature
        return f"{self._analyzer.signature}+{name}"

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze sentences, in order."""
        return [
            replace(
                analysis,
                known=tuple([self._known(token) for token in analysis.tokens]),
                lower=self.lower,
            )
            for analysis in self._analyzer.analyze(sentences)
        ]

    def tokenize(self, text: str) -> Text:
        """Tokenize raw text."""
        return self._analyzer.tokenize(text)

    def _look_up(self, token: str) -> bool | None:
        """Return whether a word is known, as it is written or in lower case."""
        if self._dictionary is None:
            return None
        return (
            not is_word(token, self._letters)
            or self._dictionary.has(token)
            or self._dictionary.has(self.lower(token))
        )
