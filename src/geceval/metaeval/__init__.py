"""Measuring the metrics themselves: MAEGE, and correlation with human rankings."""
