"""Detection of references that were given as systems by mistake.

``--ref`` takes one file. After ``--ref r0.txt r1.txt out.txt``, or ``--ref r*.txt`` as a shell
expands it, ``r1.txt`` is a system. A system that looks like a reference is refused unless it is
given a name; one that may be a reference gives a warning.
"""

from __future__ import annotations

import filecmp
import re
from collections.abc import Sequence
from pathlib import Path

import click

from geceval.formats import Findings

_AFTER_REF = "geceval.after-ref"
# A separate word, or one followed by a digit or capital: ref, ref0, refA, test.ref, References.
_REFERENCE = re.compile(r"(?<![A-Za-z])(?:[Rr]ef|REF)(?:erences?|s)?(?![a-z])")


class ScoringCommand(click.Command):
    """A command that records the files right after ``--ref`` and its file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Record the order of arguments, which is lost when they are parsed."""
        ctx.meta[_AFTER_REF] = _after_ref(args)
        return super().parse_args(ctx, args)


def _after_ref(args: Sequence[str]) -> list[str]:
    """Return the arguments that follow the only ``--ref`` and its file, up to the next option."""
    places = [place for place, arg in enumerate(args) if arg.partition("=")[0] == "--ref"]
    if len(places) != 1:
        return []
    found = []
    for arg in args[places[0] + ("=" not in args[places[0]]) + 1 :]:
        if arg.startswith("-"):
            break
        found.append(arg)
    return found


def check_roles(
    gold: str | None, refs: Sequence[str], systems: Sequence[str], findings: Findings
) -> None:
    """Refuse systems that look like references, and warn of those that may be references.

    Parameters
    ----------
    gold, refs
        Gold standard and references.
    systems
        Files as given; those with a name are not checked.
    findings
        Receives the warnings.
    """
    references = [path for path in (gold, *refs) if path is not None and path != "-"]
    unnamed = [system for system in systems if "=" not in system and system != "-"]
    for system in unnamed:
        if any(_is_same(system, path) for path in refs):
            findings.add("reference-as-system", f"{system} is scored but equals a reference")
        elif why := _suspicion(system, references, has_refs=bool(refs)):
            repeat = "--ref takes one file, repeat it for each" if refs else "--gold takes one file"
            raise click.UsageError(
                f"{system} {why} but would be scored as a system: {repeat} "
                f"(if it is a system, give it a name: NAME={system})"
            )
    _warn_one_reference(refs, unnamed, findings)


def _suspicion(system: str, references: Sequence[str], *, has_refs: bool) -> str | None:
    """Return why a file looks like a reference, if it does."""
    for path in references:
        if _is_named_like(system, path):
            return f"is named like {path}"
    is_reference = has_refs and _REFERENCE.search(Path(system).name)
    return "looks like a reference" if is_reference else None


def _warn_one_reference(refs: Sequence[str], unnamed: Sequence[str], findings: Findings) -> None:
    """Warn if several files follow the only ``--ref``."""
    ctx = click.get_current_context(silent=True)
    after = ctx.meta.get(_AFTER_REF, []) if ctx is not None else []
    if len(refs) == 1 and len(after) > 1 and all(system in unnamed for system in after):
        findings.add(
            "one-reference",
            f"{refs[0]} is the only reference, and {', '.join(after)} are scored as systems; "
            "for more references repeat --ref, and name systems NAME=FILE to be clear",
        )


def _is_same(system: str, reference: str) -> bool:
    try:
        # Only files of equal size are opened.
        return filecmp.cmp(system, reference, shallow=False)
    except OSError:
        return False


def _is_named_like(system: str, other: str) -> bool:
    """Whether two files of one folder have names that differ only in numbers."""
    one, two = Path(system), Path(other)
    return one.parent == two.parent and one != two and _letters(one) == _letters(two)


def _letters(path: Path) -> str:
    return re.sub(r"[\W\d_]+", "", path.name)
