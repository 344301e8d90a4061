"""Output on streams that cannot encode every character.

Our own signs (arrows, dashes, bars) become plain ones, everything else a backslash escape.
"""

from __future__ import annotations

import codecs
import io
import sys

HANDLER = "geceval-readable"
ASCII = "ascii-readable"
"""ASCII by another name: click takes over streams that are called ASCII, and writes UTF-8."""

_PLAIN = str.maketrans(
    {
        "→": "->",
        "–": "-",
        "—": "-",
        "−": "-",
        "‐": "-",
        "─": "-",
        "━": "-",
        "│": "|",
        "┃": "|",
        "█": "#",
        "…": "...",
        "•": "*",
        "·": "*",
        "×": "x",
        "±": "+/-",
        "≤": "<=",
        "≥": ">=",
        "≈": "~",
        "²": "2",
        "✓": "+",
        "✗": "x",
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
        "‘": "'",
        "’": "'",
        "“": '"',
        "”": '"',
        "\N{NO-BREAK SPACE}": " ",
        "\N{THIN SPACE}": " ",
        "\N{NARROW NO-BREAK SPACE}": " ",
    }
)


def _escaped(piece: str) -> str:
    return piece.encode("ascii", "backslashreplace").decode()


def _readable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return _escaped(error.object[error.start : error.end].translate(_PLAIN)), error.end


class _AsciiEncoder(codecs.IncrementalEncoder):
    def encode(self, text: str, final: bool = False) -> bytes:  # noqa: ARG002
        return codecs.ascii_encode(text, self.errors)[0]


class _AsciiDecoder(codecs.IncrementalDecoder):
    def decode(self, data: bytes, final: bool = False) -> str:  # type: ignore[override]  # noqa: ARG002
        return codecs.ascii_decode(data, self.errors)[0]


def _find_codec(name: str) -> codecs.CodecInfo | None:
    if name.replace("_", "-") != ASCII:
        return None
    return codecs.CodecInfo(
        codecs.ascii_encode, codecs.ascii_decode, None, None, _AsciiEncoder, _AsciiDecoder, ASCII
    )


codecs.register_error(HANDLER, _readable)
codecs.register(_find_codec)


def make_streams_readable() -> None:
    """Let nothing that is printed fail for want of a character."""
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
    r"""Return a text of ours as it will be shown in an encoding.

    Examples
    --------
    >>> shown_as("M²: a → é", "ascii"), shown_as("M²: a → é", "latin-1")
    ('M2: a -> \\xe9', 'M²: a -> é')
    """
    return text.encode(encoding, HANDLER).decode(encoding) if text else text


def escaped_for(text: str, encoding: str) -> str:
    r"""Escape what an encoding lacks in a text of others, so that nothing is taken for another.

    Examples
    --------
    >>> escaped_for("a–b", "ascii"), escaped_for("a–b", "utf-8")
    ('a\\u2013b', 'a–b')
    """
    return (
        text
        if can_encode(text, encoding)
        else text.encode(encoding, "backslashreplace").decode(encoding)
    )
