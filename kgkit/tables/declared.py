"""The declarations of all tables. Change a column here, and everything that uses it follows.

Columns that hold a mapping (``metadata``, ``attributes``, ``payload``, ``params``) are JSON text: a map with any
keys has no fixed dtype, and JSON text survives every file format, also when all rows are empty.
"""

from __future__ import annotations

import polars as pl

from kgkit.tables.types import INT, REAL, TEXT, TEXTS, TIME, Column, Table, declare, maybe, span

_SECTIONS = pl.List(
    pl.Struct(
        {"kind": TEXT, "label": TEXT, "level": INT, "start": INT, "end": INT},
    )
)
_REASONS = pl.List(pl.Struct({"reason": TEXT, "weight": REAL}))

_CONFIDENCE = maybe("confidence", "how sure the origin is, 0 to 1; null when it does not say", REAL)
_ORIGIN = Column("origin", "what produced the row: library, model and version, or a person")

_DOCUMENTS = (
    declare(
        "documents",
        "one document: a file, or a record of a file that holds records",
        "doc_id",
        Column("doc_id", "stable id, made from the content: the same wherever and in whatever order it is read"),
        Column(
            "source",
            "path below the folder read, with / between its parts, and #record for records of a file",
        ),
        maybe("title", "the document's own title; null when it has none"),
        Column("media_type", "what the content is, as an internet media type"),
        maybe("language", "main language, as an ISO 639-1 code; null when unsure"),
        Column("text", "the whole text that offsets point into"),
        Column("n_chars", "length of the text in characters", INT),
        Column("content_hash", "hash of the bytes that were read"),
        maybe(
            "modified_at",
            "when the document says it was last changed (not the file's time on this disk)",
            TIME,
        ),
        Column("metadata", "what else the document says of itself, as a JSON object", json=True),
        Column(
            "sections",
            "pages, sheets, chapters, slides and headings: kind, label, level, start, end",
            _SECTIONS,
        ),
    ),
    declare(
        "chunks",
        "one piece of a document's text, small enough for a model or an index",
        "chunk_id",
        Column("chunk_id", "stable id"),
        Column("doc_id", "the document"),
        Column("seq", "position among the document's chunks, from 0", INT),
        Column("start", "where it begins in the document's text", INT),
        Column("end", "where it ends: the first character after it", INT),
        Column("text", "the document's text[start:end]"),
        maybe("heading", "the headings above it, outermost first, joined with ' > '"),
        maybe("place", "where a reader finds it: page 3, sheet Prices, chapter 2"),
        maybe("source", "the document's source"),
        maybe("title", "the document's title"),
    ),
)

_EXTRACTED = (
    declare(
        "mentions",
        "one occurrence of a name in a text",
        "mention_id",
        Column("mention_id", "stable id"),
        Column("doc_id", "the document"),
        maybe("chunk_id", "the chunk it was found in"),
        Column("name", "the name as written, without articles, titles and possessives"),
        maybe("type", "what kind of thing is named, in capitals: PERSON, ORGANISATION, PLACE, ..."),
        *span("the name"),
        Column("located", "how its words were found: exact, normalised, fuzzy, or unlocated"),
        maybe("description", "what the text says it is"),
        Column("attributes", "further facts, as a JSON object", json=True),
        _CONFIDENCE,
        _ORIGIN,
    ),
    declare(
        "statements",
        "one subject-predicate-object statement found in a text",
        "statement_id",
        Column("statement_id", "stable id"),
        Column("doc_id", "the document"),
        maybe("chunk_id", "the chunk it was found in"),
        Column("subject", "name of the subject, as in its mention"),
        maybe("subject_type", "type of the subject, as in its mention"),
        Column("predicate", "what is said: lemma and preposition, such as work_at"),
        Column("object", "name of the object, as in its mention"),
        maybe("object_type", "type of the object, as in its mention"),
        Column("polarity", "positive, negated, conditional or reported"),
        *span("the sentence that says so"),
        Column("located", "how its words were found: exact, normalised, fuzzy, or unlocated"),
        _CONFIDENCE,
        _ORIGIN,
    ),
)

_SCHEMAS = (
    declare(
        "schema_types",
        "one kind of thing, or of relation, of a schema",
        "kind name",
        Column("kind", "entity or relation"),
        Column("name", "the type's name"),
        maybe("description", "what belongs to it"),
        maybe("subjects", "of a relation: types of its subjects; an empty list means any", TEXTS),
        maybe("objects", "of a relation: types of its objects; an empty list means any", TEXTS),
        maybe("symmetric", "of a relation: whether it holds in both directions at once", pl.Boolean()),
        maybe("review", "of a relation: whether a person must look at it before it counts", pl.Boolean()),
        Column("aliases", "other names of the type", TEXTS),
        Column("examples", "names, or for a relation words that state it", TEXTS),
        maybe("n_seen", "how often it was seen in the sample; null when it was not counted", INT),
    ),
)

