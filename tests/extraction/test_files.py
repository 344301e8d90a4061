from __future__ import annotations

import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from geceval import Corpus, load
from geceval.engines import Chunk, ChunkError, ChunkFailure
from geceval.engines.local import LocalEngine
from geceval.errors import FormatError, GecevalError, MismatchError
from geceval.extraction import chunk_annotator, runs
from geceval.extraction.annotator import Annotator
from geceval.extraction.corpus import SplitRow, annotate_rows, retype, split_rows, standardize
from geceval.extraction.files import Counts, ExtractionSettings, annotate_files
from geceval.extraction.lang import AnalyzerKind
from geceval.formats import Findings, Input
from geceval.formats.m2 import read as read_m2
from geceval.model import Annotation, Edit, Sentence
from geceval.storage.resumable import PartError, PartialFile

PLAIN = ExtractionSettings(lang="plain")
SOURCE = "I likke it .\n\nHe go to scool 😀 .\n"
CORRECTED = "I like it .\n\nHe goes to the school 😀 .\n"
EXPECTED = """\
S I likke it .
A 1 2|||R:SPELL|||like|||REQUIRED|||-NONE-|||0

S 
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S He go to scool 😀 .
A 1 2|||R:SPELL|||goes|||REQUIRED|||-NONE-|||0
A 3 3|||M:OTHER|||the|||REQUIRED|||-NONE-|||0
A 3 4|||R:SPELL|||school|||REQUIRED|||-NONE-|||0

"""  # noqa: W291 - an empty sentence


@pytest.fixture
def plain() -> Annotator:
    return Annotator("plain")


