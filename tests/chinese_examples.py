"""Chinese resources and files for the tests: the tables of the shared data, or made-up ones."""

from __future__ import annotations

import gzip
from pathlib import Path

from geceval.extraction.lang.zh.resources import ChineseResources

MADE_UP = ChineseResources(
    {
        "大": ("E", "a", "03"),
        "小": ("E", "a", "03"),
        "人": ("A", "a", "01"),
        "天": ("C", "b", "01"),
    },
    {"未": frozenset("末"), "末": frozenset("本")},
    ("made-up", "made-up"),
)
"""A few classes and confusions."""


def write_resources(shared: Path, folder: Path) -> Path:
    """Write the tables of the shared data as ChERRANT has them."""
    data = shared / "lang" / "zh"
    rows = [line.split("\t") for line in (data / "cilin-characters.tsv").read_text("utf-8").split()]
    pairs = zip(*[iter([cell for row in rows for cell in row])] * 2, strict=True)
    lines = "".join(f"{code}A01= {word}\n" for word, code in pairs)
    (folder / "cilin.txt").write_bytes(lines.encode("gbk"))
    packed = (data / "confusion-sample.tsv.gz").read_bytes()
    (folder / "confusion_dict.txt").write_bytes(gzip.decompress(packed))
    return folder
