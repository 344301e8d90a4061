"""Draw the layers of the package, as import-linter enforces them.

usage: architecture.py [FILE]

The layers are read from pyproject.toml, so that the drawing cannot differ from what is enforced.
"""

import re
import sys
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parent.parent
DRAWING = ROOT / "docs" / "architecture.svg"
CONTENTS = {
    "cli": "one module per command",
    "compat": "the old tools",
    "serve": "the web application",
    "api": "Python functions",
    "integrations": "training, harnesses",
    "report": "results file and page",
    "metaeval": "MAEGE, human rankings",
    "presentation": "tables, figures, LaTeX",
    "evaluation": "scores, intervals, tests",
    "metrics": "statistics(corpus, hypothesis) → counts; aggregate(counts) → Score",
    "extraction": "align, merge, type",
    "grammar": "Harper, LanguageTool",
    "validation": "check, warnings",
    "formats": "readers and writers",
    "engines": "chunks on workers",
    "references": "groups, mixing",
    "storage": "atomic output, resumable files, manifests, caches",
    "model": "Edit, Sentence, Corpus, Hypothesis",
    "text": "tokens, interning",
    "kernels": "compiled loops",
    "errors": "one sentence each",
    "limits": "sizes",
    "visible": "marks of characters",
}
WIDTH, LEFT, HEIGHT, GAP, TOP = 960, 70, 54, 14, 46
STYLE = """\
text{font-family:system-ui,sans-serif;fill:#1b1f24}.name{font-weight:600;font-size:15px}
.what,.note{font-size:11.5px;fill:#57606a}.box{fill:#eef3fa;stroke:#5b7aa8;stroke-width:1.2}
.arrow{stroke:#57606a;stroke-width:1.6;fill:none}.tip{fill:#57606a}.page{fill:#fff}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.what,.note{fill:#9ea7b3}
.box{fill:#1d2938;stroke:#7d9cc9}.arrow{stroke:#9ea7b3}.tip{fill:#9ea7b3}.page{fill:#10151c}}"""


def layers() -> list[list[str]]:
    """Return the names in each layer, the top first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = project["tool"]["importlinter"]["contracts"][0]
    return [re.split(r"\s*[:|]\s*", layer) for layer in contract["layers"]]


def drawing() -> str:
    """Return the drawing as SVG."""
    rows = layers()
    height = TOP + len(rows) * (HEIGHT + GAP) + 28
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            'aria-label="The layers of geceval; imports go down only">'
        ),
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}" rx="8"/>',
        (
            f'<text class="note" x="{LEFT}" y="28">commands, strings, files in; '
            "tables, pages, JSON out</text>"
        ),
        f'<path class="arrow" d="M34 {TOP}V{height - 44}"/>',
        f'<path class="tip" d="M28 {height - 46}h12l-6 12z"/>',
        (
            f'<text class="note" transform="translate(22 {height // 2}) rotate(-90)" '
            'text-anchor="middle">imports go down only</text>'
        ),
    ]
    for place, names in enumerate(rows):
        y = TOP + place * (HEIGHT + GAP)
        width = (WIDTH - LEFT - 20 - (len(names) - 1) * GAP) / len(names)
        for number, name in enumerate(names):
            x = LEFT + number * (width + GAP)
            middle = x + width / 2
            parts += [
                (
                    f'<rect class="box" x="{x:.0f}" y="{y}" width="{width:.0f}" height="{HEIGHT}" '
                    'rx="6"/>'
                ),
                (
                    f'<text class="name" x="{middle:.0f}" y="{y + 23}" text-anchor="middle">'
                    f"{name}</text>"
                ),
                (
                    f'<text class="what" x="{middle:.0f}" y="{y + 42}" text-anchor="middle">'
                    f"{escape(CONTENTS[name])}</text>"
                ),
            ]
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else DRAWING
    path.write_text(drawing(), encoding="utf-8")
