"""Token-level error detection (GED)."""

from geceval.metrics.detection.metric import TokenDetection

__all__ = ["TokenDetection"]
