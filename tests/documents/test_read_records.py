"""Tables, JSON and bookmark exports: one record, one document."""

from __future__ import annotations

import json

import pytest

from kgkit.documents.onefile import parse
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.errors import ReadError


def read(text: str | bytes, name: str, **options: str) -> list[Parsed]:
    return parse(text.encode() if isinstance(text, str) else text, name, ReadOptions(**options))


def fields(parsed: list[Parsed]) -> list[dict[str, str]]:
    return [p.metadata["fields"] for p in parsed]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "k,v\nx,1\ny,2\n"),
        ("a.csv", "k;v\nx;1\ny;2\n"),
        ("a.csv", "k\tv\nx\t1\ny\t2\n"),
        ("a.csv", "k|v\nx|1\ny|2\n"),
        ("a.csv", "sep=;\nk;v\nx;1\ny;2\n"),
        ("a.csv", '"k","v"\r\n"x","1"\r\n"y","2"\r\n'),
        ("a.tsv", "k\tv\nx\t1\ny\t2"),
    ],
)
def test_delimiters(name: str, text: str) -> None:
    assert fields(read(text, name)) == [{"k": "x", "v": "1"}, {"k": "y", "v": "2"}]


def test_cells_hold_anything() -> None:
    rows = fields(read('k,v\n"a, ""quoted""","two\nlines"\n=1+1, 007 \n', "a.csv"))
    assert rows == [{"k": 'a, "quoted"', "v": "two\nlines"}, {"k": "=1+1", "v": " 007 "}]


def test_columns_without_or_with_the_same_name_are_kept() -> None:
    [first, second, third] = read("id,,x,x\n1,a,b,c\n2,,,d\n,,,\n3,e,,", "a.csv")[:3]
    assert first.metadata["fields"] == {"id": "1", "column 2": "a", "x": "b", "x (2)": "c"}
    assert second.metadata["fields"] == {"id": "2", "x (2)": "d"}
    assert (third.status, third.reason) == ("empty", "empty_record")


def test_title_lines_and_missing_headers() -> None:
    [row] = read("Stanley Cups,,\nTeam,Place,Cups\nLeafs,TOR,13\n", "a.csv")
    assert (row.title, row.metadata["fields"]) == ("Stanley Cups", {"Team": "Leafs", "Place": "TOR", "Cups": "13"})
    assert "title_lines" in row.notes[0]
    assert fields(read("1,2\n3,4\n", "a.csv")) == [
        {"column 1": "1", "column 2": "2"},
        {"column 1": "3", "column 2": "4"},
    ]


def test_extra_cells_are_kept() -> None:
    [row] = read("a,b\n1,2,3\n", "a.csv")
    assert row.metadata["fields"] == {"a": "1", "b": "2", "column 3": "3"}


def test_text_column_is_the_text() -> None:
    [row] = read("id,Title,Body\n7,The quay,It is open all night.\n", "a.csv")
    assert (row.record, row.title, row.text) == ("7", "The quay", "It is open all night.")


@pytest.mark.parametrize(
    ("ids", "records"), [(("7", "9"), ["7", "9"]), (("7", "7"), ["1", "2"]), (("7", ""), ["1", "2"])]
)
def test_records_are_named_by_their_own_id_where_it_is_one(ids, records) -> None:
    assert [p.record for p in read(f"id,x\n{ids[0]},a\n{ids[1]},b\n", "a.csv")] == records


def test_unclosed_quote_swallows_nothing() -> None:
    rows = read('a,b\n"unclosed,1\n2,3\n', "a.csv")
    assert fields(rows) == [{"a": '"unclosed', "b": "1"}, {"a": "2", "b": "3"}]
    assert "unclosed_quote" in rows[0].notes[0]


def test_whole_tables_are_one_document() -> None:
    [table] = read("k,v\nx,1\ny,2\n", "a.csv", records="whole")
    assert table.text == "k | v\nx | 1\ny | 2"
    assert table.record is None


@pytest.mark.parametrize("text", ["a,b\n", "\n\n", " , \n", "[]"])
def test_tables_without_rows_say_so(text: str) -> None:
    with pytest.raises(ReadError, match="no_records|no_text"):
        read(text, "a.json" if text == "[]" else "a.csv")


def test_json_lists_and_lines() -> None:
    lines = '{"text": "First one here.", "n": 1}\nbroken\n{"text": "Second."}\nnull\n'
    found = read(lines, "a.jsonl")
    assert [p.status for p in found] == ["ok", "failed", "ok", "empty"]
    assert [p.text for p in found if p.status == "ok"] == ["First one here.", "Second."]
    assert [p.text for p in read('["One.", "Two."]', "a.json")] != []
    [wrapped, _] = read('{"items": [{"id": "a", "text": "One."}, {"id": "b", "text": "Two."}]}', "a.json")
    assert (wrapped.record, wrapped.text) == ("a", "One.")


def test_long_numbers_lose_no_digit() -> None:
    [record] = read('[{"id": 9007199254740993, "n": 123456789012345678901234567890}]', "a.json")
    assert record.record == "9007199254740993"
    assert "123456789012345678901234567890" in record.text


