"""Finding entities that are one, and applying what people decided."""

from kgkit.resolution.apply import Reviewed, apply_decisions
from kgkit.resolution.decisions import active, conflicts, links, merge_id
from kgkit.resolution.interop import ReadMerges, read_merges
from kgkit.resolution.interop_graphrag import read_graphrag
from kgkit.resolution.propose import Merges, propose_merges

__all__ = [
    "Merges",
    "ReadMerges",
    "Reviewed",
    "active",
    "apply_decisions",
    "conflicts",
    "links",
    "merge_id",
    "propose_merges",
    "read_graphrag",
    "read_merges",
]
