"""Options with a colon between name and value, as imeasure's tools take them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from geceval.compat import ToolResult


def colon_options(
    arguments: Sequence[str],
    names: Collection[str],
    flags: Collection[str],
    result: ToolResult,
) -> dict[str, str]:
    """Return the values of options, of repeated ones the last, and a value for each flag given.

    Parameters
    ----------
    arguments
        The words of the command line.
    names, flags
        Options with and without values.
    result
        Where words that mean nothing are warned of; the originals ignore them silently.
    """
    found: dict[str, str] = {}
    for word in arguments:
        name, colon, value = word.removeprefix("-").partition(":")
        if word.startswith("-") and colon and name in names:
            found[name] = value
        elif word.startswith("-") and not colon and name in flags:
            found[name] = "yes"
        else:
            result.warn(f"{word} is ignored: there is no such option")
    return found
