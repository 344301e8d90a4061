"""Compiled loops; they know integers and arrays only."""
