"""Options shared by several commands."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import click

from geceval.characters import NORMALIZATIONS
from geceval.engines.threads import MAX_JOBS, cores
from geceval.errors import GecevalError

if TYPE_CHECKING:
    from geceval.extraction.lang.pack_options import PackOptions

Command = TypeVar("Command", bound=Callable[..., Any])
OutputForm: TypeAlias = Literal["terminal", "json", "tsv", "latex"]
"""How the results of a command are printed."""


def examples(text: str) -> str:
    r"""Return the epilog of a command: example lines that are not wrapped.

    Examples
    --------
    >>> examples("geceval demo")
    '\x08\nExamples:\n  geceval demo'
    """
    lines = [line.strip() for line in text.strip().split("\n")]
    return "\b\nExamples:\n" + "\n".join(f"  {line}" if line else "" for line in lines)


def add_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return a decorator that adds several options to a command, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def choice_option(
    name: str, choices: Sequence[str], *, default: str, help: str
) -> Callable[[Command], Command]:
    """Add an option that takes one of a few names, in any case."""
    return click.option(
        name,
        type=click.Choice(choices, case_sensitive=False),
        default=default,
        show_default=True,
        help=help,
    )


def no_nan(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """Refuse NaN, which click accepts in every range."""
    if math.isnan(value):
        raise click.BadParameter(f"{value} is not a number", ctx, param)
    return value


def _callback(validate: Callable[[str], str]) -> Callable[..., str | None]:
    """Make a validating function the callback of an option: an error is bad usage, not bad data."""

    def run(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        try:
            return None if value is None else validate(value)
        except GecevalError as error:
            raise click.BadParameter(str(error), ctx, param) from error

    return run


@_callback
def known_format(name: str) -> str:
    """Validate the name of a format."""
    from geceval.formats import get_format

    return get_format(name).name


@_callback
def _known_encoding(name: str) -> str:
    from geceval.formats.inputs import known_encoding

    return known_encoding(name)


def _set_max_cells(ctx: click.Context, param: click.Parameter, cells: int | None) -> None:  # noqa: ARG001
    """Set the limit for as long as the command runs."""
    from geceval.limits import allow

    if cells is not None:
        ctx.with_resource(allow(cells=cells))


format_option = click.option(
    "--format",
    "format_name",
    metavar="NAME",
    callback=known_format,
    help="Input format.  [detected]",
)
encoding_option = click.option(
    "--encoding",
    default="utf-8",
    show_default=True,
    callback=_known_encoding,
    help="Input encoding.",
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, MAX_JOBS),
    default=cores,
    metavar="N",
    help="Cores to use at most; changes no result.  [all]",
)
max_cells_option = click.option(
    "--max-cells",
    type=click.IntRange(min=1),
    metavar="N",
    expose_value=False,
    callback=_set_max_cells,
    help="Maximum table size of one sentence (tokens × tokens).  [10000000]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
lang_option = click.option(
    "--lang",
    default="en",
    show_default=True,
    metavar="NAME",
    help="Language: en, de, … (see 'geceval lang'), universal (any spaCy pipeline) or plain (no "
    "model).",
)
model_option = click.option(
    "--model",
    metavar="NAME",
    help="spaCy pipeline, by name or path, or an analyzer of 'geceval lang'.  [that of the "
    "language]",
)
normalize_option = choice_option(
    "--normalize",
    NORMALIZATIONS,
    default="none",
    help="Unicode form in which texts are compared: nfc, or none for as they are.",
)
reading_options = add_options(format_option, encoding_option, max_cells_option)


dictionary_options = add_options(
    click.option(
        "--dictionary",
        metavar="PATH",
        help="Hunspell dictionary (.dic and .aff), simplemma or none.  [that of the analyzer]",
    ),
    click.option(
        "--compounds", is_flag=True, help="With --dictionary: accept compounds that it can form."
    ),
)


def chosen_options(**given: Any) -> PackOptions:
    """Return options of language packs, without those that need others."""
    from geceval.extraction.lang.pack_options import PackOptions

    if given.get("split_multiword") and not given["analyses"]:
        raise click.UsageError("--split-multiword needs --analyses")
    if given["compounds"] and given["dictionary"] is None:
        raise click.UsageError("--compounds needs --dictionary")
    return PackOptions(**given)


def pack_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of language packs; the command gets them as `options`."""

    @click.option(
        "--analyses",
        multiple=True,
        metavar="FILE",
        help="CoNLL-U file with the analyses of the sentences, by any parser (repeatable).",
    )
    @click.option(
        "--split-multiword",
        is_flag=True,
        help="With --analyses: the words of multiword tokens are the tokens.",
    )
    @dictionary_options
    @click.option(
        "--detail/--no-detail",
        default=None,
        help="Whether types name the feature that differs.  [as usual for the language]",
    )
    @click.option(
        "--names",
        type=click.Choice(["universal", "errant"]),
        default="universal",
        show_default=True,
        help="Names of word classes in types.",
    )
    @click.option(
        "--order",
        type=click.Choice(["exact", "similar"]),
        help="Whether reordered words may also change a little.  [as usual for the language]",
    )
    @click.option(
        "--map",
        "map_file",
        metavar="FILE",
        help="Rename types: two columns, the new name and the type (or errant-de, ua-gec, …).",
    )
    @click.option(
        "--simplify/--no-simplify",
        default=True,
        show_default=True,
        help="Chinese: convert corrections to simplified characters.",
    )
    @choice_option(
        "--alignments", ["first", "all"], default="all", help="Chinese: cheapest alignments to use."
    )
    @click.option(
        "--resources",
        metavar="DIR",
        help="Chinese: folder with cilin.txt and confusion_dict.txt.",
    )
    @functools.wraps(command)
    def run(
        *,
        analyses: tuple[str, ...],
        split_multiword: bool,
        dictionary: str | None,
        compounds: bool,
        detail: bool | None,
        names: str,
        order: str | None,
        map_file: str | None,
        simplify: bool,
        alignments: str,
        resources: str | None,
        **given: Any,
    ) -> None:
        from geceval.extraction.lang.pack_options import LEVELS

        # Some metrics have levels of their own.
        level = given.pop("level") if given.get("level") in LEVELS else LEVELS[0]
        options = chosen_options(
            analyses=analyses,
            split_multiword=split_multiword,
            dictionary=dictionary,
            compounds=compounds,
            detail=detail,
            names=names,
            order=order,
            map=map_file,
            level=level,
            simplify=simplify,
            alignments=alignments,
            resources=resources,
        )
        lang = given.get("lang") or "en"
        if lang.casefold() != "zh" and (wrong := options.chinese):
            raise click.UsageError(f"{', '.join(wrong)} is for --lang zh, not {lang}")
        command(options=options, **given)

    return run


