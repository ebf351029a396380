"""Checking a project on disk, sound or damaged, without changing anything."""

from __future__ import annotations

from kgkit.project.doctor.check import check_project
from kgkit.project.doctor.findings import Checkup

__all__ = ["Checkup", "check_project"]
