"""Install LanguageTool into the cache folder with the user's Maven."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from geceval.errors import GecevalError
from geceval.grammar.base import Notify
from geceval.grammar.cache import cache_folder

VERSION = "6.8"
"""The version in pom.xml."""

MIN_JAVA = 17

_HOW_TO_INSTALL = "run 'geceval languagetool install'"


@dataclass(frozen=True, slots=True)
class Installation:
    """The jars of one version of LanguageTool."""

    folder: Path
    version: str

    @property
    def class_path(self) -> str:
        """Class path for Java."""
        return str(self.folder / "*")

    @property
    def n_jars(self) -> int:
        """Number of jars."""
        return sum(1 for _ in self.folder.glob("*.jar"))

    @property
    def n_bytes(self) -> int:
        """Total size of the jars."""
        return sum(jar.stat().st_size for jar in self.folder.glob("*.jar"))


def home() -> Path:
    """Return the folder of LanguageTool."""
    return cache_folder() / "languagetool"


def find_installation() -> Installation | None:
    """Return the installation, or None."""
    folder = home() / VERSION
    return Installation(folder, VERSION) if _is_complete(folder) else None


def get_installation() -> Installation:
    """Return the installation; raise an error if there is none."""
    found = find_installation()
    if found is None:
        raise GecevalError(f"LanguageTool {VERSION} is not installed; {_HOW_TO_INSTALL}")
    return found


def _is_complete(folder: Path) -> bool:
    # Unlike Path.is_file, this returns False for a folder without permission.
    return os.path.isfile(folder / f"languagetool-server-{VERSION}.jar")


def install(
    *, notify: Notify | None = None, reinstall: bool = False, verify: bool = True
) -> Installation:
    """Download LanguageTool with Maven, unless it is installed.

    Parameters
    ----------
    notify
        Callback for progress messages.
    reinstall
        Download it even if it is installed.
    verify
        Check the SHA-256 of the jars against ``jars.sha256``.
    """
    found = find_installation()
    if found is not None and not reinstall:
        return found
    get_java()
    maven = get_maven()
    if notify is not None:
        notify(f"downloading LanguageTool {VERSION} with Maven (about 250 MB)")
    target = home() / VERSION
    target.parent.mkdir(parents=True, exist_ok=True)
    # Downloaded to a temporary folder and moved when complete: all jars or none are visible.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f"{VERSION}-") as folder:
        downloaded = Path(folder) / "jars"
        _copy_dependencies(maven, downloaded)
        if not _is_complete(downloaded):
            raise GecevalError(f"Maven did not download languagetool-server-{VERSION}.jar")
        if verify:
            _verify(downloaded)
        if target.exists():
            target.rename(Path(folder) / "old")
        downloaded.rename(target)
    return Installation(target, VERSION)


def _verify(folder: Path) -> None:
    """Raise an error for jars other than those that geceval was tested with."""
    expected = _checksums()
    for jar in sorted(folder.glob("*.jar")):
        with jar.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if expected.get(jar.name) != found:
            raise GecevalError(
                f"{jar.name} is not the file that geceval was tested with (SHA-256 {found}); "
                "if you trust it, install with --no-verify"
            )


def _checksums() -> dict[str, str]:
    """Return the SHA-256 of each jar."""
    text = (files(__package__) / "jars.sha256").read_text(encoding="utf-8")
    return {name: digest for digest, name in map(str.split, text.splitlines())}


def _copy_dependencies(maven: str, target: Path) -> None:
    with as_file(files(__package__) / "pom.xml") as shipped:
        # Maven may write to the folder of the POM.
        pom = Path(shutil.copy(shipped, target.parent / "pom.xml"))
    command = [maven, "--quiet", "--batch-mode", "--file", str(pom)]
    command += ["dependency:copy-dependencies", f"-DoutputDirectory={target}"]
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=False, errors="replace"
    )
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        reason = _without_colors(lines[0]) if lines else f"exit code {done.returncode}"
        raise GecevalError(f"Maven could not download LanguageTool {VERSION}: {reason}")


def _without_colors(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line).removeprefix("[ERROR] ").strip()


def find_java() -> str | None:
    """Return the path of Java, from ``JAVA_HOME`` or else from ``PATH``."""
    home_of_java = os.environ.get("JAVA_HOME")
    if home_of_java:
        named = shutil.which("java", path=str(Path(home_of_java) / "bin"))
        if named is not None:
            return named
    return shutil.which("java")


def find_maven() -> str | None:
    """Return the path of Maven, or None."""
    return shutil.which("mvn")


def get_maven() -> str:
    """Return the path of Maven; raise an error if it is missing."""
    maven = find_maven()
    if maven is None:
        raise GecevalError("Maven is needed to download LanguageTool, but 'mvn' was not found")
    return maven


def get_java() -> str:
    """Return the path of Java; raise an error if it is missing or too old."""
    java = find_java()
    if java is None:
        raise GecevalError(f"LanguageTool needs Java {MIN_JAVA} or newer, but 'java' was not found")
    number = java_version(java)
    if number is None:
        raise GecevalError(f"LanguageTool needs Java, but {java} does not run")
    if number < MIN_JAVA:
        raise GecevalError(
            f"LanguageTool needs Java {MIN_JAVA} or newer, but {java} is Java {number}"
        )
    return java


def java_version(java: str) -> int | None:
    """Return the major version of Java, or None if unknown."""
    try:
        done = subprocess.run(  # noqa: S603
            [java, "-version"], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found and not done.returncode else None
