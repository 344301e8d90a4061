"""List the license of every package that geceval uses, and fail on one that is not permissive.

usage: licenses.py [EXTRA]    default: all

A program that geceval starts as a separate process, and talks to by pipes or HTTP, is listed but
never refused, because it is not part of the same work: LanguageTool (LGPL), which `geceval
languagetool install` gets with Maven on request. No package of geceval depends on such a
program; one that is imported must be permissive.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

PERMISSIVE = re.compile(
    r"\b(MIT|MIT-CMU|BSD|BSD-[23]-Clause|0BSD|Apache(-2\.0| Software License| License)?|ISC|"
    r"PSF(-2\.0)?|Python Software Foundation License|Unlicense|Zlib|HPND)\b",
    re.IGNORECASE,
)
WEAK = re.compile(r"\b(MPL-2\.0|Mozilla Public License 2\.0)\b", re.IGNORECASE)
"""Fine for a library that is used as it is: only changes to its own files must be shared."""

SEPARATE = {"LanguageTool": "LGPL-2.1-or-later"}
"""Programs that run as separate processes, and are not installed with geceval."""

COPYLEFT = re.compile(r"GPL|General Public|SSPL|EUPL|-NC\b|proprietary", re.IGNORECASE)


_FIELDS = ("License-Expression", "License")


def needed(extra: str) -> Iterator[Distribution]:
    """Yield everything that geceval needs with an extra, in the order of names."""
    found: dict[str, Distribution] = {}
    waiting = [(f"geceval[{extra}]", frozenset({extra}))]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        item = waiting.pop()
        if item in seen:
            continue
        seen.add(item)
        name = _normal(Requirement(item[0]).name)
        try:
            one = distribution(name)
        except PackageNotFoundError:
            continue  # Not for this platform or version of Python.
        found[name] = one
        for text in one.requires or ():
            requirement = Requirement(text)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": e}) for e in (*item[1], "")):
                waiting.append((requirement.name, frozenset(requirement.extras)))
    found.pop("geceval", None)
    yield from (found[name] for name in sorted(found))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def license_of(one: Distribution) -> str:
    """Return what a package says of its license."""
    metadata = one.metadata
    classifiers = [
        line.rpartition("::")[2].strip()
        for line in metadata.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    # Asking for a field that is not there is an error in some versions.
    expression, text = ((metadata.get_all(name) or [""])[0] for name in _FIELDS)
    said = expression or " / ".join(classifiers) or text
    return said.strip().split("\n")[0] or "not stated"


def is_permissive(said: str) -> bool:
    """Whether a license lets anybody use a package in a program of any license."""
    return not COPYLEFT.search(said) and bool(PERMISSIVE.search(said) or WEAK.search(said))


def main() -> int:
    """Print a table and return the exit code."""
    refused = []
    for one in needed(sys.argv[1] if len(sys.argv) > 1 else "all"):
        name, said = one.metadata["Name"], license_of(one)
        print(f"{name:28} {one.version:12} {said}")
        if not is_permissive(said):
            refused.append(f"{name} ({said})")
    for name, said in SEPARATE.items():
        print(f"{name:28} {'':12} {said}, run as a separate process and not installed with geceval")
    if refused:
        print(f"not permissive: {', '.join(refused)}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