@pytest.fixture
def pair(tmp_path: Path) -> list[Path]:
    source, corrected = tmp_path / "src.txt", tmp_path / "cor.txt"
    source.write_text(SOURCE, encoding="utf-8")
    corrected.write_text(CORRECTED, encoding="utf-8")
    return [source, corrected]


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Pairs for some dozens of small chunks."""
    monkeypatch.setattr(runs, "CHUNK_TOKENS", 60)
    paths = [tmp_path / "many.src.txt", tmp_path / "many.cor.txt"]
    write_pairs(paths, 200)
    return paths


def write_pairs(paths: Sequence[Path], n_pairs: int) -> None:
    generator = random.Random(4)
    words = ("the", "a", "cat", "cats", "sat", "sits", "on", "in", "mat", "mats", ",", ".", "big")
    with paths[0].open("w") as source, paths[1].open("w") as corrected:
        for _ in range(n_pairs):
            sentence = generator.choices(words, k=generator.randrange(12))
            source.write(" ".join(sentence) + "\n")
            for _ in range(generator.randrange(3)):
                place = generator.randrange(len(sentence) + 1)
                sentence[place : place + 1] = generator.choices(words, k=generator.randrange(3))
            corrected.write(" ".join(sentence) + "\n")


def annotate(sources: Sequence[Path], target: Path, **options: Any) -> bytes:
    options = {"settings": PLAIN, "format": "parallel", **options}
    annotate_files(sources, target, **options)
    return target.read_bytes()


def m2(text: str) -> list[Sentence]:
    return list(read_m2([Input.from_text(text)]))


def readings(*edits: Edit) -> tuple[Annotation, ...]:
    return (Annotation("0", edits),)


# Sentences in memory.


def test_annotate_rows_one_annotator_for_each_correction(plain: Annotator) -> None:
    (sent,) = annotate_rows([("a likke", "a like", "a likke", "likke")], plain)
    assert sent == Sentence(
        ("a", "likke"),
        (
            Annotation("0", (Edit(1, 2, (("like",),), "R:SPELL"),)),
            Annotation("1"),
            Annotation("2", (Edit(0, 1, ((),), "U:OTHER"),)),
        ),
    )


def test_annotate_rows_tokenizes(plain: Annotator) -> None:
    (sent,) = annotate_rows([("I don't  likke it.", "I don't like it.")], plain, tokenize=True)
    assert sent.tokens == ("I", "do", "n't", "likke", "it", ".")
    assert sent.raw is not None
    assert sent.raw.spans == ((0, 1), (2, 4), (4, 7), (9, 14), (15, 17), (17, 18))
    assert sent.annotations == readings(Edit(3, 4, (("like",),), "R:SPELL"))


def test_standardize_extracts_anew(plain: Annotator) -> None:
    sent = Sentence(
        ("so", "it", "likke", "good"),
        readings(Edit(0, 4, (("so", "it", "was", "like", "good"),), "Rewrite", required=False)),
        id="7",
    )
    lost: Counter[str] = Counter()
    assert standardize([sent], plain, lost=lost) == [
        Sentence(
            sent.tokens,
            readings(
                Edit(2, 2, (("was",),), "M:OTHER"),
                Edit(2, 3, (("like",),), "R:SPELL"),
            ),
            id="7",
        )
    ]
    assert +lost == {"optional": 1}


def test_standardize_keeps_flags_and_absent_annotators(plain: Annotator) -> None:
    sent = Sentence(
        ("a", "b", "likke"),
        (
            Annotation("0", (Edit(2, 3, (("like",),), "X"), Edit(0, 1, (), "Um"))),
            Annotation("2", ()),
        ),
    )
    (done,) = standardize([sent], plain)
    assert done.annotations == (
        Annotation("0", (Edit(0, 1, (), "UNK"), Edit(2, 3, (("like",),), "R:SPELL"))),
        Annotation("2"),
    )
    assert standardize([Sentence(("a",))], plain) == [Sentence(("a",))]


def test_standardize_counts_what_is_lost(plain: Annotator) -> None:
    sent = Sentence(
        ("a", "b", "c"),
        readings(
            Edit(0, 2, (("x",), ("y",)), "X", comment="hm"),
            Edit(1, 2, (("z",),), "X"),
            Edit(3, 4, (("z",),), "X"),
        ),
    )
    lost: Counter[str] = Counter()
    standardize([sent], plain, lost=lost)
    assert +lost == {"not-applied": 2, "alternatives": 1, "comments": 1}


def test_retype_minimizes_and_types(plain: Annotator) -> None:
    sent = Sentence(
        ("a", "b", "likke", "c", "d"),
        readings(
            Edit(0, 2, (("a", "new", "b"),), "X"),
            Edit(1, 3, (("b", "like"),), "X", required=False, comment="hm"),
            Edit(3, 5, (("d", "c"),), "X"),
        ),
    )
    (done,) = retype([sent], plain)
    assert done.annotations == readings(
        Edit(1, 1, (("new",),), "M:OTHER"),
        Edit(2, 3, (("like",),), "R:SPELL", required=False, comment="hm"),
        Edit(3, 5, (("d", "c"),), "R:WO"),
    )


def test_retype_without_minimizing(plain: Annotator) -> None:
    sent = Sentence(("a", "likke"), readings(Edit(0, 2, (("a", "like"),), "X")))
    (done,) = retype([sent], plain, minimize=False)
    assert done.annotations == readings(Edit(0, 2, (("a", "like"),), "R:OTHER"))


def test_retype_edits_that_cannot_be_applied(plain: Annotator) -> None:
    """One that overlaps is typed by itself, one past the end is left as it is."""
    sent = Sentence(
        ("likke", "sub", "way"),
        readings(
            Edit(0, 2, (("x",),), "X"),
            Edit(1, 3, (("subway",),), "X"),
            Edit(3, 4, (("z",),), "X"),
        ),
    )
    lost: Counter[str] = Counter()
    (done,) = retype([sent], plain, lost=lost)
    assert done.annotations == readings(
        Edit(0, 2, (("x",),), "R:OTHER"),
        Edit(1, 3, (("subway",),), "R:ORTH"),
        Edit(3, 4, (("z",),), "X"),
    )
    assert +lost == {"past-the-end": 1}


def test_retype_alternatives_flags_and_edits_that_change_nothing(plain: Annotator) -> None:
    sent = Sentence(
        ("a", "likke", "b"),
        readings(
            Edit(0, 1, (("a",), ("a",)), "X"),
            Edit(1, 2, (("like",), ("love",)), "X"),
            Edit(2, 3, (), "Um"),
            Edit(2, 3, (("b",), ("c",)), "X"),
        ),
    )
    lost: Counter[str] = Counter()
    (done,) = retype([sent], plain, lost=lost)
    assert done.annotations == readings(
        Edit(1, 2, (("like",), ("love",)), "R:SPELL"),
        Edit(2, 3, (), "UNK"),
        Edit(2, 3, (("b",), ("c",)), "UNK"),
    )
    assert +lost == {"no-change": 1}


def test_retype_equal_insertions_share_a_place(plain: Annotator) -> None:
    insertion = Edit(1, 1, (("very",),), "X")
    sent = Sentence(("a", "likke"), readings(insertion, insertion, Edit(1, 2, (("like",),), "X")))
    (done,) = retype([sent], plain)
    assert [edit.type for edit in done.annotations[0].edits] == ["M:OTHER", "M:OTHER", "R:SPELL"]


def test_english_types_of_all_three_ways() -> None:
    pytest.importorskip("errant")
    english = Annotator("en")
    row = ("He go to school .", "He went to the school .")
    (annotated,) = annotate_rows([row], english)
    types = ["R:VERB:TENSE", "M:DET"]
    assert [edit.type for edit in annotated.annotations[0].edits] == types
    gold = m2(
        "S He go to school .\n"
        "A 0 2|||Vt|||He went|||REQUIRED|||-NONE-|||0\n"
        "A 3 4|||ArtOrDet|||the school|||REQUIRED|||-NONE-|||0\n"
    )
    assert retype(gold, english) == standardize(gold, english) == [annotated]
    (raw,) = annotate_rows([("It don't.", "It doesn't.")], english, tokenize=True)
    assert raw.tokens == ("It", "do", "n't", ".")
    assert [edit.type for edit in raw.annotations[0].edits] == ["R:VERB:SVA"]


# Files.


def test_annotate_files_parallel_text(pair: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "out.m2"
    result = annotate_files(pair, target, settings=PLAIN, format="parallel")
    assert target.read_text(encoding="utf-8") == EXPECTED
    assert result.counts == Counts(
        sentences=3,
        annotations=3,
        changed=2,
        edits=4,
        types=Counter({"R:SPELL": 3, "M:OTHER": 1}),
    )
    assert result.resumed_at == 0
    assert (result.read_format, result.written_format) == ("parallel", "m2")
    assert result.signature.startswith("lang:plain|model:none|align:linguistic|merge:rules|")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cor.txt", "out.m2", "src.txt"]


def test_annotate_files_detected_text_gives_the_same(pair: list[Path], tmp_path: Path) -> None:
    assert annotate(pair, tmp_path / "a.m2", format=None).decode() == EXPECTED


def test_annotate_files_standard_output(
    pair: list[Path], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    annotate_files(pair, "-", settings=PLAIN, format="parallel")
    assert capfdbinary.readouterr().out.decode() == EXPECTED


def test_annotate_files_xml_to_a_stream(
    pair: list[Path], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    annotate_files(pair, "-", settings=PLAIN, format="parallel", to="ixml")
    assert capfdbinary.readouterr().out.count(b"<sentence ") == 3


@pytest.mark.parametrize("name", ["out.jsonl", "out.xml", "out.m2.gz", "out.m2.zst"])
def test_annotate_files_other_endings(many: list[Path], tmp_path: Path, name: str) -> None:
    """Also where a file cannot be written a chunk at a time."""
    annotate(many, tmp_path / "expected.m2")
    annotate(many, tmp_path / name)
    assert spans(load(tmp_path / name)) == spans(load(tmp_path / "expected.m2"))
    assert not list(tmp_path.glob("*.part*"))


def spans(corpus: Corpus) -> list[Any]:
    return [
        (sent.tokens, [(edit.start, edit.end, edit.corrections, edit.type) for edit in ann.edits])
        for sent in corpus
        for ann in sent.annotations
    ]


def test_annotate_files_line_ends_marks_and_compression(tmp_path: Path) -> None:
    """CRLF, a byte order mark and gzip change nothing."""
    windows = tmp_path / "windows.txt"
    windows.write_bytes(b"\xef\xbb\xbf" + SOURCE.replace("\n", "\r\n").encode())
    packed = tmp_path / "packed.txt.gz"
    packed.write_bytes(gzip.compress(CORRECTED.rstrip("\n").encode()))
    findings = Findings()
    done = annotate([windows, packed], tmp_path / "out.m2", findings=findings)
    assert done.decode() == EXPECTED
    assert set(findings.counts) == {"bom", "crlf"}
    assert findings.counts["bom"] == 1


def test_annotate_files_long_sentence(tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(500)]
    source, corrected = tmp_path / "s.txt", tmp_path / "c.txt"
    source.write_text(" ".join(words) + "\n")
    corrected.write_text(" ".join(["new", *words[:250], *words[251:], "end"]) + "\n")
    annotate([source, corrected], tmp_path / "out.m2")
    (sent,) = load(tmp_path / "out.m2")
    assert [(edit.start, edit.end) for edit in sent.annotations[0].edits] == [
        (0, 0),
        (250, 251),
        (500, 500),
    ]


def test_annotate_files_empty_files(tmp_path: Path) -> None:
    source, corrected = tmp_path / "s.txt", tmp_path / "c.txt"
    source.touch()
    corrected.touch()
    assert annotate([source, corrected], tmp_path / "out.m2") == b""
    assert not list(tmp_path.glob("*.part*"))


def test_annotate_files_unequal_counts_are_told_before_anything_is_done(
    pair: list[Path], tmp_path: Path
) -> None:
    target = tmp_path / "out.m2"
    target.write_text("precious")
    pair[1].write_text("one\ntwo\n")
    with pytest.raises(MismatchError) as caught:
        annotate_files(pair, target, settings=PLAIN, format="parallel")
    assert caught.value.counts == {str(pair[0]): 3, str(pair[1]): 2}
    assert target.read_text() == "precious"
    assert not list(tmp_path.glob("*.part*"))


@pytest.mark.parametrize("given", ["one\ntwo\n", "1\n2\n3\n4\n5\n"])
def test_annotate_files_unequal_counts_of_a_pipe(
    pair: list[Path], tmp_path: Path, given: str
) -> None:
    """They cannot be counted before, but the file does not appear."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["sh", "-c", f"printf '{given}' > '{pipe}'"])  # noqa: S603, S607
    with pytest.raises(MismatchError) as caught:
        annotate_files([pair[0], pipe], tmp_path / "out.m2", settings=PLAIN, format="parallel")
    writer.wait()
    assert caught.value.counts == {str(pair[0]): 3, str(pipe): given.count("\n")}
    assert not (tmp_path / "out.m2").exists()


