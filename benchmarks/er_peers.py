"""Splink, recordlinkage, string_grouper and goldenmatch on one table: what `bench_peers.py` runs in their Python.

    PEERS-PYTHON benchmarks/er_peers.py TOOL FOLDER

reads ``FOLDER/records.csv`` (``id``, columns, and ``source`` where there are two lists), writes the groups of each way
of using the tool to ``FOLDER/groups.json`` and prints seconds, peak memory and version. Nothing here knows kgkit or the
gold. Each tool gets the columns as they are published, and what its own documentation does with such data; where that
leaves a choice, several ways are tried, and the one that is best by the gold counts.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

Ways = dict[str, Callable[[], dict[str, str]]]
"""Ways of using a tool, after what they have in common: each gives the group of each record that is in one."""

LONG = 200  # characters in the mean from which a column is free text, which Splink's documentation advises against
SHORT = 12
RARE = 30
PEOPLE = ("given_name", "surname", "date_of_birth", "soc_sec_id")


def main(tool: str, folder: Path) -> None:
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    table = read(folder / "records.csv")
    use = TOOLS[tool]
    importlib.import_module(tool)  # what is imported once does not count
    shared, ways = timed(lambda: use(table))
    found, seconds, cpu = {}, {}, {}
    for name, way in ways.items():
        own, found[name] = timed(way)
        seconds[name], cpu[name] = shared[0] + own[0], shared[1] + own[1]
    (folder / "groups.json").write_text(json.dumps(found))
    version = importlib.metadata.version(tool.replace("_", "-"))
    print(json.dumps({"seconds": seconds, "cpu": cpu, "gb": peak_gb(), "version": version}))


def timed(work: Callable[[], Any]) -> tuple[tuple[float, float], Any]:
    """Give the seconds and the CPU seconds, of all threads, that some work takes; and what it gives."""
    since, cpu = time.perf_counter(), time.process_time()
    made = work()
    return (time.perf_counter() - since, time.process_time() - cpu), made


def read(path: Path) -> Any:
    import pandas as pd

    table = pd.read_csv(path, dtype=str, keep_default_na=False).replace("", None)
    return table.rename(columns={"title": "name"})


def peak_gb() -> float:
    held = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(held.split()[1]) / 1e6


def columns_of(table: Any) -> list[str]:
    return [c for c in table.columns if c not in ("id", "source")]


def cleaned(column: Any) -> Any:
    """Lower case, letters and digits only, as both Splink's and recordlinkage's guides clean names."""
    return column.str.lower().str.replace(r"[^\w]+", " ", regex=True).str.strip()


def lists_of(table: Any) -> list[Any]:
    if "source" not in table.columns:
        return [table]
    return [part.drop(columns="source") for _, part in table.groupby("source", sort=True)]


def joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Connect pairs."""
    parent: dict[str, str] = {}

    def root(one: str) -> str:
        while parent.setdefault(one, one) != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    for left, right in pairs:
        parent[root(right)] = root(left)
    return {one: root(one) for one in list(parent)}


# Splink


def splink(table: Any) -> Ways:
    """People: the settings of its example on febrl3. Anything else: names by words and Jaro-Winkler.

    Names have the levels of its NameComparison and further ones for shared rare words, which its documentation proposes
    for names of companies; other columns are compared exactly with term frequencies, or by Jaro-Winkler where they are
    longer. Two lists: the probability of a match is one in the larger list, and each record has its single best link,
    as both are documented for lists without duplicates. Clusters at .5 and at .95.
    """
    from splink import DuckDBAPI, Linker

    people = set(PEOPLE) <= set(table.columns)
    prepared = table if people else _words(table)
    settings, sure, training, recall = (_people if people else _things)(prepared)
    database = DuckDBAPI()
    lists = lists_of(prepared)
    held = [database.register(part, dataset_display_name=f"list{i}") for i, part in enumerate(lists)]
    linker = Linker(held if len(held) > 1 else held[0], settings)
    if len(lists) == 1:
        linker.training.estimate_probability_two_random_records_match(sure, recall=recall)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e7, seed=1)
    for rule in training:
        try:
            linker.training.estimate_parameters_using_expectation_maximisation(
                rule, estimate_without_term_frequencies=not people
            )
        except Exception as error:  # a rule that meets no pairs trains nothing
            print(f"Splink: no training by {rule}: {type(error).__name__}", file=sys.stderr)
    scored = linker.inference.predict(threshold_match_probability=0.2)
    names = [f"list{i}" for i in range(len(lists))]

    def connected(level: float) -> dict[str, str]:
        return _clusters(linker.clustering.cluster_pairwise_predictions_at_threshold(scored, level))

    def single(level: float) -> dict[str, str]:
        return _clusters(linker.clustering.cluster_using_single_best_links(scored, names, level))

    ways: Ways = {f"{level}": partial(connected, level) for level in (0.5, 0.95)}
    if len(lists) > 1:
        ways |= {f"{level}, single best links": partial(single, level) for level in (0.5, 0.95)}
    return ways


