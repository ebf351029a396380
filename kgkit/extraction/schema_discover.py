"""The stage ``discover_schema``: which kinds of things and relations a corpus speaks of."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from kgkit import tables
from kgkit.errors import OptionError
from kgkit.extraction.run import TYPES, extract
from kgkit.extraction.schema import Schema
from kgkit.extraction.schema_prompt import FORM, has_types, messages, read_proposal
from kgkit.extraction.schema_sample import sample_chunks
from kgkit.frames import Backend, check_backend, give, take
from kgkit.ids import stable_id
from kgkit.models.chat import Ask, ChatModel, Reply
from kgkit.results import Outcome, Result, outcomes_frame

__all__ = ["DiscoveredSchema", "discover_schema"]

_MAX_CHARS_LOCAL = 400_000
_MAX_CHARS_MODEL = 40_000
_EXAMPLES = 3
_LEAST_SEEN = 2
_Seen = dict[tuple[str, str], int]


@dataclass(frozen=True, repr=False, eq=False)
class DiscoveredSchema(Result):
    """What `discover_schema` found: the ``schema``, its types as a frame, and which chunks were looked at."""

    stage: ClassVar[str] = "discover_schema"
    main: ClassVar[str] = "schema_types"

    schema_types: Any
    schema: Schema


def discover_schema(
    chunks: Any,
    *,
    model: ChatModel | None = None,
    schema: Any = None,
    max_chars: int | None = None,
    max_entity_types: int = 12,
    max_relation_types: int = 20,
    backend: Backend | None = None,
) -> DiscoveredSchema:
    """Propose a schema for a corpus, from a sample that covers it.

    The sample has chunks of all documents, or of documents from everywhere, and from all parts of them; the same
    corpus always gives the same one. With a language model it is one call: entity types and relation types with
    descriptions, directions and examples. A type counts only if one of its examples stands in the sample. Without
    one, it is what the local extractor sees there, counted: its entity types, and relations that it found twice or
    more, with the types of their ends. Both are proposals: read them, and edit the schema. A model's is closed, the
    local extractor's is open.

    Args:
        chunks: A chunks frame of any kind, or the result of `kgkit.chunk_documents`.
        model: A language model.
        schema: A schema to add to, or what `kgkit.Schema.of` takes: it is kept as it is.
        max_chars: Most characters in the sample; by default 40,000 for a model (about 10,000 tokens), 400,000 without.
        max_entity_types: Most new entity types.
        max_relation_types: Most new relation types.
        backend: Kind of frames to return; by default the kind that came in.

    Returns:
        A `DiscoveredSchema`: ``schema`` (a `kgkit.Schema`), ``schema_types`` (one row a type; ``n_seen`` counts it in
        the sample), and outcomes: chunks that are not in the sample are ``skipped`` as ``not_sampled``. When the
        model fails, the sample has failed, and the schema holds nothing new.

    Raises:
        OptionError: A limit is below 1.
        SchemaError: Columns are missing.

    Examples:
        >>> import polars as pl
        >>> text = "Grace Hopper worked at Harvard University."
        >>> chunks = pl.DataFrame({"chunk_id": ["c1"], "doc_id": ["d1"], "seq": [0], "start": [0],
        ...                        "end": [len(text)], "text": [text]})
        >>> [kind.name for kind in discover_schema(chunks).schema.entity_types]
        ['ORGANISATION', 'PERSON']
    """
    limits = {"max_entity_types": max_entity_types, "max_relation_types": max_relation_types}
    size = max_chars or (_MAX_CHARS_LOCAL if model is None else _MAX_CHARS_MODEL)
    for name, value in {"max_chars": 1 if max_chars is None else max_chars, **limits}.items():
        if value < 1:
            msg = f"{name}={value} is not possible. It must be 1 or more."
            raise OptionError(msg)
    known = None if schema is None else Schema.of(schema)
    taken = take(chunks, "chunks")
    out = backend or taken.backend
    check_backend(out)
    sample = sample_chunks(taken.frame, max_chars=size)
    if model is None:
        found, seen, outcomes = _seen_locally(sample, known, **limits)
    else:
        found, seen, outcomes = _asked(sample, model, known, **limits)
    outcomes += [_left(row) for row in taken.frame.join(sample, on="chunk_id", how="anti").iter_rows(named=True)]
    params = {"model": model.identity() if model else None, "max_chars": size, **limits}
    report = outcomes_frame("discover_schema", taken.frame["chunk_id"].to_list(), outcomes, params=params)
    types = _with_counts(found.frame(), seen)
    return DiscoveredSchema(give(types, "schema_types", out), found, outcomes=give(report, "outcomes", out))


def _left(row: dict[str, Any]) -> Outcome:
    size = len(row["text"])
    if not row["text"].strip():
        return Outcome(row["chunk_id"], "empty", "no_text", "no text", attempts=0, chars_available=size, chars_sent=0)
    return Outcome(row["chunk_id"], "skipped", "not_sampled", attempts=0, chars_available=size, chars_sent=0)


def _with_counts(types: pl.DataFrame, seen: _Seen) -> pl.DataFrame:
    counts = [seen.get((kind, name)) for kind, name in types.select("kind", "name").iter_rows()]
    counted = types.with_columns(n_seen=pl.Series(counts, dtype=pl.Int64))
    return tables.conform(counted, "schema_types")


def _asked(
    sample: pl.DataFrame, model: ChatModel, known: Schema | None, **limits: int
) -> tuple[Schema, _Seen, list[Outcome]]:
    passages = sample["text"].to_list()
    chunk_ids = sample["chunk_id"].to_list()
    size = sum(map(len, passages))
    nothing = known or Schema(name="discovered", closed_entity_types=False, closed_relation_types=False)
    if not passages:
        return nothing, {}, []
    ask = Ask(
        stable_id("schema", *chunk_ids),
        messages(passages, known, **limits),
        FORM,
        chars_available=size,
        chars_sent=size,
    )
    lost = Reply(ask.item_id, "failed", "no_reply", "The model gave no reply to this request.")
    reply = next(iter(model.ask([ask], stage="discover_schema", parse=has_types)), lost)
    if reply.status != "ok":
        return nothing, {}, _outcomes(sample, reply, reply.notes)
    proposal = read_proposal(reply.data, passages, known, **limits)
    return proposal.schema, proposal.seen, _outcomes(sample, reply, (*reply.notes, *proposal.notes))


def _outcomes(sample: pl.DataFrame, reply: Reply, notes: tuple[str, ...]) -> list[Outcome]:
    """Give every chunk of the sample the reply's outcome; its costs and notes are in the first one's row."""
    made = []
    for i, (chunk_id, text) in enumerate(sample.select("chunk_id", "text").iter_rows()):
        whole = reply.outcome(Ask(chunk_id, (), chars_available=len(text), chars_sent=len(text)))
        told = {"tokens_in": whole.tokens_in, "tokens_out": whole.tokens_out, "cost": whole.cost} if i == 0 else {}
        made.append(
            Outcome(
                chunk_id,
                whole.status,
                whole.reason,
                whole.detail,
                notes if i == 0 else (),
                attempts=whole.attempts,
                chars_available=whole.chars_available,
                chars_sent=whole.chars_sent,
                **told,  # type: ignore[arg-type]
            )
        )
    return made


def _seen_locally(
    sample: pl.DataFrame, known: Schema | None, *, max_entity_types: int, max_relation_types: int
) -> tuple[Schema, _Seen, list[Outcome]]:
    found = extract(sample)
    names: dict[str, Counter[str]] = defaultdict(Counter)
    for name, kind in found.mentions.select("name", "type").iter_rows():
        names[kind][name] += 1
    quotes: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    said: dict[str, Counter[str]] = defaultdict(Counter)
    columns = found.statements.select("predicate", "subject_type", "object_type", "subject", "object")
    for predicate, subject_type, object_type, subject, object_ in columns.iter_rows():
        quotes[predicate][subject_type, object_type] += 1
        said[predicate][f"{subject} - {object_}"] += 1
    schema = known or Schema(name="discovered", closed_entity_types=False, closed_relation_types=False)
    seen: _Seen = {}
    for kind in _most(names)[:max_entity_types]:
        seen["entity", kind] = names[kind].total()
        if schema.entity_type(kind) is None:
            schema = schema.add_entity_type(kind, description=TYPES[kind], examples=_top(names[kind]))
    frequent = [p for p in _most(quotes) if quotes[p].total() >= _LEAST_SEEN]
    for predicate in frequent[:max_relation_types]:
        seen["relation", predicate] = quotes[predicate].total()
        if schema.relation_type(predicate) is None:
            ends = [sorted({pair[side] for pair in quotes[predicate]}) for side in (0, 1)]
            usable = [[k for k in side if schema.entity_type(k)] for side in ends]
            schema = schema.add_relation_type(
                predicate, subjects=usable[0], objects=usable[1], examples=_top(said[predicate])
            )
    outcomes = [Outcome(**_of(row)) for row in found.outcomes.iter_rows(named=True)]
    return schema, seen, outcomes


def _most(counted: dict[str, Counter[Any]]) -> list[str]:
    return sorted(counted, key=lambda name: (-counted[name].total(), name))


def _top(counts: Counter[str]) -> list[str]:
    return [text for text, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_EXAMPLES]]


def _of(row: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in row.items() if name not in ("run_id", "stage")}
    return kept | {"notes": tuple(kept["notes"])}
