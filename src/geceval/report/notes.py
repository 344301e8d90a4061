"""Explanations on the page: how to read the scoreboard, people, and how numbers were made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from geceval.report.first_screen import FEW_PEOPLE, people
from geceval.report.results import Results, WarningRecord
from geceval.report.short_names import short_names


def reading_guide(results: Results) -> list[tuple[str, str]]:
    """Explain what the scoreboard shows: terms and texts."""
    settings = results["settings"]
    percent = f"{100 * settings['level']:g} %"
    guide = []
    if settings["resamples"]:
        text = f"{percent} confidence intervals; all bars of a column share one scale."
        guide.append(("Bars", text))
    else:
        guide.append(("Bars", "Scores; confidence intervals were not requested."))
    if any(results["comparisons"].values()):
        guide += [
            (
                "1–3",
                (
                    "Ranks that the tests leave open: from one plus the number of systems that are"
                    " significantly better, to the number of systems minus those that are"
                    " significantly worse."
                ),
            ),
            (
                "I, II",
                (
                    "Clusters (Koehn, 2012): a cluster ends only where every system above is"
                    " significantly better than every system below. Systems of the same cluster may"
                    " still differ significantly: the matrix tells."
                ),
            ),
            ("Bold", "No system is significantly better, by that metric."),
            (
                "Significant",
                (
                    f"Adjusted p below {1 - settings['level']:.2g} in paired tests"
                    f" ({settings['test']}, {settings['test_resamples']:,} resamples, adjusted for"
                    " all pairs)."
                ),
            ),
        ]
    n_people = len(people(results))
    if n_people > FEW_PEOPLE:
        text = f"The mean of {n_people} annotators, each scored against the others."
        guide.append(("People", text))
    elif n_people:
        other = "the other annotator" if n_people == FEW_PEOPLE else "the others"
        guide.append(("Annotator", f"A person, scored against {other}."))
    if text := power_note(results):
        guide.append(("Power", text))
    return guide


def badge_text(results: Results, grave: Sequence[WarningRecord]) -> str:
    """Say which inputs have findings that change scores; they are worth fixing.

    Parameters
    ----------
    grave
        The findings of severity ``"error"``.
    """
    labels = dict(zip(results["systems"], short_names(results["systems"]), strict=True))
    systems = {
        one["file"]: labels.get(one["name"], one["name"])
        for one in results["inputs"]
        if one["role"] == "system"
    }
    files = list(dict.fromkeys(one["file"] for one in grave))
    names = [systems[file] for file in files if file in systems]
    if len(names) < len(files):
        return "Scores would change if the inputs were fixed"
    if len(names) > 2:
        return f"{len(names)} systems would score otherwise if their files were fixed"
    whose = "its file were" if len(names) == 1 else "their files were"
    return f"{' and '.join(names)} would score otherwise if {whose} fixed"


def findings_shown(warnings: Iterable[WarningRecord]) -> list[tuple[str, str, int]]:
    """Return findings as sentences, with severity and how many more there are.

    Those that say the same of several files are one sentence.
    """
    groups: dict[tuple[str, str], list[WarningRecord]] = {}
    for one in warnings:
        groups.setdefault((one["severity"], one["message"].rstrip(".")), []).append(one)
    found = []
    for (severity, message), group in groups.items():
        places = "; ".join(filter(None, map(_place, group)))
        text = f"{places}: {message}." if places else f"{message[:1].upper()}{message[1:]}."
        found.append((text, severity, sum(one["count"] for one in group) - len(group)))
    return found


def _place(warning: WarningRecord) -> str:
    line = f"line {warning['line']}" if warning["line"] else None
    return ", ".join(filter(None, (warning["file"], line)))


def power_note(results: Results) -> str:
    """Say which differences the test set can detect by the first metric; empty if unknown."""
    first = results["metrics"][0]
    power = results.get("power", {}).get(first["name"])
    if power is None:
        return ""
    text = (
        f"This test set can detect differences of {power['detectable']:.3f} by {first['title']}"
        f" (with a probability of {100 * power['power']:g} %, in a single test"
    )
    if f"{power['least']:.3f}" != f"{power['greatest']:.3f}":
        text += f"; {power['least']:.3f} to {power['greatest']:.3f}, depending on the systems"
    return f"{text})."


def people_note(results: Results) -> str:
    """Explain the scores of people, and why a system may lie above them."""
    found = people(results)
    if not found:
        return (
            "Doing nothing is the score of the unchanged source. People would be scored against"
            " each other, which takes two annotators."
        )
    whole, fewer, others = "both annotators", "only one of them", "the other one"
    if len(found) > FEW_PEOPLE:
        whole, fewer = f"all {len(found)} annotators", f"only {len(found) - 1} of them"
        others = "the others"
    text = (
        "Doing nothing is the score of the unchanged source. Each annotator is scored like a"
        f" system, against {others}. A system may lie above people: it is scored against {whole},"
        f" a person against {fewer}, which leaves fewer ways to be right."
    )
    if results.get("equal_references"):
        text += (
            " For an equal comparison, systems were also scored against all annotators but one,"
            " each left out in turn, on the sentences of that annotator; the table has the mean."
        )
    return text


def method_note(results: Results) -> str:
    """Say how intervals and tests were made."""
    settings = results["settings"]
    if not settings["resamples"]:
        return "Neither confidence intervals nor paired tests were requested."
    text = (
        f"{100 * settings['level']:g} % confidence intervals from {settings['resamples']:,}"
        f" bootstrap resamples of the sentences (seed {settings['seed']})."
    )
    if any(results["comparisons"].values()):
        text += (
            f" All pairs of systems were compared by paired tests ({settings['test']},"
            f" {settings['test_resamples']:,} resamples, adjusted for all pairs by Holm’s method);"
            f" a difference is significant if the adjusted p is below {1 - settings['level']:.2g}."
        )
    return text
