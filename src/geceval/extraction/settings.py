"""Settings of extraction."""

from __future__ import annotations

from dataclasses import dataclass, field

from geceval.characters import Normalization
from geceval.errors import GecevalError
from geceval.extraction.align import Method
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang import AnalyzerKind, Notify, PackOptions, get_pack
from geceval.extraction.lang.disk_cache import StoredAnalyzer


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """Settings of extraction.

    Parameters
    ----------
    lang, align, merge, typer, model, analyzer, options
        As in `geceval.extraction.annotator.Annotator`, but by name.
    tokenize
        Whether parallel text is raw and has to be tokenized.
    normalize
        ``"nfc"`` to compare text in Unicode's composed form; sentences keep their own form.
    keep_spans
        Whether to retype the edits of a corpus rather than extract new ones from the corrected
        sentences.
    minimize
        Whether to strip unchanged tokens from both ends of retyped edits.
    cache
        Folder of a cache of analyses.
    """

    lang: str = "en"
    align: Method = "linguistic"
    merge: str = "rules"
    typer: str | None = None
    model: str | None = None
    analyzer: AnalyzerKind = "fast"
    tokenize: bool = False
    normalize: Normalization = "none"
    keep_spans: bool = False
    minimize: bool = True
    cache: str | None = None
    options: PackOptions = field(default_factory=PackOptions)

    def annotator(self, *, notify: Notify | None = None) -> Annotator:
        """Load the annotator; see `LanguagePack.analyzer` for `notify`."""
        pack = get_pack(self.lang)
        options = self.options
        if pack.annotator:
            if self.cache is not None:
                raise GecevalError(f"there is nothing to cache for the language {pack.name!r}")
            return Annotator(
                pack,
                align=self.align,
                merge=self.merge,
                typer=self.typer,
                model=self.model,
                options=options,
                notify=notify,
            )
        analyzer = pack.analyzer(self.model, kind=self.analyzer, notify=notify, options=options)
        if self.cache is not None:
            analyzer = StoredAnalyzer(analyzer, self.cache)
        return Annotator(
            pack,
            align=self.align,
            merge=self.merge,
            typer=self.typer,
            analyzer=analyzer,
            options=options,
        )
