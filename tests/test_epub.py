"""A book becomes its chapters in the order of reading, each with its title and its place in the spine."""

import zipfile
from io import BytesIO

import pytest
from corpus_files import file
from extracted import tiled
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import zipped

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Mark, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract, media_type_of

DUBLIN_CORE = "http://purl.org/dc/elements/1.1/"


def read(data: bytes) -> tuple[Extracted, list[Skip]]:
    assert media_type_of("a.epub", data) == "application/epub+zip"
    items = extract(Raw(name="a.epub", data=data, media_type="application/epub+zip"))
    (document,) = (item for item in items if isinstance(item, Extracted))
    assert [start for start, _ in document.places] == sorted(start for start, _ in document.places)
    return tiled(document), [item for item in items if isinstance(item, Skip)]


def epub(
    chapters: list[str],
    *,
    toc: str = "",
    ncx: str = "",
    aside: tuple[int, ...] = (),
    metadata: str = "",
    doctype: str = "",
    parts: dict[str, str] | None = None,
) -> bytes:
    """Return a book whose chapters are the bodies of OPS/text 1.xhtml, OPS/text 2.xhtml ..."""
    numbers = range(1, len(chapters) + 1)
    items = "".join(
        f'<item id="c{n}" href="text%20{n}.xhtml" media-type="application/xhtml+xml"/>' for n in numbers
    ) + "".join(
        [
            '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>' if toc else "",
            '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' if ncx else "",
        ]
    )
    references = "".join(f'<itemref idref="c{n}" linear="{"no" if n in aside else "yes"}"/>' for n in numbers)
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        "OPS/book.opf": f'<?xml version="1.0"?>{doctype}<package xmlns:dc="{DUBLIN_CORE}">'
        f"<metadata>{metadata}</metadata><manifest>{items}</manifest><spine>{references}</spine></package>",
        "OPS/nav.xhtml": f'<html><body><nav epub:type="toc"><ol>{toc}</ol></nav></body></html>',
        "OPS/toc.ncx": '<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://x/ncx.dtd">'
        f"<ncx><navMap>{ncx}</navMap></ncx>",
    } | {
        f"OPS/text {n}.xhtml": f"<html><head><title/></head><body>{body}</body></html>"
        for n, body in zip(numbers, chapters, strict=True)
    }
    return zipped(members | (parts or {}))


def places(document: Extracted) -> list[tuple[int | None, str]]:
    assert all(place.unit == "chapter" for _, place in document.places)
    return [(place.number, place.name) for _, place in document.places]


def outline(document: Extracted) -> list[tuple[int, int, str]]:
    return [(heading.start, heading.level, heading.text) for heading in document.headings]


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    document, skips = read(file("tika_testEPUB.epub"))
    assert skips == []
    assert places(document) == [(2, "Table of Contents"), (3, "Chapter 1"), (4, "Chapter 2")]  # the cover is a picture
    assert "First item\nSecond item\n\nPlus a simple div,\nand a span\n\nChapter 2" in document.text
    assert "nothing to see here" not in document.text
    assert (document.title, document.author, document.tags) == (
        "An ePub for Tika",
        "Bart Hanssens",
        ("Tika ePub test",),
    )
    assert document.dated == "2009-10-07T00:00:00+00:00"
    assert [heading for _, _, heading in outline(document)][-2:] == ["Subchapter 2.1", "Subchapter 2.2"]


def test_a_title_of_the_contents_stands_above_the_headings_of_its_chapter() -> None:
    toc = '<li><a href="text%201.xhtml#x">第一章 总则</a></li><li><a href="text%202.xhtml">第二章</a></li>'
    document, _ = read(
        epub(["<h1>第一章　总则</h1><h2>一</h2>甲", "<h1>预算</h1>乙", "<h2>附则</h2>丙", "丁"], toc=toc)
    )
    assert document.text == "第一章　总则\n\n一\n\n甲\n\n预算\n\n乙\n\n附则\n\n丙\n\n丁"
    assert places(document) == [(1, "第一章 总则"), (2, "第二章"), (3, "附则"), (4, "")]
    assert outline(document) == [
        (0, 1, "第一章 总则"), (8, 2, "一"), (14, 1, "第二章"), (14, 2, "预算"), (21, 2, "附则"), (28, 1, ""),
    ]  # fmt: skip


def test_titles_are_taken_from_an_ncx_too() -> None:
    point = '<navPoint><navLabel><text>第一章</text></navLabel><content src="text%201.xhtml"/>{}</navPoint>'
    inner = '<navPoint><navLabel><text>第一节</text></navLabel><content src="text%201.xhtml#b"/></navPoint>'
    document, _ = read(epub(["甲"], ncx=point.format(inner)))
    assert (places(document), outline(document)) == ([(1, "第一章")], [(0, 1, "第一章")])


