"""Text that is in another language than it is said to be, or not segmented."""

from __future__ import annotations

import pytest

from geceval.validation.languages import check_language, check_segmentation
from geceval.validation.pairs import Text


def words(line: str) -> tuple[str, ...]:
    return tuple(line.split())


GERMAN = words("Das ist nicht der Hund , den ich mit der Frau und dem Kind sah .")
ENGLISH = words("This is not the dog that I was with , and they have to go for it .")


def text(*sentences: tuple[str, ...], times: int = 10) -> Text:
    return Text(sentences * times)


@pytest.mark.parametrize(
    ("tokens", "lang", "expected"),
    [
        (GERMAN, "en", "--lang de"),
        (ENGLISH, "de", "--lang en"),
        (("Это", "не", "он", "."), "en", "most letters are Cyrillic"),
        (("我", "喜欢", "猫", "。"), "en", "most letters are Chinese or Japanese"),
        (("Το", "σπίτι", "."), "en", "most letters are Greek"),
        (("ქართული", "ენა", "."), "en", "--lang ka"),
        (ENGLISH, "ar", "most letters are Latin"),
    ],
)
def test_languages_that_do_not_fit(tokens: tuple[str, ...], lang: str, expected: str) -> None:
    issue = check_language(text(tokens), lang)
    assert issue is not None
    severity = "error" if "Chinese" in expected else "warning"
    assert (issue.code, issue.severity) == ("language", severity)
    assert expected in issue.message


@pytest.mark.parametrize(
    ("tokens", "lang"),
    [
        (GERMAN, "de"),
        (ENGLISH, "en"),
        (ENGLISH, "en-GB"),
        (GERMAN, "plain"),
        (GERMAN, "universal"),
        (("我", "喜欢", "猫", "。"), "zh"),
        (("Ово", "је", "."), "sr"),
        (("Ovo", "je", "."), "sr"),
        (("1", "2", "."), "en"),
        ((), "en"),
    ],
)
def test_languages_that_fit(tokens: tuple[str, ...], lang: str) -> None:
    assert check_language(text(tokens), lang) is None


def test_languages_of_short_texts_are_not_guessed() -> None:
    assert check_language(text(GERMAN, times=3), "en") is None


@pytest.mark.parametrize(
    ("sentences", "remedy"),
    [
        ([("我今天早上吃了一个苹果。",)], "--lang zh"),
        ([("我今天早上吃了一个苹果。", "iPhone", "很好看也很便宜。")], "--lang zh"),
        ([("私は昨日学校に行きました。",)], "--lang zh"),
        ([("วันนี้อากาศดีมากและฉันมีความสุข",)], "separate the tokens with spaces"),
    ],
)
def test_segmentation_is_missing(sentences: list[tuple[str, ...]], remedy: str) -> None:
    issue = check_segmentation(Text(sentences))
    assert issue is not None
    assert (issue.code, issue.severity) == ("unsegmented", "error")
    assert remedy in issue.message


@pytest.mark.parametrize(
    "tokens",
    [
        ("我", "今天", "早上", "吃", "了", "苹果", "。"),
        tuple("我今天早上吃了苹果。"),
        ("วันนี้", "อากาศ", "ดี", "มาก"),
        ("Donaudampfschifffahrtsgesellschaft",),
        ("한국어는", "띄어쓰기를", "합니다", "."),
        (),
    ],
)
def test_segmentation_is_there(tokens: tuple[str, ...]) -> None:
    assert check_segmentation(Text([tokens])) is None