def test_other_json_is_one_document() -> None:
    [document] = read('{"b": {"c": [1, 2]}, "a": "ü"}', "a.json")
    assert json.loads(document.text) == {"b": {"c": [1, 2]}, "a": "ü"}
    assert "ü" in document.text


@pytest.mark.parametrize("text", ['{"a": [1, 2', "nothing", "[" * 100_000])
def test_broken_json_is_corrupt_but_text_in_a_text_file(text: str) -> None:
    with pytest.raises((ReadError, RecursionError), match="corrupt|recursion"):
        read(text, "a.json")
    assert read(text, "a.txt")[0].text == text


POST = {"id_str": "11", "full_text": "Tides &amp; boats", "created_at": "Wed Sep 06 12:00:00 +0000 2023"}
USER = {"screen_name": "mira", "name": "Mira Solen"}
EXPORTS = {
    "flat": [{**POST, "screen_name": "mira", "name": "Mira Solen"}],
    "wrapped": {"anything": [{**POST, "user": USER}]},
    "archive": [{"tweet": {**POST, "user": USER}}],
    "console": {"bookmarks": [{"id": "11", "text": "Tides &amp; boats", "handle": "@mira", "author": "Mira Solen",
                               "timestamp": "2023-09-06T12:00:00Z"}]},
    "api": {"data": {"bookmark_timeline_v2": {"timeline": {"instructions": [{"entries": [
        {"entryId": "tweet-11", "content": {"itemContent": {"tweet_results": {"result": {
            "rest_id": "11", "core": {"user_results": {"result": {"legacy": USER}}}, "legacy": POST}}}}},
        {"entryId": "cursor-bottom", "content": {"value": "x"}}]}]}}}},
}  # fmt: skip


@pytest.mark.parametrize("export", EXPORTS, ids=str)
def test_saved_posts_are_recognised_by_shape(export: str) -> None:
    text = json.dumps(EXPORTS[export])
    if export == "archive":
        text = f"window.YTD.bookmark.part0 = {text}"
    [post] = read(text, "a.js" if export == "archive" else "a.json")
    assert (post.record, post.text, post.title) == ("11", "Tides & boats", "Mira Solen (@mira)")
    assert post.modified_at is not None
    assert post.modified_at.isoformat() == "2023-09-06T12:00:00+00:00"


def test_browser_bookmarks_keep_folders() -> None:
    text = """<!DOCTYPE NETSCAPE-Bookmark-file-1><TITLE>Bookmarks</TITLE><DL><p>
    <DT><H3>Sea</H3><DL><p><DT><A HREF="https://tide.example/" ADD_DATE="1680512400" TAGS="a,b">Tide tables</A>
    <DD>Weekly.<DT><H3>Deep</H3><DL><p><DT><A HREF="https://deep.example/">Deep</A></DL><p></DL><p>
    <DT><A HREF="https://tide.example/">Tide tables</A><DT><A HREF="javascript:void(0)">Run</A></DL>"""
    found = read(text, "a.html")
    assert [(p.status, p.reason) for p in found] == [
        ("ok", None), ("ok", None), ("skipped", "repeat"), ("skipped", "no_bookmark"),
    ]  # fmt: skip
    assert found[0].text == "Tide tables\nWeekly.\nhttps://tide.example/"
    assert found[0].metadata["folders"] == ["Sea"]
    assert found[0].metadata["tags"] == ["a", "b"]
    assert found[1].metadata["folders"] == ["Sea/Deep"]


def test_saved_links_are_recognised_by_shape() -> None:
    item = {"href": "https://a.example/", "description": "A", "extended": "more", "time": "2023-04-03", "tags": "x y"}
    [link] = read(json.dumps([item]), "a.json")
    assert (link.record, link.title, link.text) == ("https://a.example/", "A", "A\nmore\nhttps://a.example/")


def test_articles_with_an_address_are_no_saved_links() -> None:
    body = "The whole text of the article. " * 30
    [article] = read(json.dumps([{"url": "https://a.example/", "title": "A", "tags": ["x"], "body": body}]), "a.json")
    assert article.text == body
    assert article.metadata["fields"]["tags"] == ["x"]


def test_saved_links_as_a_table() -> None:
    text = "title,note,url,folder,tags,created\nTides,weekly,https://t.example/,Sea,a,2023-04-03\nTides,,https://t.example/,Top,b,\n"
    first, second = read(text, "a.csv")
    assert (first.record, first.text) == ("https://t.example/", "Tides\nweekly\nhttps://t.example/")
    assert (first.metadata["folders"], first.metadata["tags"]) == (["Sea", "Top"], ["a", "b"])
    assert second.reason == "repeat"


@pytest.mark.parametrize("number", ["1e5", "1.10", "1E400", "0.12345678901234567890", "-0.0", "2.5"])
def test_numbers_in_json_read_as_typed(number: str) -> None:
    [row] = read(f'[{{"n": {number}}}]', "a.json")
    assert row.text == f"n: {number}"
    assert str(row.metadata["fields"]["n"]) == number
    [whole] = read(f'{{"a": {{"n": [{number}, "{number}"]}}}}', "a.json", records="whole")
    assert f'\n      {number},\n      "{number}"\n' in whole.text


