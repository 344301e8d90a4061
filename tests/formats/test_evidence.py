"""A file that is called or looks like a format and is none is refused, not read as text."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from format_examples import EXAMPLES
from geceval.errors import FormatError
from geceval.formats import Findings, Input, detect, load, load_hypothesis
from geceval.model import Corpus, Sentence
from running import run_geceval

TEXT = "She like tea .\nGood .\n"
EDIT = "A 1 2|||T|||likes|||REQUIRED|||-NONE-|||0\n"
LABELS = "She\tc\nlike\ti\n\nGood\tc\n"
TRUNCATED = '{"format": "geceval-corp\n{"tokens": ["She"]}\n'


def refusal(path: Path) -> str:
    with pytest.raises(FormatError) as caught:
        load(path)
    return str(caught.value).replace(f"{path.parent}/", "")


@pytest.mark.parametrize(
    ("name", "formats"),
    [
        ("f.m2", "ChERRANT's M2 (m2-zh) or M2 with character offsets (m2-char) or M2 (m2)"),
        ("f.m2.gz", "ChERRANT's M2 (m2-zh) or M2 with character offsets (m2-char) or M2 (m2)"),
        ("f.M2", "ChERRANT's M2 (m2-zh) or M2 with character offsets (m2-char) or M2 (m2)"),
        ("f.jsonl", "geceval JSON Lines (jsonl) or BEA-2019 JSON Lines (bea)"),
        ("f.json", "BEA-2019 JSON Lines (bea)"),
        (
            "f.xml",
            "I-measure XML (ixml) or HOO 2011/2012 XML (hoo) or FCE / CLC XML (fce)",
        ),
        ("f.sgml", "NUCLE / CoNLL SGML (nucle)"),
        ("f.md", "MultiGEC-2025 Markdown (multigec)"),
    ],
)
@pytest.mark.parametrize("blank", ["", "\n \n"])
def test_evidence_of_the_name(tmp_path: Path, name: str, formats: str, blank: str) -> None:
    path = tmp_path / name
    data = (blank + TEXT).encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    ending = "." + name.removesuffix(".gz").lower().partition(".")[2]
    assert refusal(path) == (
        f"{name}: the file extension is {ending}, but this is not {formats}: line "
        f"{3 if blank else 1} is 'She like tea .'; rename it, or give its format with --format "
        "(parallel is plain text)"
    )
    assert load(path, format="parallel").sources[-1] == ("Good", ".")


def test_evidence_of_a_table_without_tabs(tmp_path: Path) -> None:
    path = tmp_path / "f.tsv"
    path.write_text(TEXT)
    message = refusal(path)
    assert message.startswith("f.tsv: the file extension is .tsv, but this is not ")
    assert "MultiGED-2023 TSV (multiged)" in message
    assert "tab-separated text (tsv)" in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (EDIT, "line 1 looks like an M2 edit, but the file does not begin with 'S '"),
        (TEXT + EDIT, "line 3 looks like an M2 edit, but the file does not begin with 'S '"),
        (TRUNCATED, 'line 1 looks like JSON (\'{"format": "geceval-corp\') of an unknown format'),
        ('{"id": 1, "src": "a"}\n', 'line 1 looks like JSON (\'{"id": 1, "src": "a"}\') of'),
        ('\n["a", "b"]\n', "line 2 looks like JSON"),
        ('[{"a": 1}]\n', "line 1 looks like JSON"),
        ("<?xml version='1.0'?>\n<a/>\n", "line 1 begins an XML file of an unknown format"),
        ("She\tc\nlike\ti\nbroken\nGood\tc\n", "most lines are a token and a label (MultiGED)"),
        ("source\na\tb\nc\td\n", "most lines contain tabs, but not the same number, as in a table"),
        ("a\0b\n", "contains null bytes: it is binary, or text in UTF-16; give its encoding"),
    ],
)
@pytest.mark.parametrize("name", ["f.txt", "f"])
def test_evidence_of_half_a_format(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    said = refusal(path)
    assert said.startswith(f"{name}: {message}")
    assert load(path, format="parallel").sources


def test_evidence_of_utf_16_without_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_bytes(TEXT.encode("utf-16-le"))
    assert "text in UTF-16; give its encoding with --encoding" in refusal(path)
    assert load(path, encoding="utf-16-le").sources[1] == ("Good", ".")


@pytest.mark.parametrize(
    "text",
    [
        "A 1 2 punch .\nS is a letter .\n",
        '{ "a" : 1 }\n[ " a " , b ]\n',
        "< xml > is a tag .\n",
        "a\tb\nplain\n",
        f"see A 1 2|||T .\n{TEXT}",
    ],
)
def test_evidence_that_is_none(text: str) -> None:
    assert detect(Input.from_text(text, name="f.txt")).name == "parallel"


@pytest.mark.parametrize(("name", "sentences"), [("f.m2", 0), ("f.tsv", 2), ("f.txt", 2), ("f", 2)])
def test_evidence_of_blank_files(tmp_path: Path, name: str, sentences: int) -> None:
    path = tmp_path / name
    path.write_text("")
    assert len(load(path)) == 0
    path.write_text("\n\n")
    assert load(path) == Corpus((Sentence(()),) * sentences, name="f")


def test_evidence_of_content_beats_a_wrong_name(tmp_path: Path) -> None:
    path = tmp_path / "gold.xml"
    path.write_text("S She like tea .\n" + EDIT)
    findings = Findings()
    assert load(path, findings=findings).annotators == ("0",)
    assert [(one.code, one.message) for one in findings] == [
        ("extension-mismatch", "the file extension is .xml, but the content was read as M2")
    ]


@pytest.mark.parametrize("name", EXAMPLES)
def test_evidence_good_files_of_every_name_are_read(tmp_path: Path, name: str) -> None:
    """Endings that files of a format usually have raise no doubt."""
    endings = {"m2-char": ".m2", "m2": ".m2", "bea": ".json", "multigec": ".md", "tsv": ".tsv"}
    endings |= {"ixml": ".xml", "hoo": ".xml", "fce": ".xml", "nucle": ".sgml", "jsonl": ".jsonl"}
    endings |= {"multiged": ".tsv", "clang8": ".tsv", "c4200m": ".tsv"}
    paths = []
    for number, text in enumerate(EXAMPLES[name].texts):
        path = tmp_path / f"f{number}{endings.get(name, '.txt')}"
        path.write_text(text)
        paths.append(path)
    findings = Findings()
    assert len(load(*paths, findings=findings))
    assert "extension-mismatch" not in findings.counts


# System output.


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("s.m2", TEXT, "the file extension is .m2, but this is not"),
        ("s.jsonl", TRUNCATED, "the file extension is .jsonl, but this is not"),
        ("s.txt", EDIT, "line 1 looks like an M2 edit"),
        ("s.txt", LABELS, "expected plain text, found MultiGED-2023 TSV (multiged)"),
        ("s.txt", "a\tb\nc\td\n", "expected plain text, found tab-separated text (tsv)"),
        ("s.txt", EXAMPLES["ixml"].texts[0], "expected plain text, found I-measure XML (ixml)"),
    ],
)
def test_evidence_against_system_output(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        load_hypothesis(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert re.search(r"--hyp-format (parallel|\(parallel is)", str(caught.value))
    assert load_hypothesis(path, format="parallel").sentences[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold.m2").write_text("S She like tea .\n" + EDIT)
    (tmp_path / "src.txt").write_text("She like tea .\n")
    (tmp_path / "out.m2").write_text("She likes tea .\n")
    (tmp_path / "out.txt").write_text("She likes tea .\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--gold", "gold.m2", "out.m2"), "out.m2: the file extension is .m2, but this is not"),
        (("--gold", "out.m2", "out.txt"), "out.m2: the file extension is .m2, but this is not"),
        (
            ("-m", "gleu", "--src", "src.txt", "--ref", "gold.m2", "out.txt"),
            "gold.m2: expected plain text, found M2 (m2)",
        ),
        (
            ("-m", "gleu", "--src", "src.txt", "--ref", "out.m2", "out.txt"),
            "out.m2: the file extension is .m2, but this is not",
        ),
    ],
)
def test_evidence_stops_scoring(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    code, out, errors = run_geceval("score", *arguments, folder=folder)
    assert (code, out) == (1, "")
    assert message in errors
    assert errors.count("\n") == 1


def test_evidence_gives_way_to_a_named_format(folder: Path) -> None:
    arguments = ("score", "--gold", "gold.m2", "out.m2", "--resamples", "0")
    code, out, errors = run_geceval(*arguments, "--hyp-format", "parallel", folder=folder)
    assert (code, errors) == (0, "")
    assert "1.0000" in out


def test_evidence_source_and_references_are_all_text(folder: Path) -> None:
    code, _, errors = run_geceval("convert", "src.txt", "gold.m2", "new.m2", folder=folder)
    assert code == 1
    assert "gold.m2: expected plain text, found M2 (m2)" in errors
    assert not (folder / "new.m2").exists()
