"""Applying decisions: entities, relations and evidence derived anew from a graph and what people decided."""

from kgkit.resolution.apply.model import Reviewed
from kgkit.resolution.apply.run import apply_decisions

__all__ = ["Reviewed", "apply_decisions"]
