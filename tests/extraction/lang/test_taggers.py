"""Taggers of single languages, which tests need only to see that they are called right."""

from __future__ import annotations

import pytest

from geceval.extraction.annotator import Annotator
from geceval.extraction.lang import get_pack
from geceval.extraction.lang.analysis import Analyzer
from geceval.extraction.lang.hanta import tag_features, word_class
from requirements import skip_or_fail


def analyzer_of(language: str, name: str) -> Analyzer:
    backend = next(one for one in get_pack(language).backends if one.name == name)
    if not backend.is_installed:
        skip_or_fail(name, backend.remedy)
    return get_pack(language).analyzer(name)


@pytest.mark.parametrize(
    ("tag", "pos", "feats"),
    [
        ("ADJA", "ADJ", ""),
        ("PROAV", "ADV", ""),
        ("PTKVZ", "ADP", ""),
        ("PIDAT", "DET", "PronType=Ind"),
        ("PRELS", "PRON", "PronType=Rel"),
        ("NNI", "NOUN", ""),
        ("NE", "PROPN", ""),
        ("PTKNEG", "PART", "Polarity=Neg"),
        ("PTKANT", "INTJ", ""),
        ("VMFIN", "AUX", "VerbForm=Fin"),
        ("VVIZU", "VERB", "VerbForm=Inf"),
        ("VAPP", "AUX", "VerbForm=Part"),
        ("VVIMP", "VERB", "Mood=Imp|VerbForm=Fin"),
        ("$(", "PUNCT", ""),
        ("TRUNC", "X", ""),
    ],
)
def test_taggers_tags_of_stts(tag: str, pos: str, feats: str) -> None:
    assert (word_class(tag), tag_features(tag)) == (pos, feats)


def test_taggers_hanta() -> None:
    analyzer = analyzer_of("de", "hanta")
    (found,) = analyzer.analyze([("Die", "Kinder", "spielten", "„", "Fangn", "“", ".")])
    assert found.pos[:3] == ("DET", "NOUN", "VERB")
    assert found.pos[3] == found.pos[5] == found.pos[6] == "PUNCT"
    assert found.lemmas[1:3] == ("Kind", "spielen")
    assert found.feats is not None
    assert found.feats[2] == "VerbForm=Fin"
    assert found.known is not None
    assert found.known[4] is False
    assert analyzer.signature.startswith("HanTa-")


def test_taggers_russian() -> None:
    analyzer = analyzer_of("ru", "pymorphy3")
    (found,) = analyzer.analyze([("Она", "читала", "интересную", "кнгиу", ",", "и", "2")])
    assert found.pos == ("PRON", "VERB", "ADJ", "NOUN", "PUNCT", "CCONJ", "NUM")
    assert found.lemmas[1:3] == ("читать", "интересный")
    assert found.feats is not None
    assert found.feats[1] == "Aspect=Imp|Gender=Fem|Mood=Ind|Number=Sing|Tense=Past|VerbForm=Fin"
    assert found.known == (True, True, True, False, True, True, True)
    annotator = Annotator("ru")
    edits = annotator.annotate("Я читал новый книгу .", "Я прочитал новую книгу .")
    assert [edit.type for edit in edits] == ["R:VERB:ASPECT", "R:ADJ:CASE"]
    assert "pymorphy3-dicts-ru-" in annotator.signature


def test_taggers_closed_classes_come_first() -> None:
    """Without context, "о" is a preposition rather than an interjection or the letter."""
    analyzer = analyzer_of("ru", "pymorphy3")
    (found,) = analyzer.analyze([("о", "Надежда", "надежда")])
    assert found.pos == ("ADP", "NOUN", "NOUN")


def test_taggers_light() -> None:
    analyzer = analyzer_of("de", "light")
    (found,) = analyzer.analyze([("Die", "Häuser", "brennn", "!")])
    assert found.lemmas[1] == "Haus"
    assert found.pos == ("", "", "", "PUNCT")
    assert found.known == (True, True, False, True)
