"""The data model: edits, annotations, sentences, corpora and hypotheses.

Everything here is immutable, compares by value and speaks of token offsets only; formats
convert characters and bytes at the border. See ``docs/guide/model.md``.
"""

from geceval.model.edit import (
    FLAG_TYPES,
    MAX_OFFSET,
    Edit,
    Tokens,
    applicable,
    apply_edits,
    in_order,
    minimize_edit,
    plain_edits,
)
from geceval.model.hypothesis import Hypothesis, OutputReading
from geceval.model.sentence import (
    Annotation,
    Corpus,
    MissingPolicy,
    RawText,
    Sentence,
    annotator_order,
    keep_annotators,
    minimize,
)
from geceval.model.statistics import AnnotatorStatistics, CorpusStatistics

__all__ = [
    "FLAG_TYPES", "MAX_OFFSET", "Annotation", "AnnotatorStatistics", "Corpus", "CorpusStatistics",
    "Edit", "Hypothesis", "MissingPolicy", "OutputReading", "RawText", "Sentence", "Tokens",
    "annotator_order", "applicable", "apply_edits", "in_order", "keep_annotators", "minimize",
    "minimize_edit", "plain_edits",
]  # fmt: skip
