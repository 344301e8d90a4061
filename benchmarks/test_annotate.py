"""Speed of extraction against ``errant`` in the same run, and memory over a large file."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from conftest import find_shared_data
from geceval import Corpus, Edit, Hypothesis
from geceval.engines.blas import one_blas_thread
from geceval.extraction.align import align_pairs
from geceval.extraction.annotator import CHUNK, Annotator
from geceval.extraction.files import ExtractionSettings, annotate_files
from geceval.extraction.lang.en.analyzer import installed_model, load_analyzer
from geceval.formats import Findings, load
from geceval.model import Tokens

SENTENCES = 1_000_000
SAMPLE = 2048
"""Pairs that errant's slow alignment is timed on."""

ROUNDS = 9
"""Runs with one thread, and with two, that are compared."""

Pairs = list[tuple[Tokens, Tokens]]


def cpu(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def wall(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@pytest.fixture(scope="module")
def rows(two_annotators: Corpus, systems: list[Hypothesis]) -> list[tuple[Tokens, ...]]:
    """Each source of CoNLL-2014 with the output of its 12 systems."""
    outputs = (hypothesis.sentences for hypothesis in systems)
    return list(zip(two_annotators.sources, *outputs, strict=True))


@pytest.fixture(scope="module")
def pairs(rows: list[tuple[Tokens, ...]]) -> Pairs:
    return [(source, target) for source, *targets in rows for target in targets]


@pytest.fixture(scope="module")
def errant() -> Any:
    """The original, with the same model."""
    package = pytest.importorskip("errant")
    spacy = pytest.importorskip("spacy")
    return package.load("en", spacy.load(installed_model(), disable=["ner"]))


def of_errant(errant: Any, source: Any, target: Tokens) -> tuple[Edit, ...]:
    corrected = errant.parse(" ".join(target))
    return tuple(
        Edit(edit.o_start, edit.o_end, (tuple(edit.c_str.split()),), edit.type)
        for edit in errant.annotate(source, corrected)
    )


def write(rows: Sequence[tuple[Tokens, ...]], folder: Path) -> list[Path]:
    """Write a file for the sources and one for each correction."""
    paths = [folder / f"{number}.txt" for number in range(len(rows[0]))]
    for path, sentences in zip(paths, zip(*rows, strict=True), strict=True):
        path.write_text("".join(" ".join(tokens) + "\n" for tokens in sentences), encoding="utf-8")
    return paths


@pytest.fixture(scope="module")
def references() -> list[tuple[Tokens, ...]]:
    """Each source of JFLEG with its four references."""
    folder = find_shared_data()
    if folder is None:
        pytest.skip("JFLEG not found: set GECEVAL_DATA")
    paths = [folder / "jfleg" / "dev.src", *sorted((folder / "jfleg").glob("dev.ref*"))]
    texts = [path.read_text(encoding="utf-8").splitlines() for path in paths]
    return [tuple(tuple(line.split()) for line in lines) for lines in zip(*texts, strict=True)]


@pytest.mark.parametrize(("name", "least"), [("rows", 18), ("references", 12)])
def test_ratio_to_errant(
    benchmark: Any,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    errant: Any,
    capsys: pytest.CaptureFixture[str],
    name: str,
    least: float,
) -> None:
    """CPU time of one process for the whole job, from cold, edits and types equal.

    ``errant`` gets each source parsed once, as its own command does, and numpy one thread, so
    that no others wait for work at its cost.
    """
    rows: list[tuple[Tokens, ...]] = request.getfixturevalue(name)
    paths = write(rows, tmp_path)
    target = tmp_path / "out.m2"

    def ours() -> None:
        annotate_files(paths, target, format="parallel", settings=ExtractionSettings("en"))

    def original() -> list[tuple[Edit, ...]]:
        edits = []
        for source, *targets in rows:
            parsed = errant.parse(" ".join(source))
            edits += [of_errant(errant, parsed, corrected) for corrected in targets]
        return edits

    load_analyzer()  # Not the first to import spaCy, nor to check itself.
    seconds, _ = cpu(lambda: benchmark.pedantic(ours, rounds=1))
    loading, _ = cpu(ExtractionSettings("en").annotator)
    with one_blas_thread():
        slow, expected = cpu(original)
    corpus = load(target, findings=Findings())
    found = [ann.edits for sent in corpus for ann in sent.annotations]
    assert found == expected
    n_changed = sum(source != corrected for source, *all_ in rows for corrected in all_)
    with capsys.disabled():
        print(
            f"\n{len(found):,} pairs, {n_changed:,} changed, {sum(map(len, found)):,} edits equal: "
            f"ours {seconds:.2f} s of CPU ({loading:.2f} s of it to load the model), "
            f"errant {slow:.1f} s (without loading), ratio {slow / seconds:.1f}, without loading "
            f"{slow / (seconds - loading):.1f}; {n_changed / seconds:,.0f} changed pairs a second, "
            f"without loading {n_changed / (seconds - loading):,.0f}"
        )
    assert slow / (seconds - loading) >= least


def test_words_a_second(
    benchmark: Any,
    references: list[tuple[Tokens, ...]],
    capsys: pytest.CaptureFixture[str],
    seconds: Callable[..., float],
) -> None:
    """Analyzing alone, one core, from cold, each sentence once; at least 40,000."""
    sentences = list(dict.fromkeys(sentence for row in references for sentence in row))
    n_words = sum(map(len, sentences))
    analyzer = load_analyzer()
    cold = seconds(
        lambda: benchmark.pedantic(lambda: analyzer.analyze(sentences), rounds=1), rounds=1
    )
    again = seconds(lambda: analyzer.analyze(sentences), rounds=1)
    with capsys.disabled():
        print(
            f"\n{len(sentences):,} sentences, {n_words / cold:,.0f} words a second from cold, "
            f"{n_words / again:,.0f} when the words are known"
        )
    assert n_words / cold >= 40_000


def test_two_threads(
    benchmark: Any,
    rows: list[tuple[Tokens, ...]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Wall time without loading, so only an idle machine with two cores tells the truth.

    Runs of one and of two threads take turns, for a machine is not always equally fast.
    """
    paths = write(rows, tmp_path)

    def run(jobs: int) -> None:
        annotate_files(
            paths,
            tmp_path / "out.m2",
            format="parallel",
            settings=ExtractionSettings("en"),
            jobs=jobs,
        )

    load_analyzer()  # Not the first to import spaCy, nor to check itself.
    ones, twos = [], []
    for _ in range(ROUNDS):
        loading = wall(ExtractionSettings("en").annotator)
        ones.append(wall(lambda: run(1)) - loading)
        twos.append(wall(lambda: run(2)) - loading)
    benchmark.pedantic(lambda: None, rounds=1)
    ratios = sorted(one / two for one, two in zip(ones, twos, strict=True))
    with capsys.disabled():
        print(
            f"\none thread {median(ones):.2f} s, two threads {median(twos):.2f} s (medians of "
            f"{ROUNDS}), ratio {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        )
    assert median(ratios) >= 1.4


def test_start(
    benchmark: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    seconds: Callable[..., float],
) -> None:
    """CPU time of ``geceval annotate`` on one sentence, from nothing to the end; at most 1.5 s."""
    paths = write([(("He", "go", "home"), ("He", "goes", "home"))], tmp_path)
    command = [sys.executable, "-m", "geceval", "annotate", "--src", str(paths[0])]
    command += ["--cor", str(paths[1]), "-o", str(tmp_path / "out.m2")]
    # The first one may have to check itself.
    taken = seconds(partial(subprocess.run, command, check=True, capture_output=True), rounds=3)
    benchmark.pedantic(lambda: None, rounds=1)
    with capsys.disabled():
        print(f"\none sentence from the command line: {taken:.2f} s of CPU")
    assert taken <= 1.5


def test_ratio_of_aligning(
    benchmark: Any, pairs: Pairs, errant: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same pairs, already analyzed, as many at a time as usual; at least 100 times."""
    sample = [pair for pair in pairs if pair[0] != pair[1]][:SAMPLE]
    annotator = Annotator("en")
    chunks = [annotator.analyze(sample[at : at + CHUNK]) for at in range(0, len(sample), CHUNK)]
    parsed = [tuple(errant.parse(" ".join(tokens)) for tokens in pair) for pair in sample]

    def ours() -> None:
        for chunk in chunks:
            align_pairs(chunk)

    seconds = min(cpu(ours)[0] for _ in range(10))
    slow, _ = cpu(lambda: [errant.align(*pair) for pair in parsed])
    benchmark(ours)
    with capsys.disabled():
        print(
            f"\n{len(sample):,} pairs aligned: ours {1000 * seconds:.0f} ms, "
            f"errant {1000 * slow:,.0f} ms, ratio {slow / seconds:.0f}"
        )
    assert slow / seconds >= 100


# Of a new process, getrusage tells the peak of the one that started it as well.
MEASURE = """
import re, sys, time
from pathlib import Path
from geceval.extraction.files import ExtractionSettings, annotate_files
start = time.process_time()
annotate_files(sys.argv[1:3], sys.argv[3], format="parallel", settings=ExtractionSettings("plain"))
seconds = time.process_time() - start
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
print(seconds, peak / 1024)
"""


def test_memory_over_a_million_pairs(
    benchmark: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    write_pairs: Callable[[Path, int], list[Path]],
) -> None:
    """Ten times the pairs, the same memory, once everything that is remembered is full."""
    figures = []
    for n_pairs in (SENTENCES // 10, SENTENCES):
        paths = write_pairs(tmp_path, n_pairs)
        command = [sys.executable, "-c", MEASURE, *map(str, paths), str(tmp_path / "out.m2")]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603
        seconds, peak = map(float, done.stdout.split())
        figures.append((n_pairs, n_pairs / seconds, peak))
    benchmark.pedantic(lambda: None, rounds=1)
    with capsys.disabled():
        for n_pairs, rate, peak in figures:
            print(f"\n{n_pairs:,} pairs: {rate:,.0f} a second, {peak:.0f} MB at the peak", end="")
        print()
    assert figures[1][2] - figures[0][2] < 20
