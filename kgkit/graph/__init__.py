"""From mentions and statements to entities, relations and their evidence."""

from kgkit.graph.build import build_graph
from kgkit.graph.model import Graph

__all__ = ["Graph", "build_graph"]
