"""Command line; each command is a module that is imported when it is used."""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn, TextIO

import click

from geceval import __version__
from geceval.cli._shared.encoding import make_streams_readable
from geceval.cli._shared.streams import checked_output
from geceval.engines.process import owned_process, rare_collections
from geceval.errors import GecevalError, GecevalWarning, OptionError
from geceval.visible import visible

# Listing the commands imports none of them.
_COMMANDS = {
    "agreement": "Show the agreement between annotators, or of gold edits with extracted ones.",
    "analyze": "Analyze sentences, and write their analyses as CoNLL-U.",
    "annotate": "Extract typed edits from parallel text, or standardize those of a corpus.",
    "check": "Validate input files and optionally fix them.",
    "combine": "Combine the outputs of systems, by votes or as an upper bound.",
    "compare": "Compare systems: differences with intervals and p-values.",
    "compat": "Run a replacement of an old tool, with its arguments and its output.",
    "convert": "Convert between file formats.",
    "demo": "Run the main commands on the bundled example data.",
    "difficulty": "Weigh gold edits by how many systems get them right.",
    "explain": "Explain the alignment, merging and typing of the edits of a sentence.",
    "gate": "Fail if a system is significantly worse than a baseline, for CI.",
    "lang": "List the language packs, what each needs, and whether it is there.",
    "languagetool": "Install, start and stop a LanguageTool server.",
    "merge": "Join the parts that were made with --shard.",
    "metaeval": "Evaluate metrics: MAEGE, human rankings and SEEDA.",
    "metrics": "List the metrics with their options, or describe one.",
    "power": "Show which differences a test set can detect.",
    "push": "Submit an output to a leaderboard and print its scores.",
    "references": "Count or list the mixed references of a gold standard.",
    "report": "Write an HTML report on systems, with every sentence.",
    "score": "Score systems against a gold standard, with confidence intervals.",
    "serve": "Serve web pages to try edits, score files and keep leaderboards.",
    "stats": "Show corpus statistics.",
    "types": "Train and evaluate an error-type classifier.",
}


_MIN_SIMILARITY = 0.6
"""Minimum similarity of an unknown option and a suggested one."""
_NO_THREAD = "can't start new thread"
_THREAD_LIMITS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_INTERRUPTED = tuple(128 + number for number in (signal.SIGINT, *_SIGNALS))
"""Exit codes after an interruption."""
_SPARE_BYTES = 2**26


