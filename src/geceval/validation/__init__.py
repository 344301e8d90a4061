"""Validation of input files and system outputs."""
