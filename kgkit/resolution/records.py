"""`Records`: what is to be resolved, one row each, numbered in the order of the ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from kgkit import tables
from kgkit.frames import take, to_polars

__all__ = ["Records", "records_of"]

_OWN = ("entity_id", "name", "type", "aliases", "description", "attributes", "n_mentions")
_MOST_IN_ONE_SENTENCE = 40  # a "sentence" with more names is a list or a table, and its pairs say little


@dataclass(frozen=True, eq=False)
class Records:
    """What is to be resolved. Row ``i`` of every part is the same record, and rows are in the order of the ids.

    Attributes:
        frame: ``entity_id``, ``name``, ``type`` (null where unknown), ``aliases`` (a list, empty where there are
            none), ``description``, ``attributes`` (JSON text), ``n_mentions``; then every further column of the
            input that fits in a text, as text: ``address``, ``year``, ``source``.
        neighbours: Sparse matrix (CSR, float32), one row per record and one column per entity of the graph: the
            weight of the relations between the two, in either direction, negated ones left out. None without relations.
        together: ``(left, right, n)``, int32 arrays of one length: ``left < right`` are named in ``n`` sentences
            that hold both, in order. None where no statements are known.
        relations: ``source``, ``target`` (rows, int32), ``predicate``, ``polarity``, ``weight``. None without any.
    """

    frame: pl.DataFrame
    neighbours: Any = None
    together: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
    relations: pl.DataFrame | None = None

    def __len__(self) -> int:
        return self.frame.height

    @property
    def extra(self) -> list[str]:
        """Columns of the input that the entities table does not have."""
        return [c for c in self.frame.columns if c not in _OWN]


def records_of(obj: Any) -> Records:
    """Make records of a graph, or of a frame of any kind with ``entity_id`` and ``name``.

    Args:
        obj: A graph (or any result that holds entities), an entities frame, or a table of records that are no
            entities. Its further columns are kept as text; those with lists, mappings or lengths of time are not.

    Returns:
        The records, in the order of their ids, whatever the order of the rows.

    Raises:
        SchemaError: A column that is needed is absent or null, or an id occurs twice.

    Examples:
        >>> import polars as pl
        >>> people = pl.DataFrame({"entity_id": ["b", "a"], "name": ["Turing", "Hopper"], "born": [1912, 1906]})
        >>> records = records_of(people)
        >>> records.frame["name"].to_list(), records.extra, len(records)
        (['Hopper', 'Turing'], ['born'], 2)
    """
    frame = _frame(take(obj, "entities", require=["entity_id", "name"], extra=True).frame)
    held = getattr(obj, "frames", None)
    if not isinstance(held, dict) or "relations" not in held:
        return Records(frame)
    tabled = {name: to_polars(table) for name, table in held.items()}
    relations = _relations(frame, tabled["relations"])
    if relations.is_empty():
        return Records(frame)
    return Records(frame, _neighbours(relations, frame.height), _together(frame, relations, tabled), relations)


def _frame(taken: pl.DataFrame) -> pl.DataFrame:
    declared = set(tables.get("entities").schema)
    extra = [c for c, dtype in taken.schema.items() if c not in declared and _fits_in_text(dtype)]
    cells = [pl.col(c).cast(pl.String).replace("", None) for c in extra]
    aliases = pl.col("aliases").fill_null([]).list.drop_nulls()
    return taken.sort("entity_id").select(*_OWN, *cells).with_columns(aliases)


def _fits_in_text(dtype: pl.DataType) -> bool:
    return not (dtype.is_nested() or dtype in (pl.Object, pl.Binary, pl.Null, pl.Duration))


def _rows_of(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select("entity_id").with_row_index("row").with_columns(pl.col("row").cast(pl.Int32))


def _relations(frame: pl.DataFrame, relations: pl.DataFrame) -> pl.DataFrame:
    """Relations between two different records, by their rows."""
    rows = _rows_of(frame)
    both = relations.join(rows.rename({"row": "source"}), left_on="source_id", right_on="entity_id").join(
        rows.rename({"row": "target"}), left_on="target_id", right_on="entity_id"
    )
    kept = both.filter(pl.col("source") != pl.col("target"))
    columns = ("source", "target", "predicate", "polarity", "weight", "relation_id")
    return kept.select(columns).sort("source", "target", "predicate", "polarity", "relation_id")


def _neighbours(relations: pl.DataFrame, n: int) -> Any:
    from scipy import sparse

    said = relations.filter(pl.col("polarity").fill_null("") != "negated")
    source, target = said["source"].to_numpy(), said["target"].to_numpy()
    weight = said["weight"].fill_null(1.0).to_numpy().astype(np.float32)
    ends = (np.concatenate([source, target]), np.concatenate([target, source]))
    matrix = sparse.csr_array((np.concatenate([weight, weight]), ends), shape=(n, n))
    matrix.sum_duplicates()
    return matrix


def _together(
    frame: pl.DataFrame, relations: pl.DataFrame, tabled: dict[str, pl.DataFrame]
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Count the sentences that name two records: ends of one statement, and mentions within its words."""
    if not {"evidence", "statements", "mentions"} <= tabled.keys() or tabled["statements"].is_empty():
        return None
    where = ["doc_id", "start", "end"]
    sentences = tabled["statements"].select("statement_id", *where).drop_nulls(where)
    evidence = tabled["evidence"].select("item_id", "evidence_id")
    stated = sentences.join(evidence, left_on="statement_id", right_on="evidence_id")
    ends = stated.join(relations, left_on="item_id", right_on="relation_id")
    named = [ends.select(*where, row=side) for side in ("source", "target")]
    mentions = tabled["mentions"].join(evidence, left_on="mention_id", right_on="evidence_id")
    mentions = mentions.join(_rows_of(frame), left_on="item_id", right_on="entity_id")
    named.append(_within(sentences.select(where).unique(), mentions.select("doc_id", "row", at="start").drop_nulls()))
    return _pairs_within(pl.concat(named).unique(), where)


def _within(sentences: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """List the records mentioned in each sentence: ``doc_id, start, end, row``."""
    documents = pl.concat([sentences["doc_id"], mentions["doc_id"]]).unique().sort()
    number = pl.col("doc_id").replace_strict(documents, pl.int_range(len(documents), eager=True), return_dtype=pl.Int64)
    widest = 1 + int(max([0, *sentences["end"].to_list(), *mentions["at"].to_list()]))
    placed = mentions.with_columns(place=number * widest + pl.col("at")).sort("place", "row")
    spans = sentences.with_columns(first=number * widest + pl.col("start"), last=number * widest + pl.col("end"))
    place = placed["place"].to_numpy()
    first, last = (np.searchsorted(place, spans[edge].to_numpy()) for edge in ("first", "last"))
    ranges = pl.int_ranges(pl.Series(first), pl.Series(np.maximum(first, last)), eager=True)
    found = sentences.with_columns(at=ranges).explode("at").drop_nulls("at")
    return found.with_columns(row=placed["row"].gather(found["at"])).select("doc_id", "start", "end", "row")


def _pairs_within(named: pl.DataFrame, where: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    small = named.filter(pl.len().over(where) <= _MOST_IN_ONE_SENTENCE)
    both = small.join(small, on=where, suffix="_right").filter(pl.col("row") < pl.col("row_right"))
    counted = both.group_by("row", "row_right").agg(n=pl.len().cast(pl.Int32)).sort("row", "row_right")
    left, right, n = (counted[c].to_numpy() for c in ("row", "row_right", "n"))
    return left, right, n