class LazyGroup(click.Group):
    """A group whose commands are imported only when they run.

    Parameters
    ----------
    package
        Package with a module of the same name for each command.
    commands_help
        One line of help for each command.
    options
        Options of `click.Group`.
    """

    def __init__(self, *, package: str, commands_help: Mapping[str, str], **options: Any) -> None:
        super().__init__(**options)
        self._package = package
        self._help = commands_help

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands."""
        return sorted(self._help)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if name not in self._help:
            return None
        module = importlib.import_module(f"{self._package}.{name}")
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self._help.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or suggest a similar one."""
        if args and args[0] not in self._help and not args[0].startswith("-"):
            import difflib

            close = difflib.get_close_matches(args[0], self._help, n=1)
            hint = f" Did you mean '{close[0]}'?" if close else ""
            ctx.fail(f"No such command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Run the program; if it was interrupted, do not wait for threads that cannot be."""
        # Collecting the garbage of a loaded model at exit would take long.
        atexit.register(gc.freeze)
        try:
            return super().__call__(*args, **options)
        except SystemExit as ended:
            threads = sys.modules.get("geceval.engines.threads")
            if ended.code in _INTERRUPTED and threads is not None and threads.has_foreign_threads():
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(int(ended.code))
            raise

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the program with streams that can encode every character."""
        make_streams_readable()
        _limit_threads()
        with owned_process(), rare_collections(), checked_output(), _one_line_warnings():
            return super().main(*args, **options)

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Parse the command line."""
        with _visible_errors():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        is_program = ctx.parent is None
        with _handled_signals(is_program=is_program), _visible_errors(), _one_line_errors():
            return super().invoke(ctx)


def _limit_threads() -> None:
    """Limit numpy to one thread, so that results do not depend on the number of cores.

    The number of threads is set by ``--jobs``. This must run before numpy is imported.
    """
    if "numpy" not in sys.modules:
        os.environ.update(dict.fromkeys(_THREAD_LIMITS, "1"))


@contextmanager
def _one_line_warnings() -> Iterator[None]:
    """Print a `GecevalWarning` as one line; other warnings are unchanged."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, GecevalWarning):
                click.echo(f"Warning: {visible(str(message))}", err=True)
            else:
                others(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


@contextmanager
def _visible_errors() -> Iterator[None]:
    """Escape control characters in messages, which may quote files and arguments."""
    try:
        yield
    except click.ClickException as error:
        error.message = visible(error.message, keep="\n")  # type: ignore[misc]
        raise


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Print a `GecevalError` as one sentence; exit with 1, or with 2 for a wrong option."""
    try:
        yield
    except OptionError as error:
        raise click.UsageError(str(error), click.get_current_context(silent=True)) from error
    except GecevalError as error:
        raise click.ClickException(str(error)) from error
    except MemoryError as error:
        raise _out_of_memory(str(error)) from error
    except (SystemError, ImportError) as error:
        # Compiled libraries may fail with these errors if memory is exhausted.
        if _has_memory():
            raise
        raise _out_of_memory() from error
    except RuntimeError as error:
        # Python has no class for it.
        if str(error) != _NO_THREAD:
            raise
        raise _out_of_memory("not enough memory for another thread") from error
    except click.NoSuchOption as error:
        likely = _similar(error.option_name, error.possibilities or ())
        raise click.NoSuchOption(error.option_name, possibilities=likely, ctx=error.ctx) from error


def _out_of_memory(what: str = "") -> click.ClickException:
    remedy = "lower --max-cells to have large sentences refused, or use fewer --jobs"
    return click.ClickException(f"{what or 'not enough memory'}; {remedy}")


def _has_memory() -> bool:
    """Whether a moderate amount of memory can still be allocated."""
    try:
        bytearray(_SPARE_BYTES)
    except MemoryError:
        return False
    return True


def _similar(name: str, options: Iterable[str]) -> list[str]:
    """Return the options that are similar to a name, ignoring dashes."""
    import difflib

    bare = name.lstrip("-")
    return [
        option
        for option in options
        if option.lstrip("-").startswith(bare)
        or difflib.SequenceMatcher(None, bare, option.lstrip("-")).ratio() >= _MIN_SIMILARITY
    ]


class _Signaled(KeyboardInterrupt):
    """A signal that terminates the program."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _interrupt(number: int, _: FrameType | None) -> NoReturn:
    raise _Signaled(number)


@contextmanager
def _handled_signals(*, is_program: bool) -> Iterator[None]:
    """Clean up after SIGTERM and SIGHUP as after Ctrl-C, and exit with 128 + signal number.

    Parameters
    ----------
    is_program
        Whether this is the whole program, not a group of commands within it.
    """
    if not is_program or threading.current_thread() is not threading.main_thread():
        yield
        return
    # Ignored signals stay ignored, for nohup.
    numbers = [one for one in _SIGNALS if signal.getsignal(one) is signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, _interrupt)
    try:
        yield
    except KeyboardInterrupt as error:
        _clean_up(error)
        reason = error.number if isinstance(error, _Signaled) else signal.SIGINT
        raise click.exceptions.Exit(128 + reason) from None
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _clean_up(error: KeyboardInterrupt) -> None:
    """End threads, close files and restore the cursor after an interruption."""
    from traceback import clear_frames

    from geceval.engines.threads import end_pools

    end_pools()
    clear_frames(error.__traceback__)
    if sys.stderr.isatty():
        click.echo("\x1b[?25h", nl=False, err=True)
    click.echo("\nAborted!", err=True)


@click.group(
    cls=LazyGroup,
    package="geceval.cli",
    commands_help=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try 'geceval demo' first; 'geceval COMMAND --help' has examples.",
)
@click.version_option(__version__, prog_name="geceval")
def main() -> None:
    """One trusted ruler for grammatical error correction."""
