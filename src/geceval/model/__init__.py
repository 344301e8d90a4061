"""The data model: edits, annotations, sentences, corpora and hypotheses.

All classes are immutable, compare by value and use token offsets; formats convert from and to
characters and bytes. See ``docs/guide/model.md``.
"""

from geceval.model.corpus_statistics import AnnotatorStatistics, CorpusStatistics
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
from geceval.model.nesting import first_reading, is_nested, readings, without_inner
from geceval.model.sentence import (
    DIFF,
    Annotation,
    Corpus,
    MissingPolicy,
    RawText,
    Sentence,
    alignment_name,
    annotation_from_target,
    annotator_order,
    first_alignments,
    keep_annotators,
    minimize,
    split_alignment,
)

__all__ = [
    "DIFF", "FLAG_TYPES", "MAX_OFFSET", "Annotation", "AnnotatorStatistics", "Corpus",
    "CorpusStatistics", "Edit", "Hypothesis", "MissingPolicy", "OutputReading", "RawText",
    "Sentence", "Tokens",
    "alignment_name", "annotation_from_target", "annotator_order", "applicable", "apply_edits",
    "first_alignments", "first_reading", "in_order", "is_nested", "keep_annotators", "minimize",
    "minimize_edit", "plain_edits", "readings", "split_alignment", "without_inner",
]  # fmt: skip
