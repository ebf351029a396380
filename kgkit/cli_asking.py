"""A review in a terminal: one item, one line of answer. No logic that a review has not."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kgkit.cli_card import show_card
from kgkit.cli_show import clean
from kgkit.errors import InputError, KgkitError

if TYPE_CHECKING:
    from kgkit.reviewing import Review

__all__ = ["KEYS", "ask_all"]

KEYS = """\
y  yes: accept                   u  undo, as often as you like; u 2: the second of r
n  no: reject                    r  recent decisions
s  skip: it comes back last      o  open the documents: more words around the names
f  flag: it comes back last      q  quit; the next time goes on from here
?  these keys                    learn  score anew with the answers so far

Words after y, n, s and f are kept as a note: n two different people

2 3             untick these members of a group, or sentences of a relation; the same again ticks them
name TEXT       the name to have; name 2: that of the second
type TEXT       the type to have
say WORDS       what a relation should say; turn: the other way round; polarity negated (conditional, ...)
c               contradictions between answers, and how to settle them
d               what reviewers say different things of; the answer settles it
order NAME      uncertain, consequential, score, group, random, teach, disagreements
only type=PERSON document=a.txt low=0.5 high=0.9 kind=merge       ask only about these; only: all again
"""
_VERDICTS = {"y": "accepted", "n": "rejected", "s": "skipped", "f": "flagged"}
_PROMPT = "y / n / s / f / u / o / q / ? > "
_NOBODY = (
    "There is nobody to ask: the input is no terminal, and holds no answers. "
    "Use --csv FILE and --from-csv FILE, or send answers, one a line."
)


def ask_all(desk: Review) -> None:
    """Ask about one item after the other, until all are decided or the answers end.

    Each answer is kept before the next question; the end of the input and Ctrl+C end the session, and lose nothing.

    Raises:
        InputError: The input is no terminal, and holds no answers.
    """
    session, n_read = _Session(desk), 0
    while not session.done and session.take_next():
        line = _read(_PROMPT)
        if line is None:
            break
        n_read += 1
        session.hear(line)
    if not n_read and session.card is not None and not (sys.stdin and sys.stdin.isatty()):
        raise InputError(_NOBODY)
    print(f"\n{desk.progress}")
    if advice := desk.state()["advice"]:
        print(advice)
    if desk.progress.decided:
        print("The next 'kgkit run --project' builds the graph with these decisions.")


def _read(prompt: str) -> str | None:
    """Read a line; null at the end of the input, and on Ctrl+C."""
    try:
        return input(prompt).strip()
    except (EOFError, KeyboardInterrupt):
        return None
    except RuntimeError:  # a process without an input
        return None


class _Session:
    """What is shown now, and what was chosen about it."""

    def __init__(self, desk: Review) -> None:
        self.desk = desk
        self.card: dict[str, Any] | None = None
        self.chosen: dict[str, Any] = {}
        self.out: set[int] = set()
        self.done = False
        self.before: str | None = None  # the order to go back to after the disagreements

    def take_next(self) -> bool:
        """Show the next item; false when there is none."""
        card = self.desk.next()
        if card is None and self.before is not None:
            print("no disagreements are left")
            self._reorder(self.before)
            self.before, card = None, self.desk.next()
        if card is None:
            if self.card is None:
                print("Nothing is left to decide here.")
            return False
        if self.card is None or card["item_id"] != self.card["item_id"]:
            self.chosen, self.out = {}, set()
        self.card = card
        show_card(card, left=self.desk.progress.left, out=self.out, chosen=self.chosen)
        return True

    def hear(self, line: str) -> None:
        """Do what a line says; what cannot be done is told, and changes nothing."""
        word, _, rest = line.partition(" ")
        key, rest = word.casefold(), rest.strip()
        try:
            if key in _VERDICTS:
                self._decide(_VERDICTS[key], rest or None)
            elif line and all(part.isdigit() for part in line.replace(",", " ").split()):
                self._toggle([int(part) for part in line.replace(",", " ").split()])
            else:
                _COMMANDS.get(key, _Session._help)(self, rest)
        except (KgkitError, OSError) as error:
            print(clean(f"NOT KEPT: {error}" if key in (*_VERDICTS, "u") else f"That cannot be done: {error}"))

    # Answers

    def _decide(self, verdict: str, note: str | None) -> None:
        assert self.card is not None
        kind, more = self.card["kind"], dict(self.chosen) if verdict == "accepted" else {}
        if kind == "merge" and verdict == "accepted" and self.out:
            sides = enumerate(self.card["sides"], start=1)
            more["members"] = [side["entity_id"] for n, side in sides if n not in self.out]
        if kind == "relation" and verdict == "rejected" and 0 < len(self.out) < len(self.card["quotes"]):
            more["statement_ids"] = [
                q["evidence_id"] for n, q in enumerate(self.card["quotes"], start=1) if n in self.out
            ]
        done = self.desk.decide(self.card["item_id"], verdict, note=note, **more)
        self.chosen, self.out = {}, set()
        if done.n_conflicts:
            print(f"{done.n_conflicts:,} of all merges contradict other answers; c shows them")

    def _toggle(self, numbers: list[int]) -> None:
        assert self.card is not None
        rows = self.card["quotes"] if self.card["kind"] == "relation" else self.card["sides"]
        if len(rows) < 2 or (self.card["kind"] != "relation" and len(rows) == 2):
            msg = "Only members of a group and sentences of a relation can be unticked."
            raise InputError(msg)
        wrong = [n for n in numbers if not 1 <= n <= len(rows)]
        if wrong:
            msg = f"There is no number {wrong[0]} here; there are 1 to {len(rows)}."
            raise InputError(msg)
        self.out ^= set(numbers)

    def _choose(self, what: str, value: Any) -> None:
        assert self.card is not None
        allowed = {"relation": ("predicate", "reverse", "polarity")}.get(self.card["kind"], ("name", "type"))
        if what not in allowed:
            msg = f"This item has no {what}. It has: {', '.join(allowed)}."
            raise InputError(msg)
        if value in (None, ""):
            self.chosen.pop(what, None)
        else:
            self.chosen[what] = value

    def _name(self, rest: str) -> None:
        assert self.card is not None
        sides = self.card["sides"]
        number = int(rest) if rest.isdigit() else 0
        self._choose("name", sides[number - 1]["name"] if 1 <= number <= len(sides) else rest)

    def _turn(self, _: str) -> None:
        self._choose("reverse", None if self.chosen.get("reverse") else True)

    # Taking back

    def _undo(self, rest: str) -> None:
        if rest:
            recent = self.desk.recent(20)
            if not rest.isdigit() or not 1 <= int(rest) <= len(recent):
                msg = f"There is no recent decision {rest}; r shows them."
                raise InputError(msg)
            self.desk.undo_decision(recent[int(rest) - 1]["decision_id"])
            print("taken back")
        else:
            n = len(self.desk.undo())
            print("nothing to take back" if not n else "taken back" if n == 1 else f"taken back: {n:,} of one step")

    def _recent(self, _: str) -> None:
        for n, said in enumerate(self.desk.recent(20), start=1):
            note = f": {said['note']}" if said["note"] else ""
            print(clean(f"  {n:2}  {said['verdict']:9} {said['label']} ({said['reviewer']}){note}"))

    def _contradictions(self, _: str) -> None:
        """Show contradictions, each with the decisions that make it, and undo the one that is named."""
        from kgkit.frames import to_polars

        conflicts = to_polars(self.desk.conflicts).to_dicts()
        if not conflicts:
            print("no answers contradict each other")
        told = {d["decision_id"]: d for d in to_polars(self.desk.decisions).to_dicts()}
        for conflict in conflicts:
            left, right = self.desk.name_of(conflict["left_id"]), self.desk.name_of(conflict["right_id"])
            print(clean(f"  {left} and {right} are kept apart, and joined by others. Undo one of:"))
            ids = list(dict.fromkeys([conflict["apart_by"], *conflict["joined_by"]]))
            for n, decision_id in enumerate(ids, start=1):
                row = told[decision_id]
                print(clean(f"    {n}  {row['verdict']} by {row['reviewer']}: {self.desk.label_of(decision_id)}"))
            said = _read("number, or Enter to leave it > ")
            if said is None:
                self.done = True
                return
            if said.isdigit() and 1 <= int(said) <= len(ids):
                self.desk.undo_decision(ids[int(said) - 1])
                print("taken back")
                return

    # What is asked

    def _order(self, rest: str) -> None:
        self._reorder(rest)
        self.before = None

    def _reorder(self, order: str) -> None:
        self.desk.ask(order, **{k: v for k, v in vars(self.desk.filters).items() if v is not None})

    def _only(self, rest: str) -> None:
        try:
            pairs = [part.partition("=") for part in shlex.split(rest)]
            found: dict[str, Any] = {k: float(v) if k in ("low", "high") else v for k, _, v in pairs}
        except ValueError as error:
            msg = f"{error}. Write: only type=PERSON low=0.5"
            raise InputError(msg) from error
        self.desk.ask(**found)

    def _disagreements(self, _: str) -> None:
        before = self.desk.order
        if before != "disagreements":
            self._reorder("disagreements")
            self.before = before

    def _learn(self, _: str) -> None:
        print(self.desk.rescore())

    def _open(self, _: str) -> None:
        assert self.card is not None
        quotes = [*self.card.get("quotes", ()), *(q for side in self.card["sides"] for q in side["quotes"][:1])]
        for quote in quotes[:4]:
            found = None if quote["start"] is None else self.desk.passage(quote["doc_id"], quote["start"], quote["end"])
            if found:
                around = f"{found['before'][-400:]}>>>{found['quote']}<<<{found['after'][:400]}"
                print(clean(f"  {found['source']}: {around}"))

    def _quit(self, _: str) -> None:
        self.done = True

    def _help(self, _: str) -> None:
        print(KEYS)


_COMMANDS: dict[str, Callable[[_Session, str], None]] = {
    "c": _Session._contradictions,
    "d": _Session._disagreements,
    "learn": _Session._learn,
    "name": _Session._name,
    "o": _Session._open,
    "only": _Session._only,
    "order": _Session._order,
    "polarity": lambda session, rest: session._choose("polarity", rest),
    "q": _Session._quit,
    "r": _Session._recent,
    "say": lambda session, rest: session._choose("predicate", rest),
    "turn": _Session._turn,
    "type": lambda session, rest: session._choose("type", rest),
    "u": _Session._undo,
}
