"""Prepare a gold standard, outputs and metrics for scoring, from files and from Python alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

from geceval.characters import Normalization
from geceval.errors import GecevalError
from geceval.evaluation.retokenized import check_rows, retokenize_corpus, retokenize_output
from geceval.extraction.lang import has_alternatives
from geceval.formats.findings import Findings
from geceval.formats.normalization import normalize_corpus, normalize_hypothesis
from geceval.formats.retokenize import tokenize_corpus, tokenize_hypothesis
from geceval.metrics.base import Metric, check_counts
from geceval.model import Corpus, Hypothesis, MissingPolicy
from geceval.references.missing import MissingAnnotations
from geceval.references.nested import NestedEdits
from geceval.validation.languages import refuse_unusable
from geceval.validation.system_output import (
    OutputValidator,
    check_hypothesis,
    check_sources,
    is_tokenized,
)

if TYPE_CHECKING:
    from geceval.extraction.annotator import Annotator


@dataclass(frozen=True, slots=True)
class PreparedGold:
    """A gold standard and metrics, ready for outputs.

    Parameters
    ----------
    corpus, metrics
        The gold standard and the metrics.
    missing
        Treatment of absent annotators where annotators are compared with each other.
    tokenize
        Whether outputs are raw text.
    validator
        Validates outputs against the source sentences.
    lang
        Code of the language of the text; empty if it is not known.
    normalize
        Whether texts are compared in their composed form.
    retokenizer
        Annotator whose tokens all texts have, if they are not separated by spaces.
    """

    corpus: Corpus
    metrics: Sequence[Metric]
    missing: MissingPolicy
    tokenize: bool
    validator: OutputValidator
    lang: str = ""
    normalize: Normalization = "none"
    retokenizer: Annotator | None = None


def prepare_gold(
    corpus: Corpus,
    metrics: Sequence[Metric],
    *,
    findings: Findings,
    tokenize: bool = False,
    strict: bool = False,
    missing: MissingPolicy | None = None,
    extraction: Mapping[str, Any] | None = None,
    lang: str = "",
    normalize: Normalization = "none",
) -> PreparedGold:
    """Tokenize raw text, extract edits where they are needed, and interpret absent annotators.

    Parameters
    ----------
    corpus, metrics
        The gold standard and the metrics.
    findings
        Collection for everything that was repaired, ignored or looks wrong.
    tokenize
        Whether outputs, and a gold standard without edits, are raw text.
    strict
        Whether to raise an error instead of adding findings about the texts.
    missing
        Treatment of absent annotators by all metrics; by default, that of each metric.
    extraction
        Arguments of `Annotator` for extracting edits from corrected sentences, if a metric needs
        them.
    lang
        Code of the language of the text, if the user has given it.
    normalize
        ``"nfc"`` to compare texts in Unicode's composed form.
    """
    if normalize == "nfc":
        corpus = normalize_corpus(corpus)
    is_text = not corpus.has_edits
    retokenizer = _retokenizer(metrics, extraction or {})
    if retokenizer is not None:
        tokenize = False
        corpus = retokenize_corpus(corpus, retokenizer, findings)
    if not any(metric.chooses_alignments for metric in metrics):
        corpus = corpus.first_alignments()
    if tokenize:
        if not corpus.has_edits and not is_tokenized(corpus.sources):
            corpus = tokenize_corpus(corpus, lang=lang)
        findings.add(
            "tokenized",
            "raw text was tokenized by geceval: compare these scores only with others tokenized so",
        )
    texts = Findings()
    pack = retokenizer.pack.name if retokenizer else _language(corpus, metrics, extraction or {})
    checked = lang or pack
    check_sources(corpus.sources, texts, path=corpus.name, lang=checked)
    _add(texts, findings, strict=strict)
    if not corpus.has_edits and any(metric.needs_edits for metric in metrics):
        corpus = extract_gold(corpus, retokenizer, **(extraction or {}))
    note_nested(corpus, metrics, findings)
    # References that are texts, and those of Chinese files, are as many as a sentence has.
    is_open = not is_text and retokenizer is None
    metrics, policy = read_missing(corpus, metrics, findings, given=missing, is_open=is_open)
    validator = OutputValidator(corpus.sources)
    return PreparedGold(corpus, metrics, policy, tokenize, validator, lang, normalize, retokenizer)


def _retokenizer(metrics: Sequence[Metric], extraction: Mapping[str, Any]) -> Annotator | None:
    """Return the annotator whose tokens all texts must have, if a metric or language has one."""
    found = (metric.retokenizer for metric in metrics)
    # The alignments of a metric that chooses among them are all.
    ways = sorted(zip(metrics, found, strict=True), key=lambda one: not one[0].chooses_alignments)
    for _, annotator in ways:
        if annotator is not None:
            return annotator
    if has_alternatives(extraction.get("pack", "en")):
        from geceval.extraction.annotator import Annotator

        return Annotator(**extraction)
    return None


def prepare_outputs(
    gold: PreparedGold,
    hypotheses: Sequence[Hypothesis],
    *,
    findings: Findings,
    strict: bool = False,
    paths: Sequence[str] | None = None,
) -> list[Hypothesis]:
    """Tokenize raw output, and validate what would be scored.

    Parameters
    ----------
    gold
        The gold standard.
    hypotheses
        The outputs of systems.
    findings
        Collection for everything that looks wrong.
    strict
        Whether to raise an error instead of adding findings.
    paths
        Files of the systems, for messages.
    """
    corpus = gold.corpus
    # Raw text is tokenized like the source, which is normalized.
    if gold.normalize == "nfc":
        hypotheses = [normalize_hypothesis(one) for one in hypotheses]
    if gold.tokenize:
        hypotheses = [tokenize_hypothesis(corpus, one, lang=gold.lang) for one in hypotheses]
    texts = Findings()
    names = paths or [hypothesis.name for hypothesis in hypotheses]
    for hypothesis, path in zip(hypotheses, names, strict=True):
        check_rows(corpus, hypothesis, path)
    if (retokenizer := gold.retokenizer) is not None:
        hypotheses = [
            retokenize_output(corpus, hypothesis, retokenizer, findings)
            for hypothesis in hypotheses
        ]
    for hypothesis, path in zip(hypotheses, names, strict=True):
        check_counts(corpus, hypothesis)
        check_hypothesis(corpus, hypothesis, texts, path=path, validator=gold.validator)
    _add(texts, findings, strict=strict)
    return list(hypotheses)


def _add(texts: Findings, findings: Findings, *, strict: bool) -> None:
    """Add findings about texts, or raise an error; with `strict`, of any that is no note."""
    if strict and (lines := texts.summary(notes=False)):
        raise GecevalError("\n".join(lines))
    refuse_unusable(texts)
    findings.update(texts)


def _language(corpus: Corpus, metrics: Sequence[Metric], extraction: Mapping[str, Any]) -> str:
    """Return the language in which texts will be analyzed; empty if they will not be."""
    if not corpus.has_edits and any(metric.needs_edits for metric in metrics):
        return str(extraction.get("pack", "en"))
    edits = [edit for sent in corpus for ann in sent.annotations for edit in ann.edits]
    if edits and not any(edit.corrects for edit in edits):
        return ""
    return next((lang for metric in metrics if (lang := metric.language)), "")


def note_nested(corpus: Corpus, metrics: Sequence[Metric], findings: Findings) -> None:
    """Report edits inside of others, and how each metric reads them."""
    if not (found := NestedEdits.of(corpus)):
        return
    choosing = [metric.name for metric in metrics if getattr(metric, "nested", "off") != "off"]
    how = (
        f"by {' and '.join(choosing)}, the best reading counts, with the outer or with the inner "
        "edits (--nested off counts both kinds)"
        if choosing
        else "corrected sentences have the outer edits"
    )
    findings.add(
        "nested",
        f"{found.annotations:,} annotations in {found.sentences:,} sentences have edits inside of "
        f"others, which contain their corrections; {how}",
        path=corpus.name,
    )


def extract_gold(corpus: Corpus, annotator: Annotator | None = None, **options: Any) -> Corpus:
    """Extract the edits of each annotator from the corrected sentences.

    Parameters
    ----------
    corpus
        Corpus with corrected sentences.
    annotator
        The annotator to use; None to load one.
    options
        Arguments of `Annotator` for loading it.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["I likke it"], ["I like it"])
    >>> sent = extract_gold(corpus, pack="plain").sentences[0]
    >>> [edit.type for edit in sent.annotations[0].edits]
    ['R:SPELL']
    """
    from geceval.extraction.annotator import Annotator
    from geceval.extraction.corpus import standardize

    annotator = Annotator(**options) if annotator is None else annotator
    sentences = tuple(standardize(corpus.sentences, annotator))
    return replace(corpus, sentences=sentences, extraction=annotator.signature)


def read_missing(
    corpus: Corpus,
    metrics: Sequence[Metric],
    findings: Findings,
    *,
    given: MissingPolicy | None,
    is_open: bool = True,
) -> tuple[list[Metric], MissingPolicy]:
    """Decide how to interpret annotators without a line in some sentences, and report it.

    Unless the user has `given` a policy, for all metrics or for one, metrics that weigh references
    get the policy that the content of the file suggests. Unless it `is_open` what a missing line
    means, only that is reported.

    Returns
    -------
    metrics
        The metrics, each with its policy.
    policy
        The policy for everything else that samples or counts references.
    """
    if given is not None:
        return list(metrics), given

    def takes_policy(metric: Metric) -> bool:
        return metric.weighs_references and not metric.is_given("missing")

    found = MissingAnnotations.of(corpus.first_alignments())
    policy: MissingPolicy = "same" if found.suggested == "same" else "absent"
    if found.open and (is_open or found.suggested):
        names = ", ".join(metric.name for metric in metrics if takes_policy(metric))
        findings.add("missing-annotator", _explained(found, policy, names), path=corpus.name)
    return [
        metric.with_options(missing=policy) if takes_policy(metric) else metric
        for metric in metrics
    ], policy


def _explained(found: MissingAnnotations, policy: MissingPolicy, weighing: str) -> str:
    """Describe the missing lines, their interpretation and the effect of each policy."""
    taken = f"same by {weighing}, absent by others" if policy == "same" and weighing else "absent"
    advice = f"; the file means {found.suggested}, for {found.why}" if found.suggested else ""
    each = "; ".join(f"{one} gives {found.changes(one)}" for one in get_args(MissingPolicy))
    return (
        f"{found.lacking} of {found.sentences} sentences lack some annotator, {found.open} of them "
        f"beside corrections (taken as {taken}{advice}); with --missing-annotator, {each}"
    )
