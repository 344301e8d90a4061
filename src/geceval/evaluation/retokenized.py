"""Texts in the tokens of a language without spaces between its words, such as Chinese."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import tokens_of
from geceval.formats.findings import Findings
from geceval.model import DIFF, Corpus, Hypothesis, Tokens
from geceval.references.diffs import has_texts_only
from geceval.validation.chinese_text import check_chinese_text, check_word_lengths

if TYPE_CHECKING:
    from geceval.extraction.annotator import Annotator


def retokenize_corpus(corpus: Corpus, annotator: Annotator, findings: Findings) -> Corpus:
    """Return a gold standard in the tokens of a language.

    Its edits are kept if they are edits of these tokens. Otherwise they are replaced by plain
    differences, from which the annotator can extract edits.

    Parameters
    ----------
    corpus
        The gold standard.
    annotator
        Splits the texts.
    findings
        Collection for what looks wrong, and for edits that were replaced.
    """
    by_words = annotator.options.level == "word"
    check_chinese_text(corpus.sources, findings, path=corpus.name, by_words=by_words)
    given = corpus.has_edits and not has_texts_only(corpus)
    is_same = all(_split(sent, annotator) == sent for sent in corpus.sources)
    if given and is_same:
        return corpus
    if given:
        findings.add(
            "segmented",
            "the gold standard is segmented into words, so its edits were replaced by those of "
            "characters; --level word scores words",
            path=corpus.name,
        )
    sentences = tuple(map(annotator.retokenized, corpus))
    return replace(corpus, sentences=sentences, extraction=DIFF)


def _split(tokens: Tokens, annotator: Annotator) -> Tokens:
    return tokens_of(annotator.split(" ".join(tokens)))


def retokenize_output(
    corpus: Corpus, hypothesis: Hypothesis, annotator: Annotator, findings: Findings
) -> Hypothesis:
    """Return the output of a system in the tokens of a language.

    Parameters
    ----------
    corpus
        The gold standard, in these tokens.
    hypothesis
        The output.
    annotator
        Splits the texts.
    findings
        Collection for edits that were replaced.
    """
    unit = "characters" if annotator.options.level == "char" else "words"
    if unit == "words":
        outputs = hypothesis.sentences
        check_word_lengths(corpus.sources, outputs, findings, path=hypothesis.name)
    if hypothesis.edits is not None:
        if all(_split(sent, annotator) == sent for sent in hypothesis):
            return replace(hypothesis, unit=unit)
        findings.add(
            "segmented",
            "the output is segmented into words, so its edits were replaced by those of "
            "characters; --level word scores words",
            path=hypothesis.name,
        )
    if len(hypothesis) != len(corpus):
        return hypothesis
    sentences = tuple(
        _target(" ".join(text), source, annotator)
        for source, text in zip(corpus.sources, hypothesis, strict=True)
    )
    return replace(hypothesis, sentences=sentences, edits=None, readings=(), unit=unit)


def _target(text: str, source: Tokens, annotator: Annotator) -> Tokens:
    """Split a corrected sentence; a placeholder means that it is the source."""
    target = annotator.split_target(text, source)
    return source if target is None else tokens_of(target)


def check_rows(corpus: Corpus, hypothesis: Hypothesis, path: str) -> None:
    """Raise an error if a file of an output repeats other sources than those of the corpus."""
    if not hypothesis.rows or len(hypothesis.rows) != len(corpus):
        return
    for number, (sent, row) in enumerate(zip(corpus, hypothesis.rows, strict=True), 1):
        if sent.id is not None and row.id is not None and sent.id != row.id:
            raise GecevalError(
                f"{path}, line {number}: this is sentence {row.id}, but sentence {number} of "
                f"{corpus.name or 'the gold standard'} is {sent.id}"
            )
        if "".join(sent.tokens) != "".join("".join(row.tokens).split()):
            own, other = ("".join("".join(tokens).split()) for tokens in (row.tokens, sent.tokens))
            # Where they differ, with a little of what is before.
            same = takewhile(lambda pair: pair[0] == pair[1], zip(own, other, strict=False))
            start = max(0, len(list(same)) - 10)
            raise GecevalError(
                f"{path}, line {number}: the source is {_part(own, start)!r}, but that of "
                f"{corpus.name or 'the gold standard'} is {_part(other, start)!r}"
            )


def _part(text: str, start: int) -> str:
    return f"{'…' if start else ''}{text[start : start + 40]}"
