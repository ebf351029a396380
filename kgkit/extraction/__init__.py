"""Finding mentions and statements in chunks."""

from __future__ import annotations

from kgkit.extraction.model import extraction_requests
from kgkit.extraction.run import Extraction, extract
from kgkit.extraction.schema import Schema
from kgkit.extraction.schema_discover import DiscoveredSchema, discover_schema

__all__ = ["DiscoveredSchema", "Extraction", "Schema", "discover_schema", "extract", "extraction_requests"]
