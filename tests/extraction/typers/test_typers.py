from __future__ import annotations

import builtins
import sys
from typing import Any

import pytest

from geceval.errors import GecevalError, UnknownNameError
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import Change, Rule
from geceval.extraction.typers import get_typer, typer_names
from geceval.extraction.typers.base import operation
from geceval.extraction.typers.plain import PlainTyper
from geceval.extraction.typers.universal import UniversalTyper


def parsed(text: str) -> Analysis:
    """Read "form/POS/TAG/lemma/label/head …"; what is left out is unknown."""
    rows = [item.split("/") + [""] * 6 for item in text.split()]
    return Analysis(
        tuple(row[0] for row in rows),
        tuple(row[2] for row in rows),
        tuple(row[1] for row in rows),
        tuple(row[3] or row[0].lower() for row in rows),
        tuple(int(row[5]) if row[5] else place for place, row in enumerate(rows)),
        tuple(row[4] for row in rows),
    )


def whole(source: Analysis, target: Analysis) -> Change:
    return Change(0, len(source), 0, len(target), Rule.STRATEGY)


def test_typers_are_found_by_name() -> None:
    assert typer_names()[:3] == ["errant", "universal", "plain"]
    assert isinstance(get_typer("plain"), PlainTyper)
    with pytest.raises(UnknownNameError, match="did you mean 'errant'"):
        get_typer("erant")


@pytest.mark.parametrize(
    ("change", "expected"), [((1, 1, 1, 2), "M"), ((1, 2, 1, 1), "U"), ((1, 2, 1, 2), "R")]
)
def test_typers_operation(change: tuple[int, int, int, int], expected: str) -> None:
    assert operation(Change(*change, Rule.ALONE)) == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("", "the", "M:OTHER"),
        ("the", "", "U:OTHER"),
        ("The", "the", "R:ORTH"),
        ("sub way", "subway", "R:ORTH"),
        ("only can", "can only", "R:WO"),
        ("tset", "test", "R:SPELL"),
        ("big", "small", "R:OTHER"),
        ("a lot", "many", "R:OTHER"),
        ("👍", "👎", "R:PUNCT"),
        ("", ",", "M:PUNCT"),
        ("„", "", "U:PUNCT"),
        (". .", "…", "R:PUNCT"),
    ],
)
def test_typers_plain(source: str, target: str, expected: str) -> None:
    before, after = Analysis.plain(source.split()), Analysis.plain(target.split())
    assert PlainTyper().type(whole(before, after), before, after) == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("", "le/DET", "M:DET"),
        ("le/DET", "", "U:DET"),
        ("", "le/DET chat/NOUN", "M:OTHER"),
        ("Le/DET", "le/DET", "R:ORTH"),
        ("chat/NOUN noir/ADJ", "noir/ADJ chat/NOUN", "R:WO"),
        ("mange/VERB//manger", "mangeons/VERB//manger", "R:VERB:FORM"),
        ("chat/NOUN//chat", "chate/VERB//chat", "R:MORPH"),
        ("maisson/NOUN", "maison/NOUN", "R:SPELL"),
        ("maison/NOUN", "table/NOUN", "R:NOUN"),
        ("maison/NOUN", "vite/ADV", "R:OTHER"),
        ("?!/X", "xx/X", "R:OTHER"),
        ("a/AUX mangé/VERB//manger", "mangea/VERB//manger", "R:VERB:FORM"),
        ("dans/ADP le/DET", "sur/ADP", "R:OTHER"),
        ("grand/ADJ gros/ADJ", "petit/ADJ", "R:ADJ"),
    ],
)
def test_typers_universal(source: str, target: str, expected: str) -> None:
    before, after = parsed(source), parsed(target)
    assert UniversalTyper().type(whole(before, after), before, after) == expected


def test_typers_errant_names_its_version() -> None:
    pytest.importorskip("errant")
    assert get_typer("errant").signature == "errant-3.0.2"


def test_typers_errant_reads_beyond_the_edit_each_time() -> None:
    """[eat → eats] is agreement, but form where an auxiliary stands before it on both sides."""
    pytest.importorskip("errant")
    typer = get_typer("errant")
    source = parsed("I/PRON/PRP/I/nsubj/1 eat/VERB/VBP/eat/ROOT")
    target = parsed("I/PRON/PRP/I/nsubj/1 eats/VERB/VBZ/eat/ROOT")
    aux_source = parsed("do/AUX/VBP/do/aux/1 eat/VERB/VBP/eat/ROOT")
    aux_target = parsed("do/AUX/VBP/do/aux/1 eats/VERB/VBZ/eat/ROOT")
    change = Change(1, 2, 1, 2, Rule.ALONE)
    for _ in range(2):
        assert typer.type(change, source, target) == "R:VERB:SVA"
        assert typer.type(change, aux_source, aux_target) == "R:VERB:FORM"


def test_typers_errant_remembers_words_that_decide_alone() -> None:
    pytest.importorskip("errant")
    from geceval.extraction.typers.errant import ErrantTyper

    typer = ErrantTyper()
    calls = []
    classify = typer._classify

    def noted(edit: Any) -> None:
        calls.append(edit)
        classify(edit)

    typer._classify = noted
    source, target = parsed("a/DET/DT/a/det"), parsed("the/DET/DT/the/det")
    assert [typer.type(whole(source, target), source, target) for _ in range(3)] == ["R:DET"] * 3
    assert len(calls) == 1


def test_typers_errant_needs_penn_tags() -> None:
    pytest.importorskip("errant")
    source, target = parsed("a/DET/?"), parsed("the/DET/?")
    with pytest.raises(GecevalError, match="Penn Treebank tags; '\\?'"):
        get_typer("errant").type(whole(source, target), source, target)


def test_typers_errant_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_errant(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == "errant":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "errant", raising=False)
    monkeypatch.setattr(builtins, "__import__", without_errant)
    with pytest.raises(GecevalError, match="need the package errant; install it"):
        get_typer("errant")
