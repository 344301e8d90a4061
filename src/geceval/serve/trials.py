"""Try a text: its edits, and its scores against references."""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, get_args

from geceval.errors import GecevalError, MismatchError, UnknownNameError
from geceval.evaluation.metric_choice import choose_metrics
from geceval.evaluation.scoreboard import Scores
from geceval.evaluation.scorer import Scorer
from geceval.extraction.align import Method
from geceval.extraction.annotator import Annotator
from geceval.extraction.categories import OPERATIONS
from geceval.extraction.explain import Explanation, explain
from geceval.extraction.lang import pack_names
from geceval.extraction.lang.analysis import tokens_of
from geceval.extraction.merge import STRATEGIES
from geceval.extraction.typers import typer_names
from geceval.formats import Findings, get_format
from geceval.metrics.views import SentenceEdits
from geceval.model import Annotation, Hypothesis, Sentence
from geceval.serve.jobs.allowed_metrics import check_allowed
from geceval.serve.schemas import TryRequest, TryScoreRequest
from geceval.validation.system_output import refuse_other_text

_CACHED_ANSWERS = 4096
_CACHED_ANNOTATORS = 24


class Trials:
    """Answers requests that try a text, and caches annotators and answers."""

    def __init__(self) -> None:
        self._answers: OrderedDict[bytes, bytes] = OrderedDict()
        self._annotators: OrderedDict[tuple[str, ...], tuple[Annotator, str]] = OrderedDict()
        self._lock = threading.Lock()
        # Python runs one at a time anyway; in turn, nobody waits longer than those before them.
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="try")

    def cached(self, body: bytes) -> bytes | None:
        """Return the answer to a request that was answered before."""
        answer = self._answers.get(body)
        if answer is not None:
            self._answers.move_to_end(body)
        return answer

    def store(self, body: bytes, answer: bytes) -> None:
        """Cache an answer."""
        self._answers[body] = answer
        if len(self._answers) > _CACHED_ANSWERS:
            self._answers.popitem(last=False)

    def edits(self, request: TryRequest) -> dict[str, Any]:
        """Extract the edits of each sentence, and explain them."""
        annotator, signature = self._annotator(
            request.lang, request.align, request.merge, request.typer
        )
        sources = _lines(request.source)
        columns = [_lines(correction) for correction in request.corrections]
        for number, column in enumerate(columns, 1):
            if len(column) != len(sources):
                name = "the correction" if len(columns) == 1 else f"correction {number}"
                raise MismatchError("the source", len(sources), name, len(column))
        explained = [
            [
                _explained(source, column[place], annotator, tokenize=request.tokenize)
                for column in columns
            ]
            for place, source in enumerate(sources)
        ]
        refuse_other_text([one[0].source.tokens for one in explained if one], request.lang)
        return {
            "sentences": [
                {"corrections": [_record(one) for one in explanations]}
                for explanations in explained
            ],
            "m2": _as_m2([_sentence(explanations) for explanations in explained]),
            "signature": signature,
        }

    def scores(self, request: TryScoreRequest) -> dict[str, Any]:
        """Score a text against references by each metric."""
        annotator, _ = self._annotator(request.lang, "linguistic", "rules", None)

        def tokenized(text: str) -> list[str]:
            lines = _lines(text)
            if request.tokenize:
                lines = [" ".join(tokens_of(annotator.tokenize(line))) for line in lines]
            # Rare characters that end a line, such as a form feed, separate tokens here.
            return [" ".join(line.split()) for line in lines]

        sources, outputs = tokenized(request.source), tokenized(request.output)
        references = [tokenized(reference) for reference in request.references]
        for name, column in (("the output", outputs), *(("a reference", r) for r in references)):
            if len(column) != len(sources):
                raise MismatchError("the source", len(sources), name, len(column))
        findings = Findings()
        for spec in request.metrics:
            check_allowed(spec)
        metrics = choose_metrics(
            request.metrics or _SHORT_TEXT_METRICS,
            findings,
            hints={"lang": request.lang, "jobs": 1},
            has_edits=False,
            extracts=True,
        )
        scorer = Scorer(sources, references, metrics, lang=request.lang, references_by="annotator")
        scores = scorer(outputs)
        return {
            "scores": [
                {
                    "metric": metric.name,
                    "title": metric.title,
                    "score_name": metric.score_name,
                    "value": float(scores[metric.name].value),
                    "parts": {
                        name: float(part) for name, part in scores[metric.name].parts.items()
                    },
                    "signature": scores[metric.name].signature,
                }
                for metric in scorer.metrics
            ],
            "marked": _marked(scorer, outputs, scores),
            "notes": findings.summary(),
        }

    def _annotator(
        self, lang: str, align: Method, merge: str, typer: str | None
    ) -> tuple[Annotator, str]:
        """Return an annotator and its signature; nothing but known names reaches the loaders."""
        _check_known("language", lang, pack_names())
        _check_known("merging strategy", merge, list(STRATEGIES))
        if typer is not None:
            _check_known("typer", typer, typer_names())
        key = (lang, align, merge, typer or "")
        with self._lock:
            if key not in self._annotators:
                made = Annotator(lang, align=align, merge=merge, typer=typer)
                self._annotators[key] = made, made.signature
                if len(self._annotators) > _CACHED_ANNOTATORS:
                    self._annotators.popitem(last=False)
            self._annotators.move_to_end(key)
            return self._annotators[key]


