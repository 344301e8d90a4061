"""Sphinx configuration; build the documentation with ``make docs``."""

import sys
from pathlib import Path

import geceval

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "geceval"
author = "geceval contributors"
copyright = "geceval contributors"
version = release = geceval.__version__

extensions = [
    "command_reference",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "geceval"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = False
napoleon_use_rtype = False
# Single backquotes name parameters as well as functions, so they are set as code.
default_role = "code"

nitpicky = True
nitpick_ignore_regex = [
    # Other packages have no pages to refer to.
    ("py:.*", r"(numpy|np|collections|contextlib|abc|enum|os|io|pathlib|typing|click|msgspec)\..*"),
    ("py:.*", r"ABC|Any|ClassVar|DataFrame|Exception|Literal|NamedTuple|TypeAlias|UserWarning"),
    # What is internal has no page, and neither have names that only type checkers see.
    ("py:.*", r"geceval\.\w+\..*"),
    ("py:.*", r"NDArray|Int32Array|Int64Array|Path|TypeIs|OneMetric|Metrics|re\.Pattern"),
    ("py:.*", r"Annotator|Resampling|Result|SlicedResult"),
    # Napoleon takes text before a colon in the docstring of a constant for its type.
    ("py:.*", r".* .*|detections|Types"),
    # Bounds of options stand in annotations.
    ("py:.*", r"inf|(.*\.)?Range|P|geceval\.metrics\.options\.R"),
    # What is private has no page.
    ("py:.*", r".*\._\w+"),
    # Generic types are sometimes cut at their commas.
    ("py:.*", r".*[\[\]].*"),
]
