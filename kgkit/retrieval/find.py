"""Finding the chunks that a question is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from kgkit import tables
from kgkit.errors import OptionError
from kgkit.frames import Backend, check_backend, give
from kgkit.ids import stable_id
from kgkit.results import Outcome, Result, outcomes_frame
from kgkit.retrieval.expand import names_asked
from kgkit.retrieval.fusion import fuse_scores
from kgkit.retrieval.index import SearchIndex, build_index
from kgkit.retrieval.lexical import Floats, Query, read_query
from kgkit.retrieval.spelling import near_spellings

__all__ = ["Found", "Hits", "check_count", "clean_question", "find_rows", "hits_frame", "index_of", "search"]

_DEPTH = 100  # rows that vectors alone may bring in
_FLOOR = 0.3  # cosine below which a chunk without any word of the question is no hit
_SPELLING_WEIGHT = 0.7
_ALIAS_WEIGHT = 0.4  # other names of what was asked for, against the name that was asked with


@dataclass(frozen=True, repr=False, eq=False)
class Hits(Result):
    """What `search` returns: the ``hits``, best first, and the outcome of the question."""

    stage: ClassVar[str] = "search"
    main: ClassVar[str] = "hits"

    hits: Any


@dataclass(frozen=True)
class Found:
    """Rows of an index that a question found, best first, with their scores."""

    rows: list[int]
    scores: Floats
    lexical: Floats
    cosines: Floats | None
    notes: tuple[str, ...] = ()


def search(
    question: str,
    chunks: Any,
    *,
    graph: Any = None,
    k: int = 10,
    backend: Backend | None = None,
) -> Hits:
    """Find the chunks that a question is about.

    Words (BM25) and meaning (latent vectors of the corpus) are fused; a chunk that shares no word with the question
    is a hit only when its vector is near. Any text is a valid question; there are no operators. A word that stands
    nowhere is looked for under spellings one letter away, and the outcome's notes say so.

    Args:
        question: What is asked, in any language.
        chunks: Chunks of any kind, or an index of them: build one with `build_index` to ask more than once.
        graph: Result of `kgkit.build_graph`, or an entities frame: other names of the entities asked for are looked
            for too.
        k: Most hits, at least 1.
        backend: Kind of frame to return; by default the kind that the chunks came in.

    Returns:
        ``hits`` in order of ``rank``. ``score`` is 0 to 1: how well the best hit covers the question's words, and
        the others against it. Equal scores are in order of ``chunk_id``. ``outcomes`` has one row for the question:
        ``ok``, or ``empty`` when nothing was found.

    Raises:
        OptionError: ``k`` or ``backend`` is out of range, or the question is not text.
        SchemaError: A column is missing.

    Examples:
        >>> import polars as pl
        >>> chunks = pl.DataFrame({"chunk_id": ["a", "b"], "text": ["The ferry leaves.", "A kiln is hot."]})
        >>> search("When does the ferry leave?", chunks).hits["chunk_id"].to_list()
        ['a']
    """
    check_count("k", k)
    question = clean_question(question)
    index = index_of(chunks)
    out = backend or index.backend
    check_backend(out)
    found = find_rows(index, question, k, names_asked(question, graph))
    hits = hits_frame(index, question, found)
    item = stable_id("question", question)
    outcome = Outcome(
        item,
        "ok" if found.rows else "empty",
        None if found.rows else "no_hits",
        None if found.rows else "No chunk holds anything of the question.",
        notes=found.notes,
        chars_available=len(question),
        chars_sent=len(question),
    )
    report = outcomes_frame("search", [item], [outcome], params={"k": k})
    return Hits(hits=give(hits, "hits", out), outcomes=give(report, "outcomes", out))


def index_of(chunks: Any) -> SearchIndex:
    """Take an index as it is, and make one of anything else."""
    return chunks if isinstance(chunks, SearchIndex) else build_index(chunks)


def check_count(name: str, value: object) -> None:
    """Raise unless ``value`` is a whole number from 1.

    Raises:
        OptionError: It is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        msg = f"{name}={value!r} must be a whole number, 1 or more."
        raise OptionError(msg)


