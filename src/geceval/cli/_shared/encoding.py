"""Output on streams that cannot encode every character.

Symbols of geceval (arrows, dashes, bars) are replaced by ASCII ones, other characters are escaped.
"""

from __future__ import annotations

import codecs
import io
import sys

HANDLER = "geceval-readable"
ASCII = "ascii-readable"
"""ASCII under another name: click replaces ASCII streams by UTF-8 ones."""

_PLAIN = str.maketrans(
    {
        "→": "->",
        **dict.fromkeys("–—−‐─━", "-"),
        **dict.fromkeys("│┃", "|"),
        "█": "#",
        "…": "...",
        **dict.fromkeys("•·", "*"),
        **dict.fromkeys("×✗", "x"),
        "±": "+/-",
        "≤": "<=",
        "≥": ">=",
        "≈": "~",
        "²": "2",
        "✓": "+",
        "○": "o",
        "∅": "(none)",
        "α": "alpha",
        "β": "beta",
        "γ": "gamma",
        "κ": "kappa",
        "ρ": "rho",
        "σ": "sigma",
        "τ": "tau",
        "Δ": "Delta",
        **dict.fromkeys("‘’", "'"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("\N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}", " "),
    }
)


def _readable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    plain = error.object[error.start : error.end].translate(_PLAIN)
    return plain.encode("ascii", "backslashreplace").decode(), error.end


def _find_codec(name: str) -> codecs.CodecInfo | None:
    if name.replace("_", "-") != ASCII:
        return None
    known = codecs.lookup("ascii")
    return codecs.CodecInfo(
        known.encode,
        known.decode,
        incrementalencoder=known.incrementalencoder,
        incrementaldecoder=known.incrementaldecoder,
        name=ASCII,
    )


codecs.register_error(HANDLER, _readable)
codecs.register(_find_codec)


def make_streams_readable() -> None:
    """Escape characters that a stream cannot encode, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            is_ascii = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding=ASCII if is_ascii else None, errors=HANDLER)


def output_encoding() -> str:
    """Return the encoding of standard output."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def can_encode(text: str, encoding: str) -> bool:
    """Whether a text can be written in an encoding."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def shown_as(text: str, encoding: str) -> str:
    r"""Return text of geceval as it will be displayed in an encoding.

    Examples
    --------
    >>> shown_as("M²: a → é", "ascii"), shown_as("M²: a → é", "latin-1")
    ('M2: a -> \\xe9', 'M²: a -> é')
    """
    return text.encode(encoding, HANDLER).decode(encoding) if text else text


def escaped_for(text: str, encoding: str) -> str:
    r"""Escape the characters of user data that an encoding lacks, so that none looks like another.

    Examples
    --------
    >>> escaped_for("a–b", "ascii"), escaped_for("a–b", "utf-8")
    ('a\\u2013b', 'a–b')
    """
    return text.encode(encoding, "backslashreplace").decode(encoding)
