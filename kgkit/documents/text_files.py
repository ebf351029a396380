"""Plain text: decoded, line ends made one kind, otherwise as it is."""

from __future__ import annotations

from kgkit.documents.encoding import Decoded, decode
from kgkit.documents.parsed import Parsed, ReadOptions

__all__ = ["decode_lines", "read"]


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read a plain text file."""
    del name, options
    decoded = decode_lines(data)
    return [Parsed(decoded.text, "text/plain", metadata=dict(decoded.metadata), notes=decoded.notes)]


def decode_lines(data: bytes, *, declared: str | None = None) -> Decoded:
    """Decode text and make all its line ends line feeds."""
    decoded = decode(data, declared=declared)
    return decoded._replace(text=decoded.text.replace("\r\n", "\n").replace("\r", "\n"))
