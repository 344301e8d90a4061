"""The sentence on top of a report: who is best, how sure that is, and which metrics disagree.

Every word of it follows from the results. A leader is called the best only if paired tests found it
significantly better than every other system.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from geceval.metrics.statistics import precision_and_recall
from geceval.report.pair_tests import UNTESTED, Verdict, best_first, pair_tests
from geceval.report.results import MetricRecord, Number, Results

MOST_DISSENTS = 2
"""Number of dissenting leaders that are named; further ones are only counted."""

_NOTABLE = 1.1
"""Ratio of two numbers of edits from which one is called more than the other."""


_MADE = ("correct", "wrong fix", "wrong")
"""Outcomes of the edits that a system made."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A piece of the headline; `system` is the system that it names, if any."""

    text: str
    system: str | None = None


@dataclass(frozen=True, slots=True)
class Headline:
    """The headline of a report, in pieces, so that a page can mark the names of systems.

    Parameters
    ----------
    lead
        Who leads by the first metric, and how sure that is.
    others
        What the other metrics say; empty if there are none.
    leaders
        Systems with the best score by the first metric; empty if no score is known.
    is_certain
        Whether the only leader is significantly better than every other system.
    """

    lead: tuple[Phrase, ...]
    others: tuple[Phrase, ...]
    leaders: tuple[str, ...]
    is_certain: bool

    def __str__(self) -> str:
        """Return the text."""
        sentences = ["".join(phrase.text for phrase in part) for part in (self.lead, self.others)]
        return " ".join(filter(None, sentences))


def headline(results: Results) -> Headline:
    """Summarize results in one sentence, and a second one about the other metrics."""
    first, *others = results["metrics"]
    leaders = leaders_by(results, first["name"])
    if not leaders:
        text = f"No system has a score by {first['title']}."
        return Headline((Phrase(text),), (), (), is_certain=False)
    lead, is_certain = _lead(results, first, leaders)
    more: list[Phrase] = []
    if len(results["systems"]) > 1 and others:
        more = _other_metrics(results, leaders, others)
    return Headline(_sentence(lead), _sentence(more), tuple(leaders), is_certain)


def leaders_by(results: Results, metric: str) -> list[str]:
    """Return the systems that share the best known score."""
    scores = {name: results["scores"][metric][name]["score"] for name in results["systems"]}
    known = [score for score in scores.values() if score is not None]
    return [name for name, score in scores.items() if known and score == max(known)]


def _sentence(phrases: Sequence[Phrase]) -> tuple[Phrase, ...]:
    return (*phrases, Phrase(".")) if phrases else ()


def _lead(
    results: Results, metric: MetricRecord, leaders: Sequence[str]
) -> tuple[list[Phrase], bool]:
    """Say who leads by the first metric, and whether the lead is significant."""
    name, title = metric["name"], metric["title"]
    leader = leaders[0]
    others = [one for one in best_first(results, name) if one not in leaders]
    tests = pair_tests(results, name)
    score = _score(results, name, leader, others[:1])
    if len(results["systems"]) == 1:
        interval = _interval_text(results, name, leader)
        return [_named(leader), Phrase(f" scores {score} by {title}{interval}")], False
    close = [
        other
        for other in others
        if any(tests.get((one, other), UNTESTED).verdict != "win" for one in leaders)
    ]
    if len(leaders) > 1:
        shared = [*_listed(leaders), Phrase(f" share the best score by {title}: {score}")]
        if tests and others and close:
            shared += [Phrase("; their lead over "), *_some(close), Phrase(" is not significant")]
        elif tests and others:
            shared += [Phrase(", significantly ahead of "), _all_of(others)]
        return shared, False
    if not tests:
        text = f" has the highest score by {title}, {score}; differences were not tested"
        return [_named(leader), Phrase(text)], False
    low, high = results["scores"][name][leader]["rank_range"]
    ranks = f"rank {low}" if low == high else f"ranks {low}–{high}"
    if not close:
        text = f" is the best by {title} with {score} ({ranks}), significantly ahead of "
        return [_named(leader), Phrase(text), _all_of(others)], True
    text = f" leads by {title} with {score} ({ranks}), but its lead over "
    return [_named(leader), Phrase(text), *_some(close), Phrase(" is not significant")], False


