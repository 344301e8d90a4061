"""The registry, detection, and that what is written can be read."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import geceval
from format_examples import CORRECTED, EXAMPLES
from geceval.errors import GecevalError, GecevalWarning, UnknownNameError
from geceval.formats import (
    Findings,
    Input,
    detect,
    formats,
    get_format,
    load,
    load_hypothesis,
    output_format,
    read_sentences,
    save,
    write_sentences,
)
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, in_order
from strategies import (
    ixml_corpora,
    jsonl_corpora,
    m2_char_corpora,
    m2_corpora,
    parallel_corpora,
)

WRITABLE = ["ixml", "jsonl", "m2", "m2-char", "m2-zh", "parallel", "parquet", "tsv"]
CORPUS = Corpus((Sentence(("a", "b"), (Annotation("0", (Edit(0, 1, (("c",),), "R"),)),)),), "f")


def test_formats_registry() -> None:
    # Parquet is no text, and has no example.
    assert [name for name in formats() if name != "parquet"] == list(EXAMPLES)
    assert all(fmt.name == name and fmt.title for name, fmt in formats().items())
    assert sorted(name for name, fmt in formats().items() if fmt.write) == WRITABLE


def test_formats_unknown_name() -> None:
    with pytest.raises(
        UnknownNameError, match=r"^unknown format 'm3'; did you mean 'm2'\? \(known:"
    ):
        get_format("m3")


def test_formats_that_are_only_read() -> None:
    with pytest.raises(GecevalError) as caught:
        _ = get_format("hoo").writer
    assert str(caught.value) == "HOO 2011/2012 XML (hoo) can only be read, not written"


# Detection -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize(
    "change", [str, lambda text: text.replace("\n", "\r\n"), "\ufeff{}".format]
)
def test_formats_are_detected(name: str, change: Callable[[str], str]) -> None:
    assert detect(Input.from_text(change(EXAMPLES[name].texts[0]))).name == name


@pytest.mark.parametrize("name", EXAMPLES)
def test_formats_claim_nothing_of_another(name: str) -> None:
    """The order of detection hides little: of the first file, nearly every format knows its own."""
    head = Input.from_text(EXAMPLES[name].texts[0]).head
    claims = {fmt.name for fmt in formats().values() if fmt.sniff is not None and fmt.sniff(head)}
    also = {
        "m2-char": {"m2"},
        "m2-zh": {"m2"},
        "multiged": {"tsv"},
        "clang8": {"tsv"},
        "parallel": {"parallel"},
    }
    assert claims | {name} == {name} | also.get(name, set())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "This is a text .\nWith two lines .\n",
        "S is a letter .\nSo is A .\n",
        "She said {hello} => me .\n",
        "[ 1 ] and < 2 >\n",
        "a\tb\nno tab\n",
        "### not an essay\n",
        '{ "json" : 1 } is JSON .\n',
        "i < 3 <b>bold</b>\n",
    ],
)
def test_formats_take_all_else_for_text(text: str) -> None:
    assert detect(Input.from_text(text)).name == "parallel"


@pytest.mark.parametrize("name", EXAMPLES)
def test_formats_of_several_files_are_detected(tmp_path: Path, name: str) -> None:
    paths = [tmp_path / f"f{number}" for number in range(len(EXAMPLES[name].texts))]
    for path, text in zip(paths, EXAMPLES[name].texts, strict=True):
        path.write_text(text)
    with read_sentences(paths) as (fmt, sentences):
        assert fmt.name == name
        assert list(sentences)


@pytest.mark.parametrize("name", ["clang8", "c4200m", "multigec"])
def test_formats_of_several_files_are_detected_in_any_order(tmp_path: Path, name: str) -> None:
    """The file that only goes with others says what they all are."""
    paths = [tmp_path / f"f{number}" for number in range(2)]
    for path, text in zip(paths, reversed(EXAMPLES[name].texts), strict=True):
        path.write_text(text)
    with read_sentences(paths) as (fmt, _):
        assert fmt.name == name


def test_formats_named_are_not_detected(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("S a\n")
    assert load(tmp_path / "f", format="parallel").sources == (("S", "a"),)


def test_formats_wrong_name_is_told_before_a_missing_file() -> None:
    with pytest.raises(UnknownNameError):
        load("missing", format="m3")


def test_formats_standard_input_only_once() -> None:
    with pytest.raises(GecevalError, match=r"^standard input \('-'\) can be read only once$"):
        load("-", "-")


# Loading -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [("gold.m2", "gold"), ("gold.m2.gz", "gold"), ("a.b.m2.zst", "a.b"), ("gold", "gold")],
)
def test_formats_corpus_is_called_like_its_file(tmp_path: Path, name: str, expected: str) -> None:
    save(CORPUS, tmp_path / name, format="m2")
    assert load(tmp_path / name).name == load_hypothesis(tmp_path / name).name == expected
    assert load(tmp_path / name, name="other").name == "other"


def test_formats_standard_input_is_called_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a b\n")))
    assert load("-") == Corpus((Sentence(("a", "b")),), "stdin")


def test_formats_findings_become_warnings(tmp_path: Path) -> None:
    line = "A 5 5|||T|||x|||REQUIRED|||-NONE-|||0\n"
    path = tmp_path / "f.m2"
    path.write_text(f"S a\n{line}{line}\nS bare\n")
    with pytest.warns(GecevalWarning) as caught:
        load(path)
    assert [str(warning.message) for warning in caught] == [
        (f"{path}, line 2: the edit 5 5 is out of range: the sentence ends at 1 (and 1 more)")
    ]
    findings = Findings()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(path, findings=findings)
    assert findings.counts == {"out-of-range": 2, "no-annotation": 1}


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("a b\n\nc\n", (("a", "b"), (), ("c",))),
        ("a\tb\nc\n", (("a", "b"), ("c",))),
        ("S a\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||0\n", (("x",),)),
        (
            "S Hi you.\nA 3 6|||T|||me|||REQUIRED|||-NONE-|||0\n",
            (("Hi", "me", "."),),
        ),
        (
            '{"format": "geceval-corpus", "schema": 1}\n{"tokens": ["a"]}\n',
            (("a",),),
        ),
    ],
)
def test_formats_hypothesis_is_text_or_clearly_annotated(
    tmp_path: Path, text: str, sentences: tuple[tuple[str, ...], ...]
) -> None:
    (tmp_path / "sys.txt").write_text(text)
    hypothesis = load_hypothesis(tmp_path / "sys.txt")
    assert (hypothesis.name, hypothesis.sentences) == ("sys", sentences)


def test_formats_hypothesis_of_a_named_format(tmp_path: Path) -> None:
    (tmp_path / "sys").write_text("a\tb\n")
    assert load_hypothesis(tmp_path / "sys", format="tsv", name="s") == Hypothesis(
        "s", (("b",),), ((Edit(0, 1, (("b",),), "R"),),)
    )


def test_formats_hypothesis_of_text_has_no_edits(tmp_path: Path) -> None:
    (tmp_path / "sys.txt").write_text("a\n")
    assert load_hypothesis(tmp_path / "sys.txt") == Hypothesis("sys", (("a",),), None)


# Writing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("f.m2", None, "m2"),
        ("f.m2.gz", None, "m2"),
        ("f.tsv.zst", None, "tsv"),
        ("f.xml", None, "ixml"),
        ("f.ixml", None, "ixml"),
        ("f.jsonl", None, "jsonl"),
        ("f.txt", None, "parallel"),
        ("f.m2", "tsv", "tsv"),
        ("-", "m2-char", "m2-char"),
    ],
)
def test_formats_output_is_chosen_by_ending(path: str, name: str | None, expected: str) -> None:
    assert output_format(path, name).name == expected


@pytest.mark.parametrize("path", ["f.doc", "f", "-", "f.gz", "f.sgml"])
def test_formats_output_ending_must_name_a_format(path: str) -> None:
    with pytest.raises(GecevalError) as caught:
        output_format(path, None)
    assert str(caught.value) == (
        f"{path}: no output format for this file extension; choose one of {', '.join(WRITABLE)}"
    )


def test_formats_of_one_file_refuse_several(tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match=r"^M2 is written to one file, not 2$"):
        save(CORPUS, tmp_path / "a.m2", tmp_path / "b.m2")
    assert list(tmp_path.iterdir()) == []


def test_formats_failure_leaves_no_file(tmp_path: Path) -> None:
    def failing() -> Iterator[Sentence]:
        yield from CORPUS
        raise GecevalError("no more")

    with pytest.raises(GecevalError, match="no more"):
        write_sentences(failing(), tmp_path / "f.m2")
    assert list(tmp_path.iterdir()) == []


# What is written can be read ------------------------------------------------------------


def write_text(corpus: Corpus, name: str) -> list[str]:
    outputs = [io.StringIO()]
    if name == "parallel":
        outputs += [io.StringIO() for _ in corpus.annotators]
    get_format(name).writer(corpus, outputs)
    return [out.getvalue() for out in outputs]


def read_texts(texts: list[str], name: str, findings: Findings | None = None) -> Corpus:
    inputs = [Input.from_text(text, findings=findings) for text in texts]
    return Corpus(tuple(get_format(name).read(inputs)))


def check_round_trip(corpus: Corpus, name: str) -> None:
    """Writing and reading is the identity, and a second time gives the same text."""
    texts = write_text(corpus, name)
    again = read_texts(texts, name)
    assert again.sentences == corpus.sentences
    assert write_text(again, name) == texts


@settings(max_examples=80)
@given(m2_corpora())
def test_formats_round_trip_m2(corpus: Corpus) -> None:
    check_round_trip(corpus, "m2")


@settings(max_examples=80)
@given(m2_char_corpora())
def test_formats_round_trip_m2_char(corpus: Corpus) -> None:
    check_round_trip(corpus, "m2-char")


@settings(max_examples=60)
@given(jsonl_corpora())
def test_formats_round_trip_jsonl(corpus: Corpus) -> None:
    check_round_trip(corpus, "jsonl")


@settings(max_examples=60)
@given(parallel_corpora())
def test_formats_round_trip_parallel(corpus: Corpus) -> None:
    check_round_trip(corpus, "parallel")


@settings(max_examples=60)
@given(st.booleans().flatmap(lambda numbered: parallel_corpora(absent=True, numbered=numbered)))
def test_formats_round_trip_tsv(corpus: Corpus) -> None:
    check_round_trip(corpus, "tsv")


def without_groups(corpus: Corpus) -> list[tuple[object, ...]]:
    """What I-measure XML does not decide itself: all but groups and what is required."""
    return [
        (
            sent.tokens,
            {
                ann.annotator: [
                    replace(edit, group="", required=True) for edit in in_order(ann.edits)
                ]
                for ann in sent.annotations
            },
        )
        for sent in corpus
    ]


@settings(max_examples=80)
@given(ixml_corpora())
def test_formats_round_trip_ixml(corpus: Corpus) -> None:
    findings = Findings()
    grouped = read_texts(write_text(corpus, "ixml"), "ixml", findings)
    assert list(findings) == []
    assert without_groups(grouped) == without_groups(corpus)
    check_round_trip(grouped, "ixml")


@pytest.mark.parametrize("name", EXAMPLES)
def test_formats_jsonl_holds_what_every_reader_gives(name: str) -> None:
    corpus = read_texts(list(EXAMPLES[name].texts), name)
    check_round_trip(corpus, "jsonl")


@pytest.mark.parametrize("name", CORRECTED)
@pytest.mark.parametrize("target", ["m2", "m2-char", "tsv", "parallel", "ixml"])
def test_formats_corrections_survive_conversion(name: str, target: str) -> None:
    # These formats have one alignment of each correction.
    corpus = read_texts(list(EXAMPLES[name].texts), name).first_alignments()
    again = read_texts(write_text(corpus, target), target)
    # Plain text and tables forget names but not their order; M2 and plain text fill what is absent.
    pairs = zip(corpus.references().values(), again.references().values(), strict=True)
    kept = [[b if a is not None else None for a, b in zip(*pair, strict=True)] for pair in pairs]
    assert kept == list(corpus.references().values())


@pytest.mark.parametrize("name", WRITABLE)
@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_formats_saved_files_are_loaded_and_the_same_twice(
    tmp_path: Path, name: str, ending: str
) -> None:
    if name == "parquet" and ending:
        pytest.skip("Parquet is compressed by itself")
    corpus = Corpus(
        (
            Sentence(
                ("It", "are", "."), (Annotation("0", (Edit(1, 2, (("is",),), "R"),)),), id="1-1"
            ),
        )
    )
    paths = [tmp_path / f"f{number}{ending}" for number in range(2 if name == "parallel" else 1)]
    save(corpus, *paths, format=name)
    first = [path.read_bytes() for path in paths]
    again = load(*paths, format=name)
    assert again.references() == {"0": [("It", "is", ".")]}
    save(corpus, *paths, format=name)
    assert [path.read_bytes() for path in paths] == first


def test_formats_public_names_are_those_of_the_package() -> None:
    assert (geceval.load, geceval.save, geceval.load_hypothesis) == (load, save, load_hypothesis)
