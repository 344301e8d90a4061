"""Promise 1: whatever a file holds, there is a result or one sentence, and never a traceback."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import made_up
from altered import alterations
from format_examples import EXAMPLES
from geceval.cli import main
from geceval.errors import GecevalError
from geceval.extraction.typers.learned import LearnedTyper
from geceval.formats import Findings, Input, get_format, save
from geceval.metaeval.human.judgment_files import read_judgments
from geceval.presentation.export import save_tables
from geceval.report.results import dumps
from geceval.report.results_loader import load as load_results
from human_examples import write_examples
from mutations import mutations
from promising import CODES, size
from report_examples import example_results

JSON_LETTERS = '[]{}",:0-19e.\\u \x00é\ud800'
JUDGMENT_LETTERS = '",\r\n0-19\x00A <>=/'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ends_well(*arguments: str) -> int:
    """Run the program; whatever it says, it must be what we say."""
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), (
        arguments,
        result.exception,
    )
    assert result.exit_code in CODES, (arguments, result.output)
    assert "Traceback" not in result.output
    if result.exit_code in (1, 2):
        assert result.stderr.strip() or result.stdout.strip(), arguments
    return result.exit_code


def written(path: Path, text: str) -> str:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path.name


# Corpora of every format.


@pytest.mark.parametrize("name", EXAMPLES)
def test_readers_of_corpora(name: str) -> None:
    example = EXAMPLES[name]
    share = size(200, 20_000) // len(example.texts)
    for place, good in enumerate(example.texts):
        texts = list(example.texts)
        for spoiled in mutations(good, letters=example.letters, n=share, seed=100 + place):
            texts[place] = spoiled
            findings = Findings()
            inputs = [
                Input.from_text(text, name=f"file{number}", findings=findings)
                for number, text in enumerate(texts)
            ]
            with contextlib.suppress(GecevalError):
                list(get_format(name).read(inputs))


@pytest.mark.parametrize("name", EXAMPLES)
def test_commands_on_corpora(name: str, folder: Path) -> None:
    example = EXAMPLES[name]
    commands = (
        ("check",), ("stats",), ("references",), ("convert", "--to", "m2"), ("annotate",),
    )  # fmt: skip
    spoiled = mutations(example.texts[0], letters=example.letters, n=size(5, 200), seed=3)
    for place, text in enumerate(spoiled):
        files = [
            written(folder / f"in{number}.txt", text if number == 0 else good)
            for number, good in enumerate(example.texts)
        ]
        command, *options = commands[place % len(commands)]
        if command == "references":
            files = files[:1]
        target = ["out.m2"] if command == "convert" else []
        if command == "annotate":
            options = ["--lang", "plain", "-o", "out.m2", "--restart"]
        ends_well(command, *options, "--format", name, *files, *target)


def test_score_of_spoiled_gold_and_output(folder: Path) -> None:
    corpus = made_up.corpus(6)
    save(corpus, folder / "good.m2")
    gold = (folder / "good.m2").read_text(encoding="utf-8")
    output = "".join(f"{' '.join(s)}\n" for s in made_up.system(corpus, "x").sentences)
    letters = "SAI|-0192 \n\r.é\x00\u2028\x1b"
    n_scored = 0
    for place, spoiled in enumerate(mutations(gold, letters=letters, n=size(30, 3000))):
        written(folder / "gold.m2", spoiled)
        written(folder / "hyp.txt", output)
        metric = ("m2", "gleu", "imeasure", "sari", "wdiff", "bleu")[place % 6]
        code = ends_well("score", "-m", metric, "--gold", "gold.m2", "hyp.txt", "--json")
        n_scored += code == 0
    for spoiled in mutations(output, letters=letters, n=size(10, 1000)):
        written(folder / "hyp.txt", spoiled)
        ends_well("score", "--gold", "good.m2", "hyp.txt", "--verbose", "--per-type")
    assert n_scored


@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"\xff\xfe", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf", b"\n"]
)
@pytest.mark.parametrize("ending", ["m2", "txt", "jsonl", "m2.gz", "m2.zst", "xml"])
def test_files_of_a_few_bytes(folder: Path, data: bytes, ending: str) -> None:
    name = f"tiny.{ending}"
    (folder / name).write_bytes(data)
    for command in ("check", "stats", "report"):
        ends_well(command, name)
    ends_well("convert", name, "out.m2")


# What we wrote ourselves.


def spoiled_json(text: str, n: int) -> Iterator[str]:
    """Alter a JSON document by its values and by its letters."""
    yield from (json.dumps(one) for one in alterations(json.loads(text), n=n))
    yield from mutations(text, letters=JSON_LETTERS, n=n)


def test_results_files(folder: Path) -> None:
    text = dumps(example_results(5))
    for place, spoiled in enumerate(spoiled_json(text, size(100, 10_000))):
        written(folder / "results.json", spoiled)
        if place % size(20, 100) == 0:
            ends_well("report", "results.json", "-o", "page.html", "--tables", "tables")
            continue
        with contextlib.suppress(GecevalError):
            results = load_results(folder / "results.json")
            from geceval.report.tables import tables

            save_tables(tables(results), folder / "tables")


MAEGE = ("metaeval", "maege", "gold.m2", "--lang", "plain", "-m", "ld-source,gleu", "--json")


def test_resume_files_of_maege(folder: Path) -> None:
    save(made_up.corpus(5), folder / "gold.m2")
    assert ends_well(*MAEGE, "--resume", "kept.jsonl") == 0
    text = (folder / "kept.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    n = size(8, 500)
    documents = [
        *("".join(f"{json.dumps(line)}\n" for line in one) for one in alterations(lines, n=n)),
        *mutations(text, letters=JSON_LETTERS, n=n),
    ]
    for spoiled in documents:
        written(folder / "kept.jsonl", spoiled)
        ends_well(*MAEGE, "--resume", "kept.jsonl")


@pytest.mark.parametrize("name", ["out.m2.part", "out.m2.part.json"])
def test_parts_of_annotate(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from geceval.extraction import files as annotating
    from geceval.extraction import runs
    from geceval.extraction.files import annotate_files

    monkeypatch.setattr(runs, "CHUNK_TOKENS", 40)
    texts = ["".join(f"The cat{s} {n} sat on mat .\n" for n in range(30)) for s in ("", "s")]
    paths = [folder / written(folder / f"{n}.txt", text) for n, text in enumerate(texts)]
    settings = annotating.ExtractionSettings("plain")

    def stop(finished: Iterator[int], *_: object) -> Iterator[int]:
        for number in finished:
            yield number
            if number > 12:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        annotate_files(paths, Path("out.m2"), settings=settings, format="parallel", progress=stop)
    kept = {path.name: path.read_bytes() for path in folder.glob("out.m2*")}
    assert name in kept
    text = kept[name].decode()
    arguments = ("annotate", "--lang", "plain", "--src", "0.txt", "--cor", "1.txt", "-o", "out.m2")
    for spoiled in mutations(text, letters=JSON_LETTERS, n=size(15, 2000)):
        for old in folder.glob("out.m2*"):
            old.unlink()
        for one, data in kept.items():
            (folder / one).write_bytes(data)
        written(folder / name, spoiled)
        ends_well(*arguments, "--resume")


# What others wrote.


@pytest.mark.parametrize("ending", ["xml", "csv"])
def test_judgments(folder: Path, ending: str) -> None:
    write_examples(folder)
    xml = (folder / "judgments.xml").read_text(encoding="utf-8")
    csv = (
        "srcIndex,judgeID,system1Id,system1rank,system2Id,system2rank\n"
        "0,anna,Best,1,Good,2\n1,ben,Good,1,Bad,2\n"
    )
    text = xml if ending == "xml" else csv
    for place, spoiled in enumerate(
        mutations(text, letters=JUDGMENT_LETTERS, n=size(300, 20_000), seed=7)
    ):
        if place % size(40, 200) == 0:
            name = written(folder / f"judged.{ending}", spoiled)
            ends_well("metaeval", "human", name, "--systems", "outputs", "--json")
            continue
        with contextlib.suppress(GecevalError):
            read_judgments(Input.from_text(spoiled, name="file"), "set")


TYPER = (
    '{"format": "geceval-typer", "schema": 1, "language": "plain", "model": "none", '
    '"types": ["A", "B"], "biases": [0.5, -0.25], "weights": {"a": [1, 2], "b": [0.5, 0]}}'
)


def test_learned_types(folder: Path) -> None:
    written(folder / "gold.m2", EXAMPLES["m2"].texts[0])
    for place, spoiled in enumerate(spoiled_json(TYPER, size(200, 10_000))):
        name = written(folder / "typer.json", spoiled)
        if place % 20 == 0:
            arguments = ("--lang", "plain", "--typer", f"learned:{name}", "-o", "out.m2")
            ends_well("annotate", "gold.m2", *arguments, "--restart")
            continue
        with contextlib.suppress(GecevalError):
            LearnedTyper.load(folder / name)
