"""Mail (eml, and pages saved as mht): headers, the readable body, and what was attached."""

from __future__ import annotations

import email
import email.errors
import email.policy
import re
from dataclasses import replace
from email.header import decode_header
from email.message import Message
from typing import Any, NamedTuple

from kgkit.documents.dates import parse_time
from kgkit.documents.encoding import Decoded, decode, normal_codec
from kgkit.documents.html_pages import declared_charset, html_to_text
from kgkit.documents.kinds import suffix_of
from kgkit.documents.parsed import Parsed, ReadOptions, TextBuilder
from kgkit.errors import ReadError

__all__ = ["READABLE", "Attachment", "MailText", "decode_words", "read", "write_mail"]

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
READABLE = (".txt", ".md", ".markdown", ".csv", ".tsv", ".log", ".json", ".html", ".htm", ".ics", ".vcf", ".xml")
_MAX_PARTS = 1_000
_MAX_DEPTH = 20
_HEAD = re.compile(rb"^[A-Za-z][A-Za-z0-9-]{0,60}:", re.M)


class Attachment(NamedTuple):
    """Something attached: its name, and its text where it is of a kind that is text."""

    name: str
    media_type: str
    size: int
    text: str | None = None


class MailText(NamedTuple):
    """A mail in readable form, from any kind of mail file."""

    headers: list[tuple[str, str]]
    body: str
    attachments: list[Attachment]


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read a mail."""
    del name, options
    notes: list[str] = []
    by: dict[str, str] = {}
    raw = _as_bytes(data, by)
    message = email.message_from_bytes(raw, policy=email.policy.compat32)
    if not message.keys() or not _HEAD.search(raw[:4096]):
        raise ReadError("mislabelled", "The file has no mail headers.")
    reading = _Reading(notes, by)
    body = _body(message, reading)
    shown = [(key, decode_words(value)) for key in _SHOWN for value in message.get_all(key, [])]
    mail = MailText(shown, body, reading.attachments)
    parsed = write_mail(mail, "message/rfc822")
    metadata: dict[str, Any] = {**parsed.metadata, **{k: by[k] for k in ("encoding", "encoding_by") if k in by}}
    for key, header in (("message_id", "Message-ID"), ("in_reply_to", "In-Reply-To")):
        if message.get(header):
            metadata[key] = decode_words(message[header])
    return [replace(parsed, metadata=metadata, notes=tuple(notes))]


def write_mail(mail: MailText, media_type: str) -> Parsed:
    """Write a mail as text: headers as first lines, the body, the names of attachments, and their text."""
    builder = TextBuilder()
    metadata: dict[str, Any] = {}
    for key, value in mail.headers:
        builder.line(f"{key}: {value}")
        metadata.setdefault(key.lower(), value)
    builder.paragraph(mail.body)
    if mail.attachments:
        builder.paragraph("Attachments: " + "; ".join(a.name for a in mail.attachments))
        metadata["attachments"] = [
            {"name": a.name, "media_type": a.media_type, "bytes": a.size} for a in mail.attachments
        ]
    for attachment in mail.attachments:
        if attachment.text and attachment.text.strip():
            builder.add("\n\n")
            builder.begin("attachment", attachment.name)
            builder.add(attachment.text.strip("\n"))
            builder.end("attachment")
    text, sections = builder.build()
    return Parsed(
        text,
        media_type,
        title=metadata.get("subject") or None,
        modified_at=parse_time(metadata.get("date")),
        metadata=metadata,
        sections=sections,
    )


def _as_bytes(data: bytes, by: dict[str, str]) -> bytes:
    """Undo UTF-16 and the like, which some programs save whole mails in."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")) or b"\x00" in data[:200]:
        decoded = decode(data)
        by.update(encoding=decoded.encoding, encoding_by=decoded.by, whole="yes")
        return decoded.text.encode("utf-8")
    return data


class _Reading:
    """What is gathered while a mail's parts are walked through."""

    def __init__(self, notes: list[str], by: dict[str, str]) -> None:
        self.notes, self.by = notes, by
        self.attachments: list[Attachment] = []
        self.count = 0


