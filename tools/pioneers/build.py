"""Make ``data/pioneers/documents`` from the marked texts; the same files on every run.

Run it as ``python tools/pioneers/build.py``; then ``python tools/pioneers/gold.py`` writes the gold tables.
"""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from render_office import render_docx, render_epub, render_pdf, render_xlsx
from render_text import render_csv, render_eml, render_html, render_json, render_md, render_txt
from source import CORPUS, Source, check_sources, read_entities, read_sources

RENDER: dict[str, Callable[[Source], bytes]] = {
    "csv": render_csv,
    "docx": render_docx,
    "eml": render_eml,
    "epub": render_epub,
    "html": render_html,
    "json": render_json,
    "md": render_md,
    "pdf": render_pdf,
    "txt": render_txt,
    "xlsx": render_xlsx,
}
UNREADABLE = "damaged/scan-0417.pdf"
EMPTY = "damaged/empty-note.txt"


def render_documents() -> dict[str, bytes]:
    """Every file of the corpus, by its path below ``documents``.

    Raises:
        SourceError: A mark, an entity or a predicate is wrong; the message says where.
    """
    sources = read_sources()
    check_sources(sources, read_entities())
    files = {source.file: RENDER[source.format](source) for source in sources}
    return files | {UNREADABLE: _damaged(), EMPTY: b""}


def _damaged() -> bytes:
    """A PDF of which only the first line is left; the rest is noise, as after a failed disk."""
    noise = bytes((number * number * 31 + number * 7) % 251 for number in range(4000))
    return b"%PDF-1.4\n" + noise


def same_file(left: bytes, right: bytes) -> bool:
    """Whether two files are equal byte for byte or, for zips, member by member in the same order."""
    if left == right:
        return True
    return left[:2] == right[:2] == b"PK" and _members(left) == _members(right)


def _members(packed: bytes) -> list[tuple[str, tuple[int, ...], bytes]]:
    with zipfile.ZipFile(io.BytesIO(packed)) as pack:
        return [(info.filename, info.date_time, pack.read(info)) for info in pack.infolist()]


def main() -> int:
    """Write the files and remove those that no text makes any more."""
    folder = CORPUS / "documents"
    files = render_documents()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or not same_file(path.read_bytes(), data):
            path.write_bytes(data)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).as_posix() not in files:
            print(f"removed {_remove(path)}")
    print(f"{len(files)} files in {folder}")
    return 0


def _remove(path: Path) -> Path:
    path.unlink()
    return path


if __name__ == "__main__":
    sys.exit(main())
