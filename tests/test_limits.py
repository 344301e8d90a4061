"""Sizes: what is too large is refused by name before any work, what is allowed is right."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from geceval import Annotation, Corpus, Edit, GecevalError, Hypothesis, Sentence
from geceval.cli import main
from geceval.extraction.annotator import Annotator
from geceval.extraction.explain import explain
from geceval.extraction.files import ExtractionSettings, annotate_files
from geceval.formats import load
from geceval.limits import (
    MAX_CELLS,
    TooLargeError,
    allow,
    check_pair,
    check_pairs,
    max_cells,
)
from geceval.metrics import metric_class
from geceval.metrics.maxmatch import M2

SHORT = Sentence(("a",), (Annotation("0", (Edit(0, 1, (("b",),)),)),))


def disjoint(n_source: int, n_output: int, *edits: Edit) -> tuple[Corpus, Hypothesis]:
    """A corpus whose second sentence has nothing in common with its output."""
    source = tuple(f"s{number}" for number in range(n_source))
    output = tuple(f"h{number}" for number in range(n_output))
    long = Sentence(source, (Annotation("0", edits),))
    return Corpus((SHORT, long), name="gold"), Hypothesis("ours", (("b",), output))


# The limit.


def test_limit_holds_in_its_context_only() -> None:
    assert max_cells() == MAX_CELLS
    with allow(cells=7):
        assert max_cells() == 7
        with allow(cells=9):
            assert max_cells() == 9
        assert max_cells() == 7
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(max_cells).result() == MAX_CELLS
    assert max_cells() == MAX_CELLS


def test_limit_is_positive() -> None:
    with pytest.raises(GecevalError, match="positive number of cells, not 0"), allow(cells=0):
        pass


def test_limit_counts_cells_and_tokens() -> None:
    """3 × 4 tokens: 4 × 5 cells, and 10 for each of 7 tokens."""
    with allow(cells=90):
        check_pair("abc", "defg")
    with allow(cells=89), pytest.raises(TooLargeError, match="3 × 4 tokens make 90 cells"):
        check_pair("abc", "defg")


def test_limit_does_not_hold_for_equal_sentences() -> None:
    with allow(cells=1):
        check_pairs("ours", ["same"] * 3, ["same"] * 3)


def test_limit_names_system_and_sentence() -> None:
    pairs = (["a", "abc", "a"], ["b", "defg", "c"])
    with allow(cells=50), pytest.raises(TooLargeError, match=r"^ours, sentence 2: 3 × 4 tokens"):
        check_pairs("ours", *pairs)
    with allow(cells=50), pytest.raises(TooLargeError, match=r"^ours, sentence 8: 3 × 4 tokens"):
        check_pairs("ours", *pairs, numbers=[3, 7, 9])


# Metrics.


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("m2", {}),
        ("m2", {"jobs": 2}),
        ("m2", {"level": "detection"}),
        ("m2", {"level": "recognition"}),
        ("m2", {"ignore_whitespace_casing": True}),
        ("wdiff", {}),
        ("errant", {"lang": "plain"}),
        ("errant", {"lang": "plain", "auto_gold": True}),
        ("imeasure", {}),
        ("imeasure", {"mix": False}),
        ("imeasure", {"mix": False, "jobs": 2}),
        ("gleu", {}),
        ("bleu", {}),
        ("sari", {}),
        ("ld-source", {}),
        ("ld-reference", {}),
        ("green", {}),
        ("green", {"unit": "char"}),
        ("gleu", {"variant": "gec-metrics", "unit": "char"}),
        ("chrf", {"order": 4}),
        ("ter", {}),
        ("ter", {"jobs": 2}),
        ("wer", {}),
        ("cer", {}),
    ],
)
def test_metrics_refuse_by_name_what_is_too_large(name: str, options: dict[str, Any]) -> None:
    corpus, output = disjoint(70, 60, *(Edit(i, i + 1, ((f"r{i}",),)) for i in range(70)))
    metric = metric_class(name)(**options)
    # The first sentence is allowed: where tokens are analyzed, they stand for more cells.
    with allow(cells=300 if name == "errant" else 40), pytest.raises(TooLargeError) as caught:
        metric.score(corpus, output)
    owner = "gold" if options.get("auto_gold") else "ours"
    assert str(caught.value).startswith(f"{owner}, sentence 2: ")
    assert str(caught.value).endswith("raise the limit with --max-cells")
    # What was refused is not remembered, and the limit can be lifted.
    with allow(cells=40 * MAX_CELLS):
        lifted = metric.score(corpus, output)
    assert lifted.parts == metric_class(name)(**options).score(corpus, output).parts


def test_metrics_refuse_at_the_default_limit() -> None:
    corpus, output = disjoint(6000, 6000)
    for name in ("m2", "imeasure"):
        with pytest.raises(TooLargeError, match=r"^ours, sentence 2: 6,000 × 6,000 tokens make"):
            metric_class(name)().score(corpus, output)


def test_maxmatch_level_refuses_too_many_states() -> None:
    """The matrix is small; with 40 gold edits to pass there are too many states."""
    corpus, output = disjoint(60, 60, *(Edit(i, i + 1, (("x",),)) for i in range(40)))
    detection = M2(level="detection")
    with (
        allow(cells=10_000),
        pytest.raises(TooLargeError, match="ours, sentence 2: comparing its edits takes too many"),
    ):
        detection.score(corpus, output)
    assert detection.score(corpus, output).parts["correct"] == 41


def test_maxmatch_refuses_too_many_steps() -> None:
    """A long correction that fits everywhere has to be looked at everywhere."""
    gold = Edit(0, 30, (("x",) * 30,))
    corpus = Corpus((Sentence(tuple(map(str, range(60))), (Annotation("0", (gold,)),)),))
    output = Hypothesis("ours", (("x",) * 60,))
    assert M2().score(corpus, output).parts["correct"] == 1
    with allow(cells=5_000):
        assert M2().score(corpus, output).parts["correct"] == 1
    many = Annotation("0", tuple(Edit(0, i, (("x",) * i,)) for i in range(20, 40)))
    with (
        allow(cells=5_000),
        pytest.raises(TooLargeError, match="comparing its edits takes too many cells"),
    ):
        M2().score(Corpus((Sentence(corpus.sources[0], (many,)),)), output)


@pytest.mark.parametrize("n_tokens", [2**19, 2**21, 2_200_000])
@pytest.mark.parametrize("level", ["correction", "recognition"])
def test_maxmatch_counts_millions_of_tokens(n_tokens: int, level: Any) -> None:
    """Costs were packed into fixed fields, and 2^21 tokens gave a recall of -1."""
    gold = Edit(0, 0, (("b",),))
    many = Hypothesis("ours", (("a",) * n_tokens,))
    corpus = Corpus((Sentence((), (Annotation("0", (gold,)),)),))
    metric = M2(level=level, max_unchanged=0)
    if n_tokens >= 2**21:
        with pytest.raises(TooLargeError, match=r"^ours, sentence 1: 0 × 2,\d{3},\d{3} tokens"):
            metric.score(corpus, many)
    with allow(cells=10 * MAX_CELLS):
        parts = metric.score(corpus, many).parts
    expected = 0 if level == "correction" else 1
    assert (parts["correct"], parts["proposed"], parts["gold"]) == (expected, 1, 1)
    assert parts["recall"] == expected


def test_maxmatch_refuses_what_no_integer_holds() -> None:
    """2^16 gold edits and 2^16 tokens do not fit, whatever is allowed."""
    gold = tuple(Edit(0, 0, (("b",),)) for _ in range(2**16))
    corpus = Corpus((Sentence((), (Annotation("0", gold),)),))
    with (
        allow(cells=2**62),
        pytest.raises(TooLargeError, match="ours, sentence 1: its edits are too many; split the"),
    ):
        M2().score(corpus, Hypothesis("ours", (("a",) * 2**16,)))


# Extraction.


def test_annotator_names_the_pair() -> None:
    pairs = [(("a",), ("b",)), (("a",) * 50, ("b",) * 50)]
    annotator = Annotator("plain")
    with allow(cells=1000), pytest.raises(TooLargeError, match=r"^sentence 2: 50 × 50 tokens"):
        list(annotator.annotate_pairs(pairs))
    with allow(cells=1000), pytest.raises(TooLargeError, match=r"^50 × 50 tokens"):
        explain(*pairs[1], annotator)


def test_annotator_refuses_to_search_long_for_transpositions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The walk along the diagonals of shuffled text is cubic, so the table is not all."""
    words = tuple(f"w{number}" for number in range(60))
    shuffled = tuple(words[(number * 7) % 60] for number in range(59, -1, -1))
    pairs = [(("a",), ("b",)), (words, shuffled)]
    assert len(list(Annotator("plain").annotate_pairs(pairs))) == 2
    monkeypatch.setattr("geceval.extraction.align.STEPS_PER_CELL", 1)
    with (
        allow(cells=61 * 61 + 120 * 100),
        pytest.raises(
            TooLargeError, match=r"^sentence 2: reordering 60 × 60 tokens takes too many"
        ),
    ):
        list(Annotator("plain").annotate_pairs(pairs))
    with allow(cells=61 * 61 + 120 * 100):
        assert len(list(Annotator("plain", align="levenshtein").annotate_pairs(pairs))) == 2


