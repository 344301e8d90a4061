"""Cheap checks of what is scored, and tokens for raw text."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.errors import GecevalError, MismatchError
from geceval.formats import Findings, load, load_hypothesis
from geceval.formats.retokenize import tokenize_corpus, tokenize_hypothesis, tokenize_like
from geceval.grammar.detokenize import detokenize
from geceval.metrics import metric_class
from geceval.metrics.base import check_lengths
from geceval.model import Corpus, Hypothesis
from geceval.validation.check import fix_file, validate_files
from geceval.validation.misalignment import misalignment_hint
from geceval.validation.pairs import Issue
from geceval.validation.system_output import (
    OutputValidator,
    check_hypothesis,
    check_sources,
    is_tokenized,
)

SUBJECTS = ("My brother", "The old teacher", "Everyone here", "A friend of Anna 's", "Nobody")
VERBS = ("does n't like", "has never seen", "will soon visit", "was n't told about", "remembers")
OBJECTS = ("the café in Oslo", "well-known places", '" Hamlet "', "his ( new ) bike", "Mr. Li")
ENDS = ("today", "with joy , they say", "in the end", "at all , I think", "every single week")


def make_text(n_sentences: int = 60) -> list[str]:
    """Sentences of many words, with all kinds of marks."""
    rng = random.Random(7)
    parts = (SUBJECTS, VERBS, OBJECTS, ENDS)
    return [
        f"{' '.join(rng.choice(part) for part in parts)} {number} ."
        for number in range(n_sentences)
    ]


TEXT = make_text()


def corrected(lines: list[str]) -> list[str]:
    """What a system makes of the text: some of the sentences are changed."""
    return [line.replace(" in ", " at ").replace("never seen", "not seen") for line in lines]


def split(lines: list[str]) -> list[tuple[str, ...]]:
    return [tuple(line.split()) for line in lines]


def issues(lines: list[str], sources: list[str] | None = None) -> list[Issue]:
    return OutputValidator(split(TEXT if sources is None else sources)).issues(split(lines))


def warned(lines: list[str], sources: list[str] | None = None) -> list[str]:
    return [issue.code for issue in issues(lines, sources) if issue.severity != "note"]


@pytest.mark.parametrize("lines", [TEXT, corrected(TEXT)])
def test_validator_valid_text_has_no_issues(lines: list[str]) -> None:
    assert issues(lines) == []


@pytest.mark.parametrize(
    ("code", "spoil"),
    [
        ("detokenized", lambda lines: [detokenize(line.split()) for line in lines]),
        ("tokenization", lambda lines: [line.replace(" n't", "n't") for line in lines]),
        ("tokenization", lambda lines: [line.replace("-", " - ") for line in lines]),
        ("tokenization", lambda lines: [line.replace('"', "``") for line in lines]),
        ("tokenization", lambda lines: [line.replace("(", "-LRB-") for line in lines]),
        ("misaligned", lambda lines: [*lines[1:], lines[0]]),
        ("misaligned", lambda lines: [*lines[:30], *lines[31:], ""]),
        ("unrelated", lambda lines: ["ein ganz anderer Satz für uns alle !" for _ in lines]),
        ("casing", lambda lines: [line.lower() for line in lines]),
        ("casing", lambda lines: [line.upper() for line in lines]),
        ("casing", lambda lines: [line[0].lower() + line[1:] for line in lines]),
        ("empty-output", lambda lines: [*lines[:10], *[""] * 10, *lines[20:]]),
        ("unicode-form", lambda lines: [unicodedata.normalize("NFD", line) for line in lines]),
        ("quotes", lambda lines: [line.replace("'", "’").replace('"', "”") for line in lines]),
        ("unspaced", lambda lines: [line.replace(" ", "") for line in lines]),
        ("label-file", lambda lines: [f"{line.split()[0]} c" for line in lines]),
        ("json", lambda lines: [f'{{"text": "{line}"}}' for line in lines]),
        ("table", lambda lines: [f"{old} {new}" for old, new in zip(TEXT, lines, strict=True)]),
        ("table", lambda lines: [f"{number} {line}" for number, line in enumerate(lines)]),
        ("script", lambda lines: ["Это совсем другой текст , да ?" for _ in lines]),
        ("entities", lambda lines: [line.replace("'", "&apos;") for line in lines]),
        ("subwords", lambda lines: [line.replace("th", "t@@ h") for line in lines]),
        ("subwords", lambda lines: [f"▁{line.replace(' ', ' ▁')}" for line in lines]),
        ("subwords", lambda lines: [line.replace("ay", " ##ay") for line in lines]),
        ("special-tokens", lambda lines: [f"{line} </s>" for line in lines]),
        ("special-tokens", lambda lines: [line.replace("Oslo", "<unk>") for line in lines]),
        ("prompt", lambda lines: [f"Corrected: {line}" for line in lines]),
        ("prompt", lambda lines: [f"Result = {line}" for line in lines]),
        ("long-sentence", lambda lines: [" ".join(["very"] * 1001), *lines[1:]]),
    ],
)
def test_validator_finds(code: str, spoil: Callable[[list[str]], list[str]]) -> None:
    assert code in warned(spoil(TEXT))
    assert code in warned(spoil(corrected(TEXT)))


STORY = [
    "The sun was high above the hill .",
    "Nobody knew where Anna had gone .",
    "We looked for her until evening .",
    "At last a neighbor brought news .",
]


def test_validator_two_swapped_neighbors_are_found_and_named() -> None:
    sources = TEXT[:30] + STORY + TEXT[30:]
    lines = [line.replace("the", "a") for line in sources]
    lines[31], lines[32] = lines[32], lines[31]
    [misaligned] = issues(lines, sources)
    assert (misaligned.code, misaligned.lines) == ("misaligned", (32, 33))
    assert misaligned.message.startswith("2 of 64 sentences match a neighboring source line")


def test_validator_rare_things_are_notes() -> None:
    lines = make_text(300)
    one = [lines[0].replace(" .", "."), *lines[1:]]
    two = ["", *lines[1:]]
    for spoiled, code in ((one, "tokenization"), (two, "empty-output")):
        [issue] = issues(spoiled, lines)
        assert (issue.code, issue.severity, issue.lines) == (code, "note", (1,))


def test_validator_the_other_way_round() -> None:
    raw = [detokenize(line.split()) for line in TEXT]
    found = issues(TEXT, raw)
    assert {issue.code for issue in found} == {"tokenization"}
    assert "punctuation is tokenized, but not in the source" in found[0].message


def test_validator_of_sources() -> None:
    findings = Findings()
    unspaced = split(["他是一个学生。", "我喜欢它。", "好 。"])
    check_sources([*split(TEXT), ("a",) * 1001], findings, path="src.txt", is_text=True)
    assert [(finding.code, finding.line) for finding in findings] == [("long-sentence", 61)]
    check_sources(unspaced, findings, path="src.txt", is_text=True)
    assert [finding.code for finding in findings][1:] == ["unsegmented"]
    assert "2 of 3 sentences are not segmented" in str([*findings][1])
    labels = Findings()
    check_sources(split(["a c", "b i", "c c"] * 5), labels, path="x")
    assert [finding.code for finding in labels] == ["label-file"]


def test_validator_notes_one_finding_of_each_kind() -> None:
    corpus = Corpus.from_texts(TEXT, TEXT)
    lines = [line.replace("-", " - ").replace(" ,", ",") for line in TEXT]
    findings = Findings()
    check_hypothesis(corpus, Hypothesis.from_texts(lines, name="ours"), findings)
    assert [(finding.code, finding.path) for finding in findings] == [("tokenization", "ours")]


def test_validator_a_mismatch_says_where() -> None:
    corpus = Corpus.from_texts(TEXT[:10] + STORY, TEXT[:10] + STORY, name="gold")
    short = Hypothesis.from_texts([*TEXT[:10], STORY[0], *STORY[2:]], name="short")
    with pytest.raises(MismatchError) as caught:
        check_lengths(corpus, short)
    assert str(caught.value) == (
        "gold has 14 sentences but short has 13; misaligned from sentence 12 on"
    )
    assert "blank lines at the end" in misalignment_hint(split(STORY), split([*STORY, ""]))
    assert "compare their ends" in misalignment_hint(split(STORY), split(STORY[:-1]))


# Tokens for raw text ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "text", "tokens"),
    [
        ("I do n't know .", "I don't know.", "I do n't know ."),
        ("I do n't knows .", "I don't know it.", "I do n't know it ."),
        ("We can not go .", "We cannot goes.", "We can not goes ."),
        ("any one came", "anyone came.", "anyone came ."),
        ("anyone came", "any one came", "any one came"),
        ("the e.g. U.S .", "the e.g. U.S.", "the e.g. U.S ."),
        ("his/her book", "his/her books", "his/her books"),
        ("his / her book", "his/her books", "his / her books"),
        ("its good .", "it's good.", "it 's good ."),
        ("A state-of-the-art thing", "A (state-of-the-art) thing", "A ( state-of-the-art ) thing"),
        ("", "Hello, you.", "Hello , you ."),
        ("Hello", "", ""),
    ],
)
def test_retokenize_follows_the_source(source: str, text: str, tokens: str) -> None:
    assert tokenize_like(tuple(source.split()), text) == tuple(tokens.split())


@given(st.text(), st.lists(st.text("ab.,'’nt-", min_size=1, max_size=4), max_size=6))
def test_retokenize_changes_no_character_and_keeps_spaces(text: str, source: list[str]) -> None:
    for raw in (text, "".join(source), " ".join(source)):
        found = tokenize_like(tuple(source), raw)
        parts = raw.split()
        assert "".join(found) == "".join(parts)
        assert all(found)
        ends = {len("".join(parts[:number])) for number in range(len(parts))}
        assert ends <= {len("".join(found[:number])) for number in range(len(found) + 1)}


@given(st.lists(st.text("abc.,'nt-(", min_size=1, max_size=4), min_size=1, max_size=6))
def test_retokenize_leaves_what_is_like_the_source(source: list[str]) -> None:
    corpus = Corpus.from_texts([" ".join(source)])
    same = Hypothesis("same", (tuple(source),))
    assert tokenize_hypothesis(corpus, same) == same


def test_retokenize_raw_parallel_text() -> None:
    corpus = tokenize_corpus(Corpus.from_texts(["I likes it."], ["I like it, too."]))
    assert corpus == Corpus.from_texts(["I likes it ."], ["I like it , too ."])
    assert is_tokenized(split(TEXT))
    assert not is_tokenized(split([detokenize(line.split()) for line in TEXT]))


# Mending ---------------------------------------------------------------------------------------


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_repair_tokenizes_all_of_a_raw_text(tmp_path: Path) -> None:
    gold = write(tmp_path / "src.txt", TEXT)
    lines = corrected(TEXT)
    raw = write(tmp_path / "raw.txt", [detokenize(line.split()) for line in lines])
    assert not validate_files([gold, raw]).is_valid
    mended = fix_file(raw, against=gold)
    assert [sent.tokens for sent in mended.sentences] == split(lines)
    assert mended.changes == ["60 lines: tokenized like the source"]
    clean = write(tmp_path / "clean.txt", [" ".join(sent.tokens) for sent in mended.sentences])
    assert list(validate_files([gold, clean]).findings) == []


def test_repair_refuses_what_it_would_mend_by_half(tmp_path: Path) -> None:
    gold = write(tmp_path / "src.txt", TEXT)
    apart = [f"Oh {line.replace('-', ' - ')}" for line in TEXT]
    text = write(tmp_path / "text.txt", apart)
    with pytest.raises(
        GecevalError, match="cannot be fixed; tokenize it like the source: hyphenated words"
    ):
        fix_file(text, against=gold)


# Published data --------------------------------------------------------------------------------


def found_in(sources: list[tuple[str, ...]], paths: list[Path]) -> dict[str, list[str]]:
    validator = OutputValidator(sources)
    result = {}
    for path in paths:
        output = load_hypothesis(path, findings=Findings()).sentences
        codes = {issue.code for issue in validator.issues(output) if issue.severity != "note"}
        if codes:
            result[path.name] = sorted(codes)
    return result


def test_validator_of_published_systems(shared_data: Path) -> None:
    """Each of these was looked at: NTHU has swapped lines, RAC splits hyphens and slashes."""
    folder = shared_data / "conll14"
    gold = load(folder / "gold" / "official-2014.combined.m2", findings=Findings())
    sources = list(gold.sources)
    assert found_in(sources, sorted((folder / "systems").glob("*.txt"))) == {
        "NTHU.txt": ["misaligned"],
        "RAC.txt": ["tokenization"],
    }
    assert found_in(sources, sorted((folder / "gold").glob("*.txt"))) == {}


def test_validator_of_published_outputs(shared_data: Path) -> None:
    """These write slashes, hyphens or quotation marks apart where the source does not."""
    folder = shared_data / "seeda" / "outputs"
    sources = list(load_hypothesis(folder / "INPUT.txt", findings=Findings()).sentences)
    found = found_in(sources, sorted(folder.glob("*.txt")))
    assert sorted(found) == ["LM-Critic.txt", "T5.txt", "TemplateGEC.txt", "TransGEC.txt"]
    assert all(codes == ["tokenization"] for codes in found.values())
    jfleg = shared_data / "jfleg"
    sources = list(load_hypothesis(jfleg / "dev.src", findings=Findings()).sentences)
    assert found_in(sources, sorted(jfleg.glob("dev.ref*"))) == {}


def test_validator_raw_output_comes_back_to_its_score(shared_data: Path) -> None:
    folder = shared_data / "conll14"
    gold = load(folder / "gold" / "official-2014.combined.m2", findings=Findings())
    output = load_hypothesis(folder / "systems" / "AMU.txt", findings=Findings())
    raw = Hypothesis.from_texts([detokenize(tokens) for tokens in output], name="AMU")
    metric = metric_class("m2")()
    again = tokenize_hypothesis(gold, raw)
    scores = [metric.score(gold, one).value for one in (output, raw, again)]
    assert [round(score, 4) for score in scores] == [0.3501, 0.1596, 0.3487]