def _clusters(clustered: Any) -> dict[str, str]:
    rows = clustered.as_duckdbpyrelation().project("id, cluster_id::varchar").fetchall()
    return dict(rows)


def _people(table: Any) -> tuple[Any, list[Any], list[Any], float]:
    import splink.comparison_library as cl
    from splink import SettingsCreator, block_on

    settings = SettingsCreator(
        unique_id_column_name="id",
        link_type="dedupe_only",
        blocking_rules_to_generate_predictions=[
            block_on(c) for c in ("soc_sec_id", "given_name", "surname", "date_of_birth", "postcode")
        ],
        comparisons=[
            cl.NameComparison("given_name"),
            cl.NameComparison("surname"),
            cl.DateOfBirthComparison("date_of_birth", input_is_string=True, datetime_format="%Y%m%d"),
            cl.DamerauLevenshteinAtThresholds("soc_sec_id", [2]),
            cl.ExactMatch("street_number").configure(term_frequency_adjustments=True),
            cl.ExactMatch("postcode").configure(term_frequency_adjustments=True),
        ],
    )
    swapped = "l.given_name = r.surname and l.surname = r.given_name and l.date_of_birth = r.date_of_birth"
    sure = [block_on("soc_sec_id"), block_on("given_name", "surname", "date_of_birth"), swapped]
    return settings, sure, [block_on("date_of_birth"), block_on("postcode")], 0.9


def _words(table: Any) -> Any:
    table = table.copy()
    for column in columns_of(table):
        table[column] = cleaned(table[column]).replace("", None)
    words = [name.split() for name in table["name"].fillna("")]
    often = Counter(word for name in words for word in set(name))
    table["first_word"] = [name[0] if name else None for name in words]
    table["last_word"] = [name[-1] if name else None for name in words]
    table["sorted_words"] = [" ".join(sorted(name)) or None for name in words]
    table["rare"] = [sorted({word for word in name if often[word] <= RARE}) for name in words]
    return table


def _things(table: Any) -> tuple[Any, list[Any], list[Any], float]:
    import splink.comparison_level_library as cll
    import splink.comparison_library as cl
    from splink import SettingsCreator, block_on

    made = {"name", "first_word", "last_word", "sorted_words", "rare"}
    lengths = {c: table[c].dropna().str.len().mean() for c in columns_of(table) if c not in made}
    short = [c for c, n in lengths.items() if n <= SHORT]
    longer = [c for c, n in lengths.items() if SHORT < n <= LONG]
    telling = [c for c in short + longer if table[c].nunique() > 0.1 * len(table)]
    name = cl.CustomComparison(
        output_column_name="name",
        comparison_levels=[
            cll.NullLevel("name"),
            cll.ExactMatchLevel("name", term_frequency_adjustments=True),
            cll.ExactMatchLevel("sorted_words"),
            cll.JaroWinklerLevel("name", 0.92),
            cll.ArrayIntersectLevel("rare", 3),
            cll.ArrayIntersectLevel("rare", 2),
            cll.JaroWinklerLevel("name", 0.88),
            cll.ArrayIntersectLevel("rare", 1),
            cll.JaroWinklerLevel("name", 0.7),
            cll.ElseLevel(),
        ],
    )
    comparisons = [name]
    comparisons += [cl.JaroWinklerAtThresholds(c, [0.92, 0.88, 0.7]) for c in longer]
    comparisons += [cl.ExactMatch(c).configure(term_frequency_adjustments=True) for c in short]
    rules = [
        block_on("name"), block_on("rare", arrays_to_explode=["rare"]), block_on("substr(name, 1, 6)"),
        block_on("first_word", "last_word"), *[block_on(c) for c in telling],
    ]  # fmt: skip
    lists = lists_of(table)
    two = len(lists) > 1
    settings = SettingsCreator(
        unique_id_column_name="id",
        link_type="link_only" if two else "dedupe_only",
        comparisons=comparisons,
        blocking_rules_to_generate_predictions=rules,
        probability_two_random_records_match=1 / max(map(len, lists)),
    )
    words = block_on("first_word") if two else block_on("first_word", "last_word")
    training = [block_on("name"), words, *[block_on(c) for c in telling[:2]]]
    return settings, [block_on("name")], training, 0.6


# recordlinkage


