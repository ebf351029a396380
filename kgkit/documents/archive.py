"""Zip archives from strangers: opened in memory, measured while they inflate, and never written to disk.

Office files and e-books are zips. What can go wrong has a name each: ``mislabelled`` (not a zip at all), ``corrupt``
(a zip that cannot be opened), ``password_protected``, ``inflates`` (small bytes that become enormous). One damaged
member does not lose the others: it is an `UnreadablePart`, for the reader to work around and to report.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from kgkit.errors import KgkitError, ReadError

__all__ = ["Archive", "Limits", "UnreadablePart", "describe_bytes"]

_CHUNK = 1 << 16
_ENCRYPTED, _PATCH = 0x1, 0x20
_END, _END_LONGEST = b"PK\x05\x06", 22 + 65_535
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOOKS = (
    (b"%PDF-", "a PDF file"),
    (b"{\\rtf", "an RTF file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x1f\x8b", "a gzip file"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"<?xml", "an XML file"),
    (b"<!doctype html", "an HTML page"),
    (b"<html", "an HTML page"),
)


@dataclass(frozen=True)
class Limits:
    """What an archive may cost. Deflate cannot pass 1032 : 1; text in office files rarely passes 50 : 1."""

    members: int = 50_000
    directory_bytes: int = 6_000_000  # the table of contents, before anything is read from it
    member_bytes: int = 64_000_000
    total_bytes: int = 1_000_000_000  # sum of what is really inflated, over all reads
    ratio: int = 200
    free_bytes: int = 4_000_000  # members below this size may have any ratio


class UnreadablePart(KgkitError):
    """One member of an archive is missing or damaged; ``part`` names it and ``why`` says how."""

    def __init__(self, part: str, why: str) -> None:
        super().__init__(part, why)
        self.part = part
        self.why = why

    def __str__(self) -> str:
        return f"{self.part}: {self.why}"


class Archive:
    """A zip archive held in memory.

    Names are only names: nothing is extracted, so ``../x`` reaches nothing. They are compared with ``/`` between
    their parts and, where no exact match exists, without regard to case. Of two members with one name the last is
    read, as the archive's own directory says; `duplicates` lists them.

    Args:
        data: The whole file.
        what: How messages call the kind of file, such as ``"Word document"``.
        limits: What the archive may cost.

    Raises:
        ReadError: ``mislabelled``, ``corrupt``, ``password_protected`` or ``inflates``.

    Examples:
        >>> import io, zipfile
        >>> buffer = io.BytesIO()
        >>> with zipfile.ZipFile(buffer, "w") as made:
        ...     made.writestr("notes/a.txt", "hello")
        >>> Archive(buffer.getvalue(), "archive").read("Notes/A.txt")
        b'hello'
    """

    def __init__(self, data: bytes, what: str, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._what = what
        self._inflated = 0
        self._zip = self._open(data)
        infos = [info for info in self._zip.infolist() if not info.is_dir()]
        self._members = {_clean(info.filename): info for info in infos}
        self._folded = {name.casefold(): name for name in self._members}
        self.duplicates = tuple(
            sorted({_clean(i.filename) for i in infos if self._members[_clean(i.filename)] is not i})
        )
        self._check_declared(infos)

    def __contains__(self, name: str) -> bool:
        return self._find(name) is not None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all members, in the order of the archive's directory."""
        return tuple(self._members)

    @property
    def encrypted(self) -> bool:
        """Whether any member needs a password."""
        return any(info.flag_bits & _ENCRYPTED for info in self._members.values())

    def read(self, name: str) -> bytes:
        """Inflate one member.

        Raises:
            UnreadablePart: It is missing, damaged, or packed in a way office files do not use.
            ReadError: ``inflates`` or ``password_protected``.
        """
        return b"".join(self.stream(name, limit=self._limits.member_bytes))

    def stream(self, name: str, *, limit: int | None = None) -> Iterator[bytes]:
        """Inflate one member piece by piece, of at most ``limit`` bytes (no limit of its own when ``None``).

        Raises:
            UnreadablePart: As `read`; a wrong checksum shows only after the last piece.
            ReadError: As `read`.
        """
        info = self._find(name)
        if info is None:
            raise UnreadablePart(name, "it is missing")
        self._check_member(name, info, limit)
        try:
            with self._zip.open(info) as member:
                yield from self._pieces(name, info, member)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise UnreadablePart(name, _why(error)) from error
        except (NotImplementedError, RuntimeError, ValueError) as error:
            raise UnreadablePart(name, f"it cannot be unpacked ({error})") from error

    def _pieces(self, name: str, info: zipfile.ZipInfo, member: IO[bytes]) -> Iterator[bytes]:
        size = 0
        while piece := member.read(_CHUNK):
            size += len(piece)
            self._inflated += len(piece)
            if self._inflated > self._limits.total_bytes or self._too_dense(size, info.compress_size):
                raise ReadError("inflates", self._how(f"{name!r} grew past {size:,} bytes"))
            yield piece

    def _find(self, name: str) -> zipfile.ZipInfo | None:
        name = _clean(name)
        return self._members.get(name) or self._members.get(self._folded.get(name.casefold(), ""))

    def _check_member(self, name: str, info: zipfile.ZipInfo, limit: int | None) -> None:
        if info.flag_bits & (_ENCRYPTED | _PATCH):
            raise ReadError("password_protected", f"{name!r} inside the {self._what} is encrypted.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UnreadablePart(
                name, f"it is packed with method {info.compress_type}; only stored and deflated are read"
            )
        if self._too_dense(info.file_size, info.compress_size) or info.file_size > self._limits.total_bytes:
            raise ReadError(
                "inflates", self._how(f"{name!r} has {info.compress_size:,} bytes and declares {info.file_size:,}")
            )
        if info.compress_size > 2 * info.file_size + _CHUNK:  # packing never doubles: it holds more than it says
            words = f"{name!r} has {info.compress_size:,} bytes and declares only {info.file_size:,}"
            raise ReadError("inflates", self._how(words))
        if limit is not None and info.file_size > limit:
            raise ReadError(
                "too_large",
                f"{name!r} inside the {self._what} has {info.file_size:,} bytes; at most {limit:,} are read.",
            )

    def _check_declared(self, infos: list[zipfile.ZipInfo]) -> None:
        """Refuse what says of itself that it is a bomb, also when the bomb lies in a part that nobody would read."""
        packed, size = sum(i.compress_size for i in infos), sum(i.file_size for i in infos)
        if size > self._limits.total_bytes and size > packed * self._limits.ratio // 2:
            raise ReadError("inflates", self._how(f"its members have {packed:,} bytes and declare {size:,}"))

    def _too_dense(self, size: int, packed: int) -> bool:
        return size > self._limits.free_bytes and size > packed * self._limits.ratio

    def _how(self, words: str) -> str:
        return f"The {self._what} inflates beyond reason: {words}."

    def _open(self, data: bytes) -> zipfile.ZipFile:
        self._check_start(data)
        self._check_directory(data)
        try:
            return zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, OSError, ValueError, OverflowError, UnicodeError, NotImplementedError) as error:
            raise ReadError("corrupt", f"The {self._what} is a zip archive that cannot be opened: {error}.") from error

    def _check_start(self, data: bytes) -> None:
        if data.startswith(_OLE):
            if "EncryptedPackage".encode("utf-16-le") in data:
                raise ReadError("password_protected", f"The {self._what} is encrypted with a password.")
            raise ReadError("mislabelled", f"Not a {self._what}: it is a file of Microsoft Office 97 to 2003.")
        if data.startswith(b"PK\x03\x04") and _END not in data:
            raise ReadError("corrupt", f"The {self._what} is cut off: the zip archive has no end.")
        if _END not in data[-_END_LONGEST:]:
            reason = "corrupt" if data.startswith(b"PK") or _END in data else "mislabelled"
            raise ReadError(reason, f"Not a {self._what}, which is a zip archive: this is {describe_bytes(data)}.")

    def _check_directory(self, data: bytes) -> None:
        """Look at the directory's size before `zipfile` builds one object for each entry."""
        at = data.rfind(_END, max(0, len(data) - _END_LONGEST))
        count = int.from_bytes(data[at + 10 : at + 12], "little")
        size = int.from_bytes(data[at + 12 : at + 16], "little")
        long_end = data.rfind(b"PK\x06\x06", max(0, at - _CHUNK), at)
        if long_end >= 0:
            count = max(count, int.from_bytes(data[long_end + 32 : long_end + 40], "little"))
            size = int.from_bytes(data[long_end + 40 : long_end + 48], "little")
        if count > self._limits.members or len(data) >= size > self._limits.directory_bytes:
            raise ReadError("inflates", self._how(f"its directory names {count:,} members in {size:,} bytes"))


def describe_bytes(data: bytes) -> str:
    """Say in words what bytes look like, for the message that they are not what the name says.

    Examples:
        >>> describe_bytes(b"%PDF-1.7 ...")
        'a PDF file'
    """
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    for magic, words in _LOOKS:
        if start[: len(magic)].lower() == magic.lower():
            return words
    if not data:
        return "an empty file"
    binary = b"\0" in data[:1024]
    return f"{len(data):,} bytes of {'unknown binary data' if binary else 'plain text'}"


def _clean(name: str) -> str:
    """Bring a member's name to one form: ``/`` between parts, none before the first, no ``.`` parts."""
    name = name.replace("\\", "/").lstrip("/")
    return posixpath.normpath(name) if "./" in name or "//" in name else name


def _why(error: Exception) -> str:
    text = str(error)
    if "CRC" in text:
        return "its checksum is wrong"
    return f"it is damaged ({text})" if text else "it is damaged"
