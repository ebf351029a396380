"""What differs between two moments of a project, table by table and row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import polars as pl

from kgkit import tables
from kgkit.display import frame_html
from kgkit.frames import Backend, give
from kgkit.project.keep import View

__all__ = ["Difference", "compare_views"]

_UNTOLD = ("outcomes", "files")  # they say how a run went, not what is known
CHANGE = "change"


@dataclass(frozen=True)
class Difference:
    """What differs between two moments.

    Attributes:
        frame: One row for each table that differs: ``table``, and the numbers of rows ``added``, ``removed`` and
            ``changed``.
        rows: For each of these tables, its rows that differ: ``change`` (added, removed, changed from, changed to),
            then its own columns; ordered by key.
    """

    frame: pl.DataFrame
    rows: dict[str, pl.DataFrame]

    def to(self, backend: Backend) -> dict[str, Any]:
        """Give all frames as ``"polars"``, ``"pandas"`` or ``"pyarrow"``, by name; the summary is ``tables``."""
        return {name: give(frame, None, backend) for name, frame in {"tables": self.frame, **self.rows}.items()}

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        told = [f"{table} +{a:,} -{r:,} ~{c:,}" for table, a, r, c in self.frame.iter_rows()]
        return f"Difference({', '.join(told) or 'none'})"

    def _repr_html_(self) -> str:
        if not self.rows:
            return "<div>No table differs.</div>"
        parts = [
            f"<details><summary>{escape(name)}</summary>{frame_html(frame, rows=20)}</details>"
            for name, frame in self.rows.items()
        ]
        return f"<div>{frame_html(self.frame, rows=30)}{''.join(parts)}</div>"


def compare_views(old: View, new: View) -> Difference:
    """Compare two states; only parts whose files differ are read."""
    rows = {name: frame for name, frame in _differences(old, new) if frame.height}
    counts = []
    for name, frame in rows.items():
        found = dict(frame[CHANGE].value_counts().iter_rows())
        counts.append((name, found.get("added", 0), found.get("removed", 0), found.get("changed to", 0)))
    schema: dict[str, Any] = {"table": pl.String, "added": pl.Int64, "removed": pl.Int64, "changed": pl.Int64}
    return Difference(pl.DataFrame(counts, schema=schema, orient="row"), rows)


def _differences(old: View, new: View) -> Iterator[tuple[str, pl.DataFrame]]:
    both = old.state.tables.keys() | new.state.tables.keys()
    for name in tables.names():
        if name in both and name not in _UNTOLD:
            then, now = old.parts(name), new.parts(name)
            parts = [part for part in then.keys() | now.keys() if then.get(part) != now.get(part)]
            yield name, _rows(name, old.rows(name, parts=parts), new.rows(name, parts=parts))


def _rows(name: str, old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    key = list(tables.get(name).key)
    told = {"old": _with_content(old, key), "new": _with_content(new, key)}
    both = told["old"].join(told["new"], on=key, suffix="_new")
    other = both.filter(pl.col("content") != pl.col("content_new")).select(key)
    parts = [
        _marked(new.join(old, on=key, how="anti"), "added"),
        _marked(old.join(new, on=key, how="anti"), "removed"),
        _marked(old.join(other, on=key, how="semi"), "changed from"),
        _marked(new.join(other, on=key, how="semi"), "changed to"),
    ]
    return pl.concat(parts).sort(*key, CHANGE)


def _with_content(frame: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """Write each row's other columns as one text, to compare them whatever their dtypes."""
    rest = [c for c in frame.columns if c not in key]
    return frame.select(
        *key, pl.struct(rest).struct.json_encode().alias("content") if rest else pl.lit("").alias("content")
    )


def _marked(frame: pl.DataFrame, change: str) -> pl.DataFrame:
    return frame.select(pl.lit(change).alias(CHANGE), pl.all())
