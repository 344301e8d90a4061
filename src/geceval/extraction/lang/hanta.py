"""German by HanTa, which the user installs: it is under the LGPL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import Analysis, Text, tokens_of
from geceval.extraction.lang.backends import HANTA, installed_version
from geceval.extraction.surface import is_punctuation
from geceval.model import Tokens
from geceval.text import tokenize, tokens_at

MODEL = "morphmodel_ger.pgz"

_CLASSES = {
    **dict.fromkeys(["ADJA", "ADJD"], "ADJ"),
    **dict.fromkeys(["ADV", "PROAV", "PWAV"], "ADV"),
    **dict.fromkeys(["APPR", "APPRART", "APPO", "APZR", "KOKOM", "PTKVZ"], "ADP"),
    **dict.fromkeys(["ART", "PDAT", "PIAT", "PIDAT", "PPOSAT", "PRELAT", "PWAT"], "DET"),
    **dict.fromkeys(["PDS", "PIS", "PPER", "PPOSS", "PRELS", "PRF", "PWS"], "PRON"),
    "CARD": "NUM",
    "KON": "CCONJ",
    **dict.fromkeys(["KOUI", "KOUS"], "SCONJ"),
    "NN": "NOUN",
    "NE": "PROPN",
    **dict.fromkeys(["PTKZU", "PTKNEG", "PTKA"], "PART"),
    **dict.fromkeys(["PTKANT", "ITJ"], "INTJ"),
    **dict.fromkeys(["$,", "$.", "$("], "PUNCT"),
    **dict.fromkeys(["FM", "TRUNC", "XY"], "X"),
}
"""Universal word classes of the tags of STTS, except verbs."""

_PREFIXES = {"VV": "VERB", "VA": "AUX", "VM": "AUX"}
_VERB_FORMS = {
    "FIN": "VerbForm=Fin", "INF": "VerbForm=Inf", "IZU": "VerbForm=Inf", "PP": "VerbForm=Part",
    "IMP": "Mood=Imp|VerbForm=Fin",
}  # fmt: skip
_PRONOUNS = {
    "ART": "PronType=Art", "PDAT": "PronType=Dem", "PDS": "PronType=Dem", "PIAT": "PronType=Ind",
    "PIDAT": "PronType=Ind", "PIS": "PronType=Ind", "PPER": "PronType=Prs",
    "PPOSAT": "Poss=Yes|PronType=Prs", "PPOSS": "Poss=Yes|PronType=Prs",
    "PRF": "PronType=Prs|Reflex=Yes", "PRELAT": "PronType=Rel", "PRELS": "PronType=Rel",
    "PWAT": "PronType=Int", "PWAV": "PronType=Int", "PWS": "PronType=Int",
    "PTKNEG": "Polarity=Neg",
}  # fmt: skip
_BRACKETS = re.compile(r"(?<=.)[()]")


class HantaAnalyzer:
    """An analyzer that runs the German model of HanTa."""

    kind = ""

    def __init__(self) -> None:
        HANTA.check()
        from HanTa import HanoverTagger

        self.signature = f"HanTa-{installed_version('HanTa')}"
        self._tagger = HanoverTagger.HanoverTagger(MODEL)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle nothing: the model is loaded again."""
        return HantaAnalyzer, ()

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze sentences, in order."""
        return [self._analysis(tokens_of(sentence)) for sentence in sentences]

    def tokenize(self, text: str) -> Tokens:
        """Tokenize raw text by rules."""
        return tokens_at(text, tokenize(text))

    def _analysis(self, tokens: Tokens) -> Analysis:
        tagged = self._tagger.tag_sent(list(tokens)) if tokens else []
        if len(tagged) != len(tokens):
            raise GecevalError(f"HanTa splits this sentence differently: {' '.join(tokens)!r}")
        tags = [_BRACKETS.sub("", tag) for _, _, tag in tagged]
        return Analysis(
            tokens,
            tuple(tags),
            tuple(
                [
                    "PUNCT" if is_punctuation(token) else word_class(tag)
                    for token, tag in zip(tokens, tags, strict=True)
                ]
            ),
            tuple([lemma for _, lemma, _ in tagged]),
            tuple(range(len(tokens))),
            ("",) * len(tokens),
            feats=tuple(map(tag_features, tags)),
        )


def word_class(tag: str) -> str:
    """Return the universal word class of a tag of STTS.

    Examples
    --------
    >>> word_class("VVFIN"), word_class("APPRART"), word_class("NNA")
    ('VERB', 'ADP', 'NOUN')
    """
    tag = "NN" if tag in ("NNA", "NNI") else tag
    return _CLASSES.get(tag) or _PREFIXES.get(tag[:2], "X")


def tag_features(tag: str) -> str:
    """Return the features that a tag of STTS tells.

    Examples
    --------
    >>> tag_features("VVIMP"), tag_features("PRF"), tag_features("NN")
    ('Mood=Imp|VerbForm=Fin', 'PronType=Prs|Reflex=Yes', '')
    """
    if tag[:2] in _PREFIXES:
        return next((feats for end, feats in _VERB_FORMS.items() if tag[2:].endswith(end)), "")
    return _PRONOUNS.get(tag, "")
