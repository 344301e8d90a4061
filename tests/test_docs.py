"""What the documentation mentions exists.

Modules, names, paths, links and their anchors, commands, options, extras and targets of make.
"""

from __future__ import annotations

import functools
import importlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from documents import PAGES, ROOT, blocks, commands, name_of
from geceval.cli import main
from geceval.compat import ALIASES, TOOLS

DOTTED = re.compile(r"(?<![\w./-])geceval(?:\.[A-Za-z_]\w*)+(?![\w/])")
IMPORT = re.compile(r"^ *from (geceval[\w.]*) import (\(.*?\)|[^\n(]+)", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"(?<![\w./-])(?:src/geceval|tests|docs|benchmarks|tools)/[\w./-]*\w")
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
TARGET = re.compile(r"^\(([\w-]+)\)=$", re.MULTILINE)
EXTRA = re.compile(r"geceval\[([\w,]+)\]")
MAKE = re.compile(r"(?:`|^\$ )make ([a-z][a-z -]*[a-z])(?=`|\s+#|$)", re.MULTILINE)

# Options of other tools that pages explain.
OF_OTHERS = {"--very_verbose", "--max_unchanged_words", "--sshlogin", "--nthreads"}

# Placeholders of paths that the reader makes up.
MADE_UP = re.compile(r"\bNAME\b|src/geceval_")


def resolve(name: str) -> object:
    """Return what a dotted name means: a module, or an attribute of one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError as error:
            if error.name is not None and not error.name.startswith("geceval"):
                return None  # It is there, but needs a package that is not.
            continue
        for attribute in parts[end:]:
            found = getattr(found, attribute)
        return found
    raise ModuleNotFoundError(name)


def is_known(name: str) -> bool:
    try:
        resolve(name)
    except (ModuleNotFoundError, AttributeError):
        return False
    return True


def command_lines(text: str) -> Iterator[list[str]]:
    """Yield the words after ``geceval`` of each command in the shell blocks of a page."""
    for block in blocks(text):
        if block.language in ("console", "sh"):
            for command in commands(block):
                for line in command.text.replace("\\\n", " ").splitlines():
                    for part in re.split(r"\s(?:&&|\||;|>|<<)\s", line):
                        if part.startswith("geceval "):
                            yield shlex.split(part, comments=True)[1:]


def prose(text: str) -> str:
    """Return a page without its fenced blocks."""
    return re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)


def inline_commands(text: str) -> Iterator[list[str]]:
    """Yield the words after ``geceval`` of each command within a paragraph or a table."""
    for code in CODE.findall(prose(text)):
        if code.startswith("geceval ") and code != "geceval COMMAND --help":
            yield shlex.split(code.replace("\\|", "|"))[1:]


@functools.cache
def all_options() -> frozenset[str]:
    """Return the options of all commands."""

    def below(command: click.Command) -> Iterator[str]:
        context = click.Context(command, help_option_names=["-h", "--help"])
        for option in command.get_params(context):
            yield from (*option.opts, *option.secondary_opts)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                assert found is not None
                yield from below(found)

    return frozenset(below(main))


def unknown_options(text: str) -> list[str]:
    """Return the options that stand by themselves in a paragraph, and that no command has."""
    named = {
        match[0]
        for code in CODE.findall(prose(text))
        if (match := re.match(r"--[a-z][\w-]*", code))
    }
    return sorted(named - all_options() - OF_OTHERS)


def slug(heading: str) -> str:
    """Return the anchor of a heading, as GitHub and MyST make it."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


