"""Compressed rich text, the form in which some Outlook mails keep their only body (as Microsoft's MS-OXRTFCP says)."""

from __future__ import annotations

import struct

__all__ = ["decompress"]

_PRESET = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_COMPRESSED = b"LZFu"
_STORED = b"MELA"
_WINDOW = 4096
_LIMIT = 50_000_000


def decompress(data: bytes) -> bytes:
    """Unpack compressed rich text.

    Raises:
        ValueError: It is not in that form, or unpacks to more than 50 MB.
    """
    if len(data) < 16:
        msg = "compressed rich text is too short"
        raise ValueError(msg)
    size = struct.unpack_from("<I", data, 4)[0]
    kind = data[8:12]
    if kind == _STORED:
        return data[16 : 16 + size]
    if kind != _COMPRESSED or size > _LIMIT:
        msg = f"compressed rich text of an unknown form {kind!r} or of {size:,} bytes"
        raise ValueError(msg)
    return _unpack(data[16:], size)


def _unpack(packed: bytes, size: int) -> bytes:
    window = bytearray(_PRESET.ljust(_WINDOW, b"\x00"))
    write = len(_PRESET)
    out = bytearray()
    position = 0
    while position < len(packed) and len(out) < size:
        flags = packed[position]
        position += 1
        for bit in range(8):
            if position >= len(packed):
                break
            if flags >> bit & 1:
                token = int.from_bytes(packed[position : position + 2], "big")
                position += 2
                offset, length = token >> 4, (token & 15) + 2
                if offset == write:
                    return bytes(out[:size])
                piece = [0] * length
                for step in range(length):
                    piece[step] = window[(offset + step) % _WINDOW]
                    window[write] = piece[step]
                    write = (write + 1) % _WINDOW
                out.extend(piece)
            else:
                window[write] = packed[position]
                out.append(packed[position])
                write = (write + 1) % _WINDOW
                position += 1
    return bytes(out[:size])
