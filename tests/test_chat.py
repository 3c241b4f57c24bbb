"""A model is asked over HTTP: whatever the server does, there is a reply or an error that says what to do."""

import json
import sys
import time
import traceback
from dataclasses import replace
from email.utils import formatdate
from types import ModuleType

import pytest
from chat_server import ChatServer, Turn, broken, chunk, event, failing, hanging, stream, whole
from hypothesis import given
from hypothesis import strategies as st

from yuanwen import chat
from yuanwen.chat import Message, endpoint, replies
from yuanwen.chat.endpoint import Endpoint, Patience, bases, named
from yuanwen.chat.line import RETRIES
from yuanwen.chat.replies import Foreign, Reply
from yuanwen.errors import Unavailable, UsageError, YuanwenError

QUESTION: list[Message] = [{"role": "user", "content": "什么时候？"}]
QUICK = Patience(connect=5, silence=5, backoff=0.001)
HASTY = Patience(connect=5, silence=0.2, backoff=0.001)
KEY = "sk-abcdefghijklmnopqrstuvwxyz012345"
EVENTS = {"Content-Type": "text/event-stream"}


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the environment names an endpoint or a proxy."""
    for name in (endpoint.URL, endpoint.MODEL, *endpoint.KEYS, "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "keyring", None)


def ask(server: ChatServer, *, model: str = "small", key: str = "", patience: Patience = QUICK, url: str = "") -> Reply:
    return chat.reply(Endpoint(url=url or server.url, model=model, key=key, patience=patience), QUESTION)


def trouble(*turns: Turn, key: str = "", patience: Patience = QUICK) -> YuanwenError:
    """Return the error that a server ends in."""
    with ChatServer(*turns) as server, pytest.raises(YuanwenError) as raised:
        ask(server, key=key, patience=patience)
    return raised.value


# ------------------------------------------------------------------------------------------- replies


def test_a_streamed_reply_is_put_together_and_told_piece_by_piece() -> None:
    told: list[str] = []
    with ChatServer(stream("本店", "十点", "关门。")) as server:
        found = chat.reply(Endpoint(url=server.url, model="small", patience=QUICK), QUESTION, told.append)
    assert found == Reply(text="本店十点关门。", finish="complete", model="small-1")
    assert told == ["本店", "十点", "关门。"]
    (asked,) = server.asked
    assert asked.body == {"model": "small", "messages": QUESTION, "stream": True, "temperature": 0}
    assert "authorization" not in asked.headers


def test_a_server_that_does_not_stream_is_understood() -> None:
    message = {"role": "assistant", "content": "十点。"}
    with ChatServer(whole({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})) as server:
        assert ask(server).text == "十点。"
    with ChatServer(whole({"choices": [{"message": message}]})) as server:
        assert ask(server) == Reply(text="十点。", finish="complete", model="small")


@pytest.mark.parametrize(
    "parts",
    [
        (b": keep-alive\n\n", event(chunk({"content": "十点。"})), b": still here\n\n", event(chunk({}, "stop"))),
        (event(chunk({"content": "十点。"}, "stop")).replace(b"data: ", b"data:").replace(b"\n", b"\r\n"),),
        (event(chunk({"content": "十点。"}, "stop")).replace(b"\n", b"\r"), b"data: [DONE]\r\r"),
        (event(chunk({"content": "十点。"}, "stop")).rstrip(b"\n"),),
        ('data: {"choices":\ndata: [{"delta": {"content": "十点。"}}]}\n\n'.encode(), b"data: [DONE]"),
        (event(chunk({"content": "十点。"}))[:-1], event(chunk({}, "stop"))),
        (event({"choices": []}), event(chunk({"content": "十点。"})), event({"choices": []}), b"data:[DONE]"),
        (event(chunk({"content": [{"type": "text", "text": "十"}, {"type": "text", "text": "点。"}]}, "stop")),),
        (event(chunk({"reasoning_content": "几点？"})), event(chunk({"content": "十点。"}, "stop"))),
        (event(chunk({"content": "<think>几点"})), event(chunk({"content": "？</think>\n\n十点。"}, "stop"))),
        (event(chunk({"content": "几点？\n</think>\n十点。"}, "stop")),),
        (event(chunk({"content": "十点。", "tool_calls": None}, "tool_calls")),),
        (b"event: message\nid: 1\nretry: 5\n" + event(chunk({"content": "十点。"}, "stop")),),
    ],
    ids=lambda parts: parts[0][:20],
)  # fmt: skip
def test_what_servers_do_to_the_protocol_does_not_matter(parts: tuple[bytes, ...]) -> None:
    with ChatServer(Turn(parts, headers=EVENTS)) as server:
        found = ask(server)
    assert (found.text, found.finish) == ("十点。", "complete")
    with ChatServer(Turn(tuple(bytes([each]) for part in parts for each in part))) as server:
        assert ask(server).text == "十点。"  # byte by byte, and without a type


@pytest.mark.parametrize(("reason", "finish"), [("length", "cut_off"), ("eos", "complete"), ("stop", "complete")])
def test_a_reply_says_how_it_ended(reason: str, finish: str) -> None:
    with ChatServer(stream("十点", finish=reason)) as server:
        found = ask(server)
        assert (found.text, found.finish) == ("十点", finish)


def test_a_character_in_two_pieces_is_one() -> None:
    pieces = (b'{"choices": [{"delta": {"content": "%s"}}]}' % half for half in (rb"\ud83d", rb"\ude00", rb"\ud83d"))
    with ChatServer(Turn((*(b"data: " + piece + b"\n\n" for piece in pieces), b"data: [DONE]"))) as server:
        assert ask(server).text == "\U0001f600\ufffd"


def test_a_refusal_is_told_apart() -> None:
    with ChatServer(Turn((event(chunk({"refusal": "不行。"})), event(chunk({}, "stop"))))) as server:
        assert ask(server) == Reply(text="不行。", finish="refused", model="small-1")
    with ChatServer(stream("半句", finish="content_filter")) as server:
        found = ask(server)
        assert (found.text, found.finish) == ("", "refused")


def test_a_reply_without_end_is_stopped() -> None:
    with ChatServer(hanging(*["十点。" * 10_000] * 8)) as server:
        found = ask(server)
    assert (len(found.text), found.finish) == (replies.LONGEST_REPLY, "cut_off")


# ------------------------------------------------------------------------------------------- failures


def test_a_server_in_trouble_is_asked_again() -> None:
    with ChatServer(failing(500), failing(503), broken(), stream("十点。")) as server:
        assert ask(server).text == "十点。"
        assert len(server.asked) == 4


def test_a_server_that_stays_in_trouble_is_given_up() -> None:
    with ChatServer(failing(500)) as server:
        with pytest.raises(Unavailable, match=r"cannot answer now: HTTP 500: out of order. Try again later"):
            ask(server)
        assert len(server.asked) == 1 + RETRIES


def test_a_server_says_when_to_come_back() -> None:
    began = time.monotonic()
    with ChatServer(failing(429, Retry_After="1"), stream("十点。")) as server:
        assert ask(server).text == "十点。"
    assert time.monotonic() - began >= 1
    with ChatServer(failing(429, Retry_After="31")) as server:
        with pytest.raises(Unavailable, match="Try again in 31 seconds"):
            ask(server)
        assert len(server.asked) == 1
    later = formatdate(time.time() + 3600, usegmt=True)
    assert "Try again in 3" in str(trouble(failing(503, Retry_After=later)))
    with ChatServer(failing(429, Retry_After="soon"), stream("十点。")) as server:
        assert ask(server).text == "十点。"


def test_a_reply_that_is_cut_off_is_asked_for_once_more() -> None:
    told: list[str] = []
    with ChatServer(broken("本店"), stream("本店十点关门。")) as server:
        found = chat.reply(Endpoint(url=server.url, model="small", patience=QUICK), QUESTION, told.append)
    assert (found.text, found.finish) == ("本店十点关门。", "complete")
    assert told == ["本店", "", "本店十点关门。"]
    for turn in (broken("本店"), stream("本店", finish=None, done=False)):
        with ChatServer(turn) as server:
            assert ask(server) == Reply(text="本店", finish="cut_off", model="small-1")
            assert len(server.asked) == 2


def test_what_breaks_after_the_end_does_not_matter() -> None:
    with ChatServer(replace(stream("十点。", done=False), then="breaks")) as server:
        assert ask(server).finish == "complete"
        assert len(server.asked) == 1


def test_an_error_within_a_stream_is_one() -> None:
    overloaded = event({"error": {"message": "overloaded", "code": 503}})
    with ChatServer(Turn((overloaded,), headers=EVENTS), stream("十点。")) as server:
        assert ask(server).text == "十点。"
    with ChatServer(Turn((event(chunk({"content": "本店"})), overloaded), headers=EVENTS)) as server:
        assert ask(server) == Reply(text="本店", finish="cut_off", model="small-1")
    assert "refuses the request: no such thing" in str(trouble(whole({"error": "no such thing"})))


@pytest.mark.parametrize("alive", [b"", b": keep-alive\n\n", event({"choices": []})])
def test_a_silent_server_is_given_up(alive: bytes) -> None:
    error = trouble(hanging(alive=alive), patience=HASTY)
    assert isinstance(error, Unavailable)
    assert "has written nothing for 0.2 seconds" in str(error)
    with ChatServer(hanging("本店", alive=alive)) as server:
        assert ask(server, patience=HASTY) == Reply(text="本店", finish="cut_off", model="small-1")
        assert len(server.asked) == 1


def test_thoughts_are_a_sign_of_life() -> None:
    thinking = event(chunk({"reasoning_content": "嗯"}))
    with ChatServer(Turn((*[thinking] * 20, *stream("十点。").parts), pace=0.05)) as server:
        assert ask(server, patience=replace(QUICK, silence=0.5)).text == "十点。"


def test_nobody_there_is_said_at_once() -> None:
    with ChatServer(stream("x")) as server:
        url = server.url
    with pytest.raises(Unavailable, match=r"cannot reach http://127.0.0.1:\d+/v1: .*refused.* Is the server running\?"):
        chat.reply(Endpoint(url=url, model="small"), QUESTION)


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (Turn((b"<!doctype html><title>Welcome</title>",)), "does not speak the chat protocol: <!doctype html>"),
        (Turn((b'{"choices": [{"message": {"content": "',)), "does not speak the chat protocol"),
        (Turn((b"[1, 2]",)), "does not speak the chat protocol: [1, 2]"),
        (Turn(()), "does not speak the chat protocol"),
        (Turn((b"data: <html>\n\n",)), "does not speak the chat protocol: <html>"),
        (whole({"hello": "world"}), "does not speak the chat protocol"),
        (Turn((b"{" + b'"a":[' * 100_000,)), "does not speak the chat protocol"),
        (stream(), "the model small wrote nothing. Try again, or another model."),
        (stream("<think>endless", finish="length"), "the model small wrote nothing"),
        (Turn((b"<html>no</html>",), 502), "cannot answer now: HTTP 502: Bad Gateway"),
        (failing(401, "bad"), "asks for a key. Set YUANWEN_LLM_KEY."),
        (
            failing(403, "not in your region"),
            "refuses the request: HTTP 403: not in your region. Check YUANWEN_LLM_KEY",
        ),
        (failing(400, "maximum context length exceeded"), "maximum context length exceeded. If the prompt is too long"),
        (failing(418, "\x1b[31mteapot"), "HTTP 418"),
    ],
)
def test_what_is_no_reply_is_an_error_with_a_next_step(turn: Turn, words: str) -> None:
    assert words in str(trouble(turn))


def test_a_reply_larger_than_any_is_not_read_to_its_end() -> None:
    turn = Turn((b"x" * 2**20,) * 20)
    assert "16 MB, and more" in str(trouble(turn))


# --------------------------------------------------------------------------------- models and addresses


def test_the_only_model_is_taken() -> None:
    with ChatServer(stream("十点。"), models=["lonely"]) as server:
        assert ask(server, model="").text == "十点。"
        assert server.asked[0].body["model"] == "lonely"


def test_where_there_are_several_models_they_are_named() -> None:
    with ChatServer(stream("十点。"), models=["big", "small"]) as server:
        with pytest.raises(UsageError, match=r"several models. Set YUANWEN_LLM_MODEL to one of: big, small."):
            ask(server, model="")
        assert not server.asked
    with (
        ChatServer(stream("十点。"), models=[]) as server,
        pytest.raises(UsageError, match="does not say which models"),
    ):
        ask(server, model="")


def test_an_unknown_model_is_answered_with_those_there_are() -> None:
    missing = failing(404, 'model "huge" not found, try pulling it first')
    listed = r"has no model huge. Set YUANWEN_LLM_MODEL to one of: big, small."
    with ChatServer(missing, models=["big", "small"]) as server, pytest.raises(UsageError, match=listed):
        ask(server, model="huge")
    with ChatServer(missing, models=[]) as server, pytest.raises(UsageError, match="Check YUANWEN_LLM_MODEL"):
        ask(server, model="huge")


@pytest.mark.parametrize("written", ["{host}", "http://{host}", "http://{host}/", "{host}/v1", "http://{host}/v1/"])
@pytest.mark.parametrize("path", ["", "/chat/completions"])
def test_an_address_may_be_written_in_many_ways(written: str, path: str) -> None:
    for base in ("/v1", "") if "v1" not in written else ("/v1",):
        with ChatServer(stream("十点。"), base=base) as server:
            assert ask(server, url=written.format(host=server.host) + path).text == "十点。"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("localhost:11434", "http://localhost:11434/v1"),
        ("192.168.1.5:8000", "http://192.168.1.5:8000/v1"),
        ("[::1]:8080", "http://[::1]:8080/v1"),
        ("https://api.deepseek.com", "https://api.deepseek.com/v1"),
        ("api.deepseek.com", "https://api.deepseek.com/v1"),
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
        ("https://dashscope.aliyuncs.com/compatible-mode", "https://dashscope.aliyuncs.com/compatible-mode"),
        ("https://open.bigmodel.cn/api/paas/v4/", "https://open.bigmodel.cn/api/paas/v4"),
        ("https://a.example/v1beta/openai/", "https://a.example/v1beta/openai"),
        ("https://a.example/v1/chat/completions?api-version=2", "https://a.example/v1?api-version=2"),
    ],
)
def test_an_address_means_what_its_server_documents(written: str, meant: str) -> None:
    assert bases(written)[0] == meant


@pytest.mark.parametrize(
    "written", ["", " ", "http://", "ftp://a.example", "http://a:b:c", "http://a b", "file:///etc"]
)
def test_what_is_no_address_is_said_to_be_none(written: str) -> None:
    with pytest.raises(UsageError, match="is not the address of a server"):
        bases(written)


@given(st.text())
def test_any_address_is_understood_or_refused(text: str) -> None:
    try:
        found = bases(text)
    except UsageError:
        return
    assert all(base.startswith(("http://", "https://")) for base in found)


def test_a_query_stays_behind_the_path() -> None:
    with ChatServer(stream("十点。")) as server:
        ask(server, url=f"{server.url}/chat/completions?api-version=2")
        assert server.asked[0].path == "/v1/chat/completions?api-version=2"


@pytest.mark.parametrize(
    "refused", ["Unsupported value: 'temperature' does not support 0", "you must be verified to stream this model"]
)
def test_an_option_that_a_model_refuses_is_left_out(refused: str) -> None:
    with ChatServer(failing(400, refused), stream("十点。")) as server:
        assert ask(server).text == "十点。"
        assert len(server.asked[1].body) == len(server.asked[0].body) - 1


# --------------------------------------------------------------------------------------------- the key


def test_the_key_is_sent_to_the_endpoint() -> None:
    with ChatServer(stream("十点。")) as server:
        ask(server, key=KEY)
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_redirect_to_another_host_gets_neither_the_key_nor_the_question() -> None:
    with ChatServer(stream("stolen")) as other:
        leading = Turn((), 307, {"Location": f"{other.url}/chat/completions"})
        with ChatServer(leading) as server, pytest.raises(UsageError, match="If you trust that") as raised:
            ask(server, key=KEY)
        assert other.url in str(raised.value)
        assert not other.requests


def test_a_redirect_on_the_same_host_is_followed() -> None:
    with ChatServer(stream("十点。")) as server:
        moved = Turn((), 308, {"Location": f"{server.url}/chat/completions?moved=yes"})
        server.turns.insert(0, moved)
        assert ask(server, key=KEY).text == "十点。"
        assert [each.path for each in server.asked] == ["/v1/chat/completions", "/v1/chat/completions?moved=yes"]
        server.turns = [moved]
        with pytest.raises(UsageError, match="does not speak the chat protocol"):
            ask(server)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_the_key_is_in_no_error(status: int) -> None:
    error = trouble(failing(status, f"Incorrect API key provided: {KEY[:8]}*****2345, {KEY}"), key=KEY)
    told = "".join(traceback.format_exception(error)) + repr(error.values)
    assert KEY[:8] not in told and "2345" not in told
    assert KEY not in repr(Endpoint(url="http://a.example", key=KEY))


def test_a_password_in_an_address_is_used_and_not_told() -> None:
    with ChatServer(failing(500), stream("十点。")) as server:
        url = f"http://me:secret@{server.host}"
        assert ask(server, url=url).text == "十点。"
        assert server.asked[0].headers["authorization"].startswith("Basic ")
    with pytest.raises(Unavailable) as raised:
        ask(server, url=url)
    assert "secret" not in "".join(traceback.format_exception(raised.value))


def test_a_key_that_cannot_be_one_is_refused() -> None:
    assert "characters that no key has" in str(trouble(stream("x"), key="sk-abc\nX-Other: 1"))


def test_an_endpoint_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert named() is None
    monkeypatch.setenv("YUANWEN_LLM_URL", " http://localhost:11434 ")
    monkeypatch.setenv("YUANWEN_LLM_MODEL", "qwen3:8b")
    assert named() == Endpoint(url="http://localhost:11434", model="qwen3:8b")
    assert named(url="b.example", model="other") == Endpoint(url="b.example", model="other")
    monkeypatch.setenv("YUANWEN_LLM_API_KEY", "second\n")
    assert named() == Endpoint(url="http://localhost:11434", model="qwen3:8b", key="second")
    monkeypatch.setenv("YUANWEN_LLM_KEY", "first")
    assert (named() or Endpoint(url="")).key == "first"


def test_a_key_may_be_kept_in_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = ModuleType("keyring")
    kept = {("yuanwen", "api.deepseek.com"): "kept"}
    keyring.get_password = lambda service, user: kept.get((service, user))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    assert named(url="https://api.deepseek.com/v1") == Endpoint(url="https://api.deepseek.com/v1", key="kept")
    assert named(url="https://other.example") == Endpoint(url="https://other.example")
    del keyring.get_password
    assert named(url="https://api.deepseek.com/v1") == Endpoint(url="https://api.deepseek.com/v1")


def test_a_server_of_the_own_network_is_not_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with ChatServer(stream("十点。")) as server:
        assert ask(server).text == "十点。"
    with pytest.raises(Unavailable, match=r"cannot reach http://example.invalid"):
        chat.reply(Endpoint(url="http://example.invalid", model="x"), QUESTION)


def test_a_proxy_that_cannot_be_used_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://127.0.0.1:9")
    monkeypatch.setenv("all_proxy", "gopher://127.0.0.1:9")
    with pytest.raises(UsageError, match="Check HTTPS_PROXY and ALL_PROXY"):
        chat.reply(Endpoint(url="https://example.invalid", model="x"), QUESTION)


# ------------------------------------------------------------------------------------------- properties

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["choices", "delta", "message", "content", "text", "index", "finish_reason", "error", "usage", "model",
         "refusal", "code", "data", "id"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(st.text(max_size=20), min_size=1), st.sampled_from([b"\n", b"\r\n", b"\r"]), st.data())
def test_how_a_stream_is_cut_into_pieces_does_not_matter(texts: list[str], end: bytes, data: st.DataObject) -> None:
    body = b"".join(event(chunk({"content": text})) for text in texts).replace(b"\n", end)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)))))
    parts = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    draft = replies.Draft()
    for document in replies.documents(parts):
        draft.take(document)
    assert draft.reply("m").text == replies.without_thoughts("".join(texts))


@given(st.lists(values.filter(lambda value: isinstance(value, dict)), max_size=4))
def test_any_documents_are_taken_or_refused(documents: list[dict[str, object]]) -> None:
    body = b"".join(b"data: " + json.dumps(document).encode() + b"\n\n" for document in documents)
    draft = replies.Draft()
    for document in replies.documents([body]):
        assert replies.problem(document) is None or isinstance(replies.problem(document), tuple)
        draft.take(document)
        replies.models(document)
    assert isinstance(draft.reply("m").text, str)


@given(st.lists(st.binary(max_size=40), max_size=5))
def test_any_bytes_are_a_reply_or_foreign(parts: list[bytes]) -> None:
    try:
        found = list(replies.documents(parts))
    except Foreign:
        return
    assert all(isinstance(each, dict) for each in found)


@given(st.text(), st.text(alphabet=st.characters(exclude_characters="<")))
def test_thoughts_are_left_out_whole(thought: str, answer: str) -> None:
    assert replies.without_thoughts(f"<think>{thought.replace('</', '')}</think>{answer}") == answer.strip()
    assert replies.without_thoughts(answer) == answer.strip()
