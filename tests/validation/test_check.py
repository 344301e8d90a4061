"""The input doctor."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from geceval.errors import GecevalError, UnknownNameError
from geceval.formats import Findings, write_sentences
from geceval.formats.retokenize import is_tokenization_only
from geceval.model import Annotation, Edit, Sentence
from geceval.validation.check import fix_file, validate_files
from geceval.validation.misalignment import find_misalignment

GOLD = """S The cat sat at mat .
A 3 4|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 4 4|||M:DET|||the|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S It do n't matter .
A 1 2|||R:VERB:SVA|||does|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||does|||REQUIRED|||-NONE-|||1
"""
TEXT = "The cat sat on the mat .\nIt does n't matter .\n"

Write = Callable[..., list[Path]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write texts to files ``gold.m2``, ``f1.txt``, ``f2.txt`` …"""

    def write_files(*texts: str | bytes) -> list[Path]:
        paths = [tmp_path / ("gold.m2" if i == 0 else f"f{i}.txt") for i in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        return paths

    return write_files


def found(paths: list[Path], format: str | None = None) -> list[tuple[str, str, str]]:
    """Severity, code and text of every finding, files named without their folder."""
    folder = f"{paths[0].parent}/"
    return [
        (finding.severity, finding.code, str(finding).replace(folder, ""))
        for finding in validate_files(paths, format=format).findings
    ]


def edit(span: str, new: str = "x", annotator: str = "0") -> str:
    return f"A {span}|||T|||{new}|||REQUIRED|||-NONE-|||{annotator}\n"


def test_check_sound_files(write: Write) -> None:
    result = validate_files(write(GOLD, TEXT))
    assert (list(result.findings), result.is_valid) == ([], True)


def test_check_counts(write: Write) -> None:
    gold, text = validate_files(write(GOLD, TEXT)).files
    assert (gold.format, gold.title, text.format) == ("m2", "M2", "parallel")
    counts = gold.statistics
    assert (counts.sentences, counts.tokens, counts.edits) == (2, 11, 4)
    assert dict(counts.types) == {"R:PREP": 1, "M:DET": 1, "R:VERB:SVA": 2}
    assert {name: one.unchanged for name, one in counts.annotators.items()} == {"0": 0, "1": 1}
    assert (text.statistics.sentences, text.statistics.tokens) == (2, 12)


def test_check_byte_order_mark_crlf_and_carriage_returns(write: Write) -> None:
    [path] = write(b"\xef\xbb\xbfa b\r\nc\rd\r\n")
    assert found([path], "parallel") == [
        ("warning", "bom", "gold.m2, line 1: byte order mark removed"),
        (
            "warning",
            "cr",
            "gold.m2, line 2: carriage return inside a line, not treated as a line ending",
        ),
        ("note", "crlf", "gold.m2: 2 lines with CRLF line endings, read as LF"),
    ]


def test_check_out_of_range(write: Write) -> None:
    assert found(write(f"S a b\n{edit('0 1')}{edit('2 3')}")) == [
        (
            "error",
            "out-of-range",
            "gold.m2, line 3: the edit 2 3 is out of range: the sentence ends at 2",
        )
    ]


def test_check_duplicate(write: Write) -> None:
    text = f"S a b\n{edit('0 1')}{edit('0 1')}{edit('1 1')}{edit('1 1')}{edit('1 2', '')}"
    assert found(write(text)) == [
        ("error", "duplicate", "gold.m2: sentence 1, annotator 0: duplicate edit 0–1 → x")
    ]


def test_check_edits_that_repeat_the_source(write: Write) -> None:
    """Alternatives that do may mean that nothing need be changed; a deletion says something."""
    edits = edit("0 1", "a") + edit("1 2", "b||x") + edit("2 3", "") + edit("3 4", "d", "1")
    paths = write(f"S a b c d\n{edits}")
    shown = "repeats the source, so that no system can get it right"
    assert found(paths) == [
        ("warning", "no-change", f"gold.m2: sentence 1, annotator 0: the edit 0–1 {shown}"),
        ("warning", "no-change", f"gold.m2: sentence 1, annotator 1: the edit 3–4 {shown}"),
    ]
    assert len(validate_files(paths).findings.summary()) == 1
    # A file that corrects nothing marks errors, on purpose.
    assert found(write(f"S a b c d\n{edit('0 1', 'a')}")) == []


def test_check_overlap(write: Write) -> None:
    text = f"S a b c\n{edit('0 2', 'x||y')}{edit('1 3', '')}{edit('1 2', 'z', '1')}"
    assert found(write(text)) == [
        (
            "warning",
            "overlap",
            (
                "gold.m2: sentence 1, annotator 0: 0–2 → x | y and 1–3 → ∅ overlap; "
                "only one can be applied"
            ),
        )
    ]


def test_check_absent(write: Write) -> None:
    lines = "".join(edit("0 1", annotator=name) for name in ("0", "2", "10"))
    assert found(write(f"S a\n{lines}\nS b\n{edit('0 1')}")) == [
        (
            "note",
            "absent",
            (
                f"gold.m2: annotator {name} has no line in 1 of 2 sentences: "
                "absent, nothing to correct, or the same as the preceding annotator?"
            ),
        )
        for name in ("2", "10")
    ]


def test_check_empty_sentences_and_lines(write: Write) -> None:
    assert found(write(f"S \n{edit('0 0')}", "\n")) == [
        ("warning", "empty", "gold.m2: sentence 1 is empty"),
        ("warning", "empty", "f1.txt: line 1 is empty"),
    ]


def test_check_empty_output(write: Write) -> None:
    assert found(write("a b\n", "\n"), "parallel")[1:] == [
        ("warning", "empty-output", "f1.txt, line 1: empty, but the source sentence is not")
    ]


def test_check_file_without_sentences(write: Write) -> None:
    assert found(write("")) == [("error", "no-sentences", "gold.m2: no sentences")]


def test_check_reader_notes_are_findings(write: Write) -> None:
    codes = [code for _, code, _ in found(write(f"S a\nI x\n{edit('0 1')}S b\nS c\n"))]
    assert codes == ["i-line", "no-blank-line", "no-annotation", "paragraph"]


def test_check_unreadable_files(write: Write) -> None:
    gold, text = write(f"S a\n{edit('0 1')}B\n", b"\xff\n")
    assert found([gold, text, gold.with_name("no")]) == [
        (
            "error",
            "unreadable",
            "gold.m2, line 3: expected 'S ', 'A ' or a blank line, found 'B'",
        ),
        (
            "error",
            "unreadable",
            (
                "f1.txt, line 1: byte 0xff is not valid UTF-8; "
                "give the encoding of the file if it is another"
            ),
        ),
        ("error", "unreadable", "no: cannot be read: no such file or directory"),
    ]


def test_check_unreadable_gold_compares_nothing(write: Write) -> None:
    gold, *texts = write(f"S a\n{edit('0 1')}B\n", "a\n", "a\nb\n")
    result = validate_files([gold, *texts])
    assert [finding.code for finding in result.findings] == ["unreadable"]
    assert [Path(report.path).name for report in result.files] == ["f1.txt", "f2.txt"]


def test_check_line_count(write: Write) -> None:
    assert found(write(GOLD, TEXT.split("\n", 1)[0])) == [
        ("error", "line-count", "f1.txt: 1 sentences, but gold.m2 has 2")
    ]


STORY = [
    "The sun was high above the hill .",
    "Nobody knew where Anna had gone .",
    "We looked for her until evening .",
    "At last a neighbor brought news .",
    "She had taken the early train .",
]


def test_check_line_count_with_the_line_of_the_misalignment(write: Write) -> None:
    paths = write("\n".join(STORY) + "\n", "\n".join(STORY[:2] + STORY[3:]) + "\n")
    assert found(paths, "parallel") == [
        (
            "error",
            "line-count",
            "f1.txt, line 3: 4 sentences, but gold.m2 has 5; misaligned from here on",
        )
    ]


SLIPPED = (
    "match a neighboring source line instead of their own: "
    "look for a missing, duplicate, swapped or split line"
)


def test_check_misaligned_lines(write: Write) -> None:
    misaligned = [*STORY[:2], *STORY[3:], STORY[2]]
    assert found(write("\n".join(STORY), "\n".join(misaligned)), "parallel")[0] == (
        "error",
        "misaligned",
        f"f1.txt, line 3: 3 of 5 sentences {SLIPPED}",
    )


def test_check_misaligned_lines_between_annotated_files_names_the_sentence(write: Write) -> None:
    blocks = [f"S {line}\n{edit('0 0')}" for line in STORY]
    swapped = [*blocks[:3], blocks[4], blocks[3]]
    assert found(write("\n".join(blocks), "\n".join(swapped)))[0] == (
        "error",
        "misaligned",
        f"f1.txt: sentence 4: 2 of 5 sentences {SLIPPED}",
    )


def test_check_tokenization(write: Write) -> None:
    assert found(write(GOLD, "The cat sat at mat.\nIt don't matter .\n")) == [
        (
            "error",
            "tokenization",
            (
                f"f1.txt, line {number}: tokenized differently from the source, "
                "which counts as false positives"
            ),
        )
        for number in (1, 2)
    ]


def test_check_several_texts_are_held_against_the_first(write: Write) -> None:
    codes = [code for _, code, _ in found(write(GOLD, TEXT, "It\n", TEXT + "\n"))]
    assert codes == ["line-count", "empty", "line-count"]


def test_check_named_format_is_of_the_first_file(write: Write) -> None:
    assert validate_files(write("S a\n\n", "a\n"), format="parallel").files[0].format == "parallel"
    with pytest.raises(UnknownNameError):
        validate_files(write("a\n"), format="m3")


def test_check_standard_input_only_once() -> None:
    with pytest.raises(GecevalError, match="only once"):
        validate_files(["-", "-"])


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("do n't .", "don't.", True),
        ("do n’t", "don’t", True),
        ("It 's ( good )", "It's (good)", True),
        ("state-of-the-art", "state - of - the - art", True),
        ("can not", "cannot", False),
        ("any one", "anyone", False),
        ("a b", "a b", False),
        ("a .", "b.", False),
        ("", "", False),
        ("a , b", "a ,b", True),
    ],
)
def test_check_tokenization_only(source: str, text: str, expected: bool) -> None:
    assert is_tokenization_only(tuple(source.split()), tuple(text.split())) is expected