_SHORT_TEXT_METRICS = [
    "m2", "errant", "imeasure", "gleu", "green", "cleme", "bleu", "ibleu", "sari", "chrf", "ter",
    "wer", "cer", "ld-reference",
]  # fmt: skip
"""Metrics that score a text unless others are chosen."""


def choices() -> dict[str, list[str]]:
    """Return the choices of the page."""
    return {
        "lang": pack_names(),
        "align": list(get_args(Method)),
        "merge": list(STRATEGIES),
        "typer": typer_names(),
    }


def _check_known(kind: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise UnknownNameError(kind, name, known)


def _explained(source: str, corrected: str, annotator: Annotator, *, tokenize: bool) -> Explanation:
    before = annotator.split(source, tokenize=tokenize)
    after = annotator.split_target(corrected, before, tokenize=tokenize)
    if after is None:
        raise GecevalError(f"{corrected!r} is no correction")
    return explain(before, after, annotator)


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    if not any(line.strip() for line in lines):
        raise GecevalError("there is no text")
    return lines


def _record(explanation: Explanation) -> dict[str, Any]:
    record = explanation.to_dict()
    for edit in record["edits"]:
        operation = edit["type"].partition(":")[0]
        edit["operation"] = OPERATIONS.get(operation)
    return record


def _sentence(explanations: Sequence[Explanation]) -> Sentence:
    return Sentence(
        tuple(explanations[0].source.tokens),
        tuple(
            Annotation(str(number), tuple(one.edit for one in explanation.edits))
            for number, explanation in enumerate(explanations)
        ),
    )


def _as_m2(sentences: Sequence[Sentence]) -> str:
    out = io.StringIO()
    get_format("m2").writer(sentences, [out])
    return out.getvalue()


def _marked(scorer: Scorer, outputs: Sequence[str], scores: Scores) -> list[dict[str, Any]]:
    """Return the edits of each sentence, by the first metric that compares edits."""
    hypothesis = Hypothesis.from_texts(outputs)
    for metric in scorer.metrics:
        views = metric.marked_edits(scorer.corpus, hypothesis, scores[metric.name])
        if views is not None:
            return [
                {"source": list(sent.tokens), "edits": [] if view is None else _marks(view, sent)}
                for sent, view in zip(scorer.corpus, views, strict=True)
            ]
    return []


def _marks(view: SentenceEdits, sent: Sentence) -> list[dict[str, Any]]:
    found = [
        (edit.start, edit.end, edit.correction, "correct" if edit.is_correct else "wrong")
        for edit in view.edits
    ]
    found += [
        (edit.start, edit.end, edit.correction, "missed") for edit in view.missed(len(sent.tokens))
    ]
    return [
        {"start": start, "end": end, "correction": list(correction), "outcome": outcome}
        for start, end, correction, outcome in sorted(found)
    ]
