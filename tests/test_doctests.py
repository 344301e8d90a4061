"""The examples in docstrings."""

from __future__ import annotations

import doctest
import importlib
import linecache
import pkgutil
import re
from collections.abc import Iterator

import pytest

import geceval

OPTIONAL: set[str] = {"inspect_ai", "sklearn", "spacy", "torch", "transformers"}
"""Packages that may be missing; modules that need them are left out then."""

NOT_IMPORTED = re.compile(r"\.kernels\._|\.migrations\.")
"""Compiled modules, and those that Alembic runs."""


def modules() -> Iterator[str]:
    """Name every module that is written in Python and does not run when it is imported."""
    for module in pkgutil.walk_packages(geceval.__path__, "geceval."):
        if not module.name.endswith("__main__") and not NOT_IMPORTED.search(module.name):
            yield module.name


@pytest.mark.parametrize("name", ["geceval", *modules()])
def test_doctests_hold(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name in OPTIONAL:
            pytest.skip(f"{name} needs {error.name}")
        raise
    # Before each docstring, doctest looks on the disk for every file whose lines are cached.
    linecache.clearcache()
    failed, _ = doctest.testmod(module)
    assert failed == 0
