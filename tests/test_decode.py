"""Bytes become the text that their author typed, whatever the encoding."""

import pytest
from corpus_files import file
from hypothesis import given, settings
from hypothesis import strategies as st

from yuanwen.extract.decode import decode, is_utf16

SIMPLIFIED = (
    "预算执行情况的检查由财政部门负责组织。各单位应当按照规定的时间和要求报送材料，并对其真实性负责。"
    "他说今天的会议开得很好，大家都认为这个问题可以在下个月以前解决。水星是太阳系中最小的行星，没有卫星。"
)
TRADITIONAL = (
    "國家圖書館收藏的古籍數量很多，讀者可以在閱覽室裡查閱。這項計畫從去年開始實施，目前已經取得初步的成果。"
    "臺灣位於東亞，四面環海，氣候溫暖，物產豐富，歷史上有許多民族在這裡生活。"
)


def pieces(text: str) -> st.SearchStrategy[str]:
    """Return runs of at least 20 characters of a text."""
    starts = st.integers(0, len(text) - 20)
    return starts.flatmap(lambda at: st.integers(at + 20, len(text)).map(lambda end: text[at:end]))


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "utf-16-le", "utf-16-be", "utf-8", "utf-8-sig", "utf-16"])
@given(text=pieces(SIMPLIFIED))
@settings(max_examples=40, deadline=None)
def test_twenty_simplified_characters_are_enough(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["big5", "big5hkscs", "gb18030", "utf-16-le", "utf-8"])
@given(text=pieces(TRADITIONAL))
@settings(max_examples=40, deadline=None)
def test_twenty_traditional_characters_are_enough(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)).text == text


@given(data=st.binary(max_size=300), declared=st.none() | st.text(max_size=12))
@settings(deadline=None)
def test_any_bytes_become_text_that_utf8_can_hold(data: bytes, declared: str | None) -> None:
    decoded = decode(data, declared=declared)
    decoded.text.encode("utf-8")
    assert "\0" not in decoded.text
    assert decoded.replaced <= decoded.text.count("\ufffd")


@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")))
def test_utf8_comes_back_as_it_was(text: str) -> None:
    decoded = decode(text.encode())
    assert (decoded.text, decoded.encoding, decoded.replaced) == (text, "utf-8", 0)


@pytest.mark.parametrize(
    ("name", "encoding", "end"),
    [
        ("own/poem_gbk.txt", "gb18030", "低头思故乡。\n"),
        ("own/poem_big5.txt", "big5hkscs", "低頭思故鄉。\n"),
        ("own/poem_utf16le_nobom.txt", "utf-16-le", "低头思故乡。\n"),
        ("own/poem_utf16be_bom.txt", "utf-16-be", "低头思故乡。\n"),
        ("own/poem_utf8_bom.txt", "utf-8", "低头思故乡。\n"),
        ("own/poem_gb18030_rare.txt", "gb18030", "生僻字：㐀 䶮 𠀀 𪚥 龘 朱镕基 €\n"),
        ("own/short_gbk.txt", "gb18030", "预算"),
        (
            "own/ascii_prefix_gbk_comment.py",
            "gb18030",
            "本程序用于计算年度预算执行情况，请勿修改。\nprint(x)\n",
        ),
        ("own/crlf_mixed_newlines.txt", "utf-8", "第二行\r第三行\n第四行\u2028第五行\x0c第六页"),
        ("markitdown_test_mskanji.csv", "cp932", "髙橋淳,35,名古屋\r\n"),
        ("unstructured_fake-text-utf-16-le.txt", "utf-16-le", "I love fuzzy blankets"),
    ],
)
def test_real_files_are_read_by_their_encoding(name: str, encoding: str, end: str) -> None:
    decoded = decode(file(name))
    assert (decoded.encoding, decoded.replaced) == (encoding, 0)
    assert decoded.text.endswith(end)
    assert not decoded.text.startswith("\ufeff")


def test_one_bad_byte_leaves_a_gbk_file_gbk() -> None:
    decoded = decode(file("own/gbk_one_bad_byte.txt"))
    assert (decoded.encoding, decoded.replaced, decoded.text.count("\ufffd")) == ("gb18030", 1, 1)
    assert decoded.text.endswith("低头思故乡。\n")


