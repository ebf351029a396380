"""How an answer ended, in the words of many providers: cut, filtered, refused, or broken off."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

__all__ = ["Ending", "ending_of", "is_filtered", "is_refusal"]

Ending = Literal["cut", "filtered", "refused", "broken", "whole"]

_ENDINGS: Mapping[Ending, re.Pattern[str]] = {
    "filtered": re.compile(
        "contentfilter|contentpolicy|safety|prohibited|blocklist|recitation|spii|sensitive|moderation|guardrail|"
        "inspection|filtered|censor"
    ),
    "cut": re.compile(
        "length|maxtoken|tokenlimit|maxoutput|contextwindow|tokensexceeded|^limit$|^incomplete$|^truncated"
    ),
    "refused": re.compile("^refus"),
    "broken": re.compile("error|abort|cancel|insufficientsystem|timeout|overload|^fail|malformed"),
}
_NO_LETTERS = re.compile(r"[\W_\d]+")
# Openings in which models decline. Only the start of a reply counts: further on, the words may be a document's.
_CANNOT = (
    r"i(?:'m| am)? (?:can(?:not|'t| not)|could not|couldn't|won't|will not|unable|not able|not going to|must decline)"
)
_TO_DO = (
    r"help|assist|comply|fulfil\w*|process|provide|do that|complete|continue|extract|discuss|answer|respond|engage|"
    r"support|share|produce|generate|create|identify|describe|with (?:that|this)"
)
_SORRY = (
    r"(?:i(?:'m| am) )?(?:very |so |truly )?sorry\b[^.!\n]{0,60}?[.,!;:]? *(?:but )?|"
    r"i apologi[sz]e\b[^.!\n]{0,60}?[.,!]? *(?:but )?|unfortunately,? |as an ai\b[^.\n]{0,40}?,? "
)
_REFUSAL = re.compile(
    rf"(?:{_SORRY})*{_CANNOT}\b[^.\n]{{0,30}}?\b(?:{_TO_DO})"
    r"|i (?:must |have to )?(?:decline|refuse) (?:to|this|that|your)"
    r"|(?:es )?tut mir leid\b.{0,30}\bnicht|(?:dabei|das) kann ich (?:leider )?nicht"
    r"|(?:je suis )?désolée?\b.{0,30}\bne (?:peux|puis)|lo siento\b.{0,30}\bno puedo|mi dispiace\b.{0,30}\bnon posso"
    r"|(?:sinto muito|desculpe)\b.{0,30}\bnão posso|很?(?:抱歉|对不起).{0,20}(?:不能|无法)"
    r"|我(?:不能|无法)(?:提供|协助|回答)|申し訳.{0,40}(?:できません|お手伝い)|죄송.{0,40}(?:없습니다|수 없)"
    r"|(?:извините|к сожалению).{0,20}не могу",
    re.IGNORECASE,
)
_FIELD = r"\"?(?:error|refusal|message|content|reason|response)\"?\s*:\s*\"?"
_LEAD = re.compile(rf"[\s\"'`{{\[(*_>#-]*(?:{_FIELD})?", re.IGNORECASE)


def ending_of(reason: str) -> Ending | None:
    """Say what a finish reason means; ``None`` when nothing was said.

    Examples:
        >>> [ending_of(word) for word in ("stop", "MAX_TOKENS", "FinishReason.SAFETY", "network_error")]
        ['whole', 'cut', 'filtered', 'broken']
    """
    word = _NO_LETTERS.sub("", reason.casefold())
    if not word or word == "null":
        return None
    word = word.removeprefix("finishreason")
    return next((ending for ending, pattern in _ENDINGS.items() if pattern.search(word)), "whole")


def is_filtered(answer: Mapping[str, Any]) -> bool:
    """Tell whether an answer, or a choice of it, says beside its text that a filter took that away."""
    feedback = answer.get("promptFeedback") or answer.get("prompt_feedback")
    if isinstance(feedback, Mapping) and (feedback.get("blockReason") or feedback.get("block_reason")):
        return True
    prompts = answer.get("prompt_filter_results")
    parts = [answer, *(p for p in (prompts if isinstance(prompts, list) else ()) if isinstance(p, Mapping))]
    results = [part.get("content_filter_results") for part in parts]
    kinds = [kind for result in results if isinstance(result, Mapping) for kind in result.values()]
    return any(isinstance(kind, Mapping) and kind.get("filtered") is True for kind in kinds)


def is_refusal(text: str) -> bool:
    """Tell whether a reply begins with words in which models decline.

    Examples:
        >>> is_refusal("I'm sorry, but I can't help with that."), is_refusal("Ada said: I cannot help you.")
        (True, False)
    """
    plain = text[:400].replace("\u2019", "'")
    lead = _LEAD.match(plain)
    return _REFUSAL.match(plain, lead.end() if lead else 0) is not None
