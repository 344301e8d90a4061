"""The real LanguageTool: exact when sentences are joined, and alive again after being killed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from geceval.formats import load_hypothesis
from geceval.formats.findings import Findings
from geceval.grammar import get_ignored_rules
from geceval.grammar.base import Problem
from geceval.grammar.detokenize import detokenize
from geceval.grammar.languagetool import batching as joined
from geceval.grammar.languagetool import checker as checker_module
from geceval.grammar.languagetool.batching import check_alone
from geceval.grammar.languagetool.checker import LanguageTool, stop_own_server
from geceval.grammar.languagetool.install import VERSION

# Each of these would get another answer for the company it is in, if one were not careful.
TRICKY = [
    "The committee will organise the festival.",
    "They organize a festival every summer.",
    "They organise what others organize.",
    "This organises and that organize.",
    "A wise adviser is worth more than gold.",
    "This advisors and that adviser agree.",
    "She bought apples, pears,",
    "and he bought nothing at all",
    "she likes to read in the garden.",
    "He likes reading; she do not.",
    "it",
    "hello",
    "Hello",
    "...",
    ".",
    '"',
    '"yes", she said.',
    "(Nobody was there",
    "when we came.)",
    "He said “never again",
    "and left the house”.",
    "1. the first point",
    "2. The second point",
    "a) an apple",
    "Moreover, they left. Moreover, they forgot the keys.",
    "Moreover, nobody knew.",
    "Thank you for coming. Thank you for this. Thank you for that. Thank you for all.",
    "Thank you for nothing.",
    "The door was opened. The door was closed. The door was painted.",
    "He go home 😀 and she go too 😀.",
    "😀 😀 they was happy",
    "My naïve friend have a café in München.",
    "Was it him? yes, it was. no doubt about it!",
    "What a strange ,, text .. it is ..",
    "See www.example.org or write to someone@example.org.",
    "iPhones is expensive.",
    "I has 3 book and 1 books.",
    "Mr. Li and Dr. Wu has met on Sept. 5 at 5 p.m. in the U.S.",
    "Im sure its raining.",
    "The the cat sat on an mat.",
    "THIS IS SHOUTED.",
    "x",
]
SENTENCES = 25
"""How many of each published file are checked."""


def alone(checker: LanguageTool, texts: list[str]) -> list[list[Problem]]:
    known = {text: check_alone(checker._ask, text) for text in set(texts)}
    checker._connected().close()
    return [known[text] for text in texts]


@pytest.mark.parametrize("raw_tokens", [False, True])
def test_real_server_joined_equals_alone(languagetool: str, raw_tokens: bool) -> None:
    """Not one rule, position or message differs, in whatever order the sentences come."""
    ignored = get_ignored_rules("languagetool", raw_tokens=raw_tokens)
    checker = LanguageTool(url=languagetool, ignored=ignored, jobs=2)
    expected = dict(zip(TRICKY, alone(checker, TRICKY), strict=True))
    assert sum(map(len, expected.values())) > 15
    rules = {problem.rule for problems in expected.values() for problem in problems}
    assert {"UPPERCASE_SENTENCE_START", "EN_WORD_COHERENCY"} <= rules
    for seed in range(4):
        texts = random.Random(seed).sample(TRICKY, len(TRICKY))
        assert checker.check(texts) == [expected[text] for text in texts]


def test_real_server_joined_equals_alone_on_published_data(
    languagetool: str, shared_data: Path
) -> None:
    files = ["conll14/systems/INPUT.txt", "jfleg/dev.src", "seeda/outputs/GPT-3.5.txt"]
    texts = [
        detokenize(tokens)
        for name in files
        for tokens in load_hypothesis(shared_data / name, findings=Findings()).sentences[:SENTENCES]
    ]
    checker = LanguageTool(url=languagetool, jobs=2)
    assert checker.check(texts) == alone(checker, texts)


def test_real_server_counts_utf16_units(languagetool: str) -> None:
    text = "😀 He go home."
    found = LanguageTool(url=languagetool).check([text])[0]
    assert [(problem.rule, text[problem.start : problem.end]) for problem in found] == [
        ("HE_VERB_AGR", "go")
    ]
    assert LanguageTool(url=languagetool).version == VERSION


@pytest.mark.usefixtures("installation")
def test_real_server_that_is_killed_loses_no_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Killed while it works; each sentence has one error, and each is counted once."""
    monkeypatch.setattr(checker_module, "find_background", lambda: None)
    monkeypatch.setattr(joined, "LARGEST_BATCH", 200)
    texts = [f"He go home number {number}." for number in range(60)]
    told: list[str] = []

    def kill_once(message: str) -> None:
        first = checker_module._own
        if message.startswith("checked") and not any("restarting" in line for line in told):
            assert first is not None
            first.process.kill()
        told.append(message)

    found = LanguageTool(jobs=2, notify=kill_once).check(texts)
    stop_own_server()
    assert told.count("LanguageTool crashed; restarting it") == 1
    assert [[problem.rule for problem in problems] for problems in found] == [
        ["HE_VERB_AGR"] for _ in texts
    ]
