"""The methods paragraph and its BibTeX entries."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import geceval
import made_up
from geceval.errors import GecevalError
from geceval.evaluation.evaluate import evaluate
from geceval.evaluation.methods_text import GECEVAL, methods_text
from geceval.evaluation.resampling import Resampling
from geceval.metrics import metric_class, papers, registry
from geceval.metrics.papers import Paper
from geceval.model import Hypothesis
from toy_metrics import CountsEdits

ROOT = Path(__file__).parent.parent.parent
PAPERS = [paper for paper in vars(papers).values() if isinstance(paper, Paper)]
NO_PAPER = {"wer", "cer", "scores", "neural"}


def test_plug_ins_without_a_paper_are_named_without_citation() -> None:
    gold = made_up.corpus(5)
    found = evaluate(
        gold, [Hypothesis("a", gold.sources)], [CountsEdits()], resampling=Resampling(0)
    )
    paragraph, _, rest = methods_text(found).partition("\n\n")
    assert paragraph.count("\\cite") == 1
    assert "Edit counter is computed without references." in paragraph
    assert "@misc{geceval," in rest


def test_scoreboard_methods() -> None:
    systems = {"ours": ["I like it ."] * 3, "theirs": ["I likes it ."] * 3}
    sources, references = ["I likes it ."] * 3, ["I like it ."] * 3
    board = geceval.evaluate(systems, sources, references, ["gleu"], resamples=100)
    text = board.methods()
    assert "We evaluate 2 systems on 3 sentences" in text
    assert "against one reference per sentence" in text
    assert "over 100 resamples" in text
    assert board["ours"]["gleu"].signature in text
    assert "compared" not in text
    with pytest.raises(GecevalError, match="no results"):
        geceval.Scoreboard([]).methods()


@pytest.mark.parametrize("name", registry._BUILT_IN)
def test_built_in_metrics_have_papers(name: str) -> None:
    assert bool(metric_class(name).papers) == (name not in NO_PAPER)


def plain(text: str) -> str:
    """Return the letters of a text, without accents of BibTeX."""
    return re.sub(r"[^a-z0-9]", "", text.replace("ć", "c").replace("é", "e").casefold())


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.key)
def test_papers_are_those_of_the_documentation(paper: Paper) -> None:
    pages = [*(ROOT / "docs" / "metrics").glob("*.md"), ROOT / "docs" / "guide" / "significance.md"]
    [*cited] = [
        text
        for text in (page.read_text("utf-8") for page in pages)
        if plain(paper.title) in plain(text)
    ]
    assert cited
    assert all(plain(name.rsplit(" ", 1)[-1]) in plain(cited[0]) for name in paper.authors)
    assert str(paper.year) in cited[0]
    assert re.fullmatch(r"@\w+\{[\w-]+,\n(  \w+ = \{.*\},\n)+\}", paper.bibtex)


def test_keys_are_distinct() -> None:
    assert len({paper.key for paper in PAPERS}) == len(PAPERS) > 20


def test_entry_of_geceval_is_that_of_the_citation_file() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {geceval.__version__}\n" in text
    assert f"\ntitle: {GECEVAL.title}\n" in text
    assert "name: geceval contributors" in text
    assert geceval.__version__ in GECEVAL.bibtex
