"""One chunk and its reply: what is found in it, held against the schema and the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from kgkit.extraction.model.ground import FoundMention, Reading, ground_entities, mentions_of
from kgkit.extraction.model.instructions import find_instructions
from kgkit.extraction.model.items import Items, shown
from kgkit.extraction.model.locate import Text
from kgkit.extraction.model.prompt import Passage
from kgkit.extraction.model.state import FoundStatement, judge_relations
from kgkit.extraction.schema import Schema
from kgkit.results import Outcome

__all__ = ["Chunk", "ChunkFound", "judge_chunk"]


class Chunk(NamedTuple):
    """One chunk: where its text begins in the document, and what is known around it."""

    chunk_id: str
    doc_id: str
    start: int
    passage: Passage


class ChunkFound(NamedTuple):
    """What a chunk gave."""

    chunk: Chunk
    mentions: list[FoundMention]
    statements: list[FoundStatement]
    outcome: Outcome


def judge_chunk(
    chunk: Chunk, items: Items, outcome: Outcome, schema: Schema, output_language: str | None
) -> ChunkFound:
    """Hold the items of a chunk's replies against schema and text.

    Args:
        chunk: The chunk.
        items: What its replies hold.
        outcome: What became of its requests.
        schema: What was looked for.
        output_language: Language of names, when one was asked for.
    """
    text, context = Text(chunk.passage.text), Text(chunk.passage.context)
    orders = find_instructions(chunk.passage.text)
    reading = Reading(schema, text, context, orders, output_language)
    notes = [*items.notes, *_about(chunk, orders)]
    entities = ground_entities(items.entities, reading, notes)
    statements = judge_relations(items.relations, entities, reading, notes)
    mentions = list(mentions_of(entities))
    used = {end for s in statements for end in ((s.subject, s.subject_type), (s.object, s.object_type))}
    notes += [
        f"context_only: {shown(e.name)} is named by the title or headings, not by the text"
        for e in entities
        if e.standing == "context" and (e.name, e.type) not in used
    ]
    return ChunkFound(chunk, mentions, statements, _told(outcome, notes, found=bool(mentions or statements)))


def _about(chunk: Chunk, orders: Sequence[tuple[int, int]]) -> Iterator[str]:
    for start, end in orders:
        yield f"instructions_in_text: {shown(chunk.passage.text[start:end])}"
    if chunk.passage.shortened:
        yield "context_shortened: title or headings are too long to be sent whole"


def _told(outcome: Outcome, notes: list[str], *, found: bool) -> Outcome:
    told = replace(outcome, notes=(*outcome.notes, *notes))
    counts = Counter(note.partition(":")[0] for note in notes)
    listed = ", ".join(f"{code} {n}" for code, n in sorted(counts.items()))
    if outcome.status == "empty":
        return replace(told, reason="nothing_found", detail="the model names nothing in this text")
    if outcome.status == "ok" and not found:
        return replace(
            told, status="empty", reason="all_rejected", detail=f"nothing of the reply can be used: {listed}"
        )
    if outcome.status == "ok" and listed:
        return replace(told, detail=f"to look at: {listed}")
    return told
