"""BEA-2019 JSON Lines."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import geceval
from geceval.errors import FormatError
from geceval.formats import Findings, Input
from geceval.formats.bea import read, sniff
from geceval.model import Annotation, Edit, Sentence
from geceval.text import raw_text

ESSAY = {
    "id": "e1",
    "cefr": "A2",
    "text": "I goed home. She like tea.\n\nBye",
    "edits": [
        [0, [[2, 6, "went"], [17, 21, "likes", "R:VERB:SVA"], [22, 25, None]]],
        ["b", []],
    ],
}


def load(*lines: object, findings: Findings | None = None) -> list[Sentence]:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return list(read([Input.from_text("\n".join(texts), findings=findings)]))


def essay(text: str, *edits: list[object]) -> dict[str, object]:
    return {"text": text, "edits": [[0, list(edits)]]}


def test_bea_reads_an_essay() -> None:
    none = Annotation("b")
    assert load(ESSAY) == [
        Sentence(
            ("I", "goed", "home", "."),
            (Annotation("0", (Edit(1, 2, (("went",),)),)), none),
            "e1-0",
            raw_text("I goed home."),
        ),
        Sentence(
            ("She", "like", "tea", "."),
            (
                Annotation("0", (Edit(1, 2, (("likes",),), "R:VERB:SVA"), Edit(2, 3, (), "UNK"))),
                none,
            ),
            "e1-1",
            raw_text("She like tea."),
        ),
        Sentence(("Bye",), (Annotation("0"), none), "e1-2", raw_text("Bye")),
    ]


def test_bea_flags_keep_a_type_that_is_given() -> None:
    [sent] = load(essay("I goed", [2, 6, None, "R:VERB"]))
    assert sent.annotations[0].edits == (Edit(1, 2, (), "R:VERB"),)


def test_bea_deletes_and_inserts() -> None:
    [sent] = load(essay("I the go home", [2, 6, ""], [13, 13, "."]))
    assert sent.corrected("0") == ("I", "go", "home", ".")


def test_bea_essay_without_annotators_has_no_annotations() -> None:
    assert load({"text": "Hello", "edits": []})[0].annotations == ()


def test_bea_counts_characters_not_bytes_or_surrogates() -> None:
    [sent] = load(r'{"text": "\ud83d\ude00 goed é", "edits": [[0, [[2, 6, "went"]]]]}')
    assert sent.corrected("0") == ("😀", "went", "é")


@pytest.mark.parametrize(("given", "id"), [(None, None), (7, "7-0"), ("x", "x-0")])
def test_bea_names_sentences(given: object, id: str | None) -> None:
    assert load({"id": given, "text": "Hi", "edits": []})[0].id == id


def test_bea_reads_several_lines_and_files_and_skips_blank_ones() -> None:
    one, two = json.dumps(essay("One")), json.dumps(essay("Two"))
    sources = [Input.from_text(f"{one}\n\n {two}\n"), Input.from_text(one)]
    assert [sent.tokens for sent in read(sources)] == [("One",), ("Two",), ("One",)]


def test_bea_streams() -> None:
    source = Input.from_text(f"{json.dumps(ESSAY)}\nnot json")
    assert [sent.id for sent in itertools.islice(read([source]), 3)] == ["e1-0", "e1-1", "e1-2"]


@pytest.mark.parametrize("span", [(-1, 2), (2, 99), (3, 2), (10**30, 10**30)])
def test_bea_leaves_out_edits_outside_of_the_text(span: tuple[int, int]) -> None:
    findings = Findings()
    [sent] = load("", essay("I goed", [*span, "x"], [2, 6, "went"]), findings=findings)
    assert sent.annotations[0].edits == (Edit(1, 2, (("went",),)),)
    assert findings.counts == {"out-of-range": 1}
    assert findings.worst() == "error"
    message = f"ignored the edit {span[0]} {span[1]}, out of range: the text ends at 6"
    assert findings.summary() == [f"text, line 2: {message}"]


def test_bea_puts_edits_of_one_annotator_together() -> None:
    findings = Findings()
    edits = [[0, [[0, 1, "A"]]], ["0", [[2, 3, "B"]]]]
    [sent] = load({"text": "a b", "edits": edits}, findings=findings)
    assert sent.corrected("0") == ("A", "B")
    assert findings.counts == {"duplicate-annotator": 1}


def test_bea_notes_an_essay_without_text() -> None:
    findings = Findings()
    assert load(essay(" "), findings=findings) == []
    assert findings.counts == {"empty": 1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "expected one JSON object per line: Expecting property name"),
        ("[" * 100_000, "expected one JSON object per line: "),
        ('{"text": ' + "9" * 5000, "expected one JSON object per line: "),
        ("[]", "expected one JSON object per line, found []"),
        ({"edits": []}, 'found no "text"'),
        ({"text": "a"}, 'found no "edits"'),
        ({"text": 1, "edits": []}, 'expected "text" to be text, found 1'),
        (r'{"text": "\ud800", "edits": []}', "lone surrogate"),
        ({"text": "a", "edits": [], "id": True}, 'expected "id" to be text, found True'),
        ({"text": "a", "edits": {}}, 'expected "edits" as [[annotator'),
        ({"text": "a", "edits": [[0]]}, 'expected "edits" as [[annotator'),
        ({"text": "a", "edits": [[None, []]]}, 'expected "edits" as [[annotator'),
        ({"text": "a", "edits": [[True, []]]}, 'expected "edits" as [[annotator'),
        ({"text": "a", "edits": [[0, {}]]}, 'expected "edits" as [[annotator'),
        (essay("a", [0, 1]), "expected an edit as [start, end, correction]"),
        (essay("a", [0, 1.0, "b"]), "expected an edit as [start, end, correction]"),
        (essay("a", [False, 1, "b"]), "expected an edit as [start, end, correction]"),
        (essay("a", [0, 1, 5]), "expected an edit as [start, end, correction]"),
        (essay("a", [0, 1, "b", None]), "expected an edit as [start, end, correction]"),
        (essay("a", [0, 1, "b", "T", "more"]), "expected an edit as [start, end, correction]"),
        (r'{"text": "a", "edits": [[0, [[0, 1, "\udc00"]]]]}', "lone surrogate"),
    ],
)
def test_bea_refuses(line: object, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(ESSAY, line)
    assert str(caught.value).startswith("text, line 2: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("n", range(980, 1000))
def test_bea_refuses_deep_nesting_at_the_limit(n: int) -> None:
    with pytest.raises(FormatError):
        load('{"text": "a", "edits": ' + "[" * n + "]" * n + "}")


def test_bea_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "essays.json"
    path.write_text("\n" + json.dumps(ESSAY) + "\n")
    assert len(geceval.load(path)) == 3


@pytest.mark.parametrize(
    "head",
    [
        "",
        "{",
        '{"tokens": ["a"]}',
        '["1", "2", ["English"], "x", ["text"], ["edits"]]',
        'I wrote {"edits" and "text"}.',
        "S a\nA 0 1|||T|||b|||REQUIRED|||-NONE-|||0\n",
        "{a=>b:::error_type=Spelling} text",
        '<edits><edit start="0" end="1"/></edits>',
    ],
)
def test_bea_sniff_refuses(head: str) -> None:
    assert not sniff(head)
