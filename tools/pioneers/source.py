"""Read the marked texts: what each document says, and where its names and relations are.

A text file holds a small header, ``---``, and a body::

    file: people/lovelace.md
    title: Ada Lovelace
    topic: engines
    ---
    # [[Ada Lovelace|p_lovelace]]

    {{[[Ada|p_lovelace]] was born in [[London|l_london]].}}(p_lovelace born_in l_london)

``[[words|entity]]`` marks a mention. ``{{words}}(subject predicate object; ...)`` marks the words that support
a relation; ``-``, ``?`` or ``~`` before the subject says negated, conditional or reported. ``*words*`` is italic
and ``**words**`` is bold. Blocks are divided by blank lines; ``#`` headings, ``-`` and ``1.`` items, ``>`` quoted
lines and ``|`` rows are one block (or one block a cell) each. The headers of a mail may have marks too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORPUS = ROOT / "data" / "pioneers"
TYPES = ("PERSON", "ORGANISATION", "PLACE", "PRODUCT", "WORK", "EVENT", "CONCEPT")
MAIL_HEADERS = ("from", "to", "cc", "subject")
POLARITIES = {"": "positive", "-": "negated", "?": "conditional", "~": "reported"}
# fmt: off
PREDICATES = frozenset((
    "acquired", "attended", "based_on", "born_in", "bought", "broke", "built", "buried_in", "child_of", "coined",
    "completed", "decided", "demonstrated", "describes", "designed", "died_in", "donated_to", "founded", "funded",
    "hired", "influenced", "invented", "led", "located_in", "made", "married", "merged_into", "opposed",
    "organised", "owned", "part_of", "patented", "programmed", "proposed", "published", "ran_on", "related_to",
    "renamed_to", "same_as", "sold", "solved", "studied_at", "supervised", "supported", "taught", "used", "used_at",
    "visited", "won", "worked_at", "worked_in", "worked_on", "worked_with", "wrote",
))
# fmt: on
_TOKEN = re.compile(r"\[\[([^|\]]+)\|(\w+)\]\]|\{\{|\}\}\(([^)]*)\)|\*\*|\*")


class SourceError(ValueError):
    """A marked text that does not follow the rules above; the message names file and place."""


@dataclass(frozen=True)
class Entity:
    """One line of ``entities.txt``: an id, its type and name, and the names that can mean nothing else."""

    entity: str
    type: str
    name: str
    surfaces: tuple[str, ...]
    note: str


@dataclass(frozen=True)
class Mention:
    """A name in a block: ``block.text[start:end]``."""

    start: int
    end: int
    entity: str


@dataclass(frozen=True)
class Relation:
    """One relation and the words of its block that support it."""

    start: int
    end: int
    subject: str
    predicate: str
    object: str
    polarity: str


@dataclass(frozen=True)
class Block:
    """A paragraph, heading, item, quoted line, row or cell, free of marks."""

    kind: str
    level: int
    text: str
    styles: tuple[tuple[int, int, str], ...] = ()
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    cells: tuple[Block, ...] = ()

    def leaves(self) -> tuple[Block, ...]:
        """The blocks that hold text: the cells of a row, or the block itself."""
        return self.cells if self.kind == "row" else (self,)


@dataclass(frozen=True)
class Source:
    """One marked text: its header, its blocks, and its body without marks."""

    key: str
    head: dict[str, str]
    blocks: tuple[Block, ...]
    plain: str

    @property
    def file(self) -> str:
        """Where the document goes, below ``data/pioneers/documents``."""
        return self.head["file"]

    @property
    def format(self) -> str:
        """The ending of the file, which decides how it is rendered."""
        return self.file.rsplit(".", 1)[1]


def read_entities() -> dict[str, Entity]:
    """All entities of ``entities.txt``, by id."""
    found: dict[str, Entity] = {}
    for line in (HERE / "entities.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        entity, kind, name, surfaces, note = ([part.strip() for part in line.split("|")] + [""])[:5]
        if kind not in TYPES or entity in found:
            raise SourceError(f"entities.txt: {entity}: a new id and one of {', '.join(TYPES)} is needed")
        names = tuple(part.strip() for part in surfaces.split(";") if part.strip())
        found[entity] = Entity(entity, kind, name, names, note)
    return found


def read_sources() -> list[Source]:
    """All marked texts, in the order of their files."""
    sources = [parse_source(path.stem, path.read_text(encoding="utf-8")) for path in (HERE / "texts").glob("*.txt")]
    return sorted(sources, key=lambda source: source.file)


def parse_source(key: str, text: str) -> Source:
    """One marked text. Raises SourceError where a mark is unbalanced or a predicate unknown."""
    header, body = text.split("\n---\n", 1)
    marked = dict(line.split(": ", 1) for line in header.splitlines())
    headers = {name: _inline(key, "header", 0, marked[name]) for name in MAIL_HEADERS if name in marked}
    head = marked | {name: block.text for name, block in headers.items()}
    blocks = tuple(_block(key, line) for line in _lines(body))
    plain = _TOKEN.sub(lambda found: found.group(1) or ("" if found.group(0)[0] in "{}" else found.group(0)), body)
    return Source(key, head, (*headers.values(), *blocks), plain.strip() + "\n")


def _lines(body: str) -> list[str]:
    return [line.strip() for line in body.splitlines() if line.strip()]


def _block(key: str, line: str) -> Block:
    heading = re.match(r"(#+) +(.*)", line)
    if heading:
        return _inline(key, "heading", len(heading.group(1)), heading.group(2))
    if line.startswith("=== sheet: "):
        return Block("sheet", 0, line.removeprefix("=== sheet: "))
    if line.startswith("| "):
        guarded = re.sub(r"\[\[([^|\]]+)\|", "[[\\1\0", line)
        parts = [part.strip().replace("\0", "|") for part in guarded.strip("| ").split(" | ")]
        cells = tuple(_inline(key, "cell", 0, part) for part in parts)
        return Block("row", 0, "", cells=cells)
    for kind, pattern in (("item", r"- +(.*)"), ("number", r"\d+\. +(.*)"), ("quote", r"> ?(.*)")):
        found = re.match(pattern, line)
        if found:
            level = int(line.split(".")[0]) if kind == "number" else 0
            return _inline(key, kind, level, found.group(1))
    return _inline(key, "para", 0, line)


def _inline(key: str, kind: str, level: int, marked: str) -> Block:
    text, at, opened, styled = "", 0, -1, {"*": -1, "**": -1}
    mentions: list[Mention] = []
    relations: list[Relation] = []
    styles: list[tuple[int, int, str]] = []
    for token in _TOKEN.finditer(marked):
        text += marked[at : token.start()]
        at = token.end()
        if token.group(1):
            mentions.append(Mention(len(text), len(text) + len(token.group(1)), token.group(2)))
            text += token.group(1)
        elif token.group(0) == "{{":
            opened = len(text)
        elif token.group(3) is not None:
            relations += [_relation(key, opened, len(text), one.strip()) for one in token.group(3).split(";")]
            opened = -1
        elif styled[token.group(0)] < 0:
            styled[token.group(0)] = len(text)
        else:
            styles.append((styled[token.group(0)], len(text), {"*": "italic", "**": "bold"}[token.group(0)]))
            styled[token.group(0)] = -1
    text += marked[at:]
    if opened >= 0 or max(styled.values()) >= 0 or re.search(r"\[\[|\]\]|\{\{|\}\}", text):
        raise SourceError(f"{key}: a mark is not closed in: {marked[:80]}")
    return Block(kind, level, text, tuple(styles), tuple(mentions), tuple(relations))


def _relation(key: str, start: int, end: int, marked: str) -> Relation:
    sign = marked[0] if marked[0] in "-?~" else ""
    subject, predicate, target = marked.removeprefix(sign).split()
    if start < 0 or predicate not in PREDICATES:
        raise SourceError(f"{key}: {marked}: no words before it, or not one of the predicates")
    return Relation(start, end, subject, predicate, target, POLARITIES[sign])


def check_sources(sources: list[Source], entities: dict[str, Entity]) -> None:
    """Raise SourceError where an id is unknown, a relation has an end that its document does not mention, or a
    name that can mean only one entity stands unmarked."""
    problems: list[str] = []
    for source in sources:
        leaves = [leaf for block in source.blocks for leaf in block.leaves()]
        here = {mention.entity for leaf in leaves for mention in leaf.mentions}
        problems += [f"{source.key}: unknown entity {entity}" for entity in here - entities.keys()]
        for leaf in leaves:
            for relation in leaf.relations:
                missing = {relation.subject, relation.object} - here
                problems += [f"{source.key}: {relation.predicate}: {entity} is not mentioned" for entity in missing]
        problems += [f"{source.key}: not marked: {name}" for name in _unmarked(source, leaves, entities)]
    if problems:
        raise SourceError("\n".join(sorted(problems)))


def _unmarked(source: Source, leaves: list[Block], entities: dict[str, Entity]) -> list[str]:
    surfaces = sorted({name for entity in entities.values() for name in entity.surfaces}, key=lambda n: (-len(n), n))
    names = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, surfaces)) + r")(?!\w)")
    allowed = {name.strip() for name in source.head.get("unmarked", "").split(";")}
    found = []
    for leaf in leaves:
        covered = {at for mention in leaf.mentions for at in range(mention.start, mention.end)}
        found += [
            m.group(0) for m in names.finditer(leaf.text) if m.start() not in covered and m.group(0) not in allowed
        ]
    return found
