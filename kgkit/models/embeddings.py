"""Vectors for texts, from an endpoint that speaks OpenAI's embeddings."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import polars as pl

from kgkit.errors import InputError
from kgkit.ids import content_hash
from kgkit.models.asking import Preparer, Run
from kgkit.models.budget import Spending
from kgkit.models.calling import Caller
from kgkit.models.capabilities import Capabilities, Form
from kgkit.models.chat import Ask, Reply
from kgkit.models.judging import Verdict, count_of
from kgkit.models.openai_model import OpenAIModel
from kgkit.models.replies import Kept
from kgkit.models.setup import Job, Setup
from kgkit.results import Outcome, outcomes_frame

__all__ = ["Embeddings", "embed"]

_STAGE = "embed"
_REFUSED = ("HTTP 400", "HTTP 413", "HTTP 422")

Vector = np.ndarray[Any, np.dtype[np.float32]]
Made = tuple[Vector, str | None]


@dataclass(frozen=True)
class Embeddings:
    """Vectors for texts, in the texts' order.

    Args:
        vectors: One row a text, 32-bit floats; rows of texts that failed are NaN.
        model: The model that made all of them, as the endpoint named it; ``None`` when none was made.
        dimension: Length of a vector; 0 when none was made.
        outcomes: What became of each text, by its position as ``text_0``, ``text_1``, ...
    """

    vectors: Vector
    model: str | None
    dimension: int
    outcomes: pl.DataFrame


def embed(
    texts: Iterable[str], model: OpenAIModel, *, batch_size: int = 64, dimensions: int | None = None
) -> Embeddings:
    """Make a vector of each text.

    Texts go out in batches; each vector is kept in the model's cache under its own text, so a text is paid for once.
    A batch that the endpoint refuses is asked again text by text, so one bad text fails alone.

    Args:
        texts: The texts.
        model: A model that makes embeddings.
        batch_size: Texts in one request.
        dimensions: Length of the vectors, for models that can choose.

    Returns:
        The vectors, the model and the dimension.

    Raises:
        InputError: The model has no key or no price that it needs, or vectors of different models or lengths came
            back (or were kept), which cannot be compared.

    Examples:
        >>> model = OpenAIModel("nomic-embed-text", "http://localhost:11434/v1")
        >>> embed([], model).vectors.shape
        (0, 0)
    """
    listed = [str(text) for text in texts]
    names = [f"text_{i}" for i in range(len(listed))]
    setup = replace(model.setup, parameters={"dimensions": dimensions, "max_tokens": 0})
    head = json.dumps([_STAGE, setup.endpoint, setup.model, dimensions])
    keys = [content_hash(head + text) for text in listed]
    by_key = dict(zip(keys, listed, strict=True))  # a text that comes twice goes out once
    made = _kept(model, list(by_key))
    became: dict[str, Outcome] = {key: Outcome("", "ok", attempts=0) for key in made}
    source = iter([key for key in by_key if key not in made])
    wanted = list(iter(lambda: list(islice(source, batch_size)), []))
    if wanted:
        setup.check()
    while wanted:
        alone: list[list[str]] = []
        for batch, reply in _asked(setup, wanted, by_key):
            if reply.status == "ok":
                found = {key: (vector, reply.model) for key, vector in zip(batch, reply.data, strict=True)}
                made |= found
                _keep(model, found)
            elif len(batch) > 1 and (reply.detail or "").startswith(_REFUSED):
                alone += [[key] for key in batch]
                continue
            became |= dict.fromkeys(batch, reply.outcome(Ask("", ())))
        wanted = alone
    outcomes = [replace(became[key], item_id=name) for key, name in zip(keys, names, strict=True)]
    return _together([made.get(key) for key in keys], outcomes_frame(_STAGE, names, outcomes))


class _Embedder(Caller):
    path = "/embeddings"

    def _body(self, job: Job, caps: Capabilities) -> tuple[dict[str, Any], Form]:
        texts = [message["content"] for message in job.ask.messages]
        body: dict[str, Any] = {"model": self.setup.model, "input": texts, "encoding_format": "float"}
        if self.setup.parameters["dimensions"]:
            body["dimensions"] = self.setup.parameters["dimensions"]
        return body, "text"

    def _verdict(self, body: Mapping[str, Any], job: Job) -> Verdict:
        usage, served = body.get("usage"), body.get("model")
        tokens = usage.get("prompt_tokens") if isinstance(usage, Mapping) else None
        facts: dict[str, Any] = {
            "model": served if isinstance(served, str) else None,
            "tokens_in": count_of(tokens),
        }
        try:
            return Verdict("ok", data=_vectors(body, len(job.ask.messages)), **facts)
        except (ValueError, TypeError, KeyError) as error:
            return Verdict("failed", "unusable_reply", f"The endpoint's vectors cannot be used: {error}", **facts)

    def need(self, job: Job) -> Spending:
        if self.setup.budget is None:
            return Spending()
        price = self.setup.price()
        return Spending(1, job.size.most, price.of(job.size.most, 0) if price else None)


class _EmbedRun(Run):
    caller = _Embedder


def _asked(setup: Setup, batches: list[list[str]], texts: Mapping[str, str]) -> Iterator[tuple[list[str], Reply]]:
    asks = (
        Ask(str(i), tuple({"role": "user", "content": texts[key]} for key in batch)) for i, batch in enumerate(batches)
    )
    for reply in _EmbedRun(setup, Preparer({"parameters": {}}), None, _STAGE, None).replies_to(asks):
        yield batches[int(reply.item_id)], reply


def _vectors(body: Mapping[str, Any], count: int) -> list[Vector]:
    rows = sorted(body["data"], key=lambda row: row["index"])
    if [row["index"] for row in rows] != list(range(count)):
        msg = f"there must be one for each of {count} texts, with its index"
        raise ValueError(msg)
    vectors = [np.asarray(row["embedding"], dtype=np.float32) for row in rows]
    if any(v.ndim != 1 or not len(v) or len(v) != len(vectors[0]) or not np.isfinite(v).all() for v in vectors):
        msg = "all must be finite numbers of one length"
        raise ValueError(msg)
    return vectors


def _kept(model: OpenAIModel, keys: list[str]) -> dict[str, Made]:
    if model.replies is None:
        return {}
    found = model.replies.get(keys)
    model.replies.count(_STAGE, model.setup.model, len(found), len(keys) - len(found))
    return {k: (np.frombuffer(base64.b64decode(kept.text), dtype=np.float32), kept.served) for k, kept in found.items()}


def _keep(model: OpenAIModel, found: Mapping[str, Made]) -> None:
    if model.replies is not None:
        packed = {key: base64.b64encode(vector.tobytes()).decode() for key, (vector, _) in found.items()}
        model.replies.put(
            Kept(key, _STAGE, model.setup.model, key, "", packed[key], served) for key, (_, served) in found.items()
        )


def _together(made: list[Made | None], outcomes: pl.DataFrame) -> Embeddings:
    there = [m for m in made if m is not None]
    models = sorted({served or "unnamed" for _, served in there})
    lengths = sorted({len(vector) for vector, _ in there})
    if len(models) > 1 or len(lengths) > 1:
        msg = (
            f"The vectors are of different kinds and cannot be compared: models {', '.join(models)}, lengths "
            f"{', '.join(map(str, lengths))}. The endpoint changed its model; use a new cache, and embed all again."
        )
        raise InputError(msg)
    dimension = lengths[0] if lengths else 0
    vectors = np.full((len(made), dimension), np.nan, dtype=np.float32)
    for i, one in enumerate(made):
        if one is not None:
            vectors[i] = one[0]
    return Embeddings(vectors, there[0][1] if there else None, dimension, outcomes)
