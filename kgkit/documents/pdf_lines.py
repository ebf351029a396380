"""From the lines of a page to running text: words cut at line ends are joined, and lines of one paragraph."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["running_text"]

_CUT = "\u00ad"  # marks a hyphen that the line's end made
_CUT_SIGNS = re.compile("[\x02\ufffe\uffff]")
_FORMS = re.compile("[\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufdff\ufe70-\ufefc]")  # ligatures and positional forms
_LIST_MARK = re.compile(r"(?:[•◦▪●○■–—*-]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s")
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*$")
_NUMERIC = re.compile(r"[-+(]?[$€£]?[\d.,]*\d[%)]?")
_MIN_WIDTH = 30
_FULL = 0.7
_TOO_WIDE = 1.3  # such a line stands above columns


def running_text(raw: str) -> str:
    """Write one page's lines as paragraphs.

    A line is joined with the next when it is nearly as wide as the page's lines are and does not look like a row of a
    table, a list item's end, or a heading. A word cut by a hyphen is joined, unless the page has the hyphened word
    elsewhere.
    """
    text = _FORMS.sub(lambda m: unicodedata.normalize("NFKC", m.group()), raw)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0b", "\n").replace("\x0c", "\n")
    text = _CUT_SIGNS.sub(_CUT + "\n", text)
    lines = [re.sub(r"[^\S\n]+", " ", line).strip() for line in text.split("\n")]
    if len(filled := [line for line in lines if line]) > 2 and not any(" " in line for line in filled):
        return " ".join(filled)  # words set one below the other
    width = _usual_width(lines)
    known = set(re.findall(r"\w+-\w+", text))
    out: list[str] = []
    before = ""
    for line in lines:
        if not line:
            before = ""
            if out and out[-1]:
                out.append("")
            continue
        if before.endswith(_CUT) or _cut_here(before, line):
            out[-1] = _join_word(out[-1], line, known)
        elif before and _runs_on(before, line, width):
            out[-1] = f"{out[-1]} {line}"
        else:
            out.append(line)
        before = line
    return "\n".join(out).replace(_CUT, "-").strip("\n")


def _usual_width(lines: list[str]) -> int:
    lengths = sorted(len(line) for line in lines if len(line) >= 20)
    return lengths[int(0.75 * (len(lengths) - 1))] if len(lengths) > 3 else 10**6


def _cut_here(before: str, line: str) -> bool:
    return bool(re.search(r"[^\W\d_]-$", before)) and line[0].islower()


def _join_word(text: str, line: str, known: set[str]) -> str:
    stem = text[:-1]
    left, right = re.search(r"\w*$", stem), re.match(r"\w*", line)
    hyphened = f"{left.group() if left else ''}-{right.group() if right else ''}"
    keeps = hyphened in known or (left is not None and left.group().isupper()) or line[0].isdigit()
    return f"{stem}-{line}" if keeps else stem + line


def _runs_on(before: str, line: str, width: int) -> bool:
    if width < _MIN_WIDTH or not _FULL * width <= len(before) <= _TOO_WIDE * width or _LIST_MARK.match(line):
        return False
    if _SENTENCE_END.search(before) and len(before) < 0.9 * width:
        return False
    return not (_is_row(before) or _is_row(line))


def _is_row(line: str) -> bool:
    words = line.split()
    numbers = sum(1 for word in words if _NUMERIC.fullmatch(word))
    return numbers >= 2 and numbers >= 0.3 * len(words)
