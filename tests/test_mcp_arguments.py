"""What clients send as arguments of a tool -> values of the right types, or an error that helps."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from yuanwen.errors import UsageError
from yuanwen.mcp_server.arguments import Parameter, read, schema
from yuanwen.mcp_server.tools import TOOLS, Tool

PARAMETERS = (
    Parameter(name="query", kind="text", description="What to look for.", aliases=("q",)),
    Parameter(name="mode", kind="choice", description="How to look.", default="ranked", choices=("ranked", "exact")),
    Parameter(name="limit", kind="number", description="Hits.", default=8, aliases=("top_k", "k"), least=1, most=50),
    Parameter(name="tags", kind="list", description="Tags.", default=(), aliases=("tag",)),
    Parameter(name="source", kind="text", description="Where.", default="", aliases=("path",)),
)
EVERY_TOOL = pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])


def values(**given: Any) -> dict[str, Any]:
    """Return what is read from arguments beside a query."""
    return read("search", PARAMETERS, {"query": "证据"} | given)[0]


def error(**given: Any) -> str:
    with pytest.raises(UsageError) as caught:
        values(**given)
    return str(caught.value)


# --------------------------------------------------------------------------------------------- left out


@pytest.mark.parametrize("nothing", ["", None, [], {}, [None], [""]])
@pytest.mark.parametrize("name", ["mode", "limit", "tags", "source"])
def test_what_is_sent_empty_is_not_given(name: str, nothing: Any) -> None:
    assert values(**{name: nothing}) == values()


@pytest.mark.parametrize("nothing", ["null", "None", " undefined ", "  "])
@pytest.mark.parametrize("name", ["mode", "limit"])
def test_a_choice_or_number_may_be_left_out_in_words(name: str, nothing: str) -> None:
    assert values(**{name: nothing}) == values()


def test_null_is_a_word_that_can_be_looked_for() -> None:
    assert values(query="null", source="null", tags="null") == values() | {
        "query": "null",
        "source": "null",
        "tags": ("null",),
    }


@pytest.mark.parametrize("nothing", ["", None, []])
def test_what_is_required_is_asked_for_with_what_it_is(nothing: Any) -> None:
    (fetch,) = (each for each in TOOLS if each.name == "fetch")
    with pytest.raises(UsageError, match="fetch needs id"):
        read("fetch", fetch.parameters, {"id": nothing})


def test_the_query_is_named_as_required_though_raw_can_do_without() -> None:
    (search,) = (each for each in TOOLS if each.name == "search")
    assert schema(search.parameters)["required"] == ["query"]
    assert read("search", search.parameters, {"mode": "raw"})[0]["query"] == ""


# ------------------------------------------------------------------------------------------------ types


@pytest.mark.parametrize("three", [3, "3", " 3 ", 3.0, "3.0", [3], ["3"]])
def test_a_number_may_come_as_a_string(three: Any) -> None:
    assert values(limit=three)["limit"] == 3


@pytest.mark.parametrize("wrong", ["three", 2.5, "2.5", True, "NaN", "inf", float("nan"), [1, 2], {"n": 3}, [[3]]])
def test_what_is_no_whole_number_is_refused_by_name(wrong: Any) -> None:
    said = error(limit=wrong)
    assert said.startswith("limit has to be a whole number, and is ")
    assert said.endswith("It is hits.")


@pytest.mark.parametrize(("sent", "kept"), [(0, 1), (-5, 1), (51, 50), (10**30, 50), ("1e300", 50)])
def test_a_number_out_of_range_is_kept_in_range_and_a_note_says_so(sent: Any, kept: int) -> None:
    found, notes = read("search", PARAMETERS, {"query": "证据", "limit": sent})
    assert found["limit"] == kept
    assert notes == [f"limit goes from 1 to 50: {kept} was used"]


@pytest.mark.parametrize("two", [["工作", "后端"], '["工作", "后端"]', ["工作", None, "", "后端"]])
def test_a_list_may_come_as_json_text(two: Any) -> None:
    assert values(tags=two)["tags"] == ("工作", "后端")


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("工作", ("工作",)),
        (7, ("7",)),
        ([7, 1.5], ("7", "1.5")),
        ("[3fa92c1b77d0-4] 引文", ("[3fa92c1b77d0-4] 引文",)),
        ("[", ("[",)),
        ('{"a": 1}', ('{"a": 1}',)),
    ],
)
def test_a_string_is_a_list_of_one(sent: Any, kept: tuple[str, ...]) -> None:
    assert values(tags=sent)["tags"] == kept


@pytest.mark.parametrize("wrong", [{"a": 1}, [["a"]], [{"a": 1}], True, [False]])
def test_what_is_no_list_of_strings_is_refused_by_name(wrong: Any) -> None:
    assert error(tags=wrong).startswith("tags has to be a list of strings, and is ")


@pytest.mark.parametrize(("sent", "kept"), [(2026, "2026"), (1.5, "1.5"), (["a"], "a"), ("  a ", "  a ")])
def test_a_text_may_come_as_a_number(sent: Any, kept: str) -> None:
    assert values(source=sent)["source"] == kept


@pytest.mark.parametrize("wrong", [True, {"a": 1}, ["a", "b"], [["a"]]])
def test_what_is_no_text_is_refused_by_name(wrong: Any) -> None:
    assert error(source=wrong).startswith("source has to be a string, and is ")


@pytest.mark.parametrize("sent", ["exact", "EXACT", " exact ", ["exact"]])
def test_a_choice_is_read_whatever_its_case(sent: Any) -> None:
    assert values(mode=sent)["mode"] == "exact"


def test_a_choice_that_there_is_not_is_answered_with_the_nearest() -> None:
    assert error(mode="exct") == "mode cannot be exct. Did you mean exact? It is one of: ranked, exact."
    assert error(mode=["quick"]) == "mode cannot be quick. It is one of: ranked, exact."


# ------------------------------------------------------------------------------------------------ names


@pytest.mark.parametrize("name", ["top_k", "topK", "TOP-K", "k", "K", "Limit", " limit "])
def test_a_parameter_has_other_names(name: str) -> None:
    assert values(**{name: 3})["limit"] == 3


def test_the_same_value_twice_is_one_and_two_values_are_refused() -> None:
    assert values(k=3, limit="3", topK=None) == values(limit=3)
    assert error(k=3, limit=4) == "limit is given twice, with two values. Give it once."


@pytest.mark.parametrize(
    ("name", "near"), [("lmit", "limit"), ("querry", "query"), ("sources", "source"), ("top-kk", "limit")]
)
def test_an_unknown_parameter_is_refused_with_the_nearest(name: str, near: str) -> None:
    assert error(**{name: None}) == (
        f"search has no parameter {name}. Did you mean {near}? It takes: query, mode, limit, tags, source."
    )


def test_an_unknown_parameter_that_is_like_none_is_refused_with_all() -> None:
    assert error(zzz=1) == "search has no parameter zzz. It takes: query, mode, limit, tags, source."


@EVERY_TOOL
def test_no_name_means_two_parameters(tool: Tool) -> None:
    names = [name for each in tool.parameters for name in (each.name, *each.aliases)]
    assert len(set(names)) == len(names)


# --------------------------------------------------------------------------------------------- anything

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**4999, max_value=10**5001)
    | st.floats()
    | st.text()
    | st.sampled_from(
        ["null", "[", "[]", '["a"]', "[[1]]", "3", "1e999", "\0", "\ud800", "a" * 5000, "exact", "ranked"]
    )
)
WILD = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3))


@st.composite
def any_arguments(draw: st.DrawFn, tool: Tool) -> dict[str, Any]:
    """Return any JSON object, of which the names are those of the tool more often than not."""
    known = [name for each in tool.parameters for name in (each.name, *each.aliases)] or ["x"]
    names = st.sampled_from(known) | st.sampled_from([name.title().replace("_", "") for name in known]) | st.text()
    return draw(st.dictionaries(names, WILD, max_size=6))


@EVERY_TOOL
@given(data=st.data())
@settings(max_examples=80)
def test_any_object_gives_values_of_the_right_types_or_an_error_that_names_the_parameter(
    tool: Tool, data: st.DataObject
) -> None:
    given = data.draw(any_arguments(tool))
    try:
        found, notes = read(tool.name, tool.parameters, given)
    except UsageError as wrong:
        said = str(wrong)
        assert len(said) < 500
        assert tool.name in said or any(said.startswith(f"{each.name} ") for each in tool.parameters)
        assert wrong.hint
        return
    assert set(found) == {each.name for each in tool.parameters}
    assert all(isinstance(note, str) for note in notes)
    for each in tool.parameters:
        value: Any = found[each.name]
        assert type(value).__name__ == {"text": "str", "choice": "str", "number": "int", "list": "tuple"}[each.kind]
        assert each.kind != "number" or each.least <= value <= each.most
    lists = {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}
    published = schema(tool.parameters)
    jsonschema.validate(lists, published)
    assert read(tool.name, tool.parameters, lists) == (found, [])


@given(value=st.integers(-(10**12), 10**12) | st.text(min_size=1) | st.lists(st.text(), max_size=4))
@example(value="null")
@example(value=["[1]"])
def test_a_value_is_the_same_as_itself_and_as_a_string(value: Any) -> None:
    as_text = value if isinstance(value, str) else json.dumps(value)
    for each in PARAMETERS:
        if isinstance(value, int) or (isinstance(value, list) and each.kind == "list"):
            assert outcome(each, value) == outcome(each, as_text)


def outcome(parameter: Parameter, value: Any) -> Any:
    try:
        return read("search", (parameter,), {parameter.name: value})
    except UsageError as wrong:
        return wrong.what


@given(depth=st.integers(1, 500))
def test_no_depth_is_too_deep(depth: int) -> None:
    value: Any = "a"
    for _ in range(depth):
        value = [value]
    for each in PARAMETERS:
        outcome(each, value)
        outcome(each, json.dumps(value))


# -------------------------------------------------------------------------------------------- published


@EVERY_TOOL
def test_a_schema_is_sound_and_plain(tool: Tool) -> None:
    published = schema(tool.parameters)
    jsonschema.Draft202012Validator.check_schema(published)
    assert not set(words_of(published)) & {"$ref", "$defs", "oneOf", "anyOf", "allOf"}
    assert published["additionalProperties"] is False
    assert all(each["description"].endswith(".") for each in published["properties"].values())


def words_of(thing: Any) -> list[str]:
    """Return the keys of a schema, and of all within it."""
    if isinstance(thing, list):
        return [word for each in thing for word in words_of(each)]
    if isinstance(thing, dict):
        return [*thing, *(word for each in thing.values() for word in words_of(each))]
    return []


@EVERY_TOOL
def test_every_default_fits_its_schema(tool: Tool) -> None:
    for each in schema(tool.parameters)["properties"].values():
        if "default" in each:
            jsonschema.validate(each["default"], each)
