"""Human judgments of system outputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import NamedTuple

from geceval.errors import GecevalError
from geceval.model import Tokens

SOURCE = "INPUT"
"""Name of the unchanged source as a system."""

_SOURCE_NAMES = frozenset({"input", "source", "src"})


def system_name(name: str) -> str:
    """Normalize the name of the source."""
    return SOURCE if name.lower() in _SOURCE_NAMES else name


class Preference(NamedTuple):
    """A judge's preference between two systems.

    Parameters
    ----------
    sentence
        Number of the sentence in the file.
    judge
        Name of the judge.
    first, second
        The systems.
    outcome
        1 if the first is better, -1 if the second is, 0 for a tie.
    """

    sentence: int
    judge: str
    first: str
    second: str
    outcome: int


@dataclass(frozen=True, slots=True)
class Place:
    """A rank, 1 for the best, and systems with identical output.

    Parameters
    ----------
    systems
        The systems.
    rank
        Their rank.
    rating
        The rating from which the rank was derived, if outputs were rated; higher is better.
    """

    systems: tuple[str, ...]
    rank: int
    rating: float | None = None


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judge's ranking of outputs of one sentence.

    Examples
    --------
    >>> judgment = Judgment(3, "anna", (Place(("A", "B"), 1), Place(("C",), 2)))
    >>> [(p.first, p.second, p.outcome) for p in judgment.preferences()]
    [('A', 'B', 0), ('A', 'C', 1), ('B', 'C', 1)]
    """

    sentence: int
    judge: str
    places: tuple[Place, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """All ranked systems."""
        return tuple(name for place in self.places for name in place.systems)

    def preferences(self, *, identical: bool = True) -> Iterator[Preference]:
        """Yield the preferences between all pairs of systems.

        Identical outputs are tied; with ``identical=False``, their pairs are excluded.
        """
        for place in self.places if identical else ():
            for first, second in combinations(place.systems, 2):
                yield Preference(self.sentence, self.judge, first, second, 0)
        for one, other in combinations(self.places, 2):
            outcome = _outcome(one, other)
            for first, second in product(one.systems, other.systems):
                yield Preference(self.sentence, self.judge, first, second, outcome)

    def comparisons(self) -> Iterator[Preference]:
        """Yield the preferences between all pairs of distinct outputs.

        An output is named after the alphabetically first of its systems; pairs are sorted.
        """
        places = sorted(self.places, key=lambda place: min(place.systems))
        for one, other in combinations(places, 2):
            first, second = min(one.systems), min(other.systems)
            yield Preference(self.sentence, self.judge, first, second, _outcome(one, other))


def _outcome(one: Place, other: Place) -> int:
    return (one.rank < other.rank) - (one.rank > other.rank)


@dataclass(frozen=True, slots=True)
class Judgments:
    """A set of judgments."""

    name: str
    items: tuple[Judgment, ...]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Judgment]:
        return iter(self.items)

    @property
    def systems(self) -> tuple[str, ...]:
        """All ranked systems, in alphabetical order."""
        return tuple(sorted({name for item in self.items for name in item.systems}))

    @property
    def sentences(self) -> tuple[int, ...]:
        """Numbers of the judged sentences, in order."""
        return tuple(sorted({item.sentence for item in self.items}))

    @property
    def judges(self) -> tuple[str, ...]:
        """All judges."""
        return tuple(sorted({item.judge for item in self.items}))

    def comparisons(self) -> Iterator[Preference]:
        """Yield the preferences between distinct outputs in all judgments."""
        for item in self.items:
            yield from item.comparisons()

    def grouped(self, outputs: Mapping[str, Sequence[Tokens]]) -> Judgments:
        """Group systems that share their rank and output.

        Files of Appraise have such groups; those of WMT do not.
        """
        items = tuple(replace(item, places=_grouped(item, outputs)) for item in self.items)
        return replace(self, items=items)

    def keep_systems(self, systems: Collection[str]) -> Judgments:
        """Filter by system, excluding judgments of fewer than two of `systems`."""
        wanted = frozenset(systems)
        items = (replace(item, places=_filtered(item.places, wanted)) for item in self.items)
        return replace(self, items=tuple(item for item in items if len(item.systems) > 1))

    def without_judges(self, judges: Collection[str]) -> Judgments:
        """Exclude the judgments of `judges`."""
        if unknown := [name for name in judges if name not in self.judges]:
            known = ", ".join(self.judges)
            raise GecevalError(f"{self.name} has no judge {unknown[0]!r} (known: {known})")
        return replace(self, items=tuple(item for item in self.items if item.judge not in judges))

    def moved(self, by: int) -> Judgments:
        """Shift the sentence numbers."""
        items = tuple(replace(item, sentence=item.sentence + by) for item in self.items)
        return replace(self, items=items)


def _filtered(places: Iterable[Place], wanted: frozenset[str]) -> tuple[Place, ...]:
    filtered = (
        replace(place, systems=tuple(name for name in place.systems if name in wanted))
        for place in places
    )
    return tuple(place for place in filtered if place.systems)


def _grouped(item: Judgment, outputs: Mapping[str, Sequence[Tokens]]) -> tuple[Place, ...]:
    groups: dict[tuple[int, float | None, object], list[str]] = {}
    for number, place in enumerate(item.places):
        known = outputs.get(place.systems[0])
        # A missing output differs from all others.
        text = number if known is None else known[item.sentence]
        groups.setdefault((place.rank, place.rating, text), []).extend(place.systems)
    return tuple(
        Place(tuple(systems), rank, rating) for (rank, rating, _), systems in groups.items()
    )


def combined(sets: Sequence[Judgments], name: str = "combined") -> Judgments:
    """Combine sets; judges of the same name in different sets are different judges."""
    return Judgments(
        name,
        tuple(
            replace(item, judge=f"{one.name}:{item.judge}") for one in sets for item in one.items
        ),
    )