@pytest.mark.parametrize("ncx", ["<broken", "<navPoint>&nbsp;</navPoint>"])
def test_contents_that_are_damaged_cost_no_chapter(ncx: str) -> None:
    document, skips = read(epub(["甲", "乙"], ncx=ncx))
    assert (document.text, places(document), skips) == ("甲\n\n乙", [(1, ""), (2, "")], [])


def test_what_stands_outside_the_order_of_reading_comes_last() -> None:
    document, _ = read(epub(["甲", "乙", "丙"], aside=(1,)))
    assert document.text == "乙\n\n丙\n\n甲"
    assert places(document) == [(2, ""), (3, ""), (1, "")]


def test_metadata_are_taken_from_the_package() -> None:
    metadata = (
        "<dc:title>红楼梦</dc:title><dc:creator>曹雪芹</dc:creator><dc:creator>高鹗</dc:creator>"
        "<dc:subject>小说，清代</dc:subject><dc:subject>古典</dc:subject><dc:date>1791</dc:date><dc:date>1792-01-02</dc:date>"
    )
    document, _ = read(epub(["甲"], metadata=metadata))
    assert (document.title, document.author) == ("红楼梦", "曹雪芹, 高鹗")
    assert (document.tags, document.dated) == (("小说", "清代", "古典"), "1792-01-02T00:00:00+00:00")


def test_a_chapter_is_xhtml() -> None:
    body = '<a id="p"/><p>东<ruby>京<rt>とう</rt></ruby><![CDATA[<b>]]></p><aside epub:type="footnote">注</aside>'
    document, _ = read(epub(["<h1>甲</h1>", body]))
    assert document.text == "甲\n\n东京<b>\n\n注"
    assert document.marks == (Mark(start=4, end=5, kind="reading", note="とう"),)
    assert places(document) == [(1, "甲"), (2, "")]


def test_a_missing_chapter_is_named_and_the_others_are_read() -> None:
    data = epub(["甲", "乙"])
    kept = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(kept, "w") as new:
        for name in old.namelist():
            if name != "OPS/text 1.xhtml":
                new.writestr(name, old.read(name))
    document, skips = read(kept.getvalue())
    assert document.text == "乙"
    assert [(skip.source, skip.reason) for skip in skips] == [
        ("OPS/text 1.xhtml", "this chapter is damaged or missing")
    ]


def encrypted(algorithm: str, part: str) -> dict[str, str]:
    method = f'<e:EncryptionMethod Algorithm="{algorithm}"/>'
    data = f'<e:EncryptedData>{method}<e:CipherData><e:CipherReference URI="{part}"/></e:CipherData></e:EncryptedData>'
    return {"META-INF/encryption.xml": f'<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#">{data}</encryption>'}


def test_a_locked_book_is_told_from_one_with_locked_fonts() -> None:
    aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    with pytest.raises(Unreadable, match="it is locked by its publisher"):
        read(epub(["甲"], parts=encrypted(aes, "OPS/text%201.xhtml")))
    assert read(epub(["甲"], parts=encrypted(aes, "OPS/cover.jpg")))[0].text == "甲"
    assert read(epub(["甲"], parts=encrypted("http://www.idpf.org/2008/embedding", "OPS/a.otf")))[0].text == "甲"


def test_a_document_type_is_passed_over_but_never_expanded() -> None:
    assert read(epub(["甲"], doctype='<!DOCTYPE package SYSTEM "http://x/oeb.dtd">'))[0].text == "甲"
    with pytest.raises(Unreadable, match="its XML has a DTD"):
        read(epub(["甲"], doctype='<!DOCTYPE package [<!ENTITY a "aaaa">]>', metadata="<dc:title>&a;</dc:title>"))


@pytest.mark.parametrize("parts", [{"META-INF/container.xml": "<container/>", "OPS/book.opf": "<broken"}])
def test_a_book_without_a_package_document_is_damaged(parts: dict[str, str]) -> None:
    with pytest.raises(Unreadable, match="damaged"):
        read(epub(["甲"], parts=parts))


def test_a_chapter_named_a_hundred_thousand_times_is_read_once() -> None:
    package = '<package><manifest><item id="a" href="a" media-type="text/html"/></manifest><spine>{}</spine></package>'
    parts = {"OPS/book.opf": package.format('<itemref idref="a"/>' * 100_000), "OPS/a": "甲"}
    assert read(epub([], parts=parts))[0].text == "甲"


@given(chapters=st.lists(st.lists(st.sampled_from("甲乙 "), max_size=3).map("".join), min_size=1, max_size=6))
@settings(deadline=None)
def test_every_chapter_stands_once_in_its_place(chapters: list[str]) -> None:
    if not any(chapter.strip() for chapter in chapters):
        return
    document, _ = read(epub([f"<p>{chapter}</p>" for chapter in chapters]))
    kept = {number: chapter.strip() for number, chapter in enumerate(chapters, 1) if chapter.strip()}
    assert document.text == "\n\n".join(" ".join(chapter.split()) for chapter in kept.values())
    assert [number for number, _ in places(document)] == list(kept)
