"""Conventions of a text that differ from its source: tokenization, casing, artifacts of models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial
from typing import Literal, TypeAlias
from unicodedata import is_normalized, normalize

from geceval.validation.pairs import MIN_COUNT, MOST, Issue, Pair


def _detokenized(pair: Pair) -> Issue | None:
    old, new = pair.source.separate_punctuation, pair.text.separate_punctuation
    if old is None or new is None or abs(old - new) < MOST:
        return None
    if old < new:
        return Issue(
            "tokenization",
            "punctuation is tokenized, but not in the source, so every mark counts as a false "
            "positive; tokenize the source, too",
        )
    lines = pair.text.where(
        lambda word: len(word) > 1 and word[-1] in ".,?!;:" and word not in pair.source.words
    )
    message = (
        "are not tokenized like the source, so every attached punctuation mark counts as a false "
        "positive: tokenize them with --tokenize or 'geceval check --fix'"
    )
    return Issue("detokenized", f"{pair.of_all(lines)} {message}", lines)


def _clitics(pair: Pair) -> Issue | None:
    old, new = pair.source.separate_clitics, pair.text.separate_clitics
    if old is None or new is None or abs(old - new) < MOST:
        return None
    how = "don't for do n't" if new < old else "do n't for don't"
    return _tokenization_issue(f"contractions are tokenized differently from the source ({how})")


def _tokenization_issue(what: str) -> Issue:
    return Issue("tokenization", f"{what}, so each counts as a false positive")


def _hyphens(pair: Pair) -> Issue | None:
    apart = [text.count("-", "@-@") for text in (pair.source, pair.text)]
    inside = [
        text.n_hyphens - n_apart
        for text, n_apart in zip((pair.source, pair.text), apart, strict=True)
    ]
    for one, other, how in ((0, 1, "split"), (1, 0, "joined")):
        if inside[one] >= MIN_COUNT and apart[other] - apart[one] > MOST * inside[one]:
            return _tokenization_issue(f"hyphenated words are {how}, but not in the source")
    return None


_CONVENTIONS = (
    (("``", "''"), ('"',), "quotation marks are written `` and ''"),
    (("-LRB-", "-RRB-"), ("(", ")"), "brackets are written -LRB- and -RRB-"),
)


def _conventions(pair: Pair) -> Issue | None:
    for marks, plain, what in _CONVENTIONS:
        for one, other, where in (
            (pair.text, pair.source, "but not in the source"),
            (pair.source, pair.text, "in the source, but not here"),
        ):
            n_marks = one.count(*marks) - other.count(*marks)
            if n_marks > max(1, MOST * one.count(*plain)) and other.count(*plain) > n_marks / 2:
                return _tokenization_issue(f"{what} {where}")
    return None


def _quotes(pair: Pair) -> Issue | None:
    for one, other, how in ((0, 1, "curly"), (1, 0, "straight")):
        old, left = (text.n_quotes[one] for text in (pair.source, pair.text))
        before, new = (text.n_quotes[other] for text in (pair.source, pair.text))
        if old >= MIN_COUNT and left < 0.1 * old and new - before > MOST * old:
            message = f"quotes and apostrophes became {how}, so each counts as a false positive"
            return Issue("quotes", message)
    return None


def _casing(pair: Pair) -> Issue | None:
    old, new = pair.source.vocabulary, pair.text.vocabulary
    for is_so, how in ((str.islower, "lower"), (str.isupper, "upper")):
        if is_so(new) and not is_so(old):
            message = f"all letters are {how}case, but not in the source, so each counts as an edit"
            return Issue("casing", message)
    lines = tuple(
        number + 1
        for number, old_tokens, new_tokens in pair.sentences(pair.beginnings)
        if new_tokens[0] == old_tokens[0].lower()
    )
    if len(lines) < max(MIN_COUNT, MOST * pair.text.n_nonempty):
        return None
    message = "begin with a lowercase letter, but not in the source, so each is a false positive"
    return Issue("casing", f"{pair.of_all(lines)} {message}", lines)


def _unicode_form(pair: Pair) -> Issue | None:
    if pair.new_words.isascii():
        return None
    for form in _UNICODE_FORMS:
        if is_normalized(form, pair.source.vocabulary) and not is_normalized(form, pair.new_words):
            lines = pair.text.where(partial(_was_normalized, form, pair.source.words))
            if lines:
                message = (
                    f"have source words that are no longer normalized to {form}; "
                    "compare with --normalize nfc"
                )
                return Issue("unicode-form", f"{pair.of_all(lines)} {message}", lines)
    return None


_Form: TypeAlias = Literal["NFC", "NFD"]
_UNICODE_FORMS: tuple[_Form, ...] = ("NFC", "NFD")


def _was_normalized(form: _Form, known: Container[str], word: str) -> bool:
    return not is_normalized(form, word) and normalize(form, word) in known


_ARTIFACTS = (
    (
        "entities",
        ("&apos;", "&quot;", "&amp;", "&lt;", "&gt;", "&#91;", "&#93;", "&#124;", "&#39;"),
        "have HTML entities such as",
        "unescape them",
    ),
    (
        "subwords",
        ("@@ ", "▁", " ##", "</w>"),
        "have subword markers such as",
        "join the subwords",
    ),
    (
        "special-tokens",
        (
            "<s>", "</s>", "<unk>", "<UNK>", "<pad>", "[UNK]", "[CLS]", "[SEP]", "[PAD]",
            "<|endoftext|>", "<|im_end|>", "⁇",
        ),
        "have special tokens such as",
        "remove them",
    ),
)  # fmt: skip


def check_artifacts(pair: Pair) -> Iterator[Issue]:
    """Find artifacts of tools and models that the source does not have."""
    for code, marks, what, remedy in _ARTIFACTS:
        framed = tuple(mark.replace(" ", "\n") for mark in marks)
        found = [mark for mark in framed if mark in pair.new_words]
        if not found or any(mark in pair.source.vocabulary for mark in found):
            continue
        lines = pair.text.where(partial(_has_mark, found))
        message = (
            f"{pair.of_all(lines)} {what} {found[0].strip()!r}, a false positive each: {remedy}"
        )
        yield Issue(code, message, lines, pair.severity(lines))


def _has_mark(marks: Sequence[str], word: str) -> bool:
    return any(mark in f"\n{word}\n" for mark in marks)


_PROMPTS = (
    "corrected:", "corrected sentence", "corrected version", "corrected text", "correction:",
    "output:", "answer:", "here is the corrected", "here's the corrected",
    "the corrected sentence", "sure ,", "sure,", "sure !", "sure!",
)  # fmt: skip


def _prompt(pair: Pair) -> Issue | None:
    """Find introductory phrases of language models, or a new first word in most lines."""
    lines, example = [], ""
    for number, _, new in pair.sentences(pair.beginnings):
        beginning = " ".join(new[:4]).lower()
        if beginning.startswith(_PROMPTS):
            example = example or " ".join(new[:2])
            lines.append(number + 1)
    if lines:
        message = f"begin with an introductory phrase such as {example!r}: remove it"
        return Issue(
            "prompt", f"{pair.of_all(lines)} {message}", tuple(lines), pair.severity(lines)
        )
    firsts = Counter(new[0] for _, _, new in pair.sentences(pair.beginnings))
    word, count = firsts.most_common(1)[0] if firsts else ("", 0)
    if count < max(MIN_COUNT, MOST * pair.text.n_nonempty):
        return None
    lines = [number + 1 for number, _, new in pair.sentences(pair.beginnings) if new[0] == word]
    message = f"{pair.of_all(lines)} begin with {word!r}, but not in the source"
    return Issue("prompt", message, tuple(lines))


CONVENTION_CHECKS: tuple[Callable[[Pair], Issue | None], ...] = (
    _detokenized,
    _clitics,
    _hyphens,
    _conventions,
    _quotes,
    _casing,
    _unicode_form,
    _prompt,
)