def _other_metrics(
    results: Results, leaders: Sequence[str], others: Sequence[MetricRecord]
) -> list[Phrase]:
    """Say which other metrics agree on the leaders, and whom the others put first."""
    leader = leaders[0] if len(leaders) == 1 else None
    groups: dict[tuple[str, ...], list[MetricRecord]] = {}
    for metric in others:
        if found := tuple(leaders_by(results, metric["name"])):
            groups.setdefault(found, []).append(metric)
    agreeing = groups.pop(tuple(leaders), [])
    clauses: list[list[Phrase]] = []
    if agreeing:
        verb = "agrees" if len(agreeing) == 1 else "agree"
        clauses.append([Phrase(f"{_titles(agreeing, len(others))} {verb}")])
    dissents = sorted(
        (
            _Dissent(found, metrics, _verdict(results, leader, found, metrics))
            for found, metrics in groups.items()
        ),
        key=lambda one: (one.verdict != "win", -len(one.metrics)),
    )
    # The gravest comes last, with what that system does differently.
    named = reversed(dissents[:MOST_DISSENTS])
    clauses += [_dissent(one, leader, len(others)) for one in named]
    if dissents and leader is not None and len(dissents[0].leaders) == 1:
        system = dissents[0].leaders[0]
        clauses[-1] += _reason(results, dissents[0].metrics, system, leader) or _what_differs(
            results, system, leader
        )
    if rest := [metric for one in dissents[MOST_DISSENTS:] for metric in one.metrics]:
        put = "puts another system" if len(rest) == 1 else "put other systems"
        clauses.insert(-MOST_DISSENTS, [Phrase(f"{_titles(rest, len(others))} {put} first")])
    return [
        phrase
        for place, clause in enumerate(clauses)
        for phrase in ([Phrase("; ")] if place else []) + clause
    ]


@dataclass(frozen=True, slots=True)
class _Dissent:
    """Metrics that put others than the leader first; `verdict` of their tests against it."""

    leaders: tuple[str, ...]
    metrics: Sequence[MetricRecord]
    verdict: Verdict | Literal["mixed"]


def _verdict(
    results: Results, leader: str | None, found: Sequence[str], metrics: Sequence[MetricRecord]
) -> Verdict | Literal["mixed"]:
    """Return the verdict of all `metrics` on the system that they put first."""
    if leader is None or len(found) > 1:
        return "untested"
    verdicts = {
        pair_tests(results, metric["name"]).get((found[0], leader), UNTESTED).verdict
        for metric in metrics
    }
    return verdicts.pop() if len(verdicts) == 1 else "mixed"


_AHEAD = {
    "win": ", significantly ahead of ",
    "undecided": ", though not significantly ahead of ",
    "mixed": ", though not always significantly ahead of ",
}
"""How the first of other metrics stands to the leader; it need not be ahead of all systems."""


def _dissent(one: _Dissent, leader: str | None, n_others: int) -> list[Phrase]:
    verb = "puts" if len(one.metrics) == 1 else "put"
    clause = [
        Phrase(f"{_titles(one.metrics, n_others)} {verb} "),
        *_listed(one.leaders),
        Phrase(" first"),
    ]
    if leader is not None and one.verdict in _AHEAD:
        clause += [Phrase(_AHEAD[one.verdict]), _named(leader)]
    return clause


def _reason(
    results: Results, metrics: Sequence[MetricRecord], system: str, leader: str
) -> list[Phrase]:
    """Say why metrics put a system before the leader, if their numbers show it.

    Either doing nothing scores higher than the leader, which edits more, or precision or recall is
    the only part in which the system is better.
    """
    floors = [one["scores"] for one in results["baselines"] if one["kind"] == "floor"]
    is_harmed = all(
        any(
            _is_higher(
                scores.get(metric["name"]), results["scores"][metric["name"]][leader]["score"]
            )
            for scores in floors
        )
        for metric in metrics
    )
    made = [
        sum(results["outcomes"].get(name, {}).get(kind, 0) for kind in _MADE)
        for name in (system, leader)
    ]
    if is_harmed and _NOTABLE * made[0] < made[1]:
        metric = "that metric" if len(metrics) == 1 else "these metrics"
        return [
            Phrase(f": by {metric}, even doing nothing beats "),
            _named(leader),
            Phrase(f", which makes {made[1]:,} edits, "),
            _named(system),
            Phrase(f" only {made[0]:,}" if made[0] else " none"),
        ]
    better = {_better_part(results, metric["name"], system, leader) for metric in metrics}
    part = better.pop() if len(better) == 1 else None
    if part is None:
        return []
    own, their = (
        results["scores"][metrics[0]["name"]][name]["parts"][part] or 0.0
        for name in (system, leader)
    )
    name = "precision" if part in ("precision", "P") else "recall"
    by = f" by {metrics[0]['title']}" if len(metrics) > 1 else ""
    text = f" has the higher {name} ({own:.3f} versus {their:.3f}{by})"
    return [Phrase(": "), _named(system), Phrase(text)]


