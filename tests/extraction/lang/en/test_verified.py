"""The English model's files against their hashes."""

from __future__ import annotations

import shutil
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from geceval.errors import GecevalError
from geceval.extraction.lang.en import analyzer as english
from geceval.extraction.lang.en.verified import PACKAGE, verify
from running import run_python

spec = find_spec(PACKAGE)
pytestmark = pytest.mark.skipif(spec is None, reason=f"{PACKAGE} is not installed")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Copy the package to where it may be altered."""
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = tmp_path / PACKAGE
    ignored = shutil.ignore_patterns("__pycache__", "ner", "senter")
    shutil.copytree(spec.submodule_search_locations[0], folder, ignore=ignored)
    return folder


WEIGHTS = f"{PACKAGE}-3.8.0/tok2vec/model"
LOAD = f"""
import sys
sys.path.insert(0, sys.argv[1])
from geceval.errors import GecevalError
from geceval.extraction.lang.en.analyzer import load_analyzer
try:
    load_analyzer(sys.argv[2] if sys.argv[2:] else None, kind="spacy")
except GecevalError as error:
    print(error)
else:
    print("loaded")
print("ran" if {PACKAGE!r} in sys.modules else "untouched")
"""


def alter(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_verify_takes_the_model_that_is_installed(package: Path) -> None:
    verify(package)


@pytest.mark.parametrize(
    "name", ["__init__.py", "meta.json", WEIGHTS, f"{PACKAGE}-3.8.0/config.cfg"]
)
def test_verify_refuses_an_altered_file(package: Path, name: str) -> None:
    alter(package / name)
    with pytest.raises(GecevalError) as caught:
        verify(package)
    assert str(caught.value).startswith(f"{package / name} of the English model is not the file")


def test_verify_refuses_a_package_without_a_file(package: Path) -> None:
    (package / WEIGHTS).unlink()
    with pytest.raises(GecevalError, match="no such file"):
        verify(package)


def test_altered_model_is_refused_before_any_of_it_runs(package: Path) -> None:
    alter(package / WEIGHTS)
    code, out, err = run_python("-c", LOAD, str(package.parent))
    assert code == 0, err
    message, state = out.splitlines()
    if message == "loaded":
        assert english.installed_model() == "en_core_web_sm"
        pytest.skip("spaCy's own model is installed and comes first")
    assert message.startswith(f"{package / WEIGHTS} of the English model is not the file")
    assert message.endswith(f"name it with --model {PACKAGE}")
    assert state == "untouched"


def test_model_that_is_named_is_trusted(package: Path) -> None:
    init = package / "__init__.py"
    init.write_text(init.read_text() + "# Altered, but as good.\n")
    code, out, err = run_python("-c", LOAD, str(package.parent), PACKAGE)
    assert code == 0, err
    assert out.splitlines() == ["loaded", "ran"]


def test_verify_takes_little_time(package: Path) -> None:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        verify(package)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.1
