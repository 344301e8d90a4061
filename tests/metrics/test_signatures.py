"""Equal signatures mean comparable numbers: whatever can change a score changes its signature."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import made_up
from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence, load
from geceval.evaluation.background import Background
from geceval.evaluation.entries import Entry
from geceval.extraction.lang import PackOptions
from geceval.formats import Findings, write_sentences
from geceval.metrics import metric_class, standalone_names
from geceval.metrics.base import Metric
from geceval.metrics.options import Option, options_of
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Statistics

OPTIONS: dict[str, dict[str, Any]] = {
    "grammar": {"cache": False},
    "errant": {"lang": "plain", "macro": True},
    "cleme": {"lang": "plain"},
    "cleme2": {"lang": "plain"},
    "m2": {"bonus": "with"},
    "gotoscorer": {"lang": "plain", "weights": "none"},
    "ged": {"lang": "plain"},
}
METRICS = standalone_names()
WITH_REFERENCES = [name for name in METRICS if metric_class(name).needs_references]
ONE_REFERENCE = {"gotoscorer"}
"""Metrics that score against one annotator and ignore the others."""
TEXTS = ["gleu", "green", "bleu", "ibleu", "chrf", "ter", "wer", "cer", "sari", "maxsari",
         "ld-reference"]  # fmt: skip
"""Metrics that read corrected sentences, however they were cut into edits."""


def make(name: str, **options: Any) -> Metric:
    return metric_class(name)(**{**OPTIONS.get(name, {}), **options})


def signature(metric: Metric, corpus: Corpus, hypothesis: Hypothesis | None = None) -> str:
    return metric.score(corpus, hypothesis or Hypothesis("source", corpus.sources)).signature


def parts(text: str) -> dict[str, str]:
    return dict(pair.split(":", 1) for pair in text.split("|")[1:])


# Options.

NO_NUMBER = {"jobs", "notify", "cache", "annotator", "analyzer"}
"""Options that change no number. An annotator and an analyzer are named all the same."""

OTHER: Mapping[str, tuple[Any, ...]] = {
    "beta": (1.5,),
    "max_unchanged": (3,),
    "long_edits": ("always",),
    "level": ("recognition", "detection"),
    "ignore_whitespace_casing": (True,),
    "bonus": ("without", "with"),
    "missing": ("noop", "same"),
    "nested": ("off",),
    "mode": ("span-detection", "token-detection"),
    "auto_gold": (True, False),
    "assumption": ("independent",),
    "weights": ("none", "length", "corpus-length"),
    "merge_distance": (1,),
    "macro": (True,),
    "compat": ("errant-3.0.2", "gec-metrics", "cleme-1.1"),
    "lang": ("en-GB",),
    "align": ("levenshtein",),
    "merge": ("all-split", "all-merge"),
    "typer": ("universal",),
    "model": ("en_core_web_sm",),
    "mix": (False,),
    "weight": (3.0,),
    "maximize": ("i", "f"),
    "aspect": ("detection",),
    "optimize": ("corpus",),
    "limit": (7,),
    "order": (3,),
    "exact": (True,),
    "iterations": (7,),
    "average": ("sentence",),
    "alpha": (0.7,),
    "source_term": ("reward",),
    "length": ("second",),
    "raw_tokens": (True,),
    "variant": ("koyama", "koyama-max", "gec-metrics", "gec-metrics-official"),
    "numerator": ("formula",),
    "smoothing": ("none",),
    "draws": ("python3",),
    "references": ("expected", "best"),
    "unit": ("char",),
    "words": (2,),
    "ignore_case": (False,),
    "ref": ("1",),
    "grain": ("operation", "category", "both"),
    "scorer": ("lev", "wer", "gleu(order=3)"),
    "pt-errant compat": ("pt-m2",),
}
PLAIN: dict[str, dict[str, Any]] = {
    "errant": {"lang": "plain"},
    "cleme": {"lang": "plain"},
    "cleme2": {"lang": "plain"},
    "grammar": {"cache": False},
    "gotoscorer": {"lang": "plain", "weights": "none"},
    "ged": {"lang": "plain"},
    "pt-errant": {"lang": "plain"},
}
NOT_TRIED = {
    **{
        (metric, option): "named by the annotator, as for errant"
        for metric in ("gotoscorer", "ged")
        for option in ("model", "lang")
    },
    **{
        ("gotoscorer", option): "needs several systems, see test_gotoscorer"
        for option in ("weights", "a", "b", "c")
    },
    **{
        (metric, "pack_options"): "see test_signature_names_options_of_the_language_pack"
        for metric in ("errant", "pt-errant", "cleme", "cleme2", "gotoscorer", "ged")
    },
    ("errant", "model"): "named by the language pack, see test_signature_names_the_model",
    ("errant", "lang"): "named by the annotator, see test_signature_names_the_model",
    ("pt-errant", "model"): "as for errant",
    ("pt-errant", "lang"): "as for errant",
    **{
        (name, option): "as for errant"
        for name in ("cleme", "cleme2")
        for option in ("lang", "model")
    },
    **{
        ("cleme2", option): "all add up to 1, see test_cleme"
        for option in ("hit", "wrong", "under", "over")
    },
    ("grammar", "url"): "needs a server, see test_grammar",
    ("grammar", "checker"): "needs a server, see test_grammar",
}


def changed_options() -> Iterator[tuple[str, str, Any]]:
    for name in METRICS:
        for option, known in options_of(metric_class(name)).items():
            if option not in NO_NUMBER and (name, option) not in NOT_TRIED:
                # An option that is new, and not in `OTHER`, fails here.
                values = [
                    value
                    for value in OTHER.get(f"{name} {option}") or OTHER[option]
                    if is_other(known, value)
                ]
                assert values, (name, option)
                yield from ((name, option, value) for value in values)


def is_other(option: Option, value: object) -> bool:
    """Whether an option can have a value, which is not its default."""
    is_unknown = option.is_choice and value not in option.choices
    return not is_unknown and value != option.default


@pytest.mark.parametrize(("name", "option", "value"), list(changed_options()))
def test_signature_names_every_option(name: str, option: str, value: Any) -> None:
    corpus = made_up.corpus(3)
    usual = PLAIN.get(name, {})
    before = signature(metric_class(name)(**usual), corpus)
    metric = metric_class(name)(**{**usual, option: value})
    assert signature(metric, corpus) != before
    assert metric.configuration() != metric_class(name)(**usual).configuration()


@pytest.mark.parametrize("name", ["errant", "pt-errant", "cleme", "cleme2", "gotoscorer", "ged"])
def test_signature_names_options_of_the_language_pack(name: str) -> None:
    corpus = made_up.corpus(2)
    usual = {**PLAIN[name], "lang": "de", "model": "plain"}
    found = {
        signature(metric_class(name)(**usual, pack_options=options), corpus)
        for options in (
            None,
            PackOptions(detail=True),
            PackOptions(names="errant"),
            PackOptions(order="similar"),
            PackOptions(map="errant-de"),
        )
    }
    assert len(found) == 5


def test_signature_names_the_model() -> None:
    corpus = made_up.corpus(2)
    found = parts(signature(metric_class("errant")(), corpus))
    assert found["lang"] == "en"
    assert found["model"].startswith("en_core_web_sm")
    assert found["spacy"][0].isdigit()
    assert found["types"].startswith("errant-")


def test_signature_has_all_digits() -> None:
    corpus = made_up.corpus(2)
    found = [parts(signature(make("m2", beta=beta), corpus))["beta"] for beta in (0.5, 0.5000001)]
    assert found == ["0.5", "0.5000001"]


# The data.

Change = Callable[[Corpus], Corpus]


def at(corpus: Corpus, number: int, sent: Sentence) -> Corpus:
    sentences = list(corpus.sentences)
    sentences[number] = sent
    return replace(corpus, sentences=tuple(sentences))


def with_edit(corpus: Corpus, change: Callable[[Edit], Edit]) -> Corpus:
    """Change the first edit of the last annotator who made one."""
    for number, sent in enumerate(corpus):
        for place, ann in reversed(list(enumerate(sent.annotations))):
            if ann.edits:
                edits = (change(ann.edits[0]), *ann.edits[1:])
                readings = list(sent.annotations)
                readings[place] = replace(ann, edits=edits)
                return at(corpus, number, replace(sent, annotations=tuple(readings)))
    raise AssertionError("no edits")


def another_token(corpus: Corpus) -> Corpus:
    sent = corpus.sentences[1]
    return at(corpus, 1, replace(sent, tokens=("another", *sent.tokens[1:])))


def without_an_annotator(corpus: Corpus) -> Corpus:
    return corpus.keep_annotators(corpus.annotators[:-1])


def without_a_reading(corpus: Corpus) -> Corpus:
    number = next(n for n, sent in enumerate(corpus) if len(sent.annotations) > 1)
    sent = corpus.sentences[number]
    return at(corpus, number, replace(sent, annotations=sent.annotations[1:]))


OF_SOURCES: dict[str, Change] = {
    "another token": another_token,
    "another order": lambda corpus: replace(corpus, sentences=corpus.sentences[::-1]),
    "one less": lambda corpus: replace(corpus, sentences=corpus.sentences[1:]),
    "one twice": lambda corpus: replace(corpus, sentences=corpus.sentences[:1] + corpus.sentences),
}
OF_REFERENCES: dict[str, Change] = {
    "another correction": lambda corpus: with_edit(
        corpus, lambda edit: replace(edit, corrections=(("other", "words"),))
    ),
    "no annotator": without_an_annotator,
    "no reading": without_a_reading,
}
CHANGES: dict[str, Change] = {
    **OF_SOURCES,
    **OF_REFERENCES,
    "another alternative": lambda corpus: with_edit(
        corpus, lambda edit: replace(edit, corrections=(*edit.corrections, ("more",)))
    ),
    "another type": lambda corpus: with_edit(corpus, lambda edit: replace(edit, type="R:NEW")),
    "a flag": lambda corpus: with_edit(corpus, lambda edit: replace(edit, type="UNK")),
    "optional": lambda corpus: with_edit(corpus, lambda edit: replace(edit, required=False)),
    "a longer span": lambda corpus: with_edit(corpus, lambda edit: replace(edit, start=0)),
}


AS_LONG = [name for name in CHANGES if name not in ("one less", "one twice")]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return made_up.corpus(12, annotators=("0", "1"), absent=0.15, seed=5)


@pytest.mark.parametrize(
    ("name", "change"),
    [*product(METRICS, OF_SOURCES), *product(WITH_REFERENCES, OF_REFERENCES)],
)
def test_signature_changes_with_the_data(name: str, change: str, corpus: Corpus) -> None:
    metric = make(name)
    is_same = name in ONE_REFERENCE and change == "no annotator"
    assert (signature(metric, CHANGES[change](corpus)) == signature(metric, corpus)) == is_same


@pytest.mark.parametrize(("name", "change"), list(product(METRICS, AS_LONG)))
def test_signature_equal_means_scores_equal(name: str, change: str, corpus: Corpus) -> None:
    """Whenever some output has another score or other parts, the signature is another one."""
    other = CHANGES[change](corpus)
    metric = make(name)
    rng = random.Random(1)
    outputs = [
        *(output for target in (corpus, other) for output in references_of(target)),
        *(shuffled(corpus, rng) for _ in range(5)),
    ]
    for output in outputs:
        hypothesis = Hypothesis("any", tuple(output))
        before, after = metric.score(corpus, hypothesis), metric.score(other, hypothesis)
        if (before.value, before.parts) != (after.value, after.parts):
            assert before.signature != after.signature


def references_of(corpus: Corpus) -> Iterator[list[tuple[str, ...]]]:
    yield list(corpus.sources)
    for texts in corpus.references(missing="noop").values():
        yield [text or () for text in texts]


def shuffled(corpus: Corpus, rng: random.Random) -> list[tuple[str, ...]]:
    return [tuple(rng.sample(tokens, len(tokens))) for tokens in corpus.sources]


@pytest.mark.parametrize("name", METRICS)
def test_signature_is_that_of_the_content(name: str, corpus: Corpus, tmp_path: Path) -> None:
    """Neither names nor the form of the file count, nor what system is scored."""
    expected = signature(make(name), corpus)
    renamed = replace(
        corpus,
        name="elsewhere",
        sentences=tuple(
            replace(
                sent,
                id="x",
                annotations=tuple(
                    replace(ann, annotator=f"person {ann.annotator}") for ann in sent.annotations
                ),
            )
            for sent in corpus
        ),
    )
    assert signature(make(name), renamed) == expected
    assert signature(make(name), corpus, Hypothesis("other", corpus.sources[::-1])) == expected
    for file in ("some.m2", "other.jsonl"):
        write_sentences(corpus, tmp_path / file)
        again = load(tmp_path / file, findings=Findings())
        assert signature(make(name), again) == expected


@pytest.mark.parametrize("name", [*TEXTS, "cleme", "cleme2", "ld-source"])
def test_signature_of_texts_does_not_depend_on_edits(name: str, tmp_path: Path) -> None:
    corpus = made_up.corpus(8)
    write_sentences(corpus, tmp_path / "gold.m2")
    paths = [tmp_path / "src.txt"]
    paths[0].write_text(lines(corpus.sources), encoding="utf-8")
    for annotator, texts in corpus.references().items():
        paths.append(tmp_path / f"ref{annotator}.txt")
        paths[-1].write_text(lines([text or () for text in texts]), encoding="utf-8")
    edits, texts_ = load(tmp_path / "gold.m2"), load(*paths, format="parallel")
    assert edits.sentences != texts_.sentences
    assert signature(make(name), edits) == signature(make(name), texts_)


def lines(texts: Any) -> str:
    return "".join(" ".join(tokens) + "\n" for tokens in texts)


@pytest.mark.parametrize("name", METRICS)
def test_signature_of_some_sentences_is_that_of_a_corpus_of_them(name: str, corpus: Corpus) -> None:
    metric = make(name)
    statistics = metric.statistics(corpus, Hypothesis("source", corpus.sources))
    rows = np.array([3, 1, 1, 7])
    some = replace(corpus, sentences=tuple(corpus.sentences[row] for row in rows))
    alone = metric.statistics(some, Hypothesis("source", some.sources))
    taken = statistics.take(rows)
    data = ("sents", "refs", "data")
    expected = parts(metric.signature(alone))
    assert [parts(metric.signature(taken))[key] for key in data] == [expected[key] for key in data]
    both = taken.followed_by(taken)
    assert len(both.provenance) == 8
    assert metric.signature(both) != metric.signature(taken)


def reading(*edits: Edit) -> Annotation:
    return Annotation("0", edits)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Sentence(("a\u00a0b",)), Sentence(("a", "b"))),
        (Sentence(('a","b',)), Sentence(("a", "b"))),
        (Sentence(("a",)), Sentence(("a",), (reading(),))),
        (Sentence(("a",), (reading(),)), Sentence(("a",), (reading(), Annotation("1")))),
        (
            Sentence(("a",), (reading(Edit(0, 1, ((),))),)),
            Sentence(("a",), (reading(Edit(0, 1, ())),)),
        ),
        (
            Sentence(("a",), (reading(Edit(0, 1, (("b", "c"),))),)),
            Sentence(("a",), (reading(Edit(0, 1, (("b",), ("c",)))),)),
        ),
        (Sentence(("\u00e9",)), Sentence(("e\u0301",))),
        (Sentence(("\ud800",)), Sentence(("\ud801",))),
    ],
)
def test_provenance_keeps_fields_apart(one: Sentence, other: Sentence) -> None:
    first, second = (Provenance.of_edits(Corpus((sent,))) for sent in (one, other))
    assert first.digest != second.digest


def test_provenance_keeps_sentences_apart() -> None:
    together, apart = (
        Provenance.of_sources(Corpus(tuple(map(Sentence, tokens))))
        for tokens in ((("a", "b"), ()), (("a",), ("b",)))
    )
    assert together.digest != apart.digest
    assert Provenance.of_sources(Corpus(())).refs == "0"


def test_provenance_does_not_change_from_version_to_version() -> None:
    """Signatures stand in papers."""
    edits = (Edit(0, 1, (("Das", "\U0001f642"), ()), "R:X"), Edit(2, 2, (("\u2028",),)))
    corpus = Corpus((Sentence(("Dass", "ist"), (reading(*edits), Annotation("1"))), Sentence(())))
    assert Provenance.of_sources(corpus).digest == "a17cb50662"
    assert Provenance.of_texts(corpus).digest == "b4c5f6e9f7"
    assert Provenance.of_edits(corpus).digest == "e3e42eb613"
    assert Provenance.of_edits(corpus, types=True).digest == "91d6464cd0"
    assert Provenance.of_edits(corpus).refs == "0-2"


@pytest.mark.parametrize("name", sorted(set(WITH_REFERENCES) - ONE_REFERENCE))
def test_signature_counts_the_references_that_are_used(name: str) -> None:
    for annotators, expected in (("0", "1"), ("01", "2"), ("0123456789", "10")):
        gold = made_up.corpus(4, annotators=tuple(annotators))
        assert parts(signature(make(name), gold))["refs"] == expected
    some = made_up.corpus(30, annotators=("0", "1"), absent=0.3)
    low = min(len(sent.annotations) for sent in some)
    assert parts(signature(make(name), some))["refs"] == f"{low}-2"


@pytest.mark.parametrize("name", sorted(set(METRICS) - set(WITH_REFERENCES)))
def test_signature_counts_no_references_where_none_are_used(name: str, corpus: Corpus) -> None:
    assert parts(signature(make(name), corpus))["refs"] == "0"


def test_statistics_must_say_what_they_were_made_from(corpus: Corpus) -> None:
    counts = np.zeros((2, 1, 1), dtype=np.int64)
    mask = np.ones((2, 1), dtype=bool)
    with pytest.raises(TypeError, match="provenance"):
        Statistics(counts, mask, ("a",), ("0",))  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="2 sentences do not fit hashes of 12"):
        Statistics(counts, mask, ("a",), ("0",), Provenance.of_sources(corpus))


def test_signature_of_what_other_processes_counted(corpus: Corpus) -> None:
    """Each of them has some of the sentences; together they are in order again."""
    metric = make("grammar")
    entry = Entry(corpus, Hypothesis("source", corpus.sources))
    with Background([(metric, [entry]), (make("m2"), [entry])], jobs=2) as background:
        assert metric in background
        (statistics,) = background.take(metric)
    assert metric.signature(statistics) == metric.score(entry.corpus, entry.hypothesis).signature
