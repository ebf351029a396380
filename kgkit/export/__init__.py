"""Graphs and tables for other tools, and the HTML report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgkit.lazy import lazy_names

if TYPE_CHECKING:
    from kgkit.export.networks import to_igraph, to_networkx
    from kgkit.export.pyvis import PyvisGraph, to_pyvis
    from kgkit.export.report import write_report
    from kgkit.export.write import read_tables, write_tables

_HOME = {
    "PyvisGraph": "pyvis",
    "read_tables": "write",
    "to_igraph": "networks",
    "to_networkx": "networks",
    "to_pyvis": "pyvis",
    "write_report": "report",
    "write_tables": "write",
}

__all__ = ["PyvisGraph", "read_tables", "to_igraph", "to_networkx", "to_pyvis", "write_report", "write_tables"]

__getattr__ = lazy_names(__name__, _HOME)
