"""Types learned from examples: a maximum-entropy classifier.

Felice, Bryant and Briscoe (2016), section 4.2, type their edits so, after Swanson and Yamangil
(2012) and Xue and Hwa (2014). Any corpus with typed edits can be learned from, in any vocabulary
of types. Training needs scikit-learn; a trained model is a JSON file and needs nothing.
"""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, takewhile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geceval.engines.blas import one_blas_thread
from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import Analysis, Analyzer
from geceval.extraction.merge import Change, Rule
from geceval.extraction.typers.base import lowered, operation, similarity
from geceval.formats import Input, PathLike, open_output
from geceval.model import Sentence, Tokens, applicable, apply_edits, minimize
from geceval.storage import strict_json

FORMAT = "geceval-typer"
SCHEMA = 1
_DIGITS = 4
_CHUNK = 512


class Example(NamedTuple):
    """An edit in its two sentences, with its type."""

    change: Change
    source: Tokens
    target: Tokens
    type: str


class AnalyzedExample(NamedTuple):
    """An example whose sentences are analyzed."""

    change: Change
    source: Analysis
    target: Analysis
    type: str


def examples(sentences: Iterable[Sentence]) -> Iterator[Example]:
    """Yield every typed edit of a corpus, minimized.

    Edits that cannot be applied (flags, overlaps) are left out, and so are those without a type.

    Examples
    --------
    >>> from geceval.model import Annotation, Edit
    >>> edits = (Edit(0, 2, (("A", "big"),), "SPELL"), Edit(3, 3, ((".",),), "PUNCT"))
    >>> found = examples([Sentence(("A", "bg", "cat"), (Annotation("0", edits),))])
    >>> [(one.change[:4], one.type) for one in found]
    [((1, 2, 1, 2), 'SPELL'), ((3, 3, 3, 4), 'PUNCT')]
    """
    for sent in map(minimize, sentences):
        for ann in sent.annotations:
            target = apply_edits(sent.tokens, ann.edits)
            shift = 0
            for edit in applicable(ann.edits, len(sent.tokens)):
                start = edit.start + shift
                end = start + len(edit.correction)
                shift = end - edit.end
                if edit.type:
                    change = Change(edit.start, edit.end, start, end, Rule.STRATEGY)
                    yield Example(change, sent.tokens, target, edit.type)


def analyzed(found: Iterable[Example], analyzer: Analyzer) -> list[AnalyzedExample]:
    """Analyze the sentences of examples, each once."""
    given = list(found)
    sentences = list(dict.fromkeys(chain.from_iterable((one.source, one.target) for one in given)))
    known: dict[Tokens, Analysis] = {}
    for start in range(0, len(sentences), _CHUNK):
        chunk = sentences[start : start + _CHUNK]
        known.update(zip(chunk, analyzer.analyze(chunk), strict=True))
    return [
        AnalyzedExample(one.change, known[one.source], known[one.target], one.type) for one in given
    ]


class LearnedTyper:
    """Types edits by a trained model.

    Parameters
    ----------
    types
        The types that it knows.
    features
        The features that it knows, in the order of `weights`.
    weights
        Axes ``(n_features, n_types)``.
    biases
        One for each type.
    language, model
        The language pack and the signature of the analyzer it was trained with.
    """

    def __init__(
        self,
        types: Sequence[str],
        features: Sequence[str],
        weights: NDArray[np.float64],
        biases: NDArray[np.float64],
        *,
        language: str,
        model: str,
    ) -> None:
        self.types = tuple(types)
        self.features = tuple(features)
        self.language = language
        self.model = model
        self._places = {name: place for place, name in enumerate(self.features)}
        self._weights = weights
        self._biases = biases

    @cached_property
    def signature(self) -> str:
        """A name that changes with every weight."""
        digest = hashlib.sha256(self._text().encode()).hexdigest()
        return f"learned-{digest[:12]}"

    def type(self, change: Change, source: Analysis, target: Analysis) -> str:
        """Name the type of an edit."""
        places = [
            place
            for name in features(change, source, target)
            if (place := self._places.get(name)) is not None
        ]
        scores = self._weights[places].sum(axis=0) + self._biases
        return self.types[int(np.argmax(scores))]

    def save(self, path: PathLike) -> None:
        """Write the model as JSON, one line for each feature."""
        with open_output(path) as out:
            out.write(self._text())

    def _text(self) -> str:
        head = {
            "format": FORMAT,
            "schema": SCHEMA,
            "language": self.language,
            "model": self.model,
            "types": self.types,
            "biases": self._biases.tolist(),
        }
        lines = [
            f'"{key}": {strict_json.dumps(value, ascii_only=True)}' for key, value in head.items()
        ]
        rows = ",\n".join(
            f"{strict_json.dumps(name, ascii_only=True)}: {strict_json.dumps(row)}"
            for name, row in zip(self.features, self._weights.tolist(), strict=True)
        )
        return "{" + ",\n".join(lines) + ',\n"weights": {\n' + rows + "\n}}\n"

    @classmethod
    def load(cls, path: PathLike) -> LearnedTyper:
        """Read a model.

        Raises
        ------
        FormatError
            Where the file is not a model.
        """
        with Input.open(path) as source:
            try:
                data = json.loads(source.text())
                model = cls._of(data)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                message = "expected a model that 'geceval types train' wrote"
                raise source.error(message) from error
        return model

    @classmethod
    def _of(cls, data: Mapping[str, Any]) -> LearnedTyper:
        """Make a typer of what is in a file; any misfit is a ValueError or the like."""
        if data["format"] != FORMAT or data["schema"] != SCHEMA:
            raise ValueError
        types = [str(name) for name in data["types"]]
        names = list(data["weights"])
        weights = np.array(list(data["weights"].values()), dtype=np.float64)
        biases = np.array(data["biases"], dtype=np.float64)
        weights = weights.reshape(len(names), len(types))
        if not types or biases.shape != (len(types),):
            raise ValueError
        if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
            raise ValueError
        return cls(
            types,
            names,
            weights,
            biases,
            language=str(data["language"]),
            model=str(data["model"]),
        )


