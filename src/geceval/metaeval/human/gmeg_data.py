"""GMEG-Data: ratings of corrections in several domains (Napoles et al., 2019)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from geceval.errors import GecevalError
from geceval.formats import Findings, load, load_hypothesis
from geceval.formats.inputs import Input
from geceval.metaeval.human.judgment_files import csv_rows, from_ratings, read_rating
from geceval.metaeval.human.judgments import SOURCE, Judgments, system_name
from geceval.model import Corpus, Hypothesis

DOMAINS = ("fce", "wiki", "yahoo")
SPLITS = ("dev", "test")
_CONTROL = "source+error"
"""Sources with an added error, by which careless raters were found."""


@dataclass(frozen=True, slots=True)
class GmegSet:
    """One domain and split of GMEG-Data.

    Parameters
    ----------
    judgments
        Rankings of the outputs of each sentence by their mean ratings.
    corpus
        Source and references.
    hypotheses
        Outputs of the rated systems, including the source.
    """

    judgments: Judgments
    corpus: Corpus
    hypotheses: tuple[Hypothesis, ...]


def load_gmeg(folder: Path, domain: str, split: str, findings: Findings) -> GmegSet:
    """Read one domain and split of GMEG-Data.

    Parameters
    ----------
    folder
        A copy of the repository, or its folder ``data``.
    domain, split
        Names of the domain and of the split.
    findings
        Receives what was ignored: sentences without ratings, rated systems without output.
    """
    root = next(
        (place for place in (folder / "data" / split, folder / split) if place.is_dir()), None
    )
    if root is None or not (root / domain).is_dir():
        raise GecevalError(
            f"{folder}: expected {split}/{domain}, found none; give a copy of GMEG-Data"
        )
    texts = root / domain
    references = sorted(path for path in texts.glob("ref*") if path.name[3:].isdigit())
    if not references:
        raise GecevalError(f"{texts}: expected the references ref0 to ref3, found none")
    corpus = load(
        texts / "source", *references, text=True, findings=findings, name=f"{domain} {split}"
    )
    path = root / f"{domain}-segment-scores.csv"
    judgments = _read_ratings(path, corpus.name, len(corpus), findings)
    hypotheses = [Hypothesis(SOURCE, corpus.sources)]
    missing = []
    for name in judgments.systems:
        if name == SOURCE:
            continue
        if (texts / name).is_file():
            hypotheses.append(load_hypothesis(texts / name, name=name, findings=findings))
        else:
            missing.append(name)
    if missing:
        message = f"no output of {', '.join(missing)}: rated, but not correlated with metrics"
        findings.add("system-without-output", message, path=str(texts))
    return GmegSet(judgments, corpus, tuple(hypotheses))


def _read_ratings(path: Path, name: str, n_sents: int, findings: Findings) -> Judgments:
    """Read the mean ratings of all systems, one row for each sentence."""
    with Input.open(path, findings=findings) as source:
        rows = csv_rows(source)
        _, header = next(rows, (1, []))
        systems = [system_name(one.strip()) for one in header]
        if len(systems) < 2 or len(set(systems)) < len(systems) or not all(systems):
            raise source.error("expected the names of systems in the first line", line=1)
        items = []
        unrated = row = 0
        for row, (line, cells) in enumerate(rows, 1):
            if len(cells) != len(systems):
                message = f"expected {len(systems)} fields, found {len(cells)}"
                raise source.error(message, line=line)
            rated = {
                system: read_rating(cell.strip(), source, line)
                for system, cell in zip(systems, cells, strict=True)
                if cell.strip()
            }
            unrated += len(systems) - len(rated)
            if rated:
                items.append(from_ratings(row - 1, "", rated))
        if row != n_sents:
            raise source.error(f"rates {row} sentences, but the source has {n_sents}")
        if not items:
            raise source.error("no ratings found")
        if unrated:
            source.note("unrated-output", f"{unrated} outputs have no rating")
    return Judgments(name, tuple(items))


def paths(folder: Path, domains: Iterable[str], splits: Iterable[str]) -> list[Path]:
    """Return all files that `load_gmeg` reads."""
    found: list[Path] = []
    for split in splits:
        for root in (folder / "data" / split, folder / split):
            for domain in domains:
                found += [path for path in root.glob(f"{domain}*") if path.is_file()]
                found += [path for path in root.glob(f"{domain}/*") if path.name != _CONTROL]
    return found
