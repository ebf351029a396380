"""Outlook mails (msg), by python-oxmsg, written in the same form as other mails."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

from kgkit.documents.encoding import decode
from kgkit.documents.html_pages import declared_charset, html_to_text
from kgkit.documents.kinds import suffix_of
from kgkit.documents.mail import READABLE, Attachment, MailText, decode_words, write_mail
from kgkit.documents.outlook_rtf import decompress
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.documents.rtf import rtf_to_text
from kgkit.errors import ReadError

__all__ = ["read"]

_COMPRESSED_BODY = 0x1009  # PidTagRtfCompressed
_SHOWN = ("From", "To", "Cc", "Date", "Subject")


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read an Outlook mail.

    Raises:
        ReadError: ``corrupt`` when it cannot be read.
    """
    del name, options
    notes: list[str] = []
    try:
        parsed = write_mail(_mail(data, notes), "application/vnd.ms-outlook")
    except ReadError:
        raise
    except Exception as error:  # the library raises whatever a broken property leads to
        raise ReadError("corrupt", f"The mail cannot be read: {type(error).__name__}: {error}"[:300]) from error
    return [replace(parsed, notes=tuple(notes))]


def _mail(data: bytes, notes: list[str]) -> MailText:
    from oxmsg import Message

    message = Message.load(io.BytesIO(data))
    headers = {k.title(): v for k, v in (message.message_headers or {}).items()}
    shown = {
        "From": message.sender or headers.get("From"),
        "To": headers.get("To") or "; ".join(a for r in message.recipients if (a := _address(r))),
        "Cc": headers.get("Cc"),
        "Date": message.sent_date.isoformat() if message.sent_date else headers.get("Date"),
        "Subject": message.subject or headers.get("Subject"),
    }
    lines = [(key, decode_words(str(shown[key]))) for key in _SHOWN if shown[key]]
    return MailText(lines, _body(message, notes), [_attachment(a, notes) for a in message.attachments])


def _address(recipient: Any) -> str:
    name, address = (recipient.name or "").strip(), (recipient.email_address or "").strip()
    return f"{name} <{address}>" if name and address and name != address else name or address


def _body(message: Any, notes: list[str]) -> str:
    if message.body and message.body.strip():
        return str(message.body).replace("\r\n", "\n").replace("\r", "\n")
    markup = message.html_body
    if isinstance(markup, bytes):
        markup = decode(markup, declared=declared_charset(markup)).text
    if markup:
        found = html_to_text(markup)
        notes.extend(found.notes)
        return found.text
    return _rich_body(message, notes)


def _rich_body(message: Any, notes: list[str]) -> str:
    packed = message.properties.binary_prop_value(_COMPRESSED_BODY)
    if not packed:
        return ""
    try:
        return rtf_to_text(decompress(packed))[0]
    except (ValueError, ReadError) as error:
        notes.append(f"body_unread: the mail's only body is rich text that cannot be unpacked: {error}")
        return ""


def _attachment(attachment: Any, notes: list[str]) -> Attachment:
    name = " ".join((attachment.file_name or "unnamed").split())
    kind = attachment.mime_type or "application/octet-stream"
    raw = attachment.file_bytes or b""
    text = None
    if kind.startswith("text/") or suffix_of(name) in READABLE:
        try:
            text = decode(raw, where=f"attachment {name!r}").text if raw else None
        except ReadError as error:
            notes.append(f"attachment_unread: {name}: {error.detail}")
        if text and suffix_of(name) in (".html", ".htm"):
            text = html_to_text(text).text
    else:
        notes.append(f"attachment_unread: {name} ({kind}, {len(raw):,} bytes); save it beside the mail to read it")
    return Attachment(name, kind, len(raw), text)
