"""``geceval analyze``: the analyses of sentences as a CoNLL-U file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import click

from geceval.cli._shared.options import (
    chosen_options,
    dictionary_options,
    encoding_option,
    examples,
    lang_option,
    max_cells_option,
    model_option,
)
from geceval.cli._shared.protect import protect
from geceval.cli._shared.show import counted, print_findings, progress, say
from geceval.extraction.lang import Analysis, Analyzer, get_pack
from geceval.extraction.lang.analysis import Text, tokens_of
from geceval.formats import Findings, open_output
from geceval.formats.inputs import Input
from geceval.text import split_tokens

BATCH = 256
"""Number of sentences that are analyzed together."""


@click.command(
    epilog=examples(
        """
        geceval analyze --lang de src.txt -o src.conllu
        geceval analyze --lang de src.txt ref.txt out.txt -o all.conllu
        geceval analyze --lang fr --model fr_core_news_sm src.txt
        geceval annotate --lang de --analyses all.conllu --src src.txt --cor out.txt
        """
    )
)
@click.argument("files", metavar="TEXT...", nargs=-1, required=True)
@click.option("-o", "--out", "output", default="-", metavar="OUT", help="Output file.")
@lang_option
@model_option
@dictionary_options
@click.option("--tokenize", is_flag=True, help="Tokenize the text, which is raw.")
@max_cells_option
@encoding_option
def analyze(
    files: tuple[str, ...],
    output: str,
    lang: str,
    model: str | None,
    dictionary: str | None,
    compounds: bool,
    tokenize: bool,
    encoding: str,
) -> None:
    """Analyze sentences, and write what is known of their words as CoNLL-U.

    TEXT has one sentence per line. The file can be corrected by hand and read again with
    --analyses, by annotate, score, explain and report. Equal sentences are written once.
    """
    options = chosen_options(dictionary=dictionary, compounds=compounds)
    protect([*files, *options.files], [output])
    from geceval.extraction.lang.conllu import write_analyses
    from geceval.validation.system_output import refuse_other_text

    analyzer = get_pack(lang).analyzer(model, notify=say, options=options)
    findings = Findings()
    sentences = dict.fromkeys(
        analyzer.tokenize(line) if tokenize else split_tokens(line)
        for path in files
        for line in _lines(path, findings, encoding)
    )
    read = [tokens_of(one) for one in sentences]
    findings.update(refuse_other_text(read, lang, path=", ".join(files)))
    shown = progress(iter(sentences), "analyzing sentences", total=len(sentences))
    with open_output(output) as out:
        n_sentences = write_analyses(_analyses(analyzer, iter(shown)), out)
    print_findings(findings, stderr=True, notes=False)
    say(f"{counted(n_sentences, 'distinct sentence')} ({output}): {analyzer.signature}")


def _lines(path: str, findings: Findings, encoding: str) -> Iterator[str]:
    with Input.open(path, findings=findings, encoding=encoding) as source:
        yield from (line for line in source.lines() if line.strip())


def _analyses(analyzer: Analyzer, sentences: Iterator[Text]) -> Iterator[Analysis]:
    while batch := list(islice(sentences, BATCH)):
        yield from analyzer.analyze(batch)