def _body(part: Message, reading: _Reading, depth: int = 0) -> str:
    """Find the readable text of a part; what is not part of the body goes to the attachments."""
    reading.count += 1
    if reading.count > _MAX_PARTS or depth > _MAX_DEPTH:
        if reading.count == _MAX_PARTS + 1 or depth == _MAX_DEPTH + 1:
            reading.notes.append(f"parts_dropped: the mail has more than {_MAX_PARTS:,} parts, or is nested too deeply")
        return ""
    kind = part.get_content_type()
    if kind == "message/rfc822" and part.is_multipart():
        reading.attachments.append(_attached_mail(part, reading, depth))
        return ""
    if part.is_multipart():
        inner = [p for p in part.get_payload() if isinstance(p, Message)]
        if kind == "multipart/alternative":
            return _best([(_body(p, reading, depth + 1), p.get_content_type()) for p in inner])
        return "\n\n".join(text for p in inner if (text := _body(p, reading, depth + 1).strip("\n")))
    name = _file_name(part)
    if name or part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
        reading.attachments.append(_attachment(part, name or f"unnamed ({kind})", kind, reading.notes))
        return ""
    if kind == "text/html":
        found = html_to_text(_part_text(part, reading, "the HTML part").text)
        reading.notes.extend(found.notes)
        return found.text
    return _part_text(part, reading, "the plain text part").text.replace("\r\n", "\n").replace("\r", "\n")


def _best(versions: list[tuple[str, str]]) -> str:
    """Choose among versions of one text: the plain one, unless it only says that there is another."""
    plain = next((text for text, kind in versions if kind == "text/plain"), "")
    longest = max((text for text, _ in versions), key=len, default="")
    return plain if plain.strip() and len(plain) >= 0.1 * len(longest) else longest


def _attached_mail(part: Message, reading: _Reading, depth: int) -> Attachment:
    inner = part.get_payload(0)
    if not isinstance(inner, Message):
        return Attachment("attached mail", "message/rfc822", 0)
    subject = decode_words(inner.get("Subject", "")) or "attached mail"
    lines = [f"{key}: {decode_words(value)}" for key in _SHOWN for value in inner.get_all(key, [])]
    text = "\n".join(lines) + "\n\n" + _body(inner, reading, depth + 1)
    return Attachment(_file_name(part) or subject, "message/rfc822", len(text), text)


def _part_text(part: Message, reading: _Reading, where: str) -> Decoded:
    notes, by = reading.notes, reading.by
    raw = _payload(part, notes)
    charset = part.get_param("charset")
    label = charset[2] if isinstance(charset, tuple) else charset
    if label and normal_codec(label) is None and by.get("whole") is None:
        # Labels run into the next header in careless mails; a label that starts like a known one is that one.
        match = re.match(r"[\"']?([A-Za-z0-9_.:-]+)", label)
        cleaned = match.group(1) if match else ""
        notes.append(f"wrong_charset: {where} is declared as {label[:60]!r}, which is no encoding")
        label = cleaned if cleaned and normal_codec(cleaned) else None
    if by.get("whole"):
        decoded = decode(raw)
    else:
        decoded = decode(raw, declared=label or declared_charset(raw), where=where)
        by.setdefault("encoding", decoded.encoding)
        by.setdefault("encoding_by", decoded.by)
    notes.extend(n for n in decoded.notes if n not in notes)
    return decoded


def _payload(part: Message, notes: list[str]) -> bytes:
    raw = part.get_payload(decode=True)
    notes.extend(f"mail_defect: {type(d).__name__} in the part {part.get_content_type()}" for d in part.defects)
    return raw if isinstance(raw, bytes) else b""


def _attachment(part: Message, name: str, kind: str, notes: list[str]) -> Attachment:
    raw = _payload(part, notes)
    text = None
    suffix = suffix_of(name)
    if kind.startswith("text/") or suffix in READABLE:
        try:
            charset = part.get_param("charset")
            label = charset if isinstance(charset, str) and normal_codec(charset) else None
            text = decode(raw, declared=label, where=f"attachment {name!r}").text if raw else None
        except ReadError as error:
            notes.append(f"attachment_unread: {name}: {error.detail}")
        if text is not None and (kind == "text/html" or suffix in (".html", ".htm")):
            text = html_to_text(text).text
    else:
        notes.append(f"attachment_unread: {name} ({kind}, {len(raw):,} bytes); save it beside the mail to read it")
    return Attachment(name, kind, len(raw), text.replace("\r\n", "\n").replace("\r", "\n") if text else None)


def _file_name(part: Message) -> str | None:
    name = part.get_filename()
    return " ".join(decode_words(name).split()) if name else None


def decode_words(value: Any) -> str:
    """Decode a header: encoded words, also with wrong labels, and raw bytes beyond ASCII."""
    pieces = []
    try:
        parts = decode_header(value)
    except (ValueError, email.errors.HeaderParseError):  # broken encoded words: show them as they are
        parts = [(str(value), None)]
    for piece, label in parts:
        if isinstance(piece, str):
            raw = piece.encode("utf-8", "surrogateescape") if re.search("[\udc80-\udcff]", piece) else None
            pieces.append(piece if raw is None else decode(raw, where="a header").text)
        elif piece:
            known = label if label not in (None, "unknown-8bit") else None
            pieces.append(decode(piece, declared=known, where="a header").text)
    return " ".join("".join(pieces).split())
