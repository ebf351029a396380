"""Names as resolution sees them: folded, in words, without what says nothing about who is meant.

Folding loses more than `kgkit.text.normalise_name`, which decides what is equal: here accents, apostrophes and dots go
as well, because what is folded alike is only looked at, never joined.
"""

from __future__ import annotations

import polars as pl

__all__ = ["LEGAL_FORMS", "SMALL_WORDS", "TITLES", "folded", "latin", "words"]


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


LEGAL_FORMS = _listed(
    "ab ag aktiebolag aktiengesellschaft as asa aps bhd bv bvba co cie company corp corporation cv doo ead eood eurl "
    "fzco gesellschaft gbr gmbh inc incorporated jsc kft kg kgaa kk lda limitada limited llc llp lp ltd ltda mbh nv "
    "oao ooo oy oyj plc pllc pte pty pvt sa sab sarl sas sca scs sdn se sl slu snc spa sro srl ug zao zrt"
)
TITLES = _listed(
    "capt captain ceo cfo col dame director dott dr frau gov herr hon ing judge lt madame mlle mme mr mrs ms miss "
    "mister president prof professor rev reverend sen senator señor señora senor senora sgt sheikh sir"
)
SMALL_WORDS = _listed(
    "a al an and at city da das de del della der des di do dos du e el et for für fur in la las le les los of on the "
    "und van von y zu"
)

_PLAIN = {
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ħ": "h", "ŧ": "t",
    "ς": "σ", "ё": "е", "ى": "ي", "أ": "ا", "إ": "ا", "آ": "ا", "ة": "ه",
}  # fmt: skip


def folded(column: str | pl.Expr) -> pl.Expr:
    """Fold a text column: compatibility forms, case, accents of alphabets, apostrophes, and dots of initials.

    A part after a single comma comes first (*Hopper, Grace*). Letters and signs of every script stay.

    Examples:
        >>> names = pl.DataFrame({"name": ["Müller, J.P.", "O’Brien Ltd.", "東浜 巨"]})
        >>> names.select(folded("name")).to_series().to_list()
        ['jp muller', 'obrien ltd.', '東浜 巨']
    """
    text = pl.col(column) if isinstance(column, str) else column
    text = text.str.normalize("NFKC").str.to_lowercase().str.normalize("NFKD")
    text = text.str.replace_all(r"([\p{Latin}\p{Greek}\p{Cyrillic}])\p{Mn}+", "$1")
    text = text.str.replace_all(r"[\u064B-\u065F\u0670\u0591-\u05C7\u0640]", "")  # Arabic and Hebrew vowel marks
    text = text.str.normalize("NFC").str.replace_many(_PLAIN)
    text = text.str.replace_all(r"['’‘ʼ`´]", "")
    text = text.str.replace_all(r"\b(\p{L})\.(\p{L})\b\.?", "$1$2")
    return text.str.replace(r"^([^,]+), ?([^,]+)$", "$2 $1").str.strip_chars()


def words(column: str) -> pl.Expr:
    """List the words of a folded column: runs of letters, marks and digits."""
    return pl.col(column).str.extract_all(r"[\p{L}\p{M}\p{N}]+")


def latin(texts: pl.Series) -> pl.Series:
    """Write folded names of other scripts in Latin letters; null for names that are in them already.

    The table is that of the library anyascii.

    Examples:
        >>> latin(pl.Series(["grace hopper", "владимир путин"])).to_list()
        [None, 'vladimir putin']
    """
    from anyascii import anyascii

    other = texts.str.contains(r"[^\x00-\x7F]").fill_null(value=False)
    foreign = texts.filter(other).unique()
    written = [anyascii(text).lower().replace("'", "") for text in foreign.to_list()]
    return texts.replace_strict(foreign, pl.Series(written, dtype=pl.String), default=None, return_dtype=pl.String)
