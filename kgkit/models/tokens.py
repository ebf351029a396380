"""How many tokens a request may take, without any model's tokenizer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kgkit.models.chat import Ask

__all__ = ["Size", "size_of"]

_PER_MESSAGE = 8
_PER_IMAGE = 1_700
_MOST_CHARS = 12  # a token of ordinary text never stands for more


class Size(NamedTuple):
    """What a request sends: characters of ASCII and others, of the schema, messages, images."""

    plain: int
    other: int
    schema: int
    messages: int
    images: int

    @property
    def most(self) -> int:
        """Tokens that the prompt cannot exceed: a token is a byte at least. Images count as large ones do."""
        text = self.plain + 4 * self.other + 2 * self.schema
        return text + _PER_MESSAGE * self.messages + _PER_IMAGE * self.images

    @property
    def usual(self) -> tuple[int, int]:
        """Tokens that the prompt likely takes, as a range."""
        low = self.plain // 5 + self.other // 2 + 3 * self.messages + 80 * self.images
        high = (self.plain + self.schema) // 3 + 2 * self.other + _PER_MESSAGE * self.messages
        return low, high + _PER_IMAGE * self.images

    @property
    def fewest(self) -> int:
        """Tokens that the prompt takes at least: an endpoint that counted fewer did not read all of it."""
        return (self.plain + self.other) // _MOST_CHARS


def size_of(ask: Ask, schema_text: str = "") -> Size:
    """Measure what a request sends; ``schema_text`` is its schema as JSON."""
    plain = other = images = 0
    for message in ask.messages:
        content = message.get("content")
        for part in content if isinstance(content, (list, tuple)) else ({"text": content},):
            if not isinstance(part, Mapping) or part.get("type", "text") != "text":
                images += 1
                continue
            text = str(part.get("text") or "")
            ascii_ = len(text) if text.isascii() else sum(c < "\x80" for c in text)
            plain, other = plain + ascii_, other + len(text) - ascii_
    return Size(plain, other, len(schema_text), len(ask.messages), images)
