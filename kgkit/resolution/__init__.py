"""Finding entities that are one, and applying what people decided."""

from kgkit.resolution.lookalikes import find_lookalikes

__all__ = ["find_lookalikes"]
