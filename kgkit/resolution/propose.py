"""`propose_merges`: which entities are likely one, how likely, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from kgkit import tables
from kgkit.errors import InputError, OptionError
from kgkit.frames import Backend, backend_of, check_backend, give, to_polars
from kgkit.models import ChatModel
from kgkit.resolution.adjudicate import adjudicate_pairs, band_of, no_verdicts
from kgkit.resolution.candidates import find_candidates
from kgkit.resolution.decisions import links
from kgkit.resolution.features import prepare
from kgkit.resolution.groups import Groups, group_pairs
from kgkit.resolution.proposed import Links, groups_table, merges_table, outcomes_table, pairs_table
from kgkit.resolution.records import records_of
from kgkit.resolution.scoring import Scored, learn, score_pairs
from kgkit.resolution.scoring.questions import choose_questions
from kgkit.results import Result

__all__ = ["Merges", "propose_merges"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class Merges(Result):
    """Proposals of `propose_merges`; nothing is merged until somebody decides.

    Attributes:
        merges: One row per proposed pair, the most likely first.
        groups: One row per group of entities that belong together by all scores and decisions.
        outcomes: What became of each entity, and of each question to a language model.
        candidates: What each source of candidates found, and what was cut and why.
        verdicts: What a language model said of pairs; see `adjudicate`.
        scored: All candidates with what was measured, for rescoring and questions.
    """

    stage: ClassVar[str] = "propose_merges"
    main: ClassVar[str] = "merges"

    merges: Any
    groups: Any
    candidates: Any = field(default=None)
    verdicts: Any = field(default=None)
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
        return self._again(self._candidates(), decisions, self._verdicts, self._outcomes)

    def adjudicate(
        self,
        model: ChatModel,
        *,
        graph: Any = None,
        documents: Any = None,
        decisions: Any = None,
        band: tuple[float, float] = (0.12, 0.88),
        weight: float = 2.0,
        candidates: int = 6,
        batch_size: int = 10,
    ) -> Merges:
        """Ask a language model about the pairs that are near even, and score anew with what it says.

        Each question shows one entity and its candidates, and asks which of these are the same; the model sees names,
        types, attributes, relations and quotes of both sides. Its verdict is one more measure with a weight, and one
        more reason; it decides nothing, and lifts no pair to automatic strength by itself. A question that fails
        changes nothing and is an outcome of the stage ``adjudicate``; pairs with a verdict are not asked again.

        Args:
            model: The model; its budget and its cache are its own.
            graph: The graph the entities are from: its statements are quoted.
            documents: A documents frame: where no statement names an entity, the words around its mentions are quoted.
            decisions: What was decided so far; those pairs are not asked about.
            band: Least and highest score to ask about. By default pairs that a verdict can lift over a threshold of
                .5, or bring below it.
            weight: Log-odds that a verdict adds or takes away: 2 fits a model that is right in 7 of 8 cases.
            candidates: Most candidates in a question.
            batch_size: Most questions in a request.

        Returns:
            New merges; these are not changed.

        Raises:
            InputError: The candidates are not here, or ``documents`` came without a graph.
            OptionError: An option is out of range.
        """
        scored = self._candidates()
        records = scored.prepared.records
        must, cannot = _links(records.frame["entity_id"], decisions)
        settled = np.array([a * len(records) + b for a, b in [*must, *cannot]], np.int64)
        rows = band_of(scored, band, settled)
        told = adjudicate_pairs(
            records, scored.left[rows], scored.right[rows], scored.log_odds[rows], model, known=scored.verdicts,
            weight=weight, most=candidates, size=batch_size, graph=graph, documents=documents,
        )  # fmt: skip
        asked = pl.concat([self._outcomes, told.outcomes]).unique(["stage", "item_id"], keep="last")
        verdicts = pl.concat([self._verdicts, told.frame])
        return self._again(replace(scored, verdicts=told.verdicts), decisions, verdicts, asked)

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
        rows = choose_questions(scored, n, labels=self._labels(ids), settled=settled, seed=seed)
        return give(pairs_table(scored, rows, ids, scored.log_odds[rows]), "merges", self._backend)

    def _again(self, scored: Scored, decisions: Any, verdicts: pl.DataFrame, told: pl.DataFrame) -> Merges:
        """Score anew, and keep what was asked and said so far."""
        merges = _merges(scored, decisions, to_polars(self.candidates), self.settings, self._backend)
        asked = told.filter(pl.col("stage") != self.stage).sort("stage", "item_id")
        outcomes = pl.concat([merges._outcomes, asked])
        return replace(
            merges,
            outcomes=give(outcomes, "outcomes", self._backend),
            verdicts=give(verdicts.sort("left_id", "right_id"), None, self._backend),
        )

    @property
    def _outcomes(self) -> pl.DataFrame:
        return tables.conform(to_polars(self.outcomes), "outcomes")

    @property
    def _verdicts(self) -> pl.DataFrame:
        return to_polars(self.verdicts).cast(no_verdicts().schema)

    @property
    def _backend(self) -> Backend:
        return backend_of(self.merges)

    def _labels(self, ids: pl.Series) -> npt.NDArray[np.int64]:
        """Number the groups, and give the number of each entity's own."""
        groups = to_polars(self.groups).select("members").with_row_index("at").explode("members")
        found = ids.to_frame("members").join(groups, on="members", how="left", maintain_order="left")
        alone = pl.int_range(pl.len()) + groups.height
        return found.select(pl.col("at").cast(pl.Int64).fill_null(alone)).to_series().to_numpy()

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
    model: ChatModel | None = None,
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
        model: A language model that is asked about the pairs near even; see `Merges.adjudicate`, which has more
            options.
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
    report = found.report
    del found  # a million names have fifteen million pairs
    merges = _merges(scored, decisions, report, settings, kind)
    return merges if model is None else merges.adjudicate(model, graph=graph, decisions=decisions)


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
    merges = merges_table(scored, grouped, ids, must, cannot, settings["threshold"])
    frames = {
        "merges": merges,
        "groups": groups_table(grouped, ids),
        "outcomes": outcomes_table(scored, ids, merges, settings),
    }
    given = {name: give(frame, name, kind) for name, frame in frames.items()}
    beside = {"candidates": give(report, None, kind), "verdicts": give(no_verdicts(), None, kind)}
    return Merges(**given, **beside, scored=scored, settings=settings)


def _links(ids: pl.Series, decisions: Any) -> tuple[Links, Links]:
    """Rows of the pairs that people joined and kept apart, as far as their entities are here."""
    if decisions is None:
        return [], []
    found = links(decisions)
    row = {entity: i for i, entity in enumerate(ids.to_list())}

    def rows(pairs: Iterable[tuple[str, str]]) -> Links:
        here = ((row[a], row[b]) for a, b in pairs if a in row and b in row)
        return sorted({(min(p), max(p)) for p in here})

    return rows(found.must), rows(found.cannot)


def _grouped(scored: Scored, must: Links, cannot: Links, threshold: float, across: str | None) -> Groups:
    level = float(np.log(threshold / (1 - threshold)))
    sides = None if across is None else scored.prepared.records.frame[across].rank("dense").fill_null(0).to_numpy()

    def complete(left: Ints, right: Ints) -> npt.NDArray[np.float64]:
        odds = scored.of_pairs(left, right).log_odds
        return odds if sides is None else np.where(sides[left] == sides[right], -8.0, odds)

    return group_pairs(
        len(scored.prepared), scored.left, scored.right, scored.log_odds,
        must=must, cannot=cannot, complete=complete, threshold=level, missing=min(-3.0, level - 1.0),
    )  # fmt: skip
