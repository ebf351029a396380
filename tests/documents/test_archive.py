"""The zip layer: every way to fail has its name, and nothing costs more than it should."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import bomb, damage, docx, epub, odt, pack, page, para, pptx, relations, shape, xlsx

from kgkit.documents import docx as docx_reader
from kgkit.documents import epub as epub_reader
from kgkit.documents import odt as odt_reader
from kgkit.documents import pptx as pptx_reader
from kgkit.documents import xlsx as xlsx_reader
from kgkit.documents.archive import Archive, Limits, UnreadablePart
from kgkit.documents.kinds import tell_kind
from kgkit.documents.parsed import ReadOptions
from kgkit.errors import ReadError

READERS = {
    "docx": (docx_reader, docx(para("words"))),
    "pptx": (pptx_reader, pptx(shape("words"))),
    "xlsx": (xlsx_reader, xlsx("<sheetData><row><c><v>1</v></c></row></sheetData>")),
    "odt": (odt_reader, odt("<text:p>words</text:p>")),
    "epub": (epub_reader, epub({"a.xhtml": page("<p>words</p>")})),
}


def refusal(data: bytes, kind: str = "docx") -> ReadError:
    with pytest.raises(ReadError) as raised:
        READERS[kind][0].read(data, f"file.{kind}", ReadOptions())
    return raised.value


@pytest.mark.parametrize("kind", READERS)
def test_each_way_to_be_no_such_file_has_its_reason(kind):
    sound = READERS[kind][1]
    assert refusal(b"just a few words", kind).reason == "mislabelled"
    assert "a PDF file" in refusal(b"%PDF-1.7\n%...", kind).detail
    assert refusal(sound[: len(sound) // 2], kind).reason == "corrupt"
    assert refusal(pack({"a.txt": "some other zip"}), kind).reason == "mislabelled"
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    assert refusal(ole, kind).reason == "mislabelled"
    assert refusal(ole + "EncryptedPackage".encode("utf-16-le"), kind).reason == "password_protected"


@pytest.mark.parametrize("kind", ["docx", "pptx", "xlsx"])
def test_office_files_under_each_others_names_are_mislabelled(kind):
    for other in {"docx", "pptx", "xlsx"} - {kind}:
        assert refusal(READERS[other][1], kind).reason == "mislabelled"


def test_a_bomb_is_refused_before_it_grows():
    parts = {"_rels/.rels": relations(r1="officeDocument:word/document.xml")}
    data = bomb("word/document.xml", 10, parts)
    tracemalloc.start()
    error = refusal(data)
    assert error.reason == "inflates"
    assert tracemalloc.get_traced_memory()[1] < 30_000_000
    tracemalloc.stop()


def test_a_bomb_in_a_part_nobody_reads_is_refused_too():
    files = zipfile.ZipFile(io.BytesIO(docx(para("words"))))
    parts = {name: files.read(name).decode() for name in files.namelist()}
    assert refusal(bomb("word/media/picture.bmp", 10, parts)).reason == "inflates"


def test_a_bomb_that_lies_about_its_size_is_not_believed():
    parts = {"_rels/.rels": relations(r1="officeDocument:word/document.xml")}
    assert refusal(bomb("word/document.xml", 1, parts, declared=1000)).reason == "inflates"
    assert refusal(bomb("word/document.xml", 1, parts, declared=30_000_000)).reason == "corrupt"


def test_archives_inside_of_archives_are_not_opened():
    inner = bomb("word/document.xml", 4, {})
    read = docx_reader.read(docx(para("words"), parts={"word/embeddings/a.docx": inner}), "a.docx", ReadOptions())
    assert read[0].text == "words"
    assert read[0].notes == ("embedded_file: 1 embedded file not read",)


def test_growth_is_measured_over_all_members_while_they_inflate():
    data = pack({f"{i}.txt": str(i).encode() * 40_000 for i in range(4)})
    archive = Archive(data, "archive", Limits(total_bytes=100_000, ratio=10_000))
    archive.read("0.txt")
    archive.read("1.txt")
    with pytest.raises(ReadError, match="inflates"):
        archive.read("2.txt")


def test_too_many_members_are_refused_by_the_directory():
    data = pack({f"{i}": b"" for i in range(40)})
    with pytest.raises(ReadError, match="inflates.*40 members"):
        Archive(data, "archive", Limits(members=30))


@settings(deadline=None, max_examples=50)
@given(st.sampled_from(sorted(READERS)), st.data())
def test_whatever_is_changed_in_a_file_it_is_read_or_refused_by_name(kind, data):
    with zipfile.ZipFile(io.BytesIO(READERS[kind][1])) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = data.draw(st.sampled_from(sorted(parts)))
    at = data.draw(st.integers(0, len(parts[name])))
    cut = data.draw(st.integers(0, 9))
    put = data.draw(st.sampled_from([b"", b"<", b"<w:p>", b'="-1"', b"&x;", b"\xff", b"9" * 30, b"\xc2\xb2", b"NaN"]))
    parts[name] = parts[name][:at] + put + parts[name][at + cut :]
    try:
        (parsed,) = READERS[kind][0].read(pack(parts), f"file.{kind}", ReadOptions(tracked_changes="original"))
    except ReadError as error:
        assert error.reason in {"corrupt", "mislabelled", "unsafe_xml"}
    else:
        assert all(0 <= s.start <= s.end <= len(parsed.text) for s in parsed.sections)


def test_names_are_only_names():
    archive = Archive(pack({"../../etc/x": "a", "word\\b.xml": "b", "/Word/C.xml": "c"}), "archive")
    assert archive.read("../../etc/x") == b"a"
    assert archive.read("word/b.xml") == b"b"
    assert archive.read("word/c.xml") == b"c"
    assert "word/d.xml" not in archive


def test_of_members_with_one_name_the_last_counts_and_a_note_says_so():
    buffer = io.BytesIO(docx(para("first")))
    second = zipfile.ZipFile(io.BytesIO(docx(para("second")))).read("word/document.xml")
    with zipfile.ZipFile(buffer, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("word/document.xml", second)
    read = docx_reader.read(buffer.getvalue(), "a.docx", ReadOptions())[0]
    assert read.text == "second"
    assert read.notes[0].startswith("duplicate_part: word/document.xml")


def test_a_wrong_checksum_is_an_unreadable_part_and_a_main_part_is_needed():
    data = docx(para("words"))
    with pytest.raises(UnreadablePart, match="checksum"):
        Archive(damage(data, "word/document.xml"), "archive").read("word/document.xml")
    assert refusal(damage(data, "word/document.xml")).reason == "corrupt"


def test_an_encrypted_member_needs_a_password():
    data = bytearray(docx(para("words")))
    at = 0
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        while (at := data.find(mark, at)) >= 0:
            data[at + offset] |= 1
            at += 4
        at = 0
    assert refusal(bytes(data)).reason == "password_protected"


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_other_ways_to_pack_are_not_unpacked(method):
    with pytest.raises(UnreadablePart, match="only stored and deflated"):
        Archive(pack({"a": b"x"}, method=method), "archive").read("a")


@pytest.mark.parametrize("suffix", ["docx", "epub", "zip"])
def test_telling_the_kind_inflates_nothing_it_should_not(suffix):
    with pytest.raises(ReadError, match="inflates"):
        tell_kind(bomb("mimetype", 10, {"word/document.xml": "<x/>"}), f"a.{suffix}")
    packed = pack({"mimetype": bytes(30_000_000)}, method=zipfile.ZIP_BZIP2)
    tracemalloc.start()
    with pytest.raises(ReadError):
        tell_kind(packed, f"a.{suffix}")
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


@pytest.mark.parametrize("kind", READERS)
def test_kinds_are_told_by_content(kind):
    told, notes = tell_kind(READERS[kind][1], f"a.{kind}")
    assert (told.name, notes) == (kind, ())
    assert tell_kind(READERS[kind][1], "a.zip")[0].name == kind
