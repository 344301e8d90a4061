from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.errors import FormatError
from geceval.formats import Findings, Input, detect, load
from geceval.formats._shared.nucle_tokens import split_sentences, tokenize, tokenize_correction
from geceval.formats.nucle import read, sniff
from geceval.model import Annotation, Edit, Sentence
from guard import finishes


def mistake(
    start: tuple[int, int],
    end: tuple[int, int],
    correction: str,
    kind: str = "Wci",
    comment: str = "",
) -> str:
    extra = f"<COMMENT>{comment}</COMMENT>\n" if comment else ""
    return (
        f'<MISTAKE start_par="{start[0]}" start_off="{start[1]}" '
        f'end_par="{end[0]}" end_off="{end[1]}">\n'
        f"<TYPE>{kind}</TYPE>\n<CORRECTION>{correction}</CORRECTION>\n{extra}</MISTAKE>\n"
    )


def document(
    *paragraphs: str, mistakes: str = "", nid: str = "7", teacher: str = "3", text: str = ""
) -> str:
    body = text or "".join(f"<P>\n{paragraph}\n</P>\n" for paragraph in paragraphs)
    return (
        f'<DOC nid="{nid}">\n<TEXT>\n{body}</TEXT>\n'
        f'<ANNOTATION teacher_id="{teacher}">\n{mistakes}</ANNOTATION>\n</DOC>\n'
    )


def parse(*texts: str) -> tuple[list[Sentence], Findings]:
    findings = Findings()
    inputs = [
        Input.from_text(text, name=f"file{number}", findings=findings)
        for number, text in enumerate(texts)
    ]
    return list(read(inputs)), findings


def edits_of(text: str, *changes: tuple[int, int, str]) -> tuple[Edit, ...]:
    """Read a paragraph of one sentence with some changes."""
    mistakes = "".join(mistake((0, start), (0, end), new, "X") for start, end, new in changes)
    [sent], _ = parse(document(text, mistakes=mistakes))
    [ann] = sent.annotations
    return ann.edits


def words(text: str) -> str:
    return " ".join(text[start:end] for start, end in tokenize(text))


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


# The official files


def plain_edits(sent: Sentence) -> list[tuple[object, ...]]:
    """The edits of a sentence without their comments, which the M2 files leave out."""
    return [
        (edit.start, edit.end, edit.type, edit.corrections)
        for ann in sent.annotations
        for edit in ann.edits
    ]


def readings(sent: Sentence, *, types: bool) -> set[tuple[object, ...]]:
    """What the annotators of a sentence say, whoever they are, without empty insertions."""
    return {
        tuple(
            (edit.start, edit.end, edit.type if types else "", edit.correction)
            for edit in ann.edits
            if edit.start < edit.end or edit.correction
        )
        for ann in sent.annotations
    } or {()}


@pytest.mark.parametrize(
    ("annotator", "n_edits", "left_out"),
    [
        (0, 2391, {"crosses-sentences": 5, "no-change": 1}),
        (1, 3317, {"crosses-sentences": 12, "no-change": 2}),
    ],
)
def test_nucle_official_files(
    shared_data: Path, annotator: int, n_edits: int, left_out: dict[str, int]
) -> None:
    """No sentence and no edit differs from the official M2, not even in order.

    The SGML has 2397 and 3331 mistakes; those left out are not in the M2 files either.
    """
    stem = shared_data / "conll14" / "gold" / f"official-2014.{annotator}"
    findings = Findings()
    with finishes():
        corpus = load(f"{stem}.sgml", findings=findings)
    official = load(f"{stem}.m2", findings=Findings())
    assert corpus.sources == official.sources
    different = [
        sent.id
        for sent, other in zip(corpus, official, strict=True)
        if plain_edits(sent) != plain_edits(other)
    ]
    assert different == []
    assert sum(len(plain_edits(sent)) for sent in corpus) == n_edits
    assert findings.counts == left_out
    assert len(corpus) == len({sent.id for sent in corpus}) == 1312