@pytest.mark.parametrize("jobs", [1, 2])
def test_annotate_files_names_the_line(tmp_path: Path, jobs: int) -> None:
    """Other processes know the limit, too."""
    (tmp_path / "src.txt").write_text("a\n" * 3 + "a " * 50 + "\n", encoding="utf-8")
    (tmp_path / "cor.txt").write_text("b\n" * 3 + "b " * 50 + "\n", encoding="utf-8")
    sources = [tmp_path / "src.txt", tmp_path / "cor.txt"]
    settings = ExtractionSettings(lang="plain")
    with allow(cells=1000), pytest.raises(GecevalError, match=r"^sentence 4: 50 × 50 tokens"):
        annotate_files(
            sources, tmp_path / "out.m2", settings=settings, format="parallel", jobs=jobs
        )
    with allow(cells=MAX_CELLS):
        result = annotate_files(
            sources, tmp_path / "lifted.m2", settings=settings, format="parallel", jobs=jobs
        )
    assert result.counts.sentences == 4


def test_readers_name_the_sentence(tmp_path: Path) -> None:
    (tmp_path / "src.txt").write_text("a\n" + "a " * 50 + "\n", encoding="utf-8")
    (tmp_path / "ref.txt").write_text("b\n" + "b " * 50 + "\n", encoding="utf-8")
    with (
        allow(cells=40),
        pytest.raises(TooLargeError, match=r"src.txt, sentence 2: 50 × 50 tokens make 3,601 cells"),
    ):
        load(tmp_path / "src.txt", tmp_path / "ref.txt")


