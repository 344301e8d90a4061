"""How LanguageTool comes onto a machine, with a Maven and a Java that are not the real ones."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from fake_languagetool import write_script
from geceval.errors import GecevalError
from geceval.grammar.languagetool import install as module
from geceval.grammar.languagetool.install import (
    VERSION,
    find_installation,
    get_installation,
    get_java,
    install,
    java_version,
)

JAR = f"languagetool-server-{VERSION}.jar"
MAVEN = f"""
for word; do case "$word" in
  -DoutputDirectory=*) folder=${{word#*=}} ;;
  *pom.xml) /bin/grep -q languagetool-server "$word" || exit 3 ;;
esac; done
/bin/mkdir -p "$folder"; echo jar > "$folder/{JAR}"; echo jar > "$folder/other.jar"
"""


@pytest.fixture
def fake_maven(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    digest = hashlib.sha256(b"jar\n").hexdigest()
    monkeypatch.setattr(module, "_checksums", lambda: {JAR: digest, "other.jar": digest})
    return write_script(home / "bin" / "mvn", MAVEN)


@pytest.mark.usefixtures("fake_java", "fake_maven")
def test_install_fetches_into_the_cache_folder(home: Path) -> None:
    assert find_installation() is None
    told: list[str] = []
    found = install(notify=told.append)
    assert found == get_installation() == find_installation()
    assert found.folder == home / "cache" / "languagetool" / VERSION
    assert (found.version, found.n_jars, found.n_bytes) == (VERSION, 2, 8)
    assert found.class_path == f"{found.folder}/*"
    assert told == [f"downloading LanguageTool {VERSION} with Maven (about 250 MB)"]
    assert [path.name for path in found.folder.parent.iterdir()] == [VERSION]


@pytest.mark.usefixtures("fake_java", "fake_maven")
def test_install_fetches_once() -> None:
    found = install()
    (found.folder / "mark").touch()
    assert install() == found
    assert (found.folder / "mark").exists()
    install(reinstall=True)
    assert not (found.folder / "mark").exists()
    assert [path.name for path in found.folder.parent.iterdir()] == [VERSION]


@pytest.mark.usefixtures("fake_java")
def test_install_that_fails_leaves_nothing(home: Path) -> None:
    write_script(home / "bin" / "mvn", r"printf '\033[1m[ERROR] no network\033[0m\nmore\n'; exit 1")
    with pytest.raises(
        GecevalError, match=r"Maven could not download LanguageTool 6\.8: no network$"
    ):
        install()
    assert list((home / "cache" / "languagetool").iterdir()) == []
    write_script(home / "bin" / "mvn", "exit 0")
    with pytest.raises(GecevalError, match="Maven did not download languagetool-server"):
        install()
    assert find_installation() is None


def test_install_without_maven_or_java_says_so(home: Path) -> None:
    with pytest.raises(GecevalError, match="needs Java 17 or newer, but 'java' was not found"):
        install()
    write_script(home / "bin" / "java", "echo 'openjdk version \"17.0.2\"' >&2")
    with pytest.raises(
        GecevalError, match="Maven is needed to download LanguageTool, but 'mvn' was not found"
    ):
        install()


def test_java_that_does_not_serve_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = write_script(home / "bin" / "java", "echo 'java version \"1.8.0_301\"' >&2")
    with pytest.raises(GecevalError, match=r"needs Java 17 or newer, but .*/bin/java is Java 8"):
        get_java()
    write_script(java, "exit 1")
    with pytest.raises(GecevalError, match=r"but .*/bin/java does not run"):
        get_java()
    other = write_script(home / "jdk" / "bin" / "java", "echo 'openjdk version \"21\"' >&2")
    monkeypatch.setenv("JAVA_HOME", str(home / "jdk"))
    assert get_java() == str(other)
    assert java_version(str(other)) == 21
    assert java_version(str(home / "nowhere")) is None


def test_pom_names_the_version_and_no_address() -> None:
    path = Path(module.__file__).with_name("pom.xml")
    tree = ET.parse(path)  # noqa: S314
    names = {"m": "http://maven.apache.org/POM/4.0.0"}
    versions = [node.text for node in tree.findall("m:dependencies/m:dependency/m:version", names)]
    assert versions == [VERSION]
    assert tree.findall(".//m:url", names) == []
    assert shutil.which("mvn") is None or path.is_file()


@pytest.mark.usefixtures("fake_java", "fake_maven")
def test_install_refuses_other_jars(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_checksums", lambda: {JAR: hashlib.sha256(b"jar\n").hexdigest()})
    with pytest.raises(GecevalError, match=r"^other\.jar is not the file .* --no-verify$"):
        install()
    assert list((home / "cache" / "languagetool").iterdir()) == []
    assert install(verify=False).n_jars == 2


def test_checksums_are_those_of_the_version() -> None:
    found = module._checksums()
    assert JAR in found
    assert len(found) > 100
    assert all(len(digest) == 64 for digest in found.values())