def test_bad_bytes_leave_utf8_text_utf8() -> None:
    data = bytearray((SIMPLIFIED * 3).encode())
    data[31] = data[200] = 0xFF
    decoded = decode(bytes(data))
    assert decoded.encoding == "utf-8"
    assert 2 <= decoded.replaced == decoded.text.count("\ufffd") <= 6


def test_a_replacement_character_of_the_author_is_not_counted() -> None:
    assert decode("坏字 \ufffd".encode()).replaced == 0
    assert decode(("坏字 \ufffd " + SIMPLIFIED).encode("gb18030")).replaced == 0


def test_gb2312_labels_mean_gb18030() -> None:
    decoded = decode("总理朱镕基，㐀，价格€5".encode("gb18030"), declared="GB2312")
    assert (decoded.text, decoded.encoding) == ("总理朱镕基，㐀，价格€5", "gb18030")


@pytest.mark.parametrize("label", ["utf-8", "iso-8859-1", "big5", "windows-1251", "rot13", "no such", "utf-16", "\0"])
def test_a_label_that_lies_loses(label: str) -> None:
    assert decode("关于预算的通知".encode("gbk"), declared=label).text == "关于预算的通知"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Привет, мир", "koi8-r"),
        ("Привет, мир", "windows-1251"),
        ("สวัสดี", "tis-620"),
        ("日本", "euc-jp"),
        ("價格", "big5"),
    ],
)
def test_a_label_decides_where_bytes_alone_cannot(text: str, label: str) -> None:
    assert decode(text.encode(label), declared=label).text == text


@pytest.mark.parametrize(("text", "label"), [("学习", "gbk"), ("目录", "GB2312"), ("学习", "gb18030"), ("職", "big5")])
def test_a_label_for_chinese_decides_where_bytes_are_utf8_only_by_chance(text: str, label: str) -> None:
    data = text.encode(label)
    assert max(decode(data).text) < "\u0800"  # letters of other scripts
    assert (decode(data, declared=label).text, decode(data, declared=label).replaced) == (text, 0)


@pytest.mark.parametrize("label", ["gbk", "big5"])
def test_chinese_in_utf8_is_read_whatever_its_label_says(label: str) -> None:
    assert decode("学习 naïve".encode(), declared=label).encoding == "utf-8"
    assert decode(b"\xef\xbb\xbfna\xc3\xafve", declared=label).text == "naïve"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Il a été très généreux à Noël.", "cp1252"),
        ("café", "cp1252"),
        ("“Quoted” — it’s a dash…", "cp1252"),
        ("これはシフトJISで書かれた文書です", "cp932"),
        ("한국어 문서입니다. 이것은 테스트입니다.", "cp949"),
        ("C盘空间不足", "gb18030"),
    ],
)
def test_other_languages_are_read_too(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_a_nul_becomes_a_replacement_that_is_counted() -> None:
    decoded = decode("数据\0库管理".encode())
    assert (decoded.text, decoded.replaced) == ("数据\ufffd库管理", 1)
    assert decode(b"abc\0def").encoding == "utf-8"


def test_utf16_is_told_from_binary_data() -> None:
    assert is_utf16("This is\na test".encode("utf-16-le"))
    assert is_utf16(SIMPLIFIED.encode("utf-16"))
    assert is_utf16(("一\n" + SIMPLIFIED).encode("utf-16-be"))
    assert not is_utf16(bytes(range(256)) * 8)
    assert not is_utf16(b"\x7fELF\2\1\1" + bytes(64))
    assert not is_utf16(b"!<arch>\n/               0     " + b"".join(n.to_bytes(4, "big") for n in range(999)))
    assert not is_utf16(b"".join(n.to_bytes(4, "little") for n in range(500)))


def test_a_second_of_text_does_not_take_a_minute() -> None:
    assert decode(b"x" * 3_000_000 + "预算".encode("gbk")).text.endswith("预算")
    assert len(decode(b"\xff" * 300_000).text) == 300_000
