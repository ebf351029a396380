"""Mails of all kinds: decoded, complete, and honest about what was not read."""

from __future__ import annotations

import base64
from email.message import EmailMessage

import pytest
from made_files import msg

from kgkit.documents.onefile import parse
from kgkit.documents.outlook_rtf import decompress
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.errors import ReadError

HEAD = b"From: =?utf-8?b?Wm/DqyBMYXJr?= <zoe@x.example>\r\nTo: odd@x.example\r\nSubject: =?iso-8859-1?q?T=EFde?=\r\n"


def read(data: bytes, name: str = "a.eml") -> Parsed:
    [parsed] = parse(data, name, ReadOptions())
    return parsed


def test_headers_are_decoded_and_come_first() -> None:
    mail = read(HEAD + b"Date: Mon, 3 Apr 2023 10:30:00 +0200\r\n\r\nHello quay.\r\nBye.\r\n")
    assert mail.text == (
        "From: Zoë Lark <zoe@x.example>\nTo: odd@x.example\nDate: Mon, 3 Apr 2023 10:30:00 +0200\nSubject: Tïde"
        "\n\nHello quay.\nBye."
    )
    assert mail.title == "Tïde"
    assert mail.modified_at is not None
    assert mail.modified_at.isoformat() == "2023-04-03T08:30:00+00:00"


@pytest.mark.parametrize(
    ("header", "body", "words"),
    [
        (b"text/plain; charset=koi8-r", "Привет, мир".encode("koi8_r"), "Привет, мир"),
        (b"text/plain; charset=windows-1252", b"\x93quoted\x94", "“quoted”"),
        (b"text/plain; charset=no-such-thing", "für Müsli und Körner".encode("cp1252"), "für Müsli und Körner"),
        (b"text/plain", "für Müsli".encode(), "für Müsli"),
        (b"text/plain; charset=us-ascii", "schöne Grüße".encode("cp1252"), "schöne Grüße"),
        (b"text/html; charset=utf-8", b"<p>One</p><p>Two <b>bold</b></p>", "One\n\nTwo bold"),
    ],
    ids=["koi8", "cp1252", "unknown label", "no label", "wrong label", "html"],
)
@pytest.mark.parametrize("packed", [False, True], ids=["raw", "base64"])
def test_bodies_are_decoded(header: bytes, body: bytes, words: str, packed: bool) -> None:
    extra = b"Content-Transfer-Encoding: base64\r\n" if packed else b""
    body = base64.b64encode(body) if packed else body
    assert read(HEAD + b"Content-Type: " + header + b"\r\n" + extra + b"\r\n" + body).text.endswith(words)


def made(**parts: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "m@x.example", "s"
    mail.set_content(parts.get("plain", "Plain body."))
    if "html" in parts:
        mail.add_alternative(parts["html"], subtype="html")
    return mail


def test_plain_wins_over_html_unless_it_only_points_there() -> None:
    assert "Plain body." in read(made(html="<p>Rich body.").as_bytes()).text
    long = "<p>" + "The whole long text of the mail. " * 20
    assert "whole long text" in read(made(plain="Use HTML", html=long).as_bytes()).text


def test_other_parts_of_the_body_are_kept() -> None:
    data = (
        HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nOne.\r\n"
        b"--b\r\nContent-Type: text/html\r\n\r\n<p>Two.\r\n--b--\r\n"
    )
    assert read(data).text.endswith("One.\n\nTwo.")


def test_attachments_are_named_and_texts_read() -> None:
    mail = made()
    mail.add_attachment("Ünder the quay.", filename="nöte.txt")
    mail.add_attachment(b"\x00\x01", maintype="image", subtype="png", filename="pic.png")
    found = read(mail.as_bytes())
    assert "Attachments: nöte.txt; pic.png" in found.text
    [section] = found.sections
    assert (section.kind, section.label) == ("attachment", "nöte.txt")
    assert found.text[section.start : section.end] == "Ünder the quay."
    assert found.notes == ("attachment_unread: pic.png (image/png, 2 bytes); save it beside the mail to read it",)


def test_forwarded_mails_are_read() -> None:
    mail = made()
    inner = EmailMessage()
    inner["Subject"], inner["From"] = "Inner", "odd@x.example"
    inner.set_content("Inner words.")
    mail.add_attachment(inner)
    found = read(mail.as_bytes())
    assert found.sections[0].label == "Inner"
    assert "Subject: Inner\n\nInner words." in found.text
    assert found.text.index("Plain body.") < found.text.index("Inner words.")


def test_page_saved_by_a_browser() -> None:
    data = (
        b"From: <Saved>\r\nSubject: Page\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n"
        b"--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        b"<p>Caf=C3=A9\r\n--b--\r\n"
    )
    assert read(data, "a.mhtml").text.endswith("Café")


def test_no_mail_is_mislabelled() -> None:
    with pytest.raises(ReadError, match="mislabelled"):
        read(b"just some words without any header")


def test_outlook_mail_reads_like_any_other() -> None:
    headers = "From: Mira Solen <m@x.example>\r\nDate: Mon, 3 Apr 2023 10:30:00 +0200\r\n\r\n"
    mail = read(msg(subject="Tïde", body="The quay.\r\nBye", sender="x", headers=headers), "a.msg")
    assert mail.text.startswith("From: Mira Solen <m@x.example>\nDate: ")
    assert mail.text.endswith("Subject: Tïde\n\nThe quay.\nBye")
    assert mail.title == "Tïde"


def test_compressed_rich_text_unpacks() -> None:
    # The worked example of the published description of the format.
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )
    assert decompress(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    with pytest.raises(ValueError, match="unknown form"):
        decompress(b"\x00" * 20)