def test_lines_read_whole_keep_broken_ones() -> None:
    lines = '{"a": 1}\n{"a": \n{"a": 2}'
    [whole] = read(lines, "a.jsonl", records="whole")
    assert (whole.text, whole.status) == (lines, "ok")
    assert whole.notes == ("broken_lines: 1 of 3 are no JSON, the first is line 2",)


@pytest.mark.parametrize("column", ["note", "description", "summary"])
def test_no_cell_is_lost_beside_a_remark(column: str) -> None:
    remark = "A long remark about this place and the people who live there."
    [row] = read(f"code,{column}\nNA,{remark}\n", "a.csv")
    assert row.text == f"code: NA\n{column}: {remark}"


def test_rows_without_text_at_the_end_are_counted() -> None:
    assert read("a,b\n1,2\n,\n,\n\n", "a.csv")[-1].notes == ("blank_rows: 2 rows without any text at the end left out",)
    assert read("a,b\n1,2\n\n\n", "a.csv")[-1].notes == ()


LINK = {"name": "Tides", "type": "url", "url": "https://t.example/", "date_added": "13317004800000000"}
PLACE = {"title": "Tides", "type": "text/x-moz-place", "uri": "https://t.example/", "dateAdded": 1672531200000000}
TREES = {
    "chromium": {"roots": {"other": {"name": "Bar", "type": "folder", "children": [
        {"name": "Sea", "type": "folder", "children": [LINK]}]}, "synced": {"children": []}}, "version": 1},
    "firefox": {"title": "", "children": [{"title": "Bar", "type": "text/x-moz-place-container", "children": [
        {"type": "text/x-moz-place-separator"},
        {"title": "Sea", "type": "text/x-moz-place-container", "children": [PLACE]}]}]},
}  # fmt: skip


@pytest.mark.parametrize("browser", TREES)
def test_backups_of_browsers_are_bookmarks(browser: str) -> None:
    [link] = read(json.dumps(TREES[browser]), "a.json")
    assert (link.record, link.title, link.text) == ("https://t.example/", "Tides", "Tides\nhttps://t.example/")
    assert link.metadata["folders"] == ["Bar/Sea"]
    assert link.modified_at is not None
    assert link.modified_at.isoformat() == "2023-01-01T00:00:00+00:00"


def test_repeated_links_keep_what_each_says() -> None:
    items = [{"url": "https://t.example/", "title": "Tides", "note": "Weekly.", "tags": "a"},
             {"url": "https://t.example/", "title": "Tide tables of the north quay", "tags": "b"}]  # fmt: skip
    link, repeat = read(json.dumps(items), "a.json")
    assert link.text == "Tides\nWeekly.\nTide tables of the north quay\nhttps://t.example/"
    assert (link.metadata["tags"], repeat.reason) == (["a", "b"], "repeat")


def test_an_export_called_bookmarks_holds_bookmarks_and_shells() -> None:
    link = {"createdAt": 1672531200, "tags": ["x"], "content": {"type": "link", "url": "https://t.example/"}}
    note = {"createdAt": 1672531200, "tags": [], "content": {"type": "text", "text": "Ask Mira."}}
    shell = {"createdAt": 1672531200, "tags": [], "content": None}
    found = read(json.dumps({"bookmarks": [link, note, shell, None]}), "a.json")
    assert [(p.status, p.text) for p in found] == [
        ("ok", "https://t.example/"), ("ok", "Ask Mira."), ("skipped", ""), ("empty", ""),
    ]  # fmt: skip


def test_posts_signed_by_an_inner_author_are_merged() -> None:
    post = {"id": "1001", "text": "Tides", "author": {"username": "mira"}, "created_at": "2023-04-03T10:30:00+02:00"}
    found = read(
        json.dumps([{**post, "folder": "Sea"}, {**post, "text": "Tides, edited", "folder": "Top"}, 7]), "a.json"
    )
    assert [(p.status, p.reason) for p in found] == [("ok", None), ("skipped", "repeat"), ("skipped", "no_bookmark")]
    assert (found[0].text, found[0].metadata["folders"]) == ("Tides, edited", ["Sea", "Top"])


def test_json_that_is_one_value() -> None:
    assert read('"The whole text."', "a.json")[0].text == "The whole text."
    with pytest.raises(ReadError, match="no_text"):
        read("null", "a.json")


def test_names_that_come_twice_are_both_kept() -> None:
    [row] = read('[{"a": 1, "a": 2, "b": {"c": 3, "c": 4}}]', "a.json")
    assert row.metadata["fields"] == {"a": 1, "a (2)": 2, "b": {"c": 3, "c (2)": 4}}


def test_a_link_saved_thousands_of_times_is_merged_soon() -> None:
    items = [{"url": "https://t.example/", "title": f"t{i:05}", "tags": "x"} for i in range(3_000)]
    found = read(json.dumps(items), "a.json")
    assert found[0].text.count("\n") == 3_000
    assert found[0].text.endswith("\nhttps://t.example/")
