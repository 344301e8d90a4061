"""The tables of Choshen and Abend (2018), and the options of metrics in its released code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class PublishedRow(NamedTuple):
    """A row of table 2 or 4: Spearman's ρ of corpora, Pearson's r and Kendall's τ of sentences."""

    spearman: float
    pearson: float
    kendall: float


TABLE_2: Mapping[str, PublishedRow] = {
    "iBLEU": PublishedRow(0.418, 0.230, 0.050),
    "M2": PublishedRow(0.060, -0.025, 0.213),
    "LT": PublishedRow(0.973, 0.167, 0.222),
    "BLEU": PublishedRow(0.564, 0.214, 0.111),
    "MinLD O→R": PublishedRow(-0.867, 0.011, -0.183),
    "GLEU": PublishedRow(0.736, 0.189, -0.028),
    "MAX-SARI": PublishedRow(-0.809, 0.027, -0.070),
    "SARI": PublishedRow(-0.545, 0.061, -0.039),
    "LD S→O": PublishedRow(-0.118, 0.109, 0.094),
}
"""Correlations with sampled sources, by metric."""

TABLE_4: Mapping[str, PublishedRow] = {
    "iBLEU": PublishedRow(-0.872, 0.235, 0.053),
    "M2": PublishedRow(0.882, -0.014, 0.223),
    "LT": PublishedRow(0.836, 0.175, 0.184),
    "BLEU": PublishedRow(0.845, 0.217, 0.115),
    "MinLD O→R": PublishedRow(-0.909, 0.022, -0.180),
    "GLEU": PublishedRow(0.945, 0.208, 0.003),
    "MAX-SARI": PublishedRow(0.772, 0.053, 0.004),
    "SARI": PublishedRow(0.800, 0.084, 0.022),
    "LD S→O": PublishedRow(-0.972, 0.025, 0.070),
}
"""Correlations with the originals as sources, by metric."""

_COLUMNS = ("iBLEU", "M2", "LT", "BLEU", "MinLD O→R", "GLEU", "MAX-SARI", "SARI", "LD S→O")
_ROWS = {
    "WOinc": (0.016, -0.000, -0.002, -0.005, -0.026, -0.051, -0.075, -0.046, 0.063),
    "Nn": (0.033, -0.001, 0.004, 0.029, -0.007, 0.025, 0.043, 0.037, 0.017),
    "Npos": (-0.001, 0.001, -0.004, -0.011, -0.007, -0.030, -0.023, -0.009, 0.014),
    "Sfrag": (-0.025, -0.003, -0.000, -0.067, -0.068, -0.143, -0.177, -0.142, 0.076),
    "Wtone": (-0.013, -0.002, -0.008, -0.024, -0.021, -0.026, -0.086, -0.055, 0.018),
    "Srun": (-0.027, -0.004, -0.004, -0.048, -0.014, -0.078, -0.039, -0.030, 0.020),
    "ArtOrDet": (0.028, -0.001, 0.001, 0.019, -0.006, -0.003, -0.022, -0.003, 0.024),
    "Vt": (0.054, -0.001, 0.005, 0.046, -0.002, 0.011, 0.003, 0.018, 0.025),
    "Wa": (0.041, -0.002, -0.002, -0.013, 0.006, -0.028, -0.073, -0.090, 0.071),
    "Wform": (0.049, -0.001, 0.002, 0.044, -0.003, 0.010, 0.004, 0.020, 0.022),
    "WOadv": (0.007, 0.000, 0.009, 0.011, 0.012, 0.006, 0.088, 0.054, -0.014),
    "V0": (0.015, -0.001, 0.019, 0.005, -0.003, -0.006, -0.010, -0.004, 0.015),
    "Trans": (-0.011, 0.000, 0.005, -0.022, -0.029, -0.031, -0.019, -0.004, 0.013),
    "Pform": (0.021, -0.001, 0.003, 0.011, -0.012, -0.019, -0.003, 0.005, 0.030),
    "Smod": (-0.052, 0.001, 0.004, -0.093, -0.072, -0.126, -0.062, -0.043, 0.055),
    "Ssub": (-0.005, 0.000, -0.011, -0.024, -0.027, -0.052, -0.072, -0.038, 0.026),
    "Wci": (-0.008, -0.001, 0.004, -0.022, -0.029, -0.045, -0.049, -0.032, 0.017),
    "Vm": (-0.007, -0.001, -0.001, -0.029, -0.027, -0.075, -0.070, -0.059, 0.030),
    "Pref": (-0.003, -0.001, 0.002, -0.015, -0.022, -0.045, -0.048, -0.035, 0.018),
    "Mec": (0.012, 0.001, 0.014, 0.004, -0.013, -0.014, 0.000, 0.002, 0.018),
    "Vform": (0.043, -0.001, 0.006, 0.044, 0.000, 0.030, 0.033, 0.043, 0.013),
    "Prep": (0.018, -0.000, 0.004, 0.011, -0.008, -0.001, -0.010, 0.005, 0.014),
    "Um": (-0.038, -0.001, -0.007, -0.043, -0.100, -0.037, -0.046, -0.032, 0.009),
    "Others": (-0.048, -0.000, 0.007, -0.063, -0.054, -0.060, -0.040, -0.024, -0.000),
    "Rloc-": (0.004, -0.001, -0.004, -0.006, -0.027, -0.023, -0.028, -0.019, 0.022),
    "Spar": (0.041, 0.001, 0.003, 0.035, -0.012, -0.003, 0.008, 0.026, 0.024),
    "SVA": (0.045, -0.001, -0.001, 0.037, -0.005, -0.002, 0.012, 0.015, 0.021),
}

TABLE_3: Mapping[str, Mapping[str, float]] = {
    metric: {name: row[column] for name, row in _ROWS.items()}
    for column, metric in enumerate(_COLUMNS)
}
"""Mean score changes, by metric and error type."""

N_CHAINS, N_ELEMENTS = 1809, 7936
"""Numbers of chains and of their corrections. The paper has 1312 chains, which is a slip."""

RELEASED_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "ld-source": {"length": "first"},
    "ld-reference": {"length": "second"},
    "ibleu": {"source_term": "reward"},
    "grammar": {"raw_tokens": True},
}
"""Options of metrics that are closest to the released code, by the names of the metrics."""
