"""Edits of Chinese text: all cheapest alignments and their edits, slowly.

Zhang et al. (2022), MuCGEC: a Multi-Reference Multi-Source Evaluation Dataset for Chinese
Grammatical Error Correction. A token is a character; words differ in what a substitution costs, and
in that runs of substitutions are not joined.
"""

import string
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

ASCII = string.punctuation
WIDE = (
    "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟"
    "〰〾〿–—‘'‛“”„‟…‧﹏"
)
MARKS = ASCII + WIDE
MOVED_MARKS = ASCII + "".join(mark for mark in WIDE if mark not in "〰〾〿﹏") + "."

Step = tuple[str, int, int, int, int]
Cost = Callable[[str, str], float]


def substitution(
    before: str,
    after: str,
    *,
    thesaurus: dict[str, str],
    readings: Callable[[str], set[str]],
    confusions: dict[str, set[str]],
) -> float:
    """Cost of the substitution of one character; codes of the thesaurus are as in ``Aa01``."""
    differing = 4
    if before in thesaurus and after in thesaurus:
        one, two = thesaurus[before], thesaurus[after]
        parts = [(one[0], two[0]), (one[1], two[1]), (one[2:4], two[2:4])]
        differing = 2 * (3 - sum(left == right for left, right in parts))
    semantics = differing / 6
    is_han = all("\u4e00" <= char <= "\u9fff" for char in before + after)
    are_alike = is_han and (
        bool(readings(before) & readings(after))
        or after in confusions.get(before, set())
        or before in confusions.get(after, set())
    )
    characters = 0 if are_alike else 0.5
    n_marks = (before in MARKS) + (after in MARKS)
    return semantics + characters + {0: 0.25, 1: 0.499, 2: 0}[n_marks]


def table(
    source: Sequence[str], target: Sequence[str], cost: Cost
) -> tuple[list[list[float]], list[list[list[tuple[str, int]]]]]:
    """Return the cost of each cell, and its cheapest steps with the number of tokens."""
    n, m = len(source), len(target)
    costs = [[0.0] * (m + 1) for _ in range(n + 1)]
    steps: list[list[list[tuple[str, int]]]] = [[[] for _ in range(m + 1)] for _ in range(n + 1)]
    for x in range(1, n + 1):
        costs[x][0], steps[x][0] = float(x), [("D", 1)]
    for y in range(1, m + 1):
        costs[0][y], steps[0][y] = float(y), [("I", 1)]
    for i in range(n):
        for j in range(m):
            if source[i] == target[j]:
                costs[i + 1][j + 1], steps[i + 1][j + 1] = costs[i][j], [("M", 1)]
                continue
            ways = []
            k = 1
            while i - k >= 0 and j - k >= 0 and costs[i - k + 1][j - k + 1] != costs[i - k][j - k]:
                if sorted(source[i - k : i + 1]) == sorted(target[j - k : j + 1]):
                    ways.append((costs[i - k][j - k] + k, ("T", k + 1)))
                    break
                k += 1
            ways.append((costs[i][j] + cost(source[i], target[j]), ("S", 1)))
            ways.append((costs[i + 1][j] + 1, ("I", 1)))
            ways.append((costs[i][j + 1] + 1, ("D", 1)))
            least = min(price for price, _ in ways)
            costs[i + 1][j + 1] = least
            steps[i + 1][j + 1] = [step for price, step in ways if price == least]
    return costs, steps


def alignments(source: Sequence[str], target: Sequence[str], cost: Cost) -> Iterator[list[Step]]:
    """Yield all cheapest alignments, depth first from the end."""
    _, steps = table(source, target, cost)
    only_first = abs(len(source) - len(target)) > 10

    def before(x: int, y: int) -> Iterator[list[Step]]:
        if x == y == 0:
            yield []
        for kind, size in steps[x][y][:1] if only_first else steps[x][y]:
            left = x - (0 if kind == "I" else size)
            top = y - (0 if kind == "D" else size)
            for rest in before(left, top):
                yield [*rest, (kind, left, x, top, y)]

    return before(len(source), len(target))