def test_nucle_official_alternatives(shared_data: Path) -> None:
    """All five files together say in each sentence what the official M2 with alternatives says.

    That file numbers annotators anew in each sentence and merges readings that differ in
    type only (21 sentences); it also keeps edits that insert nothing (5 sentences).
    """
    gold = shared_data / "conll14" / "gold"
    names = ["official-2014.0", "official-2014.1"]
    names += [f"alternative-team{team}" for team in "abc"]
    corpus = load(*(gold / f"{name}.sgml" for name in names), findings=Findings())
    official = load(gold / "official-2014.combined-withalt.m2", findings=Findings())
    assert corpus.sources == official.sources
    assert corpus.annotators == ("0", "1", "2", "3", "4")
    pairs = list(zip(corpus, official, strict=True))
    assert all(readings(one, types=False) == readings(two, types=False) for one, two in pairs)
    assert sum(readings(one, types=True) != readings(two, types=True) for one, two in pairs) == 21


# Sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("   ", []),
        ("No stop at all", ["No stop at all"]),
        ("  One.  Two?\nThree! ", ["One.", "Two?", "Three!"]),
        ("He left. then we ate.", ["He left.", "then we ate."]),
        ("We ran home.Then we ate.", ["We ran home.Then we ate."]),
        ('He said "go." We went.', ['He said "go.', '" We went.']),
        ('It was "fun."', ['It was "fun.', '"']),
        ("Is it (really?) so?", ["Is it (really?", ") so?"]),
        ("What?! Yes.", ["What?!", "Yes."]),
        ("Mr. Oak met Dr. Elm.", ["Mr. Oak met Dr. Elm."]),
        ("Pens, etc. From here we go.", ["Pens, etc. From here we go."]),
        ("Pens, etc. The end.", ["Pens, etc.", "The end."]),
        ("The U.S. team won at 5 p.m. They slept.", ["The U.S. team won at 5 p.m.", "They slept."]),
        ("Plan C. They agree.", ["Plan C. They agree."]),
        ("Plan A. They agree.", ["Plan A.", "They agree."]),
        ("So do I. We agree.", ["So do I.", "We agree."]),
        ("It was 1999. We met.", ["It was 1999.", "We met."]),
        ("It was no. 12. in line.", ["It was no.", "12. in line."]),
        ("Well... maybe. Hm... Yes.", ["Well... maybe.", "Hm...", "Yes."]),
    ],
)
def test_nucle_sentences(text: str, sentences: list[str]) -> None:
    assert cut(text) == sentences


# Tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("We met, talked, and left.", "We met , talked , and left ."),
        ("It costs 1,000 euros,too.", "It costs 1,000 euros,too ."),
        ("I don't; we'll see it's I'm he'd.", "I do n't ; we 'll see it 's I 'm he 'd ."),
        ("We cannot, I'm gonna.", "We can not , I 'm gon na ."),
        ("'Tis so, gimme!", "'T is so , gim me !"),
        ("The girls' bags, the boys', too.", "The girls ' bags , the boys ' , too ."),
        ("It was 'odd' then 'even'.", "It was 'odd ' then 'even' ."),
        ('A "big" (50%) a/b well-known R&D.', 'A " big " ( 50 % ) a/b well-known R&D .'),
        ("At 10:30 e.g. there.", "At 10 : 30 e.g. there ."),
        ("Wait...what -- no--yes...", "Wait ... what -- no -- yes ..."),
        ("A café", "A caf é"),
        ("Pens, etc.", "Pens , etc ."),
        ("etc. and so on", "etc. and so on"),
        ('It was "fun."', 'It was " fun. "'),
    ],
)
def test_nucle_tokens(text: str, tokens: str) -> None:
    assert words(text) == tokens


@given(st.text(alphabet="ab.,'\"?! -n'tcé\u00a0\n", max_size=60))
def test_nucle_tokens_cover_the_text(text: str) -> None:
    """Sentences and tokens come in order and leave out nothing but white space."""
    spans = [
        (begin + start, begin + end)
        for begin, stop in split_sentences(text)
        for start, end in tokenize(text[begin:stop])
    ]
    assert "".join(text[start:end] for start, end in spans) == "".join(text.split())
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)


