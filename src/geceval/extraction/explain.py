"""Explain extracted edits step by step: alignment, merging and classification."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from geceval.extraction.align import OPERATION_NAMES, Operation, SubstitutionCost
from geceval.extraction.annotator import Alignment, Annotator
from geceval.extraction.categories import PARTS_OF_SPEECH, with_article
from geceval.extraction.lang.analysis import Analysis, SpacedTokens, as_text
from geceval.extraction.marked_text import Edits
from geceval.extraction.merge import Change
from geceval.extraction.typers.base import lowered, similarity
from geceval.model import Edit
from geceval.visible import as_html, visible

if TYPE_CHECKING:
    from geceval.extraction.lang.zh.alignments import ChineseCost


@dataclass(frozen=True, slots=True)
class Step:
    """An operation of the alignment and its cost.

    Parameters
    ----------
    operation
        The operation.
    cost
        Its cost.
    parts
        Components of the cost of a substitution, otherwise None.
    """

    operation: Operation
    cost: float
    parts: SubstitutionCost | ChineseCost | None = None


@dataclass(frozen=True, slots=True)
class ExplainedEdit:
    """An edit and its derivation.

    Parameters
    ----------
    edit
        The edit.
    change
        Its spans in both sentences, and the rule that produced it.
    operations
        The merged operations.
    facts
        Evidence for its type, in words.
    description
        Operation and meaning of its type, in words, where they are known.
    """

    edit: Edit
    change: Change
    operations: tuple[Operation, ...]
    facts: tuple[str, ...]
    description: tuple[str | None, str | None] = (None, None)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Alignment, merging and types of the edits of two sentences."""

    source: Analysis
    target: Analysis
    steps: tuple[Step, ...]
    edits: tuple[ExplainedEdit, ...]

    @property
    def cost(self) -> float:
        """The total cost of the alignment."""
        return sum(step.cost for step in self.steps)

    @property
    def marked(self) -> Edits:
        """The edits, which show themselves in the sentence."""
        found = (explained.edit for explained in self.edits)
        return Edits(self.source.tokens, self.target.tokens, found)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``geceval explain --json`` prints of it."""
        return {
            "source": _sentence_record(self.source),
            "corrected": _sentence_record(self.target),
            "cost": self.cost,
            "alignment": [_step_record(step) for step in self.steps],
            "edits": [_edit_record(explained) for explained in self.edits],
        }

    def __str__(self) -> str:
        lines = [str(self.marked)]
        for explained in self.edits:
            edit, rule = explained.edit, explained.change.rule
            meaning = next(filter(None, reversed(explained.description)), None)
            lines.append(f"{edit.type}: {meaning}; {rule.value}")
            lines += [f"  {fact}" for fact in explained.facts]
        return visible("\n".join(lines), keep="\n")

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{as_html(line.strip())}</li>" for line in str(self).split("\n")[1:])
        return f"{self.marked._repr_html_()}<ul>{items}</ul>"


def explain(
    source: Sequence[str] | SpacedTokens, target: Sequence[str] | SpacedTokens, annotator: Annotator
) -> Explanation:
    """Explain the edits that transform `source` into `target`.

    Parameters
    ----------
    source, target
        Tokens, or raw text tokenized by the analyzer.
    annotator
        Extracts and classifies the edits.

    Examples
    --------
    >>> explanation = explain(["I", "likke", "it"], ["I", "like", "it"], Annotator("plain"))
    >>> explanation.edits[0].facts
    ('the spelling of the two words is 80 % similar',)
    """
    ((before, after),) = annotator.analyze([(as_text(source), as_text(target))])
    alignment = annotator.align(before, after)
    return Explanation(
        before,
        after,
        tuple(_step(operation, alignment, annotator) for operation in alignment.operations),
        tuple(_explained(change, alignment, annotator) for change in annotator.merge(alignment)),
    )


def _explained(change: Change, alignment: Alignment, annotator: Annotator) -> ExplainedEdit:
    source, target, operations = alignment
    edit = annotator.typed(change, source, target)
    found = annotator.facts(change, alignment)
    if found is None:
        found = facts(change, source, target, typer=annotator.typer.signature)
    return ExplainedEdit(
        edit,
        change,
        tuple(_operations_in(change, operations)),
        tuple(found),
        annotator.describe(edit.type),
    )


def _step(operation: Operation, alignment: Alignment, annotator: Annotator) -> Step:
    if operation.kind == "M":
        return Step(operation, 0.0)
    if operation.kind == "T":
        return Step(operation, float(operation.end - operation.start - 1))
    if operation.kind == "S":
        return Step(operation, *annotator.cost(operation, alignment))
    return Step(operation, 1.0)


def _operations_in(change: Change, operations: Sequence[Operation]) -> Iterator[Operation]:
    for operation in operations:
        if (
            operation.kind != "M"
            and change.start <= operation.start
            and operation.end <= change.end
            and change.target_start <= operation.target_start
            and operation.target_end <= change.target_end
        ):
            yield operation


def facts(change: Change, source: Analysis, target: Analysis, *, typer: str = "") -> Iterator[str]:
    """Yield properties of an edit that determine its type.

    Parameters
    ----------
    change
        The edit.
    source, target
        The sentences.
    typer
        Signature of the classifier; ERRANT's has its own word classes and word list.
    """
    is_errant = typer.startswith("errant")
    ignores_case = is_errant or typer.startswith("rules")
    before, after = lowered(change, source, target)
    while ignores_case and before and after and before[-1] == after[-1] and before != after:
        yield f"{_quoted(after[-1])} changes only in case, so the preceding words decide"
        change = change._replace(end=change.end - 1, target_end=change.target_end - 1)
        before, after = lowered(change, source, target)
    words = (
        _EditSide(source, change.start, change.end, is_errant=is_errant),
        _EditSide(target, change.target_start, change.target_end, is_errant=is_errant),
    )
    if not before or not after:
        yield from (words[1] if after else words[0]).described()
    elif "".join(before) == "".join(after):
        yield f"ignoring spaces and case, both sides are {_quoted(''.join(before))}"
    elif sorted(before) == sorted(after):
        yield "both sides have the same words in a different order"
    elif len(before) == len(after) == 1:
        yield from _facts_of_a_word(*words)
        alike = similarity(before[0], after[0])
        yield f"the spelling of the two words is {round(100 * alike)} % similar"
    elif words[0].are_analyzed:
        yield from _facts_of_words(*words)


class _EditSide:
    """One side of an edit."""

    def __init__(self, sentence: Analysis, start: int, end: int, *, is_errant: bool) -> None:
        self._sentence = sentence
        self._places = range(start, end)
        self._is_errant = is_errant
        self.tokens = sentence.tokens[start:end]
        self.lemmas = sentence.lemmas[start:end]
        self.tags = sentence.tags[start:end]
        self.pos = tuple(map(_errant_class, self.tags)) if is_errant else sentence.pos[start:end]
        self.are_analyzed = any(self.pos)

    def tag(self, number: int) -> str:
        """Describe the tag of a word; empty if there is none."""
        return f"tag {self.tags[number]}" if self.tags[number] else ""

    def feats(self, number: int = 0) -> str:
        """Return the features of a word; empty if none are known."""
        feats = self._sentence.feats
        return "" if feats is None else feats[self._places[number]]

    def role(self, number: int = 0) -> str:
        """Describe the dependency of a word; empty if it is unknown."""
        place = self._places[number]
        head, label = self._sentence.heads[place], self._sentence.labels[place]
        if not label:
            return ""
        return label if head == place else f"{label} of {_quoted(self._sentence.tokens[head])}"

    def described(self) -> Iterator[str]:
        """Describe each word."""
        if self.are_analyzed:
            for number, token in enumerate(self.tokens):
                pos = self.pos[number]
                noun = with_article(PARTS_OF_SPEECH.get(pos, pos or "word"))
                details = ", ".join(
                    filter(None, (pos, self.tag(number), self.role(number), self.feats(number)))
                )
                yield f"{_quoted(token)} is {noun} ({details})"

    def is_unknown(self) -> bool:
        """Whether a single word is misspelled, by ERRANT's list of words or a dictionary."""
        known = self._sentence.known
        if known is not None:
            return known[self._places[0]] is False
        if not self._is_errant or not self.tokens[0].isalpha():
            return False
        words = _errant().spell
        return self.tokens[0] not in words and self.tokens[0].lower() not in words

    @property
    def dictionary(self) -> str:
        """What says which words are misspelled."""
        return "list of English words" if self._is_errant else "dictionary"


