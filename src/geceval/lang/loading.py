"""Loading spaCy pipelines, with messages that say what to install."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from geceval.errors import GecevalError

if TYPE_CHECKING:
    from spacy.language import Language

_NOT_NEEDED = ["ner", "entity_linker", "entity_ruler", "senter", "textcat", "textcat_multilabel"]
_NO_TOKENISER = "geceval.NoTokeniser.v1"


def load_pipeline(model: str, *, tokeniser: bool = True) -> Language:
    """Load a pipeline by package name or path, without what edits have no use for.

    Parameters
    ----------
    model
        The name or path.
    tokeniser
        Whether it has to split text. Its rules take half of the time to load.
    """
    try:
        import spacy
    except ImportError as error:
        raise GecevalError(
            "spaCy is not installed; install it, or use the language 'plain', which needs no model"
        ) from error
    options: dict[str, Any] = {"exclude": _NOT_NEEDED}
    if not tokeniser:
        spacy.util.registry.tokenizers.register(_NO_TOKENISER, func=_no_tokeniser)
        options["exclude"] = [*_NOT_NEEDED, "tokenizer"]
        options["config"] = {"nlp": {"tokenizer": {"@tokenizers": _NO_TOKENISER}}}
    try:
        return spacy.load(model, **options)
    except OSError as error:
        raise GecevalError(
            f"the spaCy pipeline {model!r} is not installed and is no folder that holds one"
        ) from error
    except (ValueError, ImportError) as error:
        raise GecevalError(f"the spaCy pipeline {model!r} cannot be loaded: {error}") from error


def _no_tokeniser() -> Callable[[Language], None]:
    return lambda _: None
