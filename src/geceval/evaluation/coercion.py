"""Strings, tables, files and objects of the model as a corpus and hypotheses.

People pass what they have. Everything that could be understood in two ways is an error that says
how to be explicit, since a wrong guess would still give a score.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from geceval.errors import GecevalError, MismatchError
from geceval.formats import Findings, LoadedFile, PathLike, load, load_hypothesis
from geceval.model import Corpus, Hypothesis
from geceval.model.arguments import shown, text_lines

Lines: TypeAlias = Iterable[str]
"""Sentences, one string each."""

Source: TypeAlias = Lines | PathLike | Corpus
Reference: TypeAlias = (
    Iterable[str | None] | Iterable[Iterable[str | None]] | PathLike | Iterable[PathLike]
)
Output: TypeAlias = Lines | PathLike | Hypothesis
Systems: TypeAlias = Mapping[str, Output] | Iterable[Output] | Output

Axis: TypeAlias = Literal["annotator", "sentence"]
"""Whether references are a list for each annotator or a list for each sentence."""


def as_gold(
    sources: Source,
    references: Reference | None = None,
    *,
    references_by: Axis | None = None,
    findings: Findings | None = None,
    loaded: list[LoadedFile] | None = None,
) -> Corpus:
    """Make a gold standard.

    Parameters
    ----------
    sources
        Source sentences, a file of them, or a whole gold standard: a corpus or a file of one.
    references
        Corrected sentences: a list, or a list for each annotator, or a list for each sentence, or
        a file or files. None if `sources` is a gold standard.
    references_by
        What each list of `references` belongs to, where their lengths do not tell.
    findings, loaded
        Collections for findings of readers and for the files; see `geceval.load`.

    Examples
    --------
    >>> sources = ["I likes it .", "You came ."]
    >>> by_annotator = as_gold(sources, [["I like it .", "You came ."]])
    >>> by_sentence = as_gold(sources, [["I like it ."], ["You came ."]])
    >>> by_annotator == by_sentence
    True
    """
    if isinstance(sources, Corpus):
        _refuse_references(references, "a corpus")
        return _checked(sources)
    if (path := _as_path(sources, "sources")) is not None:
        return _from_files(path, references, findings, loaded)
    lines = as_lines(sources, "sources")
    if references is None:
        raise TypeError(
            "references must be given with source sentences: a list of corrected sentences, or "
            "several"
        )
    columns = _columns(references, lines, references_by)
    return _checked(Corpus.from_texts(lines, *columns, name="sources"))


def as_hypothesis(
    output: Output,
    what: str,
    *,
    name: str | None = None,
    findings: Findings | None = None,
    loaded: list[LoadedFile] | None = None,
) -> Hypothesis:
    """Make a hypothesis of sentences, a file or a hypothesis.

    Parameters
    ----------
    output
        The output of a system.
    what
        Name of the argument, for messages.
    name
        Name of the system; by default that of the hypothesis or file, or `what`.
    findings, loaded
        Collections for findings of readers and for the file; see `geceval.load`.
    """
    if isinstance(output, Hypothesis):
        return output if name is None else replace(output, name=name)
    if isinstance(output, Corpus):
        raise TypeError(
            f"{what} must be the output of a system, not a gold standard; its corrected sentences "
            "are corpus.references()"
        )
    if (path := _as_path(output, what)) is not None:
        return load_hypothesis(path, name=name, findings=findings, loaded=loaded)
    return Hypothesis.from_texts(as_lines(output, what), name=what if name is None else name)


def as_hypotheses(
    systems: Systems,
    *,
    findings: Findings | None = None,
    loaded: list[LoadedFile] | None = None,
) -> list[Hypothesis]:
    """Make hypotheses of several systems.

    Parameters
    ----------
    systems
        Outputs by name, or a list of outputs, which are numbered unless they have names.
    findings, loaded
        Collections for findings of readers and for the files; see `geceval.load`.

    Examples
    --------
    >>> [system.name for system in as_hypotheses({"ours": ["I like it ."]})]
    ['ours']
    """
    named: list[tuple[str | None, str, Output]]
    if isinstance(systems, Mapping):
        named = [(_name(name), f"systems[{name!r}]", one) for name, one in systems.items()]
    elif isinstance(systems, Hypothesis):
        named = [(None, "systems", systems)]
    elif (path := _as_path(systems, "systems", strict=False)) is not None:
        named = [(None, "systems", path)]
    else:
        named = _numbered(systems)
    hypotheses = [
        as_hypothesis(one, what, name=name, findings=findings, loaded=loaded)
        for name, what, one in named
    ]
    if not hypotheses:
        raise TypeError("systems must be the output of at least one system, not an empty list")
    names = [hypothesis.name for hypothesis in hypotheses]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise GecevalError(f"two systems are called {twice!r}; give a mapping of other names")
    return hypotheses


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the name of a system must be a string, not {shown(name)}")
    return name


def _numbered(systems: Any) -> list[tuple[str | None, str, Output]]:
    """Number outputs without a name."""
    remedy = "write {'name': output}, with a list of strings, a path or a hypothesis for each"
    if isinstance(systems, (str, bytes)) or not isinstance(systems, Iterable):
        raise TypeError(f"systems must be the outputs of systems, not {shown(systems)}; {remedy}")
    found: list[tuple[str | None, str, Output]] = []
    for number, one in enumerate(systems):
        what = f"systems[{number}]"
        if isinstance(one, str) and not os.path.exists(one):
            raise TypeError(
                f"{what} must be the output of a system, not {shown(one)}, and no file is called "
                f"so; {remedy}"
            )
        is_named = isinstance(one, (Hypothesis, str, os.PathLike))
        found.append((None if is_named else f"system {number + 1}", what, one))
    return found


def _as_path(value: Any, what: str, *, strict: bool = True) -> PathLike | None:
    """Return a path, None for anything else; a string that names no file is an error."""
    if isinstance(value, os.PathLike):
        return value
    if not isinstance(value, str):
        return None
    if value == "-" or os.path.exists(value):
        return value
    if not strict:
        return None
    raise TypeError(
        f"{what} must be a list of strings, not {shown(value)}, and no file is called so; "
        f"write [{value!r}] for a single sentence"
    )


def as_lines(value: Any, what: str, *, may_be_absent: bool = False) -> list[Any]:
    """Return sentences as a list, and refuse everything that is not a list of strings."""
    if value is None or isinstance(value, (Mapping, AbstractSet)) or hasattr(value, "columns"):
        hint = "; select one column" if hasattr(value, "columns") else ""
        raise TypeError(f"{what} must be a list of strings, not {shown(value)}{hint}")
    if not isinstance(value, Iterable):
        raise TypeError(f"{what} must be a list of strings, not {shown(value)}")
    lines: list[Any] = (
        text_lines(value, what, may_be_absent=True) if may_be_absent else text_lines(value, what)
    )
    if not lines:
        raise TypeError(f"{what} must have at least one sentence, but it is empty")
    for place, line in enumerate(lines):
        if line is not None and len(line.strip().splitlines()) > 1:
            raise ValueError(
                f"{what}[{place}] has line breaks: expected one sentence, not a whole text; "
                "write text.splitlines()"
            )
    return lines


def _columns(references: Any, sources: Sequence[str], axis: Axis | None) -> list[list[str | None]]:
    """Return the references of each annotator."""
    n_sents = len(sources)
    if axis not in (None, "annotator", "sentence"):
        raise TypeError(f"references_by must be 'annotator' or 'sentence', not {shown(axis)}")
    if isinstance(references, (str, bytes)) or not isinstance(references, Iterable):
        as_lines(references, "references")
    if isinstance(references, Mapping):
        return [
            _column(column, f"references[{name!r}]", n_sents) for name, column in references.items()
        ]
    outer = list(references)
    if not outer:
        raise TypeError("references must have at least one corrected sentence, but it is empty")
    if all(item is None or isinstance(item, str) for item in outer):
        return [_column(outer, "references", n_sents)]
    if wrong := next((item for item in outer if isinstance(item, (str, bytes))), None):
        raise TypeError(
            "references must be a list of strings or a list of lists of strings, not a mixture "
            f"with {shown(wrong)}"
        )
    lists = [
        as_lines(item, f"references[{place}]", may_be_absent=True)
        for place, item in enumerate(outer)
    ]
    if _by_sentence(lists, n_sents, axis):
        _refuse_tokens(lists, sources)
        n_refs = max(map(len, lists))
        padded = [[*item, *[None] * (n_refs - len(item))] for item in lists]
        return [list(column) for column in zip(*padded, strict=True)]
    return [
        _column(column, f"references[{number}]", n_sents) for number, column in enumerate(lists)
    ]


def _column(value: Any, what: str, n_sents: int) -> list[str | None]:
    lines = as_lines(value, what, may_be_absent=True)
    if len(lines) != n_sents:
        raise MismatchError("sources", n_sents, what, len(lines))
    return lines


def _by_sentence(lists: Sequence[Sequence[object]], n_sents: int, axis: Axis | None) -> bool:
    """Whether there is a list for each sentence rather than for each annotator."""
    fits_sentences = len(lists) == n_sents
    fits_annotators = all(len(item) == n_sents for item in lists)
    if axis is not None:
        if axis == "sentence" and not fits_sentences:
            raise MismatchError("sources", n_sents, "references", len(lists))
        return axis == "sentence"
    if fits_sentences and fits_annotators and n_sents > 1:
        raise TypeError(
            f"references are {n_sents} lists of {n_sents} strings for {n_sents} sources, which may "
            "be a list for each annotator or a list for each sentence; write "
            "references_by='annotator' or references_by='sentence'"
        )
    if not fits_sentences and not fits_annotators:
        lengths = sorted({len(item) for item in lists})
        sizes = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
        raise MismatchError(
            "sources",
            n_sents,
            "references",
            len(lists),
            hint=f"references are {len(lists)} lists of {sizes} strings; expected a list of "
            f"{n_sents} for each annotator, or {n_sents} lists with one string for each annotator",
        )
    return fits_sentences and not fits_annotators


def _refuse_tokens(lists: Sequence[Sequence[str | None]], sources: Sequence[str]) -> None:
    """Refuse tokens in place of sentences."""
    texts = [text for item in lists for text in item if text is not None]
    if all(len(text.split()) < 2 for text in texts) and any(
        len(source.split()) > 1 for source in sources
    ):
        raise TypeError(
            f"references[0] must be the corrections of a sentence, not tokens: {lists[0][:8]!r}; "
            "join tokens with spaces, ' '.join(tokens)"
        )


def _from_files(
    path: PathLike,
    references: Any,
    findings: Findings | None,
    loaded: list[LoadedFile] | None,
) -> Corpus:
    """Load a gold standard, or source and references."""
    name = os.fspath(path)
    if references is None:
        return _checked(load(path, name=name, findings=findings, loaded=loaded))
    paths = [references] if isinstance(references, (str, os.PathLike)) else list(references)
    for number, one in enumerate(paths):
        if _as_path(one, "references", strict=False) is None:
            raise TypeError(
                f"references[{number}] must be a file, like sources, not {shown(one)}; a metric is "
                "given by its keyword"
            )
    return _checked(load(path, *paths, name=name, text=True, findings=findings, loaded=loaded))


def _refuse_references(references: object, what: str) -> None:
    if references is not None:
        raise TypeError(f"references must not be given with {what}, which has its own")


def _checked(corpus: Corpus) -> Corpus:
    """Refuse a gold standard that nothing can be scored against."""
    name = corpus.name or "the gold standard"
    if not len(corpus):
        raise GecevalError(f"{name} has no sentences")
    if not corpus.annotators:
        raise GecevalError(f"{name} has no annotations to score against")
    return corpus
