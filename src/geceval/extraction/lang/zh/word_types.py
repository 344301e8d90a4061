"""Types of Chinese edits: operations, and word classes where tokens are words."""

from __future__ import annotations

import importlib
import logging
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version

from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.lang.pack_options import Level
from geceval.extraction.lang.zh.alignments import ASCII_MARKS, WIDE_MARKS
from geceval.extraction.lang.zh.han_text import MISSING_PART
from geceval.extraction.lang.zh.resources import is_han, share_reading
from geceval.extraction.merge import Change, Rule
from geceval.model import Tokens

OTHER = "OTHER"

_CLASSES = {
    **dict.fromkeys(("n", "nd", "nh", "ni", "nl", "ns", "nt", "nz"), "NOUN"),
    "v": "VERB",
    **dict.fromkeys("ab", "ADJ"),
    "c": "CONJ",
    "r": "PRON",
    "d": "ADV",
    "u": "AUX",
    "m": "NUM",
    "p": "PREP",
    "q": "QUAN",
    "wp": "PUNCT",
}
"""Word classes by tags of project 863."""

REORDERED = frozenset({Rule.TRANSPOSITION, Rule.MOVED})
"""Rules by which an edit is a change of word order."""


class ChineseTyper:
    """Classifies edits of characters by their operation, and those of words also by word class.

    The operations are missing (M), redundant (R), substitution (S) and word order (W).

    Parameters
    ----------
    level
        Whether tokens are characters or words.

    Examples
    --------
    >>> source, target = Analysis.plain("我很好"), Analysis.plain("我好")
    >>> ChineseTyper("char").type(Change(1, 2, 1, 1, Rule.ALONE), source, target)
    'R'
    """

    def __init__(self, level: Level) -> None:
        self._level = level

    @property
    def signature(self) -> str:
        """Name of the classifier; spelling errors are those of words that sound alike."""
        return "chinese" if self._level == "char" else "chinese-words-pinyin"

    def type(self, change: Change, source: Analysis, target: Analysis) -> str:
        """Return the type of an edit."""
        before = source.tokens[change.start : change.end]
        after = target.tokens[change.target_start : change.target_end]
        operation = _operation(change.rule, before, after)
        if self._level == "char" or operation == "W":
            return operation
        if operation == "R":
            category = _class_of(before, source.tags[change.start : change.end])
        elif after == (MISSING_PART,):
            category = "MC"
        elif operation == "S" and is_misspelled("".join(before), "".join(after)):
            category = "SPELL"
        else:
            category = _class_of(after, target.tags[change.target_start : change.target_end])
        return f"{operation}:{category}"


def _operation(rule: Rule, before: Tokens, after: Tokens) -> str:
    if not before or not after:
        return "R" if before else "M"
    # A given edit has no rule, but it may only reorder.
    is_reordered = rule in REORDERED or (rule is Rule.ALONE and sorted(before) == sorted(after))
    return "W" if is_reordered else "S"


def _class_of(words: Tokens, tags: Tokens) -> str:
    return _CLASSES.get(tags[0], OTHER) if len(words) == 1 else OTHER


def is_misspelled(before: str, after: str) -> bool:
    """Whether a word has its characters in another order, or others that sound alike.

    Examples
    --------
    >>> is_misspelled("建康", "健康"), is_misspelled("没有", "无")
    (True, False)
    """
    if len(before) != len(after):
        return False
    return sorted(before) == sorted(after) or all(
        one == two or (is_han(one + two) and share_reading(one, two))
        for one, two in zip(before, after, strict=True)
    )


_FROM_JIEBA = {
    "nr": "nh", "nt": "ni", "t": "nt", "s": "nl", "f": "nd", "vn": "v", "vd": "v", "vg": "v",
    "ad": "a", "an": "a", "ag": "a", "z": "a", "x": "wp", "w": "wp", "mq": "m", "rr": "r",
    "rz": "r", "rg": "r", **dict.fromkeys(("uj", "ul", "ud", "ug", "uv", "uz", "y"), "u"),
}  # fmt: skip
"""Tags of project 863 by those of jieba, where they differ."""

_MARKS = frozenset(ASCII_MARKS + WIDE_MARKS + "。《》·〈〉")


class WordTagger:
    """Looks up the tags of words in the dictionary of jieba, if it is installed.

    Examples
    --------
    >>> WordTagger().tag("，")
    'wp'
    """

    @cached_property
    def _tags(self) -> dict[str, str]:
        try:
            jieba = importlib.import_module("jieba")
            tagging = importlib.import_module("jieba.posseg")
        except ImportError:
            return {}
        # It logs that it loads its dictionary.
        jieba.setLogLevel(logging.WARNING)
        jieba.initialize()
        found: dict[str, str] = tagging.POSTokenizer(jieba.dt).word_tag_tab
        return found

    @property
    def signature(self) -> str:
        """The dictionary and its version."""
        try:
            return f"jieba-{version('jieba')}"
        except PackageNotFoundError:
            return "none"

    def tag(self, word: str) -> str:
        """Return the tag of a word; empty if it is unknown."""
        if all(char in _MARKS for char in word):
            return "wp"
        if word.isdecimal():
            return "m"
        tag = self._tags.get(word, "")
        return _FROM_JIEBA.get(tag, tag)
