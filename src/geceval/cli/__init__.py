"""The command line. Each command is a module, loaded when it is used."""

from __future__ import annotations

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
from geceval.cli._shared.streams import whole_output
from geceval.engines.process import owned_process
from geceval.errors import GecevalError, GecevalWarning, OptionError
from geceval.visible import visible

# Name, module and one line of help: listing the commands loads none of them.
_COMMANDS = {
    "annotate": "Extract typed edits from parallel text, or standardize those of a corpus.",
    "check": "Validate input files and optionally fix them.",
    "compare": "Compare systems: differences with intervals and p-values.",
    "convert": "Convert between file formats.",
    "demo": "Run the main commands on the bundled example data.",
    "explain": "Explain the alignment, merging and typing of the edits of a sentence.",
    "languagetool": "Install, start and stop a LanguageTool server.",
    "metaeval": "Evaluate metrics: MAEGE, human rankings and SEEDA.",
    "metrics": "List the metrics with their options, or describe one.",
    "references": "Count or list the mixed references of a gold standard.",
    "report": "Write an HTML report on systems, with every sentence.",
    "score": "Score systems against a gold standard, with confidence intervals.",
    "stats": "Show corpus statistics.",
    "types": "Train and evaluate an error-type classifier.",
}


_ALIKE = 0.6
"""How alike a wrong option and one that is suggested are at least, from 0 to 1."""
_PRODUCTS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_SPARE_BYTES = 2**26


class LateGroup(click.Group):
    """A group whose commands are imported only when they run.

    Parameters
    ----------
    package
        Where the module of each command is, which is called as the command is.
    late
        One line of help for each command.
    options
        What any group takes.
    """

    def __init__(self, *, package: str, late: Mapping[str, str], **options: Any) -> None:
        super().__init__(**options)
        self._package = package
        self._late = late

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Name the commands."""
        return sorted(self._late)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if name not in self._late:
            return None
        module = importlib.import_module(f"{self._package}.{name}")
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands, importing none."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self._late.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is meant, or say which one may be."""
        if args and args[0] not in self._late and not args[0].startswith("-"):
            ctx.fail(_no_such_command(args[0], self._late))
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the program, on streams to which everything can be written."""
        make_streams_readable()
        _limit_products()
        with owned_process(), whole_output(), _clear_warnings():
            return super().main(*args, **options)

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the command line."""
        with _visible_errors():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        is_program = ctx.parent is None
        with _clear_interruptions(is_program=is_program), _visible_errors(), _clear_errors():
            return super().invoke(ctx)


def _limit_products() -> None:
    """Keep numpy's matrix products to one thread, whatever the environment: ``--jobs`` decides.

    So results do not depend on the number of cores, either. It has to be said before numpy loads.
    """
    if "numpy" not in sys.modules:
        os.environ.update(dict.fromkeys(_PRODUCTS, "1"))


def _no_such_command(name: str, known: Iterable[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    return f"No such command '{name}'.{hint}"


@contextmanager
def _clear_warnings() -> Iterator[None]:
    """Show our own warnings as one line each, those of other libraries as Python does."""
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
    """Let nothing act in the terminal that a message took from a file or the command line."""
    try:
        yield
    except click.ClickException as error:
        error.message = visible(error.message, keep="\n")  # type: ignore[misc]
        raise


@contextmanager
def _clear_errors() -> Iterator[None]:
    """Show our own errors as one sentence, with exit code 1, or 2 for a wrong option."""
    try:
        yield
    except OptionError as error:
        raise click.UsageError(str(error), click.get_current_context(silent=True)) from error
    except GecevalError as error:
        raise click.ClickException(str(error)) from error
    except MemoryError as error:
        raise _out_of_memory(str(error)) from error
    except (SystemError, ImportError) as error:
        # So end compiled code of others that does not say why it failed, and libraries for which
        # there is no room.
        if _has_memory():
            raise
        raise _out_of_memory() from error
    except click.NoSuchOption as error:
        likely = _likely(error.option_name, error.possibilities or ())
        raise click.NoSuchOption(error.option_name, possibilities=likely, ctx=error.ctx) from error


def _out_of_memory(what: str = "") -> click.ClickException:
    remedy = "lower --max-cells to have large sentences refused, or use fewer --jobs"
    return click.ClickException(f"{what or 'not enough memory'}; {remedy}")


def _has_memory() -> bool:
    """Whether there is memory left for more than what fails for want of it."""
    try:
        bytearray(_SPARE_BYTES)
    except MemoryError:
        return False
    return True


def _likely(name: str, options: Iterable[str]) -> list[str]:
    """Keep the options that resemble one by more than their dashes."""
    import difflib

    bare = name.lstrip("-")
    return [
        option
        for option in options
        if option.lstrip("-").startswith(bare)
        or difflib.SequenceMatcher(None, bare, option.lstrip("-")).ratio() >= _ALIKE
    ]


class _Signaled(KeyboardInterrupt):
    """A signal asks the program to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise _Signaled(number)


@contextmanager
def _clear_interruptions(*, is_program: bool) -> Iterator[None]:
    """Let SIGTERM and SIGHUP clean up as Ctrl-C does, and exit with 128 and the signal's number.

    Parameters
    ----------
    is_program
        Whether this is the whole program; a group of commands within it has nothing to do.
    """
    if not is_program or threading.current_thread() is not threading.main_thread():
        yield
        return
    # What is ignored stays so, as nohup wants it.
    numbers = [one for one in _SIGNALS if signal.getsignal(one) is signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, _end)
    try:
        yield
    except KeyboardInterrupt as error:
        _clean_up(error)
        why = error.number if isinstance(error, _Signaled) else signal.SIGINT
        raise click.exceptions.Exit(128 + why) from None
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _clean_up(error: KeyboardInterrupt) -> None:
    """Leave nothing behind of what was interrupted: no thread, no open file, no hidden cursor."""
    import gc
    from traceback import clear_frames

    from geceval.engines.threads import end_pools

    end_pools()
    clear_frames(error.__traceback__)
    # Looking for garbage in a loaded model would take longer than all the rest.
    gc.freeze()
    if sys.stderr.isatty():
        click.echo("\x1b[?25h", nl=False, err=True)
    click.echo("\nAborted!", err=True)


@click.group(
    cls=LateGroup,
    package="geceval.cli",
    late=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try 'geceval demo' first; 'geceval COMMAND --help' has examples.",
)
@click.version_option(__version__, prog_name="geceval")
def main() -> None:
    """One trusted ruler for grammatical error correction."""
