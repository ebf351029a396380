"""The names of the nodes, in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from kgkit.resolution.normal import LEGAL_FORMS, SMALL_WORDS, TITLES, latin, words

__all__ = ["Names", "names_of", "parts_of"]

# Scripts that do not part words: their runs are read in pairs of characters.
_UNPARTED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30FC]"
_MOST_WORDS = 200  # of one name; a longer one is a text


@dataclass(frozen=True)
class Names:
    """Words of all names of all nodes, one name after the other.

    Attributes:
        node: The node of each name.
        alias: Whether the name is an alias or a transcription, not the name that the record goes by.
        start: Where the words of each name begin; one longer than there are names.
        parts: ``number`` (of the name), ``word``, ``whole`` (the words, to be written together) and ``core`` (whether
            the word says who is meant, and is no title, legal form or small word); in the order of the words.
        name: For each core word, the number of its name; int64, as are all arrays of numbers here.
        word: The core words, as numbers in ``vocabulary``.
        start: Where the core words of each name begin; one longer than there are names.
        vocabulary: The different words, ordered.
    """

    node: np.ndarray
    alias: np.ndarray
    parts: pl.DataFrame
    name: np.ndarray
    word: np.ndarray
    start: np.ndarray
    vocabulary: pl.Series


def names_of(nodes: pl.DataFrame) -> Names:
    """Split all names of the nodes (``text`` and ``aliases``, one a line) into words."""
    own = nodes.select("text", alias=pl.lit(value=False)).with_row_index("node")
    other = nodes.select(text=pl.col("aliases").str.split("\n")).with_row_index("node").explode("text")
    both = pl.concat([own, other.drop_nulls("text").select("node", "text", alias=pl.lit(value=True))])
    written = both.with_columns(latin(both["text"]), alias=pl.lit(value=True)).drop_nulls("text")
    names = pl.concat([both, written]).unique(["node", "text"], keep="first", maintain_order=True)
    names = names.sort("node", "alias", "text").with_row_index("number")
    parts = parts_of(names)
    vocabulary = parts["word"].unique().sort()
    core = parts.filter("core")
    n_words = np.bincount(core["number"].to_numpy(), minlength=names.height)
    return Names(
        names["node"].to_numpy().astype(np.int64),
        names["alias"].to_numpy(),
        parts,
        core["number"].to_numpy().astype(np.int64),
        core["word"].cast(pl.Enum(vocabulary)).to_physical().to_numpy().astype(np.int64),
        np.concatenate([[0], np.cumsum(n_words)]),
        vocabulary,
    )


def parts_of(texts: pl.DataFrame) -> pl.DataFrame:
    """Split numbered texts into words: ``number, word, whole, core``."""
    parts = texts.select("number", word=words("text").list.head(_MOST_WORDS)).explode("word").drop_nulls("word")
    parts = _in_pairs(parts)
    place, last = pl.int_range(pl.len()).over("number"), pl.len().over("number") - 1
    word = pl.col("word")
    empty = (
        (word.is_in(list(LEGAL_FORMS)) & (place > 0))
        | (word.is_in(list(TITLES)) & (place < last))
        | word.is_in(list(SMALL_WORDS))
    )
    return parts.with_columns(core=~empty).with_columns(pl.col("core") | ~pl.col("core").any().over("number"))


def _in_pairs(parts: pl.DataFrame) -> pl.DataFrame:
    """Replace words of scripts that do not part words by their pairs of characters; ``whole`` has each word once."""
    unparted = parts["word"].str.contains(_UNPARTED)
    if not unparted.any():
        return parts.with_columns(whole="word")
    different = parts["word"].filter(unparted).unique()
    pairs = [[w[i : i + 2] for i in range(max(1, len(w) - 1))] for w in different.to_list()]
    whole = [[w, *[""] * (len(p) - 1)] for w, p in zip(different.to_list(), pairs, strict=True)]
    listed = pl.List(pl.String)
    table = pl.DataFrame(
        {"word": different, "pairs": pl.Series(pairs, dtype=listed), "all": pl.Series(whole, dtype=listed)}
    )
    joined = parts.join(table, on="word", how="left", maintain_order="left")
    one = pl.concat_list("word")
    either = {"word": pl.coalesce("pairs", one), "whole": pl.coalesce("all", one)}
    return joined.select("number", **{c: e.list.head(_MOST_WORDS) for c, e in either.items()}).explode("word", "whole")