def _is_higher(one: Number | None, other: Number) -> bool:
    return one is not None and other is not None and one > other


def _better_part(results: Results, metric: str, system: str, leader: str) -> str | None:
    """Return precision or recall if that alone is higher than the leader's."""
    own, their = (results["scores"][metric][name]["parts"] for name in (system, leader))
    pair = precision_and_recall(list(own))
    if pair is None or any(own[part] is None or their.get(part) is None for part in pair):
        return None
    better = [part for part in pair if (own[part] or 0.0) > (their[part] or 0.0)]
    worse = [part for part in pair if (own[part] or 0.0) < (their[part] or 0.0)]
    return better[0] if len(better) == len(worse) == 1 else None


def _what_differs(results: Results, system: str, leader: str) -> list[Phrase]:
    """Say in what the edits of a system differ from those of the leader, if they are known."""
    if system not in results["outcomes"] or leader not in results["outcomes"]:
        return []
    own, their = (results["outcomes"][name] for name in (system, leader))
    made, theirs = (one["correct"] + one["wrong fix"] + one["wrong"] for one in (own, their))
    if theirs and not made:
        return [Phrase(": "), _named(system), Phrase(" makes no edits")]
    if theirs == 0 or max(made, theirs) < _NOTABLE * min(made, theirs):
        return []
    amount = "fewer" if made < theirs else "more"
    right, wrong = own["correct"] / made, their["correct"] / theirs
    share = f"{100 * right:.0f} % versus {100 * wrong:.0f} % of them correct"
    text = f" makes {amount} edits ({made:,} versus {theirs:,}; {share})"
    return [Phrase(": "), _named(system), Phrase(text)]


def _titles(metrics: Sequence[MetricRecord], total: int) -> str:
    """Name metrics, or count them if they are many."""
    titles = [metric["title"] for metric in metrics]
    if len(titles) > 3:
        some = "All" if len(titles) == total else f"{len(titles)} of the"
        return f"{some} {total} other metrics"
    return _and(titles)


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _all_of(others: Sequence[str]) -> Phrase:
    """Name the only other system, or count all of them."""
    if len(others) == 1:
        return _named(others[0])
    return Phrase("the other two" if len(others) == 2 else f"all {len(others)} others")


def _named(system: str) -> Phrase:
    return Phrase(system, system)


def _listed(systems: Sequence[str]) -> Iterable[Phrase]:
    """Yield up to four systems by name, as in "A, B and C"."""
    shown = systems if len(systems) <= 4 else systems[:3]
    for place, system in enumerate(shown):
        is_last = place == len(systems) - 1
        if place:
            yield Phrase(" and " if is_last else ", ")
        yield _named(system)
    if len(shown) < len(systems):
        yield Phrase(f" and {len(systems) - len(shown)} others")


def _some(systems: Sequence[str]) -> Iterable[Phrase]:
    """Yield the first system by name, and the second or how many more there are."""
    yield _named(systems[0])
    if len(systems) == 2:
        yield Phrase(" and ")
        yield _named(systems[1])
    elif len(systems) > 2:
        yield Phrase(f" and {len(systems) - 1} more systems")


def _score(results: Results, metric: str, leader: str, others: Sequence[str]) -> str:
    """Format a score with as many digits as tell it from the next one."""
    scores = [results["scores"][metric][name]["score"] or 0.0 for name in (leader, *others)]
    digits = next(
        (n for n in (3, 4, 5) if len({f"{score:.{n}f}" for score in scores}) == len(scores)), 3
    )
    return f"{scores[0]:.{digits}f}".replace("-", "−")


def _interval_text(results: Results, metric: str, system: str) -> str:
    ends = results["scores"][metric][system]["interval"]
    if ends is None:
        return ""
    low, high = (f"{end:.3f}".replace("-", "−") for end in ends)
    return f" ({100 * results['settings']['level']:g} % interval {low} to {high})"
