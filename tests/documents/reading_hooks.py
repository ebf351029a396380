"""Functions that misbehave, for the processes that read."""

from __future__ import annotations

import os
import time

from kgkit.documents.onefile import FileRead, read_file
from kgkit.documents.parsed import ReadOptions


def misbehave(path: bytes, name: str, options: ReadOptions) -> FileRead:
    """Do what the file's name says, or read it."""
    if name.startswith("hangs"):
        time.sleep(600)
    if name.startswith("dies"):
        os._exit(7)
    if name.startswith("eats"):
        held = []
        while True:
            held.append(bytes(200_000_000))
    if name.startswith("prints"):
        print("noise on the pipe" * 1000)
    return read_file(path, name, options)
