"""What the panel's browser side may ask for: what every front end may ask, see `kgkit.reviewing.messages`."""

from __future__ import annotations

from kgkit.reviewing.messages import answer_message

__all__ = ["answer_message"]
