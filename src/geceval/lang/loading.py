"""Loading spaCy pipelines, with messages that say what to install."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geceval.errors import GecevalError

if TYPE_CHECKING:
    from spacy.language import Language

_NOT_NEEDED = ["ner", "entity_linker", "entity_ruler", "senter", "textcat", "textcat_multilabel"]


def load_pipeline(model: str) -> Language:
    """Load a pipeline by package name or path, without what edits have no use for."""
    try:
        import spacy
    except ImportError as error:
        raise GecevalError(
            "spaCy is not installed; install it, or use the language 'plain', which needs no model"
        ) from error
    try:
        return spacy.load(model, exclude=_NOT_NEEDED)
    except OSError as error:
        raise GecevalError(
            f"the spaCy pipeline {model!r} is not installed and is no folder that holds one"
        ) from error
    except (ValueError, ImportError) as error:
        raise GecevalError(f"the spaCy pipeline {model!r} cannot be loaded: {error}") from error
