"""Reading files into documents, and cutting documents into chunks.

Names are imported when they are first used: the processes that read files need none of the dataframe libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgkit.lazy import lazy_names

if TYPE_CHECKING:
    from kgkit.documents.chunk import chunk_documents
    from kgkit.documents.read import Documents, read_documents

_HOME = {"Documents": "read", "chunk_documents": "chunk", "read_documents": "read"}

__all__ = ["Documents", "chunk_documents", "read_documents"]

__getattr__ = lazy_names(__name__, _HOME)
