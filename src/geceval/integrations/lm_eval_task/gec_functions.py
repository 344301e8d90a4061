"""Functions of the task gec."""

from geceval.integrations.lm_eval import aggregation, process_results

METRICS = ("m2", "gleu")

process = process_results(METRICS)
m2 = aggregation("m2", lang="en")
gleu = aggregation("gleu")