extraction_options = add_options(
    lang_option,
    choice_option(
        "--align", ["linguistic", "levenshtein"], default="linguistic", help="Alignment costs."
    ),
    choice_option(
        "--merge",
        ["rules", "rules-2017", "all-split", "all-merge", "all-equal"],
        default="rules",
        help="How operations are merged into edits.",
    ),
    click.option("--typer", metavar="NAME", help="Error-type classifier.  [that of the language]"),
    model_option,
    choice_option(
        "--analyzer",
        ["fast", "spacy"],
        default="fast",
        help="Implementation of the English model; same results.",
    ),
    pack_options,
    click.option("--tokenize", is_flag=True, help="Tokenize the text, which is raw."),
    choice_option(
        "--level", ["char", "word"], default="char", help="Chinese: characters or segmented words."
    ),
    max_cells_option,
)


def output_format_option(default: str) -> Callable[[Command], Command]:
    """Add ``--to``, the format of a file to write."""
    return click.option(
        "--to",
        "to_name",
        metavar="NAME",
        callback=known_format,
        help=f"Output format.  [{default}]",
    )


def form_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--json``, ``--tsv`` and ``--latex``; the command gets the chosen one as `form`."""

    @json_option
    @click.option("--tsv", "as_tsv", is_flag=True, help="Print tab-separated values.")
    @click.option("--latex", "as_latex", is_flag=True, help="Print LaTeX tables (booktabs).")
    @functools.wraps(command)
    def run(*, as_json: bool, as_tsv: bool, as_latex: bool, **given: Any) -> None:
        if as_json + as_tsv + as_latex > 1:
            raise click.UsageError("--json, --tsv and --latex exclude each other")
        forms: dict[OutputForm, bool] = {"json": as_json, "tsv": as_tsv, "latex": as_latex}
        form = next((name for name, is_chosen in forms.items() if is_chosen), "terminal")
        command(form=form, **given)

    return run


paper_options = add_options(
    click.option(
        "--decimals",
        type=click.IntRange(0, 4),
        default=2,
        show_default=True,
        help="Decimal places of percent (--latex).",
    ),
    click.option(
        "--methods",
        is_flag=True,
        help="Print a methods paragraph and BibTeX entries; with --latex, after the table.",
    ),
)


def check_paper_options(form: OutputForm, *, methods: bool, only: Sequence[str] = ()) -> None:
    """Refuse options of tables for papers where they would have no effect.

    Parameters
    ----------
    form, methods
        The output form, and whether a methods paragraph is printed.
    only
        Further options of the command that only tables and paragraphs for papers use.
    """
    if methods and form in ("json", "tsv"):
        raise click.UsageError(f"--methods and --{form} exclude each other")
    source = click.get_current_context().get_parameter_source
    default = click.core.ParameterSource.DEFAULT
    if form != "latex" and source("decimals") is not default:
        raise click.UsageError("--decimals needs --latex")
    for name in only:
        if form != "latex" and not methods and source(name) is not default:
            raise click.UsageError(f"--{name} needs --latex or --methods")
