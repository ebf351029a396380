"""Telling the older encodings apart by what the decoded text would look like.

Each candidate encoding comes with the languages written in it. A candidate is scored by how many of its non-ASCII
characters are letters of one of these languages, in a place where such letters stand: inside words of one script,
with capitals only where capitals belong. Equal scores go to the encoding named first, so Western European wins over
Central European (``tão`` rather than ``tăo``), and Windows' encodings over the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from typing import NamedTuple

__all__ = ["guess"]

_SAMPLE = 10_000
_HIGH = re.compile(rb"[\x80-\xff]")
_SURE = 0.55
_MARKS = "\xa0¿¡ºª´`"
_TYPOGRAPHY = "“”‘’„‚«»–—…€°§•·№©®™£"

# Letters beside ASCII of each language, the common ones; capitals are added below.
_LATIN = {
    "fr": "éèàêçùâîôûëïœæÿü",
    "de": "äöüß",
    "pt": "ãçáéíóõâêôúàü",
    "es": "áéíóúñü¿¡ºª",
    "it": "àèéìòù",
    "nordic": "åäöæøéü",
    "is": "áðéíóúýþæö",
    "nl": "ëïéèöü",
    "ca": "àçèéíïòóúü·",
    "pl": "ąćęłńóśźż",
    "cs": "áčďéěíňóřšťúůýž",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "hu": "áéíóöőúüű",
    "ro": "ăâîşţșț",
    "hr": "čćđšž",
    "tr": "çğıöşüİâ",
    "lt": "ąčęėįšųūž",
    "lv": "āčēģīķļņšūž",
    "et": "äõöüšž",
    "vi": "ăâđêôơưáàảãạéèẻẽẹíìỉĩịóòỏõọúùủũụýỳ",
}
_RUSSIAN = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё"
_UKRAINIAN = "оаинвіртеслкмдупязьбгйчхцїжюшєщфґ"
_GREEK = "αοιετσνηυρπκμλςωδγχθφβξζψάέήίόύώϊϋΐΰ"
_HEBREW = "יוהלאתמרבשנםכדפחקעטגסצךןףזץ"
_ARABIC = "اليمنورتبةعدسفهكقحجشصطخىضغذءثزأإآظئؤ،؟لآچپگی"
_THAI = "".join(chr(c) for c in range(0xE01, 0xE3B)) + "".join(chr(c) for c in range(0xE3F, 0xE5C))
_KANA = "".join(chr(c) for c in range(0x3041, 0x3097)) + "".join(chr(c) for c in range(0x30A1, 0x30FB)) + "ー、。「」・"
_HANZI = (
    "的一是不了在人有我他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用"
    "发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从知使全民意机重业工动力本长"
    "這為來個們說國時後對過發無麼經當與學進種將還見沒從機業動長開現點問頭實電體話長門間東車書見語氣風馬關會裡著樣，。、："
    "；「」！？《》（）“”‘’年月日本語文字私彼何会社用情報東京大学部分気持思言出来聞食飲歩新高安心電話前後名化政府市場経済"
)
_HANGUL = (
    "이다의에는을를가은로하고지도리사기한인서아대어자시그나있일보정게해수과라부적들스주장전제상것원와으니만중성면구조동안"
    "안공여소무우방국신학비내모유세치문미선관경요까할습계될된년월명오생심당물때물말알개화러회던았었마립트없더위며분"
)


class _Candidate(NamedTuple):
    codec: str
    alphabets: tuple[str, ...]
    weight: float  # how much to trust a full score: encodings with few rules accept nearly everything


def _latin(*languages: str) -> tuple[str, ...]:
    return tuple(_LATIN[name] for name in languages)


_WEST = _latin("fr", "de", "pt", "es", "it", "nordic", "is", "nl", "ca")
_CENTRAL = _latin("pl", "cs", "sk", "hu", "ro", "hr")
_CANDIDATES = (
    _Candidate("cp1252", _WEST, 1.0),
    _Candidate("cp932", (_KANA + _HANZI,), 1.0),
    _Candidate("euc_jp", (_KANA + _HANZI,), 1.0),
    _Candidate("gb18030", (_HANZI,), 1.0),
    _Candidate("cp950", (_HANZI,), 1.0),
    _Candidate("big5hkscs", (_HANZI,), 0.99),
    _Candidate("cp949", (_HANGUL,), 1.0),
    _Candidate("cp1251", (_RUSSIAN, _UKRAINIAN), 1.0),
    _Candidate("koi8_r", (_RUSSIAN,), 1.0),
    _Candidate("koi8_u", (_UKRAINIAN,), 1.0),
    _Candidate("iso8859_5", (_RUSSIAN, _UKRAINIAN), 0.99),
    _Candidate("cp866", (_RUSSIAN,), 0.99),
    _Candidate("mac_cyrillic", (_RUSSIAN,), 0.97),
    _Candidate("cp1253", (_GREEK,), 1.0),
    _Candidate("iso8859_7", (_GREEK,), 1.0),
    _Candidate("cp1255", (_HEBREW,), 1.0),
    _Candidate("iso8859_8", (_HEBREW,), 0.99),
    _Candidate("cp862", (_HEBREW,), 0.97),
    _Candidate("cp1256", (_ARABIC,), 1.0),
    _Candidate("iso8859_6", (_ARABIC,), 0.99),
    _Candidate("cp874", (_THAI,), 1.0),
    _Candidate("cp1250", _CENTRAL, 0.98),
    _Candidate("iso8859_2", _CENTRAL, 0.97),
    _Candidate("iso8859_15", _WEST, 0.96),
    _Candidate("cp1254", _latin("tr"), 0.97),
    _Candidate("cp1257", _latin("lt", "lv", "et"), 0.96),
    _Candidate("iso8859_16", _latin("ro"), 0.95),
    _Candidate("cp1258", _latin("vi"), 0.94),
    _Candidate("mac_roman", _WEST, 0.93),
    _Candidate("cp850", _WEST, 0.93),
    _Candidate("cp852", _CENTRAL, 0.92),
    _Candidate("cp437", _WEST, 0.90),
    _Candidate("utf-16-le", (_KANA + _HANZI, _HANGUL), 0.95),
    _Candidate("utf-16-be", (_KANA + _HANZI, _HANGUL), 0.95),
)
_MULTIBYTE = ("cp932", "euc_jp", "gb18030", "cp950", "big5hkscs", "cp949", "utf-16-le", "utf-16-be")
_STUCK = re.compile(r"(?=[^\x00-\x7fªº])[^\W\d_]\d|\d(?=[^\x00-\x7fªº])[^\W\d_]")
_INSIDE = re.compile(r"[^\W\d_](?=[“”‚„«»…€§•№©®™£][^\W\d_])")
_WORD = re.compile(r"[^\W\d_]+")


def guess(data: bytes) -> tuple[str, bool]:
    """Guess the encoding of bytes that are not UTF-8 and declare nothing.

    Returns:
        A Python codec's name, and whether the text it gives looks like text.
    """
    sample = _sample(data)
    scored = [(_score(sample, candidate), -rank, candidate.codec) for rank, candidate in enumerate(_CANDIDATES)]
    best, _, codec = max(scored)
    if best < _SURE:
        other = _second_opinion(sample)
        if other is not None:
            return other, False
        return "cp1252", False
    return codec, True


def _sample(data: bytes) -> bytes:
    """Take lines with non-ASCII bytes, cut only where no character of any encoding can be cut."""
    parts: list[bytes] = []
    size = 0
    for line in data.split(b"\n"):
        if line.isascii():
            continue
        part = _around_high(line, _SAMPLE - size)
        parts.append(part)
        size += len(part) + 1
        if size >= _SAMPLE:
            break
    return b"\n".join(parts)


def _around_high(line: bytes, room: int) -> bytes:
    if len(line) <= room:
        return line
    first = next((m.start() for m in _HIGH.finditer(line)), 0)
    start = line.rfind(b" ", 0, first) + 1
    if len(line) - start <= room:
        return line[start:]
    cut = line.rfind(b" ", start, start + room)
    return line[start : cut if cut > first else start + room]


class _Look(NamedTuple):
    """What a decoded sample looks like, counted once for all languages of an encoding."""

    high: Counter[str]
    total: int
    strange: int
    odd: int  # letters in words with capitals in the wrong place or beside digits, signs inside words
    mixed: int  # letters in words that are half ASCII
    scattered: bool  # most letters stand alone

    @classmethod
    def at(cls, text: str) -> _Look:
        high = Counter(text)
        for char in [c for c in high if c <= "\x7f"]:
            del high[char]
        strange = sum(n for c, n in high.items() if not (c.isalpha() or c in _TYPOGRAPHY or c in _MARKS))
        odd = mixed = lone = letters = 0
        for word, count in Counter(_WORD.findall(text)).items():
            inner = sum(1 for c in word if c > "\x7f")
            letters += count * inner
            lone += count * (inner == len(word) == 1)
            if inner and word[1:] != word[1:].lower() and not word.isupper():
                odd += count * inner
            elif 0 < inner < len(word):
                mixed += count * inner
        odd += len(_STUCK.findall(text)) + len(_INSIDE.findall(text))
        return cls(high, sum(high.values()), strange, odd, mixed, lone > 0.5 * letters)


def _score(sample: bytes, candidate: _Candidate) -> float:
    if candidate.codec.startswith("utf-16") and len(sample) % 2:
        return 0.0
    try:
        text = sample.decode(candidate.codec)
    except UnicodeDecodeError as error:
        if len(sample) - error.start > 3:  # else only the sample's last character is cut
            return 0.0
        text = sample[: error.start].decode(candidate.codec)
    look = _Look.at(text)
    if not look.total:
        return 0.0
    fit = _fit_wide if candidate.codec in _MULTIBYTE else _fit
    return candidate.weight * max(fit(look, alphabet) for alphabet in candidate.alphabets)


def _fit(look: _Look, alphabet: str) -> float:
    letters = _letters(alphabet)
    frequent = sum(n * _rank(alphabet, c) for c, n in look.high.items() if c in letters)
    odd = look.odd
    if alphabet[0] > "\u024f":  # no word is half Latin, half of another script, and few are one letter
        odd += look.mixed + (look.total if look.scattered else 0)
    if alphabet[0] <= "\u024f":
        frequent += 0.9 * _typed(look, letters)
    return (0.75 * _known(look, letters) + 0.25 * frequent - odd - look.strange) / look.total


def _fit_wide(look: _Look, alphabet: str) -> float:
    """East Asian text: common characters weigh fully, other ideographs and syllables somewhat, the rest nothing."""
    asian = sum(
        n
        for c, n in look.high.items()
        if "\u3000" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3" or "\uff01" <= c <= "\uff5e"
    )
    return min(1.0, 0.45 + 0.9 * _known(look, _letters(alphabet)) / look.total) * asian / look.total


def _known(look: _Look, letters: frozenset[str]) -> float:
    plain = sum(n for c, n in look.high.items() if c in letters)
    return plain + (1.0 if min(letters) <= "\u024f" else 0.8) * _typed(look, letters) + 0.3 * look.high["\xa0"]


def _typed(look: _Look, letters: frozenset[str]) -> int:
    return sum(n for c, n in look.high.items() if c in _TYPOGRAPHY and c not in letters)


@cache
def _letters(alphabet: str) -> frozenset[str]:
    return frozenset(alphabet) | frozenset(alphabet.upper())


@lru_cache(maxsize=4096)
def _rank(alphabet: str, letter: str) -> float:
    place = alphabet.find(letter.lower())
    return 0.0 if place < 0 else 1.0 - 0.6 * place / len(alphabet)


def _second_opinion(sample: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(sample[:50_000]).best()
    return None if best is None else best.encoding