def _facts_of_a_word(before: _EditSide, after: _EditSide) -> Iterator[str]:
    if before.is_unknown():
        yield f"{_quoted(before.tokens[0])} is not in the {before.dictionary}"
    if not before.are_analyzed:
        return
    if before.lemmas == after.lemmas:
        yield f"both are forms of {_quoted(before.lemmas[0])}"
    else:
        lemmas = f"{_quoted(before.lemmas[0])} and {_quoted(after.lemmas[0])}"
        yield f"they are forms of different words, {lemmas}"
    yield _change("the word class", before.pos[0], after.pos[0])
    properties = {
        "the tag": (before.tags[0], after.tags[0]),
        "the role": (before.role(), after.role()),
        "the set of features": (before.feats(), after.feats()),
    }
    for name, (first, second) in properties.items():
        if first or second:
            yield _change(name, first or "none", second or "none")


def _facts_of_words(before: _EditSide, after: _EditSide) -> Iterator[str]:
    yield _change("the sequence of word classes", " ".join(before.pos), " ".join(after.pos))
    lemmas = _quoted(before.lemmas[-1]), _quoted(after.lemmas[-1])
    if before.lemmas[-1] == after.lemmas[-1]:
        yield f"both sides end in a form of {lemmas[0]}"
    else:
        yield f"they end in forms of different words, {lemmas[0]} and {lemmas[1]}"