# The command line.


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    source = " ".join(f"s{number}" for number in range(40))
    output = " ".join(f"h{number}" for number in range(40))
    gold = f"S a\nA 0 1|||X|||b|||REQUIRED|||-NONE-|||0\n\nS {source}\n\n"
    (tmp_path / "gold.m2").write_text(gold, encoding="utf-8")
    (tmp_path / "ours.txt").write_text(f"b\n{output}\n", encoding="utf-8")
    return ["--gold", str(tmp_path / "gold.m2"), str(tmp_path / "ours.txt")]


@pytest.mark.parametrize("command", ["score", "compare"])
def test_command_line_sets_the_limit(files: list[str], command: str) -> None:
    systems = [files[-1]] if command == "score" else [f"one={files[-1]}", f"two={files[-1]}"]
    arguments = [command, *files[:-1], *systems, "--resamples", "10"]
    fine = CliRunner().invoke(main, arguments)
    assert fine.exit_code == 0, fine.output
    refused = CliRunner().invoke(main, [*arguments, "--max-cells", "1000"])
    assert refused.exit_code == 1
    assert (
        "sentence 2: 40 × 40 tokens make 2,481 cells, more than the limit of 1,000"
        in refused.output
    )
    assert max_cells() == MAX_CELLS
    wrong = CliRunner().invoke(main, [*arguments, "--max-cells", "0"])
    assert wrong.exit_code == 2


@pytest.mark.parametrize(
    "command",
    [
        ["score"], ["compare"], ["report"], ["annotate"], ["explain"], ["convert"], ["check"],
        ["stats"], ["references"], ["metaeval", "maege"], ["metaeval", "human"],
        ["metaeval", "seeda"],
    ],
)  # fmt: skip
def test_every_command_that_compares_has_the_option(command: list[str]) -> None:
    result = CliRunner().invoke(main, [*command, "--help"])
    assert "--max-cells" in result.output


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "Error: not enough memory; lower --max-cells"),
        (MemoryError("ours, sentence 2: not enough memory"), "Error: ours, sentence 2: not enough"),
        (SystemError("error return without exception set"), "Error: not enough memory; lower"),
        (ImportError("failed to map segment from object"), "Error: not enough memory; lower"),
    ],
)
def test_command_line_tells_of_memory_in_one_sentence(
    files: list[str], monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("geceval.cli._SPARE_BYTES", 2**62)  # More than there is.
    monkeypatch.setattr(M2, "statistics", fail)
    result = CliRunner().invoke(main, ["score", *files])
    assert result.exit_code == 1
    assert message in result.output
    assert "Traceback" not in result.output


def test_command_line_blames_memory_only_where_there_is_none(
    files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise SystemError

    monkeypatch.setattr(M2, "statistics", fail)
    assert isinstance(CliRunner().invoke(main, ["score", *files]).exception, SystemError)
