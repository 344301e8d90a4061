"""Chinese edits as ChERRANT's scorer compares them.

The edits of all alignments of one correction are pooled, so an edit of two alignments is there
twice. An annotator who could not annotate the sentence has an edit of the type ``NA``, unless
nobody else annotated it: then the sentence does not count.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from geceval.errors import GecevalError, OptionError
from geceval.extraction.lang.pack_options import Level
from geceval.metrics._shared.readings import each_reading
from geceval.metrics.errant.edit_extractor import check_edits
from geceval.model import (
    MAX_OFFSET,
    Annotation,
    Corpus,
    Edit,
    Hypothesis,
    OutputReading,
    Sentence,
    Tokens,
    apply_edits,
    split_alignment,
)

CHINESE = "zh"
"""The language whose corrections have several alignments."""

_NOT_ANNOTATABLE = Edit(MAX_OFFSET, MAX_OFFSET, ((),), "NA")
"""Edit that no other one equals."""


def check_chinese(lang: str, compat: str | None) -> None:
    """Refuse to reproduce another language's scorer."""
    if lang == CHINESE and compat not in (None, "cherrant"):
        raise OptionError(f"errant: the option compat takes cherrant for Chinese, not {compat}")
    if lang != CHINESE and compat == "cherrant":
        raise OptionError(
            f"errant: the option compat takes cherrant with lang={CHINESE} only, not with {lang}"
        )


def level_title(level: Level) -> str:
    """Name the level of Chinese edits."""
    return "character level" if level == "char" else "word level"


def joined_corrections(edit: Edit) -> Edit:
    """Return an edit whose corrections are compared without spaces."""
    joined = tuple(("".join(option),) if option else () for option in edit.corrections)
    return replace(edit, corrections=joined)


def pooled_gold(corpus: Corpus) -> Corpus:
    """Pool the alignments of each annotator, and add those who could not annotate."""
    return replace(corpus, sentences=tuple(map(_pooled_sentence, corpus)))


def _pooled_sentence(sent: Sentence) -> Sentence:
    pooled = _pooled((ann.annotator, ann.edits) for ann in sent.annotations)
    # An annotator who is alone in not annotating leaves nothing to compare with.
    if len(pooled) + len(sent.not_annotatable) > 1:
        pooled |= dict.fromkeys(sent.not_annotatable, (_NOT_ANNOTATABLE,))
    annotations = (Annotation(name, edits) for name, edits in pooled.items())
    return replace(sent, annotations=tuple(annotations))


def _pooled(readings: Iterable[tuple[str, tuple[Edit, ...]]]) -> dict[str, tuple[Edit, ...]]:
    """Return the edits of each annotator by all alignments."""
    pooled: dict[str, tuple[Edit, ...]] = {}
    for name, edits in readings:
        base = split_alignment(name)[0]
        pooled[base] = (*pooled.get(base, ()), *edits)
    return pooled


def _pooled_readings(readings: Iterable[OutputReading], number: int) -> dict[str, tuple[Edit, ...]]:
    """Pool the readings of a sentence."""
    found = ((reading.annotator, reading.edits[number]) for reading in readings)
    return _pooled((name, edits) for name, edits in found if edits is not None)


def check_sources_of_edits(corpus: Corpus, hypothesis: Hypothesis) -> None:
    """Raise an error for given edits of other sentences, before they are pooled.

    Published files differ in the width of punctuation marks, which ChERRANT does not notice.
    """
    for one in each_reading(hypothesis) if hypothesis.readings else (hypothesis,):
        if one.edits is not None:
            check_edits(corpus, one, one.edits, is_same=_are_alike)


def _are_alike(one: Tokens, two: Tokens) -> bool:
    return one == two or (
        len(one) == len(two)
        and unicodedata.normalize("NFKC", "".join(one))
        == unicodedata.normalize("NFKC", "".join(two))
    )


def pooled_output(corpus: Corpus, hypothesis: Hypothesis) -> Hypothesis:
    """Pool the alignments of each annotator of an output.

    The sentences are those that the pooled edits give, which means nothing but is consistent.
    """
    if hypothesis.edits is None:
        raise GecevalError("compat=cherrant needs edits, which only lang=zh extracts")
    by_sentence = [
        _pooled_readings(hypothesis.readings, number) if hypothesis.readings else {"0": edits}
        for number, edits in enumerate(hypothesis.edits)
    ]
    names = list(dict.fromkeys(name for pooled in by_sentence for name in pooled))
    sources = corpus.sources
    readings = tuple(
        OutputReading(
            name,
            tuple(
                apply_edits(tokens, pooled[name]) if name in pooled else None
                for tokens, pooled in zip(sources, by_sentence, strict=True)
            ),
            tuple(pooled.get(name) for pooled in by_sentence),
        )
        for name in names
    )
    firsts = tuple(next(iter(pooled.values())) for pooled in by_sentence)
    outputs = (apply_edits(*one) for one in zip(sources, firsts, strict=True))
    return replace(
        hypothesis,
        sentences=tuple(outputs),
        edits=firsts,
        readings=readings if len(names) > 1 else (),
    )