def tokens(lines: list[str]) -> list[tuple[str, ...]]:
    return [tuple(line.split()) for line in lines]


@pytest.mark.parametrize(
    ("texts", "first"),
    [
        (STORY, None),
        (STORY[:3], None),
        ([*STORY, ""], None),
        (STORY[1:], 0),
        ([*STORY[:2], *STORY[3:]], 2),
        ([*STORY[:2], STORY[1], *STORY[2:]], 2),
        (["", "", "", "", ""], None),
        (["Something else entirely", *STORY[1:]], None),
        ([line.replace("the", "a") for line in STORY], None),
        ([], None),
    ],
)
def test_check_find_misalignment(texts: list[str], first: int | None) -> None:
    assert find_misalignment(tokens(STORY), tokens(texts)) == first


def test_check_find_misalignment_is_not_misled_by_empty_lines() -> None:
    sources = ["", *STORY[:2], ""]
    assert find_misalignment(tokens(sources), tokens(["", "", STORY[1], ""])) is None


def test_check_find_misalignment_in_a_published_file(shared_data: Path) -> None:
    """One system of the shared task is misaligned around the fortieth sentence."""
    folder = shared_data / "conll14"
    result = validate_files(
        [folder / "gold" / "official-2014.combined.m2", folder / "systems" / "NTHU.txt"]
    )
    [misaligned] = [finding for finding in result.findings if finding.code == "misaligned"]
    assert misaligned.line == 38


