"""PDF: bookmarks are headings; properties and attached files are read."""

import pytest
from corpus_files import file
from pdf_files import made, prose, raw, read

from yuanwen.documents import Extracted
from yuanwen.extract import extract


def test_bookmarks_are_headings_where_their_words_stand() -> None:
    data = made(
        [prose("Title page"), prose("Some words", "1 Rules", "of the house", "1.1 Doors", "are shut")],
        catalog="/Outlines 12 0 R",
        objects=[
            "<</Type/Outlines/First 13 0 R/Last 15 0 R/Count 3>>",
            "<</Title(Rules)/Parent 12 0 R/Dest[10 0 R/Fit]/Next 15 0 R/First 14 0 R/Last 14 0 R/Count 1>>",
            "<</Title(1.1 Doors)/Parent 13 0 R/Dest[10 0 R/Fit]>>",
            "<</Title(Not in the text)/Parent 12 0 R/Dest[10 0 R/Fit]/Prev 13 0 R/Next 13 0 R>>",  # a circle
        ],
    )
    document = read(data)
    assert [(h.level, h.text, document.text[h.start :][:7]) for h in document.headings] == [
        (1, "Rules", "1 Rules"),
        (2, "1.1 Doors", "1.1 Doo"),
        (1, "Not in the text", "1.1 Doo"),
    ]


def test_the_outline_of_the_corpus() -> None:
    document = read(file("texlive_zhlipsum.pdf"))
    assert [(h.level, h.text) for h in document.headings[:2]] == [(1, "第1节 简介"), (1, "第2节 使用说明")]
    assert document.text[document.headings[0].start :].startswith("第 1 节 简介\nzhlipsum 宏包")


def test_properties_are_read() -> None:
    info = "/Title(Microsoft Word - Budget 2024.docx)/Author(A. Writer)/Keywords(budget; audit, 2024)"
    document = read(made([prose("Text")], info=info + "/CreationDate(D:2023)/ModDate(D:20240131120000+08'00')"))
    assert (document.title, document.author, document.tags) == ("Budget 2024", "A. Writer", ("budget", "audit", "2024"))
    assert document.dated == "2024-01-31T12:00:00+08:00"


@pytest.mark.parametrize(
    ("said", "dated"),
    [
        ("D:20240131120000Z00'00'", "2024-01-31T12:00:00+00:00"),
        ("D:20160920213331-04'30", "2016-09-20T21:33:31-04:30"),
        ("D:2024", "2024-01-01T00:00:00+00:00"),
        ("2024-01-31", "2024-01-31T00:00:00+00:00"),
        ("D:20241399", None),
        ("yesterday", None),
    ],
)
def test_dates_are_read(said: str, dated: str | None) -> None:
    assert read(made([prose("Text")], info=f"/CreationDate({said})")).dated == dated


@pytest.mark.parametrize("title", ["untitled", "Untitled", "Document1", "Microsoft Word - Document2", "Slide 1"])
def test_what_a_program_calls_a_file_is_no_title(title: str) -> None:
    assert read(made([prose("Text")], info=f"/Title({title})")).title == ""


def test_files_within_the_document_are_read() -> None:
    data = made(
        [prose("See the attachment")],
        catalog="/Names<</EmbeddedFiles<</Names[(note.txt) 10 0 R]>>>>",
        objects=[
            "<</Type/Filespec/F(note.txt)/UF(note.txt)/EF<</F 11 0 R>>>>",
            "<</Type/EmbeddedFile/Length 12>>stream\nattached one\nendstream",
        ],
    )
    first, second = extract(raw(data))
    assert isinstance(first, Extracted) and isinstance(second, Extracted)
    assert (second.text, second.inside) == ("attached one", "note.txt")