_GRAPH = (
    declare(
        "entities",
        "one thing that mentions refer to",
        "entity_id",
        Column("entity_id", "stable id, made from type and normalised name"),
        Column("name", "its most used spelling"),
        maybe("type", "what kind of thing it is"),
        Column("aliases", "its other spellings, most used first", TEXTS),
        maybe("description", "the different descriptions of its mentions, in the order of the documents"),
        Column("attributes", "further facts, as a JSON object; each value a list of what was found", json=True),
        Column("n_mentions", "number of mentions", INT),
        Column("n_documents", "number of documents that mention it", INT),
    ),
    declare(
        "relations",
        "what one or more statements agree on",
        "relation_id",
        Column("relation_id", "stable id, made from both ends, predicate and polarity"),
        Column("source_id", "entity that the relation starts from"),
        Column("predicate", "what is said"),
        Column("target_id", "entity that the relation points to"),
        Column("polarity", "positive, negated, conditional or reported"),
        Column("weight", "number of statements that say so", REAL),
        Column("n_documents", "number of documents that say so", INT),
        _CONFIDENCE,
    ),
    declare(
        "evidence",
        "one link from an entity to a mention, or from a relation to a statement",
        "item_id evidence_id",
        Column("item_id", "an entity_id or a relation_id"),
        Column("item_kind", "entity or relation"),
        Column("evidence_id", "a mention_id or a statement_id"),
    ),
    declare(
        "merges",
        "one proposal that two entities are one",
        "merge_id",
        Column("merge_id", "stable id, the same for both orders of the pair"),
        Column("left_id", "an entity"),
        Column("right_id", "another entity; left_id sorts before it"),
        Column("score", "how likely it is that they are one, 0 to 1", REAL),
        Column("method", "what proposed it"),
        Column("reasons", "what speaks for (positive weight) and against it", _REASONS),
    ),
    declare(
        "decisions",
        "one verdict of a person, or of a policy that a person named; rows are only ever added",
        "decision_id",
        Column("decision_id", "stable id"),
        Column("kind", "what was decided on: merge, split, relation, type, category, page"),
        Column("subject_id", "the merge, entity, relation, ... decided on"),
        Column("verdict", "accepted, rejected, skipped, flagged, undone"),
        Column("payload", "what else was decided, as a JSON object", json=True),
        Column("reviewer", "who decided"),
        maybe("note", "why"),
        Column("decided_at", "when", TIME),
    ),
    declare(
        "canonical",
        "which entity stands for which after the decisions",
        "entity_id",
        Column("entity_id", "an entity before the decisions"),
        Column("canonical_id", "the entity that stands for it; itself when nothing was merged"),
    ),
    declare(
        "communities",
        "membership of one entity in one community, at one level",
        "level community_id entity_id",
        Column("level", "0 is the finest partition", INT),
        Column("community_id", "stable id, made from the members"),
        Column("entity_id", "the member"),
        maybe("parent_id", "the community of the next coarser level that holds this one"),
        Column("size", "number of members", INT),
        Column("status", "grouped, small (a component below the smallest size) or isolated (no neighbour)"),
    ),
    declare(
        "reports",
        "what a community is about",
        "level community_id",
        Column("level", "the community's level", INT),
        Column("community_id", "the community"),
        Column("title", "its most central members' names, or a title that a model or person gave"),
        maybe("summary", "what it is about"),
        Column("evidence", "statement ids that support the summary", TEXTS),
    ),
)

_CURATED = (
    declare(
        "categories",
        "one category of a closed vocabulary",
        "category_id",
        Column("category_id", "stable id"),
        Column("name", "its name"),
        maybe("description", "what belongs in it"),
        maybe("parent_id", "the category above it"),
        _ORIGIN,
    ),
    declare(
        "assignments",
        "one item in one category",
        "item_id category_id",
        Column("item_id", "a document, chunk or entity"),
        Column("category_id", "the category"),
        _CONFIDENCE,
        maybe("reason", "why"),
        _ORIGIN,
    ),
    declare(
        "pages",
        "one version of one wiki page",
        "page_id",
        Column("page_id", "stable id"),
        Column("kind", "entity, community, topic, index"),
        Column("title", "its title"),
        Column("body", "Markdown"),
        Column("version", "counts up from 1", INT),
        Column("status", "draft, accepted, rejected, outdated"),
    ),
    declare(
        "page_sentences",
        "one sentence of a page with what supports it",
        "page_id seq",
        Column("page_id", "the page"),
        Column("seq", "position in the page, from 0", INT),
        Column("text", "the sentence"),
        Column("evidence", "statement ids", TEXTS),
        Column("support", "supported, partial, contradicted, unsupported or unchecked"),
    ),
    declare(
        "links",
        "one link between pages",
        "page_id target_id",
        Column("page_id", "the page that links"),
        Column("target_id", "the page linked to"),
    ),
)