def pieces(alignment: Sequence[Step], *, by_words: bool = False) -> list[Step]:
    """Cut an alignment into runs, and join what belongs together."""
    found: list[Step] = []
    for name, group in groupby(alignment, key=lambda step: step[0] if step[0] in "MT" else "rest"):
        run = list(group)
        kinds = {step[0] for step in run}
        whole = (run[0][1], run[-1][2], run[0][3], run[-1][4])
        if name == "M":
            found.append(("M", *whole))
        elif name == "T" or len(run) == 1 or kinds == {"D", "I"} or (by_words and kinds == {"S"}):
            found.extend(run)
        elif len(kinds) == 1:
            found.append((run[0][0], *whole))
        else:
            found.append(("S", *whole))
    return found


def distance(one: str, two: str) -> int:
    """Levenshtein distance."""
    row = list(range(len(two) + 1))
    for i, left in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(two, 1):
            diagonal, row[j] = (
                row[j],
                min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right)),
            )
    return row[-1]


def is_moved(three: Sequence[Step], source: Sequence[str], target: Sequence[str]) -> bool:
    """Whether three pieces are a change of word order."""
    first, between, last = three

    def before(piece: Step) -> str:
        return "".join(source[piece[1] : piece[2]])

    def after(piece: Step) -> str:
        return "".join(target[piece[3] : piece[4]])

    kinds = first[0] + last[0]
    if kinds == "SS" and between[0] == "M":
        w1, w2, w3, w4 = before(first), after(first), before(last), after(last)
        if min(map(len, (w1, w2, w3, w4))) == 1:
            return w1 == w4 and w2 == w3
        return distance(w1, w4) <= 1 and distance(w2, w3) <= 1
    if kinds in ("DI", "ID") and between[0] in "MT":
        texts = (before(first) or after(first), before(last) or after(last))
        b, a = sorted(texts, key=len)
        if a in MOVED_MARKS or b in MOVED_MARKS or len(a) - len(b) > 1:
            return False
        if len(b) == 1:
            return a == b
        turns = {b[place:] + b[:place] for place in range(len(b))}
        return distance(a, b) <= 1 or a in turns
    return False


def ordered(found: list[Step], source: Sequence[str], target: Sequence[str]) -> list[Step]:
    """Find changes of word order, and leave out matches."""
    kept: list[Step] = []
    place = 0
    while place < len(found):
        three = found[place : place + 3]
        if len(three) == 3 and is_moved(three, source, target):
            kept.append(("W", three[0][1], three[2][2], three[0][3], three[2][4]))
            place += 3
            continue
        if found[place][0] != "M":
            kept.append(found[place])
        place += 1
    return kept


def trimmed(piece: Step, source: Sequence[str], target: Sequence[str]) -> Step:
    """Take what both sides of a substitution have in common off its ends."""
    _, start, end, target_start, target_end = piece
    while start < end and target_start < target_end and source[start] == target[target_start]:
        start, target_start = start + 1, target_start + 1
    while start < end and target_start < target_end and source[end - 1] == target[target_end - 1]:
        end, target_end = end - 1, target_end - 1
    kind = "I" if start == end else "D" if target_start == target_end else "S"
    return kind, start, end, target_start, target_end


def edits(
    source: Sequence[str], target: Sequence[str], alignment: Sequence[Step]
) -> list[tuple[int, int, str, tuple[str, ...]]]:
    """Return start, end, operation and correction of each edit of characters."""
    found = []
    for piece in ordered(pieces(alignment), source, target):
        if "".join(source[piece[1] : piece[2]]) == "".join(target[piece[3] : piece[4]]):
            continue
        kind, start, end, target_start, target_end = (
            trimmed(piece, source, target) if piece[0] == "S" else piece
        )
        name = {"I": "M", "D": "R", "S": "S", "T": "W", "W": "W"}[kind]
        found.append((start, end, name, tuple(target[target_start:target_end])))
    return found