def test_annotate_files_one_text_has_no_corrections(pair: list[Path], tmp_path: Path) -> None:
    for name in (None, "parallel"):
        with pytest.raises(GecevalError, match="needs a second file with corrections"):
            annotate(pair[:1], tmp_path / "out.m2", format=name)


def test_annotate_files_standard_input_once(tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match="can be read only once"):
        annotate_files(["-", "-"], tmp_path / "out.m2", settings=PLAIN, format="parallel")


@pytest.mark.parametrize("name", ["out.txt", "out.tsv"])
def test_annotate_files_formats_without_edits(pair: list[Path], tmp_path: Path, name: str) -> None:
    with pytest.raises(GecevalError, match="cannot represent edits"):
        annotate(pair, tmp_path / name)


def test_annotate_files_missing_file(pair: list[Path], tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read: no such file"):
        annotate([pair[0], tmp_path / "none.txt"], tmp_path / "out.m2")


def test_annotate_files_bad_bytes_are_told_at_once(pair: list[Path], tmp_path: Path) -> None:
    pair[1].write_bytes(b"a\n\xff\nc\n")
    with pytest.raises(FormatError, match=r"cor\.txt, line 2: byte 0xff is not valid UTF-8"):
        annotate(pair, tmp_path / "out.m2")


@pytest.mark.parametrize("jobs", [1, 2])
def test_annotate_files_names_what_the_format_cannot_hold(
    pair: list[Path], tmp_path: Path, jobs: int
) -> None:
    pair[1].write_text("I like it .\na || b\nc\n")
    with pytest.raises(GecevalError, match=r"^sentence 2: M2 cannot represent the correction"):
        annotate(pair, tmp_path / "out.m2", engine=LocalEngine(jobs))
    annotate(pair, tmp_path / "out.jsonl")


GOLD = """\
S I likke it .
A 0 2|||Wform|||I like|||REQUIRED|||-NONE-|||0
A 2 3|||Um|||it|||REQUIRED|||-NONE-|||0
A 3 4|||Mec|||!||?|||-NONE-|||-NONE-|||1

S All is well .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""


def test_annotate_files_corpus(tmp_path: Path) -> None:
    gold = tmp_path / "gold.m2"
    gold.write_text(GOLD)
    findings = Findings()
    done = annotate([gold], tmp_path / "out.m2", format=None, findings=findings).decode()
    assert m2(done) == [
        Sentence(
            ("I", "likke", "it", "."),
            (
                Annotation("0", (Edit(1, 2, (("like",),), "R:SPELL"), Edit(2, 3, (), "UNK"))),
                Annotation("1", (Edit(3, 4, (("!",),), "R:PUNCT"),)),
            ),
        ),
        Sentence(("All", "is", "well", "."), (Annotation("0"),)),
    ]
    assert findings.counts == {"alternatives": 1, "optional": 1}
    assert [str(finding) for finding in findings] == [
        "1 edits had several corrections, of which only the first was used",
        "1 optional edits became required",
    ]


def test_annotate_files_corpus_with_its_spans(tmp_path: Path) -> None:
    gold = tmp_path / "gold.m2"
    gold.write_text(GOLD)
    findings = Findings()
    settings = ExtractionSettings(lang="plain", keep_spans=True)
    result = annotate_files([gold], gold, settings=settings, findings=findings)
    assert gold.read_text() == (
        GOLD.replace("A 0 2|||Wform|||I like", "A 1 2|||R:SPELL|||like")
        .replace("Um", "UNK")
        .replace("Mec", "R:PUNCT")
        + "\n"
    )
    assert len(findings) == 0
    assert "|spans:minimized|" in result.signature


def test_annotate_files_corpus_has_its_tokens(tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match="only parallel text can be tokenized"):
        annotate_files(
            ["gold.m2"], tmp_path / "o.m2", settings=ExtractionSettings("plain", tokenize=True)
        )


# Several processes, stopping and going on.


def test_annotate_files_any_number_of_jobs_gives_the_same_bytes(
    many: list[Path], tmp_path: Path
) -> None:
    expected = annotate(many, tmp_path / "1.m2")
    assert expected.count(b"\nS ") == 199
    assert annotate(many, tmp_path / "3.m2", engine=LocalEngine(3)) == expected


ENGLISH = [
    ("I has an apple .", "I have an apple ."),
    ("He go to school every days", "He goes to school every day ."),
    ("she like cats dogs and", "She likes cats and dogs ."),
    ("All is well .", "All is well ."),
    ("My freinds house is big", "My friend 's house is big ."),
]


@pytest.fixture
def english(tmp_path: Path) -> list[Path]:
    pytest.importorskip("errant")
    paths = [tmp_path / "en.src", tmp_path / "en.cor"]
    for path, lines in zip(paths, zip(*ENGLISH, strict=True), strict=True):
        path.write_text("".join(f"{line} {n}\n" for n in range(20) for line in lines))
    return paths


def test_annotate_files_english_is_the_same_by_threads_processes_and_spacy(
    english: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "CHUNK_TOKENS", 100)
    cached = ExtractionSettings("en", cache=str(tmp_path / "cache"))
    expected = annotate(english, tmp_path / "1.m2", settings=ExtractionSettings("en"))
    interval = sys.getswitchinterval()
    ways: list[tuple[ExtractionSettings, dict[str, Any]]] = [
        (ExtractionSettings("en"), {"jobs": 2}),
        (cached, {"jobs": 2}),
        (ExtractionSettings("en"), {"jobs": 3}),
        (ExtractionSettings("en", analyzer="spacy"), {"jobs": 2}),
    ]
    for number, (settings, options) in enumerate(ways):
        found = annotate(english, tmp_path / f"out{number}.m2", settings=settings, **options)
        assert found == expected
        assert sys.getswitchinterval() == interval


@pytest.mark.parametrize("keep_spans", [False, True])
def test_annotate_files_second_thread_knows_a_corpus(
    english: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep_spans: bool
) -> None:
    monkeypatch.setattr(runs, "CHUNK_TOKENS", 100)
    gold = tmp_path / "gold.m2"
    gold.write_bytes(annotate(english, tmp_path / "out.m2", settings=ExtractionSettings("en")))
    settings = ExtractionSettings("en", keep_spans=keep_spans)
    results = []
    for jobs in (1, 2):
        target = tmp_path / f"{jobs}.m2"
        annotate_files([gold], target, settings=settings, jobs=jobs)
        results.append(target.read_bytes())
    assert results[0] == results[1] == gold.read_bytes()


def test_annotate_files_error_ahead_waits_for_its_turn(
    english: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes before a bad chunk is kept, though a second thread was far ahead."""
    monkeypatch.setattr(runs, "CHUNK_TOKENS", 50)
    expected = annotate(english, tmp_path / "1.m2", settings=ExtractionSettings("en"))

    def refuse(rows: Sequence[Sequence[str]], *arguments: Any, **options: Any) -> list[SplitRow]:
        if any("12" in row[0].split() for row in rows):
            raise GecevalError("twelve is too much")
        return split_rows(rows, *arguments, **options)

    target = tmp_path / "2.m2"
    with monkeypatch.context() as patch:
        patch.setattr(chunk_annotator, "split_rows", refuse)
        with pytest.raises(GecevalError, match="twelve is too much"):
            annotate(english, target, settings=ExtractionSettings("en"), jobs=2)
    result = annotate_files(
        english, target, format="parallel", settings=ExtractionSettings("en"), jobs=2, resume=True
    )
    assert 55 <= result.resumed_at <= 60
    assert target.read_bytes() == expected


def test_annotate_files_says_what_ran(english: list[Path], tmp_path: Path) -> None:
    for kind in get_args(AnalyzerKind):
        settings = ExtractionSettings("en", analyzer=kind)
        result = annotate_files(english, tmp_path / "out.m2", format="parallel", settings=settings)
        assert f"|analyzer:{kind}|" in result.signature


def test_annotate_files_notes_that_spacy_had_to_run(
    english: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, whatever the number of processes."""
    from geceval.extraction.lang.en import analyzer
    from geceval.extraction.lang.en_fast.self_check import DifferentResultsError

    def refuse(*_: object) -> None:
        raise DifferentResultsError("they differ")

    monkeypatch.setattr(analyzer, "check", refuse)
    findings = Findings()
    result = annotate_files(
        english,
        tmp_path / "out.m2",
        format="parallel",
        settings=ExtractionSettings("en"),
        jobs=2,
        findings=findings,
    )
    assert "|analyzer:spacy|" in result.signature
    assert [finding.code for finding in findings] == ["analyzer"]
    assert str(next(iter(findings))).endswith(
        "is run by spaCy itself, which takes longer: they differ"
    )


class Stopping:
    """An engine that gives up after some chunks."""

    def __init__(self, n_chunks: int) -> None:
        self.n_chunks = n_chunks

    def map(
        self, function: Callable[[Chunk[Any]], Any], chunks: Iterable[Chunk[Any]]
    ) -> Generator[Any, None, None]:
        for number, chunk in enumerate(chunks):
            if number == self.n_chunks:
                raise KeyboardInterrupt
            yield function(chunk)


@pytest.mark.parametrize("name", ["out.m2", "out.jsonl", "out.xml", "out.m2.gz"])
def test_annotate_files_resumed_run_gives_the_same_bytes(
    many: list[Path], tmp_path: Path, name: str
) -> None:
    expected = annotate(many, tmp_path / f"expected.{name}")
    target = tmp_path / name
    sentences = []
    for n_chunks in (3, 0, 4):
        with pytest.raises(KeyboardInterrupt):
            annotate(many, target, engine=Stopping(n_chunks), resume=True)
        assert not target.exists()
        state = json.loads((tmp_path / f"{name}.part.json").read_text())
        sentences.append(state["note"]["sentences"])
    assert 0 < sentences[0] == sentences[1] < sentences[2]
    findings = Findings()
    result = annotate_files(
        many, target, settings=PLAIN, format="parallel", resume=True, findings=findings
    )
    assert target.read_bytes() == expected
    assert result.resumed_at == sentences[2]
    whole = annotate_files(many, tmp_path / "again.m2", settings=PLAIN, format="parallel")
    assert result.counts == whole.counts
    assert not list(tmp_path.glob("*.part*"))


def test_annotate_files_resumes_after_half_a_chunk(many: list[Path], tmp_path: Path) -> None:
    """What was written after the last complete chunk is cut off."""
    expected = annotate(many, tmp_path / "expected.m2")
    target = tmp_path / "out.m2"
    with pytest.raises(KeyboardInterrupt):
        annotate(many, target, engine=Stopping(3))
    with (tmp_path / "out.m2.part").open("ab") as part:
        part.write(b"S half a sen")
    assert annotate(many, target, resume=True) == expected


def test_annotate_files_killed_program_can_be_resumed(
    many: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "CHUNK_TOKENS", 500)
    write_pairs(many, 3000)
    expected = annotate(many, tmp_path / "expected.m2")
    target = tmp_path / "out.m2"
    program = (
        "import os, sys; from geceval.extraction import files as annotating, runs;"
        "from geceval.storage import resumable as partial;"
        "runs.CHUNK_TOKENS = 500; append = partial.PartialFile.append\n"
        "def deadly(self, text, note):\n"
        "    append(self, text, note)\n"
        "    if note['sentences'] > 1000: os.kill(os.getpid(), 9)\n"
        "partial.PartialFile.append = deadly\n"
        "from geceval.engines.local import LocalEngine\n"
        "annotating.annotate_files(sys.argv[1:3], sys.argv[3], format='parallel',"
        "    settings=annotating.ExtractionSettings('plain'), engine=LocalEngine(2))"
    )
    command = [sys.executable, "-c", program, *map(str, many), str(target)]
    done = subprocess.run(command, check=False)  # noqa: S603
    assert done.returncode == -signal.SIGKILL
    result = annotate_files(many, target, settings=PLAIN, format="parallel", resume=True)
    assert result.resumed_at > 1000
    assert target.read_bytes() == expected


def test_annotate_files_does_not_write_over_what_is_done(many: list[Path], tmp_path: Path) -> None:
    """Only when told to."""
    expected = annotate(many, tmp_path / "expected.m2")
    target = tmp_path / "out.m2"
    with pytest.raises(KeyboardInterrupt):
        annotate(many, target, engine=Stopping(3))
    kept = {path: path.read_bytes() for path in tmp_path.glob("out*")}
    n_done = json.loads(kept[tmp_path / "out.m2.part.json"])["note"]["sentences"]
    message = (
        rf"out\.m2\.part holds what an earlier run has done \({n_done} sentences\): continue it "
        r"with --resume, or begin anew with --restart$"
    )
    with pytest.raises(PartError, match=message):
        annotate(many, target)
    assert {path: path.read_bytes() for path in tmp_path.glob("out*")} == kept
    with pytest.raises(GecevalError, match="either resume or restart"):
        annotate(many, target, resume=True, restart=True)
    result = annotate_files(many, target, settings=PLAIN, format="parallel", restart=True)
    assert result.resumed_at == 0
    assert target.read_bytes() == expected
    assert not list(tmp_path.glob("*.part*"))


def test_annotate_files_restart_with_nothing_to_replace(many: list[Path], tmp_path: Path) -> None:
    expected = annotate(many, tmp_path / "expected.m2")
    assert annotate(many, tmp_path / "out.m2", restart=True) == expected


@pytest.mark.parametrize("resume", [False, True])
def test_annotate_files_leaves_a_part_of_somebody_else_alone(
    many: list[Path], tmp_path: Path, resume: bool
) -> None:
    (tmp_path / "out.m2.part").write_text("mine")
    with pytest.raises(PartError, match=r"there is no out\.m2\.part\.json beside it"):
        annotate(many, tmp_path / "out.m2", resume=resume)
    assert (tmp_path / "out.m2.part").read_text() == "mine"


def test_annotate_files_takes_over_a_part_without_anything(
    many: list[Path], tmp_path: Path
) -> None:
    """Of a run that was killed before its first chunk was complete."""
    expected = annotate(many, tmp_path / "expected.m2")
    part = PartialFile(tmp_path / "out.m2", {}, resume=False)
    part._file.stream.close()
    assert len(list(tmp_path.glob("out.m2.part*"))) == 2
    assert annotate(many, tmp_path / "out.m2") == expected


def test_annotate_files_resume_with_nothing_to_resume(many: list[Path], tmp_path: Path) -> None:
    expected = annotate(many, tmp_path / "expected.m2")
    assert annotate(many, tmp_path / "out.m2", resume=True) == expected


def test_annotate_files_stopped_before_the_first_chunk_leaves_nothing(
    many: list[Path], tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        annotate(many, tmp_path / "out.m2", engine=Stopping(0))
    assert not list(tmp_path.glob("out*"))


def test_annotate_files_resume_refuses_other_settings(many: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "out.m2"
    with pytest.raises(KeyboardInterrupt):
        annotate(many, target, engine=Stopping(3))
    other = ExtractionSettings(lang="plain", merge="all-split")
    with pytest.raises(GecevalError, match="cannot be continued: the settings is not the same"):
        annotate(many, target, settings=other, resume=True)
    with many[1].open("a") as file:
        file.write("more\n")
    with many[0].open("a") as file:
        file.write("more\n")
    with pytest.raises(GecevalError, match="the size of input 1 is not the same"):
        annotate(many, target, resume=True)
    assert (tmp_path / "out.m2.part").exists()


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("out.m2.part.json", r"^.*$", "{", "json is damaged"),
        ("out.m2.part.json", r"^.*$", "[]", "json is damaged"),
        ("out.m2.part.json", r"^.*$", "[" * 100_000, "json is damaged"),
        ("out.m2.part.json", r'"schema": 4', '"schema": 0', "another version"),
        ("out.m2.part.json", r'"sentences": ', '"sentences": 9', "json is damaged"),
        ("out.m2.part.json", r'"bytes": ', '"bytes": 9', "json is damaged"),
        ("out.m2.part", r"(?s)^.*$", "", "some of it is missing"),
        ("out.m2.part", r"sat", "mat", "it was changed after it was written"),
    ],
)
def test_annotate_files_resume_refuses_what_is_damaged(
    many: list[Path], tmp_path: Path, name: str, old: str, new: str, message: str
) -> None:
    target = tmp_path / "out.m2"
    with pytest.raises(KeyboardInterrupt):
        annotate(many, target, engine=Stopping(3))
    damaged = tmp_path / name
    damaged.write_text(re.sub(old, new, damaged.read_text(), count=1))
    with pytest.raises(GecevalError, match=message):
        annotate(many, target, resume=True)


def test_annotate_files_resume_refuses_sentences_that_changed(
    many: list[Path], tmp_path: Path
) -> None:
    """What comes after the sentences that are done is annotated as it is now."""
    target = tmp_path / "out.m2"
    with pytest.raises(KeyboardInterrupt):
        annotate(many, target, engine=Stopping(3))
    kept = {path: path.read_bytes() for path in tmp_path.glob("out*")}
    text = many[0].read_text()
    first = text.partition(" ")[0]
    many[0].write_text("X" * len(first) + text[len(first) :])
    with pytest.raises(GecevalError, match="cannot be continued: the input is not the same"):
        annotate(many, target, resume=True)
    many[0].write_text(text[:-3] + "X" + text[-2:])
    assert {path: path.read_bytes() for path in tmp_path.glob("out*")} == kept
    found = annotate(many, target, resume=True)
    assert found == annotate(many, tmp_path / "expected.m2")


def test_annotate_files_resumes_from_pipes(many: list[Path], tmp_path: Path) -> None:
    expected = annotate(many, tmp_path / "expected.m2")
    target = tmp_path / "out.m2"

    def pipes() -> list[str]:
        """Pipes through which the files come."""
        names = []
        for path in many:
            reading, writing = os.pipe()
            os.write(writing, path.read_bytes())
            os.close(writing)
            names.append(f"/dev/fd/{reading}")
        return names

    with pytest.raises(KeyboardInterrupt):
        annotate_files(pipes(), target, settings=PLAIN, format="parallel", engine=Stopping(3))
    result = annotate_files(pipes(), target, settings=PLAIN, format="parallel", resume=True)
    assert 0 < result.resumed_at < result.counts.sentences
    assert target.read_bytes() == expected


def test_annotate_files_resume_needs_a_file_to_write(pair: list[Path]) -> None:
    with pytest.raises(GecevalError, match=r"^/dev/null is not a file"):
        annotate_files(pair, "/dev/null", settings=PLAIN, format="parallel", to="m2", resume=True)


def test_partial_file_is_written_by_one_run_only(tmp_path: Path) -> None:
    with (
        PartialFile(tmp_path / "a", {}, resume=False),
        pytest.raises(GecevalError, match="is being written by another run"),
    ):
        PartialFile(tmp_path / "a", {}, resume=True)


def test_partial_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match="cannot be written: no such file"):
        PartialFile(tmp_path / "none" / "a", {}, resume=False)
    with (
        PartialFile(tmp_path / "a", {}, resume=False) as part,
        pytest.raises(GecevalError, match="half a character"),
    ):
        part.append("\ud800", {})


def test_partial_file_keeps_the_permissions_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.touch(mode=0o600)
    with PartialFile(target, {}, resume=False) as part:
        part.append("text", {})
        part.publish()
    assert target.read_text() == "text"
    assert target.stat().st_mode & 0o777 == 0o600


class Flawed:
    """An engine that gives some chunks up."""

    def __init__(self, *bad: int) -> None:
        self.bad = bad
        self.starts: list[int] = []

    def map(self, function: Any, chunks: Iterable[Chunk[Any]]) -> Generator[Any, None, None]:
        for chunk in chunks:
            self.starts.append(chunk.start)
            items = range(chunk.start, chunk.start + len(chunk.items))
            if any(number in items for number in self.bad):
                yield ChunkFailure(chunk, "MemoryError", "Traceback …")
            else:
                yield function(chunk)


def failed_records(target: Path) -> list[dict[str, Any]]:
    lines = target.with_name(f"{target.name}.failed").read_text().splitlines()
    header, *records = map(json.loads, lines)
    assert header == {"format": "geceval-failed", "schema": 1}
    return records


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        ((0,), "out.jsonl.gz"),
        ((150,), "out.m2"),
        ((199,), "out.m2"),
        ((40, 41, 90), "out.xml"),
        ((0, 10, 20, 30, 199), "out.m2"),
    ],
)
def test_annotate_files_failed_chunks_are_retried_by_the_next_run(
    many: list[Path], tmp_path: Path, bad: tuple[int, ...], name: str
) -> None:
    """The rest is done, no output appears, and in the end it is that of a run without failures."""
    expected = annotate(many, tmp_path / f"expected-{name}")
    target = tmp_path / name
    first = annotate_files(many, target, settings=PLAIN, format="parallel", engine=Flawed(*bad))
    assert not target.exists()
    assert first.counts.sentences + sum(gap.sentences for gap in first.failed) == 200
    records = failed_records(target)
    assert [(one["first"], one["last"]) for one in records] == [
        (gap.start + 1, gap.start + gap.sentences) for gap in first.failed
    ]
    lines = [path.read_text().splitlines() for path in many]
    for one in records:
        assert one["reason"] == "MemoryError"
        assert one["attempts"] == 3
        rows = zip(*(text[one["first"] - 1 : one["last"]] for text in lines), strict=True)
        assert [tuple(row) for row in one["sentences"]] == list(rows)
    # The second run does not fix the last one either; only failed chunks are tried again.
    engine = Flawed(bad[-1])
    second = annotate_files(
        many, target, settings=PLAIN, format="parallel", engine=engine, resume=True
    )
    assert engine.starts == [gap.start for gap in first.failed]
    assert [gap.start for gap in second.failed] == [first.failed[-1].start]
    assert len(failed_records(target)) == 1
    assert annotate(many, target, resume=True) == expected
    assert sorted(path.name for path in tmp_path.glob("out*")) == [name]


def test_annotate_files_failed_and_interrupted_and_resumed(
    many: list[Path], tmp_path: Path
) -> None:
    """Interrupted at every chunk, with failures in between: no sentence is lost or doubled."""
    expected = annotate(many, tmp_path / "expected.m2")
    target = tmp_path / "out.m2"

    def stop(finished: Iterator[int], total: Callable[[], int | None], done: int) -> Iterator[int]:
        del total, done
        for count, number in enumerate(finished):
            yield number
            if count > 25:
                raise KeyboardInterrupt

    options: dict[str, Any] = {"settings": PLAIN, "format": "parallel", "resume": True}
    n_runs = 0
    for bad in [(10, 60), (60, 100), (100, 30), (), (120,), (150, 160), (), (), (), (), ()]:
        try:
            n_runs += 1
            summary = annotate_files(many, target, **options, engine=Flawed(*bad), progress=stop)
        except KeyboardInterrupt:
            continue
        if not summary.failed:
            break
    assert n_runs > 6
    assert target.read_bytes() == expected


def test_annotate_files_failures_in_a_row_end_the_run(many: list[Path], tmp_path: Path) -> None:
    """The cause is not in the chunks then; nothing that is done is lost."""
    expected = annotate(many, tmp_path / "expected.m2")
    with pytest.raises(ChunkError, match=r"^10 chunks in a row failed, the last of them: sent"):
        annotate(many, tmp_path / "out.m2", engine=Flawed(*range(30, 200)))
    assert len(failed_records(tmp_path / "out.m2")) == 10
    assert annotate(many, tmp_path / "out.m2", resume=True) == expected


def test_annotate_files_failure_ends_a_stream(
    many: list[Path], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """What follows would be taken for the sentences that are missing."""
    with pytest.raises(ChunkError, match=r"^sentences .* failed 3 times: MemoryError"):
        annotate_files(many, "-", settings=PLAIN, format="parallel", engine=Flawed(50))
    n_sents = capfdbinary.readouterr().out.count(b"\n\n")
    assert 0 < n_sents <= 50


def test_annotate_files_leaves_a_file_of_that_name_alone(many: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "out.m2.failed"
    other.write_text("students: 3\n")
    with pytest.raises(GecevalError, match="needed for chunks that fail, but it is another file"):
        annotate(many, tmp_path / "out.m2")
    assert other.read_text() == "students: 3\n"


@pytest.mark.parametrize("jobs", [1, 2])
def test_annotate_files_chunk_that_always_raises_costs_that_chunk_only(
    many: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    expected = annotate(many, tmp_path / "expected.m2")

    def fail(rows: Sequence[Sequence[str]], *arguments: Any, **options: Any) -> list[SplitRow]:
        if bad in rows:
            raise MemoryError
        return split_rows(rows, *arguments, **options)

    bad = tuple(path.read_text().split("\n")[150] for path in many)
    with monkeypatch.context() as patch:
        patch.setattr(chunk_annotator, "split_rows", fail)
        patch.setattr(chunk_annotator.ChunkAnnotator, "can_prefetch", True)
        engine = None if jobs == 2 else LocalEngine()
        summary = annotate_files(
            many, tmp_path / "out.m2", settings=PLAIN, format="parallel", jobs=jobs, engine=engine
        )
    assert [gap.reason for gap in summary.failed] == ["MemoryError"]
    assert annotate(many, tmp_path / "out.m2", resume=True) == expected


def test_annotate_files_progress_counts_sentences(many: list[Path], tmp_path: Path) -> None:
    seen: list[int] = []
    totals: list[int | None] = []

    def progress(
        finished: Iterator[int], total: Callable[[], int | None], done: int
    ) -> Iterator[int]:
        assert done == 0
        for number in finished:
            totals.append(total())
            seen.append(number)
            yield number

    annotate(many, tmp_path / "out.m2", progress=progress)
    assert seen == list(range(200))
    assert totals == [200] * 200


def test_annotate_files_disk_cache(
    many: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run asks the analyzer nothing, and both give the same bytes."""
    from geceval.extraction.lang.plain import PlainAnalyzer

    expected = annotate(many, tmp_path / "expected.m2")
    settings = ExtractionSettings(lang="plain", cache=str(tmp_path / "cache"))
    assert annotate(many, tmp_path / "1.m2", settings=settings) == expected
    monkeypatch.setattr(PlainAnalyzer, "analyze", None)
    assert annotate(many, tmp_path / "2.m2", settings=settings) == expected


# Of a new process, getrusage tells the peak of the one that started it as well.
MEASURE = """
import re, sys
from pathlib import Path
from geceval.extraction.files import ExtractionSettings, annotate_files
annotate_files(sys.argv[1:3], sys.argv[3], format="parallel", settings=ExtractionSettings("plain"))
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def test_annotate_files_memory_does_not_grow(tmp_path: Path) -> None:
    """Three times the pairs, the same memory, once what is remembered has reached its bounds."""
    peaks = []
    for n_pairs in (15_000, 45_000):
        paths = [tmp_path / f"{n_pairs}.{side}.txt" for side in ("src", "cor")]
        write_pairs(paths, n_pairs)
        command = [sys.executable, "-c", MEASURE, *map(str, paths), str(tmp_path / "out.m2")]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603
        peaks.append(int(done.stdout) / 1024)
    assert peaks[1] - peaks[0] < 15, peaks


EMPTY_EDITS = """\
S a cat sat on mat .
A 1 1|||Vt||||||REQUIRED|||-NONE-|||0
A 2 3|||Vt|||sat|||REQUIRED|||-NONE-|||0
A 3 4|||Um||||||REQUIRED|||-NONE-|||0
A 4 4|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0
A 2 3|||Vt|||sat|||REQUIRED|||-NONE-|||1
A 4 4|||UNK||||||REQUIRED|||-NONE-|||2

"""


def test_standardize_extracts_nothing_from_edits_that_change_nothing(tmp_path: Path) -> None:
    """What is typed as an error to correct and is not corrected leaves no edit, as in ERRANT."""
    (tmp_path / "gold.m2").write_text(EMPTY_EDITS, encoding="utf-8")
    findings = Findings()
    annotate_files([tmp_path / "gold.m2"], tmp_path / "out.m2", settings=PLAIN, findings=findings)
    assert (tmp_path / "out.m2").read_text(encoding="utf-8") == (
        "S a cat sat on mat .\n"
        "A 3 4|||UNK||||||REQUIRED|||-NONE-|||0\n"
        "A 4 4|||M:OTHER|||the|||REQUIRED|||-NONE-|||0\n"
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n"
        "A 4 4|||UNK||||||REQUIRED|||-NONE-|||2\n\n"
    )
    assert [(one.code, one.message) for one in findings] == [
        ("no-change", "3 edits that change nothing were dropped")
    ]


def test_standardize_keeps_flags_without_a_type(plain: Annotator) -> None:
    reading = Annotation("0", (Edit(0, 1, ()), Edit(1, 2, (), "Vt")))
    (sent,) = standardize([Sentence(("a", "b"), (reading,))], plain)
    assert sent.annotations == (Annotation("0", (Edit(0, 1, (), "UNK"),)),)
