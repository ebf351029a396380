"""Nodes: records that nothing tells apart are compared once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from kgkit.resolution.candidates.names import parts_of
from kgkit.resolution.normal import folded
from kgkit.resolution.records import Records

__all__ = ["Nodes", "nodes_of"]

_COLUMN = "column "
_MOST_TYPES = 24  # with more, types are descriptions


@dataclass(frozen=True)
class Nodes:
    """Records that agree in the core words of their names, in type and in columns are one node.

    Attributes:
        frame: One row per node, ordered: ``text`` (the first of its folded names), ``type``, ``aliases`` (folded,
            one a line) and the columns.
        columns: Names, in ``frame``, of the further columns that hold anything; ``across`` left out.
        of: The node of each record, int64.
        types: A number for the type of each node, -1 where it has none; all 0 where types do not count.
        sides: A number for the value of each node in the column ``across``, -1 where it has none; None without it.
    """

    frame: pl.DataFrame
    columns: list[str]
    of: np.ndarray
    types: np.ndarray
    sides: np.ndarray | None

    @property
    def n(self) -> int:
        """Number of nodes."""
        return self.frame.height

    @property
    def untyped(self) -> bool:
        """Whether some nodes have a type and others none."""
        return bool((self.types < 0).any())

    def may_pair(self, one: np.ndarray, other: np.ndarray, *, any_type: bool) -> np.ndarray:
        """Tell which pairs of nodes may be, as a Boolean array."""
        may = np.ones(len(one), bool)
        if self.sides is not None:
            may &= (self.sides[one] != self.sides[other]) | (self.sides[one] < 0)
        if not any_type:
            types, others = self.types[one], self.types[other]
            may &= (types == others) | (types < 0) | (others < 0)
        return may


def nodes_of(records: Records, across: str | None, across_types: bool) -> Nodes:
    """Number what is to be compared, in an order that does not depend on the ids of the records."""
    filled = [c for c in ("description", *records.extra) if records.frame[c].null_count() < len(records)]
    held = records.frame.rename({c: _COLUMN + c for c in filled})  # a column may be called as one of ours
    columns = [_COLUMN + c for c in filled]
    side = None if across is None else _COLUMN + across
    rows = _rows(held, columns)
    same = ["key", "type", "alias_keys", *columns]
    frame = rows.sort(*same, "text", "aliases").unique(same, keep="first", maintain_order=True).with_row_index("node")
    known = frame.select("node", *same)
    of = rows.select(same).join(known, on=same, how="left", nulls_equal=True, maintain_order="left")
    frame = frame.select("text", "type", "aliases", *columns)
    types = _numbered(frame["type"])
    if across_types or types.max() >= _MOST_TYPES or types.max() < 0:
        types = np.zeros(frame.height, np.int64)
    sides = _numbered(frame[side]) if side in columns else None
    return Nodes(frame, [c for c in columns if c != side], of["node"].to_numpy().astype(np.int64), types, sides)


def _rows(held: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    """Fold the names and aliases of each record, and give them keys under which equal ones are equal."""
    aliases = held.select("aliases").with_row_index("row").explode("aliases").drop_nulls("aliases")
    aliases = aliases.select("row", text=folded("aliases")).filter(pl.col("text") != "")
    texts = held.select(folded("name").alias("text"))
    keyed = _keyed(pl.concat([texts, aliases.select("text")]))
    by_row = aliases.join(keyed, on="text").sort("row", "key", "text").group_by("row", maintain_order=True)
    known = by_row.agg(alias_keys=pl.col("key").unique().sort().str.join("\n"), aliases=pl.col("text").str.join("\n"))
    rows = pl.concat([texts, held.select("type", *columns)], how="horizontal").with_row_index("row")
    rows = rows.join(keyed, on="text", how="left", maintain_order="left")
    return rows.join(known, on="row", how="left", maintain_order="left").drop("row")


def _keyed(texts: pl.DataFrame) -> pl.DataFrame:
    """Give for each different text its core words in order, or the text itself when it has no words."""
    texts = texts.unique().sort("text").with_row_index("number")
    core = parts_of(texts).filter("core").sort("number", "word").group_by("number", maintain_order=True)
    keys = texts.join(core.agg(key=pl.col("word").str.join(" ")), on="number", how="left", maintain_order="left")
    return keys.select("text", key=pl.coalesce("key", "text"))


def _numbered(column: pl.Series) -> np.ndarray:
    """Number the different values of a column from 0, in order; -1 where there is none."""
    return (column.rank("dense").cast(pl.Int64) - 1).fill_null(-1).to_numpy()
