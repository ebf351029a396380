"""From bytes to text: which encoding, how it was found, and what could not be decoded.

The order: byte order mark, then UTF-8 or a seven-bit Japanese or Korean code by its own signs, then what the file or
mail declares, then UTF-16 and UTF-32 without a mark, then the most plausible of the older encodings
(`kgkit.documents.codecs_guess`). A declaration that the bytes contradict loses, with a note. Bytes that cannot be
decoded become U+FFFD and are counted in a note; bytes that are no text at all are a `ReadError`.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import NamedTuple

from kgkit.documents.codecs_guess import guess
from kgkit.errors import ReadError

__all__ = ["Decoded", "decode", "looks_binary", "normal_codec"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)
# What a label means in practice: the superset that files under that label are really written in.
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
    "shift_jisx0213": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "tis-620": "cp874",
    "iso8859-11": "cp874",
    "big5": "cp950",
}
_ODD_LABELS = {
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "x-gbk": "gb18030",
    "x-euc-jp": "euc_jp",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-8-e": "iso8859-8",
    "iso-8859-6-i": "iso8859-6",
    "unicode-1-1-utf-7": "utf-7",
    "unicode-1-1-utf-8": "utf-8",
    "utf8mb4": "utf-8",
    "x-mac-cyrillic": "mac_cyrillic",
    "x-mac-roman": "mac_roman",
    "macintosh": "mac_roman",
    "dos-874": "cp874",
    "ansi": "cp1252",
    "unicode": "utf-16",
    "x-user-defined": "cp1252",
}
_CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_ESCAPED = re.compile(rb"\x1b(\$[@B]|\$\([DC]|\([IJ]|\$\)C)")
_HZ = re.compile(rb"~\{(?:[!-w][!-~])+~\}")
_SEQUENCE = re.compile("[^\x00-\x7f\ufffd]")
_STRAY_NULS = 0.1


class Decoded(NamedTuple):
    """Text, the encoding it was in, how that was found (bom, declared, utf-8, detected), and notes."""

    text: str
    encoding: str
    by: str
    notes: tuple[str, ...] = ()

    @property
    def metadata(self) -> dict[str, str]:
        """The two entries that every decoded document has in its metadata."""
        return {"encoding": self.encoding, "encoding_by": self.by}


def decode(data: bytes, *, declared: str | None = None, where: str = "the file") -> Decoded:
    """Decode bytes that should be text.

    Args:
        data: All the bytes.
        declared: The encoding that the file or mail says it is in, if any.
        where: What is being read, for the notes.

    Raises:
        ReadError: ``binary`` when the bytes are no text in any known encoding.
    """
    found = _by_mark(data) or _by_sign(data)
    if found is None and b"\x00" in data:
        found = _wide(data)
    found = _seven_bit(data, found, declared)
    codec = normal_codec(declared) if declared else None
    if found is None:
        found = _as_declared(data, codec) or _almost_utf8(data) or _guessed(data)
    notes = list(found.notes)
    if declared and not _agrees(codec, found):
        notes.append(f"wrong_charset: {where} is declared as {declared[:40]!r} but is not; read as {found.encoding}")
    text = found.text
    if nuls := text.count("\x00"):
        text = text.replace("\x00", " ")
        notes.append(f"nul_characters: {nuls} in {where}, replaced by blanks")
    return found._replace(text=text, notes=tuple(notes))


def normal_codec(label: str) -> str | None:
    """Find Python's codec for a label as files write it; None for labels that name no text encoding."""
    label = label.strip().strip("\"'").lower()
    name = _ODD_LABELS.get(label, label)
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    if not getattr(info, "_is_text_encoding", True) or info.name in ("idna", "punycode", "raw_unicode_escape"):
        return None
    return _MEANT.get(info.name, info.name)


def looks_binary(data: bytes) -> bool:
    """Tell whether bytes hold far more control characters than any text does."""
    head = data[:65_536]
    return len(_CONTROLS.findall(head)) > 0.02 * len(head) + 2


def _by_mark(data: bytes) -> Decoded | None:
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            width = 4 if "32" in name else 2 if "16" in name else 1
            whole = data[: len(data) - len(data) % width]
            return _counted(whole, codec, name, "bom", cut=len(data) - len(whole))
    return None


def _by_sign(data: bytes) -> Decoded | None:
    if b"\x00" in data:
        return None
    if _ESCAPED.search(data):
        korean = ("iso2022_kr",) if b"\x1b$)C" in data[:1024] else ()
        for codec in (*korean, "iso2022_jp_2", "iso2022_jp_3", "iso2022_jp_ext", "iso2022_kr"):
            try:
                return Decoded(data.decode(codec), codec, "detected")
            except UnicodeDecodeError:
                continue
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if looks_binary(data):
        raise ReadError("binary", "The file holds mostly control characters; it is no text.")
    return Decoded(text, "utf-8", "utf-8")


