"""A small good input of every format, to be detected, spoiled and converted by tests."""

from __future__ import annotations

import hashlib
from typing import NamedTuple


class Example(NamedTuple):
    """The files of an input, and letters that a fuzz test may throw in."""

    texts: tuple[str, ...]
    letters: str


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _example(*texts: str, letters: str) -> Example:
    return Example(texts, letters)


_CLEAN = "The dog sleeps at the café."

EXAMPLES = {
    "m2-zh": _example(
        "S 我 在 去 。\n"
        "T0-A0 我 再 去 吧 。\n"
        "A 1 2|||S|||再|||REQUIRED|||-NONE-|||0\n"
        "A 3 3|||M|||吧|||REQUIRED|||-NONE-|||0\n"
        "T0-A1 我 再 去 吧 。\n"
        "A 1 3|||S|||再 去 吧|||REQUIRED|||-NONE-|||0\n"
        "T1 没有错误\n"
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n"
        "T2 无法标注\n"
        "A -1 -1|||NA|||-NONE-|||REQUIRED|||-NONE-|||2\n\n",
        letters="STA|-0192 \n\r。\x00\u2028",
    ),
    "m2-char": _example(
        "S I goed to the storr.\n"
        "A 2 6|||R:VERB:INFL|||went|||REQUIRED|||-NONE-|||0\n"
        "A 14 19|||R:SPELL|||store||shop|||REQUIRED|||-NONE-|||0\n\n"
        "S Bye!\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n",
        letters="SA|-0192 \n\r.é\x00\u2028",
    ),
    "m2": _example(
        "S She like a teas .\n"
        "A 1 2|||R:VERB:SVA|||likes||liked|||REQUIRED|||-NONE-|||0\n"
        "A 2 3|||U:DET||||||-NONE-|||really?|||0\n"
        "A 3 4|||UNK|||teas|||REQUIRED|||-NONE-|||1\n\n"
        "S Good .\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
        "S Bare .\n",
        letters="SAI|-0192 \n\r.é\x00\u2028",
    ),
    "lm-eval": _example(
        '{"doc_id": 0, "doc": {"source": "I goed home ."}, "filtered_resps": ["I went home ."]}\n'
        '{"doc_id": 1, "doc": {"source": "Bye !"}, "filtered_resps": ["Bye !"]}\n',
        letters='{}[]":,0129 \n\r\\é\x00',
    ),
    "inspect": _example(
        '{"version": 2, "status": "success", "samples": [{"id": 1, "epoch": 1, "output": '
        '{"choices": [{"message": {"content": "I went home ."}}]}}]}\n',
        letters='{}[]":,0129 \n\r\\é\x00',
    ),
    "jsonl": _example(
        '{"format": "geceval-corpus", "schema": 1}\n'
        '{"id": "s1", "tokens": ["I", "goes"], "annotations": [{"annotator": "0", "edits": '
        '[{"start": 1, "end": 2, "corrections": [["go"], []], "type": "R", "required": false, '
        '"comment": "c", "group": "1"}]}], '
        '"raw": {"text": "I goes", "spans": [[0, 1], [2, 6]]}}\n'
        '{"tokens": []}\n',
        letters='[]{}",:09-\\u\x00é\n',
    ),
    "bea": _example(
        '{"id": "e1", "cefr": "A2", "text": "I goed home. She like tea.\\n\\nBye", "edits": '
        '[[0, [[2, 6, "went"], [17, 21, "likes", "R"], [22, 25, null]]], ["b", []]]}\n',
        letters='[]{}",:09-\\u\x00é\n',
    ),
    "lang8": _example(
        '["51", "7", ["English"], "German", ["She go home.", "Bye!"], '
        '[["She [f-red]goes[/f-red] home.", "She [sline]go[/sline]went home."], []]]\n',
        letters='[]{}",:\\\n\r\tu0n\x00é\u2028',
    ),
    "ixml": _example(
        '<scripts><script id="1"><sentence id="1" numann="3" annotators="0 1 x">\n'
        "<text>This machines is old .</text>\n<error-list>\n"
        '<error id="1" req="yes" type="SVA"><alt ann="0"><c start="0" end="1">These</c>'
        '<c start="2" end="3" type="V">are</c></alt>'
        '<alt ann="1"><c start="1" end="2">machine</c>'
        '</alt><alt ann="1"><c start="1" end="2">engine</c></alt></error>\n'
        "</error-list>\n</sentence></script></scripts>\n",
        letters='<>/&;"=sc 019-\n\x00é',
    ),
    "nucle": _example(
        '<DOC nid="7">\n<TEXT>\n<TITLE>\nOn tea\n</TITLE>\n<P>\n'
        "I likes tea. It are good & hot.\n"
        '</P>\n</TEXT>\n<ANNOTATION teacher_id="3">\n'
        '<MISTAKE start_par="1" start_off="2" end_par="1" end_off="7">\n<TYPE>SVA</TYPE>\n'
        "<CORRECTION>like</CORRECTION>\n<COMMENT>so</COMMENT>\n</MISTAKE>\n"
        "</ANNOTATION>\n</DOC>\n",
        letters='<>/&;"=PM 0129-\n\r\x00é\u2028',
    ),
    "hoo": _example(
        '<HOO version="2.1"><BODY><PART id="1"><P>I gave it John. He like the tea.</P></PART>'
        "</BODY></HOO>\n",
        '<edits><edit index="0-1" part="1" start="10" end="10" type="MT"><original><empty/>'
        "</original><corrections><correction>to </correction></corrections></edit>"
        '<edit index="0-2" part="1" start="19" end="23" type="AV"><original>like</original>'
        "<corrections><correction>likes</correction><correction>liked</correction>"
        "</corrections></edit></edits>\n",
        letters='<>/&;eip" =0-\n\x00é',
    ),
    "fce": _example(
        '<learner><head sortkey="AB1*01"><text><answer1><coded_answer>'
        '<p>Dear <NS type="RP"><i>sir</i><c>Sir</c></NS>,</p>'
        '<p>I <NS type="RV"><i><NS type="TV"><i>goed</i><c>went</c></NS></i>'
        "<c>sent</c></NS> it."
        "</p></coded_answer></answer1></text></head></learner>\n",
        letters='<>/&;NSic" =\n\x00é',
    ),
    "multigec": _example(
        "### essay_id = a1\nI has a dog.\n\nHis name are Rex.\n\n### essay_id = b2\nWe left.\n",
        "### essay_id = b2\nWe left.\n\n### essay_id = a1\nI have a dog.\n\nHis name is Rex.\n",
        letters="#=\n\r\t []\"'0a\x00é\u2028",
    ),
    "uagec": _example(
        "Учора {я йшла=>ми йшли|я йшов:::error_type=G/Gender:::sure=no} додому"
        "{=>.:::error_type=P}\n{Дуже =>:::error_type=F/Style}Гарно {там=>NO_SUGGESTIONS}!\n",
        letters="{}=>|:\n a\u2028\x00",
    ),
    "multiged": _example(
        "He\tc\ngo\ti\nhome\tc\n.\tc\n\nYes\tc\n!\tc\n",
        letters="ci\n\r\t a\x00é\u2028\u00a0",
    ),
    "clang8": _example(
        "52\t9\t0\tFalse\tI see a dog\n51\t7\t0\tTrue\tShe went home.\n",
        '["51", "7", ["English"], "German", ["She go home.", "Bye!"], '
        '[["She goes home."], []]]\n'
        '["52", "9", ["English"], "Dutch", ["I see dog"], [[]]]\n',
        letters='\t\n\r0159TFrueals[]",\x00é\u2028',
    ),
    "c4200m": _example(
        f"{_md5(_CLEAN)}\t8\t14\tsleep\n{_md5(_CLEAN)}\t18\t22\n{_md5(_CLEAN)}\t22\t27\tcoffee\n",
        f"{_CLEAN}\nCats don't.\n",
        letters="\t\n\r019af \x00é\u2028",
    ),
    "tsv": _example(
        "oral test~\toral test ~\tan oral test ~\nit is good\tit is good\t\n",
        letters="\t\n\r09 a\x00é\u2028",
    ),
    "parallel": _example(
        "This are good .\nYes .\n",
        "This is good .\nYes .\n",
        letters="\t\n\r09 a\x00é\u2028",
    ),
}
"""By the name of the format."""

CORRECTED = {
    name: example for name, example in EXAMPLES.items() if name not in ("lm-eval", "inspect")
}
"""The examples of formats that have corrections; others are the output of a system."""