@pytest.mark.parametrize(
    ("text", "following", "tokens"),
    [
        ("", "we", ()),
        ("so, it", "is", ("so", ",", "it")),
        ("so,", "is", ("so", ",")),
        ("so.", "is", ("so", ".")),
        ("so. Then it", "is", ("so", ".", "Then", "it")),
        ("so.", ".", ("so.",)),
        ("so. ", ".", ("so", ".")),
        ("so.", "", ("so", ".")),
        ("pens etc.", "and", ("pens", "etc.")),
        ("wait...", ".", ("wait", "...")),
    ],
)
def test_nucle_correction_tokens(text: str, following: str, tokens: tuple[str, ...]) -> None:
    assert tokenize_correction(text, following) == tokens


# Edits


@pytest.mark.parametrize(
    ("text", "change", "edit"),
    [
        ("She go home.", (4, 6, "goes"), Edit(1, 2, (("goes",),), "X")),
        ("She go home.", (4, 7, "goes"), Edit(1, 2, (("goes",),), "X")),
        ("She go home.", (3, 6, "goes"), Edit(1, 2, (("goes",),), "X")),
        ("She go home.", (4, 6, "must go"), Edit(1, 1, (("must",),), "X")),
        ("She go home.", (4, 6, "go to"), Edit(2, 2, (("to",),), "X")),
        ("She go home.", (4, 11, "came back home"), Edit(1, 2, (("came", "back"),), "X")),
        ("She go home.", (4, 6, ""), Edit(1, 2, ((),), "X")),
        ("She go home.", (6, 6, "es"), Edit(2, 2, (("es",),), "X")),
        ("She go home.", (5, 5, "r"), Edit(1, 2, (("gro",),), "X")),
        ("She gos home.", (6, 7, "es"), Edit(1, 2, (("goes",),), "X")),
        ("She go home.", (7, 12, "out."), Edit(2, 3, (("out",),), "X")),
        ("She go home.", (7, 11, "out."), Edit(2, 3, (("out.",),), "X")),
        ("She go home", (7, 11, "home."), Edit(3, 3, ((".",),), "X")),
        ("It's me.", (2, 4, " is"), Edit(1, 2, (("is",),), "X")),
    ],
)
def test_nucle_edit(text: str, change: tuple[int, int, str], edit: Edit) -> None:
    assert edits_of(text, change) == (edit,)


def test_nucle_sentences_share_out_the_edits() -> None:
    mistakes = mistake((0, 2), (0, 5), "ran", "Vt") + mistake((1, 9), (1, 10), "the", "ArtOrDet")
    sentences, findings = parse(
        document(text="<TITLE>\nI run. We won.\n</TITLE>\n<P>\nHe is in a garden.\n</P>\n").replace(
            "</ANNOTATION>", f"{mistakes}</ANNOTATION>"
        )
    )
    assert [(sent.id, sent.tokens, sent.annotations) for sent in sentences] == [
        ("7-0-0", ("I", "run", "."), (Annotation("0", (Edit(1, 2, (("ran",),), "Vt"),)),)),
        ("7-0-1", ("We", "won", "."), (Annotation("0"),)),
        (
            "7-1-0",
            ("He", "is", "in", "a", "garden", "."),
            (Annotation("0", (Edit(3, 4, (("the",),), "ArtOrDet"),)),),
        ),
    ]
    assert not findings


def test_nucle_raw_text_is_kept() -> None:
    sentences, _ = parse(document("We  met. It's ok."))
    assert [(sent.raw.text, sent.raw.spans) for sent in sentences if sent.raw] == [
        ("We  met.", ((0, 2), (4, 7), (7, 8))),
        ("It's ok.", ((0, 2), (2, 4), (5, 7), (7, 8))),
    ]


