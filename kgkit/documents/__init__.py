"""Reading files into documents, and cutting documents into chunks.

Names are imported when they are first used: the processes that read files need none of the dataframe libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgkit.documents.chunk import chunk_documents
    from kgkit.documents.read import Documents, read_documents

_HOME = {"Documents": "read", "chunk_documents": "chunk", "read_documents": "read"}

__all__ = ["Documents", "chunk_documents", "read_documents"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'kgkit.documents' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"kgkit.documents.{_HOME[name]}"), name)
    globals()[name] = value
    return value
