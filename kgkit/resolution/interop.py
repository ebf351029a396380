"""Proposals that another tool made, for the entities of a graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from kgkit import tables
from kgkit.frames import give, take
from kgkit.ids import stable_id
from kgkit.resolution.interop_formats import Proposed, Reference, load, proposals_in
from kgkit.results import Outcome, Result, outcomes_frame
from kgkit.text import normalise_name

__all__ = ["ReadMerges", "read_merges"]


@dataclass(frozen=True, repr=False, eq=False)
class ReadMerges(Result):
    """Proposals that were read; nothing is merged until somebody decides.

    Attributes:
        merges: One row per proposed pair, the most likely first; those without a score last.
        outcomes: What became of each name or id in the file: ``unknown`` when no entity has it, ``ambiguous`` when
            several do, ``alone`` when it is found but nothing it was with is.
    """

    stage: ClassVar[str] = "read_merges"
    main: ClassVar[str] = "merges"

    merges: Any


def read_merges(
    source: Any,
    graph: Any,
    *,
    format: str = "auto",
    id_column: str | None = None,
    cluster_column: str | None = None,
    score_column: str | None = None,
) -> ReadMerges:
    """Read pairs or clusters that another tool found, as proposals about the entities of a graph.

    Entities are found by their id, else by name, else by alias, whatever case and spacing; where several have the
    name, a type in the file decides. What is not found is an outcome. A cluster gives one proposal for each member,
    with its first (its canonical one, where the format names it), at the lowest score within.

    Formats:

    - ``splink``: predictions (``unique_id_l``, ``unique_id_r``, and ``match_probability`` or ``match_weight``) or
      clusters (``cluster_id``, ``unique_id``).
    - ``dedupe``: records with ``Cluster ID`` and ``confidence_score``.
    - ``openrefine``: exported clusters, or an extracted history with mass edits (JSON), or a table with a name and
      its reconciled id (say ``id_column`` and ``cluster_column``).
    - ``sift-kg``: ``merge_proposals.yaml``. Its statuses are told among the reasons and are no decisions.
    - ``pairs`` (``left_id``, ``right_id``, ``score``), ``clusters`` (an id or name, and its cluster): any other tool.

    Args:
        source: A path (CSV, TSV, Parquet, JSON, YAML), or a frame, or what a JSON or YAML file holds.
        graph: A graph, or an entities frame.
        format: As above; ``auto`` tells them apart.
        id_column: The column with the entity's id or name; for pairs without its ending ``_l`` and ``_r``.
        cluster_column: The column with the cluster.
        score_column: The column with the score, 0 to 1.

    Returns:
        `ReadMerges`, with frames of the kind of the graph's.

    Raises:
        InputError: The file cannot be read.
        OptionError: The format is not known.
        SchemaError: The file does not hold what its format says.

    Examples:
        >>> import polars as pl
        >>> entities = pl.DataFrame({"entity_id": ["e1", "e2"], "name": ["Grace Hopper", "G. Hopper"]})
        >>> pairs = pl.DataFrame({"left_id": ["g. hopper"], "right_id": ["GRACE HOPPER"], "score": [0.9]})
        >>> read_merges(pairs, entities).merges.select("left_id", "right_id", "score").row(0)
        ('e1', 'e2', 0.9)
    """
    taken = take(graph, "entities", require=["entity_id", "name"])
    columns = {"id": id_column, "cluster": cluster_column, "score": score_column}
    read = list(proposals_in(load(source), format, columns))
    found = _Finder(taken.frame)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    used: dict[Reference, bool] = {}
    method = "read" if format == "auto" else format
    for proposal in read:
        if proposal is not None:
            _add(proposal, found, method, rows, used)
    merges = tables.from_rows("merges", rows.values()).sort(
        "score", "left_id", "right_id", descending=[True, False, False], nulls_last=True
    )
    outcomes = _outcomes(used, found, read.count(None), {"format": format, **columns})
    given = {"merges": merges, "outcomes": outcomes}
    return ReadMerges(**{name: give(frame, name, taken.backend) for name, frame in given.items()})


def _add(
    proposal: Proposed,
    found: _Finder,
    method: str,
    rows: dict[tuple[str, str], dict[str, Any]],
    used: dict[Reference, bool],
) -> None:
    """Note a proposal; of two for one pair the one with the higher score."""
    ids = [found.find(reference)[0] for reference in (proposal.left, proposal.right)]
    whole = None not in ids and ids[0] != ids[1]
    for reference in (proposal.left, proposal.right):
        used[reference] = used.get(reference, False) or whole
    if not whole:
        return
    pair = tuple(sorted(ids))  # type: ignore[type-var]
    reasons = [{"reason": proposal.reason, "weight": 0.0}] if proposal.reason else []
    sides = {"left_id": pair[0], "right_id": pair[1]}
    row = {
        "merge_id": stable_id("merge", *pair),
        **sides,
        "score": proposal.score,
        "method": method,
        "reasons": reasons,
    }
    before = rows.get(pair)  # type: ignore[arg-type]
    if before is None or _rank(proposal.score) > _rank(before["score"]):
        rows[pair] = row  # type: ignore[index]


def _rank(score: float | None) -> float:
    return -1.0 if score is None else score


class _Finder:
    """Finds entities by id, name or alias."""

    def __init__(self, entities: pl.DataFrame) -> None:
        self._ids = set(entities["entity_id"].to_list())
        self._types = {i: (t or "").casefold() for i, t in entities.select("entity_id", "type").iter_rows()}
        self._names: dict[str, set[str]] = defaultdict(set)
        self._aliases: dict[str, set[str]] = defaultdict(set)
        for entity_id, name, aliases in entities.select("entity_id", "name", "aliases").iter_rows():
            self._names[normalise_name(name)].add(entity_id)
            for alias in aliases or ():
                self._aliases[normalise_name(alias)].add(entity_id)

    def find(self, reference: Reference) -> tuple[str | None, str | None]:
        """Give the entity, or why there is none."""
        if reference.text in self._ids:
            return reference.text, None
        for text in filter(None, (reference.name, reference.text)):
            for index in (self._names, self._aliases):
                ids = index.get(normalise_name(text), set())
                if len(ids) > 1 and reference.type:
                    ids = {i for i in ids if self._types[i] == reference.type.casefold()} or ids
                if len(ids) == 1:
                    return next(iter(ids)), None
                if ids:
                    return None, "ambiguous"
        return None, "unknown"


_DETAILS = {
    "unknown": "no entity has this id, name or alias",
    "ambiguous": "several entities have this name; give ids, or types",
    "alone": "found, but nothing it was with is another entity of the graph",
    "no_name": "the row names no entity",
}


def _outcomes(used: Mapping[Reference, bool], found: _Finder, nameless: int, params: Mapping[str, Any]) -> pl.DataFrame:
    by_text: dict[str, Outcome] = {}
    for reference, whole in used.items():
        reason = found.find(reference)[1] or (None if whole else "alone")
        earlier = by_text.get(reference.text)
        if earlier is None or earlier.status != "ok":
            by_text[reference.text] = _outcome(reference.text, reason)
    rows: Iterable[Outcome] = [
        *by_text.values(),
        *(Outcome(f"(nothing, {n + 1})", "empty", "no_name", _DETAILS["no_name"]) for n in range(nameless)),
    ]
    return outcomes_frame("read_merges", [row.item_id for row in rows], rows, params=params)


def _outcome(text: str, reason: str | None) -> Outcome:
    return Outcome(text, "skipped", reason, _DETAILS[reason]) if reason else Outcome(text, "ok")
