"""Language models, embeddings and local language processing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgkit.lazy import lazy_names

if TYPE_CHECKING:  # keep in step with _HOME below
    from kgkit.models.budget import Budget
    from kgkit.models.chat import Ask, ChatModel, Reply
    from kgkit.models.openai_model import OpenAIModel
    from kgkit.models.replies import Replies

_HOME = {
    "Ask": "chat",
    "Budget": "budget",
    "ChatModel": "chat",
    "OpenAIModel": "openai_model",
    "Replies": "replies",
    "Reply": "chat",
}

__all__ = ["Ask", "Budget", "ChatModel", "OpenAIModel", "Replies", "Reply"]

__getattr__ = lazy_names(__name__, _HOME)
