"""Small files of binary formats, made by hand: a PDF, and the container of old Office files."""

from __future__ import annotations

import io
import struct

_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def pdf(
    *pages: str, title: str = "", user: str | None = None, owner: str | None = None, picture: bool = False
) -> bytes:
    """Make a PDF with one page a text; lines are separated by newlines."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for text in pages:
        shown = "".join(f"({_escape(line)}) Tj T*\n" for line in text.split("\n"))
        stream = f"BT /F1 10 Tf 12 TL 40 760 Td\n{shown}ET" + ("\n/Im1 Do" if picture else "")
        number = len(objects) + 1
        kids.append(f"{number} 0 R")
        images = "/XObject << /Im1 << >> >>" if not picture else f"/XObject << /Im1 {number + 2} 0 R >>"
        font = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {number + 1} 0 R "
            f"/Resources << {font} {images} >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        if picture:
            objects.append(
                "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 "
                "/Length 1 >>\nstream\nA\nendstream"
            )
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    objects.append(f"<< /Title ({_escape(title)}) /ModDate (D:20240203040506+01'00') >>")
    data = _assemble(objects)
    return data if user is None and owner is None else _encrypted(data, user or "", owner)


def ole(streams: dict[str, bytes]) -> bytes:
    """Make an OLE compound file with these streams at its root; all streams must be short."""
    mini, mini_fat, entries = bytearray(), [], []
    for name, content in streams.items():
        first = len(mini) // 64 if content else _END
        count = (len(content) + 63) // 64
        mini_fat += [*range(first + 1, first + count), _END] if count else []
        mini += content.ljust(count * 64, b"\x00")
        entries.append(_entry(name, 2, first, len(content), right=len(entries) + 2))
    entries[-1] = entries[-1][:72] + struct.pack("<I", _FREE) + entries[-1][76:]
    mini_sectors = (len(mini) + 511) // 512
    table_sectors = (len(mini_fat) * 4 + 511) // 512
    root = _entry("Root Entry", 5, 1 + table_sectors, len(mini), child=1)
    directory = b"".join([root, *entries])
    directory = directory.ljust((len(directory) + 511) // 512 * 512, b"\x00")
    at = 1 + table_sectors + mini_sectors
    fat = [
        _FAT,
        *_chain(1, table_sectors),
        *_chain(1 + table_sectors, mini_sectors),
        *_chain(at, len(directory) // 512),
    ]
    body = b"".join(
        [
            b"".join(struct.pack("<I", s) for s in fat).ljust(512, b"\xff"),
            b"".join(struct.pack("<I", s) for s in mini_fat).ljust(table_sectors * 512, b"\xff"),
            bytes(mini).ljust(mini_sectors * 512, b"\x00"),
            directory,
        ]
    )
    numbers = (0x3E, 3, 0xFFFE, 9, 6, 0, 1, at, 0, 4096, 1, table_sectors, _END, 0, 0)
    head = struct.pack("<8s16xHHHHH6xIIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", *numbers)
    return head + b"\xff" * (512 - len(head)) + body


def xls(rows: list[list[str | float]], *, sheet: str = "Prices", hidden: bool = False) -> bytes:
    """Make an Excel 97 workbook of one sheet."""
    begin = struct.pack("<HHHH", 0x0809, 16, 0x0600, 0x0005) + bytes(12)
    name = sheet.encode("latin-1")
    bound = struct.pack(
        "<HHIBBBB", 0x0085, 8 + len(name), len(begin) + 12 + len(name) + 4, int(hidden), 0, len(name), 0
    )
    cells = b""
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            if isinstance(value, str):
                text = value.encode("utf-16-le")
                cells += struct.pack("<HHHHHHB", 0x0204, 9 + len(text), r, c, 0, len(value), 1) + text
            else:
                cells += struct.pack("<HHHHHd", 0x0203, 14, r, c, 0, value)
    end = struct.pack("<HH", 0x000A, 0)
    inner = struct.pack("<HHHH", 0x0809, 16, 0x0600, 0x0010) + bytes(12) + cells + end
    return ole({"Workbook": begin + bound + name + end + inner})


def msg(**texts: str) -> bytes:
    """Make an Outlook mail: subject, body, sender, headers."""
    tags = {"subject": "0037", "body": "1000", "sender": "0C1A", "headers": "007D"}
    streams = {"__properties_version1.0": bytes(32)}
    for name, text in texts.items():
        raw = text.encode("utf-16-le")
        streams[f"__substg1.0_{tags[name]}001F"] = raw
        entry = struct.pack("<HHIII", 0x001F, int(tags[name], 16), 6, len(raw) + 2, 0)
        streams["__properties_version1.0"] += entry
    return ole(streams)


def _entry(name: str, kind: int, start: int, size: int, *, right: int = _FREE, child: int = _FREE) -> bytes:
    raw = name.encode("utf-16-le") + b"\x00\x00"
    head = raw.ljust(64, b"\x00") + struct.pack("<HBBIII", len(raw), kind, 1, _FREE, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)


def _chain(start: int, count: int) -> list[int]:
    return [*range(start + 1, start + count), _END] if count else []


def _assemble(objects: list[str]) -> bytes:
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1"))
    at = out.tell()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode())
    out.write(f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\n".encode())
    out.write(f"startxref\n{at}\n%%EOF\n".encode())
    return out.getvalue()


def _encrypted(data: bytes, user: str, owner: str | None) -> bytes:
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(user, owner, algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