def _change(what: str, before: str, after: str) -> str:
    return f"{what} remains {before}" if before == after else f"{what} changes: {before} → {after}"


def _errant() -> Any:
    from errant.en import classifier

    return classifier


def _errant_class(tag: str) -> str:
    """Return the part of speech that ERRANT assigns to a tag."""
    pos: str = _errant().pos_map.get(tag, "")
    return pos


def _quoted(word: str) -> str:
    return f"“{word}”"


def _sentence_record(sentence: Analysis) -> list[dict[str, Any]]:
    return [
        {
            "token": token,
            "pos": sentence.pos[place],
            "tag": sentence.tags[place],
            "lemma": sentence.lemmas[place],
            "head": sentence.heads[place],
            "label": sentence.labels[place],
            **({} if sentence.feats is None else {"features": sentence.feats[place]}),
            **({} if sentence.known is None else {"known": sentence.known[place]}),
        }
        for place, token in enumerate(sentence.tokens)
    ]


def _step_record(step: Step) -> dict[str, Any]:
    return {
        **_spans(step.operation[1:]),
        "operation": OPERATION_NAMES[step.operation.kind],
        "cost": step.cost,
        "parts": None if step.parts is None else step.parts._asdict(),
    }


def _edit_record(explained: ExplainedEdit) -> dict[str, Any]:
    return {
        **_spans(explained.change[:4]),
        "correction": explained.edit.correction,
        "type": explained.edit.type,
        "meaning": explained.description[1],
        "operations": len(explained.operations),
        "rule": explained.change.rule.name.lower().replace("_", "-"),
        "reason": explained.change.rule.value,
        "facts": explained.facts,
    }


def _spans(numbers: Sequence[int]) -> dict[str, int]:
    names = ("start", "end", "corrected_start", "corrected_end")
    return dict(zip(names, numbers, strict=True))
