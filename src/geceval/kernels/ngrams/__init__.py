"""Counts of n-grams of whole corpora."""
