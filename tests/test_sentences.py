"""A text falls apart into sentences, in Chinese and in English, and nothing of it is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yuanwen.sentences import sentences

pieces = st.lists(
    st.sampled_from([*'。！？.!?… \n\r"”」)[#|-a甲1A', "\n\n", "\r\n", "e.g", "Dr", "# ", "- "]), max_size=40
)


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@given(st.one_of(st.text(max_size=200), pieces.map("".join)))
def test_sentences_tile_the_text(text: str) -> None:
    assert "".join(cut(text)) == text
    assert all(cut(text))
    assert len(cut(text)) == 1 or all(piece.strip() for piece in cut(text))


@given(
    st.lists(
        st.sampled_from(["天是蓝的。", "真的吗？", "他说：“不行！”", "完了……” ", "The sky is blue. ", "So what? "])
    )
)
def test_sentences_one_after_the_other_are_told_apart(wanted: list[str]) -> None:
    assert cut("".join(wanted)) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Dr. J. Smith met Mr. Jones at 5 p.m. in St. Ives.",
        "Use it, e.g. here, i.e. not there (cf. Fig. 3, No. 5, pp. 7-9).",
        "版本 3.2.1 于 2026.11.30 发布，见 a.b.c。",
        "他走了……第二天又回来。",
        "一行没有完\n接着写完。",
        "1. 第一项",
        "See https://example.org/a?b=c!d for more.",
        "The U.S. Army left… but came back.",
        "[...] and so on",
    ],
)
def test_what_is_one_sentence_stays_one(text: str) -> None:
    assert cut(text) == [text]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("一。\n\n二", ["一。\n\n", "二"]),
        ("没有句号\n\n下一段", ["没有句号\n\n", "下一段"]),
        ("依据如下\n- 甲\n- 乙", ["依据如下\n", "- 甲\n", "- 乙"]),
        ("# 标题\n正文", ["# 标题\n", "正文"]),
        ("| 甲 | 乙 |\n| 丙 | 丁 |", ["| 甲 | 乙 |\n", "| 丙 | 丁 |"]),
        (
            "The answer is no. Then he left at 5 p.m. The end.",
            ["The answer is no. ", "Then he left at 5 p.m. ", "The end."],
        ),
        ('他说"好。"然后走。"再见"是话。', ['他说"好。"', "然后走。", '"再见"是话。']),
        ("他说（当真。）然后走了！！后来呢", ["他说（当真。）", "然后走了！！", "后来呢"]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, wanted: list[str]) -> None:
    assert cut(text) == wanted


@pytest.mark.parametrize("piece", [".", "a", " ", "\n", '"', '。"', ". ", "…", "# ", "|", "(."])
def test_no_text_takes_long(piece: str) -> None:
    text = piece * 50_000
    assert sum(end - start for start, end in sentences(text)) == len(text)
