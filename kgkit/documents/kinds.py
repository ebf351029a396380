"""What kind of file it is: by its content first, by its name where the content leaves it open."""

from __future__ import annotations

import io
import re
from pathlib import PurePosixPath
from typing import NamedTuple

from kgkit.documents.archive import Archive, UnreadablePart
from kgkit.errors import ReadError

__all__ = ["KINDS", "Kind", "Unsupported", "suffix_of", "tell_kind"]


class Kind(NamedTuple):
    """A family of formats: the module that reads it, its media type, and the name endings it usually has."""

    name: str
    reader: str
    media_type: str
    suffixes: tuple[str, ...]
    text: bool = False


KINDS = {
    kind.name: kind
    for kind in (
        Kind("txt", "text_files", "text/plain", (".txt", ".text", ".log"), text=True),
        Kind("md", "markdown", "text/markdown", (".md", ".markdown", ".mdown", ".mkd", ".rmd", ".qmd"), text=True),
        Kind("html", "html_pages", "text/html", (".html", ".htm", ".xhtml", ".shtml"), text=True),
        Kind("xml", "xml_files", "application/xml", (".xml", ".graphml", ".gexf", ".svg", ".rss", ".atom"), text=True),
        Kind("csv", "delimited", "text/csv", (".csv", ".tsv", ".tab", ".psv"), text=True),
        Kind("json", "json_files", "application/json", (".json", ".geojson", ".jsonld"), text=True),
        Kind("jsonl", "json_files", "application/jsonl", (".jsonl", ".ndjson"), text=True),
        Kind("ipynb", "notebooks", "application/x-ipynb+json", (".ipynb",), text=True),
        Kind("eml", "mail", "message/rfc822", (".eml", ".mht", ".mhtml"), text=True),
        Kind("rtf", "rtf", "application/rtf", (".rtf",), text=True),
        Kind("pdf", "pdf", "application/pdf", (".pdf",)),
        Kind("msg", "outlook", "application/vnd.ms-outlook", (".msg",)),
        Kind("xls", "xls", "application/vnd.ms-excel", (".xls", ".xlt")),
        Kind(
            "docx",
            "docx",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            (".docx", ".docm", ".dotx", ".dotm"),
        ),
        Kind(
            "pptx",
            "pptx",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx"),
        ),
        Kind(
            "xlsx",
            "xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            (".xlsx", ".xlsm", ".xltx", ".xltm"),
        ),
        Kind(
            "odt",
            "odt",
            "application/vnd.oasis.opendocument.text",
            (".odt", ".ott", ".fodt", ".ods", ".ots", ".odp", ".otp"),
        ),
        Kind("epub", "epub", "application/epub+zip", (".epub",)),
    )
}
_BY_SUFFIX = {suffix: kind.name for kind in KINDS.values() for suffix in kind.suffixes}
_EXPORTED_AS = {"xls": ("html", "xml", "csv", "rtf"), "msg": ("eml",)}  # programs write these under that name
_OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BINARY_MARKS: tuple[tuple[bytes, str, tuple[str, ...]], ...] = (
    (b"\x89PNG\r\n", "a PNG image", (".png",)),
    (b"\xff\xd8\xff", "a JPEG image", (".jpg", ".jpeg", ".jpe")),
    (b"GIF8", "a GIF image", (".gif",)),
    (b"II*\x00", "a TIFF image", (".tif", ".tiff")),
    (b"MM\x00*", "a TIFF image", (".tif", ".tiff")),
    (b"RIFF", "a RIFF file (image, sound or film)", (".webp", ".wav", ".avi")),
    (b"\x1f\x8b", "a gzip archive; unpack it first", (".gz", ".tgz")),
    (b"BZh", "a bzip2 archive; unpack it first", (".bz2",)),
    (b"\xfd7zXZ\x00", "an xz archive; unpack it first", (".xz",)),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first", (".7z",)),
    (b"Rar!\x1a\x07", "a rar archive; unpack it first", (".rar",)),
    (b"\x28\xb5\x2f\xfd", "a zstd archive; unpack it first", (".zst",)),
    (b"\x7fELF", "a program", (".so", ".o", "")),
    (b"\xca\xfe\xba\xbe", "a program", (".class", ".dylib")),
    (b"SQLite format 3\x00", "an SQLite database; export its tables", (".db", ".sqlite", ".sqlite3")),
    (b"PAR1", "a Parquet table; read it and give the frame to read_documents", (".parquet",)),
    (b"ARROW1\x00\x00", "an Arrow table; read it and give the frame to read_documents", (".arrow", ".feather")),
    (b"ID3", "sound", (".mp3",)),
    (b"OggS", "sound", (".ogg", ".opus")),
    (b"fLaC", "sound", (".flac",)),
    (b"\x00asm", "a program", (".wasm",)),
    (b"wOFF", "a font", (".woff",)),
    (b"wOF2", "a font", (".woff2",)),
)
_TAR_AT = 257
_OPEN_FORMATS = {
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.text-template": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "odt",
    "application/vnd.oasis.opendocument.spreadsheet-template": "odt",
    "application/vnd.oasis.opendocument.presentation": "odt",
    "application/vnd.oasis.opendocument.presentation-template": "odt",
    "application/epub+zip": "epub",
}
_HTML_START = re.compile(
    rb"^\s*(?:<!--.*?-->\s*)*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.I | re.S
)
_XML_START = re.compile(rb"^\s*<\?xml\b")
_MAIL_START = re.compile(rb"^(?:From [^\n]*\r?\n)?(?:[A-Za-z][A-Za-z0-9-]{1,40}:[^\n]*\r?\n(?:[ \t][^\n]*\r?\n)*){3}")
_MAIL_FIELD = re.compile(rb"^(?:From|Subject|Message-ID|MIME-Version|Received|Return-Path):", re.I | re.M)


