"""The kinds of things that are decided on: each is one module, and the engine knows none of them by itself."""

from __future__ import annotations

from kgkit.reviewing.kinds.entities import Entities
from kgkit.reviewing.kinds.kind import Kind, add_kind, kind_of, known_kinds, says_else, subject_of
from kgkit.reviewing.kinds.merges import Merging
from kgkit.reviewing.kinds.relations import Relations

__all__ = ["Kind", "add_kind", "kind_of", "known_kinds", "says_else", "subject_of"]

for _kind in (Entities(), Relations(), Merging()):
    add_kind(_kind)
