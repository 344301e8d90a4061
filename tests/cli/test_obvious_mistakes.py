"""The wrong file, form or language is noticed by every command, with the option that fixes it."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner

from geceval import GecevalError, annotate, explain, score
from geceval.cli import main
from geceval.errors import GecevalWarning

CHINESE = ("我今天早上吃了一个苹果。", "他昨天去学校上课了。", "这个问题非常难回答。")
CORRECTED = ("我今天早上吃了苹果。", "他昨天去学校上课。", "这个问题很难回答。")
GOLD = """\
S He go home .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0

S I likes it .
A 1 2|||R:VERB:SVA|||like|||REQUIRED|||-NONE-|||0

"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("zh.txt", *CHINESE)
    write("zh.cor", *CORRECTED)
    write("gold.m2", *GOLD.splitlines())
    write("ours.txt", "He goes home .", "I like it .")
    return tmp_path


def write(name: str, *lines: str) -> None:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments)
    assert not isinstance(result.exception, AssertionError), result.output
    return result.output


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1, result.output
    assert result.stdout.strip() == ""
    [line] = filter(None, result.stderr.splitlines())
    return line


TEXTS = ("--src", "zh.txt", "--ref", "zh.cor", "x=zh.cor")
SHORT = ("我爱你们", "他也来了。", "我们走吧。")


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "-m", "gleu", *TEXTS),
        ("compare", "-m", "gleu", *TEXTS, "y=zh.txt", "--resamples", "9"),
        ("gate", "-m", "gleu", *TEXTS, "--baseline", "y=zh.txt", "--resamples", "99"),
        ("report", "-m", "gleu", *TEXTS, "-o", "page.html", "--resamples", "0"),
        ("annotate", "--lang", "plain", "--src", "zh.txt", "--cor", "zh.cor"),
        ("annotate", "--lang", "plain", "--tokenize", "--src", "zh.txt", "--cor", "zh.cor"),
        ("explain", "--lang", "plain", CHINESE[0], CORRECTED[0]),
        ("analyze", "--lang", "plain", "zh.txt"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_unsegmented_text_is_refused(arguments: tuple[str, ...]) -> None:
    """It would get a score that is about whole sentences."""
    line = refused(*arguments)
    assert "not segmented into words or characters" in line
    assert "use --lang zh for Chinese" in line


def test_unsegmented_text_is_an_error_of_check() -> None:
    result = CliRunner().invoke(main, ["check", "zh.txt", "zh.cor"])
    assert result.exit_code == 1
    assert "(unsegmented)" in result.output
    assert "--lang zh" in result.output


def test_unsegmented_output_is_refused() -> None:
    write("seg.txt", *(" ".join(line) for line in CHINESE))
    assert refused(
        "score", "-m", "gleu", "--src", "seg.txt", "--ref", "seg.txt", "x=zh.cor"
    ).startswith("Error: zh.cor, line 1: 3 of 3 sentences are not segmented")


def test_unsegmented_text_of_short_sentences_is_refused() -> None:
    write("short.txt", *SHORT)
    assert "--lang zh" in refused(
        "score", "-m", "gleu", "--src", "short.txt", "--ref", "short.txt", "x=zh.cor"
    )


@pytest.mark.parametrize("words", [("苹果", "学校", "老师", "图书馆"), ("apple", "house", "cats")])
def test_single_words_are_scored(words: tuple[str, ...]) -> None:
    write("words.txt", *words)
    files = ("--src", "words.txt", "--ref", "words.txt", "x=words.txt")
    assert "1.0000" in run("score", "-m", "gleu,ter", *files, "--tokenize", "--lang", "ja")
    assert "R:" in run("explain", "--lang", "plain", words[0], f"{words[0]}s")


def test_text_of_other_scripts_without_spaces_is_refused() -> None:
    write("th.txt", "ผมชอบกินข้าวผัดทุกวันตอนเช้า", "เขาไปโรงเรียนด้วยรถไฟฟ้า")
    files = ("--src", "th.txt", "--cor", "th.txt")
    assert "use --tokenize --lang th" in refused("annotate", "--lang", "plain", *files)
    assert "ผ ม ช อ บ กิ น" in run("annotate", "--tokenize", "--lang", "th", *files)


def test_unsegmented_text_is_split_into_characters_on_request() -> None:
    output = run("score", "-m", "gleu", *TEXTS, "--tokenize", "--lang", "zh")
    assert "unsegmented" not in output
    assert "1.0000" in output


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "-m", "errant", "--src", "seg.txt", "--ref", "seg.cor", "x=seg.cor"),
        ("annotate", "--src", "seg.txt", "--cor", "seg.cor"),
        ("metaeval", "maege", "seg.m2", "-m", "m2", "--seeds", "1"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_english_model_does_not_run_on_chinese(arguments: tuple[str, ...]) -> None:
    write("seg.txt", *(" ".join(line) for line in CHINESE))
    write("seg.cor", *(" ".join(line) for line in CORRECTED))
    run("convert", "seg.txt", "seg.cor", "seg.txt", "seg.m2")
    line = refused(*arguments)
    assert "most letters are Chinese or Japanese, but the language is en" in line
    assert "set it with --lang zh (Chinese)" in line
    assert "the language is" not in run(*arguments, "--lang", "plain")


def test_english_model_runs_on_other_scripts_with_a_warning() -> None:
    write("ru.txt", "Он пошёл домой .", "Мы любим читать .")
    assert "warning ru.txt: most letters are Cyrillic, but the language is en" in run(
        "annotate", "--src", "ru.txt", "--cor", "ru.txt"
    )


def test_language_of_metrics_without_one_does_not_matter() -> None:
    write("seg.txt", *(" ".join(line) for line in CHINESE))
    output = run("score", "-m", "gleu", "--src", "seg.txt", "--ref", "seg.txt", "x=seg.txt")
    assert "the language is" not in output


def test_language_is_checked_by_python_functions() -> None:
    sources = [" ".join(line) for line in CHINESE]
    with pytest.raises(GecevalError, match="the language is en: set it with --lang zh"):
        score(sources, sources, sources, "errant", resamples=0)
    with pytest.raises(GecevalError, match="use --lang zh for Chinese by characters"):
        annotate(CHINESE[0], CORRECTED[0])
    with pytest.raises(GecevalError, match="use --lang zh for Chinese by characters"):
        explain(CHINESE[0], CORRECTED[0])


def test_language_is_checked_by_check() -> None:
    assert "most letters are Latin, but the language is ru" in run(
        "check", "gold.m2", "--lang", "ru"
    )
    assert "the language is" not in run("check", "gold.m2", "--lang", "en")


# Wrong files.


def test_predictions_with_number_and_source_are_read_as_output() -> None:
    write("pred.tsv", "1\tHe go home .\tHe goes home .", "2\tI likes it .\tI like it .")
    [record] = json.loads(run("score", "--gold", "gold.m2", "pred.tsv", "--json"))["results"]
    assert record["score"] == 1
    # The same without the extension.
    write("pred.txt", "1\tHe go home .\tHe goes home .", "2\tI likes it .\tI like it .")
    assert "1.0000" in run("score", "--gold", "gold.m2", "x=pred.txt", "--hyp-format", "tsv")


def test_predictions_with_an_empty_output_are_empty() -> None:
    write("pred.tsv", "1\tHe go home .\t", "2\tI likes it .\tI like it .")
    [record] = json.loads(run("score", "--gold", "gold.m2", "pred.tsv", "--json"))["results"]
    assert record["parts"]["proposed"] == 2


def test_gold_standard_without_its_option_is_named() -> None:
    output = run("score", "gold.m2", "ours.txt")
    assert "if gold.m2 is it, write --gold gold.m2" in output


def test_labels_are_no_output_of_corrections() -> None:
    write(
        "labels.tsv", "He\tc", "go\ti", "home\tc", ".\tc", "", "I\tc", "likes\ti", "it\tc", ".\tc"
    )
    assert "-m ged scores labels" in run("score", "--gold", "gold.m2", "labels.tsv")


def test_one_token_per_line_is_noticed() -> None:
    write("words.txt", *("He", "go", "home", ".", "") * 4)
    output = run("check", "words.txt")
    assert "(one-token-per-line)" in output
    assert "--format multiged" in output
    assert "one-token-per-line" not in run("check", "ours.txt")
    for command in (["stats", "words.txt"], ["convert", "words.txt", "words.jsonl"]):
        assert "(one-token-per-line)" in run(*command)
    texts = ("--src", "words.txt", "--ref", "words.txt", "x=words.txt")
    assert "(one-token-per-line)" in run("score", "-m", "gleu", *texts)


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "--gold", "gold.m2", "words.txt"),
        ("compare", "--gold", "gold.m2", "ours.txt", "words.txt", "--resamples", "9"),
        ("annotate", "--lang", "plain", "ours.txt", "words.txt"),
        ("convert", "ours.txt", "words.txt", "made.m2"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_output_with_one_token_per_line_is_refused_with_the_remedy(
    arguments: tuple[str, ...],
) -> None:
    write("words.txt", *("He", "goes", "home", ".", "") * 4)
    line = refused(*arguments)
    assert "has one token per line: 'geceval convert --format multiged FILE OUT --source'" in line
    run("convert", "--format", "multiged", "words.txt", "lines.txt", "--source")
    assert Path("lines.txt").read_text() == "He goes home .\n" * 4


@pytest.mark.parametrize(
    "command", [("convert", "zh.txt", "zh.cor", "made.m2"), ("stats", "zh.txt")]
)
def test_unsegmented_text_is_noticed_by_commands_that_only_read_it(
    command: tuple[str, ...],
) -> None:
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0
    assert "(unsegmented)" in result.stderr
    assert "use geceval annotate --lang zh" in result.stderr
    assert "unsegmented" not in run("stats", "ours.txt")


# Forms of characters.


def nfd(*lines: str) -> list[str]:
    return [unicodedata.normalize("NFD", line) for line in lines]


@pytest.fixture
def forms() -> None:
    write("src.txt", "Die Häuser sind schon .", "Ich möchte gehn .")
    write("cor.txt", "Die Häuser sind schön .", "Ich möchte gehen .")
    write("nfd.txt", *nfd("Die Häuser sind schön .", "Ich möchte gehen ."))
    write("nfd.src", *nfd("Die Häuser sind schon .", "Ich möchte gehn ."))


@pytest.mark.usefixtures("forms")
def test_decomposed_letters_are_counted_by_check() -> None:
    record = json.loads(run("check", "nfd.txt", "--json"))
    [finding] = record["findings"]
    assert (finding["code"], finding["severity"]) == ("nfd", "note")
    assert finding["message"].startswith("3 tokens have decomposed letters")
    write("both.txt", "Häuser", *nfd("Häuser"))
    findings = json.loads(run("check", "both.txt", "--json"))["findings"]
    assert ("nfd", "warning") in {(one["code"], one["severity"]) for one in findings}


@pytest.mark.usefixtures("forms")
def test_decomposed_output_is_equal_after_normalization() -> None:
    command = ("score", "-m", "gleu,m2", "--auto-gold", "--lang", "plain")
    files = ("--src", "src.txt", "--ref", "cor.txt", "x=nfd.txt", "--json")
    plain, same = (
        json.loads(run(*command, *files, *more)) for more in ((), ("--normalize", "nfc"))
    )
    assert all(record["score"] < 1 for record in plain["results"])
    assert any("--normalize nfc" in line for line in plain["warnings"])
    for record in same["results"]:
        assert record["score"] == 1
        assert "|normalize:nfc|" in record["signature"]
    assert not any("normalized" in line for line in same["warnings"])
    assert all("normalize" not in record["signature"] for record in plain["results"])


@pytest.mark.usefixtures("forms")
def test_decomposed_raw_output_is_tokenized_like_its_source() -> None:
    write("raw.txt", *nfd("Die Häuser sind schön.", "Ich möchte gehen."))
    files = ("--src", "src.txt", "--ref", "cor.txt", "x=raw.txt", "--json")
    options = ("--tokenize", "--lang", "de", "--normalize", "nfc")
    [record] = json.loads(run("score", "-m", "gleu", *files, *options))["results"]
    assert record["score"] == 1
    assert "|tokens:geceval|tokenizer:de|normalize:nfc|" in record["signature"]


@pytest.mark.usefixtures("forms")
@pytest.mark.parametrize(("source", "correction"), [("nfd.src", "cor.txt"), ("src.txt", "nfd.txt")])
def test_normalized_edits_keep_the_form_of_the_source(source: str, correction: str) -> None:
    files = ("--src", source, "--cor", correction, "-o", "out.m2")
    output = run("annotate", "--lang", "plain", *files, "--normalize", "nfc")
    assert "normalize:nfc" in output
    written = Path("out.m2").read_text(encoding="utf-8")
    form = "NFD" if source == "nfd.src" else "NFC"
    assert unicodedata.is_normalized(form, written)  # type: ignore[arg-type]
    assert [line for line in written.splitlines() if line.startswith("A ")] == [
        unicodedata.normalize(form, line)  # type: ignore[arg-type]
        for line in (
            "A 3 4|||R:SPELL|||schön|||REQUIRED|||-NONE-|||0",
            "A 2 3|||R:SPELL|||gehen|||REQUIRED|||-NONE-|||0",
        )
    ]


@pytest.mark.usefixtures("forms")
def test_normalization_of_python_functions() -> None:
    sources, references = (
        Path(name).read_text(encoding="utf-8").splitlines() for name in ("src.txt", "cor.txt")
    )
    found = score(nfd(*references), sources, references, "gleu", resamples=0, normalize="nfc")
    assert found.value == 1


def test_invisible_characters_are_noticed() -> None:
    write("soft.txt", "co\u00adoperate zero\u200bwidth .", "\u200fשלום .")
    [finding] = json.loads(run("check", "soft.txt", "--json"))["findings"]
    assert finding["code"] == "invisible"
    assert "3 tokens" in finding["message"]
    assert "U+00AD SOFT HYPHEN" in finding["message"]


@pytest.mark.parametrize("space", ["\u00a0", "\u3000"])
def test_spaces_inside_words_do_not_move_edits(space: str) -> None:
    write(
        "odd.m2",
        f"S It cost 10{space}000 euro .",
        "A 3 4|||R:NOUN:NUM|||euros|||REQUIRED|||-NONE-|||0",
    )
    run("convert", "odd.m2", "odd.txt", "--apply")
    assert Path("odd.txt").read_text(encoding="utf-8") == "It cost 10 000 euros .\n"
    assert "inside a word" in run("check", "odd.m2")


# Right-to-left text.


def test_right_to_left_text_is_isolated_on_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    write("ar.m2", "S ذهب الى البيت .", "A 1 2|||R:ORTH|||إلى|||REQUIRED|||-NONE-|||0")
    write("ar.txt", "ذهب إلى البيت .")
    command = ("score", "--gold", "ar.m2", "ar.txt", "--verbose")
    assert "ذهب {الى → إلى ✓} البيت ." in run(*command)
    from geceval.cli._shared.terminal import Terminal

    monkeypatch.setattr(Terminal, "is_terminal", True)
    monkeypatch.setenv("NO_COLOR", "1")
    lri, rli, fsi, pdi = "\u2066\u2067\u2068\u2069"
    shown = run(*command)
    assert f"{rli}{fsi}ذهب{pdi} {lri}{{{fsi}الى{pdi} → {fsi}إلى{pdi} ✓}}{pdi}" in shown
    assert lri not in run("score", "--gold", "gold.m2", "ours.txt", "--verbose")


def test_unsegmented_gold_standard_is_refused_by_other_commands() -> None:
    rows = zip(CHINESE, CORRECTED, CORRECTED[::-1], strict=True)
    write("zh.tsv", *("\t".join(row) for row in rows))
    for arguments in (
        ("agreement", "zh.tsv"),
        ("types", "train", "zh.tsv", "-o", "types.json", "--lang", "plain"),
    ):
        assert "use geceval annotate --lang zh for Chinese" in refused(*arguments)
    assert "(unsegmented)" in run("references", "zh.tsv")


@pytest.mark.parametrize("command", ["explain", "analyze", "python"])
def test_text_in_another_script_is_noticed_in_single_sentences(command: str) -> None:
    before, after = "Он пошла в школу .", "Он пошел в школу ."
    expected = "the language is de: set it with --lang ru (Russian), uk (Ukrainian)"
    if command == "python":
        with pytest.warns(GecevalWarning, match="most letters are Cyrillic"):
            annotate(before, after, lang="de")
        with pytest.warns(GecevalWarning, match="most letters are Cyrillic"):
            explain(before, after, lang="de")
        return
    write("ru.txt", before)
    given = (before, after) if command == "explain" else ("ru.txt",)
    assert expected in " ".join(run(command, "--lang", "de", "--model", "plain", *given).split())
    assert "most letters" not in run(command, "--lang", "ru", "--model", "plain", *given)


def test_mistakes_of_parallel_files_name_the_command_that_reads_them() -> None:
    rows = [f"Der Satz Nummer {number} ist gut geschrieben ." for number in range(12)]
    write("src.txt", *rows)
    write("table.tsv", *(f"{number}\t{row}\t{row} Ja ." for number, row in enumerate(rows)))
    given = ("--lang", "plain", "--src", "src.txt", "--cor")
    assert "'geceval annotate TABLE'" in run("annotate", *given, "table.tsv")
    assert "|||. Ja|||" in run("annotate", "--lang", "plain", "table.tsv")
    tokens = [word for row in rows for word in (*row.split(), "")]
    write("vertical.txt", *tokens)
    for arguments in (("check", "vertical.txt"), ("stats", "vertical.txt")):
        assert "convert --format multiged" in run(*arguments)
    assert "(unspaced)" not in run("check", "vertical.txt")
    write("labels.tsv", *(f"{word}\tc" if word else "" for word in tokens))
    labels = ("--lang", "plain", "--src", "labels.tsv", "--cor", "labels.tsv")
    assert "-m ged scores labels" in run("annotate", *labels)
