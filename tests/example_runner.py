"""Run the examples of a page in a folder with the example data.

Commands of geceval run in this process, which saves their start; others run in a shell. A command
of geceval that was run before on the same files, for another page, is not run again.
"""

from __future__ import annotations

import contextlib
import doctest
import glob
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

from documents import Example, is_shown
from geceval.cli import main

_PLAIN = r"(?:[^'\"|<>;&$`()#\n]|\"[^\"$`]*\"|'[^']*'|\\\n)*"
_OURS = re.compile(rf"geceval ({_PLAIN})(?:(?P<rest>[|>].*)|\#.*)?", re.DOTALL)
_SHELL_SECONDS = 120

Files = dict[str, bytes]


class Ended(NamedTuple):
    """What a command printed, its exit code, its last folder, and the files that it wrote."""

    output: str
    code: int
    folder: str
    written: Files


_ENDED: dict[tuple[str, str], Ended] = {}


def copy_example_data(folder: Path) -> None:
    """Write the example data into a folder, also under the names that many pages use.

    ``src.txt``, ``ref0.txt`` and ``ref1.txt`` are the sentences of ``gold.m2`` and their
    corrections, ``cor.txt`` those of the first annotator; ``system.txt``, ``new.txt``, ``a.txt``
    and so on are outputs of the systems. The folder ``chinese`` has the Chinese example.
    """
    import geceval
    from geceval.model import apply_edits

    for file in resources.files("geceval").joinpath("data", "demo").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    gold = geceval.load(folder / "gold.m2")
    for number, annotator in enumerate(gold.annotators):
        lines = (
            " ".join(apply_edits(sentence.tokens, own.edits))
            for sentence in gold
            for own in sentence.annotations
            if own.annotator == annotator
        )
        (folder / f"ref{number}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "cor.txt").write_bytes((folder / "ref0.txt").read_bytes())
    chinese = folder / "chinese"
    chinese.mkdir()
    for file in resources.files("geceval").joinpath("data", "demo-zh").iterdir():
        (chinese / file.name).write_bytes(file.read_bytes())
    for source, names in {
        "unchanged.txt": ("src", "c"),
        "careful.txt": ("system", "system1", "new", "a", "ours", "new1"),
        "eager.txt": ("system2", "old", "b", "d", "baseline", "new2"),
    }.items():
        for name in names:
            (folder / f"{name}.txt").write_bytes((folder / source).read_bytes())


def _files(folder: Path) -> Files:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _digest(files: Files) -> str:
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _named(files: Files, command: str) -> Files:
    """Return the files, and those in folders, that a command names."""
    if "*" in command:
        return files
    words = {word.rstrip("/") for word in re.split(r"[\s=:,;'\"()|<>]+", command)}
    return {
        name: content
        for name, content in files.items()
        if any(name == word or word in Path(name).parts for word in words)
    }


def _expanded(words: list[str]) -> list[str]:
    return [name for word in words for name in (sorted(glob.glob(word)) or [word])]


def _shell(command: str, given: str | None = None) -> tuple[str, int]:
    """Run a command in a shell, and go where it went."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as place:
        ended = subprocess.run(  # noqa: S603
            ["/bin/bash", "-c", f"set -e; trap 'pwd > {place.name}' EXIT\n{command}"],
            check=False,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=_SHELL_SECONDS,
            env={**os.environ, "PATH": path, "PYTHONUTF8": "1"},
        )
        os.chdir(place.read().strip())
    return ended.stdout, ended.returncode


def _run(command: str) -> tuple[str, int]:
    ours = _OURS.fullmatch(command.strip())
    if ours is None:
        return _shell(command)
    result = CliRunner().invoke(main, _expanded(shlex.split(ours[1].replace("\\\n", " "))))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    rest = ours["rest"]
    if rest is None:
        return result.output, result.exit_code
    printed, code = _shell(f"cat {rest}", result.stdout)
    return result.stderr + printed, result.exit_code or code


class PageRunner:
    """Run the examples of one page, in order.

    Parameters
    ----------
    folder
        Folder with the example data; the current one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, Any] = {"__name__": "__main__"}

    def run(self, example: Example) -> None:
        """Run an example, and compare what it prints with what the page shows."""
        if example.kind == "file":
            name, _, text = example.text.partition("\n")
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        if example.kind == "doctest":
            self._doctest(example)
            return
        if example.kind == "python":
            printed, code = self._python(example), 0
        else:
            printed, code = self._command(example.text)
        where = f"line {example.line}: {example.text}\n"
        if example.shown is None:
            assert code == 0, f"{where}exit code {code}\n{printed}"
        else:
            assert is_shown(example.shown, printed), f"{where}{example.shown}\nbut:\n{printed}"

    def _doctest(self, example: Example) -> None:
        parser = doctest.DocTestParser()
        test = parser.get_doctest(example.text, self._names, "example", None, example.line - 1)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        said = io.StringIO()
        runner.run(test, out=said.write, clear_globs=False)
        self._names.update(test.globs)
        assert runner.summarize(verbose=False).failed == 0, said.getvalue()

    def _python(self, example: Example) -> str:
        code = compile("\n" * (example.line - 1) + example.text, "example", "exec")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, self._names)  # noqa: S102
        return printed.getvalue()

    def _command(self, command: str) -> tuple[str, int]:
        if not command.startswith("geceval "):
            # Quick, and may do what files do not show: make a folder, go to another.
            return _run(command)
        here = Path.cwd()
        before = _files(self._folder)
        key = (f"{here.relative_to(self._folder)}$ {command}", _digest(_named(before, command)))
        if key in _ENDED:
            ended = _ENDED[key]
            for name, content in ended.written.items():
                path = self._folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            os.chdir(self._folder / ended.folder)
            return ended.output, ended.code
        output, code = _run(command)
        after = _files(self._folder)
        written = {name: text for name, text in after.items() if before.get(name) != text}
        there = Path.cwd().relative_to(self._folder).as_posix()
        _ENDED[key] = Ended(output, code, there, written)
        return output, code
