"""Annotators who have no line in some sentences: what it may mean, and what each reading changes.

An annotator without a line did not look (``absent``), found nothing to correct (``noop``), or
agrees with the annotator before (``same``), depending on who wrote the file. The content of the
rest of the file tells more than any convention.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from geceval.model import Corpus, MissingPolicy, Sentence, apply_edits

_ENOUGH = 10
"""Sentences without some annotator below which nothing is concluded from the rest."""

_RARE = 0.25
"""Equal readings, by missing ones, below which a file seems to leave out what is equal."""

_SHORTER = 0.75
"""Edits of a reading where somebody is missing, by those elsewhere: people agree on short ones."""


@dataclass(frozen=True, slots=True)
class MissingReadings:
    """What is missing in a corpus, and what the rest of it says about that.

    Parameters
    ----------
    sentences
        All sentences.
    lacking
        Those in which some annotator has no line.
    open
        Those of them in which somebody corrected something: only there do readings differ.
    reweighted
        Those of them with several different readings, one of which ``same`` would repeat.
    noops
        Sentences in which an annotator is said to have changed nothing while another did.
    repeated
        Sentences in which two annotators made the very same edits.
    fewest, most
        How many annotators a sentence has.
    is_trailing
        Whether the first annotator is always there, and everybody in most sentences.
    is_shorter
        Whether readings have far fewer edits where somebody is missing than elsewhere.
    """

    sentences: int
    lacking: int
    open: int
    reweighted: int
    noops: int
    repeated: int
    fewest: int
    most: int
    is_trailing: bool
    is_shorter: bool

    @classmethod
    def of(cls, corpus: Corpus) -> MissingReadings:
        """Look for what is missing."""
        everybody = corpus.annotators
        lacking = [sent for sent in corpus if len(sent.annotations) < len(everybody)]
        corrected = [sent for sent in corpus if any(ann.edits for ann in sent.annotations)]
        open_ = [sent for sent in corrected if len(sent.annotations) < len(everybody)]
        full = [sent for sent in corrected if len(sent.annotations) == len(everybody)]
        present = Counter(ann.annotator for sent in corpus for ann in sent.annotations)
        return cls(
            sentences=len(corpus),
            lacking=len(lacking),
            open=len(open_),
            reweighted=sum(_n_different(sent) > 1 for sent in open_),
            noops=sum(any(not ann.edits for ann in sent.annotations) for sent in corrected),
            repeated=sum(_repeats(sent) for sent in corrected),
            fewest=min((len(sent.annotations) for sent in corpus), default=0),
            most=len(everybody),
            is_trailing=all(2 * count > len(corpus) for count in present.values())
            and present[everybody[0] if everybody else ""] == len(corpus),
            is_shorter=_mean_edits(open_) < _SHORTER * _mean_edits(full),
        )

    @property
    def suggested(self) -> MissingPolicy | None:
        """The reading that the content speaks for; None where it does not tell.

        A file that says of annotators that they changed nothing means something else where it
        says nothing. Where hardly any two readings are equal, and what is missing stands
        beside a few edits on which people may well agree, equal ones were left out (``same``).
        A file that never says so, but has equal readings, leaves out who changed nothing.
        """
        if self.open < _ENOUGH:
            return None
        if self.noops:
            leaves_out_equals = self.repeated < _RARE * self.open
            is_same = leaves_out_equals and self.is_trailing and self.is_shorter
            return "same" if is_same else None
        return "noop" if self.repeated else None

    @property
    def why(self) -> str:
        """Say what the suggestion rests on."""
        if self.suggested == "same":
            return (
                f"it has lines for those who changed nothing ({self.noops} sentences) and hardly "
                "any equal readings"
            )
        return "it never has a line for an annotator who changed nothing beside one who did"

    def changes(self, policy: MissingPolicy) -> str:
        """Say how many references a reading gives, and which scores it changes."""
        if policy == "absent":
            return f"{self.fewest}-{self.most} references"
        if policy == "noop":
            return (
                f"{self.most} references, and all scores against them change "
                f"(in {self.open} sentences the source is one of them)"
            )
        if not self.reweighted:
            return f"{self.most} references, and no score of a system changes"
        return (
            f"{self.most} references, and scores that draw or average them change "
            f"(in {self.reweighted} sentences one of them counts more)"
        )


def policy_for(corpus: Corpus, given: MissingPolicy | None) -> MissingPolicy:
    """Return how missing annotators are read where it counts how often a reading stands there.

    Unless something else is `given`, that is ``same`` where the content speaks for it.
    """
    if given is not None:
        return given
    return "same" if MissingReadings.of(corpus).suggested == "same" else "absent"


def _repeats(sent: Sentence) -> bool:
    """Whether two annotators made the very same edits."""
    edits = [ann.edits for ann in sent.annotations if ann.edits]
    return len(set(edits)) < len(edits)


def _n_different(sent: Sentence) -> int:
    """Count the different texts that annotators made of a sentence."""
    return len({apply_edits(sent.tokens, ann.edits) for ann in sent.annotations})


def _mean_edits(sentences: Sequence[Sentence]) -> float:
    """Return how many edits a reading has that has any."""
    sizes = [len(ann.edits) for sent in sentences for ann in sent.annotations if ann.edits]
    return sum(sizes) / len(sizes) if sizes else 0.0
