"""The annotator of Chinese: characters, words, several alignments, and the original's files."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import pytest

import geceval
from chinese_examples import write_resources
from geceval.errors import GecevalError, GecevalWarning
from geceval.extraction.annotator import Annotator
from geceval.extraction.corpus import annotate_rows, retype, standardize
from geceval.extraction.files import ExtractionSettings, annotate_files
from geceval.extraction.lang import PackOptions
from geceval.extraction.lang.zh.chinese import ChineseAnnotator
from geceval.formats import Findings, get_format, load
from geceval.model import Annotation, Corpus, Edit, Sentence

WORDS = PackOptions(level="word")


def found(source: str, corrected: str, **options: object) -> list[tuple[int, int, str, str]]:
    annotator = Annotator("zh", options=PackOptions(**options))  # type: ignore[arg-type]
    edits = annotator.annotate(source, corrected)
    return [(edit.start, edit.end, " ".join(edit.correction), edit.type) for edit in edits]


@pytest.mark.parametrize(
    ("source", "corrected", "edits"),
    [
        ("我在去学校", "我再去学校", [(1, 2, "再", "S")]),
        ("我喜欢学习汉语", "我喜欢学汉语", [(4, 5, "", "R")]),
        ("我去学校", "我要去学校", [(1, 1, "要", "M")]),
        ("我死爱你", "我爱死你", [(1, 3, "爱 死", "W")]),
        ("他昨天来了北京", "昨天他来了北京", [(0, 3, "昨 天 他", "W")]),
        ("", "", []),
        ("", "好", [(0, 0, "好", "M")]),
        ("好", "", [(0, 1, "", "R")]),
        ("我 在\u3000去", "我\u00a0再去", [(1, 2, "再", "S")]),
        ("他學漢語", "他學漢語", [(1, 4, "学 汉 语", "S")]),
        ("我有A", "我有a", [(2, 3, "a", "S")]),
        ("我在[缺失成分]去", "我在家去", [(2, 3, "家", "S")]),
        ("好👍🏽", "好👍", [(2, 3, "", "R")]),
        ("cafe\u0301", "caf\u00e9", [(3, 5, "\u00e9", "S")]),
    ],
)
def test_characters(source: str, corrected: str, edits: list[tuple[int, int, str, str]]) -> None:
    assert found(source, corrected) == edits


def test_traditional_characters_may_stay() -> None:
    assert found("他學漢語", "他學漢語", simplify=False) == []


def test_long_sentences_are_annotated() -> None:
    source = "我们学习汉语。" * 300
    assert found(source, source[:1000] + "很" + source[1001:]) == [(1000, 1001, "很", "S")]


def test_words_are_those_between_spaces() -> None:
    edits = found("我 没有 建康 的 身体", "我 没有 健康 的 身体 了", level="word")
    assert [edit[:3] for edit in edits] == [(2, 3, "健康"), (5, 5, "了")]
    assert edits[0][3] == "S:SPELL"


def test_words_with_a_missing_part_have_a_class_of_their_own() -> None:
    edits = found("我 在", "我 在 [缺失成分]", level="word")
    assert edits == [(2, 2, "[缺失成分]", "M:MC")]


def test_alternatives_differ_in_their_edits() -> None:
    annotator = Annotator("zh")
    pair = ("学去学", "很学们")
    (readings,) = annotator.alternatives([pair])
    assert len(set(readings)) == len(readings)
    assert next(annotator.annotate_pairs([pair])) == readings[0]
    first = Annotator("zh", options=PackOptions(alignments="first"))
    assert list(first.alternatives([pair])) == [readings[:1]]


def test_alternatives_are_annotations_of_their_own() -> None:
    annotator = Annotator("zh")
    source, target = "学去学", "很学们"
    (readings,) = annotator.alternatives([(source, target)])
    assert len(readings) > 1
    (sent,) = annotate_rows([(source, target, "没有错误", "无法标注")], annotator)
    names = [ann.annotator for ann in sent.annotations]
    assert names == ["0", *(f"0-A{number}" for number in range(1, len(readings))), "1"]
    assert sent.annotations[-1].edits == ()
    assert sent.not_annotatable == ("2",)
    again = annotator.retokenized(sent)
    assert [ann.annotator for ann in again.annotations] == ["0", "1"]
    assert standardize([again], annotator)[0].annotations == sent.annotations


def test_nothing_is_corrected_where_no_error_was_found(tmp_path: Path) -> None:
    """A text is simplified, even if it repeats the source, but who finds no error changes none."""
    source = "我發現了"
    table = tmp_path / "gold.tsv"
    table.write_text(f"1\t{source}\t没有错误\t{source}\t我发现了\n2\t好\t好\n", "utf-8")
    annotator = Annotator("zh")
    (sent, _) = map(annotator.retokenized, load(table))
    assert [len(ann.edits) > 0 for ann in sent.annotations] == [False, True, True]
    (same,) = annotate_rows([(source, "没有错误", source, "我发现了")], annotator)
    assert standardize([sent], annotator)[0].annotations == same.annotations
    (text,) = Corpus.from_texts([source], [source])
    assert annotator.retokenized(text).annotations[0].edits
    out = io.StringIO()
    get_format("m2-zh").writer([text], [out])
    assert "T0 没有错误\n" in out.getvalue()


def test_too_many_alignments_are_reported() -> None:
    source, target = "人" * 15, "天" * 25
    with pytest.warns(GecevalWarning, match="1 sentence has more than 1,000 cheapest alignments"):
        list(Annotator("zh").alternatives([(source, target)]))


def test_tokens_that_are_not_characters_are_an_error() -> None:
    with pytest.raises(GecevalError, match="the tokens of '我们 去' are not characters"):
        Annotator("zh").annotate(["我们", "去"], ["我们", "来"])


@pytest.mark.parametrize(
    "options",
    [{"align": "levenshtein"}, {"merge": "all-split"}, {"typer": "plain"}, {"model": "x"}],
)
def test_settings_of_other_languages_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(GecevalError, match="Chinese has its own alignment, merging and types"):
        Annotator("zh", **options)  # type: ignore[arg-type]


def test_settings_of_chinese_are_refused_elsewhere() -> None:
    with pytest.raises(GecevalError, match="--level is for the language 'zh', not 'plain'"):
        Annotator("plain", options=WORDS)


def test_annotator_can_be_pickled() -> None:
    annotator = pickle.loads(pickle.dumps(Annotator("zh")))  # noqa: S301
    assert isinstance(annotator, ChineseAnnotator)
    assert [edit.type for edit in annotator.annotate("我在去", "我再去")] == ["S"]


def test_message_says_once_what_is_missing() -> None:
    told: list[str] = []
    annotator = Annotator("zh", notify=told.append)
    assert told == []
    for _ in range(2):
        annotator.annotate("我在去", "我再去")
    (message,) = told
    assert message.startswith("Chinese edits are extracted without the thesaurus and the list of")


def test_signature_names_everything() -> None:
    parts = Annotator("zh").signature.split("|")
    assert parts[:4] == ["lang:zh", "level:characters", "types:chinese", "alignments:all-1000"]
    assert [part.split(":")[0] for part in parts[4:]] == [
        "simplified", "pinyin", "thesaurus", "confusions",
    ]  # fmt: skip
    assert "simplified:no" in Annotator("zh", options=PackOptions(simplify=False)).signature


def test_python_functions() -> None:
    edits = geceval.annotate("我在去学校", "我再去学校", lang="zh")
    assert [edit.type for edit in edits] == ["S"]
    shown = str(geceval.explain("我在去学校", "我再去学校", lang="zh"))
    assert "both read zai" in shown
    score = geceval.score(["我再去学校"], ["我在去学校"], ["我再去学校"], "errant", lang="zh")
    assert (score.parts["tp"], score.value) == (1, 1.0)
    assert "tokens:characters" in score.signature


def test_given_spans_are_typed_again() -> None:
    edit = Edit(1, 3, (("爱", "死"),), "x")
    sent = Sentence(tuple("我死爱你"), (Annotation("0", (edit,)),))
    (typed,) = retype([sent], Annotator("zh"))
    assert [one.type for one in typed.annotations[0].edits] == ["W"]


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (["mucgec-dev-1.tsv"], "mucgec-dev-1.char.m2"),
        (["example-pred-1.tsv"], "example-pred-1.char.m2"),
        (["demo.input", "demo.hyp"], "demo.hyp.m2.char"),
    ],
)
def test_files_of_the_original(
    inputs: list[str], expected: str, shared_data: Path, tmp_path: Path
) -> None:
    """Every byte is that of ChERRANT."""
    data = shared_data / "lang" / "zh"
    options = PackOptions(resources=str(write_resources(shared_data, tmp_path)))
    out = tmp_path / "out.m2"
    annotate_files(
        [data / name for name in inputs],
        out,
        settings=ExtractionSettings(lang="zh", options=options),
        format="parallel" if len(inputs) > 1 else None,
        findings=Findings(),
    )
    assert out.read_bytes() == (data / expected).read_bytes()


@pytest.mark.parametrize("name", ["nlpcc18-1.char.m2", "demo.ref.m2.char"])
def test_edits_of_the_original_targets(name: str, shared_data: Path, tmp_path: Path) -> None:
    corpus = load(shared_data / "lang" / "zh" / name, findings=Findings())
    folder = str(write_resources(shared_data, tmp_path))
    annotator = Annotator("zh", options=PackOptions(resources=folder, simplify=False))
    again = standardize([annotator.retokenized(sent) for sent in corpus], annotator)
    assert [sent.annotations for sent in again] == [sent.annotations for sent in corpus]


def test_words_of_the_original(shared_data: Path, tmp_path: Path) -> None:
    """Spans of words agree even without their tags; types need the tags."""
    corpus = load(shared_data / "lang" / "zh" / "nlpcc18-1.word.m2", findings=Findings())
    folder = str(write_resources(shared_data, tmp_path))
    annotator = Annotator("zh", options=PackOptions(level="word", resources=folder, simplify=False))
    n_same = n_ours = n_theirs = 0
    for sent in corpus:
        for ann in sent.annotations:
            if "-A" in ann.annotator:
                continue
            target = ann.target or sent.corrected(ann.annotator) or ()
            ours = {(e.start, e.end, e.correction) for e in annotator.annotate(sent.tokens, target)}
            theirs = {(edit.start, edit.end, edit.correction) for edit in ann.edits}
            n_same += len(ours & theirs)
            n_ours += len(ours)
            n_theirs += len(theirs)
    assert 2 * n_same / (n_ours + n_theirs) > 0.98
