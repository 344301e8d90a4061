"""Sphinx configuration; build the documentation with ``make docs``."""

import geceval

project = "geceval"
author = "geceval contributors"
copyright = "geceval contributors"
version = release = geceval.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.napoleon"]
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
    # Names that only type checkers see.
    ("py:.*", r"NDArray|Int32Array|Int64Array|RunningChoice|Counting|Counts|Mode|Compat"),
    ("py:.*", r"AnalyzerKind|Axes|Figure|Path|Provenance|geceval\.limits\.Sentence"),
    ("py:.*", r"geceval\.(metaeval\.store\.R|evaluation\.entries\.Item)"),
    ("py:.*", r"geceval\.metrics\.specs\.MetricSpec"),
    ("py:.*", r"geceval\.extraction\.lang\.analysis\.SpacedTokens"),
    # Napoleon takes text before a colon in the docstring of a constant for its type.
    ("py:.*", r".* .*|detections|Types"),
    # Bounds of options stand in annotations.
    ("py:.*", r"inf|(.*\.)?Range|P|geceval\.metrics\.options\.R"),
    # What is private has no page.
    ("py:.*", r".*\._\w+"),
    # Generic types are sometimes cut at their commas.
    ("py:.*", r".*[\[\]].*"),
]