def clean_question(question: object) -> str:
    """Make sure that a question is text that a frame can hold: halves of surrogate pairs become U+FFFD.

    Raises:
        OptionError: It is not text.
    """
    if not isinstance(question, str):
        msg = f"The question must be text; this is a {type(question).__name__}."
        raise OptionError(msg)
    return question.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def find_rows(index: SearchIndex, question: str, k: int, other_names: list[str] | None = None) -> Found:
    """Rank the rows of an index for a question; at most ``k``, none without a score."""
    asked = read_query(index.analyser.count(question))
    spellings = _near_spellings(index, asked)
    query = _with_others(index, asked, other_names or [], spellings)
    lexical = index.lexical.scores(query.content | query.exact)
    cosines = None if index.latent is None else index.latent.cosines(query.content)
    if cosines is not None:
        cosines = np.round(cosines, 6)
    fused = fuse_scores(lexical, cosines, index.vector_weight)
    eligible = lexical > 0
    if cosines is not None and index.vector_weight > 0:
        near = np.argsort(-cosines, kind="stable")[:_DEPTH]
        eligible[near[cosines[near] >= _FLOOR]] = True
    rows = np.flatnonzero(eligible & (fused > 0))
    fused = np.round(fused, 9)
    order = rows[np.argsort(-fused[rows], kind="stable")][:k]  # rows are in order of chunk_id, so ties are too
    best = _coverage(index, query, lexical, cosines, order)
    notes = tuple(
        f"spelling: {term} stands nowhere; {', '.join(near)} was looked for" for term, near in spellings.items()
    )
    return Found([int(i) for i in order], np.minimum(1.0, fused * best), lexical, cosines, notes)


def hits_frame(index: SearchIndex, question: str, found: Found) -> pl.DataFrame:
    """Make the hits table of what was found."""
    rows = found.rows
    picked = index.chunks[rows]
    cosines = [None] * len(rows) if found.cosines is None else [float(found.cosines[i]) for i in rows]
    data = picked.with_columns(
        question=pl.lit(question, pl.String),
        rank=pl.Series(range(1, len(rows) + 1), dtype=pl.Int64),
        score=pl.Series([float(found.scores[i]) for i in rows], dtype=pl.Float64),
        lexical_score=pl.Series([float(s) if (s := found.lexical[i]) > 0 else None for i in rows], dtype=pl.Float64),
        vector_score=pl.Series(cosines, dtype=pl.Float64),
    )
    return tables.conform(data, "hits")


def _near_spellings(index: SearchIndex, query: Query) -> dict[str, list[str]]:
    known = index.lexical.n_rows_with
    near = {term: near_spellings(term, known) for term in query.content if not known(term) and not known("=" + term)}
    return {term: words for term, words in near.items() if words}


def _with_others(index: SearchIndex, query: Query, names: list[str], spellings: dict[str, list[str]]) -> Query:
    extra = {term: _ALIAS_WEIGHT for name in names for term in read_query(index.analyser.count(name)).content}
    extra |= {word: _SPELLING_WEIGHT for words in spellings.values() for word in words}
    return Query(extra | query.content, query.exact)


def _coverage(
    index: SearchIndex, query: Query, lexical: Floats, cosines: Floats | None, order: npt.NDArray[np.int64]
) -> float:
    """Tell which share of the question's words, by rarity, the best hit has; its cosine when it has none."""
    if not len(order):
        return 0.0
    row = int(order[0])
    if lexical[row] <= 0:
        return 0.0 if cosines is None else float(cosines[row])
    weights = {term: index.lexical.idf(term) for term, weight in query.content.items() if weight >= 1}
    held = sum(weight for term, weight in weights.items() if index.lexical.has(term, row))
    return max(0.01, held / sum(weights.values()))
