"""Habits of a whole file that its source does not have: tokens, letters and marks of tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial
from typing import Literal, TypeAlias
from unicodedata import is_normalized, normalize

from geceval.validation.pairs import FEW, MOST, Doubt, Pair


def _detokenized(pair: Pair) -> Doubt | None:
    old, new = pair.source.share_of_marks_apart, pair.text.share_of_marks_apart
    if old is None or new is None or abs(old - new) < MOST:
        return None
    if old < new:
        return Doubt(
            "tokenization",
            "punctuation is split off, but not in the source: every mark counts as a wrong edit; "
            "tokenize the source too",
        )
    lines = pair.text.where(
        lambda word: len(word) > 1 and word[-1] in ".,?!;:" and word not in pair.source.words
    )
    message = (
        "are not tokenized as the source is, and every mark that is not split off counts as a "
        "wrong edit: tokenize it, with --tokenize or 'geceval check --fix'"
    )
    return Doubt("detokenized", f"{pair.of_all(lines)} {message}", lines)


def _clitics(pair: Pair) -> Doubt | None:
    old, new = pair.source.share_of_clitics_apart, pair.text.share_of_clitics_apart
    if old is None or new is None or abs(old - new) < MOST:
        return None
    how = "don't for do n't" if new < old else "do n't for don't"
    return _other_tokens(f"contractions are written in another way than in the source ({how})")


def _other_tokens(what: str) -> Doubt:
    return Doubt("tokenization", f"{what}, and each one counts as a wrong edit")


def _hyphens(pair: Pair) -> Doubt | None:
    apart = [text.count("-", "@-@") for text in (pair.source, pair.text)]
    inside = [
        text.n_hyphens - n_apart
        for text, n_apart in zip((pair.source, pair.text), apart, strict=True)
    ]
    for one, other, how in ((0, 1, "apart"), (1, 0, "together")):
        if inside[one] >= FEW and apart[other] - apart[one] > MOST * inside[one]:
            return _other_tokens(f"words with hyphens are written {how}, unlike in the source")
    return None


_CONVENTIONS = (
    (("``", "''"), ('"',), "quotation marks are written `` and ''"),
    (("-LRB-", "-RRB-"), ("(", ")"), "brackets are written -LRB- and -RRB-"),
)


def _conventions(pair: Pair) -> Doubt | None:
    for marks, plain, what in _CONVENTIONS:
        for one, other, where in (
            (pair.text, pair.source, "but not in the source"),
            (pair.source, pair.text, "in the source, but not here"),
        ):
            n_marks = one.count(*marks) - other.count(*marks)
            if n_marks > max(1, MOST * one.count(*plain)) and other.count(*plain) > n_marks / 2:
                return _other_tokens(f"{what} {where}")
    return None


def _quotes(pair: Pair) -> Doubt | None:
    for one, other, how in ((0, 1, "curly"), (1, 0, "straight")):
        old, left = (text.n_quotes[one] for text in (pair.source, pair.text))
        before, new = (text.n_quotes[other] for text in (pair.source, pair.text))
        if old >= FEW and left < 0.1 * old and new - before > MOST * old:
            message = f"quotation marks and apostrophes became {how}: each counts as a wrong edit"
            return Doubt("quotes", message)
    return None


def _casing(pair: Pair) -> Doubt | None:
    old, new = pair.source.vocabulary, pair.text.vocabulary
    for is_so, how in ((str.islower, "lower"), (str.isupper, "upper")):
        if is_so(new) and not is_so(old):
            message = f"all letters are {how}-case, but not in the source, which counts as edits"
            return Doubt("casing", message)
    lines = tuple(
        number + 1
        for number, old_tokens, new_tokens in pair.sentences(pair.beginnings)
        if new_tokens[0] == old_tokens[0].lower()
    )
    if len(lines) < max(FEW, MOST * pair.text.n_filled):
        return None
    message = "begin with a small letter, unlike their source, which counts as wrong edits"
    return Doubt("casing", f"{pair.of_all(lines)} {message}", lines)


def _unicode_form(pair: Pair) -> Doubt | None:
    if pair.new_words.isascii():
        return None
    for form in _UNICODE_FORMS:
        if is_normalized(form, pair.source.vocabulary) and not is_normalized(form, pair.new_words):
            lines = pair.text.where(partial(_was_in_form, form, pair.source.words))
            if lines:
                message = f"have words of their source that are no longer in the form {form}"
                return Doubt("unicode-form", f"{pair.of_all(lines)} {message}", lines)
    return None


_Form: TypeAlias = Literal["NFC", "NFD"]
_UNICODE_FORMS: tuple[_Form, ...] = ("NFC", "NFD")


def _was_in_form(form: _Form, known: Container[str], word: str) -> bool:
    return not is_normalized(form, word) and normalize(form, word) in known


_MARKS = (
    (
        "entities",
        ("&apos;", "&quot;", "&amp;", "&lt;", "&gt;", "&#91;", "&#93;", "&#124;", "&#39;"),
        "have HTML entities such as",
        "turn them into characters",
    ),
    (
        "subwords",
        ("@@ ", "▁", " ##", "</w>"),
        "have subword marks such as",
        "put the words together",
    ),
    (
        "special-tokens",
        (
            "<s>", "</s>", "<unk>", "<UNK>", "<pad>", "[UNK]", "[CLS]", "[SEP]", "[PAD]",
            "<|endoftext|>", "<|im_end|>", "⁇",
        ),
        "have special tokens of a model such as",
        "take them out",
    ),
)  # fmt: skip


def model_marks(pair: Pair) -> Iterator[Doubt]:
    """Find what tools and models leave in text, if the source has nothing like it."""
    for code, marks, what, remedy in _MARKS:
        framed = tuple(mark.replace(" ", "\n") for mark in marks)
        found = [mark for mark in framed if mark in pair.new_words]
        if not found or any(mark in pair.source.vocabulary for mark in found):
            continue
        lines = pair.text.where(partial(_has_mark, found))
        message = (
            f"{pair.of_all(lines)} {what} {found[0].strip()!r}, which count as wrong: {remedy}"
        )
        yield Doubt(code, message, lines, pair.severity(lines))


def _has_mark(marks: Sequence[str], word: str) -> bool:
    return any(mark in f"\n{word}\n" for mark in marks)


_PROMPTS = (
    "corrected:", "corrected sentence", "corrected version", "corrected text", "correction:",
    "output:", "answer:", "here is the corrected", "here's the corrected",
    "the corrected sentence", "sure ,", "sure,", "sure !", "sure!",
)  # fmt: skip


def _prompt(pair: Pair) -> Doubt | None:
    """Find what language models say before they correct, or any word that begins most lines."""
    lines, said = [], ""
    for number, _, new in pair.sentences(pair.beginnings):
        beginning = " ".join(new[:4]).lower()
        if beginning.startswith(_PROMPTS):
            said = said or " ".join(new[:2])
            lines.append(number + 1)
    if lines:
        message = f"begin with words to the reader such as {said!r}: give the text alone"
        return Doubt(
            "prompt", f"{pair.of_all(lines)} {message}", tuple(lines), pair.severity(lines)
        )
    firsts = Counter(new[0] for _, _, new in pair.sentences(pair.beginnings))
    word, count = firsts.most_common(1)[0] if firsts else ("", 0)
    if count < max(FEW, MOST * pair.text.n_filled):
        return None
    lines = [number + 1 for number, _, new in pair.sentences(pair.beginnings) if new[0] == word]
    message = f"{pair.of_all(lines)} begin with {word!r}, unlike their source"
    return Doubt("prompt", message, tuple(lines))


HABITS: tuple[Callable[[Pair], Doubt | None], ...] = (
    _detokenized,
    _clitics,
    _hyphens,
    _conventions,
    _quotes,
    _casing,
    _unicode_form,
    _prompt,
)
