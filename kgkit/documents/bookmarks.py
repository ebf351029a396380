"""Bookmark exports, recognised by their shape: posts saved on X, and links saved in a browser or a reading list.

An export holds things that are no bookmarks (previews, profiles, empty shells); each is listed with its reason.
Repeats of one bookmark are merged: the longer text, all folders and tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kgkit.documents.browser_trees import browser_nodes
from kgkit.documents.dates import parse_time
from kgkit.documents.parsed import Parsed
from kgkit.documents.records import canonical, scalar
from kgkit.ids import stable_id

__all__ = ["Bookmark", "bookmark_documents", "documents_of", "strip_script"]

_MEDIA_TYPE = "application/x-bookmarks+json"
_IDS = ("id_str", "tweet_id", "tweetId", "rest_id", "id")
_POSTS = ("full_text", "fullText", "text", "note_text")
_WRAPPERS = ("tweet", "bookmark", "like", "status", "post")
_POST_URLS = ("url", "tweet_url", "expandedUrl", "tweetUrl", "link")
_HANDLES = ("screen_name", "handle", "username", "user_name", "author_handle")
_LINKS = ("url", "href", "link", "uri", "given_url", "resolved_url")
_LINK_SIGNS = frozenset(
    [
        "tags",
        "tag",
        "folder",
        "folders",
        "collection",
        "time_added",
        "date_added",
        "add_date",
        "toread",
        "shared",
        "createdat",
        "created",
        "saved_at",
        "bookmarked_at",
        "bookmarkedat",
        "excerpt",
        "highlights",
    ]
)
_FOLDERS = ("folder", "folders", "folder_name", "folderName", "collection", "collections", "category")
_TAGS = ("tags", "tag", "labels", "hashtags")
_WORDS = ("description", "excerpt", "extended", "note", "notes", "summary", "text", "content")
_TIMES = (
    "created_at", "createdAt", "timestamp", "created", "time_added", "date_added", "dateAdded", "time", "saved_at",
    "date",
)  # fmt: skip
_SCRIPT = re.compile(r"\s*window\.YTD\.[\w.]+\s*=\s*")
_ENTITY = re.compile(r"&(amp|lt|gt|quot|#39);")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "#39": "'"}
_MAX_DEPTH = 12
_REMARK = 500


@dataclass
class Bookmark:
    """One saved thing, in one form for all exports; or, with ``reason``, something that is none."""

    key: str = ""
    text: str = ""
    title: str | None = None
    created: Any = None
    folders: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)
    reason: str | None = None
    detail: str | None = None


def strip_script(text: str) -> str:
    """Drop the assignment with which an X archive begins its JSON."""
    match = _SCRIPT.match(text[:200])
    return text[match.end() :].rstrip().rstrip(";") if match else text


def bookmark_documents(value: Any, shared: Mapping[str, Any], notes: tuple[str, ...] = ()) -> list[Parsed]:
    """Read a bookmark export from its JSON value; an empty list when it is something else."""
    posts = _posts(value)
    if posts is not None:
        return documents_of([_post(item) for item in posts], shared, notes)
    nodes = browser_nodes(value)
    links = [{**node, "folder": folder} for node, folder in nodes] if nodes else _links(value)
    if links is not None:
        return documents_of([_link(item) for item in links], shared, notes)
    return []


def documents_of(
    bookmarks: list[Bookmark], shared: Mapping[str, Any], notes: tuple[str, ...] = (), *, media_type: str = _MEDIA_TYPE
) -> list[Parsed]:
    """Make one document of each bookmark, merge repeats, and list what is no bookmark."""
    kept: dict[str, int] = {}
    documents: list[Parsed | None] = []
    for number, bookmark in enumerate(bookmarks, 1):
        if bookmark.reason is not None:
            documents.append(_no_document(bookmark, f"row-{number}", media_type))
        elif bookmark.key in kept:
            first = kept[bookmark.key]
            _merge(bookmarks[first], bookmark)
            detail = f"The same bookmark as {bookmark.key!r} above; text, folders and tags are merged into that."
            repeat = Bookmark(reason="repeat", detail=detail)
            documents.append(_no_document(repeat, f"row-{number}", media_type))
        else:
            kept[bookmark.key] = number - 1
            documents.append(None)
    whole = [d or _document(bookmarks[i], shared, media_type) for i, d in enumerate(documents)]
    if whole and notes:
        whole[0] = _with_notes(whole[0], notes)
    return whole


def _with_notes(parsed: Parsed, notes: tuple[str, ...]) -> Parsed:
    from dataclasses import replace

    return replace(parsed, notes=(*notes, *parsed.notes))


def _document(bookmark: Bookmark, shared: Mapping[str, Any], media_type: str) -> Parsed:
    about = {k: v for k, v in bookmark.about.items() if v not in (None, "", [], {})}
    if bookmark.created not in (None, ""):
        about["created_at"] = bookmark.created
    about |= {"folders": bookmark.folders} if bookmark.folders else {}
    about |= {"tags": bookmark.tags} if bookmark.tags else {}
    return Parsed(
        bookmark.text,
        media_type,
        title=bookmark.title,
        modified_at=parse_time(bookmark.created),
        metadata={**shared, **about},
        record=bookmark.key,
        content=canonical([bookmark.key, bookmark.text, about]),
    )


def _no_document(bookmark: Bookmark, record: str, media_type: str) -> Parsed:
    status = "empty" if bookmark.reason in ("no_text", "empty_record") else "skipped"
    return Parsed("", media_type, record=record, status=status, reason=bookmark.reason, detail=bookmark.detail)


def _merge(into: Bookmark, repeat: Bookmark) -> None:
    if into.key == into.about.get("url"):  # links: what each says, a longer version instead of a shorter
        said = into.text.split("\n")
        for line in repeat.text.split("\n"):
            if line not in into.text:
                said = [known for known in said if known not in line]
                said.insert(-1, line)  # the address stays last
        into.text = "\n".join(said)
    elif len(repeat.text) > len(into.text):  # posts: the longer version
        into.text = repeat.text
    into.title = into.title or repeat.title
    into.created = into.created or repeat.created
    into.folders = list(dict.fromkeys([*into.folders, *repeat.folders]))
    into.tags = list(dict.fromkeys([*into.tags, *repeat.tags]))
    into.about = {**repeat.about, **{k: v for k, v in into.about.items() if v not in (None, "", [])}}


def _posts(value: Any) -> list[Any] | None:
    """Find the list of posts: the list itself, the one that an export wraps, or entries of an API answer."""
    if isinstance(value, list) and any(_is_post(item) for item in value):
        return value
    if isinstance(value, (dict, list)):
        entries = list(_timeline(value, 0))
        if entries:
            return entries
        if isinstance(value, dict):
            lists = [v for v in value.values() if isinstance(v, list) and any(_is_post(item) for item in v)]
            inner = [p for v in value.values() if isinstance(v, dict) and (p := _posts(v)) is not None]
            found = [*lists, *inner]
            return [item for items in found for item in items] if found else None
    return None


def _timeline(value: Any, depth: int) -> Iterator[Any]:
    """Walk an API answer and give the posts in it, in order; cursors and promotions are no items."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        results = value.get("tweet_results")
        if isinstance(results, dict):
            yield results.get("result")
            return
        for inner in value.values():
            yield from _timeline(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _timeline(inner, depth + 1)


def _is_post(item: Any) -> bool:
    item = _unwrap(item)
    if not isinstance(item, dict):
        return False
    if isinstance(item.get("legacy"), dict) and "full_text" in item["legacy"]:
        return True
    has_id = any(item.get(name) for name in _IDS)
    if has_id and ("full_text" in item or "fullText" in item):
        return True
    user = next((u for name in ("author", "user") if isinstance(u := item.get(name), dict)), {})
    signed = any(name in item for name in (*_HANDLES[:2], "tweetText")) or any(name in user for name in _HANDLES)
    return has_id and isinstance(item.get("text"), str) and signed


def _unwrap(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    if isinstance(item.get("tweet"), dict) and "__typename" in item:  # a post with limited visibility
        return item["tweet"]
    for name in _WRAPPERS:
        if isinstance(item.get(name), dict) and len(item) <= 2:
            return item[name]
    return item


def _post(raw: Any) -> Bookmark:
    item = _unwrap(raw)
    if item is None:
        return Bookmark(reason="empty_record", detail="The item is null.")
    if not isinstance(item, dict):
        return Bookmark(reason="no_bookmark", detail=f"The item is no object: {scalar(item)[:60]}")
    legacy = item["legacy"] if isinstance(item.get("legacy"), dict) else item
    key = scalar(_first(item, _IDS) or _first(legacy, _IDS))
    text = _unescape(_post_text(item, legacy))
    if not text and ("name" in legacy or "followers_count" in legacy):
        return Bookmark(reason="no_bookmark", detail=f"The item {key!r} is a profile, not a post.")
    if not text.strip():
        return Bookmark(reason="no_text", detail=f"The item {key!r} is an empty shell: it has no text.")
    if not key:
        return Bookmark(reason="no_bookmark", detail="The item has no id.")
    if not re.fullmatch(r"\d+", key):
        what = "a link" if key.startswith("http") else "a preview or other object"
        return Bookmark(reason="no_bookmark", detail=f"The item {key!r} is {what}, not a post.")
    name, handle = _author(item, legacy)
    about = {"author": name, "handle": handle, "urls": _urls(item, legacy), "url": _first(item, _POST_URLS)}
    title = f"{name} (@{handle})" if name and handle else name or (f"@{handle}" if handle else None)
    created = _first(legacy, _TIMES) or _first(item, _TIMES)
    return Bookmark(key, text, title, created, _names(item, _FOLDERS), _tags(item, legacy), about)


def _post_text(item: Mapping[str, Any], legacy: Mapping[str, Any]) -> str:
    note = item.get("note_tweet")
    for step in ("note_tweet_results", "result", "text"):
        note = note.get(step) if isinstance(note, dict) else None
    texts = [v for v in (note, *(legacy.get(n) for n in _POSTS), *(item.get(n) for n in _POSTS)) if isinstance(v, str)]
    return max(texts, key=len, default="")


def _author(item: Mapping[str, Any], legacy: Mapping[str, Any]) -> tuple[str | None, str | None]:
    user: Any = item.get("core") or item.get("user") or legacy.get("user") or item.get("author") or {}
    for step in ("user_results", "result"):
        user = user.get(step, user) if isinstance(user, dict) else user
    inner: dict[str, Any] = {}
    if isinstance(user, dict):
        for part in (user, user.get("core"), user.get("legacy")):
            inner |= part if isinstance(part, dict) else {}
    name = inner.get("name") or item.get("name") or (user if isinstance(user, str) else None)
    handle = _first(inner, _HANDLES) or _first(item, _HANDLES)
    if not name and item.get("screen_name") and item.get("username"):
        name = item["username"]
    handle = scalar(handle).lstrip("@") if handle else None
    return (name if isinstance(name, str) else None), (None if handle == "unknown" else handle)


def _urls(item: Mapping[str, Any], legacy: Mapping[str, Any]) -> list[str]:
    entities = legacy.get("entities")
    found = entities.get("urls") if isinstance(entities, dict) else item.get("urls")
    urls = []
    for entry in found if isinstance(found, list) else []:
        url = entry.get("expanded_url") or entry.get("url") if isinstance(entry, dict) else entry
        if isinstance(url, str) and url:
            urls.append(url)
    return urls


def _tags(item: Mapping[str, Any], legacy: Mapping[str, Any]) -> list[str]:
    entities = legacy.get("entities")
    marks = entities.get("hashtags") if isinstance(entities, dict) else None
    return list(dict.fromkeys([*_names(item, _TAGS), *_names({"tags": marks}, ("tags",))]))


def _links(value: Any) -> list[Any] | None:
    needed = 0.5
    if isinstance(value, dict):
        lists = {k: v for k, v in value.items() if isinstance(v, list) and v and any(isinstance(i, dict) for i in v)}
        if len(lists) == 1 and re.search("bookmark|saved|links", next(iter(lists)), re.I):
            needed = 0.0  # the export says what they are
        value = next(iter(lists.values())) if len(lists) == 1 else None
    if not isinstance(value, list):
        return None
    dicts = [item for item in value if isinstance(item, dict) and item]
    fit = sum(1 for item in dicts if _is_link(item))
    return value if fit and fit >= needed * len(dicts) else None


def _is_link(item: Mapping[str, Any]) -> bool:
    """Tell whether an item is a saved link: an address, signs of saving, and no text of its own beside a remark."""
    signs = sum(1 for name in item if name.lower() in _LINK_SIGNS)
    long = any(isinstance(v, str) and len(v) > _REMARK for k, v in item.items() if k not in (*_WORDS, *_LINKS))
    return _link_of(item) is not None and signs > 0 and not long


def _link_of(item: Mapping[str, Any]) -> str | None:
    inner = item.get("content")
    for source in (item, inner if isinstance(inner, dict) else {}):
        url = _first(source, _LINKS)
        if isinstance(url, str) and re.match(r"[a-z][a-z0-9+.-]{1,20}:", url, re.I):
            return url
    return None


def _link(item: Any) -> Bookmark:
    if item is None or item == {}:
        return Bookmark(reason="empty_record", detail="The item is empty.")
    url = _link_of(item) if isinstance(item, dict) else None
    if url is None and _remark(item):
        return _noted(item)
    if url is None:
        return Bookmark(reason="no_bookmark", detail=f"The item has no address: {scalar(item)[:60]}")
    title = _first(item, ("title", "name")) or None
    words = [v for n in _WORDS if isinstance(v := item.get(n), str) and v.strip() and v != title]
    if title is None and words and "href" in item:  # Pinboard calls the title its description
        title = words.pop(0)
    text = "\n".join(dict.fromkeys([*([scalar(title)] if title else []), *words, url]))
    used = {*_LINKS, *_WORDS, *_FOLDERS, *_TAGS, *_TIMES, "title", "name"}
    about = {"url": url, **{k: v for k, v in item.items() if k not in used}}
    return Bookmark(
        url, text, scalar(title) or None, _first(item, _TIMES), _names(item, _FOLDERS), _names(item, _TAGS), about
    )


def _remark(item: Any) -> str:
    """Give the text that was saved instead of a link, as some readers allow."""
    inner = item.get("content") if isinstance(item, dict) else None
    text = inner.get("text") if isinstance(inner, dict) else None
    return text.strip() if isinstance(text, str) else ""


def _noted(item: Mapping[str, Any]) -> Bookmark:
    text, title = _remark(item), scalar(_first(item, ("title", "name")) or "")
    created, key = _first(item, _TIMES), scalar(_first(item, _IDS) or "")
    key = key or stable_id("note", text, scalar(created))
    lines = [title, text] if title else [text]
    return Bookmark(key, "\n".join(lines), title or None, created, _names(item, _FOLDERS), _names(item, _TAGS))


def _names(item: Mapping[str, Any], keys: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for key in keys:
        value = item.get(key)
        if isinstance(value, str):
            apart = r"\s+" if "href" in item and "," not in value else r"[,|]"  # Pinboard's tags are single words
            parts: list[Any] = re.split(apart, value) if key in _TAGS else [value]
        else:
            parts = value if isinstance(value, list) else [value] if isinstance(value, dict) else []
        for part in parts:
            name = (part.get("text") or part.get("name") or part.get("title")) if isinstance(part, dict) else part
            if isinstance(name, str) and name.strip():
                found.append(name.strip())
    return list(dict.fromkeys(found))


def _first(item: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((item[k] for k in keys if item.get(k) not in (None, "", [], {})), None)


def _unescape(text: str) -> str:
    """Undo the few escapes that X writes; any more would damage addresses such as ``?a=1&copy=2``."""
    return _ENTITY.sub(lambda m: _ENTITIES[m.group(1)], text)
