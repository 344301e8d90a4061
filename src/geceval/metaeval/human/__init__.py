"""Correlation of metrics with human judgments."""
