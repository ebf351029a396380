"""Presentations (pptx, pptm, ppsx): slides in the order in which they are shown, each a section with its number.

The rules in words: docs/decisions/0004-office-files.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgkit.documents.archive import UnreadablePart
from kgkit.documents.drawingml import alternative, chart_lines, diagram_lines, shape_lines, table_lines
from kgkit.documents.office import Package, Relation, plural
from kgkit.documents.parsed import Parsed, ReadOptions, TextBuilder
from kgkit.documents.xml import Element, child, children, text_of
from kgkit.errors import ReadError

__all__ = ["MEDIA_TYPE", "read"]

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_TITLES = frozenset({"title", "ctrTitle"})
_GENERIC = frozenset({None, "PowerPoint Presentation", "PowerPoint-Präsentation", "Présentation PowerPoint"})
_ON = frozenset({"1", "true"})


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read a presentation.

    Args:
        data: The file's bytes.
        name: Its name, for messages.
        options: ``hidden_sheets`` (for hidden slides) and ``comments`` apply.

    Returns:
        One document. Its sections are slides, and in them headings (the slides' titles), notes and comments.

    Raises:
        ReadError: ``mislabelled``, ``corrupt``, ``password_protected``, ``inflates``, ``unsafe_xml``, ``too_large``.
    """
    package = Package(data, "presentation", "ppt")
    root = package.parse_main()
    if root.tag != "p:presentation":
        raise ReadError("mislabelled", f"{name} is not a presentation: its main part is <{root.tag}>.")
    return [_Presentation(package, root, options).parse()]


class _Presentation:
    def __init__(self, package: Package, root: Element, options: ReadOptions) -> None:
        self._package, self._options, self._notes = package, options, package.notes
        self._relations = package.relations(package.main)
        self._slides = [
            self._relations.get(slide.get("r:id", "")) for slide in children(child(root, "p:sldIdLst"), "p:sldId")
        ]
        self._authors = self._comment_authors()
        self._out = TextBuilder()
        self._title: str | None = None

    def parse(self) -> Parsed:
        read = failed = 0
        for number, slide in enumerate(self._slides, 1):
            try:
                self._add_slide(number, slide)
                read += 1
            except UnreadablePart as error:
                failed += 1
                self._notes.unreadable(f"slide {number}", error)
        if failed and not read:
            raise ReadError("corrupt", "No slide of the presentation can be read: " + "; ".join(self._notes.build()))
        properties = self._package.properties()
        text, sections = self._out.build()
        return Parsed(
            text=text,
            media_type=MEDIA_TYPE,
            title=self._title if properties.title in _GENERIC else properties.title,
            language=properties.language,
            modified_at=properties.modified_at,
            metadata=properties.metadata,
            sections=sections,
            notes=self._notes.build(),
        )

    def _add_slide(self, number: int, slide: Relation | None) -> None:
        if slide is None:
            raise UnreadablePart("its reference", "it leads nowhere")
        root = self._package.parse(slide.target)
        if root.get("show", "1") not in _ON:
            read = self._options.hidden_sheets == "read"
            self._notes.add("hidden_slide", f"{number} {'read' if read else 'skipped'}")
            if not read:
                return
        relations = self._package.relations(slide.target)
        shapes = list(_shapes(child(root, "p:cSld", "p:spTree")))
        titles = [shape for shape in shapes if _placeholder(shape) in _TITLES]
        self._out.begin("slide", str(number))
        title = " ".join(" ".join(line for shape in titles for line in _shape_text(shape)).split())
        if title:
            self._title = self._title or title
            self._out.heading(title, 1)
        for shape in shapes:
            if shape not in titles:
                self._out.paragraph("\n".join(self._lines(shape, relations)))
        self._append("notes", number, [line for r in relations.values() for line in self._notes_of(r)])
        comments = [line for r in relations.values() if r.kind == "comments" for line in self._comments(r.target)]
        if comments and self._options.comments != "append":
            self._notes.add("comments_dropped", f"{plural(len(comments), 'comment')} on slide {number}")
        else:
            self._append("comments", number, comments)
        self._out.end("heading")
        self._out.end("slide")

    def _append(self, kind: str, number: int, lines: list[str]) -> None:
        if lines:
            self._out.begin(kind, str(number))
            self._out.paragraph("\n".join(lines))
            self._out.end(kind)

    def _lines(self, shape: Element, relations: dict[str, Relation]) -> list[str]:
        if shape.tag != "p:graphicFrame":
            return _shape_text(shape)
        lines: list[str] = []
        for part in shape.iter():
            if part.tag == "a:tbl":
                lines.extend(table_lines(part))
            elif part.tag == "c:chart":
                root = self._linked(relations.get(part.get("r:id", "")), "a chart")
                lines.extend(chart_lines(root) if root is not None else [])
            elif part.tag == "dgm:relIds":
                root = self._linked(relations.get(part.get("r:dm", "")), "a diagram")
                lines.extend(diagram_lines(root) if root is not None else [])
        return lines

    def _linked(self, relation: Relation | None, what: str) -> Element | None:
        return self._package.parse_optional(relation.target, what) if relation else None

    def _notes_of(self, relation: Relation) -> list[str]:
        """Read a speaker's notes: the notes page without the picture of the slide, its number, date and headers."""
        if relation.kind != "notesSlide":
            return []
        root = self._linked(relation, "speaker's notes")
        shapes = _shapes(child(root, "p:cSld", "p:spTree"))
        return [line for s in shapes if _placeholder(s) in ("body", None) for line in _shape_text(s)]

    def _comments(self, part: str) -> list[str]:
        root = self._package.parse_optional(part, "comments")
        lines = []
        for comment in root.iter() if root is not None else ():
            if comment.tag == "p:cm":
                author, text = comment.get("authorId", ""), text_of(child(comment, "p:text"))
            elif comment.tag in ("p188:cm", "p188:reply"):
                author, text = comment.get("authorId", ""), " ".join(shape_lines(child(comment, "p188:txBody")))
            else:
                continue
            lines.append(f"{self._authors.get(author) or 'Unknown'}: {' '.join(text.split())}")
        return lines

    def _comment_authors(self) -> dict[str, str]:
        names = {}
        for relation in self._relations.values():
            if relation.kind in ("commentAuthors", "authors"):
                root = self._linked(relation, "names of commenters")
                names.update({a.get("id", ""): a.get("name", "") for a in root} if root is not None else {})
        return names


def _shapes(tree: Element | None) -> Iterator[Element]:
    """Go through shapes in their order, into groups, and into one branch of each alternative."""
    for shape in tree if tree is not None else ():
        if shape.tag == "p:grpSp":
            yield from _shapes(shape)
        elif shape.tag == "mc:AlternateContent":
            yield from _shapes(alternative(shape))
        elif shape.tag in ("p:sp", "p:pic", "p:graphicFrame", "p:cxnSp") and _placeholder(shape) != "sldNum":
            yield shape


def _placeholder(shape: Element) -> str | None:
    """Give the kind of placeholder a shape fills; ``None`` for a shape of its own."""
    for part in shape:
        if part.tag.startswith("p:nv"):
            found = child(part, "p:nvPr", "p:ph")
            return None if found is None else found.get("type", "obj")
    return None


def _shape_text(shape: Element) -> list[str]:
    lines = shape_lines(child(shape, "p:txBody"))
    if not lines and shape.tag == "p:pic":
        named = child(shape, "p:nvPicPr", "p:cNvPr")
        words = " ".join(named.get("descr", "").split()) if named is not None else ""
        return [f"[image: {words}]"] if words else []
    return lines
