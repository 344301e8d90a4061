"""Hypothesis strategies for the data model, and for the part of it that each format can hold.

New features of the model should be added here, so that every property test meets them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from geceval.formats.tsv import NO_ERROR
from geceval.model import (
    Annotation,
    Corpus,
    Edit,
    RawText,
    Sentence,
    Tokens,
    annotation_from_target,
)
from geceval.text import raw_text, tokens_at

ANNOTATORS = ("0", "1", "2", "10", "expert", "Åsa")
TYPES = ("", "R:DET", "ArtOrDet", "G/Case", "#Rp#", "UNK", "Um", "()", "a type")
COMMENTS = ("", "so?", "a | b", "sep\u2028arator", "«-NONE-»")
AWKWARD = (
    "|",
    "||",
    "a|b",
    "-NONE-",
    "S",
    "A",
    "noop",
    "没有错误",
    "<b>",
    "&amp;",
    "👩‍👩‍👧",
    "e\u0301",
    "0",
)


def is_token(text: str) -> bool:
    """Whether `text` is one token: not empty, no white space."""
    return text.split() == [text]


def words(*, exclude: str = "", awkward: Sequence[str] = AWKWARD) -> st.SearchStrategy[str]:
    """Tokens: anything but white space, with the awkward ones well represented."""
    letters = st.characters(codec="utf-8", exclude_characters=exclude)
    plain = st.sampled_from(("a", "b", "c", "the", "The", "cat", ",", ".", "n't"))
    wild = st.text(letters, min_size=1, max_size=4).filter(is_token)
    return st.one_of(plain, st.sampled_from(awkward), wild)


def phrases(
    word: st.SearchStrategy[str], *, min_size: int = 0, max_size: int = 6
) -> st.SearchStrategy[Tokens]:
    """Sentences and corrections made of `word`."""
    return st.lists(word, min_size=min_size, max_size=max_size).map(tuple)


@st.composite
def edits(
    draw: st.DrawFn, tokens: Tokens, word: st.SearchStrategy[str], *, comments: bool = True
) -> Edit:
    """An edit inside of `tokens`; what changes nothing is a flag."""
    start, end = sorted(draw(st.integers(0, len(tokens))) for _ in range(2))
    options = draw(st.lists(phrases(word, max_size=3), max_size=3, unique=True))
    if options == [tokens[start:end]]:
        options = []
    return Edit(
        start,
        end,
        tuple(options),
        draw(st.sampled_from(TYPES)),
        draw(st.booleans()),
        draw(st.sampled_from(COMMENTS)) if comments else "",
    )


@st.composite
def sentences(
    draw: st.DrawFn,
    word: st.SearchStrategy[str] | None = None,
    correction: st.SearchStrategy[str] | None = None,
    *,
    comments: bool = True,
    min_annotators: int = 0,
) -> Sentence:
    """A sentence that some annotators have read; their edits may overlap."""
    word = words() if word is None else word
    tokens = draw(phrases(word))
    edit = edits(tokens, word if correction is None else correction, comments=comments)
    names = draw(
        st.lists(st.sampled_from(ANNOTATORS), unique=True, min_size=min_annotators, max_size=3)
    )
    return Sentence(
        tokens,
        tuple(Annotation(name, draw(st.lists(edit, max_size=3).map(tuple))) for name in names),
    )


@st.composite
def apart_edits(draw: st.DrawFn, tokens: Tokens) -> list[Edit]:
    """Edits in order that do not overlap; several may insert at one place."""
    cuts = sorted(draw(st.lists(st.integers(0, len(tokens)), max_size=8)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    options = st.lists(phrases(words(), max_size=3), min_size=1, max_size=2)
    return [Edit(start, end, tuple(draw(options))) for start, end in spans]


def corpora(sentence: st.SearchStrategy[Sentence] | None = None) -> st.SearchStrategy[Corpus]:
    """Corpora of a few sentences."""
    sentence = sentences() if sentence is None else sentence
    return st.lists(sentence, max_size=3).map(lambda sents: Corpus(tuple(sents), name="c"))


# What each format can hold ------------------------------------------------------------


@st.composite
def jsonl_corpora(draw: st.DrawFn) -> Corpus:
    """JSON Lines hold everything."""
    corpus = draw(corpora())
    return replace(corpus, sentences=tuple(draw(_with_extras(sent)) for sent in corpus))


@st.composite
def _with_extras(draw: st.DrawFn, sent: Sentence) -> Sentence:
    group = draw(st.sampled_from(("", "1", "g")))
    annotations = tuple(
        replace(ann, edits=tuple(replace(edit, group=group) for edit in ann.edits))
        for ann in sent.annotations
    )
    name = draw(st.none() | st.text(st.characters(codec="utf-8"), max_size=5))
    raw = draw(st.booleans())
    return Sentence(sent.tokens, annotations, name, _joined(sent.tokens) if raw else None)


def _joined(tokens: Tokens) -> RawText:
    text, spans = "", []
    for token in tokens:
        spans.append((len(text), len(text) + len(token)))
        text += f"{token}  "
    return RawText(text, tuple(spans))


def m2_corpora() -> st.SearchStrategy[Corpus]:
    """M2 holds no bars in corrections and needs at least one annotator."""
    word = words(exclude="|", awkward=[word for word in AWKWARD if "|" not in word])
    word = word.filter(lambda text: text != "-NONE-")
    awkward = words(exclude="|")
    plain = sentences(word, word, min_annotators=1)
    # Bars in the source are no problem as long as no flag repeats them.
    barred = sentences(awkward, word, min_annotators=1).filter(_flags_nothing)
    return corpora(plain | barred)


def _flags_nothing(sent: Sentence) -> bool:
    return all(edit.corrections for ann in sent.annotations for edit in ann.edits)


@st.composite
def _raw_sentences(draw: st.DrawFn) -> Sentence:
    raw = raw_text(
        draw(
            st.lists(st.sampled_from(("I ", "goed", "to", ", ", ".", "  ", "Ü", "小猫"))).map(
                "".join
            )
        )
    )
    sent = draw(_over(tokens_at(raw.text, raw.spans)))
    return replace(sent, raw=raw)


@st.composite
def _over(draw: st.DrawFn, tokens: Tokens) -> Sentence:
    edit = edits(tokens, st.sampled_from(("go", "the", ",", "猫")))
    names = draw(st.lists(st.sampled_from(ANNOTATORS), unique=True, min_size=1, max_size=3))
    return Sentence(
        tokens,
        tuple(Annotation(name, draw(st.lists(edit, max_size=3).map(tuple))) for name in names),
    )


def m2_char_corpora() -> st.SearchStrategy[Corpus]:
    """M2 with character offsets holds raw text."""
    return corpora(_raw_sentences())


def ixml_corpora() -> st.SearchStrategy[Corpus]:
    """I-measure XML holds no comments and no control characters."""
    letters = st.characters(exclude_categories=("Cs", "Cc", "Cn"))
    wild = st.text(letters, min_size=1, max_size=4).filter(is_token)
    return corpora(sentences(wild | st.sampled_from(AWKWARD), comments=False))


@st.composite
def parallel_corpora(draw: st.DrawFn, *, absent: bool = False, numbered: bool = False) -> Corpus:
    """Plain text holds sources and what every annotator made of them; TSV can leave some out."""
    n_annotators = draw(st.integers(int(absent), 3))
    word = words(exclude="\ufeff")
    if absent:
        word = word.filter(lambda text: text != NO_ERROR and not text.isdecimal())
    result = []
    for number in range(draw(st.integers(1, 4))):
        tokens = draw(phrases(word))
        present = [str(i) for i in range(n_annotators)]
        if absent and number:
            present = [name for name in present if draw(st.booleans())]
        targets = {name: draw(phrases(word, min_size=int(absent))) for name in present}
        readings = [annotation_from_target(name, tokens, new) for name, new in targets.items()]
        result.append(Sentence(tokens, tuple(readings), str(number) if numbered else None))
    return Corpus(tuple(result))


@st.composite
def nested_edits(draw: st.DrawFn, n_tokens: int, letters: str) -> list[Edit]:
    """Edits of tokens, in any order, some inside of others; no two cross or have the same span."""
    found: list[Edit] = []
    for _ in range(draw(st.integers(1, 5)) if n_tokens else 0):
        start = draw(st.integers(0, n_tokens - 1))
        end = draw(st.integers(start + 1, n_tokens))
        correction = tuple(draw(st.lists(st.sampled_from(letters), max_size=3)))
        if not any(
            (start, end) == (edit.start, edit.end)
            or edit.start < start < edit.end < end
            or start < edit.start < end < edit.end
            for edit in found
        ):
            found.append(Edit(start, end, (correction,), "X"))
    return found
