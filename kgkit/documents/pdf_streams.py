"""A look at a PDF's compressed streams before a library inflates them, so that a small file cannot fill the memory."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator

from kgkit.errors import ReadError

__all__ = ["check_streams"]

MAX_INFLATED = 64_000_000
MAX_RATIO = 200
_HIGHEST_RATIO = 1032  # of what deflate can do
_BEGIN = re.compile(rb"stream\r?\n")
_FLATE = re.compile(rb"/Fl(?:ateDecode)?(?![A-Za-z])")
_IMAGE = re.compile(rb"/Subtype\s*/Image\b")  # no library decodes pictures to find text
_DICTIONARY = 4_000
_PIECE = 1_000_000
_FIRST = 16_384  # read this much at a time: what is no deflated data shows it at once


def check_streams(data: bytes) -> None:
    """Refuse a PDF one of whose streams inflates to more than 64 MB and 200 times its size.

    Only streams that could do so are inflated, piece by piece, and nothing is kept.

    Raises:
        ReadError: ``inflates``.
    """
    last = data.rfind(b"endstream")
    for match in _BEGIN.finditer(data):
        start = match.end()
        opened = data.rfind(b"obj", max(0, match.start() - _DICTIONARY), match.start())
        about = data[max(opened, match.start() - _DICTIONARY, 0) : match.start()]
        times = min(len(_FLATE.findall(about)), 4)
        if not times or _IMAGE.search(about):
            continue
        end = data.find(b"endstream", start) if start <= last else len(data)
        if (end - start) * _HIGHEST_RATIO**times > MAX_INFLATED:
            _check(memoryview(data)[start:end], times)


def _check(stream: memoryview, times: int) -> None:
    pieces: Iterable[bytes] = (bytes(stream[at : at + _FIRST]) for at in range(0, len(stream), _FIRST))
    for _ in range(times):
        pieces = _inflate(pieces)
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > max(MAX_INFLATED, MAX_RATIO * len(stream)):
            raise ReadError(
                "inflates",
                f"The PDF inflates beyond reason: a stream of {len(stream):,} bytes holds more than {size:,}.",
            )


def _inflate(pieces: Iterable[bytes]) -> Iterator[bytes]:
    inflater = zlib.decompressobj()
    try:
        for piece in pieces:
            rest = piece
            while rest and not inflater.eof:
                yield inflater.decompress(rest, _PIECE)
                rest = inflater.unconsumed_tail
    except zlib.error:
        return  # damaged or encrypted: what a library makes of it is its own matter
