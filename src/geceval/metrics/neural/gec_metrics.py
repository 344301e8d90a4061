"""Classes of an installed gec-metrics, or of the same interface."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from geceval.errors import GecevalError
from geceval.metrics.neural.backend import Backend, Floats, import_or_explain


class GecMetricsBackend(Backend):
    """The sentence scores of a metric of gec-metrics.

    Parameters
    ----------
    metric
        An object with ``score_sentence``, which takes some of `sources`, `hypotheses` and
        `references`.
    name
        Its name; by default that of its class.

    Notes
    -----
    gec-metrics knows models by name and may download them. Its metrics are therefore made by the
    user, with the models that they choose.
    """

    def __init__(self, metric: Any, *, name: str = "") -> None:
        if not callable(getattr(metric, "score_sentence", None)):
            raise GecevalError(f"{metric!r} has no score_sentence, as metrics of gec-metrics have")
        self._metric = metric
        self._name = name or type(metric).__name__
        self._takes = set(inspect.signature(metric.score_sentence).parameters)
        self.uses_references = "references" in self._takes

    @classmethod
    def named(cls, name: str) -> GecMetricsBackend:
        """Make a metric of gec-metrics with its default configuration.

        Its models must be in the cache of Hugging Face's hub, which is used offline.
        """
        _stay_offline()
        package = import_or_explain("gec_metrics", "this metric", "gec-metrics")
        try:
            kind = package.get_metric(name)
            return cls(kind(kind.Config()), name=name)
        except (ValueError, OSError) as error:
            what = str(error).splitlines()[0]
            raise GecevalError(f"gec-metrics cannot make {name!r}: {what}") from error

    @property
    def identity(self) -> str:
        """Name and configuration of the metric."""
        settings = getattr(getattr(self._metric, "config", None), "__dict__", {})
        written = ",".join(f"{key}={value}" for key, value in settings.items())
        return f"gec-metrics:{self._name}({written})".replace("|", "/")

    def score(
        self, sources: Sequence[str], outputs: Sequence[str], references: Sequence[str]
    ) -> Floats:
        """Score outputs, each against one reference if the metric takes references."""
        given = {
            "sources": list(sources),
            "hypotheses": list(outputs),
            "references": [list(references)],
        }
        wanted = {name: value for name, value in given.items() if name in self._takes}
        return np.asarray(self._metric.score_sentence(**wanted), dtype=np.float64)


def _stay_offline() -> None:
    """Keep Hugging Face's hub from downloading models, whether it is imported already or not."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    constants: Any = sys.modules.get("huggingface_hub.constants")
    if constants is not None:
        constants.HF_HUB_OFFLINE = True
