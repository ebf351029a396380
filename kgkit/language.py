"""The main language of a text: by script where that decides, else by its most common little words; None when unsure."""

from __future__ import annotations

import re
from collections import Counter

__all__ = ["tell_language"]

_SAMPLE = 20_000
_WORDS = re.compile(r"[^\W\d_]+")
_COMMON = {
    "en": "the of and to in is that it was for on are as with his they at be this from have or by not but what were "
    "which their an has been who its had will would there she he you we",
    "de": "der die und den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat "
    "dass sie nach wird bei einer um am sind noch wie einem über so zum war haben nur oder ich wir",
    "fr": "le de un les et est pas que une pour dans en du ce il qui des sur la au plus par avec sont se son ne cette "
    "mais ou elle nous aux ont été leur vous je était ses",
    "es": "el de que y los se del las un por con no una su para es al lo como más la en sus le ha este pero sí fue "
    "son está entre cuando muy sin sobre también hasta donde era",
    "pt": "o de que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou são "
    "foi pelo pela até isso ela entre depois sem mesmo também já está",
    "it": "il di che e la per un in non una sono con del si da dei le al lo come più alla ha gli della delle nel "
    "anche ma è questo nella dal era suo sua i ed essere stato",
    "nl": "de van het een en in is dat op te zijn met voor niet aan er om ook als dan maar bij ze zich uit door "
    "wordt hebben heeft werd naar over was deze dit kan nog wel ik",
    "sv": "och att det som en på är av för med till den har inte om ett han men var jag från så vi kan när hon nu "
    "ska eller hade där vid också efter",
    "da": "og at det som en på er af for med til den har ikke om et han men var jeg fra så vi kan når hun nu skal "
    "eller havde der ved også efter blev",
    "no": "og at det som en på er av for med til den har ikke om et han men var jeg fra så vi kan når hun nå skal "
    "eller hadde der ved også etter ble",
    "fi": "ja on ei että se hän oli mutta kun ovat niin myös tai joka sen ole jos mitä kuin voi ollut sekä vain "
    "hänen nyt tämä ne mukaan",
    "pl": "i w na z się do nie to że jest o jak po co za od ale przez jego był czy dla są tylko jako tym być oraz "
    "która który przy było ich już",
    "cs": "a se v na je že to s z do o i ve jako za by byl ale po pro jeho které které od který nebo jsou bylo tak "
    "při již však",
    "hu": "a az és hogy nem is egy ez meg volt de van csak már mint azt ha még el vagy ki aki fel lehet",
    "ro": "și de în la cu a pe nu este că din o un mai să pentru se ce au care fost prin sau ca lui sunt după",
    "tr": "ve bir bu için ile da de çok olarak daha olan gibi kadar sonra ne var en o ama her olduğu değil ya",
    "ru": "и в не на что с он как это по но они из у за его к от для до был так же все она было только бы или мы",
    "uk": "і в не на що з він як це по але вони із у за його до від для був так та все вона було або ми є й",
    "bg": "и в не на че с той като това по но те от за му до е са се да ще или който беше има към при",
}
_CYRILLIC = ("ru", "uk", "bg")
_LISTS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _words in _LISTS.items():
    for _word in _words:
        _LANGUAGES_OF.setdefault(_word, []).append(_language)
_SCRIPTS = (
    ("ja", re.compile("[\u3041-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("el", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("ka", re.compile("[\u10a0-\u10ff]")),
    ("hy", re.compile("[\u0530-\u058f]")),
)
_PERSIAN = re.compile("[پچژگ]")


def tell_language(text: str) -> str | None:
    """Tell a text's main language.

    Args:
        text: Any text; only its beginning and middle are looked at.

    Returns:
        An ISO 639-1 code, or None where the text is too short or mixed to say.

    Examples:
        >>> tell_language("The ferry was late, and they had to wait for it on the quay.")
        'en'
    """
    sample = text if len(text) <= 2 * _SAMPLE else text[:_SAMPLE] + text[len(text) // 2 : len(text) // 2 + _SAMPLE]
    letters = sum(1 for c in sample if c.isalpha())
    if letters < 4:
        return None
    by_script = None if sample.isascii() else _by_script(sample, letters)
    return by_script or _by_words(sample)


def _by_script(sample: str, letters: int) -> str | None:
    counts = {code: len(pattern.findall(sample)) for code, pattern in _SCRIPTS}
    if counts["ja"] > 0.05 * letters and counts["ja"] + counts["zh"] > 0.4 * letters:
        return "ja"
    code = max(counts, key=lambda c: counts[c])
    if counts[code] < 0.5 * letters:
        return None
    if code == "ar" and len(_PERSIAN.findall(sample)) > 0.01 * letters:
        return None  # Persian, Urdu and others: not told apart here
    return code


def _by_words(sample: str) -> str | None:
    words = [w.lower() for w in _WORDS.findall(sample)]
    if len(words) < 5:
        return None
    counts = Counter(words)
    scores = dict.fromkeys(_LISTS, 0.0)
    for word, count in counts.items():
        for code in _LANGUAGES_OF.get(word, ()):
            scores[code] += count / len(words)
    first, second = sorted(scores, key=lambda c: (-scores[c], c))[:2]
    enough, kinds = (0.12, 3) if len(words) >= 20 else (0.2, 2)
    if scores[first] < enough or scores[first] < 1.15 * scores[second]:
        return None
    if len(_LISTS[first] & counts.keys()) < kinds:
        return None
    return first
