"""Grammaticality: the share of tokens without errors found by a grammar checker.

The reference-less metric of Napoles et al. (2016), as used by Choshen and Abend (2018).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from geceval.engines.threads import Latest
from geceval.grammar import Checker, CheckerName, Problem, get_checker, get_ignored_rules
from geceval.metrics._shared.texts import SentenceMean, no_choice
from geceval.metrics.base import check_lengths
from geceval.metrics.options import Jobs
from geceval.metrics.papers import NAPOLES_2016
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Score, SentenceScores, Statistics
from geceval.model import Corpus, Hypothesis

_VARIANTS = {"en": "en-US"}
"""Default variants of languages."""


class Grammaticality(SentenceMean):
    """One minus the number of errors per token that a grammar checker finds.

    It needs no references. Scores of different checkers or versions are not comparable.

    Parameters
    ----------
    checker
        ``"harper"``, which runs in this process, or ``"languagetool"``, a server.
    url
        Address of a LanguageTool server; by default one is found or started.
    lang
        Language of the output, as named by the checker; ``"en"`` means ``"en-US"``.
    raw_tokens
        Check space-separated tokens instead of detokenized text, and ignore only the rules that
        earlier work ignored.
    cache
        Whether to cache answers in the user's cache folder, or a file to cache them in.
    jobs
        Threads, or concurrent requests.
    notify
        Callback for progress messages.

    Notes
    -----
    A sentence without tokens scores 1. One with more errors than tokens scores below 0.

    References
    ----------
    Napoles, Sakaguchi and Tetreault (2016), There's No Comparison: Reference-less Evaluation
    Metrics in Grammatical Error Correction, EMNLP.

    Examples
    --------
    >>> from geceval import Corpus, Hypothesis, Sentence
    >>> corpus = Corpus((Sentence(("He", "go", "home", ".")),))
    >>> metric = Grammaticality(cache=False)
    >>> metric.score(corpus, Hypothesis("source", corpus.sources)).value
    0.75
    """

    name = "grammar"
    title = "grammaticality"
    papers = (NAPOLES_2016,)
    columns = ("errors", "tokens")
    needs_references = False
    counts_sentences_alone = True

    def __init__(
        self,
        *,
        checker: CheckerName = "harper",
        url: str | None = None,
        lang: str = "en-US",
        raw_tokens: bool = False,
        cache: bool | str | Path = True,
        jobs: Jobs = 1,
        notify: Callable[[str], None] | None = None,
    ) -> None:
        lang = _VARIANTS.get(lang, lang)
        self.raw_tokens = raw_tokens
        self.lang = lang
        self.url = url
        self._cache = cache
        self.runs_in_background = checker == "harper"
        self._provenance: Latest[Corpus, Provenance] = Latest()
        self._ignored = get_ignored_rules(checker, raw_tokens=raw_tokens)
        self._plain = get_checker(
            checker,
            url=url,
            lang=lang,
            raw_tokens=raw_tokens,
            jobs=jobs,
            notify=notify,
        )

    @cached_property
    def checker(self) -> Checker:
        """The grammar checker, with or without a cache."""
        from geceval.grammar.cache import CachedChecker, answer_cache
        from geceval.storage.folders import cache_folder

        if self._cache is False:
            return self._plain
        given = None if self._cache is True else Path(self._cache)
        return CachedChecker(
            self._plain, answer_cache(given or cache_folder() / "grammar" / "answers.sqlite")
        )

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        given = {"server": "given"} if self.url is not None else {}
        return {
            "checker": f"{self._plain.name}-{self._plain.version}",
            **given,
            "lang": self.lang,
            "text": "tokens" if self.raw_tokens else "detokenized",
            "ignored": self._ignored.label,
        }

    def problems(self, hypothesis: Hypothesis) -> list[list[Problem]]:
        """Return the errors in the text of each sentence."""
        return self.checker.check([self.text(tokens) for tokens in hypothesis])

    def text(self, tokens: tuple[str, ...]) -> str:
        """Return the text of a sentence for the checker."""
        from geceval.grammar.detokenize import detokenize

        return " ".join(tokens) if self.raw_tokens else detokenize(tokens)

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count errors and tokens of each sentence."""
        check_lengths(corpus, hypothesis)
        counts = np.zeros((len(corpus), 1, 2), dtype=np.int64)
        counts[:, 0, 0] = [len(found) for found in self.problems(hypothesis)]
        counts[:, 0, 1] = [len(tokens) for tokens in hypothesis]
        mask = np.ones(counts.shape[:2], dtype=bool)
        return Statistics(
            counts,
            mask,
            self.columns,
            ("none",),
            self._provenance.get(corpus, Provenance.of_sources),
        )

    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Score each sentence."""
        errors, tokens = statistics.counts[:, 0].T
        values = 1 - errors / np.maximum(1, tokens)
        return SentenceScores(no_choice(statistics), values, {"errors": errors, "tokens": tokens})

    def aggregate(self, statistics: Statistics) -> Score:
        """Average over sentences, and sum the counts."""
        errors, tokens = statistics.counts[:, 0].sum(axis=0)
        parts = {"errors": int(errors), "tokens": int(tokens)}
        return replace(super().aggregate(statistics), parts=parts)
