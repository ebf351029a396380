"""Keeping tables, decisions and history on disk: the only state that kgkit has."""

from __future__ import annotations

from kgkit.project.decide import Decided
from kgkit.project.project import Project

__all__ = ["Decided", "Project"]
