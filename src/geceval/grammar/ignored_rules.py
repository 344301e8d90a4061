"""Lists of ignored rules: those affected by tokenization, and those about style.

The ``detokenized`` lists ignore rules about spaces, unpaired quotation marks and brackets, dashes,
sentence length, readability and style. The ``published`` lists are for tokenized text: that of
LanguageTool has the four rules that Napoles et al. (2016) disabled (one of them is now two).
"""

from __future__ import annotations

from geceval.grammar.base import IgnoredRules

LANGUAGETOOL_DETOKENIZED = IgnoredRules(
    "detokenized",
    rules=frozenset(
        (
            # Spaces.
            *("WHITESPACE_RULE", "SENTENCE_WHITESPACE", "COMMA_PARENTHESIS_WHITESPACE"),
            *("CONSECUTIVE_SPACES", "CURRENCY_SPACE", "UNIT_SPACE", "EG_SPACE", "DELETE_SPACE"),
            *("SPACE_BEFORE_PARENTHESIS", "NO_SPACE_CLOSING_QUOTE", "APOS_SPACE_CONTRACTION"),
            # Quotation marks, brackets and dashes.
            *("EN_QUOTES", "GERMAN_QUOTES", "APOSTROPHE_VS_QUOTE", "DOUBLE_APOSTROPHE"),
            *("EN_UNPAIRED_QUOTES", "EN_UNPAIRED_BRACKETS", "UNPAIRED_BRACKETS"),
            *("DASH_RULE", "EN_DASH_RULE", "HYPHEN_TO_EN", "TWO_HYPHENS"),
            *("TYPOGRAPHICAL_APOSTROPHE", "TYPEWRITER_APOSTROPHE", "EN_CONSISTENT_APOS"),
            # Length and readability.
            *("TOO_LONG_SENTENCE", "TOO_LONG_PARAGRAPH"),
            *("READABILITY_RULE_DIFFICULT", "READABILITY_RULE_SIMPLE"),
        )
    ),
    categories=frozenset(
        (
            *("STYLE", "REDUNDANCY", "PLAIN_ENGLISH", "REPETITIONS_STYLE", "CREATIVE_WRITING"),
            *("AMERICAN_ENGLISH_STYLE", "TEXT_ANALYSIS", "TON_ACADEMIC", "WIKIPEDIA"),
        )
    ),
)

LANGUAGETOOL_PUBLISHED = IgnoredRules(
    "published",
    rules=frozenset(
        (
            *("COMMA_PARENTHESIS_WHITESPACE", "WHITESPACE_RULE", "EN_QUOTES"),
            *("EN_UNPAIRED_BRACKETS", "EN_UNPAIRED_QUOTES"),
        )
    ),
)

HARPER_DETOKENIZED = IgnoredRules(
    "detokenized",
    rules=frozenset(
        (
            *("CommaFixes", "NoFrenchSpaces", "QuoteSpacing", "Spaces", "TransposedSpace"),
            *("UnclosedQuotes", "Dashes", "NumericRangeEnDash"),
            *("EllipsisLength", "UseEllipsisCharacter", "FootInchMinuteSecondSymbols"),
            *("LongSentences", "OxfordComma", "NoOxfordComma", "SpelledNumbers"),
        )
    ),
    categories=frozenset(("Enhancement", "Formatting", "Readability", "Redundancy", "Style")),
)

HARPER_PUBLISHED = IgnoredRules(
    "published",
    rules=frozenset(
        (
            *("CommaFixes", "NoFrenchSpaces", "QuoteSpacing", "Spaces", "TransposedSpace"),
            "UnclosedQuotes",
        )
    ),
)
