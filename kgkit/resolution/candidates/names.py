"""Names to compare: records that nothing tells apart are one node, and each node has one or more names in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from kgkit.resolution.normal import LEGAL_FORMS, SMALL_WORDS, TITLES, folded, latin, words
from kgkit.resolution.records import Records

__all__ = ["Names", "Nodes", "names_of", "nodes_of"]

# Scripts that do not part words: their runs are read in pairs of characters.
_UNPARTED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30FC]"
_MOST_WORDS = 200  # of one name; a longer one is a text


@dataclass(frozen=True)
class Nodes:
    """Records that agree in folded name, type, aliases and columns are one node.

    Attributes:
        frame: One row per node, ordered: ``key`` (folded name), ``type``, ``aliases`` and the columns.
        of: The node of each record, int64.
    """

    frame: pl.DataFrame
    of: np.ndarray


@dataclass(frozen=True)
class Names:
    """Words of all names of all nodes, one name after the other.

    Attributes:
        node: The node of each name.
        alias: Whether the name is an alias or a transcription, not the name that the record goes by.
        start: Where the words of each name begin; one longer than there are names.
        texts: The folded names.
        parts: ``number`` (of the name), ``word``, ``core``: whether the word says who is meant, and is no title, legal
            form or small word; in the order of the words.
        name: For each core word, the number of its name; int64, as are all arrays of numbers here.
        word: The core words, as numbers in ``vocabulary``.
        start: Where the core words of each name begin; one longer than there are names.
        vocabulary: The different words, ordered.
    """

    node: np.ndarray
    alias: np.ndarray
    texts: pl.Series
    parts: pl.DataFrame
    name: np.ndarray
    word: np.ndarray
    start: np.ndarray
    vocabulary: pl.Series


def nodes_of(records: Records, columns: Sequence[str]) -> Nodes:
    """Number what is to be compared, in an order that does not depend on the ids of the records."""
    key = folded("name")
    aliases = pl.col("aliases").list.sort().list.join("\n")
    rows = records.frame.select(key.alias("key"), "type", aliases, *columns)
    frame = rows.unique().sort(rows.columns).with_row_index("node")
    joined = rows.join(frame, on=rows.columns, how="left", nulls_equal=True, maintain_order="left")
    return Nodes(frame.drop("node"), joined["node"].to_numpy().astype(np.int64))


def names_of(nodes: Nodes) -> Names:
    """Split all names of the nodes into words."""
    own = nodes.frame.select(name="key", alias=pl.lit(value=False)).with_row_index("node")
    other = nodes.frame.select(name=pl.col("aliases").str.split("\n")).with_row_index("node").explode("name")
    other = other.filter(pl.col("name") != "").select("node", folded("name"), alias=pl.lit(value=True))
    both = pl.concat([own, other])
    written = both.with_columns(latin(both["name"]), alias=pl.lit(value=True)).drop_nulls("name")
    names = pl.concat([both, written]).unique(["node", "name"], keep="first", maintain_order=True)
    names = names.sort("node", "alias", "name").with_row_index("number")
    parts = names.select("number", word=words("name").list.head(_MOST_WORDS)).explode("word").drop_nulls("word")
    parts = _in_pairs(parts)
    place, last = pl.int_range(pl.len()).over("number"), pl.len().over("number") - 1
    word = pl.col("word")
    empty = (
        (word.is_in(list(LEGAL_FORMS)) & (place > 0))
        | (word.is_in(list(TITLES)) & (place < last))
        | word.is_in(list(SMALL_WORDS))
    )
    parts = parts.with_columns(core=~empty).with_columns(pl.col("core") | ~pl.col("core").any().over("number"))
    vocabulary = parts["word"].unique().sort()
    core = parts.filter("core")
    n_words = np.bincount(core["number"].to_numpy(), minlength=names.height)
    return Names(
        names["node"].to_numpy().astype(np.int64),
        names["alias"].to_numpy(),
        names["name"],
        parts,
        core["number"].to_numpy().astype(np.int64),
        core["word"].cast(pl.Enum(vocabulary)).to_physical().to_numpy().astype(np.int64),
        np.concatenate([[0], np.cumsum(n_words)]),
        vocabulary,
    )


def _in_pairs(parts: pl.DataFrame) -> pl.DataFrame:
    """Replace words of scripts that do not part words by their pairs of characters."""
    unparted = parts["word"].str.contains(_UNPARTED)
    if not unparted.any():
        return parts
    different = parts["word"].filter(unparted).unique()
    pairs = [[w[i : i + 2] for i in range(max(1, len(w) - 1))] for w in different.to_list()]
    table = pl.DataFrame({"word": different, "pairs": pl.Series(pairs, dtype=pl.List(pl.String))})
    joined = parts.join(table, on="word", how="left", maintain_order="left")
    one = pl.concat_list("word")
    return joined.select("number", word=pl.coalesce("pairs", one).list.head(_MOST_WORDS)).explode("word")
