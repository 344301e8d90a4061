"""Analyses in CoNLL-U files."""

from __future__ import annotations

import gzip
import io
import pickle
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.errors import FormatError, GecevalError
from geceval.extraction.lang import PackOptions, get_pack
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.lang.conllu import ConlluAnalyzer, MissingAnalysisError, write_analyses

ZUM = """\
# sent_id = 1
# text = Wir gehn zum See .
1\tWir\twir\tPRON\tPPER\tCase=Nom\t2\tnsubj\t_\t_
2\tgehn\tgehen\tVERB\tVVFIN\tVerbForm=Fin\t0\troot\t_\tKnown=No
3-4\tzum\t_\t_\t_\t_\t_\t_\t_\t_
3\tzu\tzu\tADP\tAPPR\t_\t5\tcase\t_\t_
4\tdem\tder\tDET\tART\tCase=Dat\t5\tdet\t_\t_
5\tSee\tSee\tNOUN\tNN\tCase=Dat\t2\tobl\t_\t_
5.1\tleer\tleer\tX\t_\t_\t_\t_\t_\t_
6\t.\t.\tPUNCT\t$.\t_\t2\tpunct\t_\t_
"""


def row(number: int, form: str, *, misc: str = "_", feats: str = "_", lemma: str = "_") -> str:
    return f"{number}\t{form}\t{lemma}\tNOUN\t_\t{feats}\t_\t_\t_\t{misc}\n"


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def analyzed(
    path: Path, text: str, *sentences: Sequence[str], split: bool = False
) -> list[Analysis]:
    analyzer = ConlluAnalyzer([written(path / "a.conllu", text)], split_multiword=split)
    return analyzer.analyze([tuple(sentence) for sentence in sentences])


def test_conllu_surface_tokens(tmp_path: Path) -> None:
    """A token of several words has the first word's class and features, and all lemmas."""
    (found,) = analyzed(tmp_path, ZUM, ("Wir", "gehn", "zum", "See", "."))
    assert found.pos == ("PRON", "VERB", "ADP", "NOUN", "PUNCT")
    assert found.tags == ("PPER", "VVFIN", "APPR", "NN", "$.")
    assert found.lemmas == ("wir", "gehen", "zu+der", "See", ".")
    assert found.feats == ("Case=Nom", "VerbForm=Fin", "", "Case=Dat", "")
    assert found.heads == (1, 1, 3, 1, 1)
    assert found.labels == ("nsubj", "root", "case", "obl", "punct")
    assert found.known == (True, False, True, True, True)


def test_conllu_split_multiword(tmp_path: Path) -> None:
    words = ("Wir", "gehn", "zu", "dem", "See", ".")
    (found,) = analyzed(tmp_path, ZUM, words, split=True)
    assert found.lemmas == ("wir", "gehen", "zu", "der", "See", ".")
    assert found.heads == (1, 1, 4, 4, 1, 1)


def test_conllu_order_and_repetition_do_not_matter(tmp_path: Path) -> None:
    text = row(1, "zwei") + "\n\n\n" + row(1, "eins") + "\n" + row(1, "zwei")
    found = analyzed(tmp_path, text, ("eins",), ("zwei",), ("eins",), ())
    assert [one.tokens for one in found] == [("eins",), ("zwei",), ("eins",), ()]


def test_conllu_unicode_is_composed_for_the_search(tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "Häuser")
    (found,) = analyzed(tmp_path, row(1, "Häuser", lemma="Haus"), (decomposed,))
    assert (found.tokens, found.lemmas) == ((decomposed,), ("Haus",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (row(1, "a") + row(2, "b"), (None, None)),
        (row(1, "a", misc="Known=No") + row(2, "b"), (False, True)),
        (row(1, "a", feats="Typo=Yes") + row(2, "b"), (False, True)),
        (row(1, "a", misc="SpaceAfter=No|Known=Yes") + row(2, "b"), (True, True)),
        (row(1, "a") + row(2, "b") + "\n" + row(1, "x", misc="Known=No"), (True, True)),
    ],
)
def test_conllu_known_words(tmp_path: Path, text: str, expected: tuple[bool | None, ...]) -> None:
    (found,) = analyzed(tmp_path, text, ("a", "b"))
    assert found.known == expected


def test_conllu_missing_sentence_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        MissingAnalysisError, match=r"a\.conllu: 'b a', and 1 more; .*--model light"
    ):
        analyzed(tmp_path, row(1, "a") + row(2, "b"), ("a", "b"), ("b", "a"), ("c",))


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u202f"])
def test_conllu_token_with_a_no_break_space(tmp_path: Path, space: str) -> None:
    """Texts are split at such spaces, so the parts are the tokens; heads are kept."""
    lines = (
        f"1\t10{space}000\t10{space}000\tNUM\t_\t_\t2\tnummod\t_\t_\n"
        f"2\tHäuser{space}\tHaus\tNOUN\t_\tNumber=Plur\t0\troot\t_\t_\n"
        f"3\tz{space}B\tzum Beispiel\tADV\t_\t_\t1\tadvmod\t_\t_\n"
    )
    analyzer = ConlluAnalyzer([written(tmp_path / "a.conllu", lines)])
    (found,) = analyzer.analyze([("10", "000", "Häuser", "z", "B")])
    assert found.lemmas == ("10", "000", "Haus", "z", "B")
    assert found.pos == ("NUM", "NUM", "NOUN", "ADV", "ADV")
    assert found.heads == (2, 2, 2, 0, 0)


