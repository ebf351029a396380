"""Which entities belong together, by the relations between them."""

from kgkit.communities.detect import Communities, detect_communities

__all__ = ["Communities", "detect_communities"]
