"""Spaces that are not plain ones: offsets never slip, and what is written reads back the same."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from geceval.errors import GecevalError
from geceval.formats import Findings, Input, get_format, load, load_hypothesis
from geceval.formats.findings import Finding
from geceval.metrics import metric_class
from geceval.model import Annotation, Edit, Sentence, Tokens, apply_edits

SPACES = "\u00a0\u3000\u202f\u2009\u2028\x85\t"
NAMES = {"\u00a0": "U+00A0 NO-BREAK SPACE", "\u3000": "U+3000 IDEOGRAPHIC SPACE", "\t": "U+0009"}

PLAIN = " inside a word: offsets are read as if text were split at plain spaces only"


def parse(text: str, name: str = "m2") -> tuple[list[Sentence], list[Finding]]:
    findings = Findings()
    source = Input.from_text(text, name="gold", findings=findings)
    return list(get_format(name).read([source])), list(findings)


def edit_line(span: str, correction: str, annotator: str = "0") -> str:
    return f"A {span}|||T|||{correction}|||REQUIRED|||-NONE-|||{annotator}\n"


@pytest.mark.parametrize("space", list(SPACES))
def test_spaces_inside_a_token_do_not_slip_the_offsets(space: str) -> None:
    text = (
        f"S It cost 10{space}000 euro .\n" + edit_line("1 2", "costs") + edit_line("3 4", "euros")
    )
    [sent], findings = parse(text)
    assert sent.tokens == ("It", "cost", "10", "000", "euro", ".")
    assert sent.corrected("0") == ("It", "costs", "10", "000", "euros", ".")
    [finding] = findings
    assert (finding.code, finding.severity, finding.line) == ("unicode-space", "warning", 1)
    assert finding.message.endswith(PLAIN)
    assert finding.message.startswith(NAMES.get(space, "U+"))


def test_spaces_that_the_offsets_count() -> None:
    """The last edit fits only if the no-break space separates tokens."""
    text = "S It cost 10\u00a0000 euro .\n" + edit_line("4 5", "euros") + edit_line("6 6", "!")
    [sent], [finding] = parse(text)
    assert sent.corrected("0") == ("It", "cost", "10", "000", "euros", ".", "!")
    assert finding.message.endswith("split at every white space")


def test_spaces_that_are_tokens() -> None:
    """spaCy makes tokens of white space, which ERRANT writes and counts."""
    text = "S It \u00a0 cost euro .\n" + edit_line("1 2", "") + edit_line("3 4", "euros")
    [sent], findings = parse(text)
    assert sent.tokens == ("It", "cost", "euro", ".")
    assert sent.annotations == (Annotation("0", (Edit(2, 3, (("euros",),), "T"),)),)
    assert [(finding.line, finding.message) for finding in findings] == [
        (1, f"U+00A0 NO-BREAK SPACE{PLAIN}"),
        (2, "ignored an edit that only changes white space"),
    ]
    [sent], _ = parse("S It \u00a0 cost\n" + edit_line("1 2", ","))
    assert sent.corrected("0") == ("It", ",", "cost")


@pytest.mark.parametrize(
    "text",
    [
        "S 10\u00a0000 euro\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n",
        "S a 10\u00a0000 euro\n" + edit_line("0 1", "b"),
        "S a\u00a0 \u3000b\n" + edit_line("1 2", "c"),
        "S a b\n" + edit_line("1 2", "10\u00a0000"),
    ],
    ids=["noop", "before it", "beside plain spaces", "in a correction"],
)
def test_spaces_that_change_no_offset_are_not_noted(text: str) -> None:
    [sent], findings = parse(text)
    assert findings == []
    assert all(edit.fits(len(sent.tokens)) for ann in sent.annotations for edit in ann.edits)


def test_spaces_in_a_paragraph_are_noted() -> None:
    _, findings = parse("S a\u00a0b\nS c d\n" + edit_line("2 3", "x"))
    assert [finding.code for finding in findings] == ["paragraph", "unicode-space"]


def test_spaces_in_ixml() -> None:
    """The original tool cuts at ASCII spaces."""
    text = (
        '<scripts><script id="1"><sentence id="1" numann="1"><text>\n It cost 10\u00a0000\teuro .'
        '</text><error-list><error id="1" req="yes" type="T">'
        '<alt ann="0"><c start="3" end="4">euros</c></alt></error></error-list>'
        "</sentence></script></scripts>"
    )
    [sent], [finding] = parse(text, "ixml")
    assert sent.corrected("0") == ("It", "cost", "10", "000", "euros", ".")
    assert finding.code == "unicode-space"


def test_spaces_of_output_meet_those_of_the_gold(tmp_path: Path) -> None:
    """A perfect output is perfect whichever spaces it has."""
    gold = tmp_path / "gold.m2"
    gold.write_text("S It cost 10\u00a0000 euro .\n" + edit_line("3 4", "euros"))
    corpus = load(gold, findings=Findings())
    for number, space in enumerate((" ", *SPACES.rstrip("\t"))):
        output = tmp_path / f"{number}.txt"
        output.write_text(f"It cost 10{space}000 euros .\n")
        score = metric_class("m2")().score(corpus, load_hypothesis(output))
        assert (score.value, score.parts["proposed"]) == (1.0, 1)


WORDS = st.text(st.sampled_from("ab" + SPACES), min_size=1, max_size=4)


@given(words=st.lists(WORDS, min_size=1, max_size=5), data=st.data())
def test_spaces_corrections_are_those_of_the_writer(words: list[str], data: st.DataObject) -> None:
    """Whoever counts words between plain spaces is understood, whatever the words hold."""
    start, end = sorted(data.draw(st.integers(0, len(words))) for _ in range(2))
    correction = data.draw(st.lists(WORDS, max_size=2))
    text = f"S {' '.join(words)}\n" + edit_line(f"{start} {end}", " ".join(correction))
    [sent], _ = parse(text)
    wanted = " ".join((*words[:start], *correction, *words[end:])).split()
    assert apply_edits(sent.tokens, sent.annotations[0].edits) == tuple(wanted)


TOKENS = st.lists(st.text(st.sampled_from("ab " + SPACES), max_size=3), max_size=3).map(tuple)


@pytest.mark.parametrize("name", ["m2", "m2-char", "jsonl", "ixml", "parallel", "tsv"])
@given(source=TOKENS, target=TOKENS)
def test_spaces_in_tokens_are_refused_or_kept(name: str, source: Tokens, target: Tokens) -> None:
    assume(not any(" " in token for token in (*source, *target)))  # The model refuses these.
    edit = Edit(0, len(source), (target,), "T")
    sent = Sentence(source, (Annotation("0", (edit,)),))
    outs = [io.StringIO() for _ in range(2 if name == "parallel" else 1)]
    try:
        get_format(name).writer([sent], outs)
    except GecevalError:
        return
    inputs = [Input.from_text(out.getvalue(), findings=Findings()) for out in outs]
    [again] = get_format(name).read(inputs)
    assert again.tokens == source
    assert again.corrected("0") == target or target == source
