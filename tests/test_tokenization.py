"""Tokenizers by language, and ends of sentences by script."""

from __future__ import annotations

import unicodedata

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from geceval.cli import main
from geceval.formats import Findings, Input, get_format, load
from geceval.formats.retokenize import tokenize_like
from geceval.text import split_sentences, tokenize, tokens_at
from geceval.tokenization import has_rules, splitter_for, tokenizer_for

TRAPS = [
    ("fr", "L'homme qu'il voit n'est pas là.", "L' homme qu' il voit n' est pas là ."),
    ("fr", "Il s’appelle Luc !", "Il s’ appelle Luc !"),
    ("fr", "aujourd'hui, presqu'île et quelqu'un", "aujourd'hui , presqu'île et quelqu'un"),
    ("fr", "Est-ce vrai ? dit-il ; a-t-il", "Est -ce vrai ? dit -il ; a -t-il"),
    ("fr", "donne-le-moi au rendez-vous", "donne -le -moi au rendez-vous"),
    ("fr", "« Oui »\u00a0: 10\u202f000 €", "« Oui » : 10 000 €"),
    ("it", "dell'arte c'è dov’è", "dell' arte c' è dov’ è"),
    ("it", "un po' di mo' così", "un po' di mo' così"),
    ("it", "all'1, l'80%", "all' 1 , l' 80%"),
    ("ca", "l'home del col·legi", "l' home del col·legi"),
    ("uk", "п'ять, об’єкт і зʼїзд 90-х", "п'ять , об’єкт і зʼїзд 90-х"),
    ("de", "„Geht's?“ ‚ja‘ »so«", "„ Geht 's ? “ ‚ ja ‘ » so «"),
    ("de", "Wie geht´s?", "Wie geht ´s ?"),
    ("de", "'s war 's'.", "'s war ' s ' ."),
    ("de", "Es ist, z. B. so, d. h. gut.", "Es ist , z. B. so , d. h. gut ."),
    ("de", "Am 3. Mai war Hans' Haus leer.", "Am 3. Mai war Hans' Haus leer ."),
    ("de", "Er kam 1990.", "Er kam 1990 ."),
    ("el", "Τι κάνεις; Κάνε ό,τι θες· ναι.", "Τι κάνεις ; Κάνε ό,τι θες · ναι ."),
    ("el", "Τι\u037e", "Τι \u037e"),
    ("tr", "İstanbul'da 3'üncü kez.", "İstanbul'da 3'üncü kez ."),
    ("sv", "Den 3:e maj kl 12:30.", "Den 3:e maj kl 12:30 ."),
    ("sv", "EU:s lag kl. 10, s.k. lag.", "EU:s lag kl. 10 , s.k. lag ."),
    ("et", "Dame'i KOV-del 5aastane 1.-3. klass.", "Dame'i KOV-del 5aastane 1. - 3. klass ."),
    ("fi", "EU:n 5-vuotias 1.-3. luokka", "EU:n 5-vuotias 1. - 3. luokka"),
    ("cs", "Dne 3. května, např. toto.", "Dne 3. května , např. toto ."),
    ("ar", "وَكَتَبَ الدرس؟", "وَكَتَبَ الدرس ؟"),
    ("ar", "١٢٣٫٥٪ نعم", "١٢٣٫٥٪ نعم"),
    ("he", 'שָׁלוֹם, צה"ל.', 'שָׁלוֹם , צה"ל .'),
    ("hi", "मैं हिन्दी सीखता हूँ।", "मैं हिन्दी सीखता हूँ ।"),
    ("th", "ที่นี่", "ที่ นี่"),
    ("zh", "我有3个 iPhone，好吗？", "我 有 3 个 iPhone ， 好 吗 ？"),
    ("ja", "これは本です。", "こ れ は 本 で す 。"),
    ("ko", "저는 학생입니다.", "저는 학생입니다 ."),
    ("es", "¿Qué dijo el Sr. López?", "¿ Qué dijo el Sr. López ?"),
    ("pl", "To 90-letni pan.", "To 90-letni pan ."),
]


def tokens(lang: str, text: str) -> list[str]:
    return list(tokens_at(text, tokenizer_for(lang)(text)))


@pytest.mark.parametrize(("lang", "text", "expected"), TRAPS)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_tokenization_of_languages(lang: str, text: str, expected: str, form: str) -> None:
    text, expected = (unicodedata.normalize(form, one) for one in (text, expected))  # type: ignore[arg-type]
    assert tokens(lang, text) == expected.split()


@pytest.mark.parametrize(
    "text",
    [
        "हिन्दी",
        "وَكَتَبَ",
        "שָׁלוֹם",
        unicodedata.normalize("NFD", "Häuser"),
        "می\u200cخواهم",
        "क्\u200dष",
        "❤\ufe0f",
    ],
)
@pytest.mark.parametrize("lang", ["", "en", "de", "hi", "ar"])
def test_tokenization_never_splits_at_marks_or_joiners(text: str, lang: str) -> None:
    assert tokens(lang, text) == [text]
    assert tokenize_like((text,), text) == (text,)