def test_nucle_edits_keep_the_order_of_the_file() -> None:
    edits = edits_of("He come now.", (8, 11, "soon"), (3, 7, "will come"), (3, 7, "comes"))
    assert [edit.correction for edit in edits] == [("soon",), ("will",), ("comes",)]


def test_nucle_comment_is_kept() -> None:
    [sent], _ = parse(
        document("He go.", mistakes=mistake((0, 3), (0, 5), "goes", "SVA", "a  b\nc"))
    )
    assert sent.annotations == (
        Annotation("0", (Edit(1, 2, (("goes",),), "SVA", comment="a b c"),)),
    )


def test_nucle_missing_correction_is_a_flag() -> None:
    text = document("He go.", mistakes=mistake((0, 3), (0, 5), "", "Um"))
    [sent], _ = parse(text.replace("<CORRECTION></CORRECTION>\n", ""))
    assert sent.annotations == (Annotation("0", (Edit(1, 2, (), "Um"),)),)


def test_nucle_unclear_meaning_is_trimmed_too() -> None:
    [sent], _ = parse(document("He go on.", mistakes=mistake((0, 3), (0, 8), "went on", "Um")))
    assert sent.annotations == (Annotation("0", (Edit(1, 2, (("went",),), "Um"),)),)


def test_nucle_noop_is_no_edit() -> None:
    [sent], findings = parse(
        document("All is well.", mistakes=mistake((0, 0), (0, 12), "All is well.", "noop"))
    )
    assert sent.annotations == (Annotation("0"),)
    assert not findings


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (mistake((0, 6), (0, 8), ", but"), "crosses-sentences"),
        (mistake((0, 0), (0, 11), "We"), "crosses-sentences"),
        (mistake((0, 2), (0, 6), "hopd"), "no-change"),
        (mistake((0, 2), (0, 2), ""), "no-change"),
        (mistake((0, 4), (1, 2), "x"), "crosses-paragraphs"),
        (mistake((1, 0), (0, 2), "x"), "crosses-paragraphs"),
        (mistake((0, 5), (0, 2), "x"), "out-of-range"),
        (mistake((0, 99), (0, 99), "x"), "out-of-range"),
        (mistake((5, 0), (5, 1), "x"), "out-of-range"),
        (mistake((2, 0), (2, 0), "x"), "out-of-range"),
    ],
)
def test_nucle_edit_left_out(change: str, code: str) -> None:
    sentences, findings = parse(document("I hopd. He ran.", "Bye.", "", mistakes=change))
    assert [sent.annotations for sent in sentences] == [(Annotation("0"),)] * 3
    [finding] = findings
    assert (finding.code, finding.line) == (code, 14)
    assert "ignored" in finding.message


def test_nucle_edit_up_to_the_next_paragraph() -> None:
    sentences, findings = parse(
        document("He go.", "Bye.", mistakes=mistake((0, 3), (1, 0), "goes.", "SVA"))
    )
    assert sentences[0].annotations == (Annotation("0", (Edit(1, 2, (("goes",),), "SVA"),)),)
    assert not findings


def test_nucle_edit_past_the_paragraph_is_cut() -> None:
    [sent], findings = parse(document("He go", mistakes=mistake((0, 3), (0, 9), "goes")))
    assert sent.annotations == (Annotation("0", (Edit(1, 2, (("goes",),), "Wci"),)),)
    assert findings.counts == {"truncated": 1}


def test_nucle_edit_from_the_space_before_a_sentence() -> None:
    sentences, _ = parse(document("I hop.  he ran.", mistakes=mistake((0, 6), (0, 10), " He")))
    assert [plain_edits(sent) for sent in sentences] == [[], [(0, 1, "Wci", (("He",),))]]


def test_nucle_insertion_between_sentences_ends_the_first() -> None:
    sentences, _ = parse(document("I hop   He ran.", mistakes=mistake((0, 5), (0, 5), "!")))
    assert plain_edits(sentences[0]) == [(2, 2, "Wci", (("!",),))]
    sentences, _ = parse(document("I hop.   He ran.", mistakes=mistake((0, 7), (0, 8), "Then")))
    assert [plain_edits(sent) for sent in sentences] == [[(3, 3, "Wci", (("Then",),))], []]


