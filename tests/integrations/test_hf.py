"""Hugging Face: predictions of a trainer, and a module of the package evaluate."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import geceval
from geceval import MismatchError
from geceval.errors import GecevalError
from geceval.extraction.annotator import Annotator
from geceval.extraction.corpus import annotate_rows
from geceval.integrations import hf
from requirements import skip_or_fail

SOURCES = ["I likes cat .", "All is well ."]
REFERENCES = ["I like cats .", "All is well ."]
OUTPUT = ["I like cat .", "All is well ."]


class WordTokenizer:
    """Decodes numbers of words; 0 is padding."""

    words = ("<pad>", *dict.fromkeys(" ".join([*SOURCES, *REFERENCES, *OUTPUT]).split()))

    def encode(self, text: str) -> list[int]:
        return [self.words.index(word) for word in text.split()]

    def batch_decode(self, sequences: Any, *, skip_special_tokens: bool) -> list[str]:
        assert skip_special_tokens
        return [" ".join(self.words[one] for one in row if one) for row in sequences]


def ids(tokenizer: WordTokenizer, *, padding: int) -> Any:
    rows = [tokenizer.encode(line) for line in OUTPUT]
    width = max(map(len, rows)) + 1
    return np.array([row + [padding] * (width - len(row)) for row in rows])


@pytest.mark.parametrize("form", ["ids", "ignored", "logits", "tuple", "object"])
def test_hf_compute_metrics_takes_what_trainers_give(form: str) -> None:
    tokenizer = WordTokenizer()
    metrics = ["m2", "green", "gleu"]
    compute = hf.compute_metrics(tokenizer, SOURCES, REFERENCES, metrics, lang="plain")
    plain = ids(tokenizer, padding=0)
    given: Any = {
        "ids": plain,
        "ignored": ids(tokenizer, padding=-100),
        "logits": np.eye(len(tokenizer.words))[plain],
        "tuple": ((plain, "past"), plain),
        "object": SimpleNamespace(predictions=plain, label_ids=plain),
    }[form]
    expected = geceval.score(OUTPUT, SOURCES, REFERENCES, metrics, lang="plain")
    assert compute(given) == {
        "m2": expected["m2"].value,
        "m2_precision": expected["m2"].parts["precision"],
        "m2_recall": expected["m2"].parts["recall"],
        "green": expected["green"].value,
        "green_precision": expected["green"].parts["P"],
        "green_recall": expected["green"].parts["R"],
        "gleu": expected["gleu"].value,
    }


def test_hf_compute_metrics_refuses_other_arrays() -> None:
    compute = hf.compute_metrics(WordTokenizer(), SOURCES, REFERENCES, "gleu")
    with pytest.raises(TypeError, match="not an array of shape"):
        compute(np.array([0.5, 0.2]))
    with pytest.raises(MismatchError, match="sources has 2 sentences but predictions has 1"):
        compute(ids(WordTokenizer(), padding=0)[:1])
    with pytest.raises(TypeError, match="batch_decode or decode_batch"):
        hf.compute_metrics(object(), SOURCES, REFERENCES, "gleu")(  # type: ignore[arg-type]
            ids(WordTokenizer(), padding=0)
        )


def test_hf_compute_metrics_with_a_real_tokenizer() -> None:
    try:
        from tokenizers import Tokenizer, models, pre_tokenizers
    except ImportError:
        skip_or_fail("integrations", "the package tokenizers is not installed")
    words = dict.fromkeys(" ".join([*SOURCES, *REFERENCES, *OUTPUT]).split())
    vocabulary = {word: number for number, word in enumerate(["[UNK]", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    rows = [encoded.ids for encoded in tokenizer.encode_batch(OUTPUT)]
    array = np.array([row + [-100] * (5 - len(row)) for row in rows])
    compute = hf.compute_metrics(tokenizer, SOURCES, REFERENCES, "gleu", prefix="gec_")
    expected = geceval.score(OUTPUT, SOURCES, REFERENCES, "gleu").value
    assert compute((array, array)) == {"gec_gleu": expected}


# An untrained model says nothing that the sources say, of which there is a warning.
@pytest.mark.filterwarnings("ignore::geceval.GecevalWarning")
def test_hf_compute_metrics_in_a_real_trainer(tmp_path: Path) -> None:
    try:
        import torch
        from transformers import BertConfig, BertForMaskedLM, Trainer, TrainingArguments
    except ImportError as error:
        skip_or_fail("torch", f"{error.name} is not installed, as it is too heavy for everybody")
    tokenizer = WordTokenizer()
    rows = [tokenizer.encode(line) for line in SOURCES]
    data = [
        {"input_ids": torch.tensor(row), "labels": torch.tensor(tokenizer.encode(line))}
        for row, line in zip(rows, OUTPUT, strict=True)
    ]
    config = BertConfig(
        vocab_size=len(tokenizer.words), hidden_size=16, num_hidden_layers=1,
        num_attention_heads=2, intermediate_size=16,
    )  # fmt: skip
    trainer = Trainer(
        model=BertForMaskedLM(config),
        # Without an accelerator, PyTorch warns of memory that it would pin for it.
        args=TrainingArguments(output_dir=str(tmp_path), report_to=[], dataloader_pin_memory=False),
        eval_dataset=data,
        compute_metrics=hf.compute_metrics(tokenizer, SOURCES, REFERENCES, "gleu"),
    )
    assert 0 <= trainer.evaluate()["eval_gleu"] <= 1


@pytest.mark.parametrize("references", [REFERENCES, [[one, one] for one in REFERENCES]])
def test_hf_evaluate_module(
    references: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    try:
        import evaluate
    except ImportError:
        skip_or_fail("integrations", "the package evaluate is not installed")
    metric = evaluate.load(hf.METRIC, cache_dir=str(tmp_path))
    found = metric.compute(
        predictions=OUTPUT, references=references, sources=SOURCES, metric=["m2", "gleu"],
        lang="plain",
    )  # fmt: skip
    by_sentence = [one if isinstance(one, list) else [one] for one in references]
    expected = geceval.score(
        OUTPUT, SOURCES, by_sentence, ["m2", "gleu"], lang="plain", references_by="sentence"
    )
    assert found["gleu"] == expected["gleu"].value
    assert found["details"]["m2"]["signature"] == expected["m2"].signature


PAIRS: dict[str, list[Any]] = {
    "id": [1, 2, 3],
    "input": ["I likes cat .", "All is well .", ""],
    "output": ["I like cats .", "All is well .", ""],
    "other": ["I like cat .", "All are well .", "Oh !"],
}


def test_hf_annotate_batch_gives_the_edits_of_annotate_rows() -> None:
    found = hf.annotate_batch(
        PAIRS, source="input", correction=("output", "other"), lang="plain", edits="changes"
    )
    assert list(found) == ["tokens", "changes"]
    assert found["tokens"] == [text.split() for text in PAIRS["input"]]
    rows = list(zip(PAIRS["input"], PAIRS["output"], PAIRS["other"], strict=True))
    expected = annotate_rows(rows, Annotator("plain"))
    assert [
        [
            (one["annotator"], one["start"], one["end"], one["correction"], one["type"])
            for one in row
        ]
        for row in found["changes"]
    ] == [
        [
            (ann.annotator, edit.start, edit.end, " ".join(edit.correction), edit.type)
            for ann in sent.annotations
            for edit in ann.edits
        ]
        for sent in expected
    ]
    assert [len(row) for row in found["changes"]] == [3, 1, 1]


def test_hf_annotate_batch_normalizes() -> None:
    """All settings count: composed and decomposed characters are the same, if asked for."""
    batch = {"source": ["the cafe\u0301"], "correction": ["the caf\u00e9"]}
    found = hf.annotate_batch(batch, lang="plain", normalize="nfc")
    assert found == {"tokens": [["the", "cafe\u0301"]], "edits": [[]]}
    assert hf.annotate_batch(batch, lang="plain")["edits"] != [[]]


def test_hf_annotate_batch_of_raw_text() -> None:
    batch = {"source": ["I likes it."], "correction": ["I like it."]}
    found = hf.annotate_batch(batch, lang="plain", tokenize=True)
    (edit,) = found["edits"][0]
    assert found["tokens"][0][edit["start"]] == "likes"


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {"source": "inputs"}, "unknown column 'inputs'; did you mean 'input'"),
        ({"edits": [1, 2, 3]}, {}, "there is a column 'edits' already"),
        ({"input": ["a", None, "b"]}, {}, "found None in row 1 of the batch"),
        ({"input": ["a", "b", "c\nd"]}, {}, "found line breaks in row 2 of the batch"),
        ({}, {"correction": ()}, "at least one column of corrections is needed"),
        ({"output": ["a"]}, {}, "column input has 3 sentences but column output has 1"),
        ({"input": "abc"}, {}, "found a text: map with batched=True"),
        ({}, {"tokens": "new", "edits": "new"}, "cannot both be the column 'new'"),
        ({}, {"keep_spans": True}, "keep_spans is for a corpus that has edits already"),
    ],
)
def test_hf_annotate_batch_refuses(
    change: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    given = {"source": "input", "correction": "output", "lang": "plain", **options}
    with pytest.raises(GecevalError, match=message):
        hf.annotate_batch({**PAIRS, **change}, **given)


def test_hf_annotate_batch_in_datasets() -> None:
    """With the real package: rows keep their order for any size of batches and processes."""
    try:
        import datasets
    except ImportError:
        skip_or_fail("integrations", "the package datasets is not installed")
    options = {"source": "input", "correction": "output", "lang": "plain"}
    rows = datasets.Dataset.from_dict({name: column * 5 for name, column in PAIRS.items()})
    whole = hf.annotate_batch(rows.to_dict(), **options)
    for n_processes in (None, 2):
        found = rows.map(
            hf.annotate_batch, batched=True, batch_size=4, num_proc=n_processes, fn_kwargs=options
        )
        assert found["edits"] == whole["edits"]
        assert found["id"] == rows["id"]
