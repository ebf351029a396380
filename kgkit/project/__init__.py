"""Keeping tables, decisions and history on disk: the only state that kgkit has."""

from __future__ import annotations

from kgkit.project.archive import Archived, archive_project
from kgkit.project.decide import Decided
from kgkit.project.doctor import Checkup, check_project
from kgkit.project.project import Project
from kgkit.project.run import StageRun, is_project, run_project
from kgkit.project.unarchive import restore_archive

__all__ = [
    "Archived",
    "Checkup",
    "Decided",
    "Project",
    "StageRun",
    "archive_project",
    "check_project",
    "is_project",
    "restore_archive",
    "run_project",
]
