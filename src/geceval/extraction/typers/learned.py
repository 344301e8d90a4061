"""Trainable error-type classifier (maximum entropy).

After Felice, Bryant and Briscoe (2016), section 4.2, Swanson and Yamangil (2012) and Xue and Hwa
(2014). Any corpus with typed edits can serve as training data, with any set of types. Training
needs scikit-learn; a trained model is a JSON file without dependencies.
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
    """A labeled edit with its two sentences."""

    change: Change
    source: Tokens
    target: Tokens
    type: str


class AnalyzedExample(NamedTuple):
    """An example with analyzed sentences."""

    change: Change
    source: Analysis
    target: Analysis
    type: str


def examples(sentences: Iterable[Sentence]) -> Iterator[Example]:
    """Yield every typed edit of a corpus, minimized.

    Edits that cannot be applied (flags, overlaps) or have no type are skipped.

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
    """Classifies edits with a trained model.

    Parameters
    ----------
    types
        Class labels.
    features
        Feature names, in the order of `weights`.
    weights
        Weights of shape ``(n_features, n_types)``.
    biases
        Intercept of each type.
    lang, model
        Language pack and signature of the analyzer used for training.
    """

    def __init__(
        self,
        types: Sequence[str],
        features: Sequence[str],
        weights: NDArray[np.float64],
        biases: NDArray[np.float64],
        *,
        lang: str,
        model: str,
    ) -> None:
        self.types = tuple(types)
        self.features = tuple(features)
        self.lang = lang
        self.model = model
        self._places = {name: place for place, name in enumerate(self.features)}
        self._weights = weights
        self._biases = biases

    @cached_property
    def signature(self) -> str:
        """A name with a hash of the model."""
        digest = hashlib.sha256(self._text().encode()).hexdigest()
        return f"learned-{digest[:12]}"

    def type(self, change: Change, source: Analysis, target: Analysis) -> str:
        """Return the type of an edit."""
        places = [
            place
            for name in features(change, source, target)
            if (place := self._places.get(name)) is not None
        ]
        scores = self._weights[places].sum(axis=0) + self._biases
        return self.types[int(np.argmax(scores))]

    def save(self, path: PathLike) -> None:
        """Save the model as JSON, one line per feature."""
        with open_output(path) as out:
            out.write(self._text())

    def _text(self) -> str:
        head = {
            "format": FORMAT,
            "schema": SCHEMA,
            "language": self.lang,
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
        """Load a model.

        Raises
        ------
        FormatError
            If the file is not a model.
        """
        with Input.open(path) as source:
            try:
                data = json.loads(source.text())
                model = cls._of(data)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                message = "expected a model of 'geceval types train'"
                raise source.error(message) from error
        return model

    @classmethod
    def _of(cls, data: Mapping[str, Any]) -> LearnedTyper:
        """Make a classifier from a file; raise a ValueError or similar if it is invalid."""
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
            lang=str(data["language"]),
            model=str(data["model"]),
        )


def train(
    found: Sequence[AnalyzedExample],
    *,
    lang: str,
    model: str,
    strength: float = 1.0,
    min_count: int = 2,
) -> LearnedTyper:
    """Train a classifier.

    Parameters
    ----------
    found
        Training examples.
    lang, model
        Language pack and signature of the analyzer, stored in the model.
    strength
        Inverse regularization strength; smaller values mean stronger regularization.
    min_count
        Minimum number of examples with a feature; rarer features are ignored.
    """
    if not found:
        raise GecevalError("there are no typed edits to train on")
    types = sorted({one.type for one in found})
    rows = [sorted(features(one.change, one.source, one.target)) for one in found]
    counts = Counter(chain.from_iterable(rows))
    names = sorted(name for name, count in counts.items() if count >= min_count)
    labels = [types.index(one.type) for one in found]
    weights: NDArray[np.float64]
    biases: NDArray[np.float64]
    if len(types) == 1 or not names:
        # With a single type or no features, predict the most frequent type.
        counted = np.bincount(labels).astype(np.float64)
        weights, biases = np.zeros((len(names), len(types))), np.log(counted / len(labels))
    else:
        weights, biases = _fit(rows, names, labels, len(types), strength)
    return LearnedTyper(
        types,
        names,
        weights.round(_DIGITS),
        biases.round(_DIGITS),
        lang=lang,
        model=model,
    )


def _fit(
    rows: Sequence[Sequence[str]],
    names: Sequence[str],
    labels: Sequence[int],
    n_types: int,
    strength: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit a multinomial logistic regression."""
    try:
        from scipy.sparse import csr_matrix
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise GecevalError("training a classifier needs scikit-learn; install it") from error
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
        # Two classes have one column, for the second class.
        weights = np.hstack((-weights / 2, weights / 2))
        biases = np.concatenate((-biases / 2, biases / 2))
    return weights, biases


# Features.


def features(change: Change, source: Analysis, target: Analysis) -> set[str]:
    """Return the features of an edit: words, analysis and context.

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
    """Yield the features of one side."""
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
    """Yield the features of the difference between both sides."""
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
    """Return the length of the common prefix of two words."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _context(sentence: Analysis, places: range) -> Iterator[str]:
    """Yield the features of the context in the source."""
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


# Evaluation.


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Evaluation of a classifier.

    Parameters
    ----------
    pairs
        Confusion matrix: counts by gold and predicted type.
    """

    pairs: Mapping[tuple[str, str], int]

    @classmethod
    def of(cls, typer: LearnedTyper, found: Iterable[AnalyzedExample]) -> Evaluation:
        """Evaluate a classifier on examples."""
        return cls(
            Counter((one.type, typer.type(one.change, one.source, one.target)) for one in found)
        )

    @property
    def total(self) -> int:
        """Number of examples."""
        return sum(self.pairs.values())

    @property
    def accuracy(self) -> float:
        """Proportion of correct predictions."""
        right = sum(count for (gold, predicted), count in self.pairs.items() if gold == predicted)
        return right / self.total if self.total else 1.0

    def by_type(self) -> dict[str, tuple[int, int, int]]:
        """Return true positives, false positives and false negatives of each type."""
        right: Counter[str] = Counter()
        wrong: Counter[str] = Counter()
        missed: Counter[str] = Counter()
        for (gold, predicted), count in self.pairs.items():
            if gold == predicted:
                right[gold] += count
            else:
                wrong[predicted] += count
                missed[gold] += count
        names = sorted({*right, *wrong, *missed})
        return {name: (right[name], wrong[name], missed[name]) for name in names}

    def confusions(self) -> list[tuple[str, str, int]]:
        """Return gold type, predicted type and count of errors, by decreasing frequency."""
        wrong = [(*pair, count) for pair, count in self.pairs.items() if pair[0] != pair[1]]
        return sorted(wrong, key=lambda row: (-row[2], row[:2]))
