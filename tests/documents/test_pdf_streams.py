"""PDFs whose streams inflate."""

from __future__ import annotations

import zlib

import pytest

from kgkit.documents.onefile import parse
from kgkit.documents.parsed import ReadOptions
from kgkit.documents.pdf_streams import check_streams
from kgkit.errors import ReadError


def stream(content: bytes, about: bytes = b"/Filter /FlateDecode") -> bytes:
    return b"%PDF-1.4\n4 0 obj\n<< " + about + b" >>\nstream\n" + content + b"\nendstream\nendobj\n"


@pytest.fixture(scope="module")
def blanks() -> bytes:
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(bytes(1_000_000)) for _ in range(70)) + packer.flush()


def test_a_stream_that_inflates_is_refused_unread(blanks: bytes) -> None:
    with pytest.raises(ReadError, match="inflates beyond reason"):
        parse(stream(blanks), "a.pdf", ReadOptions())
    twice = stream(zlib.compress(blanks, 9), b"/Filter [/FlateDecode /Fl]")
    with pytest.raises(ReadError, match="inflates beyond reason"):
        check_streams(twice)


def test_pictures_and_large_streams_pass(blanks: bytes) -> None:
    check_streams(stream(blanks, b"/Type /XObject /Subtype /Image /Filter /FlateDecode"))
    check_streams(stream(blanks, b"/Filter /DCTDecode"))
    check_streams(stream(zlib.compress(bytes(range(256)) * 2_000), b"/Filter /FlateDecode"))
    check_streams(stream(b"no deflated data at all" * 10_000))
