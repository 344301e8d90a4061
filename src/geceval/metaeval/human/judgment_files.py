"""File formats of human judgments.

In Appraise XML, an item ranks several outputs of a sentence; in WMT CSV, a row compares two or
more systems; in a table of ratings, a row rates one output.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from geceval.formats.findings import Findings
from geceval.formats.inputs import Input
from geceval.formats.safe_xml import parse_xml
from geceval.metaeval.human.judgments import Judgment, Judgments, Place, system_name
from geceval.storage.atomic import PathLike

_BETWEEN_NAMES = re.compile(r"[\s,]+")


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
    items = tuple(_read_appraise(source) if is_xml else _read_table(source))
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
    names = tuple(system_name(name) for name in _BETWEEN_NAMES.split(text.strip()) if name)
    if not names:
        raise source.error("expected the name of a system, found nothing", line=line)
    return names


def _check_once(judgment: Judgment, source: Input, line: int | None) -> None:
    names = judgment.systems
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise source.error(f"one judgment ranks {twice} twice", line=line)


# --- Tables -------------------------------------------------------------------------------------

_SYSTEM_COLUMN = re.compile(r"system([0-9]{1,9})id", re.IGNORECASE)


def _read_table(source: Input) -> Iterator[Judgment]:
    rows = csv_rows(source)
    _, names = next(rows, (1, []))
    header = {name.strip().lower(): column for column, name in enumerate(names)}
    if len(header) < len(names):
        raise source.error("the header names a column twice", line=1)
    if header.keys() >= _RATED_COLUMNS:
        return _read_ratings(source, header, rows)
    return _read_wmt(source, header, rows)


def _read_wmt(
    source: Input, header: Mapping[str, int], rows_read: Iterator[tuple[int, list[str]]]
) -> Iterator[Judgment]:
    columns = _system_columns(header)
    sentence = header.get("srcindex", header.get("segmentid"))
    judge = header.get("judgeid")
    if sentence is None or judge is None or len(columns) < 2:
        message = (
            "neither Appraise XML nor WMT CSV, whose header names srcIndex or segmentId, judgeID, "
            "and systemNId and systemNrank of two systems or more, nor ratings, whose header names "
            "system, sentence and rating"
        )
        raise source.error(message, line=1)
    rows = []
    unranked = 0
    for line, row in rows_read:
        _check_width(row, header, source, line)
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


def _check_width(row: Sequence[str], header: Mapping[str, int], source: Input, line: int) -> None:
    if len(row) != len(header):
        raise source.error(f"expected {len(header)} fields, found {len(row)}", line=line)


def csv_rows(source: Input) -> Iterator[tuple[int, list[str]]]:
    """Yield non-empty rows, with the number of their last line; fields may be tab-separated."""
    first = source.head.split("\n", 1)[0]
    reader = csv.reader(source.lines(), delimiter="\t" if "\t" in first else ",")
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


# --- Ratings ------------------------------------------------------------------------------------

_RATED_COLUMNS = frozenset({"system", "sentence", "rating"})


def _read_ratings(
    source: Input, header: Mapping[str, int], rows: Iterator[tuple[int, list[str]]]
) -> Iterator[Judgment]:
    """Read one rating per row; a judge's ratings of a sentence rank its outputs."""
    rated: dict[tuple[str, int], dict[str, float]] = {}
    unrated = 0
    for line, row in rows:
        _check_width(row, header, source, line)
        (name, *others) = _system_names(row[header["system"]], source, line)
        if others:
            raise source.error("expected one system in a row of ratings", line=line)
        number = _whole_number(row[header["sentence"]], "the number of a sentence", source, line)
        judge = row[header["judge"]].strip() if "judge" in header else ""
        text = row[header["rating"]].strip()
        if not text:
            unrated += 1
            continue
        ratings = rated.setdefault((judge, number), {})
        if name in ratings:
            by = f" by {judge}" if judge else ""
            message = f"{name} is rated twice in the sentence {number}{by}"
            raise source.error(message, line=line)
        ratings[name] = read_rating(text, source, line)
    if unrated:
        source.note("unrated-output", f"{unrated} outputs have no rating")
    for (judge, number), ratings in rated.items():
        yield from_ratings(number, judge, ratings)


def read_rating(text: str, source: Input, line: int) -> float:
    """Parse a rating, which is a finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise source.error(f"expected a rating, found {text!r}", line=line)
    return value


def from_ratings(sentence: int, judge: str, ratings: Mapping[str, float]) -> Judgment:
    """Rank outputs of a sentence by their ratings, the highest first; equal ones are tied.

    Examples
    --------
    >>> [(place.systems, place.rank) for place in from_ratings(0, "", {"A": 1.5, "B": 9}).places]
    [(('B',), 1), (('A',), 2)]
    """
    values = sorted(set(ratings.values()), reverse=True)
    rank = {value: number for number, value in enumerate(values, 1)}
    ordered = sorted(ratings.items(), key=lambda item: -item[1])
    return Judgment(
        sentence, judge, tuple(Place((name,), rank[value], value) for name, value in ordered)
    )
