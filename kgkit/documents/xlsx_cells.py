"""What a cell's saved value means: dates by number format, numbers without noise, escaped characters."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from kgkit.documents.xml import Element, child, children, whole_number

__all__ = ["Formats", "column_number", "format_kind", "plain_number", "serial_to_text", "unescape", "written_number"]

_DATES = frozenset({14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58})
_TIMES, _BOTH, _SPANS = frozenset({18, 19, 20, 21, 32, 33, 34, 35, 55, 56}), frozenset({22}), frozenset({45, 46, 47})
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|general', re.IGNORECASE)
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_PADDED = re.compile("0{2,}")
_COLUMNS: dict[str, int] = {}
_EXACT = re.compile(r"-?[0-9]+")


class Formats:
    """Tells for each cell style whether it shows a number as a date or time."""

    def __init__(self, numbers: dict[int, str], styles: list[int]) -> None:
        self._kinds = [format_kind(number, numbers.get(number)) for number in styles]
        self._first = self._kinds[0] if self._kinds else "number"
        self._codes = [numbers.get(number) or "" for number in styles]

    @classmethod
    def from_xml(cls, root: Element | None) -> Formats:
        """Read the styles part."""
        listed = children(child(root, "s:numFmts"), "s:numFmt")
        formats = {whole_number(f.get("numFmtId")) or 0: f.get("formatCode", "") for f in listed}
        styles = children(child(root, "s:cellXfs"), "s:xf")
        return cls(formats, [whole_number(style.get("numFmtId")) or 0 for style in styles])

    def kind(self, style: str | None) -> str:
        """Give ``number``, ``date``, ``time``, ``datetime`` or ``span`` for a cell's style number."""
        if style is None:
            return self._first
        at = whole_number(style) or 0
        return self._kinds[at] if at < len(self._kinds) else "number"

    def number(self, value: str, style: str | None) -> str:
        """Write a number by its cell's style number."""
        at = whole_number(style or "") or 0
        return written_number(value, self._codes[at] if at < len(self._codes) else "")


def format_kind(number: int, code: str | None) -> str:
    """Tell what a number format shows.

    Examples:
        >>> [format_kind(*f) for f in ((14, None), (9, None), (164, "yyyy-mm-dd hh:mm"), (165, "[h]:mm"))]
        ['date', 'number', 'datetime', 'span']
    """
    if code is None:
        kinds = ((_DATES, "date"), (_TIMES, "time"), (_BOTH, "datetime"), (_SPANS, "span"))
        return next((kind for numbers, kind in kinds if number in numbers), "number")
    bare = _LITERAL.sub("", code).lower().split(";")[0]
    if re.search(r"\[[hms]+\]", bare):
        return "span"
    bare = re.sub(r"am/pm|a/p|上午/下午", "h", bare)
    time = any(sign in bare for sign in "hs")
    date = any(sign in bare for sign in "ydge") or ("m" in bare and not time)
    if any(sign in bare for sign in "0#?") and not (time and "s" in bare):
        return "number"
    if date:
        return "datetime" if time else "date"
    return "time" if time else "number"


def serial_to_text(value: str, kind: str, *, since_1904: bool) -> str:
    """Write a saved serial number as an ISO date, a time of day, or hours, minutes and seconds.

    Examples:
        >>> serial_to_text("45292", "date", since_1904=False), serial_to_text("0.75", "time", since_1904=False)
        ('2024-01-01', '18:00:00')
    """
    try:
        days = float(value)
        seconds = round(days * 86_400)
    except (ValueError, OverflowError):
        return value
    if kind == "span":
        sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
        return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if days < 0 or (kind == "date" and 0 < days < 1):
        return plain_number(value)
    leap = 0 if days < 60 else 1  # the 1900 calendar has a 29 February that never was
    start = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 31 - leap)
    try:
        moment = start + timedelta(seconds=seconds)
    except OverflowError:
        return plain_number(value)
    clock = moment.strftime("%H:%M:%S")
    if days < 1 and not since_1904:
        return clock
    day = moment.date().isoformat()
    return day if clock == "00:00:00" and kind != "time" else f"{day} {clock}"


def plain_number(value: str) -> str:
    """Write a saved number as short as it can be read back; whole numbers keep all their digits.

    Examples:
        >>> [plain_number(v) for v in ("65000.0", "9007199254740993", "4.3499999999999996", "1E-3")]
        ['65000', '9007199254740993', '4.35', '0.001']
    """
    if _EXACT.fullmatch(value := value.strip()):
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    if number.is_integer() and abs(number) < 1e17:
        return str(int(number))
    return repr(number)


def written_number(value: str, code: str) -> str:
    """Write a saved number; a format such as ``00000`` makes it a code, which keeps its leading zeros.

    Examples:
        >>> [written_number("417.0", code) for code in ("", "00000", "0.00")]
        ['417', '00417', '417']
    """
    plain = plain_number(value)
    return plain.zfill(len(code)) if _PADDED.fullmatch(code) and plain.isdigit() else plain


def unescape(text: str) -> str:
    """Undo the file's escapes for characters that XML cannot hold; those that are no text are left out.

    Examples:
        >>> unescape("a_x000D__x0041_")
        'aA'
    """

    def character(match: re.Match[str]) -> str:
        sign = chr(int(match[1], 16))
        return "\n" if sign == "\n" else "\t" if sign == "\t" else sign if sign.isprintable() else ""

    return _ESCAPE.sub(character, text) if "_x" in text else text


def column_number(reference: str) -> int | None:
    """Give the number of a reference's column, from 1.

    Examples:
        >>> column_number("A1"), column_number("XFD7"), column_number("7")
        (1, 16384, None)
    """
    letters = reference.rstrip("0123456789")
    number = _COLUMNS.get(letters)
    if number is None:
        number = 0
        for letter in letters[:4]:
            number = number * 26 + ord(letter) - 64 if "A" <= letter <= "Z" else 1 << 20
        if number <= 16_384:
            _COLUMNS[letters] = number
    return number if 0 < number <= 16_384 else None