def test_conllu_token_with_a_space(tmp_path: Path) -> None:
    """It is one token if the text has it as one, and an error otherwise."""
    text = "\n" + row(1, "10 000")
    (found,) = analyzed(tmp_path, text, ("10 000",))
    assert found.pos == ("NOUN",)
    with pytest.raises(GecevalError, match="line 2: a token has a space inside"):
        analyzed(tmp_path, text, ("10", "000"))


def test_conllu_falls_back_where_that_is_wanted(tmp_path: Path) -> None:
    path = written(tmp_path / "a.conllu", row(1, "Haus", lemma="HAUS"))
    options = PackOptions(analyses=(path,))
    for name, model in (("light", None), ("de", "plain")):
        analyzer = get_pack(name).analyzer(model, options=options)
        found = analyzer.analyze([("Haus",), ("Garten",)])
        assert [one.lemmas for one in found] == [("HAUS",), ("garten",)]
        assert analyzer.signature.startswith("conllu-")


def test_conllu_first_of_several_analyses_counts(tmp_path: Path) -> None:
    first = written(tmp_path / "a.conllu", row(1, "Rad", lemma="Rad"))
    second = written(tmp_path / "b.conllu", row(1, "Rad", lemma="raten"))
    told: list[str] = []
    analyzer = ConlluAnalyzer([first, second], notify=told.append)
    assert analyzer.analyze([("Rad",)])[0].lemmas == ("Rad",)
    assert len(told) == 1
    assert "1 sentences" in told[0] or "1 sentence" in told[0]


def test_conllu_compressed_and_windows_files(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress((row(1, "a") + "\n").replace("\n", "\r\n").encode()))
    assert ConlluAnalyzer([str(path)]).analyze([("a",)])[0].pos == ("NOUN",)


def test_conllu_signature_is_that_of_the_content(tmp_path: Path) -> None:
    paths = [written(tmp_path / name, text) for name, text in (("a", row(1, "a")), ("b", ZUM))]
    first, second = (ConlluAnalyzer([path]).signature for path in paths)
    assert first != second
    assert first == ConlluAnalyzer([written(tmp_path / "c", row(1, "a"))]).signature
    assert first != ConlluAnalyzer([paths[0]], split_multiword=True).signature


def test_conllu_analyzer_is_pickled(tmp_path: Path) -> None:
    analyzer = ConlluAnalyzer([written(tmp_path / "a", ZUM)])
    again = pickle.loads(pickle.dumps(analyzer))  # noqa: S301
    sentence = ("Wir", "gehn", "zum", "See", ".")
    assert again.analyze([sentence]) == analyzer.analyze([sentence])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tHaus\n", "line 1: expected 10 columns"),
        ("Das ist ein Haus .\n", "line 1: expected 10 columns"),
        (row(1, "a").replace("NOUN", "NN"), "line 1: 'NN' is no word class"),
        (row(1, "a").replace("1\t", "x\t", 1), "expected the number of a word"),
        (row(2, "a"), "not numbered"),
        (row(1, "a") + row(1, "b"), "not numbered"),
        ("1-2\tam\t_\t_\t_\t_\t_\t_\t_\t_\n" + row(1, "an"), "covers no words of its own"),
        ("1\ta\t_\tNOUN\t_\t_\t7\t_\t_\t_\n", "the head 7 is no word"),
        ("1\ta\t_\tNOUN\t_\t_\tx\t_\t_\t_\n", "number of the head"),
        (row(1, ""), "the second column, the token, is empty"),
    ],
)
def test_conllu_damaged_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        analyzed(tmp_path, text, ("a",))


@given(data=st.data())
def test_conllu_mutated_files_raise_format_errors_only(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("mutated") / "a.conllu"
    lines = ZUM.split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        lines[place] = data.draw(
            st.sampled_from(["", lines[place][1:], lines[place] * 2, lines[place][:-3]])
            | st.text(max_size=20)
        )
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    with suppress(FormatError):
        assert ConlluAnalyzer([str(path)]).analyze([()])[0].tokens == ()


words = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=5)


@given(sentence=st.lists(st.tuples(words, words, st.booleans()), min_size=1, max_size=5))
def test_conllu_what_is_written_is_read(
    sentence: list[tuple[str, str, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    forms = tuple(unicodedata.normalize("NFC", form) for form, _, _ in sentence)
    n_words = len(forms)
    analysis = Analysis(
        forms,
        ("T",) * n_words,
        ("NOUN",) * n_words,
        tuple("" if lemma == "_" else lemma for _, lemma, _ in sentence),
        (0,) * n_words,
        ("root", *("dep",) * (n_words - 1)),
        feats=("Case=Nom",) * n_words,
        known=tuple(known for _, _, known in sentence),
    )
    out = io.StringIO()
    assert write_analyses([analysis], out) == 1
    path = tmp_path_factory.mktemp("written") / "a.conllu"
    path.write_bytes(out.getvalue().encode())
    (found,) = ConlluAnalyzer([str(path)]).analyze([forms])
    assert found == analysis
