"""The public sets with gold answers that the benchmarks of resolution and tools/fit_merges.py use."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import polars as pl

ROOT = Path(__file__).resolve().parent.parent
ER = Path(os.environ.get("KGKIT_SHARED", ROOT.parent / "shared")) / "data" / "er"
SYNTH = Path(os.environ.get("KGKIT_SYNTH", Path(tempfile.gettempdir()) / "kgkit-synth"))
SETS = ("fodors_zagat", "dblp_acm", "febrl3", "abt_buy", "amazon_google", "patstat", "synth_10k", "erkgbench")
NAMED = {"amazon_google": ["title"], "dblp_acm": ["title"], "febrl3": ["given_name", "surname"]}
RENAMED = {"fodors_zagat": {"type": "cuisine"}, "erkgbench": {"context": "description"}}
DROPPED = {"patstat": ["name_clean"], "erkgbench": ["failure_class"], "ftx_siftkg": ["slug"]}
TYPES = {"febrl3": "PERSON"}  # what a person knows of such a table


@dataclass(frozen=True)
class Gold:
    """A set: its records, the true cluster of each (or labelled pairs), and the column that parts its two lists."""

    name: str
    records: pl.DataFrame
    clusters: dict[str, str]
    pairs: list[tuple[str, str, bool]] | None
    across: str | None
    share: float = 1.0


def autofj() -> list[str]:
    """Name the open sets of AutoFJ."""
    return sorted(f"autofj/{folder.name}" for folder in (ER / "autofj").iterdir())


def published(name: str) -> pl.DataFrame:
    """Read the records of a set as they are published, without columns that hold a part of the answer."""
    return _table(_folder(name) / "records.csv").drop(DROPPED.get(name, []))


def load(name: str) -> Gold:
    """Read a set, or make it."""
    folder = _folder(name)
    frame = published(name).rename({"id": "entity_id"}).rename(RENAMED.get(name, {}))
    if name in NAMED:
        joined = pl.concat_str(NAMED[name], separator=" ", ignore_nulls=True).str.strip_chars()
        frame = frame.with_columns(name=joined).drop(c for c in NAMED[name] if c != "name")
    if name in TYPES:
        frame = frame.with_columns(type=pl.lit(TYPES[name]))
    if "aliases" in frame.columns:
        frame = frame.with_columns(pl.col("aliases").str.split("; "))
    frame = frame.with_columns(pl.col("name").fill_null(""))
    clusters: dict[str, str] = {}
    if (folder / "clusters.csv").exists():
        clusters = dict(_table(folder / "clusters.csv").select("id", "cluster_id").iter_rows())
    labelled = None
    if not clusters:
        rows = _table(folder / "pairs.csv").select("id1", "id2", "match").iter_rows()
        labelled = [(one, two, match == "1") for one, two, match in rows]
    across = "source" if "source" in frame.columns else None
    return Gold(name, frame, clusters, labelled, across, 0.25 if name.startswith("autofj") else 1.0)


def synthetic(name: str) -> Path:
    """Make a synthetic set where it is not there yet: ``synth_10k`` or ``synth_10000``."""
    size = int(name.removeprefix("synth_").replace("k", "000").replace("m", "000000"))
    folder = SYNTH / f"synth_{size}"
    if not (folder / "clusters.csv").exists():
        folder.mkdir(parents=True, exist_ok=True)
        made = [sys.executable, str(ER / "gen_names.py"), "--n", str(size), "--seed", "7", "--out", str(folder)]
        subprocess.run(made, check=True, stdout=sys.stderr)
    return folder


def _folder(name: str) -> Path:
    return synthetic(name) if name.startswith("synth") else ER / name


def _table(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema=False)
