"""Every text is decoded as it was written, or its reader says what it could not decode."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgkit.documents.encoding import decode
from kgkit.errors import ReadError

SENTENCES = {
    "fr": ("L'été dernier, nous avons visité les châteaux de la Loire ; ça coûtait très cher.", "cp1252 latin-1 cp850"),
    "de": ("Der Körnerhof liefert Müsli an das Café. Große Straße, schöne Grüße!", "cp1252 latin-1 mac_roman"),
    "pt": ("O João não tem razão: são muitas as questões de educação na região.", "cp1252 latin-1"),
    "pt short": ("tão", "latin-1"),
    "es": ("El niño comió una piña. ¿Cuándo llegó el camión? Mañana, señor.", "cp1252 latin-1"),
    "it": ("La città è più bella di così; perché non verrà?", "latin-1"),
    "sv": ("Där är en sjö på ön, sade hon. Åsa går på gatan.", "latin-1"),
    "pl": ("Zażółć gęślą jaźń. Książka została napisana przez żonę księcia w Łodzi.", "cp1250 iso8859_2"),
    "cs": ("Příliš žluťoučký kůň úpěl ďábelské ódy. Kniha byla napsána v Praze.", "cp1250 iso8859_2"),
    "hu": ("Árvíztűrő tükörfúrógép. A könyvet Budapesten írták, és nagyon jó volt.", "cp1250 iso8859_2"),
    "tr": ("Kitap İstanbul'da yazıldı ve çok güzel bir şey olduğu söyleniyor. Işık görünüyor.", "cp1254"),
    "ru": ("В гимназии он не был в числе первых учеников.", "cp1251 koi8_r iso8859_5 cp866"),
    "ru capitals": ("ПОСТАНОВЛЕНИЕ ПРАВИТЕЛЬСТВА", "cp1251 koi8_r"),
    "uk": ("Ця книга була написана в Києві, і вона дуже цікава для дітей. Її читають.", "cp1251 koi8_u"),
    "el": ("Με ομιλία της στο κέντρο της Αθήνας ολοκληρώθηκε η εκδήλωση. Ά!", "iso8859_7 cp1253"),
    "he": ("סלבה היקר שלום, הספר נכתב בירושלים והוא טוב מאוד.", "cp1255 iso8859_8"),
    "ar": ("كتب هذا الكتاب في القاهرة وهو جيد جدا للأطفال.", "cp1256 iso8859_6"),
    "th": ("หนังสือเล่มนี้เขียนในกรุงเทพและดีมาก", "cp874"),
    "ja": (
        "これは日本語の文章です。プロジェクトの概要を説明します。",
        "shift_jis euc_jp iso2022_jp utf-16-le utf-16-be",
    ),
    "ja kanji": ("東京都千代田区霞が関一丁目", "shift_jis euc_jp"),
    "zh": ("这本书是在北京写的，对孩子们来说非常好。中华人民共和国的经济发展很快。", "gb18030 gb2312"),
    "zh Hant": ("這本書是在臺北寫的，對孩子們來說非常好。經濟發展很快。", "big5"),
    "ko": ("이 책은 서울에서 쓰였고 아이들에게 매우 좋습니다.", "euc_kr"),
    "en signs": ("not bad for a £2 bet, nor for £825", "cp1252"),
    "en typed": ("It’s “fine” – she said…", "cp1252"),
    "ko 7 bit": ("이 책은 서울에서 쓰였고", "iso2022_kr"),
    "en": ("Hamburgers are delicious, and so is tea.", "utf-16-le utf-16-be utf-32-le utf-32-be ascii"),
}
PAIRS = [(language, codec) for language, (_, codecs) in SENTENCES.items() for codec in codecs.split()]


@pytest.mark.parametrize(("language", "codec"), PAIRS, ids=[f"{n} {c}" for n, c in PAIRS])
def test_undeclared_encodings_are_told_apart(language: str, codec: str) -> None:
    text = SENTENCES[language][0]
    found = decode(text.encode(codec))
    assert found.text == text
    assert found.by in ("detected", "utf-8")
    assert found.notes == ()


@pytest.mark.parametrize("language", ["fr", "ru", "el", "ja", "zh", "ko", "he"])
def test_a_long_ascii_part_hides_nothing(language: str) -> None:
    text, codecs = SENTENCES[language]
    whole = "plain words " * 9_000 + text
    assert decode(whole.encode("utf-8")).text == whole
    assert decode(whole.encode(codecs.split()[0])).text == whole


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_win(codec: str) -> None:
    found = decode("Łyna and Zoë".encode(codec), declared="iso-8859-1")
    assert (found.text, found.by) == ("Łyna and Zoë", "bom")


@settings(max_examples=50, deadline=None)
@given(st.text(min_size=1).filter(lambda t: "\x00" not in t and "\x1b" not in t and "\ufeff" not in t))
def test_utf8_comes_back_as_it_was_or_is_called_binary(text: str) -> None:
    try:
        assert decode(text.encode("utf-8")).text == text
    except ReadError as error:
        assert error.reason == "binary"


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=400), st.sampled_from([None, "utf-8", "cp1252", "shift_jis", "utf-16", "no-such"]))
def test_any_bytes_are_text_without_nuls_or_binary(data: bytes, declared: str | None) -> None:
    try:
        found = decode(data, declared=declared)
    except ReadError as error:
        assert error.reason == "binary"
    else:
        assert "\x00" not in found.text
        new = found.text.count("\ufffd")
        assert not new or b"\xef\xbf\xbd" in data or b"\xfd\xff" in data or b"\xff\xfd" in data or found.notes


@pytest.mark.parametrize("label", ["shift_jis", "Shift_JIS", "x-sjis", "windows-31j"])
def test_labels_as_files_write_them(label: str) -> None:
    found = decode("プロジェクト①".encode("cp932"), declared=label)
    assert (found.text, found.by) == ("プロジェクト①", "declared")


def test_latin1_in_practice_is_windows() -> None:
    assert decode(b"\x93quoted\x94 \x80", declared="iso-8859-1").text == "“quoted” €"


def test_a_wrong_declaration_loses_and_is_noted() -> None:
    found = decode("für Müsli".encode(), declared="iso-8859-1")
    assert (found.text, found.encoding) == ("für Müsli", "utf-8")
    assert found.notes[0].startswith("wrong_charset: the file is declared as 'iso-8859-1'")


def test_undecodable_bytes_are_counted_and_placed() -> None:
    found = decode("äöü ß é à".encode() + b" \xff end")
    assert found.text == "äöü ß é à \ufffd end"
    assert found.notes == ("undecodable_bytes: 1 byte is not utf-8, the first at 16",)


def test_cut_utf16_keeps_the_rest() -> None:
    found = decode("Łyna and more".encode("utf-16") + b"x")
    assert found.text == "Łyna and more"
    assert "undecodable_bytes: 1 byte" in found.notes[0]


@pytest.mark.parametrize("data", [bytes(range(256)) * 20, b"\x00\x01\x02\x03" * 500, b"\x7fELF\x01\x02\x03" * 50])
def test_binary_is_no_text(data: bytes) -> None:
    with pytest.raises(ReadError, match="binary"):
        decode(data)


def test_stray_nuls_become_blanks_with_a_note() -> None:
    found = decode(b"line one\n" * 500 + b"a\x00b")
    assert found.text.endswith("a b")
    assert "nul_characters: 1" in found.notes[0]


@pytest.mark.parametrize(("codec", "declared"), [("hz", None), ("utf-7", "UTF-7"), ("utf-7", "unicode-1-1-utf-7")])
def test_codes_of_other_scripts_in_ascii_are_undone(codec: str, declared: str | None) -> None:
    text = "我们今天在北京开会 - 7 + 1"
    found = decode(text.encode(codec), declared=declared)
    assert (found.text, found.encoding, found.notes) == (text, codec, ())


@pytest.mark.parametrize("text", ["a ~{ b ~} c", "+AOk-", "~{x~}"])
def test_signs_that_only_look_like_such_a_code_stay(text: str) -> None:
    assert decode(text.encode()).text == text