@given(
    st.sampled_from(["fr", "it", "ca", "uk", "de", "el", "tr", "sv", "et", "fi", "cs", "he", "xx"]),
    st.text(alphabet="aZé́'’-. 3,:;«»·ßя\u00a0\u3000\u200d़"),
)
def test_tokenization_takes_every_character_but_spaces(lang: str, text: str) -> None:
    spans = tokenizer_for(lang)(text)
    assert "".join(text[start:end] for start, end in spans).split() == (
        ["".join(text.split())] if text.split() else []
    )
    ends = [0]
    for start, end in spans:
        assert start >= ends[-1]
        assert start < end
        is_mark = unicodedata.category(text[start]).startswith("M") or text[start] == "\u200d"
        assert not is_mark or start == 0 or text[start - 1].isspace()
        ends.append(end)


@pytest.mark.parametrize("lang", [None, "", "en", "EN", "plain", "universal", "en-US"])
def test_tokenization_of_english_is_that_of_text(lang: str | None) -> None:
    assert tokenizer_for(lang) is tokenize
    assert splitter_for(lang) is split_sentences
    assert not has_rules(lang or "")


def test_tokenization_is_linear_in_odd_text() -> None:
    for lang in ("fr", "it", "de", "sv", "tr", "el", "uk", "zh"):
        for piece in ("a", "a'", "a-", "1.", "1-", "a:", "z. "):
            text = piece * 20_000
            assert tokenizer_for(lang)(text)


# Sentences.


@pytest.mark.parametrize(
    ("lang", "sentences"),
    [
        ("el", ["Τι κάνεις;", "Καλά.", "Ναι\u037e", "Όχι."]),
        ("hi", ["वह आया।", "मैं गया॥", "ठीक"]),
        ("ar", ["هل تعرف؟", "نعم."]),
        ("ur", ["میں آیا۔", "وہ گیا"]),
        ("de", ["Am 3. Mai kam er.", "Im 19. Jahrhundert auch.", "Wir waren 3.", "Dann 4."]),
        ("de", ["„Ja.“", "Er ging.", "»Nein.«", "Sie blieb."]),
        ("fr", ["« Oui. »", "Il part.", "« Non. » dit-elle.", "Bien."]),
        ("fr", ["«\u00a0Oui.\u00a0»", "Il part."]),
        ("cs", ["Přišel 3. května.", "Ano."]),
        ("et", ["See oli 3. mail.", "Jah."]),
        ("uk", ["Так; ні.", "Добре?"]),
        ("en", ["It cost 3.", "May was nice; so it was."]),
    ],
)
def test_sentences_end_by_script_and_language(lang: str, sentences: list[str]) -> None:
    text = " ".join(sentences)
    assert [text[start:end] for start, end in splitter_for(lang)(text)] == sentences


# Formats of raw text, and commands.


def test_tokenization_of_formats_is_that_of_the_language() -> None:
    essay = "### essay_id = 1\nL'homme est là.\n"
    source = Input.from_text(essay)
    source.lang = "fr"
    [sent] = get_format("multigec").read([source])
    assert sent.tokens == ("L'", "homme", "est", "là", ".")
    [sent] = get_format("uagec").read([Input.from_text("{п'ять=>шість:::error_type=G/Case} 90-х.")])
    assert sent.tokens == ("п'ять", "90-х", ".")


def test_tokenization_of_loaded_files(tmp_path: object) -> None:
    path = f"{tmp_path}/essay.md"
    with open(path, "w", encoding="utf-8") as file:
        file.write("### essay_id = 1\nAm 3. Mai geht's.\n")
    [sent] = load(path, lang="de", findings=Findings())
    assert sent.tokens == ("Am", "3.", "Mai", "geht", "'s", ".")


def test_tokenization_of_scores_names_the_language_in_the_signature(tmp_path: object) -> None:
    for name, text in (("src", "L'homme voient."), ("ref", "L'homme voit.")):
        with open(f"{tmp_path}/{name}.txt", "w", encoding="utf-8") as file:
            file.write(f"{text}\n")
    files = ["--src", f"{tmp_path}/src.txt", "--ref", f"{tmp_path}/ref.txt"]
    command = ["score", "-m", "gleu", *files, f"x={tmp_path}/ref.txt", "--tokenize"]
    french = CliRunner().invoke(main, [*command, "--lang", "fr"])
    assert "tokens:geceval|tokenizer:fr|" in french.stdout
    english = CliRunner().invoke(main, command)
    assert "tokens:geceval|version" in english.stdout
