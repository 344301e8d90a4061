"""Analyses in CoNLL-U files, of any parser (Universal Dependencies, version 2)."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TextIO

from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import Analysis, Analyzer, Notify, Text, tokens_of
from geceval.extraction.lang.casing import Lower
from geceval.formats.inputs import Input
from geceval.model import Tokens
from geceval.text import tokenize, tokens_at

CLASSES = frozenset(
    {
        "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON",
        "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
    }
)  # fmt: skip
"""The word classes of Universal Dependencies."""

COLUMNS = 10
NOT_GIVEN = "_"
_SHOWN = 12
"""Number of tokens of a sentence that a message shows."""


class MissingAnalysisError(GecevalError):
    """A sentence is in no file of analyses."""


class TokenRow(NamedTuple):
    """A line of a CoNLL-U file."""

    line: int
    first: int
    last: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int | None
    deprel: str
    known: bool | None

    @property
    def is_range(self) -> bool:
        """Whether the line is a multiword token."""
        return self.last > self.first


class StoredSentence(NamedTuple):
    """The analysis of a sentence in a file."""

    tags: tuple[str, ...]
    pos: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    feats: tuple[str, ...]
    known: tuple[bool | None, ...]


class ConlluAnalyzer:
    """An analyzer that looks sentences up in CoNLL-U files, by their tokens.

    Parameters
    ----------
    paths
        The files.
    split_multiword
        Whether the words of multiword tokens are the tokens.
    lower
        Lowercases a word of the language.
    fallback
        Analyzer for sentences that are in no file; an error when None.
    notify
        Function to call about sentences with several analyses.
    """

    kind = ""

    def __init__(
        self,
        paths: Sequence[str],
        *,
        split_multiword: bool = False,
        lower: Lower = str.lower,
        fallback: Analyzer | None = None,
        notify: Notify | None = None,
    ) -> None:
        self._paths = tuple(paths)
        self._split = split_multiword
        self._fallback = fallback
        self.lower = lower
        self._sentences: dict[Tokens, StoredSentence] = {}
        self._spaced: dict[Tokens, str] = {}
        n_other = 0
        digest = hashlib.sha256()
        for path in self._paths:
            with Input.open(path) as source:
                n_other += self._read(source)
                digest.update(source.sha256.encode())
        self._digest = digest.hexdigest()[:12]
        if n_other and notify is not None:
            notify(
                f"{n_other:,} sentences of {', '.join(self._paths)} have several different "
                "analyses; the first of each is used"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the arguments, not the analyses."""
        return _restored, (self._paths, self._split, self.lower, self._fallback)

    @property
    def signature(self) -> str:
        """A hash of the files, and the analyzer of other sentences."""
        words = "-words" if self._split else ""
        other = "" if self._fallback is None else f"+{self._fallback.signature}"
        return f"conllu-{self._digest}{words}{other}"

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Look sentences up, in order."""
        analyses = [self._find(tokens_of(sentence)) for sentence in sentences]
        missing = [number for number, found in enumerate(analyses) if found is None]
        if missing:
            if self._fallback is None:
                raise self._missing(tokens_of(sentences[missing[0]]), len(missing))
            others = self._fallback.analyze([sentences[number] for number in missing])
            for number, analysis in zip(missing, others, strict=True):
                analyses[number] = analysis
        return [found for found in analyses if found is not None]

    def tokenize(self, text: str) -> Tokens:
        """Tokenize raw text by rules."""
        return tokens_at(text, tokenize(text))

    def _find(self, tokens: Tokens) -> Analysis | None:
        if not tokens:
            return Analysis.plain((), lower=self.lower)
        found = self._sentences.get(_composed(tokens))
        if found is None:
            return None
        tags, pos, lemmas, heads, labels, feats, known = found
        return Analysis(
            tokens, tags, pos, lemmas, heads, labels, feats=feats, known=known, lower=self.lower
        )

    def _missing(self, tokens: Tokens, n_missing: int) -> MissingAnalysisError:
        place = self._spaced.get(_composed(tokens))
        shown = " ".join(tokens[:_SHOWN]) + (" …" if len(tokens) > _SHOWN else "")
        if place is not None:
            return MissingAnalysisError(
                f"{place}: a token has a space inside, which the text has not: {shown!r}"
            )
        more = f", and {n_missing - 1:,} more" if n_missing > 1 else ""
        files = ", ".join(self._paths)
        return MissingAnalysisError(
            f"no analysis of this sentence is in {files}: {shown!r}{more}; sentences are looked "
            "up by their tokens; add it to the file, or take --model light for such sentences"
        )

    def _read(self, source: Input) -> int:
        """Add the sentences of a file, and return how many have another analysis already."""
        found = [(line, *sentence) for line, sentence in self._stored(source)]
        # In a file that says anything about spelling, words are known if it does not deny it.
        says = any(set(sentence.known) - {None} for _, _, sentence in found)
        n_other = 0
        for line, tokens, stored in found:
            sentence = stored
            if says:
                known = tuple([one is not False for one in stored.known])
                sentence = stored._replace(known=known)
            if any(" " in token for token in tokens):
                split = tuple(part for token in tokens for part in token.split())
                self._spaced.setdefault(split, f"{source.name}, line {line}")
            n_other += self._sentences.setdefault(tokens, sentence) != sentence
        return n_other

    def _stored(self, source: Input) -> Iterator[tuple[int, tuple[Tokens, StoredSentence]]]:
        for rows in _blocks(source):
            yield rows[0].line, _stored(source, rows, split=self._split)


def _restored(
    paths: Sequence[str], split: bool, lower: Lower, fallback: Analyzer | None
) -> ConlluAnalyzer:
    return ConlluAnalyzer(paths, split_multiword=split, lower=lower, fallback=fallback)


def _composed(tokens: Iterable[str]) -> Tokens:
    """Compose all characters, so that equal text has equal tokens."""
    return tuple([unicodedata.normalize("NFC", token) for token in tokens])


def _blocks(source: Input) -> Iterator[list[TokenRow]]:
    """Yield the lines of each sentence."""
    rows: list[TokenRow] = []
    for number, line in enumerate(source.lines(), 1):
        if line.startswith("#"):
            continue
        if line.strip():
            row = _row(source, number, line)
            if row is not None:
                rows.append(row)
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


def _row(source: Input, number: int, line: str) -> TokenRow | None:
    """Parse a line; None for an empty node."""
    columns = line.split("\t")
    if len(columns) != COLUMNS:
        raise source.error(
            f"expected {COLUMNS} columns with tabs between them, as in CoNLL-U, not {len(columns)}",
            line=number,
        )
    name, form, lemma, upos, xpos, feats, head, deprel, _, misc = columns
    if "." in name:
        return None
    first, _, last = name.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        raise source.error(f"expected the number of a word, not {name!r}", line=number)
    if not form:
        raise source.error("the second column, the token, is empty", line=number)
    if upos not in CLASSES and upos != NOT_GIVEN:
        raise source.error(
            f"{upos!r} is no word class of Universal Dependencies (column 4)", line=number
        )
    if head != NOT_GIVEN and not head.isdecimal():
        raise source.error(f"expected the number of the head, not {head!r}", line=number)
    feats, misc = _given(feats), _given(misc)
    return TokenRow(
        number,
        int(first),
        int(last or first),
        form,
        # The lemma of an underscore is one.
        form if form == NOT_GIVEN else _given(lemma),
        _given(upos),
        _given(xpos),
        feats,
        None if head == NOT_GIVEN else int(head),
        _given(deprel),
        _known(misc.split("|"), feats.split("|")),
    )


def _known(misc: Sequence[str], feats: Sequence[str]) -> bool | None:
    """Return whether a dictionary has a word; None if the line does not say so."""
    if "Known=No" in misc or "Typo=Yes" in feats:
        return False
    return True if "Known=Yes" in misc else None


def _given(value: str) -> str:
    return "" if value == NOT_GIVEN else value


def _stored(
    source: Input, rows: Sequence[TokenRow], *, split: bool
) -> tuple[Tokens, StoredSentence]:
    """Convert the lines of a sentence."""
    words = {row.first: row for row in rows if not row.is_range}
    n_words = sum(not row.is_range for row in rows)
    if len(words) != n_words or set(words) != set(range(1, n_words + 1)):
        raise source.error("the words of the sentence are not numbered 1, 2, …", line=rows[0].line)
    surface = words.values() if split else _surface(source, rows, words)
    tokens = [part for row in surface for part in _parts(row)]
    places: dict[int, int] = {}
    for place, row in enumerate(tokens):
        for number in range(row.first, row.last + 1):
            places.setdefault(number, place)
    heads = []
    for place, row in enumerate(tokens):
        if row.head and row.head not in places:
            raise source.error(f"the head {row.head} is no word of the sentence", line=row.line)
        heads.append(places[row.head] if row.head else place)
    return _composed(row.form for row in tokens), StoredSentence(
        tuple([row.xpos for row in tokens]),
        tuple([row.upos for row in tokens]),
        tuple([row.lemma for row in tokens]),
        tuple(heads),
        tuple([row.deprel for row in tokens]),
        tuple([row.feats for row in tokens]),
        tuple([row.known for row in tokens]),
    )


def _surface(
    source: Input, rows: Sequence[TokenRow], words: dict[int, TokenRow]
) -> Iterator[TokenRow]:
    """Yield surface tokens; one of several words has the first word's class, and all lemmas."""
    last = 0
    for row in rows:
        if row.is_range:
            numbers = range(row.first, row.last + 1)
            if row.first <= last or any(number not in words for number in numbers):
                message = f"the multiword token {row.first}-{row.last} covers no words of its own"
                raise source.error(message, line=row.line)
            parts = [words[number] for number in numbers]
            lemmas = [part.lemma for part in parts]
            yield row._replace(
                lemma="+".join(lemmas) if all(lemmas) else "",
                upos=parts[0].upos,
                xpos=parts[0].xpos,
                feats=parts[0].feats,
                head=parts[0].head,
                deprel=parts[0].deprel,
                known=_all_known([row.known, *(part.known for part in parts)]),
            )
            last = row.last
        elif row.first > last:
            yield row
            last = row.last


