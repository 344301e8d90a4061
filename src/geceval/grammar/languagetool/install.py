"""How LanguageTool comes onto a machine: the user's own Maven fetches it into the cache folder."""

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
from geceval.storage.folders import cache_folder

VERSION = "6.8"
"""The version that the pom.xml names."""

OLDEST_JAVA = 17

_HOW_TO_INSTALL = "'geceval languagetool install' fetches it"


@dataclass(frozen=True, slots=True)
class Installation:
    """The jars of one version of LanguageTool."""

    folder: Path
    version: str

    @property
    def class_path(self) -> str:
        """What Java is told to load."""
        return str(self.folder / "*")

    @property
    def n_jars(self) -> int:
        """How many jars there are."""
        return sum(1 for _ in self.folder.glob("*.jar"))

    @property
    def n_bytes(self) -> int:
        """How large they are together."""
        return sum(jar.stat().st_size for jar in self.folder.glob("*.jar"))


def home() -> Path:
    """Return the folder for everything about LanguageTool."""
    return cache_folder() / "languagetool"


def find_installation() -> Installation | None:
    """Return the jars, where they are installed."""
    folder = home() / VERSION
    return Installation(folder, VERSION) if _is_complete(folder) else None


def get_installation() -> Installation:
    """Return the jars, or say how to get them."""
    found = find_installation()
    if found is None:
        raise GecevalError(f"LanguageTool {VERSION} is not installed; {_HOW_TO_INSTALL}")
    return found


def _is_complete(folder: Path) -> bool:
    # Unlike Path.is_file, it also says no where the folder may not be looked into.
    return os.path.isfile(folder / f"languagetool-server-{VERSION}.jar")


def install(
    *, notify: Notify | None = None, again: bool = False, verify: bool = True
) -> Installation:
    """Fetch LanguageTool with Maven, unless it is there.

    Parameters
    ----------
    notify
        Told what is waited for.
    again
        Fetch it even where it is there.
    verify
        Refuse jars whose SHA-256 is not the one in ``jars.sha256``.
    """
    found = find_installation()
    if found is not None and not again:
        return found
    get_java()
    maven = get_maven()
    if notify is not None:
        notify(f"fetching LanguageTool {VERSION} with Maven (about 250 MB)")
    target = home() / VERSION
    target.parent.mkdir(parents=True, exist_ok=True)
    # Fetched beside its place and moved when complete: whoever looks sees all jars or none.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f"{VERSION}-") as folder:
        fetched = Path(folder) / "jars"
        _copy_dependencies(maven, fetched)
        if not _is_complete(fetched):
            raise GecevalError(f"Maven gave no languagetool-server-{VERSION}.jar")
        if verify:
            _verify(fetched)
        if target.exists():
            target.rename(Path(folder) / "old")
        fetched.rename(target)
    return Installation(target, VERSION)


def _verify(folder: Path) -> None:
    """Refuse jars that are not, byte for byte, the ones that geceval was tested with."""
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
        # Maven may write beside the file that it works on.
        pom = Path(shutil.copy(shipped, target.parent / "pom.xml"))
    command = [maven, "--quiet", "--batch-mode", "--file", str(pom)]
    command += ["dependency:copy-dependencies", f"-DoutputDirectory={target}"]
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=False, errors="replace"
    )
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        told = _without_colors(said[0]) if said else f"exit code {done.returncode}"
        raise GecevalError(f"Maven could not fetch LanguageTool {VERSION}: {told}")


def _without_colors(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line).removeprefix("[ERROR] ").strip()


def find_java() -> str | None:
    """Return the path of Java: that of ``JAVA_HOME``, else the first one that is found."""
    home_of_java = os.environ.get("JAVA_HOME")
    if home_of_java:
        named = shutil.which("java", path=str(Path(home_of_java) / "bin"))
        if named is not None:
            return named
    return shutil.which("java")


def find_maven() -> str | None:
    """Return the path of Maven."""
    return shutil.which("mvn")


def get_maven() -> str:
    """Return the path of Maven, or say that it is missing."""
    maven = find_maven()
    if maven is None:
        raise GecevalError("LanguageTool is fetched with Maven, and there is no 'mvn' here")
    return maven


def get_java() -> str:
    """Return the path of a Java that is new enough, or say that there is none."""
    java = find_java()
    if java is None:
        raise GecevalError(
            f"LanguageTool needs Java {OLDEST_JAVA} or newer, and there is no 'java' here"
        )
    number = java_version(java)
    if number is None:
        raise GecevalError(f"LanguageTool needs Java, and {java} does not run")
    if number < OLDEST_JAVA:
        raise GecevalError(
            f"LanguageTool needs Java {OLDEST_JAVA} or newer, and {java} is Java {number}"
        )
    return java


def java_version(java: str) -> int | None:
    """Return the major version of a Java, None where it does not say."""
    try:
        done = subprocess.run(  # noqa: S603
            [java, "-version"], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found and not done.returncode else None
