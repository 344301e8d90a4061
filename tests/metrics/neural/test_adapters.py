"""Models of other packages: classes like those of gec-metrics, and transformers."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from geceval import Corpus, GecevalError, Hypothesis
from geceval.metrics.green import Green
from geceval.metrics.neural.backend import Backend, load_backend
from geceval.metrics.neural.gec_metrics import GecMetricsBackend
from geceval.metrics.neural.metrics import Neural, Scribendi
from requirements import skip_or_fail

SOURCES = ["He go home .", "She sleep ."]
OUTPUTS = ["He goes home .", "She sleep ."]
CORPUS = Corpus.from_texts(SOURCES, ["He goes home .", "She sleeps ."], OUTPUTS)
SYSTEM = Hypothesis.from_texts(OUTPUTS, name="ours")


class Metric:
    """The interface of gec-metrics 0.1: a configuration, and scores of sentences."""

    @dataclass
    class Config:
        model: str = "some|model"

    def __init__(self, config: Config | None = None) -> None:
        self.config = config or self.Config()


class ReferenceBased(Metric):
    def score_sentence(
        self, sources: list[str], hypotheses: list[str], references: list[list[str]]
    ) -> list[float]:
        assert [len(one) for one in references] == [len(sources)]
        return [float(one == other) for one, other in zip(hypotheses, references[0], strict=True)]


class ReferenceFree(Metric):
    def score_sentence(self, sources: list[str], hypotheses: list[str]) -> list[float]:
        return [float(len(two) - len(one)) for one, two in zip(sources, hypotheses, strict=True)]


class SourceFree(Metric):
    def score_sentence(self, hypotheses: list[str], references: list[list[str]]) -> list[float]:
        return [0.5 for _ in zip(hypotheses, references[0], strict=True)]


def test_gec_metrics_classes_of_every_kind() -> None:
    based = Neural(model=GecMetricsBackend(ReferenceBased()))
    assert based.score(CORPUS, SYSTEM).sentences.chosen.tolist() == [0, 1]
    assert based.score(CORPUS, SYSTEM).value == 1
    free = Neural(model=GecMetricsBackend(ReferenceFree(), name="free"))
    assert free.score(CORPUS, SYSTEM).sentences.values.tolist() == [2, 0]
    assert Neural(model=GecMetricsBackend(SourceFree())).score(CORPUS, SYSTEM).value == 0.5
    signature = free.score(CORPUS, SYSTEM).signature
    assert "|model:gec-metrics:free(model=some/model)|" in signature


def test_gec_metrics_that_are_not_there() -> None:
    with pytest.raises(GecevalError, match="has no score_sentence"):
        GecMetricsBackend(object())
    if importlib.util.find_spec("gec_metrics") is None:
        with pytest.raises(GecevalError, match="needs gec_metrics; install it with: pip install"):
            Neural(model="impara", backend="gec-metrics")


def test_gec_metrics_itself() -> None:
    """A class of the installed package, which needs no model, and geceval's own metric."""
    if importlib.util.find_spec("gec_metrics") is None:
        skip_or_fail("gec-metrics", "gec_metrics is not installed")
    metric = Neural(model="green", backend="gec-metrics")
    score = metric.score(CORPUS, SYSTEM)
    own = Green(compat="gec-metrics").score(CORPUS, SYSTEM)
    assert score.sentences.values.tolist() == pytest.approx(own.sentences.values.tolist())
    assert "|model:gec-metrics:green(n=4,beta=2.0,unit=word)|" in score.signature
    with pytest.raises(GecevalError, match="gec-metrics cannot make 'no-such-metric': "):
        Neural(model="no-such-metric", backend="gec-metrics")


class Wrong(Backend):
    uses_references = False

    def __init__(self, *values: float) -> None:
        self._values = np.array(values)

    def score(self, sources: object, outputs: object, references: object) -> np.ndarray:  # noqa: ARG002
        return self._values


def test_neural_scores_that_are_wrong_are_refused() -> None:
    with pytest.raises(
        GecevalError, match=r"the model Wrong gives inf for .She sleep \.'; it must"
    ):
        Neural(model=Wrong(1, np.inf)).score(CORPUS, SYSTEM)
    with pytest.raises(GecevalError, match="the model Wrong gave 1 numbers for 2 sentences"):
        Neural(model=Wrong(1)).score(CORPUS, SYSTEM)
    with pytest.raises(GecevalError, match="the model Wrong gives no perplexity"):
        Scribendi(model=Wrong()).score(CORPUS, SYSTEM)


def test_transformers_needs_a_folder(tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match="there is no model 'gpt2': give the path of a local"):
        load_backend("transformers", "gpt2")
    with pytest.raises(GecevalError, match=r"is not the folder of a model: it has no config\.json"):
        load_backend("transformers", tmp_path)


@pytest.fixture
def transformers() -> None:
    """Transformers with PyTorch, which are too large for everybody to have."""
    for package in ("torch", "transformers"):
        if importlib.util.find_spec(package) is None:
            skip_or_fail("transformers", f"{package} is not installed")


@pytest.mark.usefixtures("transformers")
def test_transformers_models_made_here(tmp_path: Path) -> None:
    """Tiny models with random weights: an encoder, a head and a language model."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from transformers import (
        BertConfig,
        BertForSequenceClassification,
        BertModel,
        GPT2Config,
        GPT2LMHeadModel,
        PreTrainedTokenizerFast,
    )

    torch.manual_seed(1)
    words = {word: number for number, word in enumerate(" ".join(SOURCES + OUTPUTS).split())}
    vocabulary = {**words, "[UNK]": 90}
    plain = Tokenizer(WordLevel(vocabulary, "[UNK]"))
    plain.pre_tokenizer = WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    bert = {"vocab_size": 100, "intermediate_size": 8, **sizes}
    models = {
        "encoder": BertModel(BertConfig(**bert)),
        "head": BertForSequenceClassification(BertConfig(**bert, num_labels=1)),
        "language": GPT2LMHeadModel(GPT2Config(vocab_size=100, n_embd=8, n_layer=1, n_head=2)),
    }
    for name, model in models.items():
        model.save_pretrained(tmp_path / name)
        tokenizer.save_pretrained(tmp_path / name)
    encoder = load_backend("transformers", tmp_path / "encoder")
    assert encoder.similarity(SOURCES, SOURCES).tolist() == pytest.approx([1, 1])
    assert encoder.score(SOURCES, OUTPUTS, OUTPUTS).tolist() == pytest.approx([1, 1])
    head = load_backend("transformers", tmp_path / "head")
    assert not head.uses_references
    assert np.isfinite(head.score(SOURCES, OUTPUTS, OUTPUTS)).all()
    assert np.isfinite(head.score_pairs(SOURCES, OUTPUTS)).all()
    language = load_backend("transformers", tmp_path / "language")
    assert (language.perplexity(SOURCES) > 1).all()
