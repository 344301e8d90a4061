"""Edits out of parallel text: align, merge, classify."""