def recordlinkage(table: Any) -> Ways:
    """Blocks and Jaro-Winkler at .85 as in its guides, all pairs of small tables; three classifiers of its guides.

    ECM, k-means, and agreement on more than half of the columns, of all columns and of those with many values;
    connected, and for two lists one to one.
    """
    import recordlinkage as rl

    two = "source" in table.columns
    table = table.set_index("id")
    columns = [c for c in table.columns if c != "source"]
    for column in columns:
        table[column] = cleaned(table[column]).replace("", None)
    lists = lists_of(table)
    pairs = len(lists[0]) * len(lists[-1]) / (1 if two else 2)
    several = {c: table[c].nunique() / len(table) for c in columns}
    index = rl.Index()
    if pairs <= 2e6:
        index.full()
    else:
        for column, share in several.items():
            if share > 0.1:
                index.sortedneighbourhood(column, window=9)
    links = index.index(*lists)
    compare = rl.Compare()
    for column, share in several.items():
        if share < 0.01 or table[column].dropna().str.len().mean() <= 4:
            compare.exact(column, column, label=column)
        else:
            compare.string(column, column, method="jarowinkler", threshold=0.85, label=column)
    agree = compare.compute(links, *lists)
    telling = [column for column, share in several.items() if share > 0.1]
    known = {"": agree, "telling columns, ": agree[telling]}
    classifiers: dict[str, Callable[[Any], Any]] = {
        "ECM": lambda agree: rl.ECMClassifier().fit_predict(agree),
        "k-means": lambda agree: rl.KMeansClassifier().fit_predict(agree),
        "most agree": lambda agree: agree[agree.sum(axis=1) > agree.shape[1] / 2].index,
    }

    def connected(agree: Any, classify: Callable[[Any], Any]) -> dict[str, str]:
        return joined(classify(agree))

    def one_to_one(agree: Any, classify: Callable[[Any], Any]) -> dict[str, str]:
        links = classify(agree)
        best_first = links[agree.loc[links].sum(axis=1).argsort()[::-1]]
        return joined(rl.OneToOneLinking().compute(best_first) if len(links) else [])

    ways: Ways = {}
    for (which, some), (name, classify) in product(known.items(), classifiers.items()):
        ways[which + name] = partial(connected, some, classify)
        if two:
            ways[f"{which}{name}, one to one"] = partial(one_to_one, some, classify)
    return ways


# string_grouper


def string_grouper(table: Any) -> Ways:
    """Names alone, all defaults: least similarity .8; for two lists also the most similar name of the first."""
    import string_grouper as sg

    names = table["name"] if "name" in table else table["given_name"].fillna("") + " " + table["surname"].fillna("")
    names, ids = names.fillna("").str.strip(), table["id"]

    def groups() -> dict[str, str]:
        made = sg.group_similar_strings(names).iloc[:, 0]
        return {one: f"g{group}" for one, group in zip(ids, made, strict=True)}

    def nearest() -> dict[str, str]:
        first, second = [part.index for _, part in table.groupby("source", sort=True)]
        master, other = names[first].reset_index(drop=True), names[second].reset_index(drop=True)
        at = sg.match_most_similar(master, other)["most_similar_index"]
        here, there = ids[first].to_list(), ids[second].to_list()
        return joined((here[int(i)], two) for i, two in zip(at, there, strict=True) if i == i)

    return {"groups": groups} | ({"most similar": nearest} if "source" in table else {})


# goldenmatch


def goldenmatch(table: Any) -> Ways:
    """Its automatic configuration, without a paid model: ``dedupe_df``, or ``match_df`` for two lists."""
    import goldenmatch as gm
    import polars as pl

    lists = [pl.from_pandas(part.drop(columns="id")) for part in lists_of(table)]
    ids = [one for part in lists_of(table) for one in part["id"]]

    def dedupe() -> dict[str, str]:
        made = gm.dedupe_df(lists[0], confidence_required=False, allow_red_config=True).clusters
        return {ids[row]: f"g{n}" for n, group in made.items() for row in group["members"]}

    def match() -> dict[str, str]:
        matched = gm.match_df(*lists, confidence_required=False, allow_red_config=True).matched
        rows = matched.to_pydict() if matched is not None else {"__target_row_id__": [], "__ref_row_id__": []}
        ends = zip(rows["__target_row_id__"], rows["__ref_row_id__"], strict=True)
        return joined((ids[one], ids[two]) for one, two in ends)

    return {"automatic": dedupe if len(lists) == 1 else match}


TOOLS: dict[str, Callable[[Any], Ways]] = {
    "splink": splink,
    "recordlinkage": recordlinkage,
    "string_grouper": string_grouper,
    "goldenmatch": goldenmatch,
}

if __name__ == "__main__":
    os.environ |= {"GOLDENMATCH_AUTOCONFIG_MEMORY": "0", "GOLDEN_DIAGNOSTICS": "0"}
    main(sys.argv[1], Path(sys.argv[2]))
