"""The order of a table's rows, whatever parts they lie in: the one in which a single run gives them."""

from __future__ import annotations

import polars as pl

__all__ = ["in_order"]

_ORDERS = {
    "documents": ["source", "doc_id"],
    "chunks": ["source", "doc_id", "seq"],
    "mentions": ["doc_id", "start", "end", "mention_id"],
    "statements": ["doc_id", "start", "end", "statement_id"],
    "outcomes": ["stage", "item_id"],
    "files": ["source"],
}


def in_order(name: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Sort rows of a table; tables that are written whole keep the order of their rows."""
    order = _ORDERS.get(name)
    return rows.sort(order, nulls_last=True, maintain_order=True) if order else rows
