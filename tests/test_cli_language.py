"""The two languages of the command line: each message has its translation, and the locale decides."""

import ast
import re
from collections.abc import Iterator

import pytest
from commandline import (  # noqa: F401 - fixtures
    SOURCE,
    Call,
    call_fixture,
    documents_fixture,
    made_fixture,
    surroundings_fixture,
)

from yuanwen import errors
from yuanwen.cli import app, messages
from yuanwen.cli.chinese import CHINESE
from yuanwen.extract.formats import NAMES


def test_messages_follow_the_language(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Nothing found" in call("search", "zebra")[1]
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    status, out, err = call("show", "nothing-1")
    assert (status, out) == (3, "")
    assert err == ("yuanwen: 没有片段或文档 nothing-1。请用 yuanwen search 或 yuanwen list 查找。\n")
    assert "没有找到" in call("search", "zebra")[1]
    assert "已损坏。请重新保存，或另取一份。" in call("status")[1]
    assert call("search", "x", "--limit", "0")[2] == (
        "yuanwen: --limit 要用不小于 1 的整数。用法见：yuanwen search --help。\n"
    )


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW.Big5"}, "zh"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8", "LC_ALL": ""}, "en"),
        ({"LANG": "C", "LC_ALL": "C", "YUANWEN_LANG": "zh"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "YUANWEN_LANG": "en"}, "en"),
    ],
)
def test_the_first_variable_that_is_set_names_the_language(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], language: str
) -> None:
    for name in messages.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert messages.language() == language


CHINESE_EXAMPLES = ("search", "add", "show", "extract", "prompt", "ask", "verify", "synonyms")


@pytest.mark.parametrize("verb", ["", *app.VERBS])
def test_every_verb_has_help_in_both_languages(call: Call, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    args = [verb, "--help"] if verb else ["--help"]
    status, english, err = call(*args)
    assert (status, err) == (0, "")
    assert english.startswith(f"Usage: yuanwen {verb}")
    assert english.isascii() or verb in CHINESE_EXAMPLES
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    status, chinese, _ = call(*args)
    assert status == 0
    assert chinese.startswith(f"用法：yuanwen {verb}")
    meanings = [line.split("  ")[-1] for line in chinese.splitlines() if line.startswith("  -")]
    assert meanings and all(re.search(r"[\u4e00-\u9fff]|JSON", meaning) for meaning in meanings)


def test_every_message_has_a_translation_with_the_same_fields() -> None:
    found = list(_messages())
    assert len(found) > 150
    for template, where in found:
        if re.search("[A-Za-z]{2}", re.sub(r"\{[^{}]*\}", "", template)):
            assert template in CHINESE, f"{where}: {template!r} has no translation"
    for template, translation in CHINESE.items():
        assert _fields(template) == _fields(translation), template


def test_every_hint_has_a_translation_wherever_it_stands() -> None:
    for path, tree, _ in _modules():
        if not path.startswith("cli"):
            for text, where in _strings(tree, path):
                if re.fullmatch(r"[A-Z][a-z]+\b[^\n]* [^\n]*\.", text):
                    assert text in CHINESE, f"{where}: {text!r} has no translation"


def test_every_kind_of_file_has_a_name_in_chinese() -> None:
    for name in NAMES.values():
        assert name in CHINESE or not re.search(r"(?:^|[ (])[a-z]{2}", name), name


def test_nothing_is_translated_that_is_never_said() -> None:
    said = {
        _shape(text)
        for path, tree, _ in _modules()
        if not path.startswith("cli/chinese")
        for text, _ in _strings(tree, path)
    }
    faults = {_shape(f'record {{record}}: "{{field}}" {text}') for text in said}
    for template in CHINESE:
        assert _shape(template) in said | faults, template


def test_every_sentence_that_is_filled_already_is_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    for sentence, where in _filled_messages():
        assert messages.filled(sentence) != sentence, f"{where}: {sentence!r} has no translation"
    assert messages.filled("PDF is not supported yet") == "暂不支持 PDF"
    assert messages.filled("a note that nobody wrote") == "a note that nobody wrote"
    assert messages.filled("compressed data (zstd) is not supported yet") == "暂不支持 压缩数据（zstd）"
    assert messages.filled("a/b: c.docx: it is damaged") == "a/b: c.docx：已损坏"
    assert messages.filled("a/b: c.docx: nobody wrote this") == "a/b: c.docx: nobody wrote this"
    assert messages.filled("pages 3 to 5 are damaged") == "第 3 至 5 页已损坏"
    record = 'record 2 (id "P9"): "body" is empty'
    assert messages.filled(record) == '第 2 (id "P9") 条记录的“body”是空的'


def _fields(template: str) -> list[str]:
    return sorted(re.findall(r"\{[^{}]*\}", template))


def _messages() -> Iterator[tuple[str, str]]:
    """Yield the texts that are translated as they stand, with the module of each."""
    makers = {name for name, kind in vars(errors).items() if isinstance(kind, type)}
    makers |= {"CannotRead", "Skip", "Finding", "Group"}
    for path, tree, names in _modules():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = _name(call.func)
            wanted: list[ast.expr] = []
            if name in ("say", "count", "_see_help"):
                wanted = [arg for arg in call.args if name == "say" or not isinstance(arg, ast.Name)]
            elif name in makers:
                keys = ("hint", "reason", "detail", "fix", *(["name"] if name in ("Finding", "Group") else []))
                wanted = [*call.args[:1], *(k.value for k in call.keywords if k.arg in keys)]
            elif name in ("skip", "_skip") or _is_added(call):
                wanted = call.args
            wanted += [k.value for k in call.keywords if k.arg in LISTS]
            yield from ((text, path) for node in wanted for text in _texts(node, names) if text)
        for name in TABLES.get(path, ()):
            for value in names[name]:
                yield from ((text, path) for text in _texts(value, names))
        if path == "walk.py":
            for table in (node for node in ast.walk(tree) if isinstance(node, ast.Dict)):
                for node in (*table.keys, *table.values):
                    if isinstance(node, ast.Constant) and isinstance(node.value, str):
                        yield node.value, path


TABLES = {
    "cli/passage.py": ("DOUBTS", "CHANGES"),
    "extract/mail.py": ("ENCRYPTED",),
    "extract/pdf.py": ("_PROBLEMS",),
}
LISTS = ("notes", "warnings", "problems", "repaired")


def _is_added(call: ast.Call) -> bool:
    """Return whether a call appends to a list of sentences."""
    function = call.func
    return isinstance(function, ast.Attribute) and function.attr == "append" and _name(function.value) in LISTS


def _filled_messages() -> Iterator[tuple[str, str]]:
    """Yield the f-strings that the library hands out as sentences, each field filled with a 7."""
    for path, tree, names in _modules():
        if path.startswith(("cli", "doctor")):
            continue
        for node in ast.walk(tree):
            found: list[ast.expr] = []
            if isinstance(node, ast.Call) and _is_added(node):
                found = list(node.args)
            elif isinstance(node, ast.Return) and isinstance(node.value, ast.List):
                found = node.value.elts
            elif isinstance(node, ast.Call) and _name(node.func) in ("Skip", "Unreadable"):
                found = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "reason")]
            for each in found:
                for string in _options(each, names):
                    if isinstance(string, ast.JoinedStr):
                        parts = (p.value if isinstance(p, ast.Constant) else "7" for p in string.values)
                        sentence = re.sub(r"\{\w+\}", "7", "".join(map(str, parts)))
                        if sentence != "7: 7":  # a name, and a sentence that is yielded where it is made
                            yield sentence, path


