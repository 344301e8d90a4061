"""Chinese on the command line: what people give, and what they see."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from geceval.metrics.errant import edit_extractor

GOLD = "1\t我在去学校\t我再去学校\t没有错误\n2\t他学习汉语很好\t无法标注\t他汉语学得很好\n"
RAW = "我再去学校\n他学习汉语很好\n"
TABLE = "1\t我在去学校\t我再去学校\n2\t他学习汉语很好\t没有错误\n"
SEGMENTED = "我 在 去 学校\n他 学习 汉语 很 好\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    contents = {
        "gold.tsv": GOLD,
        "raw.txt": RAW,
        "pred.tsv": TABLE,
        "source.txt": "我在去学校\n他学习汉语很好\n",
        "segmented.txt": SEGMENTED,
        "words.txt": "我 再 去 学校\n他 学习 汉语 很 好\n",
        "english.txt": "I likes it .\nHe go home .\n",
    }
    for name, text in contents.items():
        Path(name).write_text(text, encoding="utf-8")


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    return result


def scored(*arguments: str) -> dict[str, object]:
    result = run("score", *arguments, "--resamples", "0", "--json")
    (record,) = json.loads(result.stdout)["results"]
    return {"metric": record["metric"], "signature": record["signature"], **record["parts"]}


def test_errant_is_the_default_of_chinese() -> None:
    found = scored("--lang", "zh", "--gold", "gold.tsv", "raw.txt")
    assert (found["metric"], found["tp"], found["fp"]) == ("errant", 1, 0)
    assert "lang:zh" in str(found["signature"])
    assert "thesaurus:none" in str(found["signature"])


def test_reports_have_all_metrics_of_chinese() -> None:
    """Text that is split into characters is not called unsegmented."""
    systems = ["a=raw.txt", "b=source.txt"]
    run("report", "--lang", "zh", "--gold", "gold.tsv", *systems, "--resamples", "0")
    found = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert list(found["scores"])[:2] == ["errant", "m2"]
    assert {"cleme", "gleu", "ged", "pt-errant", "gotoscorer"} < found["scores"].keys()
    codes = {one["code"] for one in found["warnings"]}
    assert "unsegmented" not in codes
    assert not any(code.endswith("-skipped") for code in codes)


def test_outputs_may_be_text_tables_or_edits() -> None:
    run("annotate", "--lang", "zh", "pred.tsv", "-o", "pred.m2")
    run("annotate", "--lang", "zh", "gold.tsv", "-o", "gold.m2")
    parts = ("tp", "fp", "fn")
    ways = [
        scored("--lang", "zh", "--gold", gold, f"x={output}")
        for gold, output in (
            ("gold.tsv", "raw.txt"),
            ("gold.tsv", "pred.m2"),
            ("gold.m2", "pred.tsv"),
            ("gold.m2", "pred.m2"),
        )
    ]
    assert {tuple(way[part] for part in parts) for way in ways} == {(1, 0, 1)}


def test_references_may_be_text() -> None:
    found = scored("--lang", "zh", "--src", "source.txt", "--ref", "raw.txt", "x=segmented.txt")
    assert (found["tp"], found["fp"], found["fn"]) == (0, 0, 1)


def test_other_metrics_compare_characters() -> None:
    found = scored("-m", "gleu", "--lang", "zh", "--gold", "gold.tsv", "raw.txt")
    assert "tokens:characters" in str(found["signature"])


def test_annotate_writes_the_dialect() -> None:
    result = run("annotate", "--lang", "zh", "gold.tsv")
    assert result.stdout == (
        "S 我 在 去 学 校\n"
        "T0-A0 我 再 去 学 校\n"
        "A 1 2|||S|||再|||REQUIRED|||-NONE-|||0\n"
        "T1 没有错误\n"
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n\n"
        "S 他 学 习 汉 语 很 好\n"
        "T0 无法标注\n"
        "A -1 -1|||NA|||-NONE-|||REQUIRED|||-NONE-|||0\n"
        "T1-A0 他 汉 语 学 得 很 好\n"
        "A 1 5|||W|||汉 语 学 得|||REQUIRED|||-NONE-|||1\n\n"
    )
    plain = run("annotate", "--lang", "zh", "gold.tsv", "--to", "m2").stdout
    assert "T0" not in plain


def test_explain_names_operations() -> None:
    shown = run("explain", "--lang", "zh", "我很要在去", "我要再去").stdout
    assert "R: something was redundant." in shown
    assert "“在” and “再” are both read zai" in shown
    record = json.loads(run("explain", "--lang", "zh", "我在去", "我再去", "--json").stdout)
    assert record["alignment"][1]["parts"].keys() == {"semantics", "characters", "word_class"}


def test_types_have_a_legend() -> None:
    shown = run("score", "--lang", "zh", "--gold", "gold.tsv", "raw.txt", "--per-type").stdout
    assert "R redundant" in shown
    assert "character level" in shown


def test_words_have_to_be_segmented() -> None:
    found = scored(
        "--lang", "zh", "--level", "word", "--src", "segmented.txt", "--ref", "words.txt",
        "x=words.txt",
    )  # fmt: skip
    assert (found["tp"], found["fp"], found["fn"]) == (1, 0, 0)
    result = run(
        "score", "--lang", "zh", "--level", "word", "--gold", "gold.tsv", "raw.txt", code=1
    )
    assert "gold.tsv is not segmented into words, which --level word needs" in result.stderr
    result = run(
        "annotate", "--lang", "zh", "--level", "word", "--src", "source.txt", "--cor", "raw.txt",
        code=1,
    )  # fmt: skip
    assert "source.txt is not segmented into words" in result.stderr


def test_other_segmentation_is_reported() -> None:
    lines = Path("raw.txt").read_text(encoding="utf-8").splitlines()
    Path("characters.txt").write_text("".join(f"{' '.join(line)}\n" for line in lines), "utf-8")
    texts = ("--level", "word", "--src", "segmented.txt", "--ref", "words.txt")
    result = run("score", "--lang", "zh", *texts, "x=characters.txt")
    assert "segment both with the same program" in result.stderr
    result = run("score", "--lang", "zh", *texts, "x=raw.txt", code=1)
    assert "not segmented into words" in result.stderr


def test_text_that_is_not_chinese_is_reported() -> None:
    files = ("--src", "english.txt", "--ref", "english.txt", "x=raw.txt")
    result = run("score", "--lang", "zh", *files)
    assert "0 % of the letters are Chinese" in result.stderr
    result = run("annotate", "--lang", "zh", "--src", "english.txt", "--cor", "english.txt")
    assert "give the language of the text with --lang" in result.stderr


def test_predictions_of_other_sources_are_refused() -> None:
    Path("other.tsv").write_text("1\t我在去学校\t我再去学校\n2\t她好\t她好\n", encoding="utf-8")
    result = run("score", "--lang", "zh", "--gold", "gold.tsv", "other.tsv", code=1)
    assert "other.tsv, line 2: the source is '她好', but that of gold.tsv is" in result.stderr
    Path("moved.tsv").write_text(TABLE.replace("2\t", "3\t"), encoding="utf-8")
    result = run("score", "--lang", "zh", "--gold", "gold.tsv", "moved.tsv", code=1)
    assert "moved.tsv, line 2: this is sentence 3, but sentence 2 of gold.tsv is 2" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "-m", "errant", "--level", "word", "--gold", "gold.tsv", "raw.txt"),
        ("score", "-m", "m2", "--no-simplify", "--gold", "gold.tsv", "raw.txt"),
        ("score", "-m", "errant", "--compat", "cherrant", "--gold", "gold.tsv", "raw.txt"),
        ("score", "-m", "errant", "--alignments", "first", "--gold", "gold.tsv", "raw.txt"),
        ("annotate", "--resources", "data", "--src", "source.txt", "--cor", "raw.txt"),
    ],
)
def test_options_of_chinese_need_the_language(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code in (1, 2)
    assert "zh" in result.stderr


def test_word_edits_are_replaced_by_those_of_characters() -> None:
    run(
        "annotate", "--lang", "zh", "--level", "word", "--src", "segmented.txt", "--cor",
        "words.txt", "-o", "words.m2",
    )  # fmt: skip
    assert Path("words.m2").read_text("utf-8").startswith("S 我 在 去 学校\nT0-A0 我 再 去 学校\n")
    result = run("score", "--lang", "zh", "--gold", "words.m2", "raw.txt")
    assert "its edits were replaced by those of characters" in result.stderr


def test_messages_name_what_is_missing() -> None:
    # Annotators are shared within a process.
    edit_extractor._shared_annotator.cache_clear()
    result = run("score", "--lang", "zh", "--gold", "gold.tsv", "raw.txt")
    assert result.stderr.count("without the thesaurus and the list of confusions") == 1
    run("annotate", "--lang", "zh", "gold.tsv", "-o", "gold.m2")
    run("annotate", "--lang", "zh", "pred.tsv", "-o", "pred.m2")
    result = run("score", "--lang", "zh", "--gold", "gold.m2", "x=pred.m2")
    assert "thesaurus" not in result.stderr
