"""Replay what a model said, without the model, its key or a network; and say that it is a replay."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from kgkit.errors import InputError
from kgkit.ids import content_hash
from kgkit.models.asking import Preparer
from kgkit.models.chat import Ask, Parse, Reply
from kgkit.models.judging import judge_text

__all__ = ["RecordedModel"]

_ORIGINS = ("recorded", "hand-written")


@dataclass(frozen=True)
class _Line:
    text: str
    model: str | None
    cut: bool


class RecordedModel:
    r"""Replies from a JSONL file: recorded by `Replies.export`, or written by a person in the same form.

    The first line is ``{"kgkit_replies": 1, "origin": "recorded"}``. In a recording each further line belongs to a
    request by its ``request_hash``: a changed prompt, text or schema has no reply. Where ``origin`` is
    ``"hand-written"`` a line may name an ``item_id`` instead, and optionally the ``stage``; the reply is ``text``, or
    ``data`` for JSON, and ``"cut": true`` says that it breaks off.

    Args:
        file: The JSONL file.
        model: Which model's replies, where the file holds those of several.

    Raises:
        InputError: The file cannot be read, or holds no such replies.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     lines = ['{"kgkit_replies": 1, "origin": "hand-written"}', '{"item_id": "a", "text": "Yes."}']
        ...     file = Path(folder, "replies.jsonl")
        ...     _ = file.write_text("\n".join(lines))
        ...     model = RecordedModel(file)
        >>> ask = Ask("a", ({"role": "user", "content": "Well?"},))
        >>> [(reply.text, model.name) for reply in model.ask([ask], stage="demo")]
        [('Yes.', 'hand-written:replies.jsonl')]
    """

    def __init__(self, file: str | PathLike[str], *, model: str | None = None) -> None:
        self.path = Path(file)
        try:
            text = self.path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            msg = f"The recording {str(self.path)!r} cannot be read: {error}"
            raise InputError(msg) from error
        rows = list(_rows(text, self.path))
        head = rows[0] if rows else {}
        if head.get("kgkit_replies") != 1 or head.get("origin") not in _ORIGINS:
            msg = (
                f"{str(self.path)!r} is no recording that this version of kgkit knows. Its first line must be "
                '{"kgkit_replies": 1, "origin": "recorded"}, or "hand-written" as the origin.'
            )
            raise InputError(msg)
        self.origin: str = head["origin"]
        self._hash = content_hash(text)
        self._by_request: dict[str, _Line] = {}
        self._by_item: dict[tuple[str | None, str], _Line] = {}
        models = sorted({str(row["model"]) for row in rows[1:] if row.get("model")})
        if model is None and len(models) > 1:
            msg = f"{str(self.path)!r} holds replies of several models: {', '.join(models)}. Choose one: model=..."
            raise InputError(msg)
        if model is not None and model not in models:
            msg = f"{str(self.path)!r} holds no replies of {model!r}. It has: {', '.join(models) or 'no model named'}."
            raise InputError(msg)
        for row in rows[1:]:
            if model is None or row.get("model") == model:
                self._add(row)

    @property
    def name(self) -> str:
        """What the ``origin`` columns call it: ``recorded:FILE`` or ``hand-written:FILE``."""
        return f"{self.origin}:{self.path.name}"

    def identity(self) -> dict[str, Any]:
        """Say as JSON what decides its replies: the file's content."""
        return {"origin": self.origin, "file": self.path.name, "content_hash": self._hash}

    def ask(self, requests: Iterable[Ask], *, stage: str, parse: Parse | None = None) -> Iterator[Reply]:
        """Yield the recorded reply to each request, in their order.

        Args:
            requests: What to ask.
            stage: Name of the function that asks.
            parse: Judges a parsed reply; see `kgkit.models.chat.Parse`.

        Yields:
            Replies; ``failed`` with the reason ``not_recorded`` where the file has none.
        """
        preparer = Preparer({"parameters": {}})
        for ask in requests:
            job = preparer.job(ask)
            if isinstance(job, Reply):
                yield job
                continue
            item = self._by_item.get((stage, ask.item_id)) or self._by_item.get((None, ask.item_id))
            line = self._by_request.get(job.request_hash) or item
            if line is None:
                detail = (
                    f"{self.name} holds no reply to this request: the item is new, or its text, the prompt or the "
                    "schema changed since. Ask a live model for it."
                )
                yield Reply(ask.item_id, "failed", "not_recorded", detail)
                continue
            verdict = judge_text(line.text, ask, parse, cut=line.cut)
            given = (verdict.status, verdict.reason, verdict.detail, verdict.data, verdict.text)
            yield Reply(ask.item_id, *given, model=line.model, cached=True, notes=verdict.notes)

    def _add(self, row: Mapping[str, Any]) -> None:
        text = row["text"] if isinstance(row.get("text"), str) else json.dumps(row.get("data"), ensure_ascii=False)
        line = _Line(text, row.get("served") or row.get("model"), row.get("cut") is True)
        if isinstance(row.get("request_hash"), str):
            self._by_request[row["request_hash"]] = line
        elif self.origin == "hand-written" and isinstance(row.get("item_id"), str):
            self._by_item[row.get("stage"), row["item_id"]] = line

    def __repr__(self) -> str:
        return f"RecordedModel({self.name!r}, {len(self._by_request) + len(self._by_item):,} replies)"


def _rows(text: str, path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            msg = f"Line {number} of {str(path)!r} is no JSON object; each line must be one."
            raise InputError(msg)
        yield row
