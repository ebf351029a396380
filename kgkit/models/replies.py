"""What models said, kept in SQLite: the same request is paid for once, and a run can be replayed elsewhere.

Only replies that are ok or empty are kept. The key is made from endpoint, model, messages, schema and parameters, so a
change of any of them is a miss; the names of files and items are no part of it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from kgkit.errors import InputError

__all__ = ["BATCHES_DDL", "REPLIES_DDL", "Kept", "Replies", "as_replies"]

REPLIES_DDL = """CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, stage TEXT NOT NULL, model TEXT NOT NULL, request_hash TEXT NOT NULL, reply TEXT NOT NULL,
    tokens_in INTEGER, tokens_out INTEGER, cost REAL, made_at INTEGER NOT NULL
) STRICT"""
"""The table. ``reply`` is a JSON object with ``item_id``, ``text``, ``model``; ``made_at`` microseconds from 1970."""
BATCHES_DDL = """CREATE TABLE IF NOT EXISTS batches (
    batch_id TEXT PRIMARY KEY, place TEXT NOT NULL, items TEXT NOT NULL, made_at INTEGER NOT NULL
) STRICT"""
"""The batches that an endpoint has not finished: ``items`` is a JSON object from keys to stage, hash and item."""

_TIMEOUT = 30.0
_SHOWN = "stage NOT LIKE '\\_%' ESCAPE '\\'"  # rows that are replies
_AT_ONCE = 500  # SQLite's parameters in one question
FORMAT = 1


@dataclass(frozen=True)
class Kept:
    """One reply as it is kept: the text that the model wrote, without its thinking."""

    key: str
    stage: str
    model: str
    request_hash: str
    item_id: str
    text: str
    served: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    made_at: int = 0


class Replies:
    """The replies kept in one SQLite file, made when it is absent. Threads and processes may share it.

    Args:
        path: The file; a project's ledger may be one.

    Raises:
        InputError: The file is no SQLite file, or cannot be made.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     len(Replies(folder + "/replies.sqlite"))
        0
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._asked: Counter[tuple[str, str, str]] = Counter()
        try:
            with self._open() as connection:
                if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone():
                    connection.execute("PRAGMA journal_mode = WAL")
                    connection.execute(REPLIES_DDL)
        except sqlite3.Error as error:
            msg = f"Replies cannot be kept in {str(self.path)!r}: {error}. Give a new file in a folder that exists."
            raise InputError(msg) from error

    def get(self, keys: Sequence[str]) -> dict[str, Kept]:
        """Find the replies kept under some keys."""
        found: dict[str, Kept] = {}
        with self._open() as connection:
            for i in range(0, len(keys), _AT_ONCE):
                part = keys[i : i + _AT_ONCE]
                where = f"WHERE key IN ({', '.join('?' * len(part))})"
                found.update((kept.key, kept) for kept in _rows(connection, where, part))
        return found

    def put(self, replies: Iterable[Kept]) -> None:
        """Keep replies, all in one transaction; one under the same key is replaced."""
        now = time.time_ns() // 1000
        rows = []
        for r in replies:
            said = json.dumps({"item_id": r.item_id, "text": r.text, "model": r.served}, ensure_ascii=False)
            rows.append(
                (r.key, r.stage, r.model, r.request_hash, said, r.tokens_in, r.tokens_out, r.cost, r.made_at or now)
            )
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                connection.executemany("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def count(self, stage: str, model: str, hits: int, misses: int) -> None:
        """Note what was found and what was not, for `stats`."""
        self._asked.update({(stage, model, "hits"): hits, (stage, model, "misses"): misses})

    def stats(self) -> pl.DataFrame:
        """Count by stage and model: replies kept and what they took, and what this object was asked for.

        Returns:
            A frame with ``stage, model, replies, tokens_in, tokens_out, cost, hits, misses``.
        """
        with self._open() as connection:
            kept = connection.execute(
                "SELECT stage, model, count(*), sum(tokens_in), sum(tokens_out), sum(cost) FROM replies "
                f"WHERE {_SHOWN} GROUP BY stage, model"
            ).fetchall()
        found = {(row[0], row[1]): row[2:] for row in kept}
        pairs = sorted(found.keys() | {(stage, model) for stage, model, _ in self._asked})
        empty = (0, None, None, None)
        rows = [
            (*pair, *found.get(pair, empty), self._asked[(*pair, "hits")], self._asked[(*pair, "misses")])
            for pair in pairs
        ]
        numbers = ["replies", "tokens_in", "tokens_out", "cost", "hits", "misses"]
        schema = {"stage": pl.String(), "model": pl.String(), **{n: pl.Int64() for n in numbers}, "cost": pl.Float64()}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def export(self, file: str | PathLike[str], *, stage: str | None = None) -> Path:
        """Write the replies to a JSONL file that `kgkit.RecordedModel` replays without a key.

        Args:
            file: Where to write; a file there is replaced when all is written.
            stage: Only the replies of one stage. Without it all but vectors, which no recording replays; give
                ``"embed"`` to have them.

        Returns:
            The path.
        """
        path = Path(file)
        scratch = path.with_name(f".{path.name}.{os.getpid()}")
        head = {"kgkit_replies": FORMAT, "origin": "recorded"}
        where, values = ("WHERE stage = ?", [stage]) if stage else (f"WHERE {_SHOWN} AND stage <> 'embed'", [])
        try:
            with self._open() as connection, scratch.open("w", encoding="utf-8", newline="\n") as out:
                out.write(json.dumps(head) + "\n")
                for kept in _rows(connection, f"{where} ORDER BY stage, key", values):
                    row = {name: value for name, value in vars(kept).items() if value is not None and name != "key"}
                    out.write(json.dumps(row, ensure_ascii=False) + "\n")
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)
        return path

    def remember(self, name: str, value: Mapping[str, Any]) -> None:
        """Keep a JSON object that is no reply, such as what an endpoint can do."""
        row = (name, "_known", "", "", json.dumps(value), None, None, None, time.time_ns() // 1000)
        with self._open() as connection:
            connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def recall(self, name: str) -> dict[str, Any] | None:
        """Give what `remember` kept."""
        with self._open() as connection:
            found = connection.execute(
                "SELECT reply FROM replies WHERE key = ? AND stage = '_known'", (name,)
            ).fetchone()
        value = json.loads(found[0]) if found else None
        return value if isinstance(value, dict) else None

    def add_batch(self, batch_id: str, place: str, items: Mapping[str, Any]) -> None:
        """Note that a batch was handed to an endpoint."""
        with self._open() as connection:
            connection.execute(BATCHES_DDL)
            row = (batch_id, place, json.dumps(items, ensure_ascii=False), time.time_ns() // 1000)
            connection.execute("INSERT OR REPLACE INTO batches VALUES (?, ?, ?, ?)", row)

    def name_batch(self, old: str, new: str) -> None:
        """Give a batch that was meant to be handed in the id that the endpoint gave it."""
        with self._open() as connection:
            connection.execute("UPDATE batches SET batch_id = ? WHERE batch_id = ?", (new, old))

    def batches(self, place: str) -> dict[str, dict[str, Any]]:
        """Give the batches that are not finished, with their items, the oldest first."""
        with self._open() as connection:
            connection.execute(BATCHES_DDL)
            query = "SELECT batch_id, items FROM batches WHERE place = ? ORDER BY made_at, batch_id"
            return {batch_id: json.loads(items) for batch_id, items in connection.execute(query, (place,))}

    def end_batch(self, batch_id: str) -> None:
        """Forget a batch whose replies were fetched."""
        with self._open() as connection:
            connection.execute("DELETE FROM batches WHERE batch_id = ?", (batch_id,))

    def __len__(self) -> int:
        with self._open() as connection:
            return int(connection.execute(f"SELECT count(*) FROM replies WHERE {_SHOWN}").fetchone()[0])

    def __repr__(self) -> str:
        return f"Replies({str(self.path)!r}, {len(self):,} kept)"

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.path, timeout=_TIMEOUT, isolation_level=None, check_same_thread=False)
        with closing(connection):
            connection.execute("PRAGMA synchronous = NORMAL")
            yield connection


def as_replies(cache: Replies | str | PathLike[str] | None) -> Replies | None:
    """Open a cache that was given as a path."""
    return cache if cache is None or isinstance(cache, Replies) else Replies(cache)


def _rows(connection: sqlite3.Connection, where: str, values: Sequence[Any]) -> Iterator[Kept]:
    columns = "key, stage, model, request_hash, reply, tokens_in, tokens_out, cost, made_at"
    for key, stage, model, request_hash, reply, *rest in connection.execute(
        f"SELECT {columns} FROM replies {where}", values
    ):
        said = json.loads(reply)
        if isinstance(said, dict) and isinstance(said.get("text"), str):
            yield Kept(
                key, stage, model, request_hash, str(said.get("item_id", "")), said["text"], said.get("model"), *rest
            )