@pytest.mark.parametrize("kind", ["Wci", "Mec"])
def test_nucle_duplicate_is_left_out(kind: str) -> None:
    twice = mistake((0, 3), (0, 3), "all") + mistake((0, 3), (0, 3), "all", kind)
    [sent], findings = parse(document("We ran.", mistakes=twice))
    assert sent.annotations == (Annotation("0", (Edit(1, 1, (("all",),), "Wci"),)),)
    assert findings.counts == {"duplicate": 1}


# Text that is not well-formed


def test_nucle_bare_ampersand_and_angle_are_text() -> None:
    text = "R&D <https://a.b> is < 3 & <P.S.> fun."
    [sent], findings = parse(document(text, mistakes=mistake((0, 34), (0, 37), "ok")))
    assert sent.raw is not None
    assert sent.raw.text == text
    assert sent.corrected("0") == (*sent.tokens[:-2], "ok", ".")
    assert not findings


def test_nucle_entity_stays() -> None:
    [sent], findings = parse(document("A &amp; b go.", mistakes=mistake((0, 10), (0, 12), "went")))
    assert sent.tokens == ("A", "&amp", ";", "b", "go", ".")
    assert sent.corrected("0") == ("A", "&amp", ";", "b", "went", ".")
    assert findings.counts == {"entity": 1}


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("<P>One.</P><P>Two.</P>\n", {}),
        ("<P>\nOne.\n<P>\nTwo.\n</P>\n", {"unclosed-paragraph": 1}),
        ("<P>\nOne.\n</P>\n<P>\nTwo.\n", {"unclosed-paragraph": 1}),
        ("<P>\n<P>\nOne.\n</P>\n</P>\n<P>\nTwo.\n</P>\n", {"duplicate-paragraph": 1}),
        ("lost\n<P>\nOne.\n</P>\n<P>\nTwo.\n</P>\n", {"stray-text": 1}),
    ],
)
def test_nucle_paragraph_tags(body: str, codes: dict[str, int]) -> None:
    sentences, findings = parse(document(text=body, mistakes=mistake((1, 0), (1, 3), "Three")))
    assert [(sent.id, sent.corrected("0")) for sent in sentences] == [
        ("7-0-0", ("One", ".")),
        ("7-1-0", ("Three", ".")),
    ]
    assert findings.counts == codes


def test_nucle_empty_paragraph_counts() -> None:
    sentences, findings = parse(document("", "He go.", mistakes=mistake((1, 3), (1, 5), "goes")))
    assert [(sent.id, sent.corrected("0")) for sent in sentences] == [
        ("7-1-0", ("He", "goes", "."))
    ]
    assert not findings


def test_nucle_line_end_inside_a_paragraph_counts() -> None:
    [sent], _ = parse(document("We all\ngo now", mistakes=mistake((0, 7), (0, 9), "went")))
    assert sent.corrected("0") == ("We", "all", "went", "now")


def test_nucle_no_text_at_all() -> None:
    for text in ("", "\n\n", '<DOC nid="1">\n<TEXT>\n</TEXT>\n</DOC>\n'):
        sentences, findings = parse(text)
        assert sentences == []
        assert not findings


def test_nucle_document_without_annotation_is_read_by_one() -> None:
    [sent], _ = parse('<DOC nid="1"><TEXT><P>Hi.</P></TEXT></DOC>')
    assert sent.annotations == (Annotation("0"),)


def test_nucle_crlf() -> None:
    text = document("He go.", "We ran.", mistakes=mistake((1, 3), (1, 6), "run"))
    plain, _ = parse(text)
    sentences, findings = parse(text.replace("\n", "\r\n"))
    assert sentences == plain
    assert set(findings.counts) == {"crlf"}


def test_nucle_text_after_the_last_document() -> None:
    sentences, findings = parse(document("Hi.") + "bye\n")
    assert len(sentences) == 1
    assert findings.counts == {"stray-text": 1}


