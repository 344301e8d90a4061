"""A results document made up for tests of the page: small, or as large as one likes."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from typing import Any

from geceval import __version__
from geceval.report.results import (
    EditRecord,
    GoldEdit,
    MissedEdit,
    Results,
    SystemSentences,
    TypeRecord,
)
from geceval.report.score_records import add_rank_ranges

TYPES = ["R:VERB:SVA", "U:DET", "M:DET", "R:PREP"]
PATTERNS: list[tuple[str, list[GoldEdit]]] = [
    ("This cats sleeps on a warm roof .", [(0, 1, "These", 0), (2, 3, "sleep", 0)]),
    ("She like the music very much .", [(1, 2, "likes", 0), (2, 3, "", 1)]),
    ("We went in cinema yesterday .", [(2, 3, "to", 3), (3, 3, "the", 2)]),
    ("Nothing is wrong here .", []),
    ("He depends of his old sister .", [(2, 3, "on", 3)]),
]
"""Sentences with the edits of the first annotator; the second makes only the first of them."""

SKILLS = {"careful": (0.7, 0.05), "eager": (0.85, 0.4), "unchanged": (0.0, 0.0)}
"""How often each system finds a gold edit, and how often it breaks something."""

HOSTILE = "<script>alert(1)</script>"
ANNOTATORS = ["0", "1"]
LEVEL = 0.95


def example_results(n_sentences: int = 60, *, hostile: bool = False, seed: int = 1) -> Results:
    """Make a document with three systems, two metrics and two annotators.

    Parameters
    ----------
    n_sentences
        How many sentences.
    hostile
        Whether text everywhere tries to break out of the page.
    seed
        Of what the systems do.
    """
    chance = random.Random(seed)
    source = [PATTERNS[number % len(PATTERNS)][0] for number in range(n_sentences)]
    golds = [PATTERNS[number % len(PATTERNS)][1] for number in range(n_sentences)]
    if hostile:
        source[0] = f"This cats sleeps {HOSTILE} </script><!-- &amp; & ."
    names = [f"{HOSTILE}{name}" if hostile else name for name in SKILLS]
    systems = {
        name: _system(source, golds, skill, chance)
        for name, skill in zip(names, SKILLS.values(), strict=True)
    }
    results: Results = {
        "schema": 1,
        "kind": "report",
        "version": __version__,
        "title": f"Made up {HOSTILE}" if hostile else "Made up",
        "inputs": [
            _input("gold", "gold", n_sentences, sum(map(len, golds))),
            *(_input("system", name, n_sentences, None) for name in names),
        ],
        "warnings": [
            {
                "severity": "warning",
                "code": "overlap",
                "message": f"edits overlap {HOSTILE if hostile else ''}",
                "file": "gold.m2",
                "line": 7,
                "count": 2,
            }
        ],
        "settings": {
            "level": LEVEL,
            "resamples": 1000,
            "test_resamples": 1000,
            "seed": 12345,
            "test": "randomization",
        },
        "metrics": [
            _metric("m2", "MaxMatch (M²)", "F0.5", ["precision", "recall"], has_edits=True),
            _metric("gleu", "GLEU", "score", [], has_edits=False),
        ],
        "edit_metric": "m2",
        "systems": names,
        "scores": {},
        "comparisons": {},
        "baselines": [
            {"name": "doing nothing", "kind": "floor", "scores": {"m2": 0.0, "gleu": 0.5}},
            {
                "name": "annotator 0 (against the others)",
                "kind": "ceiling",
                "scores": {"m2": 0.9, "gleu": None},
            },
        ],
        "types": {"m2": {name: _types(system, golds) for name, system in systems.items()}},
        "outcomes": {name: _outcomes(system) for name, system in systems.items()},
        "slices": [],
        "agreement": {
            "metrics": ["m2", "gleu"],
            "systems": None,
            "sentences": [[1.0, 0.75], [0.75, 1.0]],
        },
        "frequent": {name: _frequent(system, source, golds) for name, system in systems.items()},
        "sentences": {
            "annotators": ANNOTATORS,
            "types": TYPES,
            "source": source,
            "ids": None,
            "gold": [[(0, edits), (1, edits[:1])] for edits in golds],
            "systems": systems,
        },
    }
    _add_scores(results)
    add_rank_ranges(results)
    return results


def without_edits(n_sentences: int) -> Results:
    """Make a document such as n-gram metrics give, which show no edits."""
    results = example_results(n_sentences)
    results["edit_metric"] = None
    results["types"] = results["outcomes"] = results["frequent"] = {}  # type: ignore[typeddict-item]
    results["slices"] = []
    for system in results["sentences"]["systems"].values():
        system["chosen"] = system["edits"] = system["missed"] = system["counts"] = None
    return results


def with_one_system(n_sentences: int) -> Results:
    """Make a document of the first system alone."""
    results = example_results(n_sentences)
    [name, *others] = results["systems"]
    results["systems"] = [name]
    results["comparisons"] = {metric: [] for metric in results["comparisons"]}
    for other in others:
        parts: list[dict[str, Any]] = [
            *results["scores"].values(),
            *results["types"].values(),
            results["outcomes"],
            results["frequent"],
            results["sentences"]["systems"],
        ]
        for part in parts:
            del part[other]
        for slice_ in results["slices"]:
            for bin_ in slice_["bins"]:
                for scores in bin_["scores"].values():
                    scores.pop(other, None)
    add_rank_ranges(results)
    return results


def many_results(n_systems: int, n_metrics: int) -> Results:
    """Make a document of many systems and metrics, with a test of every pair."""
    results = example_results(3)
    names = [f"system-{number}" for number in range(n_systems)]
    metrics = [f"m{number}" for number in range(n_metrics)]
    results["systems"] = names
    results["metrics"] = [
        _metric(name, f"Metric {name}", "F0.5", ["precision", "recall"], has_edits=False)
        for name in metrics
    ]
    results["scores"] = {
        metric: {
            name: {
                "score": 0.5 - place / 97,
                "interval": (0.48 - place / 97, 0.52 - place / 97),
                "parts": {},
                "rank": place + 1,
                "rank_range": (1, n_systems),
                "cluster": 1,
            }
            for place, name in enumerate(names)
        }
        for metric in metrics
    }
    results["comparisons"] = {
        metric: [
            {
                "first": first,
                "second": second,
                "difference": -1 / 97,
                "interval": (-0.0312345678, 0.0112345678),
                "p": 0.0412345678,
                "p_adjusted": 0.412345678,
            }
            for first, second in combinations(names, 2)
        ]
        for metric in metrics
    }
    results["outcomes"] = {}
    for baseline in results["baselines"]:
        baseline["scores"] = dict.fromkeys(metrics, 0.25)
    return results


def _input(role: str, name: str, sentences: int, edits: int | None) -> Any:
    return {
        "role": role,
        "name": name,
        "file": f"{name}.{'m2' if role == 'gold' else 'txt'}",
        "sha256": f"{abs(sentences * 7919):064x}",
        "sentences": sentences,
        "tokens": sentences * 6,
        "edits": edits,
    }


def _metric(name: str, title: str, score_name: str, parts: list[str], *, has_edits: bool) -> Any:
    return {
        "name": name,
        "title": title,
        "score_name": score_name,
        "signature": f"{name}|sents:60|version:{__version__}",
        "parts": parts,
        "has_edits": has_edits,
        "beta": 0.5 if has_edits else None,
    }


def _system(
    source: list[str],
    golds: list[list[GoldEdit]],
    skill: tuple[float, float],
    chance: random.Random,
) -> SystemSentences:
    finds, breaks = skill
    all_edits: list[list[EditRecord]] = []
    all_missed: list[list[MissedEdit]] = []
    for text, gold in zip(source, golds, strict=True):
        edits: list[EditRecord] = []
        missed: list[MissedEdit] = []
        for number, (start, end, correction, type_number) in enumerate(gold):
            if chance.random() < finds:
                edits.append((start, end, correction or "", 0, type_number, number))
            elif chance.random() < breaks:
                edits.append((start, end, "oops", 1, -1, number))
                missed.append((number, 1))
            else:
                missed.append((number, 0))
        if chance.random() < breaks:
            last = len(text.split()) - 1
            edits.append((last, last + 1, "!", 2, -1, -1))
        all_edits.append(edits)
        all_missed.append(missed)
    f_scores = [
        _f(sum(edit[3] == 0 for edit in edits), len(edits), len(gold))
        for edits, gold in zip(all_edits, golds, strict=True)
    ]
    return {
        "output": [
            _applied(text, edits) if edits else 0
            for text, edits in zip(source, all_edits, strict=True)
        ],
        "chosen": [0] * len(source),
        "edits": all_edits,
        "missed": all_missed,
        "counts": [
            [
                (sum(edit[3] == 0 for edit in edits), len(edits), len(gold)),
                (sum(edit[5] == 0 for edit in edits if edit[3] == 0), len(edits), len(gold[:1])),
            ]
            for edits, gold in zip(all_edits, golds, strict=True)
        ],
        "scores": {
            "m2": [round(score, 5) for score in f_scores],
            "gleu": [round(0.4 + score / 2 + chance.random() / 10, 5) for score in f_scores],
        },
    }


def _applied(text: str, edits: list[EditRecord]) -> str:
    words = text.split()
    for start, end, correction, *_ in reversed(edits):
        words[start:end] = correction.split()
    return " ".join(words)


def _f(correct: int, proposed: int, gold: int) -> float:
    precision = correct / proposed if proposed else 1.0
    recall = correct / gold if gold else 1.0
    whole = 0.25 * precision + recall
    return 1.25 * precision * recall / whole if whole else 0.0


def _types(system: SystemSentences, golds: list[list[GoldEdit]]) -> dict[str, TypeRecord]:
    found = Counter(edit[4] for edits in system["edits"] or [] for edit in edits if edit[3] == 0)
    wanted = Counter(edit[3] for gold in golds for edit in gold)
    return {
        name: {
            "tp": found[number],
            "fp": None,
            "fn": wanted[number] - found[number],
            "gold": wanted[number],
            "precision": None,
            "recall": found[number] / wanted[number] if wanted[number] else None,
            "f": None,
        }
        for number, name in enumerate(TYPES)
    }


def _outcomes(system: SystemSentences) -> dict[str, int]:
    made = Counter(edit[3] for edits in system["edits"] or [] for edit in edits)
    missed = sum(replaced == 0 for edits in system["missed"] or [] for _, replaced in edits)
    return {"correct": made[0], "wrong fix": made[1], "wrong": made[2], "missed": missed}


def _frequent(system: SystemSentences, source: list[str], golds: list[list[GoldEdit]]) -> Any:
    places: dict[str, dict[tuple[str, str], list[int]]] = {"wrong": {}, "missed": {}, "correct": {}}
    for number, text in enumerate(source):
        words = text.split()
        for start, end, new, outcome, *_ in (system["edits"] or [])[number]:
            kind = "correct" if outcome == 0 else "wrong"
            old = " ".join(words[start:end])
            places[kind].setdefault((old, new), []).append(number)
        for gold_number, _ in (system["missed"] or [])[number]:
            start, end, correction, _ = golds[number][gold_number]
            key = (" ".join(words[start:end]), correction or "")
            places["missed"].setdefault(key, []).append(number)
    return {
        kind: [
            (old, new, len(numbers), numbers[:50])
            for (old, new), numbers in sorted(found.items(), key=lambda item: -len(item[1]))[:30]
        ]
        for kind, found in places.items()
    }


def _add_scores(results: Results) -> None:
    """Fill in what is told of whole systems."""
    sentences = results["sentences"]["systems"]
    for metric in ("m2", "gleu"):
        means = {
            name: sum(float(x or 0) for x in system["scores"][metric])
            / len(sentences[name]["output"])
            for name, system in sentences.items()
        }
        order = sorted(means, key=lambda name: -means[name])
        results["scores"][metric] = {
            name: {
                "score": mean,
                "interval": (max(0.0, mean - 0.04), min(1.0, mean + 0.04)),
                "parts": {"precision": mean, "recall": mean / 2} if metric == "m2" else {},
                "rank": order.index(name) + 1,
                "cluster": order.index(name) + 1,
            }
            for name, mean in means.items()
        }
        names = results["systems"]
        results["comparisons"][metric] = [
            {
                "first": first,
                "second": second,
                "difference": means[second] - means[first],
                "interval": (
                    means[second] - means[first] - 0.03,
                    means[second] - means[first] + 0.03,
                ),
                "p": 0.001,
                "p_adjusted": 0.003,
            }
            for index, first in enumerate(names)
            for second in names[index + 1 :]
        ]
    bins = [
        {
            "label": label,
            "sentences": len(results["sentences"]["source"]) // 2,
            "scores": {
                metric: {name: record["score"] for name, record in records.items()}
                for metric, records in results["scores"].items()
            },
        }
        for label in ("1–6", "7–12")
    ]
    results["slices"] = [
        {"name": "length", "title": "By length", "label": "tokens", "bins": bins}  # type: ignore[typeddict-item]
    ]
