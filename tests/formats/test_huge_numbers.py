"""Offsets and names that are larger than anything counts with."""

from __future__ import annotations

from pathlib import Path

import pytest

from geceval import Edit
from geceval.errors import FormatError
from geceval.formats import Findings, load
from geceval.metaeval.human.judgment_files import load_judgments
from geceval.metrics import metric_class
from geceval.model import MAX_OFFSET, Corpus, Hypothesis
from running import run_geceval

NUMBERS = [str(number) for number in (MAX_OFFSET, MAX_OFFSET + 1, 2**31, 2**32 + 1, 2**63, 2**64)]
NUMBERS += ["9" * 30, "9" * 5000]

M2 = "S a b\nA {} {}|||R:X|||c|||REQUIRED|||-NONE-|||{}\n\n"
GOLD = {
    "m2": M2,
    "m2 insertion": M2,
    "jsonl": '{{"format": "geceval-corpus", "schema": 1}}\n{{"tokens": ["a", "b"], "annotations": '
    '[{{"annotator": "{2}", "edits": [{{"start": {0}, "end": {1}, "corrections": [["c"]]}}]}}]}}\n',
    "bea": '{{"text": "a b", "edits": [[{2}, [[{0}, {1}, "c"]]]], "id": {2}}}\n',
    "ixml": '<scripts><script id="1"><sentence id="1" numann="1"><text>a b</text><error-list>'
    '<error id="1" req="yes" type="X"><alt ann="{2}"><c start="{0}" end="{1}">c</c></alt></error>'
    "</error-list></sentence></script></scripts>",
    "nucle": '<DOC nid="{2}">\n<TEXT>\n<P>\na b\n</P>\n</TEXT>\n<ANNOTATION teacher_id="{2}">\n'
    '<MISTAKE start_par="0" start_off="{0}" end_par="0" end_off="{1}">\n<TYPE>X</TYPE>\n'
    "<CORRECTION>c</CORRECTION>\n</MISTAKE>\n</ANNOTATION>\n</DOC>\n",
    "tsv": "{1}\ta b\ta c\n",
    "lang8": '[{1}, "{1}", "English", "Korean", ["a b"], [["a c"]]]\n',
}
METRICS = ("m2", "wdiff", "imeasure", "gleu", "bleu", "sari", "ld-reference")


def _loaded(text: str, name: str, path: Path) -> Corpus | None:
    """Load a file; None where it is refused."""
    path.write_text(text)
    try:
        return load(path, format=name.partition(" ")[0], findings=Findings())
    except FormatError as error:
        place, message = f"{path}, line ", str(error)
    assert message.startswith(place)
    assert len(message) < len(place) + 300
    return None


def _score(corpus: Corpus) -> None:
    output = Hypothesis("ours", tuple(("a", "c") for _ in corpus))
    for metric in METRICS:
        assert -1 <= metric_class(metric)().score(corpus, output).value <= 1


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number[:8]}-{len(number)}")
@pytest.mark.parametrize("name", GOLD)
def test_huge_offsets_and_annotators_are_refused_or_harmless(
    tmp_path: Path, name: str, number: str
) -> None:
    path = tmp_path / "gold"
    start = number if name.endswith("insertion") else "1"
    corpus = _loaded(GOLD[name].format(start, number, 0), name, path)
    if name in ("m2", "m2 insertion", "ixml", "jsonl") and number != str(MAX_OFFSET):
        assert corpus is None
    if corpus is not None:
        _score(corpus)
    corpus = _loaded(GOLD[name].format(0, 1, number), name, path)
    if corpus is not None:
        _score(corpus)


def test_huge_offset_is_one_sentence_of_the_program(tmp_path: Path) -> None:
    gold, output = tmp_path / "gold.m2", tmp_path / "output.txt"
    gold.write_text(M2.format(1, 2**31, 0))
    output.write_text("a c\n")
    code, _, err = run_geceval("score", "--gold", str(gold), str(output))
    assert code == 1
    message = "no sentence has a token 1,073,741,824 or beyond, found '1 2147483648'"
    assert err == f"Error: {gold}, line 2: {message}\n"


def test_edit_refuses_huge_offsets() -> None:
    assert Edit(0, MAX_OFFSET, ((),)).end == MAX_OFFSET
    with pytest.raises(ValueError, match="0 <= start <= end <= 1,073,741,824, not 0 2147483648"):
        Edit(0, 2**31, ((),))


def test_judgments_with_a_column_of_a_huge_number(tmp_path: Path) -> None:
    path = tmp_path / "judgments.csv"
    columns = ["srclang", "trglang", "srcIndex", "segmentId", "judgeId"]
    systems = ["system1Id", "system1rank", f"system{'9' * 5000}Id", f"system{'9' * 5000}rank"]
    path.write_text(f"{','.join(columns + systems)}\na,b,1,1,j,s,1,t,2\n")
    with pytest.raises(FormatError):
        load_judgments(path, "some")
