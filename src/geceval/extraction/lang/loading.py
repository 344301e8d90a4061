"""Load spaCy pipelines, with error messages that say what to install."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any

from geceval.engines.process import collector_as_it_is, is_owned
from geceval.errors import GecevalError
from geceval.extraction.lang.backends import check_model

if TYPE_CHECKING:
    from spacy.language import Language

_NOT_NEEDED = ["ner", "entity_linker", "entity_ruler", "senter", "textcat", "textcat_multilabel"]
_IMPORTING = Lock()
"""Held while placeholder modules are installed, which affects all threads."""

_NO_TOKENIZER = "geceval.NoTokenizer.v1"


@cache
def spacy_version() -> str:
    """Return the version of spaCy, which affects analyses like the model does."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("spacy")
    except PackageNotFoundError:
        return "none"


def load_pipeline(model: str, *, tokenizer: bool = True) -> Language:
    """Load a pipeline by package name or path, without components that extraction does not need.

    The `tokenizer` takes half of the loading time.
    """
    try:
        with importing_spacy():
            import spacy
    except ImportError as error:
        raise GecevalError(
            "spaCy is not installed: pip install 'geceval[annotate]', or use the language 'plain', "
            "which needs no model"
        ) from error
    options: dict[str, Any] = {"exclude": _NOT_NEEDED}
    if not tokenizer:
        spacy.util.registry.tokenizers.register(_NO_TOKENIZER, func=_no_tokenizer)
        options["exclude"] = [*_NOT_NEEDED, "tokenizer"]
        options["config"] = {"nlp": {"tokenizer": {"@tokenizers": _NO_TOKENIZER}}}
    check_model(model)
    try:
        with collector_as_it_is():
            pipeline = spacy.load(model, **options)
    except OSError as error:
        raise GecevalError(
            f"the spaCy pipeline {model!r} is not installed and is no folder that holds one; get "
            f"it with 'python -m spacy download {model}' or from a wheel that you trust"
        ) from error
    except (ValueError, ImportError) as error:
        raise GecevalError(f"the spaCy pipeline {model!r} cannot be loaded: {error}") from error
    check_model(model, str(pipeline.meta.get("version", "")))
    return pipeline


@contextmanager
def importing_spacy() -> Iterator[None]:
    """Import spaCy without its command line, which takes a third of the time.

    spaCy imports a single function from it. A placeholder that imports the real function when
    called replaces it, but only in a program that owns its process.
    """
    with _IMPORTING, _placeholders():
        yield


@contextmanager
def _placeholders() -> Iterator[None]:
    if "spacy" in sys.modules or not is_owned():
        yield
        return
    package, module = ModuleType("spacy.cli"), ModuleType("spacy.cli.info")
    package.__path__ = []
    module.info = _info  # type: ignore[attr-defined]
    placeholders = {one.__name__: one for one in (package, module)}
    sys.modules.update(placeholders)
    try:
        yield
    finally:
        for name in placeholders:
            del sys.modules[name]


def _info(*arguments: Any, **options: Any) -> Any:
    from spacy.cli.info import info

    return info(*arguments, **options)


def _no_tokenizer() -> Callable[[Language], None]:
    return lambda _: None
