"""Cheap checks whether the output of a system is fit to be scored.

Text that is not tokenized as the source is, that has slipped by a line or that belongs to
another test set gives a score all the same, and a wrong one. `Screen` looks at many systems
in a few milliseconds each, so that every score is made of text that was looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from geceval.formats.findings import Findings, Severity
from geceval.formats.retokenize import is_tokenization_only
from geceval.model import Corpus, Hypothesis, Tokens
from geceval.validation.conventions import HABITS, model_marks
from geceval.validation.misalignment import alignment
from geceval.validation.pairs import FEW, MOST, SHORTEST_TELLING, Doubt, Pair, Text, of_all

LONG_SENTENCE = 1000
"""Tokens past which a sentence is named: it is a paragraph, or line ends were lost."""

_MOST_LABELS = 5
"""How many different labels a label file has at most."""


class Screen:
    """The source sentences, and what is looked for in texts that go with them.

    Parameters
    ----------
    sources
        Source sentences.

    Examples
    --------
    >>> lines = ["I like cats .", "He sleeps a lot .", "We all went home ."]
    >>> screen = Screen([tuple(line.split()) for line in lines])
    >>> [(doubt.code, doubt.lines) for doubt in screen.doubts([(), ("He", "sleeps"), ("We",)])]
    [('empty-output', (1,))]
    """

    def __init__(self, sources: Sequence[Tokens]) -> None:
        self._source = Text(sources)

    def doubts(self, texts: Sequence[Tokens]) -> list[Doubt]:
        """Say what makes texts unfit to be scored, the gravest first.

        They have to be as many as the sources.
        """
        pair = Pair(self._source, Text(texts))
        if not pair.changed:
            return list(long_sentences(texts))
        found = [doubt for check in _FORMS if (doubt := check(pair)) is not None]
        if not found:
            found += alignment(pair)
        found += [doubt for check in HABITS if (doubt := check(pair)) is not None]
        if any(doubt.code == "detokenized" for doubt in found):
            found = [doubt for doubt in found if doubt.code != "tokenization"]
        else:
            found += _tokenized_otherwise(pair)
        found += model_marks(pair)
        found += _empty(pair)
        found += long_sentences(texts)
        return found


# What files of the wrong kind look like --------------------------------------------------------


def _json(pair: Pair) -> Doubt | None:
    if "\n{" not in pair.new_words and "\n[" not in pair.new_words:
        return None
    lines = tuple(
        number + 1
        for number, _, new in pair.sentences(pair.beginnings)
        if new[0][0] in "{[" and new[-1][-1] in "}]" and any('"' in word for word in new)
    )
    if not pair.are_most(lines):
        return None
    return Doubt(
        "json", f"{pair.of_all(lines)} are JSON: give the text alone, one sentence per line", lines
    )


def _table(pair: Pair) -> Doubt | None:
    """Find lines that repeat the source before the output, or begin with their number."""
    longer = [
        number
        for number in pair.changed
        if pair.text.lengths[number] > 1.5 * pair.source.lengths[number]
    ]
    repeats = tuple(
        number + 1 for number, old, new in pair.sentences(longer) if old and new[: len(old)] == old
    )
    if pair.are_most(repeats) and len(repeats) >= FEW:
        message = "begin with the whole source: a table was given in place of its last column"
        return Doubt("table", f"{pair.of_all(repeats)} {message}", repeats)
    numbered = [
        (number + 1, int(new[0]) - number)
        for number, _, new in pair.sentences(pair.beginnings)
        if new[0].isdecimal() and len(new[0]) < 10
    ]
    steps = Counter(step for _, step in numbered)
    if numbered and steps.most_common(1)[0][1] >= max(FEW, MOST * len(pair.text.sentences)):
        lines = tuple(number for number, _ in numbered)
        message = "begin with a running number, which counts as a wrong edit: leave the numbers out"
        return Doubt("table", f"{pair.of_all(lines)} {message}", lines)
    return None


def _labels(pair: Pair) -> Doubt | None:
    return _label_file(pair.text)


def _label_file(text: Text) -> Doubt | None:
    """Tell a file of tokens with labels, one token per line, from text."""
    n_pairs = text.lengths.count(2)
    if n_pairs < max(FEW, 0.9 * text.n_filled):
        return None
    if len({tokens[1] for tokens in text.sentences if len(tokens) == 2}) > _MOST_LABELS:
        return None
    return Doubt(
        "label-file",
        f"{of_all(n_pairs, len(text.sentences))} are a word and a label: "
        "this is a label file, not text",
    )


def _unspaced(pair: Pair) -> Doubt | None:
    # What the source is like is said of the source.
    return None if _without_spaces(pair.source) else _without_spaces(pair.text)


def _without_spaces(text: Text) -> Doubt | None:
    """Tell text without spaces, such as raw Chinese, Japanese or Thai."""
    if text.lengths.count(1) <= MOST * text.n_filled:
        return None
    lines = tuple(
        number
        for number, tokens in enumerate(text.sentences, 1)
        if len(tokens) == 1 and len(tokens[0]) > SHORTEST_TELLING
    )
    if len(lines) <= MOST * text.n_filled:
        return None
    return Doubt(
        "unspaced",
        f"{of_all(len(lines), len(text.sentences))} are one single token, so that each counts as "
        "right or wrong as a whole: put spaces between the tokens",
        lines,
    )


def _other_script(pair: Pair) -> Doubt | None:
    old, new = pair.source.script, pair.text.script
    if old is None or new is None or old == new:
        return None
    return Doubt("script", f"most letters are {new}, but those of the source are {old}")


_FORMS: tuple[Callable[[Pair], Doubt | None], ...] = (
    _json,
    _table,
    _labels,
    _unspaced,
    _other_script,
)


# Single sentences ------------------------------------------------------------------------------


def _tokenized_otherwise(pair: Pair) -> Iterator[Doubt]:
    lines = tuple(
        number + 1
        for number, old, new in pair.sentences(pair.changed)
        if pair.source.joined[number] == "".join(new) and is_tokenization_only(old, new)
    )
    if lines:
        yield Doubt(
            "tokenization",
            f"{pair.of_all(lines)} differ from their source in tokenization alone, "
            "which counts as wrong edits",
            lines,
            pair.severity(lines),
        )


def _empty(pair: Pair) -> Iterator[Doubt]:
    if 0 not in pair.text.lengths:
        return
    lines = tuple(
        number + 1 for number, old, new in pair.sentences(pair.changed) if old and not new
    )
    if lines:
        message = f"{pair.of_all(lines)} are empty, but not in the source, and count as deletions"
        severity: Severity = "warning" if pair.severity(lines) == "error" else "note"
        yield Doubt("empty-output", message, lines, severity)


def long_sentences(sentences: Sequence[Tokens]) -> Iterator[Doubt]:
    """Name sentences that are too long to be sentences."""
    if max(map(len, sentences), default=0) <= LONG_SENTENCE:
        return
    for number, tokens in enumerate(sentences, 1):
        if len(tokens) > LONG_SENTENCE:
            message = (
                f"a sentence of {len(tokens):,} tokens, which takes long to score: "
                "were line ends lost?"
            )
            yield Doubt("long-sentence", message, (number,), "warning")


def is_tokenized(sentences: Sequence[Tokens]) -> bool:
    """Whether punctuation marks stand apart from words, as far as can be told."""
    share = Text(sentences).share_of_marks_apart
    return share is not None and share > MOST


# Findings --------------------------------------------------------------------------------------


def check_hypothesis(
    corpus: Corpus,
    hypothesis: Hypothesis,
    findings: Findings,
    *,
    path: str | None = None,
    screen: Screen | None = None,
) -> None:
    """Note what makes the output of a system unfit to be scored, one finding of each kind.

    Parameters
    ----------
    corpus
        The gold standard.
    hypothesis
        The output, with a sentence for each of the corpus.
    findings
        Where it is noted.
    path
        The file of the output; its name stands for it when None.
    screen
        The screen of the source sentences, where many systems are looked at.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["I likes it .", "You came ."], ["I like it .", "You came ."])
    >>> findings = Findings()
    >>> check_hypothesis(corpus, Hypothesis.from_texts(["", "You came."], name="x"), findings)
    >>> [finding.code for finding in findings]
    ['tokenization', 'empty-output']
    """
    screen = Screen(corpus.sources) if screen is None else screen
    # Of each kind the first tells most.
    doubts = {doubt.code: doubt for doubt in reversed(screen.doubts(hypothesis.sentences))}
    for doubt in reversed(doubts.values()):
        note(doubt, findings, path=path or hypothesis.name, is_text=hypothesis.edits is None)


def check_sources(
    sources: Sequence[Tokens], findings: Findings, *, path: str, is_text: bool = False
) -> None:
    """Note what makes source sentences unfit to be corrected or scored."""
    text = Text(sources)
    doubts = [_label_file(text), _without_spaces(text), *long_sentences(sources)]
    for doubt in doubts:
        if doubt is not None:
            note(doubt, findings, path=path, is_text=is_text)


def note(doubt: Doubt, findings: Findings, *, path: str, is_text: bool) -> None:
    """Add a doubt to findings; only in plain text is a sentence's number that of its line."""
    first = doubt.lines[0] if doubt.lines else None
    where = "" if is_text or first is None else f"sentence {first}: "
    findings.add(
        doubt.code,
        where + doubt.message,
        severity=doubt.severity,
        path=path,
        line=first if is_text else None,
    )
