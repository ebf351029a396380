"""`propose_merges`: which entities are likely one, how likely, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from kgkit import tables
from kgkit.errors import InputError, OptionError
from kgkit.frames import Backend, backend_of, check_backend, give, to_polars
from kgkit.ids import stable_id_series
from kgkit.resolution.candidates import find_candidates
from kgkit.resolution.decisions import links
from kgkit.resolution.features import prepare
from kgkit.resolution.groups import Groups, group_pairs
from kgkit.resolution.records import records_of
from kgkit.resolution.scoring import Scored, learn, score_pairs
from kgkit.resolution.scoring.questions import choose_questions
from kgkit.resolution.scoring.reasons import reasons_of
from kgkit.results import Result, outcomes_from

__all__ = ["Merges", "propose_merges"]

Ints = npt.NDArray[np.int64]
_Links = list[tuple[int, int]]
_APART = 1.0  # most log-odds of a pair that the clustering kept apart


@dataclass(frozen=True, repr=False, eq=False)
class Merges(Result):
    """Proposals of `propose_merges`; nothing is merged until somebody decides.

    Attributes:
        merges: One row per proposed pair, the most likely first.
        groups: One row per group of entities that belong together by all scores and decisions.
        outcomes: What became of each entity.
        candidates: What each source of candidates found, and what was cut and why.
        scored: All candidates with what was measured, for rescoring and questions.
    """

    stage: ClassVar[str] = "propose_merges"
    main: ClassVar[str] = "merges"

    merges: Any
    groups: Any
    candidates: Any = field(default=None)
    scored: Scored | None = field(default=None)
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def automatic(self) -> Any:
        """The proposals that a policy may accept unseen: of ``automatic`` strength, and within a proposed group."""
        frame = to_polars(self.merges)
        strong = frame.filter(pl.col("score") >= self.settings.get("automatic", 0.95))
        return give(strong, "merges", backend_of(self.merges))

    def rescore(self, decisions: Any) -> Merges:
        """Score the same candidates anew with more decisions.

        Args:
            decisions: A decisions frame.

        Returns:
            New merges; these are not changed.

        Raises:
            InputError: The candidates are not here: the merges were read from frames.
        """
        return _merges(self._candidates(), decisions, to_polars(self.candidates), self.settings, self._backend)

    def next_questions(self, n: int = 10, *, decisions: Any = None, seed: int = 0) -> Any:
        """Choose the pairs whose answers teach most.

        Args:
            n: Number of pairs.
            decisions: What was decided so far; those pairs are not asked about. The scores are those of these merges:
                call `rescore` first to learn from new decisions.
            seed: Seed of the drawing.

        Returns:
            A merges frame in the order to ask, whatever the threshold.

        Raises:
            InputError: The candidates are not here: the merges were read from frames.
        """
        scored = self._candidates()
        ids = scored.prepared.records.frame["entity_id"]
        must, cannot = _links(ids, decisions)
        settled = np.array([a * len(ids) + b for a, b in [*must, *cannot]], np.int64)
        rows = choose_questions(scored, n, settled=settled, seed=seed)
        return give(_rows(scored, rows, ids, scored.log_odds[rows]), "merges", self._backend)

    @property
    def _backend(self) -> Backend:
        return backend_of(self.merges)

    def _candidates(self) -> Scored:
        if self.scored is None:
            msg = "These merges hold no candidates (they were read from frames); call propose_merges again."
            raise InputError(msg)
        return self.scored


def propose_merges(
    graph: Any,
    *,
    decisions: Any = None,
    threshold: float = 0.5,
    automatic: float = 0.95,
    per_record: int = 15,
    across: str | None = None,
    backend: Backend | None = None,
) -> Merges:
    """Propose which entities are one, how likely, and why; nothing is merged.

    Candidates are found by names, aliases, further columns and neighbours; each pair is measured in some thirty ways,
    and a table of weights that was learned on public sets adds up to its log-odds. Further columns (address, year,
    price, any attribute) are weighed by how they behave here. With decisions a model of this graph takes over step by
    step. Rules with names hold scores down where numbers, generations, years of birth or types differ.

    Pairs that somebody decided on are not proposed again: accepted ones bind their entities together, rejected ones
    keep them apart, in the groups too.

    Args:
        graph: A graph, or a frame with ``entity_id`` and ``name``. Of a frame, ``type``, ``aliases``,
            ``description``, ``attributes`` and all further columns that fit in a text are used where they are there.
        decisions: A decisions frame. Merges in it count as answers.
        threshold: Least score of a proposal, and of the mean pair of a group.
        automatic: Score from which a proposal is counted among `Merges.automatic`.
        per_record: Candidates per entity, about.
        across: A column, such as ``source``: only entities that differ in it are paired. Use it for two lists that
            have no duplicates of their own.
        backend: Kind of frames to answer with; by default that of ``graph``.

    Returns:
        `Merges`.

    Raises:
        OptionError: An option is unknown or out of range.
        SchemaError: Columns are missing, or an id occurs twice.

    Examples:
        >>> import polars as pl
        >>> names = ["Grace Hopper", "Hopper, Grace", "Alan Turing", "GPT-3", "GPT-4"]
        >>> types = ["PERSON", "PERSON", "PERSON", "MODEL", "MODEL"]
        >>> frame = pl.DataFrame({"entity_id": list("abcde"), "name": names, "type": types})
        >>> propose_merges(frame).merges.select("left_id", "right_id").rows()
        [('a', 'b')]
    """
    _check(threshold, automatic, per_record)
    records = records_of(graph)
    if across is not None and across not in records.extra:
        raise OptionError.not_one_of("across", across, records.extra)
    found = find_candidates(records, per_record=per_record, across=across)
    prepared = prepare(records, across=across)
    scored = score_pairs(prepared, found.left, found.right)
    settings = {"threshold": threshold, "automatic": automatic, "per_record": per_record, "across": across}
    kind = backend or backend_of(getattr(graph, "frames", {}).get("entities", graph))
    check_backend(kind)
    return _merges(scored, decisions, found.report, settings, kind)


def _check(threshold: float, automatic: float, per_record: int) -> None:
    for name, value in (("threshold", threshold), ("automatic", automatic)):
        if not 0 < value < 1:
            msg = f"{name}={value!r} is out of range. Allowed: above 0 and below 1."
            raise OptionError(msg)
    if per_record < 1:
        msg = f"per_record={per_record!r} is out of range. Allowed: 1 or more."
        raise OptionError(msg)


def _merges(scored: Scored, decisions: Any, report: pl.DataFrame, settings: dict[str, Any], kind: Backend) -> Merges:
    records = scored.prepared.records
    ids = records.frame["entity_id"]
    must, cannot = _links(ids, decisions)
    scored = learn(scored, must, cannot)
    grouped = _grouped(scored, must, cannot, settings["threshold"], settings["across"])
    merges = _table(scored, grouped, ids, must, cannot, settings["threshold"])
    frames = {
        "merges": merges,
        "groups": _groups(grouped, ids),
        "outcomes": _outcomes(scored, ids, merges, settings),
    }
    given = {name: give(frame, name, kind) for name, frame in frames.items()}
    return Merges(**given, candidates=give(report, None, kind), scored=scored, settings=settings)


def _links(ids: pl.Series, decisions: Any) -> tuple[_Links, _Links]:
    """Rows of the pairs that people joined and kept apart, as far as their entities are here."""
    if decisions is None:
        return [], []
    found = links(decisions)
    row = {entity: i for i, entity in enumerate(ids.to_list())}

    def rows(pairs: Iterable[tuple[str, str]]) -> _Links:
        here = ((row[a], row[b]) for a, b in pairs if a in row and b in row)
        return sorted({(min(p), max(p)) for p in here})

    return rows(found.must), rows(found.cannot)


def _grouped(scored: Scored, must: _Links, cannot: _Links, threshold: float, across: str | None) -> Groups:
    level = float(np.log(threshold / (1 - threshold)))
    sides = None if across is None else scored.prepared.records.frame[across].to_list()

    def complete(left: Ints, right: Ints) -> npt.NDArray[np.float64]:
        odds = scored.of_pairs(left, right).log_odds
        if sides is not None:
            same = np.array([sides[a] == sides[b] for a, b in zip(left.tolist(), right.tolist(), strict=True)], bool)
            odds = np.where(same, -8.0, odds)
        return odds

    return group_pairs(
        len(scored.prepared), scored.left.astype(np.int64), scored.right.astype(np.int64), scored.log_odds,
        must=must, cannot=cannot, complete=complete, threshold=level, missing=min(-3.0, level - 1.0),
    )  # fmt: skip


def _table(
    scored: Scored, grouped: Groups, ids: pl.Series, must: _Links, cannot: _Links, threshold: float
) -> pl.DataFrame:
    apart = grouped.labels[scored.left] != grouped.labels[scored.right]
    odds = np.where(apart, np.minimum(scored.log_odds, _APART), scored.log_odds)
    n = len(ids)
    settled = np.array([a * n + b for a, b in [*must, *cannot]], np.int64)
    low, high = np.minimum(scored.left, scored.right), np.maximum(scored.left, scored.right)
    open_ = ~np.isin(low.astype(np.int64) * n + high, settled)
    kept = np.flatnonzero(open_ & (odds >= np.log(threshold / (1 - threshold))))
    frame = _rows(scored, kept, ids, odds[kept])
    return frame.sort("score", "left_id", "right_id", descending=[True, False, False])


def _rows(scored: Scored, rows: Ints, ids: pl.Series, odds: npt.NDArray[np.float64]) -> pl.DataFrame:
    """Write pairs as a merges table, in the order given."""
    low, high = np.minimum(scored.left, scored.right)[rows], np.maximum(scored.left, scored.right)[rows]
    left, right = ids.gather(low), ids.gather(high)
    frame = pl.DataFrame(
        {
            "merge_id": stable_id_series("merge", left, right),
            "left_id": left,
            "right_id": right,
            "score": 1 / (1 + np.exp(-odds)),
            "method": pl.repeat(scored.method, len(rows), dtype=pl.String, eager=True),
            "reasons": reasons_of(scored, rows, odds),
        }
    )
    return tables.conform(frame, "merges")


def _groups(grouped: Groups, ids: pl.Series) -> pl.DataFrame:
    table = grouped.table

    def named(column: str) -> pl.Series:
        return ids.gather(table[column])

    def chance(column: str) -> pl.Expr:
        return 1 / (1 + (-pl.col(column)).exp())

    rows = table.select("n_members", "n_pairs", "n_scored", mean_score=chance("mean"), weakest_score=chance("weakest"))
    members = [ids.gather(m).to_list() for m in table["members"].to_list()]
    whole = rows.with_columns(
        pl.Series("members", members, dtype=pl.List(pl.String)),
        weakest_left_id=named("weakest_left"),
        weakest_right_id=named("weakest_right"),
    )
    key = pl.Series("key", ["\n".join(m) for m in members], dtype=pl.String)
    return tables.conform(whole.with_columns(stable_id_series("group", key).alias("group_id")), "groups")


def _outcomes(scored: Scored, ids: pl.Series, merges: pl.DataFrame, settings: dict[str, Any]) -> pl.DataFrame:
    met = np.zeros(len(ids), bool)
    met[scored.left] = met[scored.right] = True
    proposed = pl.concat([merges["left_id"], merges["right_id"]]).unique()
    rows = pl.DataFrame({"item_id": ids, "met": met}).with_columns(ids.is_in(proposed.implode()).alias("proposed"))
    return outcomes_from(
        "propose_merges",
        ids,
        rows.select(
            "item_id",
            status=pl.when("met").then(pl.lit("ok")).otherwise(pl.lit("empty")),
            reason=pl.when(~pl.col("met"))
            .then(pl.lit("no_candidate"))
            .when(~pl.col("proposed"))
            .then(pl.lit("no_proposal")),
            detail=pl.when(~pl.col("met")).then(pl.lit("nothing like it among the others")),
        ),
        params=settings,
    )
