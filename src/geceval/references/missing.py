"""Interpretation of annotators without a line in some sentences, and its effect on scores.

An annotator without a line is absent (``absent``), found nothing to correct (``noop``), or agrees
with the previous annotator (``same``), depending on the corpus. The rest of the corpus suggests
which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from geceval.model import Corpus, MissingPolicy, Sentence, apply_edits

_ENOUGH = 10
"""Minimum number of sentences without some annotator for a suggestion."""

_RARE = 0.25
"""Ratio of equal to missing annotations below which equal ones seem to be omitted."""

_SHORTER = 0.75
"""Ratio of the edits per annotation where an annotator is missing to those elsewhere, as
annotators agree on few edits."""


@dataclass(frozen=True, slots=True)
class MissingAnnotations:
    """Counts of missing annotations, and evidence for their interpretation.

    Parameters
    ----------
    sentences
        All sentences.
    lacking
        Those in which some annotator has no line.
    open
        Those of them with edits: only there do policies differ.
    reweighted
        Those of them with several different annotations, one of which ``same`` would repeat.
    noops
        Sentences with both an empty annotation and edits.
    repeated
        Sentences in which two annotators made equal edits.
    fewest, most
        Minimum and maximum number of annotators of a sentence.
    is_trailing
        Whether the first annotator is never missing, and all are present in most sentences.
    is_shorter
        Whether annotations have far fewer edits where an annotator is missing than elsewhere.
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
    def of(cls, corpus: Corpus) -> MissingAnnotations:
        """Count missing annotations."""
        annotators = corpus.annotators
        lacking = [sent for sent in corpus if len(sent.annotations) < len(annotators)]
        corrected = [sent for sent in corpus if any(ann.edits for ann in sent.annotations)]
        open_ = [sent for sent in corrected if len(sent.annotations) < len(annotators)]
        full = [sent for sent in corrected if len(sent.annotations) == len(annotators)]
        present = Counter(ann.annotator for sent in corpus for ann in sent.annotations)
        return cls(
            sentences=len(corpus),
            lacking=len(lacking),
            open=len(open_),
            reweighted=sum(_n_different(sent) > 1 for sent in open_),
            noops=sum(any(not ann.edits for ann in sent.annotations) for sent in corrected),
            repeated=sum(_repeats(sent) for sent in corrected),
            fewest=min((len(sent.annotations) for sent in corpus), default=0),
            most=len(annotators),
            is_trailing=all(2 * count > len(corpus) for count in present.values())
            and present[annotators[0] if annotators else ""] == len(corpus),
            is_shorter=_mean_edits(open_) < _SHORTER * _mean_edits(full),
        )

    @property
    def suggested(self) -> MissingPolicy | None:
        """The policy that the corpus suggests; None without sufficient evidence.

        A corpus with empty annotations omits something else. If hardly any annotations are equal,
        and annotators are missing beside few edits, on which they may well agree, equal ones
        were omitted (``same``). A corpus without empty but with equal annotations omits empty
        ones (``noop``).
        """
        if self.open < _ENOUGH:
            return None
        if self.noops:
            omits_equal = self.repeated < _RARE * self.open
            is_same = omits_equal and self.is_trailing and self.is_shorter
            return "same" if is_same else None
        return "noop" if self.repeated else None

    @property
    def why(self) -> str:
        """The evidence for the suggestion."""
        if self.suggested == "same":
            return (
                f"it has lines for those who changed nothing ({self.noops} sentences) and hardly "
                "any equal annotations"
            )
        return "it never has a line for an annotator who changed nothing beside one who did"

    def changes(self, policy: MissingPolicy) -> str:
        """Describe the number of references with a policy, and its effect on scores."""
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
            f"{self.most} references, and scores that sample or average them change "
            f"(in {self.reweighted} sentences one of them counts more)"
        )


def policy_for(corpus: Corpus, given: MissingPolicy | None) -> MissingPolicy:
    """Return the policy for metrics in which repeated references have more weight.

    Unless `given`, it is ``same`` if the corpus suggests it, otherwise ``absent``.
    """
    if given is not None:
        return given
    return "same" if MissingAnnotations.of(corpus).suggested == "same" else "absent"


def _repeats(sent: Sentence) -> bool:
    """Whether two annotators made equal edits."""
    edits = [ann.edits for ann in sent.annotations if ann.edits]
    return len(set(edits)) < len(edits)


def _n_different(sent: Sentence) -> int:
    """Count the distinct corrected texts of a sentence."""
    return len({apply_edits(sent.tokens, ann.edits) for ann in sent.annotations})


def _mean_edits(sentences: Sequence[Sentence]) -> float:
    """Return the mean number of edits of annotations with edits."""
    sizes = [len(ann.edits) for sent in sentences for ann in sent.annotations if ann.edits]
    return sum(sizes) / len(sizes) if sizes else 0.0
