"""C4_200M edits."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import geceval
from geceval.errors import FormatError, GecevalError
from geceval.formats import c4200m, clang8, lang8, m2, multigec, multiged
from geceval.formats.findings import Findings
from geceval.formats.inputs import Input
from geceval.model import Annotation, Edit, RawText, Sentence, applicable
from geceval.text import tokenize, tokens_at

DOG = "The dog sleeps at the café."
CAT = "Cats don't."


def md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def rows(target: str, *edits: tuple[object, ...]) -> str:
    digest = md5(target)
    return "".join("\t".join(map(str, (digest, *edit))) + "\n" for edit in edits)


EDITS = rows(DOG, (8, 14, "sleep"), (18, 22), (22, 27, "coffee")) + rows(CAT, (0, 0, "The "))
CLEAN = f"{DOG}\n{CAT}\n"
EXPECTED = "expected 'MD5<tab>START<tab>END<tab>REPLACEMENT'"
SENTENCES = [
    Sentence(
        ("The", "dog", "sleep", "at", "coffee", "."),
        (
            Annotation(
                "0",
                (
                    Edit(2, 3, (("sleeps",),), "R"),
                    Edit(4, 4, (("the",),), "M"),
                    Edit(4, 5, (("café",),), "R"),
                ),
            ),
        ),
        id=md5(DOG),
        raw=RawText(
            "The dog sleep at coffee.",
            ((0, 3), (4, 7), (8, 13), (14, 16), (17, 23), (23, 24)),
        ),
    ),
    Sentence(
        ("The", "Cats", "do", "n't", "."),
        (Annotation("0", (Edit(0, 1, ((),), "U"),)),),
        id=md5(CAT),
        raw=RawText("The Cats don't.", ((0, 3), (4, 8), (9, 11), (11, 14), (14, 15))),
    ),
]


def read(*texts: str, findings: Findings | None = None) -> list[Sentence]:
    inputs = [
        Input.from_text(text, name=f"file{number}", findings=findings)
        for number, text in enumerate(texts)
    ]
    return list(c4200m.read(inputs))


def edits_of(target: str, *edits: tuple[object, ...]) -> tuple[str, tuple[Edit, ...]]:
    """Give source text and gold edits of one sentence."""
    [sent] = read(rows(target, *edits), target)
    assert sent.raw is not None
    return sent.raw.text, sent.annotations[0].edits


def test_c4200m_gold_takes_the_errors_back() -> None:
    findings = Findings()
    assert read(EDITS, CLEAN, findings=findings) == SENTENCES
    assert [sent.corrected("0") for sent in SENTENCES] == [
        ("The", "dog", "sleeps", "at", "the", "café", "."),
        ("Cats", "do", "n't", "."),
    ]
    assert len(findings) == 0


def test_c4200m_files_come_in_either_order() -> None:
    assert read(CLEAN, EDITS) == SENTENCES


def test_c4200m_sentences_may_have_their_hash_before_them() -> None:
    assert read(EDITS, f"{md5(DOG)}\t{DOG}\n{md5(CAT)}\t{CAT}\n") == SENTENCES


def test_c4200m_edits_may_stand_in_any_order() -> None:
    assert read("".join(reversed(EDITS.splitlines(keepends=True))), CLEAN) == SENTENCES


def test_c4200m_crlf_blank_lines_and_capital_hashes_are_read() -> None:
    lines = [line.split("\t", 1) for line in EDITS.splitlines()]
    edits = "".join(f"{digest.upper()}\t{rest}\r\n\r\n" for digest, rest in lines)
    assert read(edits, CLEAN.replace("\n", "\r\n\r\n")) == SENTENCES


def test_c4200m_empty_and_missing_replacement_delete_alike() -> None:
    assert edits_of(DOG, (4, 8, "")) == edits_of(DOG, (4, 8))
    assert edits_of(DOG, (4, 8)) == (
        "The sleeps at the café.",
        (Edit(1, 1, (("dog",),), "M"),),
    )


def test_c4200m_replacement_may_hold_tabs() -> None:
    assert edits_of(DOG, (4, 7, "cat\tand")) == (
        "The cat\tand sleeps at the café.",
        (Edit(1, 3, (("dog",),), "R"),),
    )


def test_c4200m_offsets_count_bytes() -> None:
    assert edits_of("Überall 🐶 lebt", (9, 13, "Katzen"), (14, 18, "leben")) == (
        "Überall Katzen leben",
        (Edit(1, 2, (("🐶",),), "R"), Edit(2, 3, (("lebt",),), "R")),
    )


def test_c4200m_errors_at_one_place_keep_their_order() -> None:
    assert edits_of("A b", (2, 2, "x "), (2, 2, "y "), (2, 3, "z")) == (
        "A x y z",
        (Edit(1, 2, ((),), "U"), Edit(2, 3, ((),), "U"), Edit(3, 4, (("b",),), "R")),
    )


def test_c4200m_two_errors_in_one_token_are_one_edit() -> None:
    assert edits_of("A neighbour, he", (2, 3, "m"), (10, 11), (12, 12, "s")) == (
        "A meighbou,s he",
        (Edit(1, 4, (("neighbour", ","),), "R"),),
    )


def test_c4200m_errors_that_meet_in_one_token_of_the_target_are_one_edit() -> None:
    assert edits_of("It is 1,5 m", (6, 7, "foo"), (7, 9, ",")) == (
        "It is foo, m",
        (Edit(2, 4, (("1,5",),), "R"),),
    )


def test_c4200m_many_errors_in_one_word_take_linear_time() -> None:
    target = "ab" * 20_000
    source, edits = edits_of(target, *((position, position, "x") for position in range(40_000)))
    assert (len(source), edits) == (80_000, (Edit(0, 1, ((target,),), "R"),))


def test_c4200m_errors_that_cancel_out_in_one_token_are_no_edit() -> None:
    """Two errors that together changed nothing once left the half of their repair behind."""
    assert edits_of("x1", (1, 1, ""), (1, 1, "1"), (1, 2)) == ("x1", ())


def test_c4200m_white_space_alone_is_no_edit() -> None:
    assert edits_of("A b", (1, 2, "  ")) == ("A  b", ())
    assert edits_of("A b", (1, 2, "")) == ("Ab", (Edit(0, 1, (("A", "b"),), "R"),))


def test_c4200m_sentences_without_edits_are_counted() -> None:
    findings = Findings()
    assert read(EDITS, f"Oh.\n{CLEAN}\nAh.\n", findings=findings) == SENTENCES
    [finding] = findings
    assert str(finding) == "file1: 2 sentences without edits ignored"
    assert (finding.code, finding.severity) == ("no-edits", "note")


def test_c4200m_hashes_without_sentence_are_noted() -> None:
    findings = Findings()
    assert read(EDITS, CAT, findings=findings) == SENTENCES[1:]
    [finding] = findings
    assert str(finding) == f"file0, line 1: no sentence in file1 has the hash {md5(DOG)}"
    assert (finding.code, finding.severity) == ("missing-sentence", "warning")


def test_c4200m_repeated_sentence_is_noted() -> None:
    findings = Findings()
    assert read(EDITS, CLEAN + CAT, findings=findings) == SENTENCES
    [finding] = findings
    assert str(finding) == "file1, line 3: duplicate sentence ignored"
    assert (finding.code, finding.severity) == ("duplicate", "note")


def test_c4200m_reads_one_sentence_at_a_time() -> None:
    edits = EDITS + rows("Oh", (0, 9))
    sentences = c4200m.read([Input.from_text(edits), Input.from_text(f"{CLEAN}Oh\n")])
    assert [next(sentences), next(sentences)] == SENTENCES
    with pytest.raises(FormatError):
        next(sentences)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ((EDITS,), "file0: C4_200M needs two files, the edits and the clean sentences, not 1"),
        (
            (CLEAN, CLEAN),
            f"file0: neither this file nor file1 contains C4_200M edits; {EXPECTED}",
        ),
        (
            (EDITS + "0123\t1\t2\n", CLEAN),
            f"file0, line 5: {EXPECTED}, found '0123\\t1\\t2'",
        ),
        (
            (EDITS + rows(CAT, (3, 2)), CLEAN),
            "file0, line 5: a span needs start <= end, found 3 2",
        ),
        (
            (EDITS + rows(CAT, (3, 12)), CLEAN),
            "file0, line 5: the edit 3 12 is out of range: the sentence has 11 bytes",
        ),
        (
            (EDITS + rows(CAT, (12, 12)), CLEAN),
            "file0, line 5: the edit 12 12 is out of range: the sentence has 11 bytes",
        ),
        (
            (EDITS + rows(DOG, (9, 10)), CLEAN),
            "file0, line 5: the edit 9 10 overlaps another",
        ),
        (
            (rows(DOG, (22, 26)), CLEAN),
            "file0, line 1: the edit 22 26 begins or ends inside a character",
        ),
        (
            (rows(DOG, (0, 1), (26, 26, "e")), CLEAN),
            "file0, line 2: the edit 26 26 begins or ends inside a character",
        ),
    ],
)
def test_c4200m_bad_files_are_refused(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(*texts)
    assert str(caught.value) == message


@given(
    st.lists(
        st.tuples(st.text("ab1 é,.'’nt\u3000", max_size=6), st.text("ab1 é,.'nt", max_size=4)),
        min_size=1,
        max_size=8,
    ),
    st.lists(st.booleans(), min_size=8, max_size=8),
)
def test_c4200m_edits_restore_every_target(
    pieces: list[tuple[str, str]], is_error: list[bool]
) -> None:
    """The gold edits give back the tokens of the target whatever was changed."""
    target = "x" + "".join(original for original, _ in pieces)
    edits = []
    position = 1
    for (original, wrong), changes in zip(pieces, is_error, strict=False):
        end = position + len(original.encode())
        if changes:
            edits.append((position, end, wrong))
        position = end
    edits = edits or [(0, 0, "y")]
    [sent] = read(rows(target, *edits), target)
    assert sent.corrected("0") == tokens_at(target, tokenize(target))
    [ann] = sent.annotations
    assert list(applicable(ann.edits, len(sent.tokens))) == list(ann.edits)


def test_c4200m_is_detected_where_the_edits_come_first(tmp_path: Path) -> None:
    edits, clean = tmp_path / "edits.tsv", tmp_path / "clean.txt"
    edits.write_text(EDITS, encoding="utf-8")
    clean.write_text(CLEAN, encoding="utf-8")
    assert geceval.load(edits, clean).sentences == tuple(SENTENCES)
    assert geceval.load(clean, edits, format="c4200m").sentences == tuple(SENTENCES)


@pytest.mark.parametrize("module", [clang8, lang8, m2, multigec, multiged])
def test_c4200m_is_left_alone_by_other_formats(module: object) -> None:
    assert not module.sniff(EDITS)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "head",
    [
        "",
        "Plain text .\n",
        "source\ttarget\n",
        f"{md5(DOG)}\t{DOG}\n",
        f"{md5(DOG)}\t1\t2x\n",
        "S a\nA 0 1|||\n",
    ],
)
def test_c4200m_sniff_leaves_other_text_alone(head: str) -> None:
    assert not c4200m.sniff(head)


def test_c4200m_damaged_spans_raise_no_other_errors() -> None:
    """Spans that are wrong in value only reach further than files that do not parse."""
    rng = random.Random(8)
    for _ in range(500):
        spans = [(rng.randint(0, 30), rng.randint(0, 30), "é x"[: rng.randint(0, 3)]) for _ in "ab"]
        try:
            [sent] = read(rows(DOG, *spans), DOG)
        except GecevalError:
            continue
        assert sent.corrected("0") == tokens_at(DOG, tokenize(DOG))