_ASKED = (
    declare(
        "hits",
        "one chunk that a question found",
        "question rank",
        Column("question", "what was asked"),
        Column("rank", "1 is the best", INT),
        Column("chunk_id", "the chunk"),
        Column("doc_id", "its document"),
        Column("score", "fused score, 0 to 1", REAL),
        maybe("lexical_score", "BM25; null when no word of the question occurs in the chunk", REAL),
        maybe("vector_score", "cosine similarity; null when the chunk was not found by meaning", REAL),
        Column("start", "where the chunk begins in the document's text", INT),
        Column("end", "where it ends", INT),
        Column("text", "the chunk's text"),
        maybe("heading", "the chunk's headings"),
        maybe("place", "page, sheet or chapter"),
        maybe("source", "the document's source"),
        maybe("title", "the document's title"),
    ),
    declare(
        "answers",
        "one question with what was answered",
        "answer_id",
        Column("answer_id", "stable id"),
        Column("question", "what was asked"),
        maybe("text", "the answer with its citation marks; null when there is none"),
        Column("status", "answered, not_in_documents, or failed"),
        maybe("reason", "why there is no answer"),
        _CONFIDENCE,
        _ORIGIN,
    ),
    declare(
        "answer_sentences",
        "one sentence of an answer",
        "sentence_id",
        Column("sentence_id", "stable id"),
        Column("answer_id", "the answer"),
        Column("seq", "position in the answer, from 0", INT),
        Column("text", "the sentence"),
        Column("support", "quoted, supported, partial, contradicted, unsupported or unchecked"),
    ),
    declare(
        "citations",
        "one passage that supports one sentence of an answer",
        "sentence_id number",
        Column("answer_id", "the answer"),
        Column("sentence_id", "the sentence"),
        Column("number", "the mark in the answer's text, from 1", INT),
        Column("chunk_id", "the chunk"),
        Column("doc_id", "its document"),
        Column("start", "where the passage begins in the document's text", INT),
        Column("end", "where it ends", INT),
        Column("quote", "the document's text[start:end]"),
        maybe("place", "page, sheet or chapter"),
        maybe("source", "the document's source"),
        maybe("title", "the document's title"),
    ),
)

_KEPT = (
    declare(
        "outcomes",
        "what became of one item in one stage",
        "run_id stage item_id",
        Column("run_id", "the run"),
        Column("stage", "the function that ran"),
        Column("item_id", "the file, document, chunk, ... that went in"),
        Column("status", "ok, empty, failed or skipped"),
        maybe("reason", "short code for why it is not ok"),
        maybe("detail", "the reason in words, with what to do"),
        Column("notes", "what a person should know of an item all the same: code, colon, words", TEXTS),
        Column("attempts", "how often it was tried", INT),
        maybe("chars_available", "characters there were to process", INT),
        maybe("chars_sent", "characters that were processed", INT),
        maybe("tokens_in", "tokens sent to a model", INT),
        maybe("tokens_out", "tokens that came back", INT),
        maybe("cost", "price paid, in US dollars; null when unknown", REAL),
    ),
    declare(
        "files",
        "one file as it was when it was read, for each document or outcome that came out of it",
        "source",
        Column("source", "the document, or the outcome, as in ``outcomes.item_id``"),
        Column("file", "the file that it is from: its path below the folder read"),
        maybe("size", "bytes; null where the file must be read again to tell whether it changed", INT),
        maybe("modified_ns", "when its content was last changed, in nanoseconds since 1970", INT),
        maybe("changed_ns", "when anything of it was last changed, in nanoseconds since 1970", INT),
    ),
    declare(
        "runs",
        "one run of one stage",
        "run_id",
        Column("run_id", "the run"),
        Column("stage", "the function that ran"),
        Column("params", "its options, as a JSON object", json=True),
        Column("inputs", "the input tables and their versions, as a JSON object", json=True),
        Column("outputs", "the output tables and their versions, as a JSON object", json=True),
        Column("started_at", "when it started", TIME),
        maybe("finished_at", "when it ended; null while it runs or when it was killed", TIME),
        Column("counts", "items by status, as a JSON object", json=True),
        maybe(
            "verdict",
            "complete, gaps (some items failed), failed (all of them, or the stage itself) or unfinished (some items "
            "were not reached)",
        ),
        maybe("reason", "what went wrong, when the stage itself failed"),
        maybe("cost", "what its model calls cost, where known", REAL),
        Column("made_with", "versions of what the stage used, as a JSON object", nullable=True, json=True),
        maybe("run_by", "who ran it"),
    ),
    declare(
        "findings",
        "one thing that a check of a project found",
        "finding_id",
        Column("finding_id", "stable id"),
        Column("check", "what was checked"),
        Column("status", "ok, failed, remark (no damage), or skipped (could not be checked)"),
        Column("place", "the file, table or row of the ledger, below the project's folder"),
        Column("found", "what is there"),
        maybe("meaning", "what follows from it"),
        maybe("advice", "what to do"),
    ),
)

TABLES: dict[str, Table] = {
    table.name: table for table in (*_DOCUMENTS, *_EXTRACTED, *_SCHEMAS, *_GRAPH, *_CURATED, *_ASKED, *_KEPT)
}

__all__ = ["TABLES"]
