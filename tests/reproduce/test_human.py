"""Published human rankings, and table 1 of Choshen and Abend (2018), ours beside the paper's.

The headings GJG15 and NSPT15 of table 1 are interchanged: the released script loads the file of
the one for the other. The values tell so, too. Spearman's ρ of n systems without ties is
1 - 6 D / (n³ - n) with an even D. Of the nine values in the column GJG15, eight can be of 14
systems and none of 13; those of NSPT15 can all be of 13 systems. But GJG15 judged 13 systems and
NSPT15 judged 14. Here the headings are put right.

The fourteenth system is refmix1, whose output is not published; the correction of official
annotator 0 stands for it, as in the released code.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

import pytest

import geceval
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.formats import Findings
from geceval.grammar.languagetool.install import find_installation
from geceval.metaeval.human.judgment_files import load_judgments
from geceval.metaeval.human.judgments import Judgments
from geceval.metaeval.human.rankings import Outcomes
from geceval.metaeval.human.released_table import released_correlations
from geceval.metaeval.human.study import HumanStudy, load_systems, study
from geceval.metaeval.human.trueskill import trueskill
from geceval.metaeval.maege.protocol import PROTOCOLS
from geceval.model import Corpus, Hypothesis
from human_examples import check_ranges, published_scores

if TYPE_CHECKING:
    from pathlib import Path

    from geceval.metrics.base import Metric

pytestmark = pytest.mark.reproduce

# Combined with its p-value, and the columns that are headed GJG15 and NSPT15.
TABLE_1 = {
    "gleu": (0.771, 0.001, 0.512, 0.758),
    "grammar": (0.692, 0.006, 0.358, 0.615),
    "m2": (0.626, 0.017, 0.398, 0.703),
    "sari": (0.596, 0.025, 0.323, 0.599),
    "maxsari": (0.552, 0.041, 0.292, 0.577),
    "ld-reference": (0.191, 0.513, 0.350, -0.187),
    "bleu": (0.143, 0.626, 0.455, -0.126),
    "ibleu": (-0.059, 0.840, 0.226, -0.462),
    "ld-source": (-0.481, 0.081, -0.178, -0.505),
}
MIXTURE = "refmix1"
SETS = ("combined", "GJG15", "NSPT15")
OFFICIAL = ("BN3", "BN7")
"""Of the ten corrections, those that are the official ones; the eight others are references."""


def show(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def values_of(n_systems: int) -> set[float]:
    """Every ρ, to three digits, that a ranking of so many systems without ties can have."""
    whole = n_systems**3 - n_systems
    return {round(1 - 6 * d / whole, 3) for d in range(0, whole // 3 + 1, 2)}


def test_human_columns_of_table_1_are_interchanged() -> None:
    fits = {
        (column, n): sum(line[place] in values_of(n) for line in TABLE_1.values())
        for column, place in (("combined", 0), ("GJG15", 2), ("NSPT15", 3))
        for n in (13, 14)
    }
    show("\nTable 1: values that a ranking of n systems can have, of 9")
    for (column, n), count in fits.items():
        show(f"{column:9} n = {n}: {count}")
    assert list(fits.values()) == [3, 9, 0, 8, 9, 2]


def load(path: Path) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", geceval.GecevalWarning)
        return geceval.load(path)


@pytest.fixture(scope="module")
def judgments(shared_data: Path) -> list[Judgments]:
    folder = shared_data / "conll14" / "human"
    files = {"GJG15": "gjg15-judgments.xml", "NSPT15": "nspt15-judgments.csv"}
    return [load_judgments(folder / file, name) for name, file in files.items()]


def corrections(shared_data: Path, name: str) -> list[tuple[str, ...]]:
    text = (shared_data / "conll14" / "gold" / f"{name}.txt").read_text(encoding="utf-8")
    return [tuple(line.split()) for line in text.removesuffix("\n").split("\n")]


@pytest.fixture(scope="module")
def gold(shared_data: Path) -> Corpus:
    """The eight corrections that are not the official ones."""
    corpus = load(shared_data / "conll14" / "gold" / "bryant-ng-10.m2").fill_missing()
    official = [corrections(shared_data, name) for name in OFFICIAL]
    texts = corpus.references()
    ours = sorted(
        texts,
        key=lambda name: max(
            sum(one == other for one, other in zip(texts[name], file, strict=True))
            for file in official
        ),
    )
    return corpus.keep_annotators(ours[: -len(OFFICIAL)])


@pytest.fixture(scope="module")
def systems(shared_data: Path, gold: Corpus, judgments: list[Judgments]) -> list[Hypothesis]:
    folder = shared_data / "conll14" / "systems"
    names = sorted({name for one in judgments for name in one.systems})
    loaded = load_systems(folder, names, gold, Findings())
    return [*loaded, Hypothesis(MIXTURE, tuple(corrections(shared_data, "official-2014.ref0")))]


@pytest.fixture(scope="module")
def released_gold(shared_data: Path, gold: Corpus) -> Corpus:
    """Official annotator 1, and all ten of Bryant and Ng."""
    names = ("official-2014.ref1", *(f"BN{number}" for number in range(1, 11)))
    return Corpus.from_texts(
        map(" ".join, gold.sources),
        *(map(" ".join, corrections(shared_data, name)) for name in names),
    )


def metrics() -> list[Metric]:
    """Those of the paper; LanguageTool where it is installed."""
    names = [name for name in TABLE_1 if name != "grammar"]
    # BLEU is a mean of sentences, as in the paper.
    found = make_metrics(names, {"average": "sentence", "missing": "noop"})
    if find_installation() is not None:
        found += make_metrics(["grammar"], {"checker": "languagetool"})
    return found


def variants() -> list[Metric]:
    """The two metrics about which the paper says one thing and its formula another."""
    settings = {"average": "sentence", "source_term": "reward", "length": "second"}
    return make_metrics(["ibleu", "ld-reference"], settings)


def released_metrics() -> list[Metric]:
    """Those of the paper that need no other program, with the options of the released code."""
    names = [name for name in TABLE_1 if name != "grammar"]
    metrics = make_metrics(names, {"average": "sentence"})
    return [PROTOCOLS["released"].variant(metric) for metric in metrics]


def correlations(found: HumanStudy, metric: str) -> list[float]:
    """Return ρ with TrueSkill in the combined set, in GJG15 and in NSPT15."""
    gjg15, nspt15, combined = (
        next(each for each in one.correlations["TrueSkill"] if each.metric == metric)
        for one in found.sets
    )
    return [one.coefficients["spearman"].value for one in (combined, gjg15, nspt15)]


def in_paper(metric: str) -> list[float]:
    combined, _, nspt15, gjg15 = TABLE_1[metric]
    return [combined, gjg15, nspt15]


def show_table(rows: dict[str, list[list[float]]], *titles: str) -> None:
    show(f"{'':13}" + "".join(f"   {title:>{7 * len(titles)}}" for title in SETS))
    show(f"{'':13}" + f"   {''.join(f'{title[:6]:>7}' for title in titles)}" * len(SETS))
    for metric, columns in rows.items():
        cells = (
            "".join(f"{column[place]:7.3f}" for column in columns) for place in range(len(SETS))
        )
        show(f"{metric:13}" + "".join(f"   {cell}" for cell in cells))


def check_headings(rows: dict[str, list[list[float]]]) -> None:
    """Check that both single sets are closer to the paper's with the headings put right."""
    right = wrong = 0.0
    for (_, gjg15, nspt15), (_, own_gjg15, own_nspt15), *_ in rows.values():
        right += abs(gjg15 - own_gjg15) + abs(nspt15 - own_nspt15)
        wrong += abs(gjg15 - own_nspt15) + abs(nspt15 - own_gjg15)
    means = right / len(rows) / 2, wrong / len(rows) / 2
    show("mean difference to the paper {:.3f}, with its headings {:.3f}".format(*means))
    assert right < wrong


