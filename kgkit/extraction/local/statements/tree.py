"""A parsed chunk as plain Python lists: reading spaCy's tokens one by one for every rule would be slow."""

from __future__ import annotations

from typing import Any

__all__ = ["Tree"]

_MARKS = " \t\r\n#*•>=|-–"
_MARKS_AFTER = " \t\r\n#=|"


class Tree:
    """The dependency trees of a chunk's sentences; every list has one entry a token."""

    __slots__ = (
        "children",
        "dep",
        "ends",
        "head",
        "lemma",
        "length",
        "lower",
        "owner",
        "owner_kinds",
        "pos",
        "sentence",
        "sentences",
        "starts",
        "tag",
        "text",
    )

    def __init__(self, doc: Any) -> None:
        self.text: str = doc.text
        self.length = len(doc)
        codes = doc.to_array(["DEP", "TAG", "POS", "LEMMA", "LOWER", "HEAD", "SENT_START", "IDX", "LENGTH"])
        known: dict[int, str] = {}
        columns: list[list[str]] = []
        for k in range(5):
            column = codes[:, k].tolist()
            for code in set(column) - known.keys():
                known[code] = doc.vocab.strings[code]
            columns.append([known[code] for code in column])
        self.dep, self.tag, self.pos, self.lemma, self.lower = columns
        offsets = codes[:, 5].astype("int64").tolist()
        self.head: list[int] = [i + offset for i, offset in enumerate(offsets)]
        self.sentences, self.sentence = _sentences(codes[:, 6].tolist())
        self.starts: list[int] = codes[:, 7].tolist()
        self.ends: list[int] = (codes[:, 7] + codes[:, 8]).tolist()
        self.children: list[list[int]] = [[] for _ in range(self.length)]
        for i, head in enumerate(self.head):
            if head != i:
                self.children[head].append(i)
        self.owner: list[int] = [-1] * self.length
        self.owner_kinds: list[str] = []

    def owner_kind(self, i: int) -> str:
        """Give the kind of the name that token ``i`` belongs to, or ``""``."""
        return self.owner_kinds[self.owner[i]] if self.owner[i] >= 0 else ""

    def child(self, i: int, *deps: str) -> int:
        """Give the first child of token ``i`` with one of ``deps``, or -1."""
        for c in self.children[i]:
            if self.dep[c] in deps:
                return c
        return -1

    def span(self, sentence: int) -> tuple[int, int]:
        """Give the characters of a sentence, without white space and marks of lists and headings at its ends."""
        first, last = self.sentences[sentence]
        start, end = self.starts[first], self.ends[last - 1]
        words = self.text[start:end]
        return start + len(words) - len(words.lstrip(_MARKS)), start + len(words.rstrip(_MARKS_AFTER))


def _sentences(starts: list[int]) -> tuple[list[tuple[int, int]], list[int]]:
    firsts = [i for i, code in enumerate(starts) if code == 1 or i == 0]
    bounds = list(zip(firsts, [*firsts[1:], len(starts)], strict=True))
    return bounds, [n for n, (first, last) in enumerate(bounds) for _ in range(first, last)]