# Repair ------------------------------------------------------------------------------------


def test_check_repair_of_edits(write: Write) -> None:
    text = f"S a b\n{edit('0 1')}{edit('0 1')}{edit('1 1')}{edit('1 1')}{edit('2 3')}"
    [path] = write(text)
    mended = fix_file(path)
    change, insert = Edit(0, 1, (("x",),), "T"), Edit(1, 1, (("x",),), "T")
    assert mended.sentences == [Sentence(("a", "b"), (Annotation("0", (change, insert, insert)),))]
    assert mended.format.name == "m2"
    assert mended.changes == [
        "sentence 1, annotator 0: removed duplicate edit 0–1 → x",
        "sentence 1, annotator 0: removed out-of-range edit 2–3 → x",
    ]


def test_check_repair_tells_what_reading_mends(write: Write) -> None:
    [path] = write(f"\ufeffS a\r\nI x\r\n{edit('0 1')}S b\r\n")
    assert fix_file(path).changes == [
        f"{path}, line 1: byte order mark removed",
        f"{path}, line 2: an 'I ' line was ignored",
        f"{path}, line 4: no blank line before an 'S ' line",
        f"{path}: 3 lines with CRLF line endings, read as LF",
        f"{path}, line 4: no 'A ' line, read as one annotator with nothing to correct",
    ]


