"""``geceval references``: the mixed references of a gold standard."""

from __future__ import annotations

import math
from collections import Counter
from itertools import islice

import click

from geceval.cli._shared.options import examples, json_option, reading_options
from geceval.cli._shared.show import bars, console, exact, print_findings, print_json, progress
from geceval.errors import GecevalError
from geceval.formats import Findings, read_sentences
from geceval.references.mixed import mixed_references
from geceval.validation.system_output import notice_other_text

RUG_STEP = 5
"""Characters between two powers of ten."""


@click.command(
    epilog=examples(
        """
        geceval references gold.m2
        geceval references gold.m2 --list 5
        geceval references gold.m2 --json
        """
    )
)
@click.argument("gold", metavar="GOLD")
@click.option("--count", "only_count", is_flag=True, help="Count the references (the default).")
@click.option(
    "--list", "n_listed", type=click.IntRange(min=1), metavar="N",
    help="Also list the first N references of each sentence.",
)  # fmt: skip
@reading_options
@json_option
def references(
    gold: str,
    only_count: bool,
    n_listed: int | None,
    format_name: str | None,
    encoding: str,
    as_json: bool,
) -> None:
    """Count or list the mixed references of a gold standard.

    Errors are independent: every combination of the annotators' corrections, one for each error,
    is a reference. Identical references count once.
    """
    if only_count and n_listed is not None:
        raise click.UsageError("--count and --list exclude each other")
    findings = Findings()
    counts: list[int] = []
    listed: list[list[str]] = []
    incomplete = 0
    is_annotated = False
    with read_sentences([gold], format=format_name, findings=findings, encoding=encoding) as (
        _,
        sentences,
    ):
        noticed = notice_other_text(sentences, findings, path=gold)
        for sent in progress(noticed, "mixing", every=16):
            is_annotated = is_annotated or bool(sent.annotations)
            lattice = mixed_references(sent)
            counts.append(lattice.count())
            incomplete += not lattice.is_complete
            if n_listed is not None:
                listed.append([" ".join(words) for words in islice(lattice, n_listed)])
    if counts and not is_annotated:
        raise GecevalError(f"{gold} has no annotations to mix")
    if as_json:
        record = {"schema": 1, "counts": counts, "incomplete": incomplete}
        print_json({**record, "references": listed} if n_listed is not None else record)
        return
    print_findings(findings, stderr=True, notes=False)
    _print(counts, listed, incomplete)


def _print(counts: list[int], listed: list[list[str]], incomplete: int) -> None:
    out = console()
    for number, (count, lines) in enumerate(zip(counts, listed, strict=False)):
        out.print(f"[bold]sentence {number}[/bold] [dim]{count:,} references[/dim]")
        for line in lines:
            out.print(f"  {exact([line])}", soft_wrap=True)
    if counts:
        out.print(bars("Sentences by number of references", _by_magnitude(counts)))
        middle = sorted(counts)[len(counts) // 2]
        out.print(f"maximum {max(counts):,} references, median {middle:,}")
        plot = rug(counts)
        # Wrapped lines would not be aligned; the bars show much the same.
        if max(map(len, plot.split("\n"))) <= out.width:
            out.print(plot)
    if incomplete:
        out.print(f"[yellow]{incomplete} sentences have more than could be counted[/]")


def rug(counts: list[int]) -> str:
    """Draw a mark for each count on a scale of powers of ten, heavier for several counts.

    Examples
    --------
    >>> print(rug([1, 1, 10, 100]))
    ┃    │    │
    1    10^1 10^2
    """
    places = Counter(round(RUG_STEP * math.log10(count)) for count in counts)
    last = max(places)
    marks = "".join(
        " " if not places[place] else "│" if places[place] == 1 else "┃"
        for place in range(last + 1)
    )
    powers = range(last // RUG_STEP + 1)
    scale = "".join(("1" if not power else f"10^{power}").ljust(RUG_STEP) for power in powers)
    return f"{marks}\n{scale.rstrip()}"


def _by_magnitude(counts: list[int]) -> dict[str, int]:
    """Group counts by their number of digits."""
    digits = Counter(len(str(count)) for count in counts)
    labels = {
        size: "1–9" if size == 1 else f"10^{size - 1} –" for size in range(1, max(digits) + 1)
    }
    return {label: digits[size] for size, label in labels.items()}
