"""What is said of a pair in plain words: one sentence for each step of each measure, step 0 first."""

from __future__ import annotations

from kgkit.resolution.features.columns import LEVELS

__all__ = ["GROUP", "PATTERNS", "RULE", "SAID", "START", "column_says"]


def _graded(unknown: str, *parts: tuple[int, str]) -> tuple[str, ...]:
    return (unknown, *(text for n, text in parts for _ in range(n)))


SAID: dict[str, tuple[str, ...]] = {
    "exact": (
        "the full names are not equal", "the names are equal but for what stands in brackets",
        "one's name is listed as another name of the other",
        "the names are equal but for spaces, titles and forms like “Ltd”", "the names are equal"),
    "jaro": _graded("spelling cannot be compared", (2, "the names are spelt differently"),
        (2, "the names begin alike"), (2, "the names are spelt almost alike"), (1, "the names are spelt alike")),
    "sorted": _graded("spelling cannot be compared", (5, "the words of the names are spelt differently"),
        (3, "the words of the names are spelt almost alike, in whatever order"),
        (1, "the words of the names are the same, in whatever order")),
    "grams": _graded("spelling cannot be compared", (2, "the names have few letters in a row in common"),
        (3, "the names have some letters in a row in common"), (3, "the names have most letters in a row in common"),
        (1, "the names have all letters in a row in common")),
    "cover": _graded("no words to compare", (2, "few words of the shorter name are in the longer one"),
        (2, "some words of the shorter name are in the longer one"),
        (2, "nearly all words of the shorter name are in the longer one"),
        (1, "every word of the shorter name is in the longer one")),
    "overlap": _graded("no words to compare", (3, "the names have few words in common"),
        (3, "the names have many words in common"), (1, "the names have nearly all words in common"),
        (1, "the names have all words in common")),
    "shared": _graded("no words in common", (2, "the words that both names have are common ones"),
        (2, "the words that both names have are not very common here"),
        (2, "the words that both names have are rare here"),
        (2, "the words that both names have are very rare here")),
    "rest_both": _graded("no words of their own", (3, "each name has a word of its own, but a common one"),
        (3, "each name has words of its own"), (2, "each name has rare words of its own")),
    "rest_one": _graded("no further words", (3, "one name has a further word, but a common one"),
        (3, "one name has further words"), (2, "one name has a further word that is rare here")),
    "numbers": (
        "no numbers in the names", "the numbers in the names are the same", "one name has a further number",
        "some numbers in the names differ", "the numbers in the names differ", "only one name has a number",
        "only the number in one name sets them apart", "all words are the same but some numbers differ",
        "all words are the same but the numbers differ"),
    "years": (
        "no years in the names", "the years in the names are the same", "only one name has a year",
        "some years in the names differ", "the years in the names differ"),
    "person": (
        "not names of persons", "both are the same single name", "one is only the other's last name",
        "one is only the other's first or middle name", "given names and surnames are the same",
        "the surname is the same and the initials fit", "the same, but one has a further name",
        "the surname and initials fit, but one has a further name",
        "first name and surname are the same, middle names differ",
        "the surname is the same, the first name differs", "the first name is the same, the surname differs",
        "given names and surnames differ", "all names are the same, but father and son may have changed places"),
    "matched": (
        "no words that are almost the same", "one uses a nickname of the other's first name",
        "one gives an initial where the other gives the name", "one gives a word in short",
        "a word differs by a letter, or by vowels alone", "a word differs by several letters"),
    "codes": (
        "no codes in the names", "only one name has a code such as X-15", "both names have the same code",
        "the codes in the names, such as X-15, differ"),
    "order": (
        "each name has words the other lacks", "all words fit, in the same order", "all words fit, in another order",
        "one name has words the other lacks"),
    "more": (
        "no further words", "the longer name has a word before", "the longer name has a word after",
        "the longer name has a word in between", "the longer name has words on both sides, or in other places",
        "the longer name is that of a part or an occasion", "each name has words the other lacks"),
    "value": ("no dates or amounts", "the date or amount is the same", "the date or amount is not the same"),
    "legal": (
        "no forms such as “Ltd”", "only one has a form such as “Ltd”", "the same form, such as “Ltd”",
        "different forms, such as “Ltd” and “Inc”"),
    "title": ("no titles", "only one has a title", "the same title", "different titles"),
    "generation": (
        "no junior or senior", "only one is called junior or senior", "both are called junior, or both senior",
        "one is called junior, the other senior"),
    "acronym": (
        "neither is short for the other", "one is the two first letters of the other's words",
        "one is the three first letters of the other's words", "one is the first letters of the other's words"),
    "bracket": (
        "nothing in brackets", "only one has words in brackets", "the words in brackets are the same",
        "the words in brackets differ"),
    "type": ("type not known", "both are of the same type", "their types are much the same", "their types differ"),
    "latin": _graded("not in two scripts", (1, "they sound different across the two scripts"),
        (2, "they sound somewhat alike across the two scripts"), (2, "they sound alike across the two scripts")),
    "described": _graded("no description", (2, "the description of one hardly names the other"),
        (3, "the description of one has some words of the other's name"),
        (2, "the description of one has the other's name")),
    "neighbours": _graded("no relations to compare", (1, "they are linked to different people and things"),
        (2, "they are linked to some of the same people and things"),
        (3, "they are linked to mostly the same people and things")),
    "together": (
        "sentences not known", "no sentence names both", "one sentence names both", "several sentences name both"),
    "related": (
        "no relation between them", "the texts say that they are the same",
        "the texts say how one is related to the other, so they are two"),
    "born": ("years of birth not known", "they were born in the same year", "they were born in different years"),
    "rank_best": _graded("nothing to compare with", (1, "nothing else fits either of them as well"),
        (1, "for each of them one other fits better"), (3, "for each of them several others fit better")),
    "rank_worst": _graded("nothing to compare with", (1, "nothing else fits either of them as well"),
        (1, "for one of them another fits better"), (3, "for one of them several others fit better")),
    "behind": _graded("nothing to compare with", (2, "no other fits clearly better"),
        (2, "another fits somewhat better"), (1, "another fits much better")),
}  # fmt: skip

_LEVEL = ("", "is the same, and few share it", "is the same", "is nearly the same", "is partly the same", "differs")
_COLUMN = dict(zip(LEVELS, _LEVEL, strict=True))
PATTERNS = "patterns in the answers so far"
RULE = "held back"
GROUP = f"{RULE}: the rest of its group does not fit"
START = "how often such pairs are one here"


def column_says(column: str, level: str) -> str:
    """Say in words how two cells of a column agree."""
    return f"{column.replace('_', ' ').removeprefix('attributes.')} {_COLUMN[level]}"
