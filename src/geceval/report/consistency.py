"""Validate results beyond their types: names, sizes and indices must be consistent.

Results files may be untrusted; those that pass can be rendered without an error.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from geceval.evaluation.influence import DEFAULT_LISTED
from geceval.metrics.views import ChunkClass
from geceval.report.implausible import implausible_numbers
from geceval.report.outcomes import FREQUENT, OUTCOMES
from geceval.report.results import (
    AnnotationRecord,
    ComparisonRecord,
    Results,
    ScoreRecord,
    SentenceChunks,
    SystemSentences,
)
from geceval.report.score_records import has_rank_ranges, recorded_ranges

_N_CLASSES = len(get_args(ChunkClass))
_ROUNDING = 1e-9

_MAX_NUMBER = 2**53
"""Beyond it, floats cannot represent all integers."""


def find_problem(results: Results) -> str | None:
    """Return the first inconsistency of a document, or None.

    Examples
    --------
    >>> from geceval.report.collect import collect
    >>> from geceval import Corpus, Hypothesis, Sentence, Annotation
    >>> from geceval.metrics import metric_class
    >>> corpus = Corpus((Sentence(("Fine",), (Annotation("0"),)),))
    >>> results = collect(corpus, [Hypothesis("ours", (("Fine",),))], [metric_class("m2")()])
    >>> find_problem(results)
    >>> results["sentences"]["source"].append("one more")
    >>> find_problem(results)
    'sentences.gold has 1 entries instead of 2'
    """
    return next(_problems(results), None)


def _problems(results: Results) -> Iterator[str]:
    metrics = [metric["name"] for metric in results["metrics"]]
    systems = results["systems"]
    for name, listed in (("metrics", metrics), ("systems", systems)):
        if not listed or len(set(listed)) < len(listed):
            yield f"{name} must be different ones, at least one"
    if results["edit_metric"] not in (None, *metrics):
        yield f"edit_metric names the unknown metric {results['edit_metric']!r}"
    if results.get("chunk_metric") not in (None, *metrics):
        yield f"chunk_metric names the unknown metric {results.get('chunk_metric')!r}"
    # Numbers come first: others compute with them.
    yield from _number_problems(results)
    yield from _score_problems(results, metrics, systems)
    yield from _influence_problems(results, metrics, systems)
    yield from _edit_problems(results, metrics, systems)
    yield from _agreement_problems(results, metrics)
    yield from _sentence_problems(results, metrics, systems)
    yield from _count_problems(results)
    yield from implausible_numbers(results)
    # The loader adds the ranges to older files.
    if has_rank_ranges(results):
        yield from _range_problems(results)


def _score_problems(
    results: Results, metrics: Sequence[str], systems: Sequence[str]
) -> Iterator[str]:
    yield from _keys("scores", results["scores"], metrics)
    yield from _keys("comparisons", results["comparisons"], metrics)
    for metric, scores in results["scores"].items():
        yield from _keys(f"scores.{metric}", scores, systems)
    for metric, rows in results["comparisons"].items():
        for row in rows:
            yield from _known(f"comparisons.{metric}", (row["first"], row["second"]), systems)
        yield from _comparison_problems(f"comparisons.{metric}", rows, results["scores"][metric])
    for metric, fewer in results.get("equal_references", {}).items():
        yield from _known("equal_references", [metric], metrics)
        yield from _keys(f"equal_references.{metric}", fewer, systems)
    for baseline in results["baselines"]:
        yield from _known("baselines.kind", [baseline["kind"]], ("floor", "ceiling"))
        yield from _keys("baselines.scores", baseline["scores"], metrics)
    yield from _slice_problems(results, metrics, systems)


def _slice_problems(
    results: Results, metrics: Sequence[str], systems: Sequence[str]
) -> Iterator[str]:
    names = [partition["name"] for partition in results["slices"]]
    if len(set(names)) < len(names):
        yield "slices must have different names"
    for partition in results["slices"]:
        where = f"slices.{partition['name']}"
        macro = [partition["macro"]] if "macro" in partition else []
        for subset in (*partition["bins"], *macro):
            for by_metric in (subset["scores"], subset.get("intervals", subset["scores"])):
                yield from _keys(where, by_metric, metrics)
                for found in by_metric.values():
                    yield from _keys(where, found, systems)


def _comparison_problems(
    where: str, rows: Sequence[ComparisonRecord], scores: Mapping[str, ScoreRecord]
) -> Iterator[str]:
    """Yield pairs that are missing or repeated, and numbers that contradict the scores."""
    pairs = {frozenset((row["first"], row["second"])) for row in rows}
    if rows and not len(rows) == len(pairs) == math.comb(len(scores), 2):
        yield f"{where} does not have each pair of systems once"
    for row in rows:
        if row["first"] == row["second"]:
            yield f"{where} compares {row['first']!r} with itself"
        elif not all(0 <= row[key] <= 1 for key in ("p", "p_adjusted")):
            yield f"{where} has a p-value that is not between 0 and 1"
        elif row["difference"] is not None:
            first, second = scores[row["first"]]["score"], scores[row["second"]]["score"]
            if first is None or second is None:
                yield f"{where} has a difference of unknown scores"
            elif abs(second - first - row["difference"]) > _ROUNDING * max(1.0, abs(second)):
                yield f"{where} has a difference that is not that of the scores"


def _count_problems(results: Results) -> Iterator[str]:
    """Yield numbers of sentences and edits that contradict the sentences."""
    n_sents = len(results["sentences"]["source"])
    for record in results["inputs"]:
        if record["sentences"] != n_sents:
            yield f"inputs has {record['sentences']} sentences of {record['name']!r}, not {n_sents}"
    for system, outcomes in results["outcomes"].items():
        view = results["sentences"]["systems"][system]
        found = Counter(OUTCOMES[edit[3]] for edits in view["edits"] or () for edit in edits)
        found["missed"] += sum(
            not is_replaced for missed in view["missed"] or () for _, is_replaced in missed
        )
        if any(found[name] != number for name, number in outcomes.items()):
            yield f"outcomes.{system} has other numbers than the edits of its sentences"


def _influence_problems(
    results: Results, metrics: Sequence[str], systems: Sequence[str]
) -> Iterator[str]:
    yield from _known("power", results.get("power", {}), metrics)
    yield from _known("influence", results.get("influence", {}), metrics)
    n_sents = len(results["sentences"]["source"])
    for metric, rows in results.get("influence", {}).items():
        for row in rows:
            yield from _known(f"influence.{metric}", (row["first"], row["second"]), systems)
            places = [place for place, _ in row["sentences"]]
            yield from _positions(f"influence.{metric}", places, n_sents)
            # The page shows all of them at once.
            if len(places) > DEFAULT_LISTED or len(set(places)) < len(places):
                yield f"influence.{metric} has too many sentences, or one of them twice"


def _edit_problems(
    results: Results, metrics: Sequence[str], systems: Sequence[str]
) -> Iterator[str]:
    yield from _known("types", results["types"], metrics)
    for metric, by_system in results["types"].items():
        yield from _keys(f"types.{metric}", by_system, systems)
    if "retyped" in results:
        yield from _keys("retyped", results["retyped"], systems)
    wanted = systems if results["edit_metric"] is not None else ()
    yield from _keys("outcomes", results["outcomes"], wanted)
    yield from _keys("frequent", results["frequent"], wanted)
    for system, outcomes in results["outcomes"].items():
        yield from _keys(f"outcomes.{system}", outcomes, OUTCOMES)
    n_sents = len(results["sentences"]["source"])
    for system, kinds in results["frequent"].items():
        yield from _keys(f"frequent.{system}", kinds, FREQUENT)
        for rows in kinds.values():
            for *_, positions in rows:
                yield from _positions(f"frequent.{system}", positions, n_sents)


def _agreement_problems(results: Results, metrics: Sequence[str]) -> Iterator[str]:
    found = results["agreement"]
    yield from _known("agreement", found["metrics"], metrics)
    for matrix in (found["systems"], found["sentences"]):
        if matrix is not None:
            yield from _size("agreement", matrix, len(found["metrics"]))
            for row in matrix:
                yield from _size("agreement", row, len(found["metrics"]))


def _sentence_problems(
    results: Results, metrics: Sequence[str], systems: Sequence[str]
) -> Iterator[str]:
    sentences = results["sentences"]
    n_sents = len(sentences["source"])
    yield from _size("sentences.gold", sentences["gold"], n_sents)
    if sentences["ids"] is not None:
        yield from _size("sentences.ids", sentences["ids"], n_sents)
    n_types, n_annotators = len(sentences["types"]), len(sentences["annotators"])
    n_tokens = [source.count(" ") + 1 if source else 0 for source in sentences["source"]]
    for gold in sentences["gold"]:
        for annotator, edits in gold:
            yield from _positions("sentences.gold", [annotator], n_annotators)
            yield from _positions("sentences.gold", [edit[3] for edit in edits], n_types)
            # Gold standards with edits past the end are scored, too, with a warning.
            yield from _spans("sentences.gold", edits, math.inf)
        if len({annotator for annotator, _ in gold}) < len(gold):
            yield "sentences.gold has an annotator twice in a sentence"
    if "retyped" in sentences:
        yield from _size("sentences.retyped", sentences["retyped"], n_sents)
        for gold, retyped in zip(sentences["gold"], sentences["retyped"], strict=False):
            yield from _size("sentences.retyped", retyped, len(gold))
            for (_, edits), types in zip(gold, retyped, strict=False):
                yield from _size("sentences.retyped", types, len(edits))
                yield from _positions("sentences.retyped", types, n_types)
    yield from _keys("sentences.systems", sentences["systems"], systems)
    for system, view in sentences["systems"].items():
        where = f"sentences.systems.{system}"
        yield from _keys(f"{where}.scores", view["scores"], metrics)
        yield from _view_problems(where, view, n_tokens, n_types, n_annotators)
        yield from _match_problems(where, view, sentences["gold"])
        yield from _share_problems(f"{where}.shares", view, n_sents)


def _view_problems(
    where: str,
    view: SystemSentences,
    n_tokens: Sequence[int],
    n_types: int,
    n_annotators: int,
) -> Iterator[str]:
    lists: list[Sequence[object] | None] = [
        view["output"], view["chosen"], view["edits"], view["missed"], view["counts"],
        *view["scores"].values(),
    ]  # fmt: skip
    for listed in lists:
        if listed is not None:
            yield from _size(where, listed, len(n_tokens))
    parts = [view[part] is None for part in ("chosen", "edits", "missed", "counts")]
    if any(parts) and not all(parts):
        yield f"{where} has some of chosen, edits, missed and counts only"
    if any(output != 0 for output in view["output"] if isinstance(output, int)):
        yield f"{where}.output has a number that is not 0"
    yield from _positions(where, view["chosen"] or (), n_annotators, least=-1)
    for edits, size in zip(view["edits"] or (), n_tokens, strict=False):
        yield from _positions(where, (edit[3] for edit in edits), len(OUTCOMES))
        yield from _positions(where, (edit[4] for edit in edits), n_types, least=-1)
        yield from _spans(where, edits, size)
    if "chunks" in view:
        yield from _chunk_problems(f"{where}.chunks", view["chunks"], n_tokens, n_annotators)


def _match_problems(
    where: str, view: SystemSentences, gold: Sequence[Sequence[AnnotationRecord]]
) -> Iterator[str]:
    """Yield references to gold edits that the chosen annotator does not have."""
    if view["chosen"] is None:
        return
    edits, missed = view["edits"] or (), view["missed"] or ()
    for readings, chosen, own, others in zip(gold, view["chosen"], edits, missed, strict=False):
        size = next((len(of_one) for annotator, of_one in readings if annotator == chosen), 0)
        yield from _positions(where, (edit[5] for edit in own), size, least=-1)
        yield from _positions(f"{where}.missed", (edit for edit, _ in others), size)


def _chunk_problems(
    where: str,
    sentences: Sequence[SentenceChunks | None],
    n_tokens: Sequence[int],
    n_annotators: int,
) -> Iterator[str]:
    yield from _size(where, sentences, len(n_tokens))
    for sentence, size in zip(sentences, n_tokens, strict=False):
        if sentence is not None:
            chosen, annotators, chunks = sentence
            yield from _positions(where, [chosen], n_annotators, least=-1)
            yield from _positions(where, annotators, n_annotators)
            yield from _positions(where, (kind for _, _, kind, *_ in chunks), _N_CLASSES)
            yield from _spans(where, chunks, size)
            for *_, texts in chunks:
                yield from _size(where, texts, len(annotators))


def _share_problems(where: str, view: SystemSentences, n_sents: int) -> Iterator[str]:
    if "shares" in view:
        yield from _size(where, view["shares"], n_sents)
        edits = view["edits"] or [[]] * n_sents
        for shares, own in zip(view["shares"], edits, strict=False):
            yield from _size(where, shares or own, len(own))


def _number_problems(results: Results) -> Iterator[str]:
    settings = results["settings"]
    if not 0 < settings["level"] < 1 or settings["resamples"] < 0 or settings["test_resamples"] < 0:
        yield "settings have a number out of range"
    shown = {key: value for key, value in results.items() if key != "sentences"}
    if any(abs(number) > _MAX_NUMBER for number in _numbers(shown)):
        yield f"a number is larger than {_MAX_NUMBER}"
    yield from _sentence_score_problems(results)
    for metric, scores in results["scores"].items():
        if any(min(record["rank"], record["cluster"]) < 1 for record in scores.values()):
            yield f"scores.{metric} has a rank or cluster below 1"
    for by_system in (*results["types"].values(), results.get("retyped", {})):
        for records in by_system.values():
            for one in records.values():
                if min(one["tp"], one["fp"] or 0, one["fn"], one["gold"]) < 0:
                    yield "types have a negative count"
    if any(count < 0 for counts in results["outcomes"].values() for count in counts.values()):
        yield "outcomes have a negative count"


def _sentence_score_problems(results: Results) -> Iterator[str]:
    for system, view in results["sentences"]["systems"].items():
        for values in (*view["scores"].values(), *view.get("shares", ())):
            if any(value is not None and abs(value) > _MAX_NUMBER for value in values or ()):
                yield f"sentences.systems.{system} has a score larger than {_MAX_NUMBER}"


def _range_problems(results: Results) -> Iterator[str]:
    for metric, scores in results["scores"].items():
        rows = results["comparisons"][metric]
        for system, own in recorded_ranges(scores, rows, results["settings"]["level"]).items():
            record = scores[system]
            if (record["rank_range"], record["cluster"]) != ((own.best, own.worst), own.cluster):
                yield (
                    f"scores.{metric} gives {system!r} other ranks or another cluster than its "
                    "comparisons do"
                )


def _numbers(value: object) -> Iterator[float]:
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers(one)


def _keys(where: str, found: Mapping[str, Any], wanted: Collection[str]) -> Iterator[str]:
    """Yield missing and unknown names."""
    if missing := [name for name in wanted if name not in found]:
        yield f"{where} lacks {missing[0]!r}"
    yield from _known(where, found, wanted)


def _known(where: str, found: Iterable[str], known: Collection[str]) -> Iterator[str]:
    for name in found:
        if name not in known:
            yield f"{where} names {name!r}, which is not known"


def _size(where: str, found: Sequence[object], size: int) -> Iterator[str]:
    if len(found) != size:
        yield f"{where} has {len(found)} entries instead of {size}"


def _positions(where: str, found: Iterable[int], size: int, *, least: int = 0) -> Iterator[str]:
    for position in found:
        if not least <= position < size:
            yield f"{where} has the position {position}, but there are {size}"


def _spans(where: str, edits: Iterable[Sequence[Any]], n_tokens: float) -> Iterator[str]:
    for start, end, *_ in edits:
        if not 0 <= start <= end <= n_tokens:
            yield f"{where} has the span {start} {end} in a sentence of {n_tokens} tokens"
