"""Work that takes a minute or more in one kernel: run by tests that interrupt it.

``python long_work.py NAME WORKERS`` says "ready" when everything before the kernel is done.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable

import numpy as np

from geceval.extraction.align import align_pairs
from geceval.extraction.lang.analysis import Analysis
from geceval.kernels.chunk_choice import ChunkChoice
from geceval.kernels.skill_games import play, rate_in_order
from geceval.kernels.weighted_totals import choose_weighted
from geceval.metrics.base import Metric
from geceval.metrics.error_rates import TranslationEditRate
from geceval.metrics.imeasure import IMeasure
from geceval.metrics.maxmatch import M2
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, Tokens


def numbered(letter: str, size: int) -> Tokens:
    return tuple(f"{letter}{number}" for number in range(size))


def with_many_ties(n_sents: int) -> tuple[Corpus, Hypothesis]:
    """Sentences with very many references, of which very many are equally good."""
    chance = random.Random(1)
    words = [f"w{number}" for number in range(6)]
    tokens = tuple(chance.choices(words, k=120))
    readings = [
        Annotation(
            str(number),
            tuple(Edit(at, at + 1, ((chance.choice(words),),)) for at in range(0, 119, 2)),
        )
        for number in range(4)
    ]
    sent = Sentence(tokens, (*readings, Annotation("none")))
    output = tuple(chance.choices(words, k=120))
    return Corpus((sent,) * n_sents), Hypothesis("h", (output,) * n_sents)


def search(workers: int) -> Callable[[], object]:
    """I-measure, with a limit that is never reached."""
    metric = IMeasure(limit=10**12, jobs=workers)
    return lambda: metric.statistics(*with_many_ties(100))


def three_way(workers: int) -> Callable[[], object]:
    """I-measure without mixing: alignments of three sentences that share no word."""
    edit = Edit(0, 300, (numbered("c", 300),))
    sent = Sentence(numbered("a", 300), (Annotation("0", (edit,)),))
    return counting(IMeasure(mix=False, jobs=workers), sent, numbered("b", 300), 1000)


def paths(workers: int, level: str = "correction", size: int = 700) -> Callable[[], object]:
    """M²: sentences that share no word with their correction."""
    edits = tuple(Edit(at, at + 1, ((f"b{at}",),)) for at in range(0, size, 70))
    readings = tuple(Annotation(str(number), edits) for number in range(3))
    metric = M2(level=level, jobs=workers)  # type: ignore[arg-type]
    return counting(metric, Sentence(numbered("a", size), readings), numbered("b", size), 1000)


def shifts(workers: int) -> Callable[[], object]:
    """TER: shuffled sentences, whose blocks may be shifted anywhere."""
    words = numbered("a", 1000)
    sent = Sentence(words, (Annotation("0"),))
    shuffled = tuple(random.Random(1).sample(words, len(words)))
    return counting(TranslationEditRate(jobs=workers), sent, shuffled, 2000)


def alignment(_: int) -> Callable[[], object]:
    """The linguistic alignment of sentences that share no word."""
    pair = Analysis.plain(numbered("a", 900)), Analysis.plain(numbered("b", 900))
    return lambda: list(align_pairs([pair] * 1000, method="linguistic"))


def chunks(_: int) -> Callable[[], object]:
    """CLEME: the choice of references in many samples of sentences with many chunks."""
    counts = np.ones((1000, 16, 107), dtype=np.int64)
    # Equal references would not be compared.
    counts[:, :, -1] += 4 * np.arange(16)
    weights = ((2.0, 0.75, 1.25),) * 3
    choice = ChunkChoice(counts, np.ones((1000, 16), dtype=np.uint8), weights=weights)
    return lambda: choice.resample(np.zeros((12_000, 1000), dtype=np.int64))


def weights(_: int) -> Callable[[], object]:
    """Choosing references by weights, in one huge sample of sentences after the other."""
    sums = np.arange(3000, dtype=np.float64).reshape(1, 1000, 3)
    rows = np.zeros((2000, 5000), dtype=np.int64)
    mask = np.ones(sums.shape[:2], dtype=np.uint8)
    return lambda: choose_weighted(sums, mask, rows, 0.5, by_errors=False)


def counting(metric: Metric, sent: Sentence, output: Tokens, times: int) -> Callable[[], object]:
    corpus, hypothesis = Corpus((sent,) * times), Hypothesis("h", (output,) * times)
    return lambda: metric.statistics(corpus, hypothesis)


def skill_games(_: int) -> Callable[[], object]:
    """TrueSkill: a run of very many games."""
    n = 10
    means, variances = np.zeros(n), np.full(n, 0.25)
    counts = np.ones((n, n), dtype=np.int64)
    chances = np.random.default_rng(1).random((1_000, 2))

    def run() -> None:
        for _ in range(1_000_000):
            play(means, variances, counts, counts, chances, 1e9, 1e8)

    return run


def rated_in_order(_: int) -> Callable[[], object]:
    """TrueSkill of a metric's sentence scores, in very many resamples."""
    outcomes = np.zeros((1_000, 45), dtype=np.int8)
    rows = np.zeros((10_000, 1_000), dtype=np.int64)
    return lambda: rate_in_order(outcomes, rows, 10, 0.25, 1e9, 1e8)


WORK: dict[str, Callable[[int], Callable[[], object]]] = {
    "search": search,
    "three-way": three_way,
    "paths": paths,
    "detection": lambda workers: paths(workers, "detection", 200),
    "alignment": alignment,
    "skill-games": skill_games,
    "rated-in-order": rated_in_order,
    "shifts": shifts,
    "chunks": chunks,
    "weights": weights,
}

if __name__ == "__main__":
    run = WORK[sys.argv[1]](int(sys.argv[2]))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    try:
        run()
    except KeyboardInterrupt:
        sys.exit(130)
    sys.stdout.write("done\n")
