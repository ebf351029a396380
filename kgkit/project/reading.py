"""Reading documents into a project: only files that are new or changed, each document into a part of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from kgkit import tables
from kgkit.documents.changed import Stamp, is_files, read_changed
from kgkit.documents.copies import COPIES, COPY_NOTE, number_copies
from kgkit.project.keep import Keeper, View
from kgkit.project.records import Run
from kgkit.project.stages import STAGES
from kgkit.project.store import PART
from kgkit.project.work import INTERRUPTED, Begun, begin, outcome_part, replacing, stamped

__all__ = ["known_stamps", "read_into"]

_STAGE = "read_documents"
_CHARS_A_PART = 2_000_000
_NO_DOCUMENT = "0"  # the part of outcomes of files that gave no document
_HELD = ["doc_id", "source", "content_hash", "n_chars", PART]


def read_into(
    keeper: Keeper, source: Any, params: dict[str, Any], options: dict[str, Any], *, retry_failed: bool
) -> Run:
    """Read a source; its documents take the place of those that were there.

    Raises:
        KeyboardInterrupt: It was interrupted; the documents are as they were.
    """
    while True:
        begun = begin(keeper, _STAGE, params)
        read = _read(begun, source, options, retry_failed=retry_failed)
        if INTERRUPTED in read.outcomes["reason"]:  # half of the files must not look like all of them
            raise KeyboardInterrupt
        run = _keep(begun, read)
        if run is not None:  # otherwise another process read documents meanwhile: compare with those
            return run


def known_stamps(
    view: View, params: dict[str, Any], made_with: dict[str, str], *, retry_failed: bool = False
) -> dict[str, Stamp]:
    """Give the files that need not be read again unless they changed, and how they were when they were read.

    A file that failed is one of them: it is read again when it changes, or on request.
    """
    made = view.state.tables.get("files")
    if made is None or (made.run.params, made.run.made_with) != (params, made_with):
        return {}
    files = view.rows("files")
    if retry_failed:
        failed = _outcomes(view, ["item_id", "status"]).filter(pl.col("status") == "failed")["item_id"]
        files = files.filter(~pl.col("source").is_in(failed.implode()))
    held = files.drop_nulls().unique("file")
    return {file: tuple(stamp) for file, *stamp in held.select("file", "size", "modified_ns", "changed_ns").iter_rows()}


@dataclass(frozen=True)
class _Read:
    """What was read, and what stays as it is.

    Attributes:
        documents: Documents that were read.
        outcomes: Their outcomes, and those of what gave no document.
        files: Which outcome is of which file.
        kept: Sources of outcomes that stay.
        numbered: Whether ids are numbered by kgkit, as they are for files.
    """

    documents: pl.DataFrame
    outcomes: pl.DataFrame
    files: pl.DataFrame
    kept: pl.Series
    numbered: bool


def _read(begun: Begun, source: Any, options: dict[str, Any], *, retry_failed: bool) -> _Read:
    import kgkit as kg

    run, view = begun.run, begun.view
    if not is_files(source):
        result = kg.read_documents(source, **options).to_polars()
        nothing = pl.Series("source", [], pl.String)
        return _Read(result.documents, result.outcomes, tables.empty("files"), nothing, numbered=False)
    known = known_stamps(view, run.params, run.made_with, retry_failed=retry_failed)
    read = _read_files(view, source, known.get, options)
    if set(read.kept) & set(read.files["source"]):  # two files now claim one name: let one reading settle it
        read = _read_files(view, source, lambda _: None, options)
    return read


def _read_files(view: View, source: Any, known: Callable[[str], Stamp | None], options: dict[str, Any]) -> _Read:
    changed = read_changed(source, known, **options)
    kept = view.rows("files", columns=["source", "file"])
    same = kept.filter(pl.col("file").is_in(pl.Series(sorted(changed.unchanged), dtype=pl.String).implode()))
    result = changed.result
    return _Read(result.documents, result.outcomes, changed.files, same["source"], numbered=True)


def _keep(begun: Begun, read: _Read) -> Run | None:
    view = begun.view
    held = view.rows("documents", columns=_HELD)
    kept = held.filter(pl.col("source").is_in(read.kept.implode()))
    fresh = read.documents
    notes: pl.DataFrame | None = None
    if read.numbered:
        ids = number_copies(pl.concat([kept.select(COPIES), fresh.select(COPIES)]))
        fresh = _with_ids(fresh, ids)
        renumbered = _renumbered(view, kept, ids)
        fresh = pl.concat([fresh, renumbered])
        kept = kept.filter(~pl.col("source").is_in(renumbered["source"].implode()))
        notes = ids.select("source", "note")
    fresh = _placed(fresh, held, kept)
    gone = held.filter(~pl.col("doc_id").is_in(pl.concat([kept["doc_id"], fresh["doc_id"]]).implode()))["doc_id"]
    outcomes = stamped(_told(view, read, notes), begun.run)
    place = fresh.select(pl.col("source").alias("item_id"), PART).unique("item_id")
    outcomes = outcomes.join(place, on="item_id", how="left", maintain_order="left")
    outcomes = outcomes.with_columns(pl.col(PART).fill_null(_NO_DOCUMENT))
    files = read.files.join(outcomes.select(pl.col("item_id").alias("source"), PART), on="source", how="inner")
    prefix = outcome_part(_STAGE, "")
    stay = pl.concat([read.kept, outcomes["item_id"].alias("source")])
    was = _outcomes(view, ["item_id"])["item_id"]
    had = view.rows("files", columns=["source"])["source"]
    labelled = outcomes.with_columns((pl.lit(prefix) + pl.col(PART)).alias(PART))
    changes = {
        "documents": replacing("documents", "doc_id", fresh, gone=gone),
        "files": replacing("files", "source", files, gone=had.filter(~had.is_in(stay.implode()))),
        "outcomes": replacing("outcomes", "item_id", labelled, prefix, gone=was.filter(~was.is_in(stay.implode()))),
    }
    state = view.state
    seen = {name: state.versions[name] for name in STAGES[_STAGE].outputs if name in state.tables}
    return begun.commit(changes, expected=seen)


def _with_ids(documents: pl.DataFrame, ids: pl.DataFrame) -> pl.DataFrame:
    numbered = documents.drop("doc_id").join(ids.select("source", "doc_id"), on="source", maintain_order="left")
    return numbered.select(documents.columns)


def _renumbered(view: View, kept: pl.DataFrame, ids: pl.DataFrame) -> pl.DataFrame:
    """Give documents that were not read again, but whose id counts copies, and counts otherwise now."""
    both = kept.join(ids.select("source", pl.col("doc_id").alias("now")), on="source")
    other = both.filter(pl.col("doc_id") != pl.col("now"))
    rows = view.rows("documents", parts=other[PART].unique())
    return _with_ids(rows.filter(pl.col("source").is_in(other["source"].implode())), ids)


def _placed(fresh: pl.DataFrame, held: pl.DataFrame, kept: pl.DataFrame) -> pl.DataFrame:
    """Say in which part each document goes: where it was, then where there is room, then into new parts."""
    was = fresh.select("doc_id", "n_chars").join(held.select("doc_id", PART), on="doc_id", how="left")
    stays = pl.concat([kept.select("n_chars", PART), was.drop_nulls(PART).select("n_chars", PART)])
    room = dict(stays.group_by(PART).agg(pl.col("n_chars").sum()).iter_rows())
    last = max((int(part) for part in {*held[PART], *room} if part.isdigit()), default=0) or 1
    used = room.get(str(last), 0)
    new = {}
    for doc_id, size in was.filter(pl.col(PART).is_null()).select("doc_id", "n_chars").sort("doc_id").iter_rows():
        if used and used + size > _CHARS_A_PART:
            last, used = last + 1, 0
        used += size
        new[doc_id] = str(last)
    places = pl.DataFrame(list(new.items()), schema={"doc_id": pl.String, "new": pl.String}, orient="row")
    found = was.join(places, on="doc_id", how="left").select("doc_id", pl.coalesce(PART, "new").alias(PART))
    return fresh.join(found, on="doc_id", how="left", maintain_order="left")


def _told(view: View, read: _Read, notes: pl.DataFrame | None) -> pl.DataFrame:
    """Give the outcomes to keep: those of what was read, and of copies that are copies of another file now."""
    if notes is None:
        return read.outcomes
    held = _outcomes(view, ["item_id", "notes"]).filter(pl.col("item_id").is_in(read.kept.implode()))
    moved = _noted(held, notes).filter(pl.col("notes") != pl.col("new"))["item_id"]
    old = _outcomes(view, None).filter(pl.col("item_id").is_in(moved.implode())) if len(moved) else None
    told = pl.concat([read.outcomes, old]) if old is not None else read.outcomes
    columns = told.columns
    return _noted(told, notes).with_columns(pl.col("new").alias("notes")).select(columns)


def _noted(outcomes: pl.DataFrame, notes: pl.DataFrame) -> pl.DataFrame:
    """Add the column ``new``: the notes, with the one on copies as it is now."""
    own = pl.col("notes").list.eval(pl.element().filter(~pl.element().str.starts_with(COPY_NOTE)))
    joined = outcomes.join(notes.rename({"source": "item_id"}), on="item_id", how="left", maintain_order="left")
    copies = pl.concat_list(own, pl.concat_list("note").list.drop_nulls())
    return joined.with_columns(copies.alias("new")).drop("note")


def _outcomes(view: View, columns: list[str] | None) -> pl.DataFrame:
    parts = [part for part in view.parts("outcomes") if part.startswith(outcome_part(_STAGE, ""))]
    return view.rows("outcomes", parts=parts, columns=columns)
