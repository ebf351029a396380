"""What makes proposals fast changes nothing: pieces, threads, and vectors made without a loop."""

from __future__ import annotations

import threading

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from sklearn.feature_extraction.text import TfidfVectorizer

import kgkit as kg
from kgkit.resolution import cluster_complete, pieces
from kgkit.resolution.features.folding import fold
from kgkit.resolution.features.letters import gram_vectors, word_vectors
from kgkit.resolution.features.ragged import Ragged
from kgkit.resolution.groups import group_pairs
from kgkit.resolution.scoring import learned, scored
from kgkit.text import normalise_name

GIVEN = ("Ada", "Grace", "Bill", "William", "Álvaro", "J.", "Владимир")
FAMILY = ("Lovelace", "Hopper", "Gates", "Gattes", "Núñez", "MacAulay", "Mac Aulay", "Путин", "O'Brien (writer)")


def people() -> pl.DataFrame:
    names = [f"{a} {b}" for a in GIVEN for b in FAMILY] + [f"{b}, {a}" for a in GIVEN for b in FAMILY]
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "entity_id": [f"e{i:03d}" for i in range(len(names))],
            "name": names,
            "type": rng.choice(["PERSON", "WRITER"], len(names)),
            "year": rng.choice(["1815", "1906", ""], len(names)),
            "place": rng.choice(["London", "New York", "new york", "Rome"], len(names)),
        }
    )


@pytest.mark.parametrize(("size", "cores"), [(7, 1), (64, 3), (1000, 2)])
def test_pieces_and_threads_change_nothing(monkeypatch: pytest.MonkeyPatch, size: int, cores: int) -> None:
    whole = kg.propose_merges(people())
    monkeypatch.setattr(scored, "_PIECE", size)
    monkeypatch.setattr(pieces, "count_cores", lambda: cores)
    parted = kg.propose_merges(people().sample(fraction=1, shuffle=True, seed=size))
    assert whole.merges.height > 20
    for name, frame in whole.frames.items():
        assert_frame_equal(frame, parted.frames[name], check_exact=True)


@pytest.mark.parametrize("cores", [1, 3])
def test_what_was_learned_is_scored_in_pieces_and_of_no_pairs_too(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    """Warnings are errors here: trees must not start threads of their own within those of the pieces."""
    first = kg.propose_merges(people())
    assert first.scored is not None
    spread = np.argsort(first.scored.log_odds, kind="stable")[:: len(first.scored) // 14]
    must = [(int(first.scored.left[i]), int(first.scored.right[i])) for i in spread[-7:]]
    cannot = [(int(first.scored.left[i]), int(first.scored.right[i])) for i in spread[:7]]
    whole = learned.learn(first.scored, must, cannot)
    assert whole.learned is not None
    assert whole.learned.trees is not None
    monkeypatch.setattr(scored, "_PIECE", 7)
    monkeypatch.setattr(pieces, "count_cores", lambda: cores)
    np.testing.assert_array_equal(learned.learn(first.scored, must, cannot).log_odds, whole.log_odds)
    none = whole.rows(np.array([], np.int64))
    assert whole.learned.score(none).shape == whole.learned.apart(none).shape == (0,)


def test_pieces_cover_all_and_pass_errors_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "count_cores", lambda: 3)
    seen, met = np.zeros(25, int), set()

    def work(piece: slice) -> None:
        seen[piece] += 1
        met.add(threading.get_ident())

    pieces.in_pieces(work, 25, 4)
    pieces.in_pieces(work, 0, 4)
    assert seen.tolist() == [1] * 25
    assert threading.get_ident() not in met
    with pytest.raises(ZeroDivisionError):
        pieces.in_pieces(lambda piece: print(1 // piece.start), 25, 4)


TEXTS = st.lists(st.text(st.sampled_from("abcé 東\t🙂-"), max_size=12), min_size=1, max_size=12)


def same(one: object, other: object) -> bool:
    return (one.shape == other.shape) and not (one != other).nnz  # type: ignore[attr-defined]


@given(TEXTS)
def test_vectors_are_those_of_the_library(texts: list[str]) -> None:
    runs = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), dtype=np.float32, lowercase=False)
    if any(text.strip() for text in texts):
        assert same(gram_vectors(texts), runs.fit_transform(texts))
    else:
        assert not gram_vectors(texts).nnz
    words = TfidfVectorizer(token_pattern=r"[^\W_]+", dtype=np.float32, lowercase=False, sublinear_tf=True)
    matrix, there = word_vectors([None, *texts, *texts])
    if matrix is not None:
        assert there is not None
        assert same(matrix, words.fit_transform([fold(t) for t in ("", *texts, *texts)]))
        assert there.tolist() == [row.nnz > 0 for row in matrix]


@given(st.text(st.characters(max_codepoint=127), max_size=10))
def test_names_in_ascii_are_folded_as_all_others(name: str) -> None:
    assert fold(name) == normalise_name(name)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=30))
def test_sets_of_numbers_by_record(pairs: list[tuple[int, int]]) -> None:
    place, value = np.array(pairs, np.int64).reshape(-1, 2).T
    made = Ragged.sets(6, place, value)
    own = [sorted({v for p, v in pairs if p == i}) for i in range(6)]
    assert [made.values[made.start[i] : made.start[i + 1]].tolist() for i in range(6)] == own


def test_open_pairs_of_many_small_groups_are_scored_at_once_and_not_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = [3, 4, 5, 3, 6]
    ends = np.cumsum(sizes)
    left = np.concatenate([np.arange(e - s, e - 1) for s, e in zip(sizes, ends, strict=True)])  # five chains
    odds = np.full(len(left), 3.0)
    calls: list[int] = []

    def complete(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        assert (one < other).all()
        calls.append(len(one))
        return np.full(len(one), 2.0)

    n_open = sum(s * (s - 1) // 2 - (s - 1) for s in sizes)
    found = group_pairs(int(ends[-1]), left, left + 1, odds, complete=complete)
    assert (calls, found.n_completed) == ([n_open], n_open)
    assert found.table["n_members"].to_list() == sizes
    monkeypatch.setattr(cluster_complete, "_AT_ONCE", 4)
    monkeypatch.setattr(cluster_complete, "_MOST", 5)
    calls.clear()
    cut = group_pairs(int(ends[-1]), left, left + 1, odds, complete=complete)
    assert cut.n_completed == sum(calls) == 5  # of both groups of three, and of the one of four
    assert cut.table["n_members"].to_list()[:2] == [3, 4]
