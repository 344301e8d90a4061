"""Human judgments of system outputs, and their file formats.

In Appraise XML, an item ranks several outputs of a sentence; in WMT CSV, a row compares two or
more systems.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import NamedTuple

from geceval.errors import GecevalError
from geceval.formats.findings import Findings
from geceval.formats.inputs import Input
from geceval.formats.safe_xml import parse_xml
from geceval.model import Tokens
from geceval.storage.atomic import PathLike

SOURCE = "INPUT"
"""Name of the unchanged source as a system."""

_SOURCE_NAMES = frozenset({"input", "source", "src"})
_BETWEEN_NAMES = re.compile(r"[\s,]+")


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
    """A rank, 1 for the best, and systems with identical output."""

    systems: tuple[str, ...]
    rank: int


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

    def preferences(self) -> Iterator[Preference]:
        """Yield the preferences between all pairs of systems; identical outputs are tied."""
        for place in self.places:
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
        Place(tuple(name for name in place.systems if name in wanted), place.rank)
        for place in places
    )
    return tuple(place for place in filtered if place.systems)


def _grouped(item: Judgment, outputs: Mapping[str, Sequence[Tokens]]) -> tuple[Place, ...]:
    groups: dict[tuple[int, object], list[str]] = {}
    for number, place in enumerate(item.places):
        known = outputs.get(place.systems[0])
        # A missing output differs from all others.
        text = number if known is None else known[item.sentence]
        groups.setdefault((place.rank, text), []).extend(place.systems)
    return tuple(Place(tuple(systems), rank) for (rank, _), systems in groups.items())


def combined(sets: Sequence[Judgments], name: str = "combined") -> Judgments:
    """Combine sets; judges of the same name in different sets are different judges."""
    return Judgments(
        name,
        tuple(
            replace(item, judge=f"{one.name}:{item.judge}") for one in sets for item in one.items
        ),
    )


def read_judgments(source: Input, name: str) -> Judgments:
    """Read judgments, detecting the format.

    Items that the judge skipped and outputs without a rank are noted in the findings of `source`.

    Parameters
    ----------
    source
        The file.
    name
        Name of the set.
    """
    is_xml = source.head.lstrip().startswith("<")
    items = tuple(_read_appraise(source) if is_xml else _read_wmt(source))
    if not items:
        raise source.error("no judgments found")
    return Judgments(name, items)


def load_judgments(
    path: PathLike, name: str, *, findings: Findings | None = None, encoding: str = "utf-8"
) -> Judgments:
    """Open a file and read its judgments."""
    with Input.open(path, findings=findings, encoding=encoding) as source:
        return read_judgments(source, name)


# --- Appraise -----------------------------------------------------------------------------------


def _read_appraise(source: Input) -> Iterator[Judgment]:
    skipped = 0
    for item in parse_xml(source).iter("ranking-item"):
        line = item.sourceline
        attributes = {str(key): str(value) for key, value in item.attrib.items()}
        places = tuple(
            _place(
                {str(key): str(value) for key, value in translation.attrib.items()},
                source,
                translation.sourceline,
            )
            for translation in item.iter("translation")
        )
        if not places:
            skipped += 1
            continue
        number = attributes.get("src-id", attributes.get("id"))
        judgment = Judgment(
            _whole_number(number, "the number of a sentence (src-id or id)", source, line),
            attributes.get("user", ""),
            places,
        )
        _check_once(judgment, source, line)
        yield judgment
    if skipped:
        source.note("skipped-judgment", f"{skipped} items were skipped by the judge")


def _place(attributes: Mapping[str, str], source: Input, line: int | None) -> Place:
    rank = _whole_number(attributes.get("rank"), "a rank", source, line)
    if rank < 1:
        raise source.error(f"ranks begin with 1, but found {rank}", line=line)
    return Place(_system_names(attributes.get("system", ""), source, line), rank)


def _whole_number(text: str | None, what: str, source: Input, line: int | None) -> int:
    try:
        return int(text or "")
    except ValueError:
        found = "nothing" if text is None else repr(text)
        raise source.error(f"expected {what}, found {found}", line=line) from None


def _system_names(text: str, source: Input, line: int | None) -> tuple[str, ...]:
    names = tuple(_system(name) for name in _BETWEEN_NAMES.split(text.strip()) if name)
    if not names:
        raise source.error("expected the name of a system, found nothing", line=line)
    return names


def _system(name: str) -> str:
    """Normalize the name of the source."""
    return SOURCE if name.lower() in _SOURCE_NAMES else name


def _check_once(judgment: Judgment, source: Input, line: int | None) -> None:
    names = judgment.systems
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise source.error(f"one judgment ranks {twice} twice", line=line)


# --- WMT ----------------------------------------------------------------------------------------

_SYSTEM_COLUMN = re.compile(r"system([0-9]{1,9})id", re.IGNORECASE)


def _read_wmt(source: Input) -> Iterator[Judgment]:
    rows_read = _csv_rows(source)
    _, names = next(rows_read, (1, []))
    header = {name.strip().lower(): column for column, name in enumerate(names)}
    if len(header) < len(names):
        raise source.error("the header names a column twice", line=1)
    columns = _system_columns(header)
    sentence = header.get("srcindex", header.get("segmentid"))
    judge = header.get("judgeid")
    if sentence is None or judge is None or len(columns) < 2:
        message = (
            "neither Appraise XML nor WMT CSV, whose header names srcIndex or segmentId, judgeID, "
            "and systemNId and systemNrank of two systems or more"
        )
        raise source.error(message, line=1)
    rows = []
    unranked = 0
    for line, row in rows_read:
        if len(row) != len(header):
            message = f"expected {len(header)} fields, found {len(row)}"
            raise source.error(message, line=line)
        ranks = [_whole_number(row[rank], "a rank", source, line) for _, rank in columns]
        unranked += sum(rank < 1 for rank in ranks)
        places = tuple(
            Place(_system_names(row[name], source, line), rank)
            for (name, _), rank in zip(columns, ranks, strict=True)
            if rank >= 1
        )
        number = _whole_number(row[sentence], "the number of a sentence", source, line)
        judgment = Judgment(number, row[judge], places)
        _check_once(judgment, source, line)
        rows.append(judgment)
    if unranked:
        source.note("unranked-system", f"{unranked} outputs were given no rank (below 1)")
    yield from _whole_items(rows)


def _csv_rows(source: Input) -> Iterator[tuple[int, list[str]]]:
    """Yield non-empty rows, with the number of their last line."""
    reader = csv.reader(source.lines())
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise source.error(f"not valid CSV: {error}", line=reader.line_num) from error


def _system_columns(header: Mapping[str, int]) -> list[tuple[int, int]]:
    """Return the columns of names and ranks of systems."""
    found = {
        match[1]: column
        for name, column in header.items()
        if (match := _SYSTEM_COLUMN.fullmatch(name))
    }
    return [
        (column, header[f"system{number}rank"])
        for number, column in sorted(found.items(), key=lambda item: int(item[0]))
        if f"system{number}rank" in header
    ]


def _whole_items(rows: Iterable[Judgment]) -> Iterator[Judgment]:
    """Join pairwise comparisons that belong to one item.

    Adjacent rows with the same judge and sentence form one item if they compare each pair of
    systems exactly once.
    """
    group: list[Judgment] = []
    for row in rows:
        if group and (group[0].judge, group[0].sentence) != (row.judge, row.sentence):
            yield from _joined(group)
            group = []
        group.append(row)
    yield from _joined(group)


def _joined(group: Sequence[Judgment]) -> Iterable[Judgment]:
    ranks = {name: place.rank for row in group for place in row.places for name in place.systems}
    is_same = all(
        ranks[name] == place.rank for row in group for place in row.places for name in place.systems
    )
    pairs = [frozenset(row.systems) for row in group]
    n_pairs = len(ranks) * (len(ranks) - 1) // 2
    if not (is_same and len(group) == len(set(pairs)) == n_pairs and {*map(len, pairs)} == {2}):
        return group
    places = tuple(Place((name,), rank) for name, rank in ranks.items())
    return [Judgment(group[0].sentence, group[0].judge, places)]