def _modules() -> Iterator[tuple[str, ast.Module, dict[str, list[ast.expr]]]]:
    """Yield each module with what its names are assigned, but those that speak to models and other programs alone."""
    for path in sorted(SOURCE.rglob("*.py")):
        if path.parent.name == "mcp_server" and path.stem != "checkup":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names: dict[str, list[ast.expr]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        names.setdefault(target.id, []).append(node.value)
        yield path.relative_to(SOURCE).as_posix(), tree, names


_DESCRIBED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def _strings(tree: ast.Module, path: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of a module but its docstrings, the fields of f-strings as braces."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, _DESCRIBED)]
    described = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values), path
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
            yield node.value, path


def _shape(template: str) -> str:
    return re.sub(r"\{[^{}]*\}", "{}", template)


def _name(node: ast.expr) -> str:
    return getattr(node, "id", "") or getattr(node, "attr", "")


def _options(node: ast.expr, names: dict[str, list[ast.expr]]) -> Iterator[ast.expr]:
    """Yield what an expression may be: both sides of a choice, the values of a name, the items of a tuple."""
    if isinstance(node, ast.IfExp):
        yield from (*_options(node.body, names), *_options(node.orelse, names))
    elif isinstance(node, ast.Dict):
        yield from (option for item in node.values for option in _options(item, names))
    elif isinstance(node, ast.Tuple | ast.List):
        yield from (option for item in node.elts for option in _options(item, names))
    elif isinstance(node, ast.Name):
        yield from (option for value in names.get(node.id, ()) for option in _options(value, {}))
    else:
        yield node


def _texts(node: ast.expr, names: dict[str, list[ast.expr]]) -> Iterator[str]:
    for option in _options(node, names):
        if isinstance(option, ast.Constant) and isinstance(option.value, str):
            yield option.value
