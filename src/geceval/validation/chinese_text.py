"""Validate text that is treated as Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from geceval.errors import GecevalError
from geceval.formats.findings import Findings
from geceval.model import Sentence, Tokens

_FIRST, _LAST = "\u4e00", "\u9fff"
_MOST_TOKENS = 2
"""Median length of sentences, in tokens, up to which text is not segmented."""

_TOLERANCE = 0.1
"""Relative difference of word lengths that is not suspicious."""


def check_chinese_text(
    sources: Sequence[Tokens], findings: Findings, *, path: str, by_words: bool = False
) -> None:
    """Warn of text that is not Chinese, and refuse words that are not segmented.

    Parameters
    ----------
    sources
        Source sentences, split at spaces.
    findings
        Collection for the warning.
    path
        Name of the file.
    by_words
        Whether the tokens have to be words.

    Examples
    --------
    >>> findings = Findings()
    >>> check_chinese_text([("I", "like", "it")], findings, path="src.txt")
    >>> [finding.code for finding in findings]
    ['not-chinese']
    """
    sentences = [tokens for tokens in sources if tokens]
    letters = [char for tokens in sentences for char in "".join(tokens) if char.isalpha()]
    n_chinese = sum(_FIRST <= char <= _LAST for char in letters)
    if 2 * n_chinese < len(letters):
        findings.add(
            "not-chinese",
            f"{round(100 * n_chinese / len(letters))} % of the letters are Chinese, but --lang zh "
            "splits all text into characters; give the language of the text with --lang",
            path=path,
        )
    elif by_words and sentences and median(map(len, sentences)) <= _MOST_TOKENS:
        raise GecevalError(
            f"{path or 'the text'} is not segmented into words, which --level word needs: separate "
            "them with spaces, or leave out --level word to compare characters"
        )


def check_chinese_head(
    _format: str,
    names: Sequence[str],
    head: Sequence[Sentence | tuple[str, ...]],
    *,
    findings: Findings,
    by_words: bool = False,
) -> None:
    """Validate the first sentences, or lines of parallel text, of files read as a stream."""
    sources = [
        item.tokens if isinstance(item, Sentence) else tuple(item[0].split()) for item in head
    ]
    check_chinese_text(sources, findings, path=names[0], by_words=by_words)


def check_word_lengths(
    sources: Sequence[Tokens], outputs: Sequence[Tokens], findings: Findings, *, path: str
) -> None:
    """Warn of an output that another program segmented than the source."""
    ours, theirs = _mean_length(sources), _mean_length(outputs)
    if ours and theirs and abs(theirs - ours) > _TOLERANCE * ours:
        findings.add(
            "segmentation",
            f"words have {theirs:.2f} characters on average, but {ours:.2f} in the source: segment "
            "both with the same program, since other words count as edits",
            path=path,
        )


def _mean_length(sentences: Sequence[Tokens]) -> float:
    n_tokens = sum(map(len, sentences))
    return sum(len(token) for tokens in sentences for token in tokens) / n_tokens if n_tokens else 0