class Unsupported(ReadError):
    """A file of a kind that is not read: skipped, not failed."""


def suffix_of(name: str) -> str:
    """Return a file name's ending in lower case, with its dot."""
    return PurePosixPath(name.lower()).suffix


def tell_kind(data: bytes, name: str) -> tuple[Kind, tuple[str, ...]]:
    """Tell a file's kind from its bytes and name.

    Args:
        data: All the file's bytes; not empty.
        name: Its name.

    Returns:
        The kind, and a note when the name says something else.

    Raises:
        Unsupported: It is of a kind that kgkit does not read.
        ReadError: ``mislabelled``, ``binary`` or ``password_protected``.
    """
    suffix = suffix_of(name)
    named = _BY_SUFFIX.get(suffix)
    found = _by_marks(data, suffix)
    if found is None:
        return KINDS[_text_kind(data, named, suffix)], ()
    if found == named or named is None:
        return KINDS[found], ()
    if KINDS[found].text and not KINDS[named].text and found not in _EXPORTED_AS.get(named, ()):
        detail = f"The name ends in {suffix}, but the content is {KINDS[found].media_type}."
        raise ReadError("mislabelled", detail)
    if KINDS[found].text and KINDS[named].text and named not in ("txt", "csv"):
        return KINDS[named], ()
    return KINDS[found], (f"mislabelled: the name ends in {suffix}, read as {KINDS[found].media_type}, which it is",)


def _by_marks(data: bytes, suffix: str) -> str | None:
    if data.startswith(b"%PDF-") or (b"%PDF-" in data[:1024] and (suffix == ".pdf" or data[:1] in b"\x00\r\n\xef")):
        return "pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _zip_kind(data, suffix)
    if data.startswith(_OLE_MARK):
        return _ole_kind(data, suffix)
    if data.lstrip()[:5] == b"{\\rtf":
        return "rtf"
    _refuse_binary(data, suffix)
    if _BY_SUFFIX.get(suffix, "txt") in ("txt", "xls", "pdf", "docx") and _HTML_START.match(data[:4096]):
        return "html"
    if suffix == ".xls" and _XML_START.match(data[:200]):
        return "xml"
    if suffix == ".msg" and _is_mail(data):
        return "eml"
    return None


def _zip_kind(data: bytes, suffix: str) -> str:
    named = _BY_SUFFIX.get(suffix)
    try:
        found = _by_members(Archive(data, "zip archive"))
    except ReadError as error:
        if (
            error.reason == "corrupt"
            and named is not None
            and not KINDS[named].text
            and named not in ("pdf", "msg", "xls")
        ):
            return named  # its own reader says what is wrong
        raise
    if found is not None:
        return found
    if named is not None:
        raise ReadError("mislabelled", f"The name ends in {suffix}, but the content is some other zip archive.")
    raise Unsupported("unsupported_type", "A zip archive; unpack it and read the folder.")