@functools.cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page."""
    text = page.read_text(encoding="utf-8")
    found = {slug(heading) for heading in HEADING.findall(prose(text))}
    if "{command-reference}" in text:
        context = click.Context(main, **main.context_settings)
        found |= {f"geceval-{name}" for name in main.list_commands(context)}
    return frozenset(found | set(TARGET.findall(text)))


def broken_links(page: Path, text: str) -> list[str]:
    """Return the links to files and anchors that do not exist."""
    broken = []
    for link in LINK.findall(prose(text)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    return broken


def unknown_words(words: list[str]) -> list[str]:
    """Return the commands and options of a command line that do not exist."""
    command: click.Command = main
    context = click.Context(main, **main.context_settings)
    rest = list(words)
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        if rest[0].isupper():  # a placeholder
            return []
        found = command.get_command(context, rest[0])
        if found is None:
            return [rest[0]]
        command, rest = found, rest[1:]
    if command.name == "compat" and rest and not rest[0].startswith("-"):
        # What follows is for the tool.
        return [] if rest[0].isupper() or rest[0] in {*TOOLS, *ALIASES} else rest[:1]
    known = {
        name
        for option in command.get_params(context)
        for name in (*option.opts, *option.secondary_opts)
    }
    named = (word.partition("=")[0] for word in rest if re.match(r"--?[A-Za-z]", word))
    return [word for word in named if word not in known]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_docs_name_what_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    names = set(DOTTED.findall(text))
    for module, imported in IMPORT.findall(text):
        names |= {f"{module}.{name}" for name in re.findall(r"\w+", imported)}
    assert sorted(name for name in names if not is_known(name)) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_docs_name_paths_that_exist(page: Path) -> None:
    found = set(PATH.findall(page.read_text(encoding="utf-8")))
    missing = [path for path in found if not MADE_UP.search(path) and not (ROOT / path).exists()]
    assert sorted(missing) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_docs_use_commands_and_options_that_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    wrong = {
        " ".join(words): unknown
        for words in (*command_lines(text), *inline_commands(text))
        if (unknown := unknown_words(words))
    }
    assert wrong == {}
    assert unknown_options(text) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_docs_link_to_what_exists(page: Path) -> None:
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_docs_name_extras_and_targets_that_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name for names in EXTRA.findall(text) for name in names.split(",")}
    assert extras - {"NAME"} <= set(project["optional-dependencies"])
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert {name for names in MAKE.findall(text) for name in names.split()} <= targets


def test_docs_list_every_command_public_name_and_page() -> None:
    import geceval

    listed = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    context = click.Context(main, **main.context_settings)
    assert [name for name in main.list_commands(context) if f"[`{name}`]" not in listed] == []
    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    names = set(re.findall(r"^\.\. auto\w+:: geceval\.(\w+)$", reference, re.MULTILINE))
    assert names == set(geceval.__all__) - {"__version__", "metrics"}


def linked_names(page: str) -> set[str]:
    """Return the names, set as code, of links in a table of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\[(`[^]]+`)\]\([^()\s]+\)", text)
    return {name for link in links for name in CODE.findall(link)}


def test_docs_have_a_page_for_every_metric_and_format() -> None:
    from geceval.formats import formats
    from geceval.metrics.registry import metric_names

    assert set(metric_names()) <= linked_names("docs/metrics/index.md")
    assert set(formats()) <= linked_names("docs/guide/formats.md")


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.parent.name == "metrics" and page.name != "index.md"],
    ids=name_of,
)
def test_docs_of_a_metric_are_complete(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    headings = {heading.partition(",")[0] for heading in HEADING.findall(prose(text))}
    wanted = {"Values at 0/0", "Pitfalls", "Published values", "Verification", "Citation"}
    assert wanted - headings == set()
    assert re.search(r"^\| (input, )?range\b", text, re.MULTILINE)
    assert re.search(r"^\| [\w, ]*references\b", text, re.MULTILINE)


def test_docs_test_notices_what_does_not_exist() -> None:
    assert not is_known("geceval.no_such_module")
    assert not is_known("geceval.model.NoSuchClass")
    assert unknown_words(["score", "--no-such-option", "1"]) == ["--no-such-option"]
    assert unknown_words(["compat", "m2scorer", "--very_verbose"]) == []
    assert unknown_words(["compat", "nothing"]) == ["nothing"]
    assert unknown_words(["metaeval", "nothing"]) == ["nothing"]
    assert unknown_words(["metaeval", "human", "--systems", "a"]) == []
    lines = "```console\n$ cd x && geceval score \\\n  --gold g  # why\n```\n"
    assert list(command_lines(lines)) == [["score", "--gold", "g"]]
    assert list(inline_commands("run `geceval score OUT` now")) == [["score", "OUT"]]
    assert unknown_options("`--gold`, `--no-such N`") == ["--no-such"]
    page = ROOT / "docs" / "cli.md"
    links = "[a](faq.md) [b](no.md) [c](#limits) [d](#no) [e](https://x.example/#y)"
    assert broken_links(page, links) == ["no.md", "#no"]
    assert slug("What `x` is: a [b](c.md)?") == "what-x-is-a-b"
