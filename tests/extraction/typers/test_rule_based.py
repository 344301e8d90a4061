"""The rules that all languages share, and the tables of single languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzed_words import parsed
from geceval.errors import GecevalError
from geceval.extraction.categories import describe
from geceval.extraction.lang import PackOptions, get_pack, pack_names
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import Change, Rule
from geceval.extraction.typers import get_typer
from geceval.extraction.typers.rule_based import RuleTyper

LANGUAGES = [name for name in pack_names() if get_pack(name).typer == "rules"]


def typed(language: str, before: str, after: str, **options: object) -> str:
    source, target = parsed(before, language), parsed(after, language)
    change = Change(0, len(source), 0, len(target), Rule.ALONE)
    typer = RuleTyper(language, PackOptions(**options))  # type: ignore[arg-type]
    return typer.type(change, source, target)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # Nothing changes.
        ("gut/ADJ", "gut/ADJ", "UNK"),
        # An end that only changes case.
        (",/PUNCT wir/PRON", "./PUNCT Wir/PRON", "R:PUNCT"),
        ("Heute/ADV", "Nur/ADV heute/ADV", "M:ADV"),
        ("Und/CCONJ Heute/ADV", "heute/ADV", "U:CCONJ"),
        # One side is empty.
        ("", "'s/PRON", "M:CONTR"),
        ("", ",/PUNCT", "M:PUNCT"),
        ("»/X", "", "U:PUNCT"),
        ("", "der/DET", "M:DET"),
        ("", "kleine/ADJ rote/ADJ", "M:ADJ"),
        ("", "drei/NUM", "M:OTHER"),
        ("zu/PART laufen/VERB", "", "U:VERB"),
        ("die/DET Katze/NOUN", "", "U:OTHER"),
        ("auf/ADV////svp ab/X////svp", "", "U:ADP"),
        # Letters only.
        ("!/PUNCT !/PUNCT", "?/PUNCT", "R:PUNCT"),
        ("Haus/NOUN", "haus/NOUN", "R:ORTH"),
        ("Haus/NOUN Tür/NOUN", "Haustür/NOUN", "R:ORTH"),
        ("schon/ADV sehr/ADV", "Sehr/ADV schon/ADV", "R:WO"),
        # Not a word.
        ("Hauß/NOUN/Hauß//-", "Haus/NOUN/Haus//+", "R:SPELL"),
        ("Xyzzy/NOUN/Xyzzy//-", "Haus/NOUN/Haus//+", "R:NOUN"),
        ("Xyzzy/NOUN/Xyzzy//-", "gehen/VERB/gehen//+", "R:OTHER"),
        ("gelauft/VERB/laufen//-", "gelaufen/VERB/laufen//+", "R:SPELL"),
        ("B2b/NOUN/B2b//-", "Bus/NOUN/Bus//+", "R:NOUN"),
        # Without a dictionary.
        ("Fenstr/NOUN/Fenstr", "Fenster/NOUN/Fenster", "R:SPELL"),
        # One lemma.
        ("Haus/NOUN/Haus//+", "Häuser/NOUN/Haus//+", "R:NOUN:FORM"),
        ("gekauft/ADJ/kaufen//+", "kaufte/VERB/kaufen//+", "R:VERB:FORM"),
        ("kaufte/VERB/kaufen//+", "gekauft/ADJ/kaufen//+", "R:MORPH"),
        ("mich/PRON/mich//+", "mir/PRON/mir//+", "R:PRON:FORM"),
        ("mich/PRON/mich//+", "dir/PRON/dir//+", "R:PRON"),
        # One stem.
        ("freundlich/ADJ/freundlich//+", "freundliche/NOUN/Freundliche//+", "R:MORPH"),
        # One class, and relations.
        ("auf/ADP/auf//+", "in/ADP/in//+", "R:ADP"),
        ("der/DET/der//+/nsubj", "er/PRON/er//+/nsubj", "R:PRON"),
        ("sie/PRON/sie//+/x", "ihre/DET/ihr//+/det:poss", "R:DET"),
        ("drei/NUM/drei//+", "vier/NUM/vier//+", "R:OTHER"),
        ("schnell/ADJ/schnell//+", "Auto/NOUN/Auto//+", "R:OTHER"),
        # Several words.
        ("sehr/ADV gern/ADV", "lieber/ADV", "R:ADV"),
        ("zu/PART gehen/VERB/gehen//+", "ging/VERB/gehen//+", "R:VERB:FORM"),
        ("zu/PART gehen/VERB/gehen//+", "lief/VERB/laufen//+", "R:VERB"),
        ("die/DET Katze/NOUN", "sie/PRON", "R:OTHER"),
    ],
)
def test_rules_german(before: str, after: str, expected: str) -> None:
    assert typed("de", before, after) == expected


@pytest.mark.parametrize(
    ("language", "before", "after", "expected"),
    [
        # Czech.
        ("cs", "dum/NOUN/dum//-", "dům/NOUN/dům//+", "R:DIACR"),
        ("cs", "Praha/PROPN", "praha/PROPN", "R:ORTH:CASING"),
        ("cs", "na/ADP příklad/NOUN", "například/ADV", "R:ORTH:WSPACE"),
        ("cs", "„/PUNCT ano/PART “/PUNCT", "ano/PART", "R:QUOTATION"),
        ("cs", "ano/PART ,/PUNCT ne/PART", "ano/PART ne/PART", "R:PUNCT"),
        ("cs", "ano,/PART", "ano/PART", "R:PUNCT"),
        ("cs", "psy/NOUN/pes//+", "psů/NOUN/pes//+", "R:NOUN:INFL"),
        ("cs", "jdu/VERB/jít//+", "jde/VERB/jít//+", "R:VERB"),
        ("cs", "tenhle/DET/tenhle//+", "tuhle/DET/tenhle//+", "R:MORPH"),
        ("cs", "videl/VERB psa/NOUN", "psa/NOUN viděl/VERB", "R:WO:SPELL"),
        # Ukrainian.
        ("uk", "в/ADP/в//+", "у/ADP/у//+", "R:SPELL"),
        ("uk", "сміявся/VERB/сміятися//+", "сміявсь/VERB/сміятися//+", "R:SPELL"),
        ("uk", "пять/NUM/пять//+", "п'ять/NUM/п'ять//+", "R:SPELL"),
        ("uk", "п’ять/NUM", "п'ять/NUM", "R:ORTH:APOS"),
        ("uk", "слона/NOUN/слон/Case=Gen/+", "слону/NOUN/слон/Case=Dat/+", "R:NOUN:CASE"),
        ("uk", "слова/NOUN/слово//+", "слива/NOUN/слива//+", "R:SPELL"),
        ("uk", "об'ект/NOUN/об'ект//-", "об'єкт/NOUN/об'єкт//+", "R:SPELL"),
        # Russian.
        ("ru", "елка/NOUN/елка//+", "ёлка/NOUN/ёлка//+", "R:DIACR"),
        ("ru", "делать/VERB/делать/Aspect=Imp|VerbForm=Inf/+",
         "сделать/VERB/сделать/Aspect=Perf|VerbForm=Inf/+", "R:VERB:ASPECT"),
        ("ru", "умный/ADJ/умный/Case=Nom|Number=Sing/+",
         "умен/ADJ/умный/Number=Sing|Variant=Short/+", "R:ADJ:FORM"),
        # Estonian: learners make up forms of known words.
        ("et", "raamatuid/NOUN/raamat/Case=Par|Number=Plur/-",
         "raamatud/NOUN/raamat/Case=Nom|Number=Plur/+", "R:NOUN:FORM"),
        ("et", "ramat/NOUN/raamat//-", "raamat/NOUN/raamat//+", "R:SPELL"),
        # Greek.
        ("el", "τη/DET/ο//+", "την/DET/ο//+", "R:FN"),
        ("el", "", "να/PART", "M:VERB:FORM"),
        ("el", "θα/PART", "", "U:VERB:TENSE"),
        ("el", "σε/ADP/σε//+", "από/ADP/από//+", "R:PREP"),
        ("el", "καλος/ADJ/καλος//-", "καλός/ADJ/καλός//+", "R:DIACR"),
        ("el", "ΛΟΓΟΣ/NOUN", "λογος/NOUN", "R:ORTH"),
        # Turkish.
        ("ar", "كَتَبَ/VERB", "كتب/VERB", "R:DIACR"),
        ("ar", "كتـــاب/NOUN", "كتاب/NOUN", "R:DIACR"),
        ("ar", "الى/ADP/الى//-", "إلى/ADP/إلى//+", "R:ORTH"),
        ("ar", "على/ADP/على//+", "علي/PROPN/علي//+", "R:ORTH"),
        ("ar", "اَمس/ADV/امس//-", "أمس/ADV/أمس//+", "R:ORTH"),
        ("ar", "مدرسه/NOUN/مدرسه//-", "مدرسة/NOUN/مدرسة//+", "R:SPELL"),
        ("he", "שָׁלוֹם/NOUN", "שלום/NOUN", "R:DIACR"),
        ("pl", "lodz/NOUN/lodz//-", "łódź/NOUN/łódź//+", "R:DIACR"),
        ("tr", "KAPI/NOUN", "kapı/NOUN", "R:ORTH:CASING"),
        ("tr", "istanbul/PROPN", "İstanbul/PROPN", "R:ORTH:CASING"),
        ("tr", "agac/NOUN/agac//-", "ağaç/NOUN/ağaç//+", "R:DIACR"),
        ("tr", "evim/NOUN/ev/Number=Sing|Person[psor]=1/+",
         "evin/NOUN/ev/Number=Sing|Person[psor]=2/+", "R:NOUN:POSS"),
        ("tr", "de/PART", "", "U:PART"),
        ("tr", "evde/NOUN", "ev/NOUN de/PART", "R:ORTH:WSPACE"),
        # French and Italian.
        ("fr", "l'/PRON/l'//+", "le/DET/le//+", "R:DET:FORM"),
        ("it", "perche/SCONJ/perche//-", "perché/SCONJ/perché//+", "R:DIACR"),
        ("sv", "manga/ADJ/manga//-", "många/ADJ/mången//+", "R:SPELL"),
    ],
)  # fmt: skip
def test_rules_by_language(language: str, before: str, after: str, expected: str) -> None:
    assert typed(language, before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a/NOUN/x/Case=Nom|Number=Sing/+", "b/NOUN/x/Case=Gen|Number=Plur/+", "R:NOUN:CASE"),
        ("a/NOUN/x/Case=Nom|Number=Sing/+", "b/NOUN/x/Case=Nom|Number=Plur/+", "R:NOUN:NUM"),
        ("a/ADJ/x/Gender=Fem/+", "b/ADJ/x/Gender=Neut/+", "R:ADJ:GENDER"),
        ("a/ADJ/x/Degree=Pos/+", "b/ADJ/x/Degree=Cmp/+", "R:ADJ:DEGREE"),
        ("a/NOUN/x/Definite=Def/+", "b/NOUN/x//+", "R:NOUN:DEF"),
        ("a/VERB/x/VerbForm=Fin|Tense=Past/+", "b/VERB/x/VerbForm=Inf/+", "R:VERB:FORM"),
        ("a/VERB/x/Tense=Past/+", "b/VERB/x/Tense=Pres/+", "R:VERB:TENSE"),
        ("a/VERB/x/Mood=Ind/+", "b/VERB/x/Mood=Sub/+", "R:VERB:MOOD"),
        ("a/VERB/x/Voice=Act/+", "b/VERB/x/Voice=Pass/+", "R:VERB:VOICE"),
        ("a/VERB/x/Person=1/+", "b/VERB/x/Person=3/+", "R:VERB:PERS"),
        ("a/AUX/x/Polarity=Neg/+", "b/AUX/x//+", "R:AUX:NEG"),
        ("a/VERB/x//+", "b/VERB/x//+", "R:VERB:FORM"),
        ("A/NOUN", "a/NOUN", "R:ORTH:CASING"),
    ],
)
def test_rules_detail(before: str, after: str, expected: str) -> None:
    assert typed("de", before, after, detail=True) == expected


def test_rules_names_of_errant() -> None:
    assert typed("de", "", "auf/ADP", names="errant") == "M:PREP"
    assert typed("de", "", "Anna/PROPN", names="errant") == "M:NOUN"
    assert typed("de", "", "und/CCONJ", names="errant") == "M:CONJ"
    verbs = "a/VERB/x/Person=1/+", "b/VERB/x/Person=3/+"
    assert typed("de", *verbs, names="errant", detail=True) == "R:VERB:SVA"
    nouns = "a/NOUN/x/Number=Sing/+", "b/NOUN/x/Number=Plur/+"
    assert typed("de", *nouns, names="errant", detail=True) == "R:NOUN:NUM"


def test_rules_order_similar_is_an_option() -> None:
    words = "das/PRON heist/VERB", "heißt/VERB das/PRON"
    assert typed("de", *words) == "R:OTHER"
    assert typed("de", *words, order="similar") == "R:WO:SPELL"
    assert typed("cs", "mas/VERB ty/PRON", "ty/PRON máš/VERB", order="exact") == "R:OTHER"


def test_rules_without_word_classes_name_forms_and_spelling() -> None:
    assert typed("de", "Haus//Haus//+", "Häuser//Haus//+") == "R:FORM"
    assert typed("de", "Hauß//Hauß//-", "Haus//Haus//+") == "R:SPELL"
    assert typed("de", "Haus//Haus//+", "Garten//Garten//+") == "R:OTHER"
    assert typed("de", "", "Garten//Garten//+") == "M:OTHER"


def test_rules_options_are_refused_by_other_classifiers() -> None:
    with pytest.raises(GecevalError, match="options of the classifier 'rules'"):
        get_typer("plain", options=PackOptions(detail=True))


def test_rules_signature_names_the_settings() -> None:
    usual = RuleTyper("de").signature
    assert usual.startswith("rules-")
    others = [
        PackOptions(detail=True),
        PackOptions(names="errant"),
        PackOptions(order="similar"),
        PackOptions(map="errant-de"),
    ]
    assert len({usual, *(RuleTyper("de", one).signature for one in others)}) == 5


words = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=6)
analyses = st.lists(
    st.tuples(words, st.sampled_from(["", "NOUN", "VERB", "DET", "PUNCT", "X"]), words), max_size=4
)


@given(
    st.sampled_from(LANGUAGES),
    analyses,
    analyses,
    st.sampled_from([True, False, None]),
    st.booleans(),
)
def test_rules_name_every_edit_in_words(
    language: str,
    before: list[tuple[str, str, str]],
    after: list[tuple[str, str, str]],
    known: bool | None,
    detail: bool,
) -> None:
    source, target = (
        Analysis(
            tuple(form for form, _, _ in side),
            ("",) * len(side),
            tuple(pos for _, pos, _ in side),
            tuple(lemma for _, _, lemma in side),
            tuple(range(len(side))),
            ("",) * len(side),
            known=(known,) * len(side),
        )
        for side in (before, after)
    )
    change = Change(0, len(source), 0, len(target), Rule.ALONE)
    name = _TYPERS.setdefault(
        (language, detail), RuleTyper(language, PackOptions(detail=detail))
    ).type(change, source, target)
    operation, _, _ = name.partition(":")
    assert operation in ("M", "R", "U", "UNK")
    assert describe(name, universal=True)
    assert (name == "UNK") == (source.tokens == target.tokens)


_TYPERS: dict[tuple[str, bool], RuleTyper] = {}
