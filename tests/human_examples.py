"""A small gold standard with systems that people have judged, all made up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from geceval.evaluation.ranking import RankRange
from geceval.metaeval.human.judgments import Judgment, Judgments, Place
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence

WORDS = ("one", "two", "three", "four", "five", "six")


def sentence(number: int) -> Sentence:
    """A sentence with two errors, of which systems correct none, one or both."""
    tokens = ("It", "are", "the", "number", WORDS[number], ",", "she", "say", ".")
    edits = (Edit(1, 2, (("is",),), "SVA"), Edit(7, 8, (("says",),), "SVA"))
    return Sentence(tokens, (Annotation("0", edits),))


CORPUS = Corpus(tuple(sentence(number) for number in range(6)), "gold")


def output(name: str, n_edits: int, *, spoiled: bool = False) -> Hypothesis:
    """A system that makes the first edits of each sentence, and perhaps a bad one."""
    sentences = []
    for sent in CORPUS:
        tokens = list(sent.tokens)
        for edit in sent.annotations[0].edits[:n_edits]:
            tokens[edit.start] = edit.correction[0]
        if spoiled:
            tokens[2] = "an"
        sentences.append(tuple(tokens))
    return Hypothesis(name, tuple(sentences))


SYSTEMS = [output("Best", 2), output("Good", 1), output("Bad", 1, spoiled=True),
           output("Worst", 0, spoiled=True)]  # fmt: skip


def appraise(items: list[tuple[int, str, list[tuple[str, int]]]]) -> str:
    """Write judgments down: sentence, judge, and systems with their ranks."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<appraise-results>", "<ranking-result>"]
    for sent, judge, ranks in items:
        lines.append(f'<ranking-item src-id="{sent}" user="{judge}">')
        lines += [f'<translation system="{name}" rank="{rank}"/>' for name, rank in ranks]
        lines.append("</ranking-item>")
    return "\n".join([*lines, "</ranking-result>", "</appraise-results>", ""])


# Everybody agrees, but for one judge in one sentence; sentence 5 was not judged.
JUDGED = [
    (0, "anna", [("Best", 1), ("Good", 2), ("src", 3), ("Worst", 4)]),
    (0, "ben", [("Best", 1), ("Good", 2), ("src", 3), ("Worst", 4)]),
    (1, "anna", [("Best", 1), ("Good", 2), ("Bad", 3), ("Worst", 4)]),
    (1, "ben", [("Good", 1), ("Best", 2), ("Bad", 3), ("Worst", 4)]),
    (2, "anna", [("Best", 1), ("src", 2), ("Bad", 3), ("Other", 4)]),
    (3, "ben", [("Good", 1), ("Bad", 2), ("src", 2), ("Worst", 3)]),
    (4, "ben", [("Best", 1), ("Bad", 3), ("Worst", 4), ("Other", 5)]),
]


def m2(corpus: Corpus) -> str:
    """Write a gold standard down."""
    blocks = []
    for sent in corpus:
        lines = [f"S {' '.join(sent.tokens)}"]
        lines += [
            f"A {edit.start} {edit.end}|||{edit.type}|||{' '.join(edit.correction)}"
            f"|||REQUIRED|||-NONE-|||{ann.annotator}"
            for ann in sent.annotations
            for edit in ann.edits
        ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def write_examples(folder: Path) -> None:
    """Write gold standard, judgments and outputs to files."""
    (folder / "gold.m2").write_text(m2(CORPUS))
    (folder / "judgments.xml").write_text(appraise(JUDGED))
    (folder / "outputs").mkdir()
    for system in SYSTEMS:
        lines = [" ".join(tokens) for tokens in system]
        # Names of files and of judged systems differ in letter case.
        (folder / "outputs" / f"{system.name.lower()}.txt").write_text("\n".join(lines) + "\n")


def ranked(*orders: str) -> Judgments:
    """Make judgments of strings such as ``AB>C``: systems, and > where ranks change."""
    return Judgments(
        "made up",
        tuple(
            Judgment(
                number,
                "anna",
                tuple(
                    Place((name,), rank)
                    for rank, names in enumerate(order.split(">"), 1)
                    for name in names
                ),
            )
            for number, order in enumerate(orders)
        ),
    )


def published_scores(path: Path) -> dict[str, float]:
    """Read the human scores of Grundkiewicz et al. (2015)."""
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    return {row[3]: float(row[4]) for row in rows}


def write_gmeg(folder: Path) -> None:
    """Write a domain with ratings as GMEG-Data has them; nobody rated an output of "Bad"."""
    texts = folder / "data" / "test" / "wiki"
    texts.mkdir(parents=True)
    outputs = {"source": CORPUS.sources, "ref0": SYSTEMS[0].sentences, "ref1": SYSTEMS[0].sentences}
    outputs |= {one.name.lower(): one.sentences for one in SYSTEMS if one.name != "Bad"}
    for name, sentences in outputs.items():
        (texts / name).write_text("".join(f"{' '.join(tokens)}\n" for tokens in sentences))
    rows = [f"{90 - i},{70 + i},{30 + 2 * i},{99 - i},{50 + i}" for i in range(len(CORPUS))]
    rows[1] = "89,,32,98,51"
    lines = ["best,good,worst,ref,source", *rows]
    (texts.parent / "wiki-segment-scores.csv").write_text("\n".join(lines) + "\n")


def check_ranges(published: Mapping[str, float], ranges: Mapping[str, RankRange]) -> None:
    """Check that ranges hold the published ranks, and that no range crosses a cluster's border."""
    order = sorted(published, key=lambda name: -published[name])
    assert list(ranges) == order
    for rank, name in enumerate(order, 1):
        assert ranges[name].best <= rank <= ranges[name].worst
    for place in range(1, len(order)):
        is_border = max(ranges[one].worst for one in order[:place]) < min(
            ranges[one].best for one in order[place:]
        )
        step = ranges[order[place]].cluster - ranges[order[place - 1]].cluster
        assert step == is_border
