"""Figures as files and as parts of a page."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest
from lxml import etree

from geceval.errors import GecevalError
from geceval.presentation.export import save_figure
from geceval.presentation.figure import FILE_FORMATS, drawing, page_svg

BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def drawn_for_page() -> str:
    """Draw a small figure with text that means something to XML."""
    with drawing(for_page=True) as (figure, axes):
        axes.plot([0, 1], [1, 0], label="<A & B>")
        axes.set_title("Title")
        axes.legend()
        return page_svg(figure, "small", "two points")


def test_page_svg_obeys_a_strict_policy() -> None:
    """No style attributes or elements, no scripts, nothing from elsewhere."""
    svg = drawn_for_page()
    root = etree.fromstring(svg)
    names = {etree.QName(element).localname for element in root.iter()}
    assert names.isdisjoint({"style", "script", "metadata", "image", "foreignObject"})
    attributes = {str(key) for element in root.iter() for key in element.attrib}
    assert "style" not in attributes
    targets = re.findall(r'href="([^"]*)"', svg) + re.findall(r"url\(([^)]*)\)", svg)
    assert targets
    assert all(target.startswith("#small-") for target in targets)


def test_page_svg_takes_the_colors_of_the_page() -> None:
    root = etree.fromstring(drawn_for_page())
    texts = {"".join(element.itertext()): element for element in root.iter("{*}text")}
    assert texts["<A & B>"].get("fill") == "currentColor"
    assert texts["<A & B>"].get("font-family") is None
    assert 'stroke="var(--faint)"' in drawn_for_page()
    assert root.get("role") == "img"
    assert root.get("aria-label") == "two points"


def test_page_svg_has_every_id_that_it_uses() -> None:
    svg = drawn_for_page()
    used = set(re.findall(r'(?:href="|url\()#([^")]*)', svg))
    assert used == set(re.findall(r' id="([^"]*)"', svg))


def test_save_figure_writes_every_form_the_same_each_time(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        with drawing() as (figure, axes):
            axes.plot([0, 1], [1, 0])
            save_figure(figure, tmp_path / folder, "line")
    for form in FILE_FORMATS:
        one = (tmp_path / "one" / f"line.{form}").read_bytes()
        assert one.startswith(BEGINNINGS[form])
        assert one == (tmp_path / "two" / f"line.{form}").read_bytes()


def test_save_figure_says_where_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with (
        drawing() as (figure, _),
        pytest.raises(GecevalError, match=r"taken: cannot be created: file exists"),
    ):
        save_figure(figure, tmp_path / "taken", "line")


def test_save_figure_that_fails_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with drawing() as (figure, axes):
        axes.plot([0, 1], [1, 0])
        save_figure(figure, tmp_path, "line")
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        axes.plot([0, 1], [0, 1])
        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(GecevalError, match=r"line\.png: cannot be written: no space left"):
            save_figure(figure, tmp_path, "line")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_control_characters_of_names_are_escaped_in_pictures() -> None:
    with drawing(for_page=True) as (figure, axes):
        axes.set_title("a\x1b\u202eb\nc")
        axes.set_yticks([0, 1], ["t\x07", "n" * 300])
        svg = page_svg(figure, "name", "text")
    assert "\x1b" not in svg
    assert r"a\x1b\u202eb" in svg
    assert r"t\x07" in svg
    assert "n" * 41 not in svg
