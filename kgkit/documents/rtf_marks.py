r"""What stands in RTF beside the text: tracked changes, hidden text, notes, comments, and page headers.

A word processor writes these as control words of a group (``{\deleted 90,000}``) or as groups of their own
(``{\footnote ...}``), which a reader of plain text either shows as text or drops. Here the changes are decided, and
the groups are moved behind the text, as in the other office formats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from kgkit.documents.office import plural
from kgkit.documents.parsed import ReadOptions

__all__ = ["settle"]

_TOKEN = re.compile(r"\\bin(\d+) ?|\\([a-z]+)(-?\d+)? ?|\\'[0-9a-fA-F]{2}|\\.|[{}]|[^\\{}]+", re.S)
_ASIDE = {
    **{name: "page" for name in ("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf")},
    "footnote": "note",
    "annotation": "comment",
}
_MARKS = re.compile(rb"\\(?:deleted|revised|v|bin|footnote|annotation|header[lrf]?|footer[lrf]?)(?![a-z])")
_NOTHING = "{}"  # ends the control word before it, as what was taken out did
_KEPT = ("f", "uc", "plain", "pard")  # what holds on after text that is dropped
_FIRST = re.compile(r"\s*(?:\\\*)?\s*\\[a-z]+-?\d* ?")
_GROUP = re.compile(r"\{\s*(?:\\\*)?\s*\\([a-z]+)")
_PLACE = re.compile(r"\\(?:chpgn|chftn|page|sectd|chatn)\b ?")


class _State(NamedTuple):
    deleted: bool = False
    revised: bool = False
    hidden: bool = False


class _Marks:
    def __init__(self, options: ReadOptions) -> None:
        self._unwanted = "deleted" if options.tracked_changes == "accepted" else "revised"
        self._options = options
        self.counts: Counter[str] = Counter()
        self.asides: dict[str, list[str]] = {"note": [], "comment": [], "page": []}
        self._pages: set[str] = set()
        self._author = ""

    def text(self, source: str, *, inner: bool = False) -> str:
        """Give the text's RTF; notes and comments do not hold such of their own, so ``inner`` ones stay."""
        ends = {} if inner else _group_ends(source)
        out: list[str] = []
        stack = [_State()]
        position = 0
        while match := _TOKEN.match(source, position):
            token, word = match.group(), match.group(2)
            start, position = position, match.end() + int(match.group(1) or 0)
            if token == "{":
                aside = None if inner else _aside_of(source, start)
                if aside is not None:
                    position = ends.get(start, len(source))
                    out.append(self._put_aside(aside, source[start + 1 : position - 1]))
                    continue
                stack.append(stack[-1])
            elif token == "}" and len(stack) > 1:
                stack.pop()
            elif word in ("deleted", "revised", "v", "plain"):
                stack[-1] = self._change(stack[-1], word, on=match.group(3) != "0")
            elif match.group(1):
                out.append(_NOTHING)  # binary data, which may look like anything
                continue
            elif self._drops(stack[-1]) and word not in _KEPT:
                self.counts["characters"] += len(token) if word is None and stack[-1].hidden else 0
                continue
            out.append(source[start:position])
        return "".join(out)

    def _change(self, state: _State, word: str, *, on: bool) -> _State:
        if word == "plain":
            return state._replace(hidden=False)
        name = "hidden" if word == "v" else word
        self.counts[name] += on and not getattr(state, name)
        return state._replace(**{name: on})

    def _drops(self, state: _State) -> bool:
        return state.hidden or bool(getattr(state, self._unwanted))

    def _put_aside(self, kind: str, group: str) -> str:
        inner = self.text(_PLACE.sub("", _FIRST.sub("", group, count=1)), inner=True)
        if kind == "author":
            self._author = inner.strip()
            return _NOTHING
        if kind == "comment":
            self.counts["comments"] += 1
            if self._options.comments == "append":
                self.asides[kind].append(f"{self._author or 'Unknown'}: {inner}")
            return _NOTHING
        number = len(self.asides[kind]) + 1
        if kind == "note":
            self.asides[kind].append(f"[{number}] {inner}")
            return f"[{number}]"
        if re.search(r"[^\W\d_]", re.sub(r"\\[a-z]+-?\d* ?", "", inner)) and inner not in self._pages:
            self._pages.add(inner)
            self.asides[kind].append(inner)
        return _NOTHING

    def notes(self) -> Iterator[str]:
        kinds = [plural(self.counts[k], name) for k, name in (("revised", "insertion"), ("deleted", "deletion"))]
        if self.counts["revised"] or self.counts["deleted"]:
            how = "accepted" if self._unwanted == "deleted" else "rejected: the original text is read"
            yield f"tracked_changes: {', '.join(kinds)}, {how}"
        if self.counts["characters"]:
            yield f"hidden_text_dropped: {plural(self.counts['characters'], 'character')}"
        if self.counts["comments"] and self._options.comments != "append":
            yield f"comments_dropped: {plural(self.counts['comments'], 'comment')}"


def settle(data: bytes, options: ReadOptions) -> tuple[bytes, tuple[str, ...]]:
    """Decide tracked changes, drop hidden text, and move notes, comments and page headers behind the text.

    Args:
        data: The file's bytes.
        options: ``tracked_changes`` and ``comments`` apply.

    Returns:
        RTF without these marks, and notes on what was done.
    """
    if not _MARKS.search(data):
        return data, ()
    marks = _Marks(options)
    text = marks.text(data.decode("latin-1"))
    behind = "".join(f"{{\\par\\par {line}}}" for lines in marks.asides.values() for line in lines)
    end = text.rfind("}")
    text = text[:end] + behind + text[end:] if end >= 0 else text + behind
    return text.encode("latin-1"), tuple(marks.notes())


def _aside_of(source: str, start: int) -> str | None:
    match = _GROUP.match(source, start)
    word = match.group(1) if match else ""
    return "author" if word == "atnauthor" else _ASIDE.get(word)


def _group_ends(source: str) -> dict[int, int]:
    """Say for each opening brace where its group ends."""
    ends: dict[int, int] = {}
    begun: list[int] = []
    position = 0
    while match := _TOKEN.match(source, position):
        position = match.end() + int(match.group(1) or 0)
        if match.group() == "{":
            begun.append(match.start())
        elif match.group() == "}" and begun:
            ends[begun.pop()] = position
    return ends
