"""What people type becomes a query tree; what does not parse is taken literally, and a note says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yuanwen.query import (
    Both,
    Condition,
    Either,
    Exactly,
    Near,
    Node,
    Query,
    Starting,
    Without,
    Words,
    parse,
    positive,
)


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("缓存 穿透", Words("缓存 穿透")),
        ('"缓存 穿透"', Exactly("缓存 穿透")),
        ('缓存 "穿透 击穿" redis', Both((Words("缓存 redis"), Exactly("穿透 击穿")))),
        ("redis*", Starting("redis")),
        ("缓存 redis*", Both((Words("缓存"), Starting("redis")))),
        ("NEAR(缓存 穿透, 5)", Near(("缓存", "穿透"), 5)),
        ("NEAR(缓存 穿透)", Near(("缓存", "穿透"), 10)),
        ("缓存 AND 穿透", Both((Exactly("缓存"), Exactly("穿透")))),
        ("缓存 OR 穿透", Either((Exactly("缓存"), Exactly("穿透")))),
        ("缓存 -雪崩", Both((Exactly("缓存"), Without(Exactly("雪崩"))))),
        ("缓存 NOT 雪崩", Both((Exactly("缓存"), Without(Exactly("雪崩"))))),
        ('缓存 -"大 雪崩"', None),
        ("title:配置", Exactly("配置", "title")),
        ("title:redis*", Starting("redis", "title")),
    ],
)
def test_syntax_becomes_a_tree(text: str, node: Node | None) -> None:
    found = parse(text)
    assert not found.notes
    if node is not None:
        assert simplified(found.node) == simplified(node)


def simplified(node: Node | None) -> object:
    """Return a tree in which words in a boolean query, of which all are asked for, may be one node or many."""
    match node:
        case Both(parts):
            flat: list[object] = []
            for part in map(simplified, parts):
                if isinstance(part, tuple) and part[0] == "both":
                    flat += part[1:]
                else:
                    flat.append(part)
            return ("both", *flat)
        case Either(parts):
            return ("either", *map(simplified, parts))
        case Without(part):
            return ("without", simplified(part))
        case Words(text):
            return ("both", *(Exactly(word) for word in text.split())) if " " in text else Exactly(text)
        case _:
            return node


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("tag:工作 缓存", (Condition("tag", "工作"),)),
        ('tag:"a b" 缓存', (Condition("tag", "a b"),)),
        ("source:*.pdf type:pdf", (Condition("source", "*.pdf"), Condition("type", "pdf"))),
        ("缓存 -tag:旧", (Condition("tag", "旧", False),)),
    ],
)
def test_filters_are_taken_out_of_the_words(text: str, conditions: tuple[Condition, ...]) -> None:
    found = parse(text)
    assert found.conditions == conditions and not found.notes
    assert (found.node is not None) == ("缓存" in text)


@pytest.mark.parametrize(
    "text",
    ["DEC-0054", "1.0.21", "v2.8.3", "C++", "k:v", "a-b", "-1", "- 缓存", "第三十八条", "“缓存”", "http://x.y/z?a=b",
     "-", "*", "a*b", "and or not", "12:30", "C盘", "~x", "a/b", "#1"],
)  # fmt: skip
def test_what_only_looks_like_syntax_is_plain_words(text: str) -> None:
    assert parse(text) == Query(Words(text))


@pytest.mark.parametrize(
    "text",
    ['a"b', "foo AND", "AND foo", "(x", "x)", "NEAR(", "NEAR(a)", "NEAR(a b, x)", "NOT foo", "-缓存", "a OR",
     "NOT NOT x", '"', "()", "title:", "x tag:a OR y", "(" * 200 + "x" + ")" * 200, "a OR -b c OR", "OR"],
)  # fmt: skip
def test_what_does_not_parse_is_literal_and_noted(text: str) -> None:
    found = parse(text)
    if found.notes:
        assert found.node == Words(text) and not found.conditions
    else:
        assert found.node is not None  # it could be made sense of


@given(st.text(max_size=80))
def test_no_string_fails(text: str) -> None:
    found = parse(text)
    assert (found.node is None) <= (not text.strip() or bool(found.conditions))
    assert all(isinstance(part, str) for part in positive(found.node))


operators = st.lists(
    st.sampled_from(["AND", "OR", "NOT", "(", ")", '"', "x", "缓存", "-y", "a*", "tag:b", "NEAR(a b,1)", "title:"]),
    max_size=15,
)


@given(operators)
def test_no_soup_of_operators_fails(parts: list[str]) -> None:
    for glue in ("", " "):
        text = glue.join(parts)
        found = parse(text)
        if text.strip() and found.node is None:
            assert found.conditions
