"""An answer: what was said, the words that support it, and where they stand."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar

from kgkit.frames import to_polars
from kgkit.results import Result

__all__ = ["Answer"]

_WIDTH = 100
_NEAR_MISSES = 3


@dataclass(frozen=True, repr=False, eq=False)
class Answer(Result):
    """What `ask` returns: ``answers`` (one row), ``answer_sentences``, ``citations``, and the ``hits`` looked into."""

    stage: ClassVar[str] = "ask"
    main: ClassVar[str] = "answers"

    answers: Any
    answer_sentences: Any
    citations: Any
    hits: Any

    @property
    def text(self) -> str | None:
        """The answer with its citation marks; ``None`` where the documents do not answer."""
        return self._row["text"]  # type: ignore[no-any-return]

    @property
    def status(self) -> str:
        """``answered`` or ``not_in_documents``."""
        return str(self._row["status"])

    @property
    def _row(self) -> dict[str, Any]:
        return to_polars(self.answers).row(0, named=True)

    def __str__(self) -> str:
        row = self._row
        if row["text"] is None:
            lines = [f"Not in these documents. {row['reason']}"]
            lines += [f"  near: {_where(hit)}" for hit in self._near_misses()]
        else:
            lines = textwrap.wrap(row["text"], _WIDTH, break_long_words=False)
            lines += ["", *(f"[{c['number']}] {_where(c)}" for c in self._cited())]
        return "\n".join([row["question"], "", *lines])

    def _cited(self) -> list[dict[str, Any]]:
        return to_polars(self.citations).sort("number").to_dicts()

    def _near_misses(self) -> list[dict[str, Any]]:
        return to_polars(self.hits).head(_NEAR_MISSES).to_dicts()

    def _repr_html_(self) -> str:
        row = self._row
        if row["text"] is None:
            near = "".join(f"<li>{escape(_where(hit))}</li>" for hit in self._near_misses())
            body = f"<p><b>Not in these documents.</b> {escape(row['reason'] or '')}</p>"
            body += f"<div>Nearest passages:</div><ul>{near}</ul>" if near else ""
        else:
            quotes = "".join(
                f'<li value="{int(c["number"])}"><q>{escape(c["quote"])}</q><br>'
                f'<span style="opacity:.7">{escape(_where(c))}</span></li>'
                for c in self._cited()
            )
            body = f"<p>{escape(row['text'])}</p><ol>{quotes}</ol>"
        style = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.4"
        return f'<div style="{style}"><div><b>{escape(row["question"])}</b></div>{body}</div>'


def _where(passage: dict[str, Any]) -> str:
    name = passage["source"] or passage["title"] or passage["doc_id"]
    place = f", {passage['place']}" if passage["place"] else ""
    return f"{name}{place}, characters {passage['start']}-{passage['end']}"
