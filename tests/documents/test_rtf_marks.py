"""Rich text: tracked changes, hidden text, notes, comments and page headers."""

from __future__ import annotations

import pytest

from kgkit.documents.onefile import parse
from kgkit.documents.parsed import Parsed, ReadOptions


def read(body: str, **options: str) -> Parsed:
    data = rb"{\rtf1\ansi\ansicpg1252 " + body.encode("latin-1") + b"}"
    (parsed,) = parse(data, "a.rtf", ReadOptions(**options))
    return parsed


@pytest.mark.parametrize(
    ("choice", "text", "how"),
    [
        ("accepted", "The grant is 65,000 crowns.", "accepted"),
        ("original", "The grant is 90,000 crowns.", "rejected: the original text is read"),
    ],
)
def test_tracked_changes_are_decided(choice: str, text: str, how: str) -> None:
    changed = r"The grant is {\deleted\revauthdel1 90,000}{\b\revised 65,000} crowns."
    parsed = read(changed, tracked_changes=choice)
    assert parsed.text == text
    assert parsed.notes == (f"tracked_changes: 1 insertion, 1 deletion, {how}",)


def test_hidden_text_is_dropped_until_it_ends() -> None:
    parsed = read(r"a\v hid\v0 b{\v too} c \v and\plain  d")
    assert parsed.text == "ab c  d"
    assert parsed.notes == ("hidden_text_dropped: 9 characters",)


def test_notes_and_headers_follow_the_text() -> None:
    page = r"{\header Minutes\par}{\headerf Minutes\par}{\footer \chpgn 1}"
    body = page + r"Sum{\footnote \chftn  A note f\'fcr Zo\'eb} end.\b{\footer 2}\par"
    assert read(body).text == "Sum[1] end.\n\n[1]  A note für Zoë\n\nMinutes"


def test_comments_are_appended_or_dropped() -> None:
    body = r"Sum{\*\atnid Z}{\*\atnauthor Zo\'eb}\chatn{\*\annotation\chatn  Check this.} end."
    assert read(body).text == "Sum end.\n\nZoë:  Check this."
    assert read(body, comments="drop").text == "Sum end."
    assert read(body, comments="drop").notes == ("comments_dropped: 1 comment",)


def test_binary_data_and_endless_notes_do_no_harm() -> None:
    assert read(r"a\bin5 }}}}}b").text == "ab"
    assert read(r"x{\footnote " * 20_000).text.startswith("x[1]")
