"""Types that are learned from examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from geceval import Annotation, Edit, FormatError, GecevalError, Sentence
from geceval.errors import UnknownNameError
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang import get_pack
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import Change, Rule
from geceval.extraction.typers import get_typer
from geceval.extraction.typers.learned import (
    AnalyzedExample,
    Evaluation,
    Example,
    LearnedTyper,
    analyzed,
    examples,
    features,
    train,
)
from geceval.model import Tokens


def words(text: str) -> Tokens:
    return tuple(text.split())


def edit(start: int, end: int, text: str, kind: str) -> Edit:
    return Edit(start, end, (words(text),), kind)


def sentence(text: str, *edits: Edit) -> Sentence:
    return Sentence(words(text), (Annotation("0", edits),))


def made_up() -> list[AnalyzedExample]:
    """Nouns that want a plural, commas that are missing and articles that are too many."""
    sentences = []
    for noun in ("cat", "dog", "house", "tree", "car", "book"):
        sentences += [
            sentence(f"two {noun} are here", edit(1, 2, f"{noun}s", "Noun")),
            sentence(f"so the {noun} is here", edit(1, 1, ",", "Comma")),
            sentence(f"the my {noun} is here", edit(0, 1, "", "Article")),
        ]
    return analyzed(examples(sentences), get_pack("plain").analyzer())


def trained(found: list[AnalyzedExample], **options: Any) -> LearnedTyper:
    return train(found, lang="plain", model="none", **options)


@pytest.fixture(scope="module")
def typer() -> LearnedTyper:
    pytest.importorskip("sklearn")
    return trained(made_up())


def type_of(typer: LearnedTyper, source: str, target: str, change: tuple[int, ...]) -> str:
    sides = Analysis.plain(words(source)), Analysis.plain(words(target))
    start, end, target_start, target_end = change
    return typer.type(Change(start, end, target_start, target_end, Rule.ALONE), *sides)


def test_learned_examples_are_minimal_and_in_place() -> None:
    sent = sentence(
        "a b c d e",
        edit(0, 1, "x y", "First"),
        edit(2, 4, "c z", "Second"),
        edit(4, 5, "e", "Nothing"),
        Edit(1, 2, (), "Flag"),
        edit(5, 5, ".", ""),
    )
    target = words("x y b c z e .")
    assert list(examples([sent])) == [
        Example(Change(0, 1, 0, 2, Rule.STRATEGY), sent.tokens, target, "First"),
        Example(Change(3, 4, 4, 5, Rule.STRATEGY), sent.tokens, target, "Second"),
    ]


def test_learned_examples_come_from_every_annotator() -> None:
    readings = tuple(Annotation(name, (edit(0, 1, name, name),)) for name in "xy")
    assert [one.type for one in examples([Sentence(("a",), readings)])] == ["x", "y"]


def test_learned_features_name_what_changes() -> None:
    source = Analysis(
        words("He walk home"), ("PRP", "VB", "RB"), ("PRON", "VERB", "ADV"),
        ("he", "walk", "home"), (1, 1, 1), ("nsubj", "ROOT", "advmod"),
    )  # fmt: skip
    target = Analysis(
        words("He walks home"), ("PRP", "VBZ", "RB"), ("PRON", "VERB", "ADV"),
        ("he", "walk", "home"), (1, 1, 1), ("nsubj", "ROOT", "advmod"),
    )  # fmt: skip
    found = features(Change(1, 2, 1, 2, Rule.ALONE), source, target)
    assert {
        "operation:R",
        "size:1>1",
        "tags:VB>VBZ",
        "words:walk>walks",
        "ending:>s",
        "same lemmas:True",
        "same pos:True",
        "before word:he",
        "after tag:RB",
        "second before pos:none",
        "lost:walk",
        "won:walks",
    } <= found


def test_learned_typer_generalizes(typer: LearnedTyper) -> None:
    assert type_of(typer, "two horse are here", "two horses are here", (1, 2, 1, 2)) == "Noun"
    assert type_of(typer, "so it is", "so , it is", (1, 1, 1, 2)) == "Comma"
    assert type_of(typer, "the his hat", "his hat", (0, 1, 0, 0)) == "Article"


def test_learned_training_is_deterministic(typer: LearnedTyper, tmp_path: Path) -> None:
    again = trained(list(reversed(made_up())))
    again.save(tmp_path / "again.json")
    typer.save(tmp_path / "typer.json")
    assert again.signature == typer.signature
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "typer.json").read_bytes()


def test_learned_model_is_a_plain_file(typer: LearnedTyper, tmp_path: Path) -> None:
    path = tmp_path / "typer.json"
    typer.save(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["format"], data["schema"], data["language"]) == ("geceval-typer", 1, "plain")
    assert data["types"] == ["Article", "Comma", "Noun"]
    loaded = LearnedTyper.load(path)
    assert loaded.signature == typer.signature
    found = made_up()
    assert Evaluation.of(loaded, found) == Evaluation.of(typer, found)


def test_learned_typer_by_name(typer: LearnedTyper, tmp_path: Path) -> None:
    typer.save(tmp_path / "typer.json")
    annotator = Annotator("plain", typer=f"learned:{tmp_path}/typer.json")
    (found,) = annotator.annotate(words("two cow are here"), words("two cows are here"))
    assert found.type == "Noun"
    assert f"types:{typer.signature}" in annotator.signature


def test_learned_unknown_typer_names_the_way_to_learn() -> None:
    with pytest.raises(UnknownNameError, match="learned:FILE"):
        get_typer("learned")


def test_learned_two_types(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    found = [one for one in made_up() if one.type != "Noun"]
    two = trained(found)
    assert Evaluation.of(two, found).accuracy == 1.0
    two.save(tmp_path / "two.json")
    assert LearnedTyper.load(tmp_path / "two.json").types == ("Article", "Comma")


def test_learned_one_type_is_all_it_can_name() -> None:
    only = trained([one for one in made_up() if one.type == "Noun"])
    assert type_of(only, "so it is", "so , it is", (1, 1, 1, 2)) == "Noun"


def test_learned_without_features_names_the_most_frequent() -> None:
    found = made_up()
    found += [one for one in found if one.type == "Comma"]
    assert Evaluation.of(trained(found, min_count=1000), found).accuracy == 0.5


def test_learned_needs_examples() -> None:
    with pytest.raises(GecevalError, match="no typed edits to train on"):
        trained([])


HEAD = '"format": "geceval-typer", "schema": 1, "language": "en", "model": "x"'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "not json",
        "[" * 100_000,
        f'{{{HEAD}, "types": [], "biases": [], "weights": {{}}}}',
        f'{{{HEAD}, "types": ["A"], "biases": [], "weights": {{}}}}',
        f'{{{HEAD}, "types": ["A"], "biases": [0], "weights": {{"a": [1, 2]}}}}',
        f'{{{HEAD}, "types": ["A"], "biases": [0], "weights": {{"a": ["b"]}}}}',
        f'{{{HEAD}, "types": ["A"], "biases": [NaN], "weights": {{}}}}',
        f'{{{HEAD}, "types": ["A"], "biases": [0], "weights": [1]}}',
        f'{{{HEAD.replace("1", "2")}, "types": ["A"], "biases": [0], "weights": {{}}}}',
    ],
)
def test_learned_refuses_other_files(text: str, tmp_path: Path) -> None:
    path = tmp_path / "typer.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="expected a model of 'geceval types train'"):
        LearnedTyper.load(path)


def test_learned_evaluation_counts() -> None:
    evaluation = Evaluation({("A", "A"): 3, ("A", "B"): 2, ("B", "C"): 1})
    assert evaluation.total == 6
    assert evaluation.accuracy == 0.5
    assert evaluation.by_type() == {"A": (3, 0, 2), "B": (0, 2, 1), "C": (0, 1, 0)}
    assert evaluation.confusions() == [("A", "B", 2), ("B", "C", 1)]


def test_learned_types_of_conll(shared_data: Path) -> None:
    """Trained on some sentences, it names most types of others."""
    pytest.importorskip("sklearn")
    pytest.importorskip("spacy")
    from geceval.formats import load

    corpus = load(shared_data / "conll14" / "gold" / "official-2014.1.m2")
    analyzer = get_pack("en").analyzer()
    found = analyzed(examples(corpus.sentences[:120]), analyzer)
    others = analyzed(examples(corpus.sentences[120:180]), analyzer)
    typer = train(found, lang="en", model=analyzer.signature)
    assert Evaluation.of(typer, others).accuracy > 0.6
