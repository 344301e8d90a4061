"""Comparison of the fast analyzer with spaCy on this machine, with a cached result.

Rounding may depend on the machine, and the pipeline on the version of spaCy. Before the first use
of a model on a machine, both therefore analyze 200 sentences. The analyses must be equal, and the
scores must differ by much less than the margin below which spaCy is used anyway.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geceval import __version__
from geceval.engines.blas import blas_names, one_blas_thread
from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import SpacedTokens, Text
from geceval.extraction.lang.en_fast.fast import MARGIN, FastAnalyzer
from geceval.extraction.lang.en_fast.weights import digest
from geceval.extraction.lang.spacy_analyzer import SpacyAnalyzer, document
from geceval.model import Tokens
from geceval.storage import strict_json
from geceval.storage.atomic import write_bytes
from geceval.storage.folders import cache_folder

if TYPE_CHECKING:
    from spacy.language import Language

MAX_DRIFT = MARGIN / 3
"""Maximum difference of the scores of tags from spaCy's."""

_PACKAGES = ("spacy", "thinc", "blis", "numpy")

# Norms that spaCy's tokenizer assigns to parts of words.
_NORMS = {"n't": "not", "gon": "going", "na": "to", "'m": "am", "wo": "will", "ca": "can"}

_SENTENCES = """\
I have lived in this town since I was nine years old , and I still like it .
Yesterday she go to the market with her brother for buy some vegetables .
The informations which you gave us was not enough to solve the problem .
Do you know where the nearest railway station is ?
" I do n't think so , " he said , shaking his head slowly .
There are many reason why people moves from villages to big cities .
Let 's meet at 5.30 p.m. in front of the library , shall we ?
My parents ' house , which was built in 1987 , is being painted green .
What a beautiful garden you 've got !
If I were you , I would of asked the teacher before .
Neither the manager nor his assistants has answered my three e-mails .
He is taller then me but I run more faster .
Having finished their homework , the children went out to play football .
In my opinion , smoking should be ban in all public places .
We 're gon na need a bigger boat , are n't we ?
The more you practise , the better you will become at it .
She asked me that what was I doing there at midnight .
Email us at help@example.org or visit https://example.org/a?b=1&c=2 today !
To whom it may concern : I am writing to complain about the service .
It 's been raining for 3 days ; the river 's rising quickly .
Some of the students who 'd failed the exam was allowed to take it again .
Please , turn off the lights when you leaving the room .
John 's sister 's car broke down on the way to Dr. Brown 's office .
Although it was cold but nobody wore a coat .
Prices rose by 12.5 % in March , from $ 40 to $ 45 per unit .
I look forward to hear from you as soon as possible .
Nowadays , almost every families have at least one computers at home .
The dog that chased the cat that ate the mouse was barking .
You should not to worry about it , because it is not your fault .
First of all , I 'd like to thank everyone who helped us .
They suggested me to visit the museum , wich is free on sundays .
Is it true that he used to be a pilot before he retired ?
Money can not buy happiness , but it makes life much easier .
ok so i told him dat its not gonna work lol :-) 👍
Living in the countryside has both advantages and disadvantages .
The book is about a old man who live alone on a small island .
Never before had so many visitors come to our little museum .
Shakespeare 's plays are still performed all over the world .
He bought apples , pears , plums and two kilos of the best cherries .
After that we eaten dinner and went to bed early , tired but happy .
The government 's new plan – announced on Monday – has been criticised .
I wish I have more time for reading the books that I love it .
Who 's that girl you were talking to when I came in ?
Scientists believe that climate change will effect us all .
( See Figure 2 below , and Table A-3 on page 17 . )
Somebody must have taken my umbrella by mistake .
Running down the street , the bus was missed by Anna .
naïve café Ω 東京 #hashtag @user ... ??? <b> & ~ § 1/2 3rd
As a result of , many animal are losing there homes in the forest .
Yes .
"""


class DifferentResultsError(Exception):
    """The fast analyzer and spaCy disagree; the message says how."""


def sentences() -> list[Tokens]:
    """Return 200 sentences: unchanged, lower-cased, reversed, and with every other word."""
    plain = [tuple(line.split()) for line in _SENTENCES.splitlines()]
    return [
        *plain,
        *(tuple(word.lower() for word in sentence[:-1]) for sentence in plain),
        *(sentence[::-1] for sentence in plain),
        *(sentence[::2] for sentence in plain),
    ]


def raw_sentences() -> list[SpacedTokens]:
    """Return some of the sentences as raw text, without spaces before punctuation."""
    return [_raw(tuple(line.split())) for line in _SENTENCES.splitlines()]


def _raw(tokens: Tokens) -> SpacedTokens:
    """Remove spaces before tokens that are no words, and assign norms to parts of words."""
    spaces = (*(word[0].isalnum() for word in tokens[1:]), False)
    norms = tuple(_NORMS.get(word) for word in tokens)
    return SpacedTokens(tokens, spaces, norms)


def check(fast: FastAnalyzer, spacy: SpacyAnalyzer) -> None:
    """Compare both analyzers, or use the cached result of an earlier comparison.

    Raises
    ------
    DifferentResultsError
        If they differ.
    """
    path = cache_folder() / "analyzer" / f"{_key(spacy)}.json"
    difference = _read_result(path)
    if difference is None:
        difference = find_difference(fast, spacy, [*sentences(), *raw_sentences()])
        _write_result(path, difference)
    if difference:
        raise DifferentResultsError(difference)


def find_difference(fast: FastAnalyzer, spacy: SpacyAnalyzer, sentences: Sequence[Text]) -> str:
    """Describe the difference; an empty string for none."""
    # One by one, so that sentences cannot influence each other.
    expected = [spacy.analyze([sentence])[0] for sentence in sentences]
    found = fast.analyze(sentences)
    n_different = sum(ours != theirs for ours, theirs in zip(found, expected, strict=True))
    if n_different:
        return f"the fast analyzer differs from it in {n_different} of {len(found)} sentences"
    drift = max(_drift(fast, spacy.nlp, sentence) for sentence in sentences if sentence)
    if not drift <= MAX_DRIFT:
        return f"the scores of the fast analyzer differ from its scores by {drift:.2g}"
    return ""


def _drift(fast: FastAnalyzer, nlp: Language, sentence: Text) -> float:
    """Compute the largest difference between scores of tags."""
    tok2vec: Any = nlp.get_pipe("tok2vec")
    tagger: Any = nlp.get_pipe("tagger")
    with one_blas_thread():
        (scores,) = tagger.model.predict([tok2vec(document(nlp.vocab, sentence))])
        return float(abs(scores - fast.tag_scores(sentence)).max())


def _key(spacy: SpacyAnalyzer) -> str:
    """Return a hash of everything that may affect the results."""
    parts = [
        __version__,
        spacy.signature,
        digest(spacy.nlp),
        *(f"{name}-{version(name)}" for name in _PACKAGES),
        platform.python_version(),
        _processor(),
        *blas_names(),
    ]
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()


def _processor() -> str:
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line for line in file if line.startswith("model name")), platform.machine())
    return platform.processor() or platform.machine()


def _read_result(path: Path) -> str | None:
    """Return the result of an earlier comparison, or None."""
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["difference"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write_result(path: Path, difference: str) -> None:
    """Cache the result; without write access, the comparison is repeated next time."""
    record = {"difference": difference, "sentences": len(sentences())}
    with suppress(OSError, GecevalError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, strict_json.dumps(record).encode())
