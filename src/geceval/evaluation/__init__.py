"""Scoring systems: one loop, resampling and ranking."""
