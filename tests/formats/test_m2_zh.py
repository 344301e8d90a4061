"""ChERRANT's M2 and the tables around it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from geceval.errors import FormatError, GecevalError
from geceval.formats import Findings, detect, load, load_hypothesis
from geceval.formats.conversion import convert_files
from geceval.formats.inputs import Input
from geceval.formats.m2 import read
from geceval.formats.m2_zh import write
from geceval.model import Annotation, Edit, Sentence, first_alignments, split_alignment

BLOCK = """\
S 我 在 去 。
T0-A0 我 再 去 吧 。
A 1 2|||S|||再|||REQUIRED|||-NONE-|||0
A 3 3|||M|||吧|||REQUIRED|||-NONE-|||0
T0-A1 我 再 去 吧 。
A 1 3|||S|||再 去 吧|||REQUIRED|||-NONE-|||0
T1 没有错误
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
T2 无法标注
A -1 -1|||NA|||-NONE-|||REQUIRED|||-NONE-|||2
T3-A0 我 去 。
A 1 2|||R|||-NONE-|||REQUIRED|||-NONE-|||3

"""


def sentences(text: str) -> list[Sentence]:
    return list(read([Input.from_text(text)]))


def written(*sents: Sentence) -> str:
    out = io.StringIO()
    write(sents, [out])
    return out.getvalue()


def test_m2_zh_alignments_are_kept_apart() -> None:
    (sent,) = sentences(BLOCK)
    assert [ann.annotator for ann in sent.annotations] == ["0", "0-A1", "1", "3"]
    assert [len(ann.edits) for ann in sent.annotations] == [2, 1, 0, 1]
    assert sent.not_annotatable == ("2",)
    assert sent.corrected("0") == sent.corrected("0-A1") == tuple("我再去吧。")


def test_m2_zh_is_written_as_it_was() -> None:
    assert written(*sentences(BLOCK)) == BLOCK


def test_m2_zh_words_are_written_as_they_were() -> None:
    """The target has other words than the source where the text is the same."""
    block = (
        "S 天气 很 好 。\nT0-A0 天 气 好 。\nA 1 2|||R:ADV|||-NONE-|||REQUIRED|||-NONE-|||0\n"
        "T1-A0 天 气 很 好 。\n\n"
    )
    (sent,) = sentences(block)
    assert [len(ann.edits) for ann in sent.annotations] == [1, 0]
    assert written(sent) == block


def test_m2_zh_is_detected() -> None:
    assert detect(Input.from_text(BLOCK)).name == "m2-zh"
    assert detect(Input.from_text("S 我 去\nA 0 1|||S|||你|||REQUIRED|||-NONE-|||0\n")).name == "m2"


def test_m2_without_targets_has_the_same_edits() -> None:
    text = "".join(line for line in BLOCK.splitlines(True) if not line.startswith("T"))
    (pooled,), (sent,) = sentences(text), sentences(BLOCK)
    by_annotator = {ann.annotator: ann.edits for ann in sent.annotations}
    assert pooled.annotation("0") == Annotation("0", by_annotator["0"] + by_annotator["0-A1"])
    assert pooled.not_annotatable == ("2",)


@pytest.mark.parametrize("line", ["T0-A0 我 去", "T0 没有错误"])
def test_m2_zh_target_needs_a_source(line: str) -> None:
    with pytest.raises(FormatError, match="a corrected sentence without an 'S ' line before it"):
        sentences(f"{line}\n")


def test_m2_zh_other_lines_are_errors() -> None:
    with pytest.raises(FormatError, match=r"line 2.*expected 'S ', 'A ' or a blank line"):
        sentences("S 我 去\nT我 去\n")


def test_m2_zh_numbers_annotators() -> None:
    with pytest.raises(GecevalError, match="an annotator is called 'anna'"):
        written(Sentence(("我",), (Annotation("anna", (Edit(0, 1, (("你",),), "S"),)),)))


def test_conversion_counts_alignments(tmp_path: Path) -> None:
    source = tmp_path / "zh.m2"
    source.write_text(BLOCK, encoding="utf-8")
    result = convert_files([source], tmp_path / "plain.m2", findings=Findings())
    assert (result.read, result.written, result.alignments) == ("m2-zh", "m2", 1)
    text = (tmp_path / "plain.m2").read_text("utf-8")
    assert "-A1" not in text
    assert "|||2" not in text
    stored = convert_files([source], tmp_path / "all.jsonl", findings=Findings())
    assert stored.alignments == 0
    again = convert_files(
        [tmp_path / "all.jsonl"], tmp_path / "again.m2", findings=Findings(), to_name="m2-zh"
    )
    assert again.alignments == 0
    assert (tmp_path / "again.m2").read_text("utf-8") == BLOCK


def test_first_alignments_keep_one_that_is_alone() -> None:
    (sent,) = sentences(BLOCK)
    assert [ann.annotator for ann in first_alignments(sent).annotations] == ["0", "1", "3"]
    alone = Sentence(sent.tokens, (Annotation("0-A1"),))
    assert first_alignments(alone) is alone
    assert split_alignment("x-A0") == ("x-A0", 0)


def test_table_with_a_placeholder_has_an_absent_annotator(tmp_path: Path) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text("1\t我在去\t我再去\t没有错误\n2\t他好\t无法标注\n", encoding="utf-8")
    findings = Findings()
    corpus = load(path, findings=findings)
    assert [len(sent.annotations) for sent in corpus] == [2, 0]
    assert corpus.sentences[1].not_annotatable == ("0",)
    assert [finding.code for finding in findings] == ["not-annotatable"]
    convert_files([path], tmp_path / "again.tsv", findings=Findings())
    again = load(tmp_path / "again.tsv", findings=Findings())
    assert [sent.not_annotatable for sent in again] == [(), ("0",)]


def test_table_of_sources_has_no_references(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_text("1\t我在去\n2\t他好\n3\t10\u00a0年\n", encoding="utf-8")
    assert [sent.id for sent in load(path)] == ["1", "2", "3"]
    assert load(path).annotators == ()
    path.write_text("1\tone\n3\tthree\n", encoding="utf-8")
    assert load(path).annotators == ("0",)


def test_table_of_predictions_is_an_output(tmp_path: Path) -> None:
    path = tmp_path / "pred.tsv"
    path.write_text("1\t我在去\t我再去\n2\t他好\t没有错误\n", encoding="utf-8")
    hypothesis = load_hypothesis(path)
    assert hypothesis.sentences == (("我再去",), ("他好",))
    assert hypothesis.edits is None
    assert [(row.id, row.tokens) for row in hypothesis.rows] == [
        ("1", ("我在去",)),
        ("2", ("他好",)),
    ]
    path.write_text("1\t我在去\t我再去\t我去\n2\t他好\t没有错误\t他好\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"line 1: expected a number, a source and one corrected"):
        load_hypothesis(path)


@pytest.mark.parametrize(
    "name",
    [
        "mucgec-dev-1.char.m2", "example-pred-1.char.m2", "demo.hyp.m2.char", "demo.ref.m2.char",
        "demo.hyp.m2.word", "demo.ref.m2.word", "nlpcc18-1.char.m2", "nlpcc18-1.word.m2",
    ],
)  # fmt: skip
def test_m2_zh_published_files_are_written_as_they_were(name: str, shared_data: Path) -> None:
    path = shared_data / "lang" / "zh" / name
    assert written(*load(path, findings=Findings())) == path.read_text("utf-8")
