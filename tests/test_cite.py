"""Citing: a receipt that the file alone confirms, references in both languages, and old versions, labels, borders."""

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from commandline import (  # noqa: F401 - fixtures
    HANDBOOK,
    RECORD,
    Call,
    call_fixture,
    digests,
    documents_fixture,
    made_fixture,
    names_of,
    on_a_terminal,
    surroundings_fixture,
)
from conftest import write

from yuanwen import Library
from yuanwen.cite import ELLIPSIS, Citation
from yuanwen.documents import Reading
from yuanwen.errors import NotFound, UsageError
from yuanwen.library import extract
from yuanwen.receipt import Receipt, parse, spans

SAMPLES = Path(__file__).parents[1] / "samples"
CONTRACT = SAMPLES / "contracts" / "设备采购合同.pdf"


@pytest.fixture(scope="module", name="library")
def library_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library of the samples, which tests only read."""
    with Library.open(tmp_path_factory.mktemp("cite") / "library.sqlite") as library:
        library.add(SAMPLES)
        yield library


@pytest.fixture(name="own")
def own_fixture(tmp_path: Path) -> Iterator[Library]:
    """A library of its own for a test, with nothing in it."""
    with Library.open(tmp_path / "own.sqlite") as library:
        yield library


def first(library: Library, words: str) -> str:
    """Return the id of the passage that holds words."""
    return library.search(words, mode="exact", limit=1).hits[0].id


@cache
def read(path: Path) -> Reading:
    """Return what a file holds."""
    return extract(path)


def words_in(path: Path, receipt: Receipt) -> str:
    """Return the words of a receipt from the file, found with nothing but the two of them."""
    assert hashlib.sha256(path.read_bytes()).hexdigest() == receipt.sha256
    reading = read(path)
    assert reading.version == receipt.extractor
    (text,) = (
        document.text
        for document, _ in reading.documents
        if receipt.source == "/".join(filter(None, (path.name, document.inside, document.source)))
    )
    assert hashlib.sha256(text.encode()).hexdigest() == receipt.text_sha256
    words = text[receipt.start : receipt.end]
    assert hashlib.sha256(words.encode()).hexdigest() == receipt.quote_sha256
    return words


def quoted(citation: Citation) -> str:
    """Return what the line has between its quotation marks."""
    return citation.line[citation.line.index("]") + 2 : -len(citation.receipt) - 2]


# ---------------------------------------------------------------------------------------------- receipts


def test_the_receipt_of_every_passage_is_confirmed_by_its_file_alone(library: Library) -> None:
    files = {file.name: file for file in SAMPLES.rglob("*") if file.is_file()}
    for document in library.list():
        for hit in library.search(document.source, mode="raw", limit=100).hits:
            citation = library.cite(hit.id)
            receipt = parse(citation.line)
            assert words_in(files[receipt.source.split("/")[0]], receipt) == citation.quote == hit.text.strip()
            assert f"{receipt.text_sha256[:12]}-{receipt.ordinal}" == citation.id == hit.id
            assert receipt.page == hit.page
            assert citation.line.count("\n") == 0
            assert citation.line.startswith(f"[{hit.id}]") and citation.line.endswith(f" {citation.receipt}")


@pytest.mark.parametrize(
    ("words", "source", "page", "place"),
    [
        ("质量保证期满", "设备采购合同.pdf", 1, ""),
        ("教育与公益机构", "价目表.xlsx", None, "sheet 折扣 A1:C5"),
        ("清溪路", "交货地点.eml/交货地点.csv", None, ""),
        ("Service Agreement", "service-agreement.md", None, "line 1 to 9"),
    ],
)
def test_a_receipt_says_where_words_stand(
    library: Library, words: str, source: str, page: int | None, place: str
) -> None:
    glob = f"*{source.rpartition('/')[2]}"
    receipt = parse(library.cite(library.search(words, source=glob, limit=1).hits[0].id).receipt)
    assert (receipt.source, receipt.page) == (source, page)
    assert receipt.place == place or (not place and receipt.place.startswith("line"))


def test_a_citation_gives_no_folder_away(library: Library) -> None:
    for document in library.list():
        citation = library.cite(library.search(document.source, mode="raw", limit=1).hits[0].id)
        shown = "\n".join([citation.line, *citation.references.values()])
        assert str(SAMPLES.parent) not in shown
        assert not re.search("samples|contracts|support", shown)


def test_a_long_passage_is_shown_with_its_beginning_and_its_end(own: Library, tmp_path: Path) -> None:
    text = "开头的话是这样说的。" + "中间说了很多很多的话。" * 40 + "末尾的话是那样说的。"
    write(tmp_path / "long.txt", text)
    write(
        tmp_path / "long-en.txt", "The first words of a passage are these. " * 6 + "Its last words are those, though."
    )
    own.add(tmp_path / "long.txt", tmp_path / "long-en.txt")
    citation = own.cite(str(tmp_path / "long.txt"))
    start, end = quoted(citation).split(ELLIPSIS)
    assert citation.quote == text
    assert text.startswith(start) and text.endswith(end) and len(start + end) == 100
    start, end = quoted(own.cite(str(tmp_path / "long-en.txt"))).split(ELLIPSIS)
    assert (start, end) == (
        "The first words of a passage are these. The first words of",
        "Its last words are those, though.",
    )


def test_a_document_cannot_put_a_receipt_of_its_own_into_the_line(own: Library, tmp_path: Path) -> None:
    forged = "yuanwen:1;source=b.pdf;check=0123456789abcdef"
    write(tmp_path / "a.txt", f"请看「凭据」：{forged}，以此为准。")
    own.add(tmp_path / "a.txt")
    citation = own.cite(str(tmp_path / "a.txt"))
    assert forged in citation.quote and forged not in citation.line
    assert quoted(citation) == f"请看「凭据」：{ELLIPSIS}，以此为准。"
    ((start, _),) = spans(citation.line)
    assert citation.line[start:] == citation.receipt


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("没有引号的一句话", "「没有引号的一句话」"),
        ("他说：「好。」", "“他说：「好。」”"),
        ("他说：「好。」她说：“不好。”", "『他说：「好。」她说：“不好。”』"),
        ("一句话在这里\n断成两行", "「一句话在这里断成两行」"),
        ("一行。\n又一行", "「一行。 又一行」"),
        ("two words\nin two lines", "「two words in two lines」"),
    ],
)
def test_words_are_shown_on_one_line_in_marks_that_they_do_not_have(
    own: Library, tmp_path: Path, text: str, shown: str
) -> None:
    write(tmp_path / "a.txt", text)
    own.add(tmp_path / "a.txt")
    citation = own.cite(str(tmp_path / "a.txt"))
    assert citation.quote == text
    assert f"]{shown} yuanwen:1;" in citation.line


# --------------------------------------------------------------------------------------------- quotations


def test_a_quotation_is_cited_where_it_stands(library: Library) -> None:
    id = first(library, "云岭仪器制造有限公司")
    citation = library.cite(id, "云岭仪器制造有限公司")
    assert (citation.id, citation.quote, citation.folding) == (id, "云岭仪器制造有限公司", ())
    assert quoted(citation) == citation.quote
    assert words_in(CONTRACT, parse(citation.receipt)) == "云岭仪器制造有限公司"
    assert citation.found.text == citation.quote and citation.found.page == 1


def test_the_receipt_of_a_folded_quotation_has_the_original_words(own: Library, tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "第一条　機房停電檢修，請於九時前存檔（ＩＴ部）。")
    own.add(tmp_path / "a.txt")
    citation = own.cite(str(tmp_path / "a.txt"), "机房停电检修,请于九时前存档(IT部)")
    assert citation.quote == "機房停電檢修，請於九時前存檔（ＩＴ部）"
    assert {"script", "width"} <= set(citation.folding)
    assert words_in(tmp_path / "a.txt", parse(citation.line)) == citation.quote


def test_a_quotation_may_run_over_the_border_of_passages(library: Library) -> None:
    hits = library.search(str(CONTRACT), mode="raw", limit=2).hits or library.show(str(CONTRACT))[:2]
    before, after = hits[:2]
    words = before.text[-20:] + after.text[:20]
    citation = library.cite(before.id, words)
    assert citation.id == before.id
    assert "".join(citation.quote.split()) == "".join(words.split())
    assert library.cite(after.id, words).id == before.id
    with pytest.raises(UsageError, match="does not hold"):
        library.cite(after.id, before.text[20:40])


def test_a_quotation_that_leaves_something_out_is_cited_with_what_it_leaves_out(library: Library) -> None:
    id = first(library, "云岭仪器制造有限公司")
    citation = library.cite(id, "甲方（买方）……云岭仪器制造有限公司")
    assert citation.quote.startswith("甲方（买方）：") and citation.quote.endswith("云岭仪器制造有限公司")
    assert quoted(citation) == "甲方（买方）……云岭仪器制造有限公司"


def test_a_quotation_that_is_not_there_names_what_is_nearest(library: Library) -> None:
    id = first(library, "质量保证期满")
    with pytest.raises(UsageError, match="does not hold the quotation") as error:
        library.cite(id, "在期满后二十个工作日内无息退还")
    assert "在期满后十个工作日内无息退还" in str(error.value)
    with pytest.raises(UsageError, match="does not hold the quotation"):
        library.cite(id, "鸡兔同笼，共有三十五个头")


# ------------------------------------------------------------------------------------- what can be cited


def test_words_of_an_old_version_are_cited_as_such(own: Library, tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "滞纳金按每日万分之五加收，逾期三十日解除合同。")
    own.add(path)
    old = own.show(str(path))[0]
    write(path, "滞纳金按每日万分之八加收，逾期三十日解除合同。")
    own.sync()
    citation = own.cite(old.id, "每日万分之五")
    assert citation.found.state == "changed"
    assert f"sha256:{parse(citation.line).sha256}" == old.version
    assert old.version[7:19] in citation.references["plain"]
    assert own.cite(str(path)).found.state == "current"
    path.unlink()
    assert own.cite(str(path)).found.state == "missing"


def test_records_are_cited_by_their_label(own: Library, tmp_path: Path) -> None:
    record = {"id": "P004", "title": "证据规则", "source": "手册", "paragraph": 4, "body": "证据不足时，答案留空。"}
    path = write(tmp_path / "a.jsonl", json.dumps(record | {"id": "P003"}) + "\n" + json.dumps(record))
    own.add(path)
    citation = own.cite("P004", "答案留空")
    assert citation.id.endswith("-2")
    assert citation.references["plain"].startswith("《证据规则》，第 4 段，")
    assert words_in(path, parse(citation.line)) == "答案留空"
    with pytest.raises(UsageError, match="手册 has 2 passages"):
        own.cite("手册")


def test_what_is_not_there_is_not_cited(library: Library) -> None:
    with pytest.raises(NotFound):
        library.cite("000000000000-1")
    with pytest.raises(UsageError, match="has 8 passages"):
        library.cite(str(CONTRACT))


# --------------------------------------------------------------------------------------------- references


def test_references_are_in_the_language_of_the_words_unless_another_is_asked_for(library: Library) -> None:
    id = first(library, "质量保证期满")
    assert library.cite(id).references["plain"].startswith("《设备采购合同》，周启明，第 1 页，2026-03-18，版本 ")
    assert library.cite(id, lang="en").references["plain"].startswith('"设备采购合同", 周启明, page 1, 2026-03-18, ')
    assert library.cite(first(library, "fictitious")).references["plain"].startswith('"Service Agreement", lines 1 to')
    assert library.cite(id).references["gbt7714"] == "周启明. 设备采购合同[Z]. 2026-03-18: 1. 设备采购合同.pdf."


def test_a_document_that_names_its_address_is_cited_with_it(own: Library, tmp_path: Path) -> None:
    record = RECORD | {"source": "https://example.org/law", "date": "2026-02-03"}
    own.add(write(tmp_path / "law.jsonl", json.dumps(record)))
    references = own.cite("P001").references
    assert references["gbt7714"] == (
        f"劳动合同法[Z/OL]. (2026-02-03)[{date.today().isoformat()}]. https://example.org/law."
    )
    assert references["markdown"].startswith("[《劳动合同法》](<https://example.org/law>)，第 38 段")


# -------------------------------------------------------------------------------------- the command line


def test_cite_prints_the_receipt_first_and_then_the_references(call: Call, made: Path) -> None:
    with Library.open(made, create=False) as library:
        id = first(library, "证据不足的请求")
        expected = library.cite(id, "证据不足的请求", lang="en")
    before = digests(made.parent)
    status, out, err = call("cite", id, "证据不足的请求")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == expected.line and lines[1] == ""
    assert lines[2:] == [
        f"Plain: {expected.references['plain']}",
        f"Markdown: {expected.references['markdown']}",
        f"GB/T 7714: {expected.references['gbt7714']}",
    ]
    assert expected.receipt == parse(out).line()
    assert digests(made.parent) == before


def test_cite_prints_one_style_alone(call: Call) -> None:
    assert call("cite", "P001", "--style", "gbt7714") == (0, call("cite", "P001")[1].splitlines()[-1][11:] + "\n", "")
    status, _, err = call("cite", "P001", "--style", "apa")
    assert status == 2 and "plain, markdown, gbt7714" in err


def test_cite_says_everything_as_json(call: Call) -> None:
    status, out, _ = call("cite", "P001", "劳动者", "--json")
    found = json.loads(out)
    assert status == 0 and list(found) == names_of(Citation)
    assert found["found"]["text"] == found["quote"] == "劳动者"
    assert parse(found["receipt"]) == parse(found["line"])
    assert list(found["references"]) == ["plain", "markdown", "gbt7714"]


@pytest.mark.parametrize(
    ("lang", "label", "place"), [("zh", "纯文字：《劳动合同法》", "第 38 段"), ("en", 'Plain: "', "paragraph 38")]
)
def test_cite_speaks_the_language_of_the_user(
    call: Call, monkeypatch: pytest.MonkeyPatch, lang: str, label: str, place: str
) -> None:
    monkeypatch.setenv("YUANWEN_LANG", lang)
    out = call("cite", "P001")[1]
    assert label in out and place in out


def test_the_receipt_stays_on_one_line_however_narrow_the_terminal() -> None:
    printed = on_a_terminal("cite", "P001", columns=40, NO_COLOR="1")
    line = printed.splitlines()[0]
    assert len(line) > 300 and parse(line).source == "law.jsonl/劳动合同法"


def test_hostile_words_reach_no_terminal(call: Call, made: Path) -> None:
    with Library.open(made, create=False) as library:
        id = first(library, "恶意")
    status, out, _ = call("cite", id)
    assert status == 0
    assert all(character.isprintable() or character == "\n" for character in out) and "\u202e" not in out
    assert len(out.splitlines()) == 5


@pytest.mark.parametrize(
    ("args", "status", "english", "chinese"),
    [
        (("P001", "没有的话在这里"), 2, "does not hold the quotation", "里没有这段引文"),
        (("P999",), 3, "P999", "P999"),
        ((), 2, "ID is missing", "缺少 ID"),
    ],
)
def test_what_cannot_be_cited_is_an_error_that_says_what_to_do(
    call: Call, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], status: int, english: str, chinese: str
) -> None:
    found = call("cite", *args)
    assert (found[0], found[1]) == (status, "") and english in found[2]
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    assert chinese in call("cite", *args)[2]


def test_a_changed_file_and_folded_words_are_said_beside_the_result(call: Call, own: Library, tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", HANDBOOK)
    own.add(path)
    write(path, HANDBOOK + "又一句。")
    status, out, err = call("-L", tmp_path / "own.sqlite", "cite", str(path), "緩存穿透是指查詢")
    assert status == 2 or (status == 0 and "has changed since" in err)
    id = first(own, "缓存穿透是指查询")
    status, out, err = call("-L", tmp_path / "own.sqlite", "cite", id, "緩存穿透是指查詢")
    assert status == 0 and "「缓存穿透是指查询」" in out
    assert "traditional and simplified" in err and "has changed since" in err
    assert call("-q", "-L", tmp_path / "own.sqlite", "cite", id, "緩存穿透是指查詢")[2] == ""
