"""The small English spaCy pipeline, run by a compiled kernel. See the README in this folder."""

from geceval.extraction.lang.en_fast.fast import FastAnalyzer
from geceval.extraction.lang.en_fast.self_check import DifferentResultsError, check
from geceval.extraction.lang.en_fast.weights import OtherArchitectureError

__all__ = ["DifferentResultsError", "FastAnalyzer", "OtherArchitectureError", "check"]
