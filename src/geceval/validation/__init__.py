"""Checks of input files and of system output before they are scored."""