def _seven_bit(data: bytes, found: Decoded | None, declared: str | None) -> Decoded | None:
    """Undo codes that write other scripts in ASCII: HZ by its own signs, UTF-7 (in mails) where it is declared."""
    if found is None or not found.text.isascii():
        return found
    utf7 = declared is not None and normal_codec(declared) == "utf-7"
    codec, by = ("utf-7", "declared") if utf7 else ("hz", "detected")
    if not utf7 and not _HZ.search(data):
        return found
    try:
        return Decoded(data.decode(codec), codec, by)
    except UnicodeDecodeError:
        return found


def _as_declared(data: bytes, codec: str | None) -> Decoded | None:
    if codec is None or codec.startswith(("utf-16", "utf-32", "utf-8", "utf_8", "utf-7")):
        return None  # strict UTF-8 was tried; the wide ones would have had NULs
    if looks_binary(data):
        return None
    found = _counted(data, codec, codec, "declared")
    bad = found.text.count("\ufffd")
    high = sum(1 for byte in data if byte > 0x7F) if bad else 1
    return found if bad <= max(1, high // 100) else None


def _almost_utf8(data: bytes) -> Decoded | None:
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(_SEQUENCE.findall(text))
    if good >= 3 and good >= 4 * bad and not looks_binary(data):
        return _counted(data, "utf-8", "utf-8", "utf-8")
    return None


def _guessed(data: bytes) -> Decoded:
    codec, sure = guess(data)
    if looks_binary(data) and not (sure and codec.startswith("utf-16")):
        raise ReadError("binary", "The file holds mostly control characters; it is no text.")
    found = _counted(data, codec, codec, "detected")
    if sure:
        return found
    return found._replace(
        notes=(*found.notes, f"uncertain_encoding: no encoding fits well; read as {codec}, letters may be wrong")
    )


def _wide(data: bytes) -> Decoded:
    """Decode bytes with NULs and no mark: UTF-32, UTF-16, or a text with a few stray NULs."""
    for codec, width in (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2)):
        whole = data[: len(data) - len(data) % width]
        try:
            text = whole.decode(codec)
        except UnicodeDecodeError:
            continue
        if text and _plausible(text):
            cut = len(data) - len(whole)
            left = (f"undecodable_bytes: {cut} byte{'s' * (cut > 1)} at the end left over",) if cut else ()
            return Decoded(text, codec, "detected", left)
    if data.count(0) <= max(1, _STRAY_NULS * len(data)) and not looks_binary(data.replace(b"\x00", b" ")):
        inner = _by_sign(data.replace(b"\x00", b" "))
        if inner is not None:
            note = f"nul_characters: {data.count(0)} in the file, replaced by blanks"
            return inner._replace(notes=(*inner.notes, note))
    raise ReadError("binary", "The file holds NUL bytes and is no text in UTF-16 or UTF-32.")


def _plausible(text: str) -> bool:
    sample = text[:20_000]
    bad = sum(1 for c in sample if c not in "\n\r\t\f" and unicodedata.category(c) in ("Cc", "Cn", "Co", "Cs"))
    if bad > 0.01 * len(sample) + (len(sample) > 200):
        return False
    # Swapped halves of Latin letters, and numbers taken for letters, fall into blocks that no text mixes, and never
    # on a blank or line end.
    blocks = {ord(c) >> 8 for c in sample}
    return any(c in " \n\u3000。" for c in sample) or (len(blocks) <= 4 and len(sample) < 100)


def _counted(data: bytes, codec: str, name: str, by: str, *, cut: int = 0) -> Decoded:
    bad = 0
    first = -1

    def replace(error: UnicodeError) -> tuple[str, int]:
        nonlocal bad, first
        if not isinstance(error, UnicodeDecodeError):
            raise error
        bad += error.end - error.start
        first = error.start if first < 0 else first
        return "\ufffd", error.end

    codecs.register_error("kgkit.count", replace)
    text = data.decode(codec, "kgkit.count")
    bad += cut
    notes: tuple[str, ...] = ()
    if bad:
        at = first if first >= 0 else len(data)
        notes = (f"undecodable_bytes: {bad} byte{' is' if bad == 1 else 's are'} not {name}, the first at {at}",)
    return Decoded(text, name, by, notes)


def _agrees(codec: str | None, found: Decoded) -> bool:
    if found.by == "declared" or found.text.isascii():
        return True
    if codec is None:
        return False
    return codec.replace("-", "").replace("_", "")[:5] == found.encoding.replace("-", "").replace("_", "")[:5]