def train(
    found: Sequence[AnalyzedExample],
    *,
    language: str,
    model: str,
    strength: float = 1.0,
    min_count: int = 2,
) -> LearnedTyper:
    """Train a typer.

    Parameters
    ----------
    found
        The examples.
    language, model
        The language pack and the signature of the analyzer, to be written into the model.
    strength
        How freely weights may grow; smaller values keep closer to the frequencies of types.
    min_count
        Features that fewer examples have are left out.
    """
    if not found:
        raise GecevalError("there are no typed edits to learn from")
    types = sorted({one.type for one in found})
    rows = [sorted(features(one.change, one.source, one.target)) for one in found]
    counts = Counter(chain.from_iterable(rows))
    names = sorted(name for name, count in counts.items() if count >= min_count)
    labels = [types.index(one.type) for one in found]
    weights: NDArray[np.float64]
    biases: NDArray[np.float64]
    if len(types) == 1 or not names:
        # Nothing to tell apart, or nothing to tell it by: the most frequent type it is.
        counted = np.bincount(labels).astype(np.float64)
        weights, biases = np.zeros((len(names), len(types))), np.log(counted / len(labels))
    else:
        weights, biases = _fit(rows, names, labels, len(types), strength)
    return LearnedTyper(
        types,
        names,
        weights.round(_DIGITS),
        biases.round(_DIGITS),
        language=language,
        model=model,
    )


