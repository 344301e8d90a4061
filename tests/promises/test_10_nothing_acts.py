"""Promise 10: nothing that a file holds acts, wherever it is shown.

One set of payloads stands as tokens, types, annotators and names of systems, and goes through the
terminal, CSV, Markdown, LaTeX, the page and the names of files.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from geceval.cli import main
from geceval.formats import save
from geceval.model import Annotation, Corpus, Edit, Sentence
from geceval.presentation.export import file_name, save_tables
from geceval.presentation.table import FORMS, Table
from promising import size

PAYLOADS = {
    "color": "\x1b[31mred\x1b[0m",
    "title": "\x1b]0;owned\x07",
    "clear": "\x1b[2J\x1b[H",
    "link": "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "c1": "\x9b31mred",
    "backspace": "good\x08\x08\x08\x08evil",
    "bidi": "\u202egnirts\u202c",
    "isolate": "\u2066abc\u2069",
    "mark": "\u200fabc\u061c",
    "formula": '=HYPERLINK("http://evil.example","x")',
    "plus": "+1+cmd|'/C calc'!A0",
    "minus": "-2+3+cmd|'/C_calc'!A0",
    "at": "@SUM(1+1)*cmd|'/C_calc'!A0",
    "script": "<script>alert(1)</script>",
    "image": "<img/src=x/onerror=alert(1)>",
    "close": "</script><script>alert(2)</script>",
    "comment": "<!--<script>",
    "attribute": '"onmouseover="alert(1)',
    "entity": "&lt;script&gt;",
    "pipe": "a|b",
    "markdown-link": "[x](javascript:alert(1))",
    "code": "`rm`",
    "latex": "\\input{/etc/passwd}",
    "latex-write": "\\write18{id}",
    "latex-comment": "100%&#$_^~{}",
    "up": "../../../evil",
    "root": "/etc/evil",
    "windows": "..\\..\\evil",
    "proto": "__proto__",
    "constructor": "constructor",
    "template": "{{7*7}}{%raw%}",
    "markup": "[bold]x[/bold]",
}  # fmt: skip
NO_SPACE = {name: payload.replace(" ", "_") for name, payload in PAYLOADS.items()}

# In a terminal nothing but ends of lines and tabs may be a control, and nothing turns text round.
_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def live_controls(text: str) -> list[str]:
    return [
        letter
        for letter in text
        if (unicodedata.category(letter) == "Cc" and letter not in "\n\t") or letter in _BIDI
    ]


# Tables.


@pytest.fixture(params=list(NO_SPACE.values()), ids=list(NO_SPACE))
def payload(request: pytest.FixtureRequest) -> str:
    value: str = request.param
    return value


def table_of(payload: str) -> Table:
    return Table("odd", payload, ("system", payload), ((payload, 1.5), ("fine", 2.5)))


def test_csv(payload: str) -> None:
    text = FORMS["csv"](table_of(payload))
    rows = list(csv.reader(io.StringIO(text)))
    assert [len(row) for row in rows] == [2, 2, 2]
    for cell in (*rows[0], rows[1][0]):
        assert not cell.lstrip().startswith(("=", "+", "-", "@")), cell
    assert not live_controls(text)


def test_markdown(payload: str) -> None:
    text = FORMS["md"](table_of(payload))
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == 4
    for line in lines:
        # Bars that are not escaped are borders.
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3, line
        assert not re.search(r"(?<!\\)(?:\\\\)*[<`]", line), line
        assert not re.search(r"(?<!\\)(?:\\\\)*\[[^\]\\]*\]\(", line), line
    assert not live_controls(text)


_LATEX_KNOWN = re.compile(
    r"\\(?:begin|end)\{(?:tabular|table)\}(?:\{[lr@{}]*\})?|\\(?:top|mid|bottom)rule\b|\\\\"
    r"|\\text\w+(?:\{\})?|\\[%&#$_{}~^ ]|\\(?:caption|label|centering)\b"
)


def test_latex(payload: str) -> None:
    text = FORMS["tex"](table_of(payload))
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    left = _LATEX_KNOWN.sub("", body)
    assert "\\" not in left, left
    assert not set(left.replace("{}", "")) & set("%#$_^~"), left
    assert not live_controls(text)


def test_names_of_files(payload: str, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b" / "tables"
    table = Table(payload, payload, ("x",), ((1,),))
    save_tables([table], folder)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == len(FORMS)
    assert {path.parent for path in written} == {folder}
    assert not Path(file_name(payload)).is_absolute()
    assert all(not live_controls(path.name) for path in written)


# Commands.


def hostile_corpus() -> Corpus:
    """Make a corpus of payloads: as tokens, corrections, types and annotators."""
    sentences = []
    for name, payload in NO_SPACE.items():
        edits = (
            Edit(1, 2, ((payload,),), f"R:{payload}".replace("|||", "")),
            Edit(3, 4, (("is",),), payload),
        )
        readings = (Annotation(payload, edits), Annotation("1", edits[:1]))
        sentences.append(Sentence(("This", name, payload, "are", "odd", payload), readings))
    return Corpus(tuple(sentences), "odd")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    corpus = hostile_corpus()
    save(corpus, folder / "gold.jsonl")
    lines = []
    for place, sent in enumerate(corpus):
        tokens = list(sent.tokens)
        payload = tokens[2]
        tokens[1 + place % 3] = payload
        lines.append(" ".join(tokens) + "\n")
    (folder / "ours.txt").write_text("".join(lines), encoding="utf-8")
    (folder / "other.txt").write_text("".join(reversed(lines)), encoding="utf-8")
    return folder


@pytest.fixture
def folder(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in inputs.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (0, 1, 3), result.output
    return result.output


SCORE = ("score", "--gold", "gold.jsonl", "ours.txt", "--resamples", "0")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [
        (*SCORE, "--verbose"),
        (*SCORE, "--per-type"),
        (*SCORE, "--latex"),
        (*SCORE, "--tsv", "--per-type"),
        (*SCORE, "-m", "gleu"),
        ("stats", "gold.jsonl"),
        ("check", "gold.jsonl"),
        ("check", "gold.jsonl", "other.txt"),
        ("references", "gold.jsonl", "--list", "3"),
        ("compare", "--gold", "gold.jsonl", "ours.txt", "other.txt", "--resamples", "40"),
        ("annotate", "--lang", "plain", "gold.jsonl", "-o", "out.jsonl"),
        ("metaeval", "maege", "gold.jsonl", "--lang", "plain", "-m", "ld-source"),
    ],
    ids=lambda arguments: " ".join(arguments[:1] + arguments[-1:]),
)
def test_terminal_shows_text_of_files(arguments: tuple[str, ...]) -> None:
    assert live_controls(shown(*arguments)) == []


@pytest.mark.usefixtures("folder")
def test_terminal_shows_what_is_typed_or_named(payload: str) -> None:
    safe = payload.replace("=", "_").replace("\x00", "")
    for arguments in (
        ("explain", "--lang", "plain", "--", f"a {payload} b", f"a {payload}x c"),
        (*SCORE[:3], f"{safe}=ours.txt", "--resamples", "0"),
        ("stats", f"{safe}.m2"),
        ("score", "-m", payload, "--gold", "gold.jsonl", "ours.txt"),
        ("score", "-m", f"m2({payload}=1)", "--gold", "gold.jsonl", "ours.txt"),
        ("stats", "--format", payload, "gold.jsonl"),
    )[: size(3, 6)]:
        result = CliRunner().invoke(main, arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit), arguments
        assert live_controls(result.output) == [], arguments


class _Acting(HTMLParser):
    """Collects what a browser would act upon."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def acting(page: str) -> Iterator[str]:
    parser = _Acting()
    parser.feed(page)
    for tag, attributes in parser.tags:
        for name, value in attributes.items():
            if name.startswith("on"):
                yield f"{tag} {name}={value}"
            if name in ("href", "src", "action") and (value or "").strip().startswith("javascript"):
                yield f"{tag} {name}={value}"
        if tag in ("iframe", "object", "embed", "base"):
            yield tag


