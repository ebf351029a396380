"""Times as documents write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

__all__ = ["parse_time"]

_PDF = re.compile(r"D?:?(\d{4})(\d\d)(\d\d)(\d\d)?(\d\d)?(\d\d)?\s*(?:(Z)|([+-])(\d\d)'?:?(\d\d)?'?)?", re.ASCII)
_TWITTER = "%a %b %d %H:%M:%S %z %Y"


def parse_time(text: str | float | None) -> datetime | None:
    """Read a time in ISO 8601, a mail's or a PDF's form, or as seconds or milliseconds since 1970.

    Returns:
        The time in UTC (times without a zone are taken as UTC); None when it is no time.

    Examples:
        >>> parse_time("2023-04-03T10:30:00+02:00").isoformat()
        '2023-04-03T08:30:00+00:00'
    """
    if text is None or isinstance(text, bool):
        return None
    if isinstance(text, (int, float)):
        return _from_epoch(float(text))
    text = text.strip()
    if re.fullmatch(r"\d{9,13}|\d{16,17}", text):
        return _from_epoch(float(text))
    for reader in (_iso, _twitter, _mail, _pdf):
        try:
            found = reader(text)
            if found is not None:
                aware = found if found.tzinfo else found.replace(tzinfo=UTC)
                return aware.astimezone(UTC)
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return None


def _iso(text: str) -> datetime | None:
    return datetime.fromisoformat(text)


def _twitter(text: str) -> datetime | None:
    return datetime.strptime(text, _TWITTER)


def _mail(text: str) -> datetime | None:
    return parsedate_to_datetime(text)


def _pdf(text: str) -> datetime | None:
    match = _PDF.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    zone: timezone = UTC
    if match[8]:
        offset = timedelta(hours=int(match[9]), minutes=int(match[10] or 0))
        zone = timezone(offset if match[8] == "+" else -offset)
    return datetime(year, month, day, hour, minute, second, tzinfo=zone)


def _from_epoch(seconds: float) -> datetime | None:
    if seconds > 1e16:  # Chromium's microseconds since 1601
        seconds = seconds / 1e6 - 11_644_473_600
    elif seconds > 1e14:
        seconds /= 1e6
    elif seconds > 1e11:
        seconds /= 1e3
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
