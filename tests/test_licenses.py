"""What packages allow, and what the lock file holds."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def licenses() -> ModuleType:
    spec = importlib.util.spec_from_file_location("licenses", ROOT / "tools" / "licenses.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_packages_are_permissive(licenses: ModuleType) -> None:
    found = {
        one.metadata["Name"].lower(): licenses.license_of(one) for one in licenses.needed("all")
    }
    assert {"numpy", "click", "spacy", "jinja2"} <= found.keys()
    assert [name for name, said in found.items() if not licenses.is_permissive(said)] == []


@pytest.mark.parametrize("said", ["GPL-3.0", "MIT AND LGPL-2.1", "not stated", "CC-BY-NC-4.0"])
def test_other_licenses_are_refused(licenses: ModuleType, said: str) -> None:
    assert not licenses.is_permissive(said)


def test_programs_of_separate_processes_are_listed_but_not_needed(
    licenses: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["licenses.py"])
    assert licenses.main() == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if "LanguageTool" in line]
    assert "separate process" in line
    needed = {one.metadata["Name"].lower() for one in licenses.needed("all")}
    assert not needed & {name.lower() for name in licenses.SEPARATE}


def pins(path: Path) -> dict[str, str]:
    lines = re.findall(r"^([\w.-]+)==([\w.+!-]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in lines}


def test_requirements_are_hashed_and_agree_with_the_constraints() -> None:
    locked, tested = pins(ROOT / "requirements.txt"), pins(ROOT / "constraints.txt")
    assert len(locked) > 80
    assert {
        name: version for name, version in locked.items() if tested.get(name, version) != version
    } == {}
    blocks = re.split(r"\n(?=\w)", (ROOT / "requirements.txt").read_text(encoding="utf-8"))[1:]
    assert len(blocks) == len(locked)
    assert [block for block in blocks if "--hash=sha256:" not in block] == []


def test_requirements_hold_what_the_project_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    wanted += [one for extra in project["optional-dependencies"].values() for one in extra]
    locked = pins(ROOT / "requirements.txt")
    for text in wanted:
        requirement = Requirement(text)
        if requirement.name != "geceval":
            assert requirement.specifier.contains(locked[requirement.name.lower()]), text
