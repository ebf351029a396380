"""Graph views that show what the decisions of a review make of their graphs."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Thread
from typing import Any

__all__ = ["Following"]


class Following:
    """Shows decisions in graph views, in the background: deciding waits for none of it.

    Working out a graph takes a moment. What was decided meanwhile is shown together next.

    Args:
        decisions: Gives the decisions.
        failed: Is told why a view could not be shown; null when it could again.
    """

    def __init__(self, decisions: Callable[[], Any], failed: Callable[[str | None], None]) -> None:
        self._decisions, self._failed = decisions, failed
        self._views: list[Any] = []
        self._lock = Lock()
        self._due = False
        self._seen = 0
        self._worker: Thread | None = None

    def add(self, view: Any) -> None:
        """Show decisions in one more view."""
        self._views.append(view)
        self._seen = -1
        self.update()

    def update(self) -> None:
        """Show the decisions as they are now, soon."""
        with self._lock:
            self._due = bool(self._views)
            if self._due and self._worker is None:
                self._worker = Thread(target=self._work, daemon=True, name="kgkit-graph")
                self._worker.start()

    def wait(self) -> None:
        """Wait until all is shown."""
        worker = self._worker
        if worker is not None:
            worker.join()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._due:
                    self._worker = None
                    return
                self._due = False
            try:
                self._show()
            except Exception as error:  # a thread has nobody to raise to
                self._failed(str(error) or type(error).__name__)

    def _show(self) -> None:
        decisions = self._decisions()
        if decisions.shape[0] == self._seen:  # decisions are only ever added
            return
        for view in self._views:
            view.apply_decisions(decisions)
        self._seen = decisions.shape[0]
        self._failed(None)
