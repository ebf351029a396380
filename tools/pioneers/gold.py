"""Write ``data/pioneers/gold``: where the marked names and relations are in the text that kgkit reads.

Run it after ``build.py``, as ``python tools/pioneers/gold.py``. Every block of every text has to be found in the
document, in order; anything that is not found is an error, and nothing is written.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from render_text import records
from source import CORPUS, HERE, Block, Entity, Source, SourceError, check_sources, read_entities, read_sources

import kgkit as kg

TOPICS = (
    "business",
    "chips",
    "engines",
    "museum",
    "networks",
    "programming",
    "punched_cards",
    "stored_program",
    "theory",
    "wartime",
)
Row = dict[str, Any]
_BREAK = re.compile(r"""(?<=[.!?])["')\]]*\s+(?=["'(\[]?[A-Z0-9Ä-Ü])""")
_INITIAL = re.compile(r"(?:^|[\s(])(?:[A-Z]|v|No)\.$")


class Squeezed:
    """A text without white space and asterisks, and where each of its characters was.

    Readers wrap and join lines as they must; the other characters they leave alone, so this is what a text and its
    document have in common.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = [place for place, char in enumerate(text) if not char.isspace() and char != "*"]
        self.chars = "".join(text[place] for place in self.at)

    def find(self, words: str, after: int = 0) -> tuple[int, int] | None:
        """Where the words are in the squeezed text, at or after a place in it."""
        wanted = Squeezed(words).chars
        start = self.chars.find(wanted, after)
        return None if start < 0 else (start, start + len(wanted))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Squeezed places as ``start`` and ``end`` in the text."""
        return self.at[start], self.at[end - 1] + 1


@dataclass(frozen=True)
class Found:
    """A block and where it stands in a document."""

    source: str
    document: Squeezed
    block: Block
    start: int
    row: tuple[int, int] | None = None

    def evidence(self, start: int, end: int) -> Row:
        """The whole sentences that hold a part of the block or, in a table, its whole row."""
        if self.row is None:
            return self.span(*sentences_of(self.block.text, start, end))
        left, right = self.document.span(*self.row)
        return {"source": self.source, "start": left, "end": right, "quote": self.document.text[left:right]}

    def span(self, start: int, end: int) -> Row:
        """A part of the block as a row: source, start, end and quote."""
        squeezed = len(Squeezed(self.block.text[:start]).chars)
        length = len(Squeezed(self.block.text[start:end]).chars)
        left, right = self.document.span(self.start + squeezed, self.start + squeezed + length)
        return {"source": self.source, "start": left, "end": right, "quote": self.document.text[left:right]}


def read_texts() -> dict[str, str]:
    """The text of every document of the corpus, by source, as ``kgkit.read_documents`` gives it."""
    frame = kg.read_documents(str(CORPUS / "documents")).frame
    return dict(zip(frame["source"], frame["text"], strict=True))


def units(source: Source) -> Iterator[tuple[tuple[str, ...], tuple[Block, ...]]]:
    """The parts of a file that become documents of their own, each with its topics."""
    topics = tuple(topic.strip() for topic in source.head["topic"].split(","))
    if source.format == "json":
        kept: dict[str, tuple[dict[str, Any], tuple[Block, ...]]] = {}
        for fields, blocks in records(source):
            if len(blocks[-1].text) > len(kept[fields["id"]][1][-1].text if fields["id"] in kept else ""):
                kept[fields["id"]] = (fields, blocks)
        for fields, blocks in kept.values():
            tags = tuple(tag.replace("-", "_") for tag in fields["tags"])
            yield tuple(tag for tag in tags if tag in TOPICS) or topics, blocks
    elif source.format == "csv":
        for block in source.blocks[1:]:
            yield topics, (block,)
    else:
        unseen = ("sheet", "heading") if source.format == "xlsx" else ("sheet",)
        yield topics, tuple(block for block in source.blocks if block.kind not in unseen)


def locate(source: str, document: Squeezed, blocks: tuple[Block, ...]) -> list[Found] | str:
    """Every block in the document, in order; or the words of the first that is not there."""
    found: list[Found] = []
    cursor = 0
    for block in blocks:
        places: list[tuple[int, int]] = []
        for leaf in block.leaves():
            place = document.find(leaf.text, cursor)
            if place is None:
                return leaf.text
            places.append(place)
            cursor = place[1]
        row = (places[0][0], cursor) if block.kind == "row" else None
        found += [Found(source, document, leaf, at[0], row) for leaf, at in zip(block.leaves(), places, strict=True)]
    return found


def locate_all(sources: list[Source], documents: dict[str, Squeezed]) -> Iterator[tuple[list[Found], tuple[str, ...]]]:
    """Every part of every text, with its topics, in the document that holds it."""
    for source in sources:
        free = [name for name in documents if name == source.file or name.startswith(source.file + "#")]
        for topics, blocks in units(source):
            tried = [(name, locate(name, documents[name], blocks)) for name in free]
            fitting = [(name, found) for name, found in tried if isinstance(found, list)]
            if not fitting:
                missing = sorted({str(words)[:60] for _, words in tried})
                raise SourceError(f"{source.file}: not found in {len(tried)} documents: {missing}")
            free.remove(fitting[0][0])
            yield fitting[0][1], topics
        if free:
            raise SourceError(f"{source.file}: documents without a text: {free}")


def sentences_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole sentence, or sentences, of a block that hold ``text[start:end]``."""
    breaks = [found.end() for found in _BREAK.finditer(text) if not _INITIAL.search(text[: found.start()])]
    return (
        max((place for place in breaks if place <= start), default=0),
        len(text[: min((place for place in breaks if place >= end), default=len(text))].rstrip()),
    )


def make_gold() -> dict[str, list[Row]]:
    """The five gold tables, as rows.

    Raises:
        SourceError: Words were not found, or a mark is wrong; the message says where.
    """
    sources, entities = read_sources(), read_entities()
    check_sources(sources, entities)
    documents = {name: Squeezed(text) for name, text in read_texts().items()}
    mentions: list[Row] = []
    relations: list[Row] = []
    topics: list[Row] = []
    for found, names in locate_all(sources, documents):
        topics += [{"source": found[0].source, "topic": name} for name in sorted(names)]
        for place in found:
            mentions += [_mention(place.span(m.start, m.end), entities[m.entity]) for m in place.block.mentions]
            for relation in place.block.relations:
                ends = {"subject": relation.subject, "predicate": relation.predicate, "object": relation.object}
                span = place.evidence(relation.start, relation.end)
                relations.append({"source": span.pop("source")} | ends | {"polarity": relation.polarity} | span)
    unknown = {row["topic"] for row in topics} - set(TOPICS)
    if unknown:
        raise SourceError(f"not one of the topics: {sorted(unknown)}")
    return {
        "mentions": sorted(mentions, key=lambda row: (row["source"], row["start"], row["end"])),
        "entities": _entities(entities, mentions),
        "relations": sorted(relations, key=lambda row: tuple(map(str, row.values()))),
        "topics": sorted(topics, key=lambda row: (row["source"], row["topic"])),
        "questions": read_questions(documents),
    }


def _mention(span: Row, entity: Entity) -> Row:
    return span | {"name": " ".join(span["quote"].split()), "type": entity.type, "entity": entity.entity}


def _entities(entities: dict[str, Entity], mentions: list[Row]) -> list[Row]:
    names: dict[str, set[str]] = {}
    for row in mentions:
        names.setdefault(row["entity"], set()).add(row["name"])
    idle = entities.keys() - names.keys()
    if idle:
        raise SourceError(f"entities.txt: mentioned nowhere: {sorted(idle)}")
    return [
        {
            "entity": entity.entity,
            "name": entity.name,
            "type": entity.type,
            "aliases": sorted(names[entity.entity] - {entity.name}),
            "note": entity.note,
        }
        for entity in sorted(entities.values(), key=lambda entity: entity.entity)
    ]


def read_questions(documents: dict[str, Squeezed]) -> list[Row]:
    """The questions of ``questions.txt``, with their evidence located in the documents."""
    rows: list[Row] = []
    for line in (HERE / "questions.txt").read_text(encoding="utf-8").splitlines():
        sign, words = line[:1], line[2:]
        if sign == "?":
            key = f"q{len(rows) + 1:02d}"
            rows.append({"question_id": key, "question": words, "answerable": True, "answer": None})
            rows[-1] |= {"evidence": [], "note": ""}
        elif sign == "=":
            rows[-1] |= {"answerable": words != "none", "answer": None if words == "none" else words}
        elif sign == "@":
            file, quote = words.split(" :: ")
            rows[-1]["evidence"].append(_evidence(file, quote, documents))
        elif sign == "!":
            rows[-1]["note"] = words
    return rows


def _evidence(file: str, words: str, documents: dict[str, Squeezed]) -> Row:
    for name, document in documents.items():
        place = document.find(words) if name == file or name.startswith(file + "#") else None
        if place:
            start, end = document.span(*place)
            return {"source": name, "start": start, "end": end, "quote": document.text[start:end]}
    raise SourceError(f"questions.txt: {file} does not say: {words}")


def main() -> int:
    """Write one JSON Lines file a table."""
    folder = CORPUS / "gold"
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in make_gold().items():
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        print(f"{len(rows):>5} {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