def test_nucle_document_twice_in_one_file() -> None:
    sentences, findings = parse(document("Hi.") + document("Ho."))
    assert [sent.tokens for sent in sentences] == [("Hi", "."), ("Ho", ".")]
    assert findings.counts == {"duplicate-document": 1}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("just text\n", 1, "expected <DOC"),
        ("<P>\n</P>\n", 1, "found <P>"),
        ("<DOC>\n</DOC>\n", 1, "needs a nid"),
        ('\n<DOC nid="1">\n', 2, "<DOC> is never closed"),
        ('<DOC nid="1">\n<TEXT>\n<P>\nHi.\n', 2, "<TEXT> is never closed"),
        ('<DOC nid="1">\n<DOC nid="2">\n', 2, r"expected </DOC> \(opened in line 1\), found <DOC>"),
        ('<DOC nid="1">\n<TEXT>\n</DOC>\n', 3, "expected </TEXT>"),
        ('<DOC nid="1"><TEXT></TEXT>\n<TEXT></TEXT></DOC>\n', 2, "expected </DOC>"),
        ('<DOC nid="1">\n<ANNOTATION>\n</DOC>\n', 3, "expected </ANNOTATION>"),
        ('<DOC nid="1">\n<ANNOTATION>\n<MISTAKE>\n', 3, "needs numbers"),
        (document("Hi.").replace("</TEXT>", ""), 7, "expected </TEXT>"),
        (
            document("Hi.", mistakes=mistake((0, 0), (0, 1), "a")).replace('"1"', '"-1"'),
            8,
            "numbers",
        ),
        (
            document("Hi.", mistakes=mistake((0, 0), (0, 1), "a")).replace(
                'off="0"', 'off="9999999999"'
            ),
            8,
            "numbers",
        ),
        (
            document("Hi.", mistakes=mistake((0, 0), (0, 1), "a")).replace("</CORRECTION>", ""),
            11,
            "expected </CORRECTION>",
        ),
        (
            document("Hi.", mistakes=mistake((0, 0), (0, 1), "a")).replace("</MISTAKE>\n", ""),
            11,
            "expected </MISTAKE>",
        ),
        (
            document("Hi.", mistakes=mistake((0, 0), (0, 1), "</CORRECTION><CORRECTION>")),
            10,
            "expected </MISTAKE>",
        ),
        (document("a" * 20_000), 1, "20000 characters without a space"),
    ],
)
def test_nucle_bad_file(text: str, line: int, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        parse(text)
    assert caught.value.line == line


_TAGS = [
    f"<{slash}{name}>"
    for name in ("TEXT", "TITLE", "P", "ANNOTATION", "TYPE", "CORRECTION", "COMMENT", "DOC")
    for slash in ("", "/")
]


def _pieces() -> Iterator[str]:
    yield from _TAGS
    yield from ('<DOC nid="1">', "\n", " ", "He go. ", "<", "&amp;")
    yield mistake((0, 0), (0, 2), "We").removesuffix("</MISTAKE>\n")
    yield from ("</MISTAKE>", document("He go. We ran.", nid="2"), '<MISTAKE start_par="0">')


@given(st.lists(st.sampled_from(list(_pieces())), max_size=25).map("".join))
def test_nucle_only_format_errors(text: str) -> None:
    with contextlib.suppress(FormatError):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "<DOC " * 200_000,
        f'<DOC {"a" * 1_000_000} nid="1">',
        f"<DOC {'a = ' * 200_000}>",
        document("." * 9_000 + " a" * 100_000),
        document("a.b" * 3_000, mistakes=mistake((0, 0), (0, 1), "x" + " a." * 100_000)),
        document("<P> " * 100_000),
        document("-" * 9_999, "'" * 9_999, "n't" * 3_333),
    ],
    ids=["tags", "name", "attributes", "stops", "correction", "paragraphs", "marks"],
)
def test_nucle_takes_linear_time(text: str) -> None:
    with finishes(), contextlib.suppress(FormatError):
        parse(text)


