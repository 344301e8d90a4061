"""Validate system outputs before they are scored.

Text that is tokenized differently from the source, misaligned by a line or made for another test
set would still get a score, and a wrong one. `OutputValidator` takes a few milliseconds per system,
so that every output is validated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from geceval.formats.findings import Findings, Severity
from geceval.formats.parallel import VERTICAL_AS_TEXT, is_vertical
from geceval.formats.retokenize import is_tokenization_only
from geceval.model import Corpus, Hypothesis, Sentence, Tokens
from geceval.validation.conventions import CONVENTION_CHECKS, check_artifacts
from geceval.validation.languages import check_language, check_segmentation, refuse_unusable
from geceval.validation.misalignment import check_alignment
from geceval.validation.pairs import MIN_COUNT, MIN_TOKENS, MOST, Issue, Pair, Text, of_all

LONG_SENTENCE = 1000
"""Length, in tokens, above which a sentence is probably several without line breaks."""

_HEAD = 1000
"""Number of sentences that tell what a stream is."""

_MAX_LABELS = 5
"""Maximum number of distinct labels in a label file."""


class OutputValidator:
    """Validate texts against their source sentences.

    Parameters
    ----------
    sources
        Source sentences.

    Examples
    --------
    >>> lines = ["I like cats .", "He sleeps a lot .", "We all went home ."]
    >>> validator = OutputValidator([tuple(line.split()) for line in lines])
    >>> [(issue.code, issue.lines) for issue in validator.issues([(), ("He", "sleeps"), ("We",)])]
    [('empty-output', (1,))]
    """

    def __init__(self, sources: Sequence[Tokens]) -> None:
        self._source = Text(sources)

    def issues(self, texts: Sequence[Tokens]) -> list[Issue]:
        """Return the issues of texts, one for each source, by decreasing severity."""
        pair = Pair(self._source, Text(texts))
        if not pair.changed:
            return list(long_sentences(texts))
        found = [issue for check in _FILE_TYPE_CHECKS if (issue := check(pair)) is not None]
        if not found:
            found += check_alignment(pair)
        found += [issue for check in CONVENTION_CHECKS if (issue := check(pair)) is not None]
        if any(issue.code == "detokenized" for issue in found):
            found = [issue for issue in found if issue.code != "tokenization"]
        else:
            found += _tokenization(pair)
        found += check_artifacts(pair)
        found += _empty(pair)
        found += long_sentences(texts)
        return found


# Files of the wrong type ------------------------------------------------------------------------


def _json(pair: Pair) -> Issue | None:
    if "\n{" not in pair.new_words and "\n[" not in pair.new_words:
        return None
    lines = tuple(
        number + 1
        for number, _, new in pair.sentences(pair.beginnings)
        if new[0][0] in "{[" and new[-1][-1] in "}]" and any('"' in word for word in new)
    )
    if not pair.are_most(lines):
        return None
    return Issue(
        "json", f"{pair.of_all(lines)} are JSON: expected plain text, one sentence per line", lines
    )


def _table(pair: Pair) -> Issue | None:
    """Find lines that begin with the source or with a line number."""
    longer = [
        number
        for number in pair.changed
        if pair.text.lengths[number] > 1.5 * pair.source.lengths[number]
    ]
    repeats = tuple(
        number + 1
        for number, old, new in pair.sentences(longer)
        if old and old in (new[: len(old)], new[1 : 1 + len(old)])
    )
    if pair.are_most(repeats) and len(repeats) >= MIN_COUNT:
        message = (
            "begin with the whole source: this is a table; extract its last column, or give it as "
            "the only file ('geceval annotate TABLE')"
        )
        return Issue("table", f"{pair.of_all(repeats)} {message}", repeats)
    numbered = [
        (number + 1, int(new[0]) - number)
        for number, _, new in pair.sentences(pair.beginnings)
        if new[0].isdecimal() and len(new[0]) < 10
    ]
    steps = Counter(step for _, step in numbered)
    if numbered and steps.most_common(1)[0][1] >= max(MIN_COUNT, MOST * len(pair.text.sentences)):
        lines = tuple(number for number, _ in numbered)
        message = "begin with a line number, which counts as a false positive: remove the numbers"
        return Issue("table", f"{pair.of_all(lines)} {message}", lines)
    return None


def _labels(pair: Pair) -> Issue | None:
    return _label_file(pair.text)


def _label_file(text: Text) -> Issue | None:
    """Detect a file with one labeled token per line."""
    n_pairs = text.lengths.count(2)
    if n_pairs < max(MIN_COUNT, 0.9 * text.n_nonempty):
        return None
    if len({tokens[1] for tokens in text.sentences if len(tokens) == 2}) > _MAX_LABELS:
        return None
    return Issue(
        "label-file",
        f"{of_all(n_pairs, len(text.sentences))} are a word and a label: "
        f"this is a label file, not text; -m ged scores labels, and {VERTICAL_AS_TEXT}",
    )


def _one_token_per_line(text: Text) -> Issue | None:
    """Detect a file with one token per line and blank lines between the sentences."""
    if not is_vertical(text.lengths) or check_segmentation(text) is not None:
        return None
    return Issue(
        "one-token-per-line",
        f"{text.lengths.count(1):,} of {text.n_nonempty:,} lines are a single token, with blank "
        f"lines between them, but each line is read as a sentence; {VERTICAL_AS_TEXT}",
    )


def _unspaced(pair: Pair) -> Issue | None:
    # An unspaced source is reported by `check_sources`.
    return None if _without_spaces(pair.source) else _without_spaces(pair.text)


def _without_spaces(text: Text, *, by: str = "") -> Issue | None:
    """Detect text without spaces, such as raw Chinese, Japanese or Thai."""
    if (issue := check_segmentation(text, by=by)) is not None:
        return issue
    if text.lengths.count(1) <= MOST * text.n_nonempty or is_vertical(text.lengths):
        return None
    lines = tuple(
        number
        for number, tokens in enumerate(text.sentences, 1)
        if len(tokens) == 1 and len(tokens[0]) > MIN_TOKENS
    )
    if len(lines) <= MOST * text.n_nonempty:
        return None
    return Issue(
        "unspaced",
        f"{of_all(len(lines), len(text.sentences))} are a single token, so that each counts as "
        "one edit at most: separate the tokens with spaces",
        lines,
    )


def _script(pair: Pair) -> Issue | None:
    old, new = pair.source.script, pair.text.script
    if old is None or new is None or old == new:
        return None
    return Issue("script", f"most letters are {new}, but those of the source are {old}")


_FILE_TYPE_CHECKS: tuple[Callable[[Pair], Issue | None], ...] = (
    _json,
    _table,
    _labels,
    _unspaced,
    _script,
)


# Single sentences ------------------------------------------------------------------------------


def _tokenization(pair: Pair) -> Iterator[Issue]:
    lines = tuple(
        number + 1
        for number, old, new in pair.sentences(pair.changed)
        if pair.source.joined[number] == "".join(new) and is_tokenization_only(old, new)
    )
    if lines:
        yield Issue(
            "tokenization",
            f"{pair.of_all(lines)} differ from the source only in tokenization, "
            "which counts as false positives",
            lines,
            pair.severity(lines),
        )


def _empty(pair: Pair) -> Iterator[Issue]:
    if 0 not in pair.text.lengths:
        return
    lines = tuple(
        number + 1 for number, old, new in pair.sentences(pair.changed) if old and not new
    )
    if lines:
        message = f"{pair.of_all(lines)} are empty, but not in the source, and count as deletions"
        severity: Severity = "warning" if pair.severity(lines) == "error" else "note"
        yield Issue("empty-output", message, lines, severity)


def long_sentences(sentences: Sequence[Tokens]) -> Iterator[Issue]:
    """Find sentences that are implausibly long."""
    if max(map(len, sentences), default=0) <= LONG_SENTENCE:
        return
    for number, tokens in enumerate(sentences, 1):
        if len(tokens) > LONG_SENTENCE:
            message = (
                f"a sentence of {len(tokens):,} tokens, which is slow to score: "
                "are line breaks missing?"
            )
            yield Issue("long-sentence", message, (number,), "warning")


def is_tokenized(sentences: Sequence[Tokens]) -> bool:
    """Whether most punctuation marks are separate tokens."""
    proportion = Text(sentences).separate_punctuation
    return proportion is not None and proportion > MOST


# Findings --------------------------------------------------------------------------------------


def check_hypothesis(
    corpus: Corpus,
    hypothesis: Hypothesis,
    findings: Findings,
    *,
    path: str | None = None,
    validator: OutputValidator | None = None,
) -> None:
    """Validate a system output and add at most one finding of each code.

    Parameters
    ----------
    corpus
        The gold standard.
    hypothesis
        The system output, aligned with the corpus.
    findings
        Collection to add to.
    path
        File of the output; the name of the hypothesis when None.
    validator
        Validator of the source sentences, to share among systems.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["I likes it .", "You came ."], ["I like it .", "You came ."])
    >>> findings = Findings()
    >>> check_hypothesis(corpus, Hypothesis.from_texts(["", "You came."], name="x"), findings)
    >>> [finding.code for finding in findings]
    ['tokenization', 'empty-output']
    """
    validator = OutputValidator(corpus.sources) if validator is None else validator
    # The first issue of each code is the most informative.
    issues = {issue.code: issue for issue in reversed(validator.issues(hypothesis.sentences))}
    for issue in reversed(issues.values()):
        add_issue(issue, findings, path=path or hypothesis.name, is_text=hypothesis.edits is None)


def check_sources(
    sources: Sequence[Tokens],
    findings: Findings,
    *,
    path: str,
    is_text: bool = False,
    lang: str = "",
    by: str = "",
) -> None:
    """Validate source sentences.

    Parameters
    ----------
    sources, path
        The sentences and their file.
    findings
        Collection to add to.
    is_text
        Whether they are plain text, one sentence per line.
    lang
        Code of their language; empty if it does not matter.
    by
        The command that segments text, if it is not the one that is run.
    """
    text = Text(sources)
    issues = [
        _label_file(text),
        # The Chinese pack segments text itself.
        _without_spaces(text, by=by) if lang != "zh" else None,
        _one_token_per_line(text),
        check_language(text, lang) if lang else None,
        *long_sentences(sources),
    ]
    for issue in issues:
        if issue is not None:
            add_issue(issue, findings, path=path, is_text=is_text)


def notice_other_text(
    sentences: Iterable[Sentence], findings: Findings, *, path: str
) -> Iterator[Sentence]:
    """Yield sentences, and report if the first of them are labels, tokens or unsegmented text.

    For commands that only read and write them.
    """
    stream = iter(sentences)
    head = list(islice(stream, _HEAD))
    text = Text([sent.tokens for sent in head])
    segmentation = check_segmentation(text, by="geceval annotate ")
    for issue in (_label_file(text), segmentation, _one_token_per_line(text)):
        if issue is not None:
            warning = replace(issue, severity="warning")
            add_issue(warning, findings, path=path, is_text=False)
    yield from chain(head, stream)


def refuse_other_text(
    sources: Sequence[Tokens], lang: str, *, path: str = "", by: str = ""
) -> Findings:
    """Raise an error for text without words, or in an unspaced script of another language.

    Parameters
    ----------
    sources, lang, path, by
        See `check_sources`.

    Returns
    -------
    Findings
        Everything else that looks wrong, such as text in another language.

    Examples
    --------
    >>> refuse_other_text([("我今天早上吃了一个苹果。",)], "plain")
    Traceback (most recent call last):
    geceval.errors.GecevalError: sentence 1: 1 of 1 sentences are not segmented into words or \
characters, so that a whole sentence counts as one word: use --lang zh for Chinese by characters, \
or separate the tokens with spaces
    """
    findings = Findings()
    check_sources(sources, findings, path=path, lang=lang, by=by)
    refuse_unusable(findings)
    return findings


def add_issue(issue: Issue, findings: Findings, *, path: str, is_text: bool) -> None:
    """Add an issue to findings; sentence numbers are line numbers only in plain text."""
    first = issue.lines[0] if issue.lines else None
    where = "" if is_text or first is None else f"sentence {first}: "
    findings.add(
        issue.code,
        where + issue.message,
        severity=issue.severity,
        path=path,
        line=first if is_text else None,
    )