def test_page_and_tables_of_a_report(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    names = [f"{payload.replace('=', '_')}=ours.txt" for payload in NO_SPACE.values()]
    systems = ["<script>alert(3)</script>=ours.txt", "../../up=other.txt", "-2=ours.txt"]
    systems += names[: size(2, len(names))]
    shown("report", "-m", "m2", "--gold", "gold.jsonl", "-o", "page.html", "--tables", "tables",
          "--resamples", "0", "--", *systems)  # fmt: skip
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert list(acting(page)) == []
    # Only our own scripts are there: as many as in a page about nothing hostile.
    assert "<script>alert" not in page
    assert "<img/src" not in page
    assert re.search(r"http-equiv=.?Content-Security-Policy", page)
    for path in (folder / "tables").iterdir():
        text = path.read_text(encoding="utf-8")
        if path.suffix != ".json":
            assert live_controls(text) == [], path.name
        else:
            json.loads(text, parse_constant=pytest.fail)
        if path.suffix == ".csv":
            for row in csv.reader(io.StringIO(text)):
                assert not any(re.match(r"\s*[=@]", cell) for cell in row), (path.name, row)
        if path.suffix == ".md":
            assert not re.search(r"(?<!\\)<(script|img)", text), path.name
    outside = {path.name for path in folder.iterdir()}
    assert outside == {
        "gold.jsonl", "ours.txt", "other.txt", "page.html", "page.json", "tables"
    }  # fmt: skip
    assert not (folder.parent / "up").exists()


def test_results_file_of_hostile_names(folder: Path) -> None:
    """What a results file calls a metric or a system is no path, no script and no prototype."""
    pytest.importorskip("matplotlib")
    shown("report", "-m", "m2,gleu", "--gold", "gold.jsonl", "ours.txt", "-o", "page.html",
          "--resamples", "0")  # fmt: skip
    text = (folder / "page.json").read_text(encoding="utf-8")
    for name in list(NO_SPACE.values())[:: size(6, 1)]:
        for old in ('"ours"', '"gleu"'):
            (folder / "evil.json").write_text(text.replace(old, json.dumps(name)), "utf-8")
            output = shown("report", "evil.json", "-o", "evil.html", "--tables", "t/t/t")
            assert live_controls(output) == []
            if (folder / "evil.html").exists():
                assert list(acting((folder / "evil.html").read_text("utf-8"))) == []
    assert {path.name for path in folder.iterdir()} <= {
        "gold.jsonl", "ours.txt", "other.txt", "page.html", "page.json", "evil.json", "evil.html",
        "t",
    }  # fmt: skip
    assert {path.name for path in (folder / "t").iterdir()} <= {"t"}
