"""HTML and Markdown: what a reader sees, in the order in which it is seen."""

from __future__ import annotations

import pytest

from kgkit.documents.html_pages import html_to_text
from kgkit.documents.onefile import parse
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.errors import ReadError


def read(text: str | bytes, name: str) -> Parsed:
    [parsed] = parse(text.encode() if isinstance(text, str) else text, name, ReadOptions())
    for section in parsed.sections:
        assert 0 <= section.start <= section.end <= len(parsed.text)
    return parsed


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>One</p><p>Two", "One\n\nTwo"),
        ("<div>One<div>Two</div>Three</div>", "One\n\nTwo\n\nThree"),
        ("a<br>b", "a\nb"),
        ("<p>  much \n space&nbsp;here </p>", "much space here"),
        ("<ul><li>One<li>Two</ul>after", "- One\n- Two\n\nafter"),
        ("<ol start=3><li>Three<li>Four<ul><li>deep</ul></ol>", "3. Three\n4. Four\n  - deep"),
        ("<table><tr><th>A<th>B<tr><td>1<td>2</table>", "A | B\n1 | 2"),
        ("<table><tr><td>a</td><td></td><td>b</td></tr><tr><td>c</td><td></td><td>d</td></tr></table>", "a | b\nc | d"),
        ("<table><tr><td>a</td><td></td></tr><tr><td>c</td><td>d</td></tr></table>", "a\nc | d"),
        ("<center><table></center><tr><td>a</td><td>b</td></tr></table>", "a | b"),
        ("<table><tr><td><h2>Head</h2><p>words</p></td><td>side</td></tr></table>", "Head\n\nwords\n\nside"),
        ("<table><tr><td><table><tr><td>1<td>2</table></td></tr></table>", "1 | 2"),
        ("<pre>  keep\n   this</pre>", "  keep\n   this"),
        ("a<script>var x = '<p>no</p>';</script>b", "ab"),
        ("<style>p {}</style><template>no</template><noscript>no</noscript>yes", "yes"),
        ("x<p hidden>no</p><p style='display: none'>no</p><p>yes", "x\n\nyes"),
        ("<div hidden>no<div>no</div>no</div>yes", "yes"),
        ("<p>unclosed <b>bold <i>both</p><p>next</b>", "unclosed bold both\n\nnext"),
        ("&lt;b&gt; &amp; &eacute; &#8364; &nosuch;", "<b> & é € &nosuch;"),
        ("</div></p></table>text</span>", "text"),
        ("<nav>Home About</nav><p>The long text of the page itself.", "The long text of the page itself."),
        ("<nav>All of this page is navigation, it seems", "All of this page is navigation, it seems"),
        ("text <!-- secret --> more", "text more"),
        ("plain, no markup", "plain, no markup"),
    ],
)  # fmt: skip
def test_visible_text(markup: str, text: str) -> None:
    assert html_to_text(markup).text == text


def test_headings_are_sections_and_titles_titles() -> None:
    page = read("<title>The  quay</title><h1>North</h1><p>One.<h2>Inner</h2>Two.<h1>South</h1>Three.", "a.html")
    assert page.title == "The quay"
    found = [(s.label, s.level, page.text[s.start : s.end].strip()) for s in page.sections]
    assert found == [
        ("North", 1, "North\n\nOne.\n\nInner\n\nTwo."),
        ("Inner", 2, "Inner\n\nTwo."),
        ("South", 1, "South\n\nThree."),
    ]


def test_what_is_dropped_is_counted() -> None:
    notes = html_to_text("<nav>Home</nav><p>The text of the page.<!-- abc --><p hidden>four").notes
    assert notes == (
        "navigation_dropped: 4 characters inside <nav>",
        "hidden_text_dropped: 7 characters in comments or hidden elements",
    )


def test_page_says_when_it_was_changed() -> None:
    page = read("<meta property='article:modified_time' content='2023-04-03T10:30:00+02:00'><p>Words.", "a.html")
    assert page.modified_at is not None
    assert page.modified_at.isoformat() == "2023-04-03T08:30:00+00:00"


def test_markdown_stays_as_written() -> None:
    text = "# One\n\nwords *bold*\n\nTwo\n---\n\n```\n# no heading <!-- kept -->\n```\n\n### Deep #\nend\n"
    page = read(text, "a.md")
    assert page.text == text
    assert page.title == "One"
    assert [(s.label, s.level) for s in page.sections] == [("One", 1), ("Two", 2), ("Deep", 3)]
    assert all(page.text[s.start :].startswith(("# One", "Two", "### Deep")) for s in page.sections)


def test_front_matter_is_metadata() -> None:
    page = read(
        "---\ntitle: 'The quay'\ntags: [a, b]\nauthors:\n  - Mira\n  - Odd\ndate: 2023-04-03\n---\nText.\n", "a.md"
    )
    assert page.text == "Text.\n"
    assert page.title == "The quay"
    assert page.metadata["front_matter"]["tags"] == ["a", "b"]
    assert page.metadata["front_matter"]["authors"] == ["Mira", "Odd"]
    assert page.modified_at is not None


def test_a_rule_is_no_front_matter() -> None:
    text = "---\nJust words between rules.\n---\nText.\n"
    assert read(text, "a.md").text == text


def test_endless_comment_is_dropped_to_the_end() -> None:
    assert read("seen <!-- hidden for ever", "a.md").text == "seen "


@pytest.mark.parametrize("name", ["a.html", "a.xhtml"])
def test_pages_that_declare_entities_are_refused(name: str) -> None:
    page = '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "aaa"><!ENTITY b SYSTEM "file:///etc/passwd">]><html><p>&b;</p>'
    with pytest.raises(ReadError, match="unsafe_xml"):
        parse(page.encode(), name, ReadOptions())


def test_what_a_document_type_declares_is_no_text() -> None:
    page = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd" [<!ATTLIST p q CDATA "]"> ]><html><p>Words.</p>'
    assert parse(page.encode(), "a.html", ReadOptions())[0].text == "Words."


@pytest.mark.parametrize("place", ["file:///etc/passwd", "/etc/passwd", "..\\\\x", "C:\\x", "../x.dtd", "\\\\host\\x"])
def test_xml_whose_type_is_a_local_file_is_refused(place: str) -> None:
    with pytest.raises(ReadError, match="unsafe_xml"):
        parse(f'<!DOCTYPE svg SYSTEM "{place}"><svg><text>Words</text></svg>'.encode(), "a.svg", ReadOptions())
    public = (
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://w3.example/svg11.dtd"><svg><text>Words</text></svg>'
    )
    assert parse(public.encode(), "a.svg", ReadOptions())[0].text == "Words"


def test_what_an_edit_took_out_is_no_text() -> None:
    [page] = parse(b"<p>The grant is <del>90,000</del> <ins>65,000</ins> crowns.</p>", "a.html", ReadOptions())
    assert page.text == "The grant is 65,000 crowns."
    assert page.notes == ("deleted_text_dropped: 6 characters inside <del>",)


@pytest.mark.parametrize("piece", ["<a", "</a", "<a b=", '<a "'])
def test_tags_that_never_end_are_text_in_linear_time(piece: str) -> None:
    [page] = parse(f"<p>Words. {piece * 100_000}".encode(), "a.html", ReadOptions())
    assert page.text.startswith(f"Words. {piece}{piece}")
