"""Language models, embeddings and local language processing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgkit.lazy import lazy_names

if TYPE_CHECKING:  # keep in step with _HOME below
    from kgkit.models.budget import Budget
    from kgkit.models.chat import Ask, ChatModel, Reply
    from kgkit.models.embeddings import embed
    from kgkit.models.items import ask_items
    from kgkit.models.openai_model import OpenAIModel
    from kgkit.models.recorded import RecordedModel
    from kgkit.models.replies import Replies
    from kgkit.models.vision import describe_images

_HOME = {
    "Ask": "chat",
    "Budget": "budget",
    "ChatModel": "chat",
    "OpenAIModel": "openai_model",
    "RecordedModel": "recorded",
    "Replies": "replies",
    "Reply": "chat",
    "ask_items": "items",
    "describe_images": "vision",
    "embed": "embeddings",
}

__all__ = [
    "Ask",
    "Budget",
    "ChatModel",
    "OpenAIModel",
    "RecordedModel",
    "Replies",
    "Reply",
    "ask_items",
    "describe_images",
    "embed",
]

__getattr__ = lazy_names(__name__, _HOME)