def _fit(
    rows: Sequence[Sequence[str]],
    names: Sequence[str],
    labels: Sequence[int],
    n_types: int,
    strength: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit weights and biases of a multinomial logistic regression."""
    try:
        from scipy.sparse import csr_matrix
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise GecevalError("training a typer needs scikit-learn; install it") from error
    place = {name: number for number, name in enumerate(names)}
    columns = [[place[name] for name in row if name in place] for row in rows]
    offsets = np.cumsum([0, *map(len, columns)])
    indices = np.fromiter(chain.from_iterable(columns), dtype=np.int64)
    matrix = csr_matrix((np.ones(len(indices)), indices, offsets), shape=(len(rows), len(names)))
    regression = LogisticRegression(C=strength, max_iter=1000)
    # One thread: several add up in an order of their own, and are slower here.
    with one_blas_thread(), warnings.catch_warnings():
        # Past a thousand steps, another one changes nothing that matters.
        warnings.simplefilter("ignore", ConvergenceWarning)
        regression.fit(matrix, labels)
    weights: NDArray[np.float64] = regression.coef_.T
    biases: NDArray[np.float64] = regression.intercept_
    if n_types == 2:
        # Two classes get one column, for the second of them.
        weights = np.hstack((-weights / 2, weights / 2))
        biases = np.concatenate((-biases / 2, biases / 2))
    return weights, biases


# What the classifier sees of an edit.


def features(change: Change, source: Analysis, target: Analysis) -> set[str]:
    """Describe an edit by its words, their analysis and what is around them.

    Examples
    --------
    >>> source, target = Analysis.plain(("a", "cat")), Analysis.plain(("a", "cats"))
    >>> found = features(Change(1, 2, 1, 2, Rule.ALONE), source, target)
    >>> sorted(name for name in found if name.startswith("ending"))
    ['ending:>s']
    """
    before = range(change.start, change.end)
    after = range(change.target_start, change.target_end)
    return {
        f"operation:{operation(change)}",
        f"size:{min(len(before), 4)}>{min(len(after), 4)}",
        *_side("old", source, before),
        *_side("new", target, after),
        *_difference(change, source, target),
        *_context(source, before),
    }


def _side(name: str, sentence: Analysis, places: range) -> Iterator[str]:
    """Describe the words of one side."""
    for place in places:
        yield f"{name} word:{sentence.tokens[place].lower()}"
        yield f"{name} lemma:{sentence.lemmas[place].lower()}"
        yield f"{name} tag:{sentence.tags[place]}"
        yield f"{name} pos:{sentence.pos[place]}"
        yield f"{name} label:{sentence.labels[place]}"
        head = sentence.heads[place]
        if head not in places:
            yield f"{name} head:{sentence.pos[head]}"
    yield f"{name} words:{' '.join(sentence.tokens[places.start : places.stop]).lower()}"
    yield f"{name} tags:{' '.join(sentence.tags[places.start : places.stop])}"


def _difference(change: Change, source: Analysis, target: Analysis) -> Iterator[str]:
    """Describe what becomes of the old side."""
    old, new = slice(change.start, change.end), slice(change.target_start, change.target_end)
    before, after = lowered(change, source, target)
    for name in ("tags", "pos"):
        first, second = getattr(source, name)[old], getattr(target, name)[new]
        yield f"{name}:{' '.join(first)}>{' '.join(second)}"
        yield f"same {name}:{first == second}"
    yield f"words:{' '.join(before)}>{' '.join(after)}"
    lemmas, new_lemmas = source.lemmas[old], target.lemmas[new]
    yield f"same lemmas:{lemmas == new_lemmas}"
    yield f"shared lemma:{not set(lemmas).isdisjoint(new_lemmas)}"
    for word in Counter(before) - Counter(after):
        yield f"lost:{word}"
    for word in Counter(after) - Counter(before):
        yield f"won:{word}"
    if before and after:
        joined, new_joined = "".join(before), "".join(after)
        yield f"same letters:{joined == new_joined}"
        yield f"same words:{sorted(before) == sorted(after)}"
        yield f"likeness:{math.floor(4 * similarity(joined, new_joined))}"
    if len(before) == len(after) == 1:
        stem = _n_common(before[0], after[0])
        yield f"ending:{before[0][stem:]}>{after[0][stem:]}"


def _n_common(first: str, second: str) -> int:
    """Count the letters that two words begin with alike."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _context(sentence: Analysis, places: range) -> Iterator[str]:
    """Describe the neighbors in the source."""
    for name, place in (
        ("second before", places.start - 2),
        ("before", places.start - 1),
        ("after", places.stop),
        ("second after", places.stop + 1),
    ):
        is_inside = 0 <= place < len(sentence)
        yield f"{name} pos:{sentence.pos[place] if is_inside else 'none'}"
        if not name.startswith("second"):
            yield f"{name} word:{sentence.tokens[place].lower() if is_inside else ''}"
            yield f"{name} tag:{sentence.tags[place] if is_inside else 'none'}"


# How good a typer is.


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Types as they are and as a typer names them.

    Parameters
    ----------
    pairs
        How often each type was named for each type.
    """

    pairs: Mapping[tuple[str, str], int]

    @classmethod
    def of(cls, typer: LearnedTyper, found: Iterable[AnalyzedExample]) -> Evaluation:
        """Let a typer name the types of examples."""
        return cls(
            Counter((one.type, typer.type(one.change, one.source, one.target)) for one in found)
        )

    @property
    def total(self) -> int:
        """How many examples there are."""
        return sum(self.pairs.values())

    @property
    def accuracy(self) -> float:
        """The share of types that are right."""
        right = sum(count for (gold, named), count in self.pairs.items() if gold == named)
        return right / self.total if self.total else 1.0

    def by_type(self) -> dict[str, tuple[int, int, int]]:
        """Count for each type how often it was named rightly, named wrongly and missed."""
        right: Counter[str] = Counter()
        wrong: Counter[str] = Counter()
        missed: Counter[str] = Counter()
        for (gold, named), count in self.pairs.items():
            if gold == named:
                right[gold] += count
            else:
                wrong[named] += count
                missed[gold] += count
        names = sorted({*right, *wrong, *missed})
        return {name: (right[name], wrong[name], missed[name]) for name in names}

    def confusions(self) -> list[tuple[str, str, int]]:
        """List wrong types by frequency: what it is, what it was named, how often."""
        wrong = [(*pair, count) for pair, count in self.pairs.items() if pair[0] != pair[1]]
        return sorted(wrong, key=lambda row: (-row[2], row[:2]))
