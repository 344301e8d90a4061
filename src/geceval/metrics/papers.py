"""The papers of metrics and tests, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

EntryType: TypeAlias = Literal["article", "book", "inproceedings", "misc"]


@dataclass(frozen=True, slots=True)
class Paper:
    r"""A paper to cite.

    Parameters
    ----------
    key
        Key of the entry, as in ``\cite{key}``.
    entry
        Type of the entry.
    authors
        Names of the authors, the family name last.
    title, year
        Title and year.
    fields
        Further fields, such as ``booktitle`` and ``pages``.

    Examples
    --------
    >>> print(Paper("doe-2020", "misc", ("Jane Doe",), "A Metric", 2020, {"note": "Draft"}).bibtex)
    @misc{doe-2020,
      author = {Jane Doe},
      title = {{A Metric}},
      year = {2020},
      note = {Draft},
    }
    """

    key: str
    entry: EntryType
    authors: tuple[str, ...]
    title: str
    year: int | None
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def bibtex(self) -> str:
        """The BibTeX entry; the capital letters of the title are protected."""
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            **({} if self.year is None else {"year": str(self.year)}),
            **self.fields,
        }
        lines = (f"  {name} = {{{value}}},\n" for name, value in fields.items())
        return f"@{self.entry}{{{self.key},\n{''.join(lines)}}}"


def distinct(papers: Iterable[Paper]) -> list[Paper]:
    """Return each paper once, in order."""
    return list({paper.key: paper for paper in papers}.values())


def _talk(
    key: str, authors: str, title: str, year: int, booktitle: str, pages: str | None = None
) -> Paper:
    """Return a paper of a conference; authors are separated by commas."""
    fields = {"booktitle": booktitle, **({} if pages is None else {"pages": pages})}
    return Paper(key, "inproceedings", tuple(authors.split(", ")), title, year, fields)


# Authors, titles, venues and pages are those of the cards in docs/metrics.

DAHLMEIER_NG_2012 = _talk(
    "dahlmeier-ng-2012",
    "Daniel Dahlmeier, Hwee Tou Ng",
    "Better Evaluation for Grammatical Error Correction",
    2012,
    "Proceedings of NAACL-HLT 2012",
    "568--572",
)
BRYANT_2017 = _talk(
    "bryant-etal-2017",
    "Christopher Bryant, Mariano Felice, Ted Briscoe",
    "Automatic Annotation and Evaluation of Error Types for Grammatical Error Correction",
    2017,
    "Proceedings of ACL 2017",
    "793--805",
)
FELICE_2016 = _talk(
    "felice-etal-2016",
    "Mariano Felice, Christopher Bryant, Ted Briscoe",
    "Automatic Extraction of Learner Errors in ESL Sentences Using Linguistically Enhanced "
    "Alignments",
    2016,
    "Proceedings of COLING 2016",
    "825--835",
)
FELICE_BRISCOE_2015 = _talk(
    "felice-briscoe-2015",
    "Mariano Felice, Ted Briscoe",
    "Towards a standard evaluation method for grammatical error detection and correction",
    2015,
    "Proceedings of NAACL-HLT 2015",
    "578--587",
)
YE_2023 = _talk(
    "ye-etal-2023",
    "Jingheng Ye, Yinghui Li, Qingyu Zhou, Yangning Li, Shirong Ma, Hai-Tao Zheng, Ying Shen",
    "CLEME: Debiasing Multi-reference Evaluation for Grammatical Error Correction",
    2023,
    "Proceedings of EMNLP 2023",
)
YE_2025 = _talk(
    "ye-etal-2025",
    "Jingheng Ye, Zishan Xu, Yinghui Li, Linlin Song, Qingyu Zhou, Hai-Tao Zheng, Ying Shen, "
    "Wenhao Jiang, Hong-Gee Kim, Ruitong Liu, Xin Su, Zifei Shan",
    "CLEME2.0: Towards Interpretable Evaluation by Disentangling Edits for Grammatical Error "
    "Correction",
    2025,
    "Proceedings of ACL 2025",
    "204--222",
)
NAPOLES_2015 = _talk(
    "napoles-etal-2015",
    "Courtney Napoles, Keisuke Sakaguchi, Matt Post, Joel Tetreault",
    "Ground Truth for Grammatical Error Correction Metrics",
    2015,
    "Proceedings of ACL-IJCNLP 2015",
    "588--593",
)
NAPOLES_2016_GLEU = Paper(
    "napoles-etal-2016-gleu",
    "misc",
    ("Courtney Napoles", "Keisuke Sakaguchi", "Matt Post", "Joel Tetreault"),
    "GLEU Without Tuning",
    2016,
    {"note": "arXiv:1605.02592"},
)
NAPOLES_2016 = _talk(
    "napoles-etal-2016",
    "Courtney Napoles, Keisuke Sakaguchi, Joel Tetreault",
    "There's No Comparison: Reference-less Evaluation Metrics in Grammatical Error Correction",
    2016,
    "Proceedings of EMNLP 2016",
    "2109--2115",
)
KOYAMA_2024 = _talk(
    "koyama-etal-2024",
    "Shota Koyama, Ryo Nagata, Hiroya Takamura, Naoaki Okazaki",
    "n-gram F-score for Evaluating Grammatical Error Correction",
    2024,
    "Proceedings of INLG 2024",
)
PAPINENI_2002 = _talk(
    "papineni-etal-2002",
    "Kishore Papineni, Salim Roukos, Todd Ward, Wei-Jing Zhu",
    "BLEU: a Method for Automatic Evaluation of Machine Translation",
    2002,
    "Proceedings of ACL 2002",
    "311--318",
)
POST_2018 = _talk(
    "post-2018",
    "Matt Post",
    "A Call for Clarity in Reporting BLEU Scores",
    2018,
    "Proceedings of WMT 2018",
    "186--191",
)
SUN_ZHOU_2012 = _talk(
    "sun-zhou-2012",
    "Hong Sun, Ming Zhou",
    "Joint Learning of a Dual SMT System for Paraphrase Generation",
    2012,
    "Proceedings of ACL 2012",
    "38--42",
)
POPOVIC_2015 = _talk(
    "popovic-2015",
    r"Maja Popovi{\'c}",
    "chrF: Character n-gram F-score for Automatic MT Evaluation",
    2015,
    "Proceedings of WMT 2015",
    "392--395",
)
POPOVIC_2017 = _talk(
    "popovic-2017",
    r"Maja Popovi{\'c}",
    "chrF++: Words Helping Character n-grams",
    2017,
    "Proceedings of WMT 2017",
    "612--618",
)
SNOVER_2006 = _talk(
    "snover-etal-2006",
    "Matthew Snover, Bonnie Dorr, Richard Schwartz, Linnea Micciulla, John Makhoul",
    "A Study of Translation Edit Rate with Targeted Human Annotation",
    2006,
    "Proceedings of AMTA 2006",
    "223--231",
)
XU_2016 = Paper(
    "xu-etal-2016",
    "article",
    ("Wei Xu", "Courtney Napoles", "Ellie Pavlick", "Quanze Chen", "Chris Callison-Burch"),
    "Optimizing Statistical Machine Translation for Text Simplification",
    2016,
    {
        "journal": "Transactions of the Association for Computational Linguistics",
        "volume": "4",
        "pages": "401--415",
    },
)
CHOSHEN_ABEND_2018 = _talk(
    "choshen-abend-2018",
    "Leshem Choshen, Omri Abend",
    "Automatic Metric Validation for Grammatical Error Correction",
    2018,
    "Proceedings of ACL 2018",
    "1372--1382",
)
GOTOU_2020 = _talk(
    "gotou-etal-2020",
    "Takumi Gotou, Ryo Nagata, Masato Mita, Kazuaki Hanawa",
    "Taking the Correction Difficulty into Account in Grammatical Error Correction Evaluation",
    2020,
    "Proceedings of COLING 2020",
    "2085--2095",
)
VOLODINA_2023 = _talk(
    "volodina-etal-2023",
    r"Elena Volodina, Christopher Bryant, Andrew Caines, Orph{\'e}e {De Clercq}, "
    "Jennifer-Carmen Frey, Elizaveta Ershova, Alexandr Rosen, Olga Vinogradova",
    "MultiGED-2023 Shared Task at NLP4CALL: Multilingual Grammatical Error Detection",
    2023,
    "Proceedings of the 12th Workshop on NLP for Computer Assisted Language Learning",
    "1--16",
)
YUAN_2021 = _talk(
    "yuan-etal-2021",
    "Zheng Yuan, Shiva Taslimipoor, Christopher Davis, Christopher Bryant",
    "Multi-Class Grammatical Error Detection for Correction: A Tale of Two Systems",
    2021,
    "Proceedings of EMNLP 2021",
    "8722--8736",
)
GONG_2022 = _talk(
    "gong-etal-2022",
    "Peiyuan Gong, Xuebo Liu, Heyan Huang, Min Zhang",
    "Revisiting Grammatical Error Correction Evaluation and Beyond",
    2022,
    "Proceedings of EMNLP 2022",
    "6891--6902",
)
MAEDA_2022 = _talk(
    "maeda-etal-2022",
    "Koki Maeda, Masahiro Kaneko, Naoaki Okazaki",
    "IMPARA: Impact-Based Metric for GEC Using Parallel Data",
    2022,
    "Proceedings of COLING 2022",
    "3578--3588",
)
ISLAM_MAGNANI_2021 = _talk(
    "islam-magnani-2021",
    "Md Asadul Islam, Enrico Magnani",
    "Is this the end of the gold standard? A straightforward reference-less grammatical error "
    "correction metric",
    2021,
    "Proceedings of EMNLP 2021",
    "3009--3015",
)
YOSHIMURA_2020 = _talk(
    "yoshimura-etal-2020",
    "Ryoma Yoshimura, Masahiro Kaneko, Tomoyuki Kajiwara, Mamoru Komachi",
    "SOME: Reference-less Sub-Metrics Optimized for Manual Evaluations of Grammatical Error "
    "Correction",
    2020,
    "Proceedings of COLING 2020",
    "6516--6522",
)

# Papers of intervals and tests are those of docs/guide/significance.md.

EFRON_TIBSHIRANI_1993 = Paper(
    "efron-tibshirani-1993",
    "book",
    ("Bradley Efron", "Robert J. Tibshirani"),
    "An Introduction to the Bootstrap",
    1993,
    {"publisher": r"Chapman \& Hall"},
)
RIEZLER_MAXWELL_2005 = _talk(
    "riezler-maxwell-2005",
    "Stefan Riezler, John T. Maxwell",
    "On Some Pitfalls in Automatic Evaluation and Significance Testing for MT",
    2005,
    "Proceedings of the ACL Workshop on Intrinsic and Extrinsic Evaluation Measures for Machine "
    "Translation and/or Summarization",
    "57--64",
)
KOEHN_2004 = _talk(
    "koehn-2004",
    "Philipp Koehn",
    "Statistical Significance Tests for Machine Translation Evaluation",
    2004,
    "Proceedings of EMNLP 2004",
    "388--395",
)
HOLM_1979 = Paper(
    "holm-1979",
    "article",
    ("Sture Holm",),
    "A Simple Sequentially Rejective Multiple Test Procedure",
    1979,
    {"journal": "Scandinavian Journal of Statistics", "volume": "6", "pages": "65--70"},
)