# Annotators


def test_nucle_teachers_of_one_document() -> None:
    text = document("He go.", mistakes=mistake((0, 3), (0, 5), "goes"), teacher="90")
    more = (
        f'<ANNOTATION teacher_id="20">\n{mistake((0, 3), (0, 5), "went")}</ANNOTATION>\n'
        f'<ANNOTATION teacher_id="90">\n{mistake((0, 0), (0, 2), "She")}</ANNOTATION>\n</DOC>'
    )
    [sent], _ = parse(text.replace("</DOC>", more))
    assert {ann.annotator: sent.corrected(ann.annotator) for ann in sent.annotations} == {
        "0": ("She", "goes", "."),
        "1": ("He", "went", "."),
    }


def test_nucle_files_are_annotators() -> None:
    first = document("He go.", nid="a") + document("We ran.", nid="b")
    second = document("We ran.", nid="b", mistakes=mistake((0, 3), (0, 6), "run"))
    third = document("Bye.", nid="c") + document("He go.", nid="a")
    sentences, findings = parse(first, second, third)
    assert [
        (sent.id, {ann.annotator: sent.corrected(ann.annotator) for ann in sent.annotations})
        for sent in sentences
    ] == [
        ("a-0-0", {"0": ("He", "go", "."), "2": ("He", "go", ".")}),
        ("b-0-0", {"0": ("We", "ran", "."), "1": ("We", "run", ".")}),
        ("c-0-0", {"2": ("Bye", ".")}),
    ]
    assert not findings


def test_nucle_several_teachers_in_several_files() -> None:
    extra = '<ANNOTATION teacher_id="8">\n</ANNOTATION>\n</DOC>'
    [sent], _ = parse(document("Hi."), document("Hi.").replace("</DOC>", extra))
    assert [ann.annotator for ann in sent.annotations] == ["0", "1", "1.1"]


def test_nucle_alternatives_without_text() -> None:
    """An annotator without text read only the sentences with an edit or a noop."""
    changes = mistake((0, 3), (0, 5), "went") + mistake((0, 14), (0, 18), "Bye.", "noop")
    alternative = f'<DOC nid="7">\n<ANNOTATION teacher_id="4">\n{changes}</ANNOTATION>\n</DOC>\n'
    original = document("He go. We ran. Bye.")
    sentences, _ = parse(original, alternative)
    assert [[ann.annotator for ann in sent.annotations] for sent in sentences] == [
        ["0", "1"],
        ["0"],
        ["0", "1"],
    ]
    assert sentences[0].corrected("1") == ("He", "went", ".")
    assert sentences[2].corrected("1") == ("Bye", ".")
    with pytest.raises(FormatError, match="'7' has no <TEXT>, here or in another file"):
        parse(alternative)


def test_nucle_texts_must_agree() -> None:
    message = "^file1, line 1: document '7' has a different text in file0, line 1$"
    with pytest.raises(FormatError, match=message):
        parse(document("He go."), document("He goes."))


def test_nucle_document_twice_in_a_later_file() -> None:
    with pytest.raises(FormatError, match="file1, line 10: duplicate document '7'"):
        parse(document("Hi."), document("Hi.") * 2)


# Detection


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('<DOC nid="3">\n<TEXT>', True),
        ("\n\n<DOC NID nid='3'>", True),
        ("<DOC>\n", False),
        ('<document nid="3">', False),
        ("S A b .\n", False),
    ],
)
def test_nucle_sniff(head: str, expected: bool) -> None:
    assert sniff(head) is expected


def test_nucle_load_detects_the_format(tmp_path: Path) -> None:
    one, two = tmp_path / "one.sgml", tmp_path / "two.sgml"
    one.write_text(document("He go.", mistakes=mistake((0, 3), (0, 5), "goes")))
    two.write_text(document("He go."))
    assert detect(Input.from_text(one.read_text())).name == "nucle"
    corpus = load(one, two)
    assert corpus.references() == {"0": [("He", "goes", ".")], "1": [("He", "go", ".")]}