def _parts(row: TokenRow) -> list[TokenRow]:
    """Split a token at no-break and ideographic spaces, where all texts are split."""
    forms = [form for form in _ODD_SPACES.split(row.form) if form]
    if forms == [row.form]:
        return [row]
    lemmas = [lemma for lemma in _ODD_SPACES.split(row.lemma) if lemma]
    # A lemma of the whole says nothing about the parts.
    lemmas = lemmas if len(lemmas) == len(forms) else forms
    return [row._replace(form=form, lemma=lemma) for form, lemma in zip(forms, lemmas, strict=True)]


_ODD_SPACES = re.compile(r"[^\S ]+")


def _all_known(known: Sequence[bool | None]) -> bool | None:
    """Return whether all words of a token are known."""
    if False in known:
        return False
    return True if True in known else None


def write_analyses(analyses: Iterable[Analysis], out: TextIO) -> int:
    """Write analyses as CoNLL-U, and return the number of sentences."""
    number = 0
    for number, analysis in enumerate(analyses, 1):
        out.write(f"# sent_id = {number}\n# text = {' '.join(analysis.tokens)}\n")
        for place, token in enumerate(analysis.tokens):
            head = analysis.heads[place]
            label = analysis.labels[place]
            known = None if analysis.known is None else analysis.known[place]
            columns = (
                str(place + 1),
                token,
                analysis.lemmas[place],
                analysis.pos[place],
                analysis.tags[place],
                "" if analysis.feats is None else analysis.feats[place],
                str(0 if head == place else head + 1) if label else "",
                label,
                "",
                "" if known is None else f"Known={'Yes' if known else 'No'}",
            )
            out.write("\t".join([column or NOT_GIVEN for column in columns]) + "\n")
        out.write("\n")
    return number