def _by_members(archive: Archive) -> str | None:
    members = archive.names
    declared = _declared_type(archive)
    if declared in _OPEN_FORMATS:
        return _OPEN_FORMATS[declared]
    if declared.startswith("application/vnd.oasis.opendocument."):
        what = declared.rsplit(".", 1)[-1]
        raise Unsupported("unsupported_type", f"An OpenDocument {what}; save it as odt or pdf.")
    for start, kind in (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx")):
        if any(member.startswith(start) for member in members):
            return kind
    if "META-INF/container.xml" in members:
        return "epub"
    return "odt" if "content.xml" in members else None


def _declared_type(archive: Archive) -> str:
    """Read the media type that OpenDocument files and e-books carry in their first member."""
    try:
        return archive.read("mimetype")[:200].decode("ascii", "replace").strip() if "mimetype" in archive else ""
    except UnreadablePart:
        return ""


def _ole_kind(data: bytes, suffix: str) -> str:
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            streams = {"/".join(entry) for entry in ole.listdir()}
    except Exception as error:  # olefile raises many kinds for broken files
        raise ReadError("corrupt", f"An old Office container that cannot be opened: {error}") from error
    if "EncryptedPackage" in streams:
        raise ReadError("password_protected", "The file is encrypted; save a copy without a password.")
    if streams & {"Workbook", "Book"}:
        return "xls"
    if "__properties_version1.0" in streams:
        return "msg"
    old = {"WordDocument": ("Word", "docx"), "PowerPoint Document": ("PowerPoint", "pptx")}
    for stream, (program, better) in old.items():
        if stream in streams:
            detail = f"A {program} 97-2003 file; save it as {better} (LibreOffice: soffice --convert-to {better} FILE)."
            raise Unsupported("unsupported_type", detail)
    if suffix in (".xls", ".msg"):
        raise ReadError("corrupt", "An old Office container without the part that holds the content.")
    raise Unsupported("unsupported_type", "An old Office container of a kind that is not read.")


def _refuse_binary(data: bytes, suffix: str) -> None:
    for mark, what, usual in _BINARY_MARKS:
        if data.startswith(mark) and (len(mark) > 3 or b"\x00" in data[:512] or not data[:512].isascii()):
            _refuse(what, suffix, usual)
    if data[4:8] == b"ftyp":
        _refuse("a film or picture (MP4 family)", suffix, (".mp4", ".mov", ".m4a", ".heic", ".avif"))
    if data[_TAR_AT : _TAR_AT + 5] == b"ustar":
        _refuse("a tar archive; unpack it first", suffix, (".tar",))
    if data.startswith(b"MZ") and b"\x00" in data[:128]:
        _refuse("a program", suffix, (".exe", ".dll"))
    if data.startswith(b"BM") and b"\x00\x00" in data[2:20]:
        _refuse("a BMP image", suffix, (".bmp",))


def _refuse(what: str, suffix: str, usual: tuple[str, ...]) -> None:
    named = _BY_SUFFIX.get(suffix)
    if named is None or suffix in usual:
        raise Unsupported("unsupported_type", f"The content is {what}.")
    if KINDS[named].text:
        raise ReadError("binary", f"The name ends in {suffix}, but the content is {what}.")
    raise ReadError("mislabelled", f"The name ends in {suffix}, but the content is {what}.")


def _text_kind(data: bytes, named: str | None, suffix: str) -> str:
    """Find the kind of a file without marks, which is text or nothing we know."""
    if suffix in (".doc", ".ppt"):
        raise ReadError("mislabelled", f"The name ends in {suffix}, but it is no Office file.")
    if suffix == ".fodt":
        return "xml"
    if named is not None and not KINDS[named].text:
        detail = f"The name ends in {suffix}, but the content is not of that kind (it may be plain text, or damaged)."
        raise ReadError("mislabelled", detail)
    if named is not None and named != "rtf":
        return named
    if named == "rtf":
        raise ReadError("mislabelled", "The name ends in .rtf, but the content is not RTF.")
    head = data[:65_536]
    if _XML_START.match(head):
        return "xml"
    if suffix == "" and _is_mail(head):
        return "eml"
    if suffix in ("", ".js") and re.match(rb"\s*(?:[\[{]|window\.YTD)", head):
        return "json"
    return "txt"


def _is_mail(data: bytes) -> bool:
    return _MAIL_START.match(data) is not None and len(_MAIL_FIELD.findall(data[:8192])) >= 2