def test_human_table_1(judgments: list[Judgments], gold: Corpus, systems: list[Hypothesis]) -> None:
    used = metrics()
    few = Resampling(10)
    whole = study(judgments, gold, systems, used, resampling=few)
    alone = study(judgments, gold, systems[:-1], used, resampling=few)
    assert [len(one.systems) for one in whole.sets] == [13, 14, 14]
    rows = {
        metric.name: [
            in_paper(metric.name),
            correlations(whole, metric.name),
            correlations(alone, metric.name),
        ]
        for metric in used
    }
    show("\nTable 1, Spearman's ρ with TrueSkill, headings put right; 'alone' is without refmix1")
    show_table(rows, "paper", "ours", "alone")
    if "grammar" not in rows:
        show("grammar       left out, for LanguageTool is not installed")
    check_headings(rows)


def test_human_table_1_as_released(
    judgments: list[Judgments], released_gold: Corpus, systems: list[Hypothesis]
) -> None:
    found = released_correlations(judgments, released_gold, systems, released_metrics())
    rows = {
        metric: [in_paper(metric), [found[name][metric].value for name in SETS]]
        for metric in found["GJG15"]
    }
    show("\nTable 1 as released, headings put right")
    show_table(rows, "paper", "ours")
    check_headings(rows)
    # A prototype gave the same in single sets; all other values are near the paper's, and equal
    # neither to them nor to those of the prototype (see the guide).
    assert rows["ld-source"][1][1:] == pytest.approx([-0.473, -0.169], abs=0.0005)


@pytest.mark.parametrize("name", ["GJG15", "edit", "sent"])
def test_human_trueskill_by_1000_runs(shared_data: Path, name: str) -> None:
    if name == "GJG15":
        folder = shared_data / "conll14" / "human"
        outcomes = Outcomes.of(load_judgments(folder / "gjg15-judgments.xml", name))
        published = published_scores(folder / "gjg15-trueskill.tsv")
    else:
        folder = shared_data / "seeda"
        outcomes = Outcomes.of(load_judgments(folder / f"judgments_{name}.xml", name))
        numbers = (folder / f"scores/human/TS_{name}.txt").read_text().split()
        published = dict(zip(outcomes.systems, map(float, numbers), strict=True))
    show(f"\nTrueSkill of {name}: published, simulated, limit, ranks")
    limit = trueskill(outcomes)
    found = trueskill(outcomes, procedure="simulated", jobs=2)
    for system, score in found.scores.items():
        one = found.ranges[system]
        ranks = f"{one.best}-{one.worst}"
        numbers = [f"{value:7.4f}" for value in (published[system], score, limit.scores[system])]
        show(f"{system:13} {' '.join(numbers)} {ranks:>6} {one.cluster}")
    assert found.scores == pytest.approx(published, abs=0.002)
    assert limit.scores == pytest.approx(published, abs=0.003)
    # The printed ranges are not among the data; these can be compared with table 3c by eye.
    check_ranges(published, {system: found.ranges[system] for system in found.scores})