def test_check_repair_leaves_overlaps_to_people(write: Write) -> None:
    [path] = write(f"S a b c\n{edit('0 2')}{edit('1 3')}")
    mended = fix_file(path)
    assert (len(mended.sentences[0].annotations[0].edits), mended.changes) == (2, [])


def test_check_repair_of_a_text(write: Write) -> None:
    gold, text = write(GOLD, "The cat sat on the mat .\nIt don't matter.\n\n\n")
    mended = fix_file(text, against=gold)
    assert [sent.tokens for sent in mended.sentences] == [
        ("The", "cat", "sat", "on", "the", "mat", "."),
        ("It", "do", "n't", "matter", "."),
    ]
    assert mended.changes == [
        "line 4: removed extra blank line",
        "line 3: removed extra blank line",
        "line 2: replaced by the tokens of the source",
    ]


def test_check_repair_leaves_misaligned_lines_to_people(write: Write) -> None:
    gold, text = write(GOLD, "It does n't matter .\n")
    with pytest.raises(GecevalError) as caught:
        fix_file(text, against=gold)
    assert str(caught.value) == (f"{text}: 1 lines instead of 2; align the lines by hand")


def test_check_repair_makes_files_sound(write: Write, tmp_path: Path) -> None:
    from geceval.formats import write_sentences

    [path] = write(f"S a b\n{edit('0 1')}{edit('0 1')}{edit('2 3')}")
    mended = fix_file(path)
    write_sentences(mended.sentences, tmp_path / "mended.m2")
    assert list(validate_files([tmp_path / "mended.m2"]).findings) == list(Findings())


def test_check_files_that_are_one_corpus_are_read_together(tmp_path: Path) -> None:
    journal = ["7", "1", ["English"], "Japanese", ["I has it."], [[]]]
    (tmp_path / "lang8.dat").write_text(json.dumps(journal) + "\n", encoding="utf-8")
    (tmp_path / "targets.tsv").write_text("7\t1\t0\t1\tI have it .\n", encoding="utf-8")
    (tmp_path / "system.txt").write_text("I have it .\n", encoding="utf-8")
    result = validate_files(
        [tmp_path / name for name in ("lang8.dat", "targets.tsv", "system.txt")]
    )
    assert [report.format for report in result.files] == ["clang8", "parallel"]
    assert result.is_valid


def test_check_finds_control_characters_with_file_and_line(write: Write) -> None:
    paths = write(
        "S The cat\nA 1 2|||T|||c\x1bat|||REQUIRED|||-NONE-|||0\n\nS a\x00 b\n\n",
        "The cat\na\x9b\u202e b\n",
    )
    assert [text for _, code, text in found(paths) if code == "controls"] == [
        r"gold.m2, line 2: control characters (\x1b) count as part of the text",
        r"gold.m2, line 4: control characters (\x00) count as part of the text",
        r"f1.txt, line 2: control characters (\x9b, \u202e) count as part of the text",
    ]


def test_check_finds_control_characters_that_a_format_escapes(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    write_sentences([Sentence(("a", "b\x00"))], path, format="jsonl")
    [finding] = [one for one in found([path]) if one[1] == "controls"]
    assert "sentence 1: control characters (\\x00)" in finding[2]


def test_check_leaves_tabs_and_marks_of_direction_alone(write: Write) -> None:
    result = found(write("S ذهبت\u200f الى\n\n"))
    assert "controls" not in [code for _, code, _ in result]
