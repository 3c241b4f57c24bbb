"""`yuanwen verify` as a person and a script meet it: what is printed, where, in which language, and the exit status."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer, stream
from commandline import (  # noqa: F401 - fixtures
    POSIX,
    Call,
    call_fixture,
    digests,
    documents_fixture,
    made_fixture,
    names_of,
    on_a_terminal,
    piped,
    process,
    surroundings_fixture,
)

from yuanwen import verification
from yuanwen.cli import output
from yuanwen.library import Library

RIGHT = "「证据不足的请求不予放行」"
ALTERED = "「缓存穿透是指检索一个一定不存在的数据，于是每次请求都会打到数据库上」"
CLAIM = "quote citation status in_answer found folding changes elsewhere now"
FOUND = "id source title version dated paragraph page place start end text state marks"


@pytest.fixture(name="ids")
def ids_fixture(made: Path) -> tuple[str, str]:
    """The passages on 穿透 and on 雪崩."""
    with Library.open(made) as library:
        return library.search("打到数据库上").hits[0].id, library.search("证据不足").hits[0].id


def written(name: str, text: str) -> Path:
    """Return an answer in the working folder."""
    path = Path(name)
    path.write_text(text, encoding="utf-8")
    return path


def told(done: subprocess.CompletedProcess[bytes]) -> tuple[int, str, str]:
    """Return exit status, stdout and stderr of a process."""
    return done.returncode, done.stdout.decode(), done.stderr.decode()


# -------------------------------------------------------------------------------------------- exit status


def test_a_supported_answer_takes_a_line_for_each_claim_and_exits_with_0(ids: tuple[str, str]) -> None:
    status, out, err = told(process("verify", written("a.md", f"# 答\n\n{RIGHT}[{ids[1]}]。\n")))
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        f"✓ a.md:3 · verbatim · {ids[1]} “{RIGHT[1:-1]}”",
        "",
        "a.md: Supported: the one claim stands.",
    ]


def test_an_altered_quotation_stands_above_its_original_and_exits_with_1(ids: tuple[str, str]) -> None:
    status, out, err = told(process("verify", written("a.md", f"{ALTERED}[{ids[0]}]。\n")))
    assert (status, err) == (1, "")
    head, quoted, original, change, place, _, summary = out.splitlines()
    assert head == f"✗ a.md:1 · altered · {ids[0]}"
    assert quoted.startswith("   quoted:   缓存穿透是指{+检索+}一个") and quoted.endswith("打到数据库上")
    assert original.startswith("   original: 缓存穿透是指[-查询-]一个") and original.endswith("打到数据库上")
    assert change == "   words: 查询 became 检索"
    assert f"→ {ids[0]} · lines 1 to 5 · " in place and place.endswith("handbook.md")
    assert summary == "a.md: Not supported: 0 of 1 claims stand; 1 altered."


def test_nothing_to_verify_is_no_failure(call: Call) -> None:
    status, out, _ = call("verify", written("a.md", "# 只有标题\n"))
    assert status == 0 and "nothing to verify" in out


def test_what_is_not_there_exits_with_3(call: Call) -> None:
    assert call("verify", "no.md") == (3, "", "yuanwen: no file no.md. Check the spelling.\n")
    answer = written("a.md", RIGHT)
    assert call("verify", answer, "--against", "no.pdf")[0] == 3
    assert call("-L", "no.sqlite", "verify", answer)[0] == 3


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("--id", "P001"), "--id says where a quotation is from. Add: --quote TEXT."),
        (("a.md", "--quote", "x"), "one thing is verified at a time. Give files, or --quote, or --proof."),
        (("--proof", "p", "--quote", "x"), "one thing is verified at a time. Give files, or --quote, or --proof."),
        (("--quote", "x", "--quotes-only"), "--quotes-only is for whole answers. Leave it out."),
        (("--proof", "p", "--quotes-only"), "--quotes-only is for whole answers. Leave it out."),
        (("--proof", "p", "--against", "x"), "a proof is checked against a library. Leave out --against."),
        (("a.md", "--password", "x"), "--password is for files that are read now. Add: --against FILE."),
        (("--quote", " "), "the quotation is empty. Say which words: --quote TEXT."),
        (("--quote",), "the option --quote needs a value. See: yuanwen verify --help."),
        (("--quotes",), "there is no option --quotes. Did you mean --quote?"),
        (("folder",), "folder is a folder. Name the files in it that hold answers."),
        (("scan.pdf",), "scan.pdf is not text, but PDF. Give the answer as text or Markdown."),
        (("noise.bin",), "noise.bin is not text. Give the answer as text or Markdown."),
    ],
)
def test_wrong_use_is_one_line_that_says_what_to_do(call: Call, args: tuple[str, ...], problem: str) -> None:
    Path("folder").mkdir()
    Path("scan.pdf").write_bytes(b"%PDF-1.7\n\0\1\2")
    Path("noise.bin").write_bytes(bytes(range(256)) * 8)
    assert call("verify", *args) == (2, "", f"yuanwen: {problem}\n")


# ---------------------------------------------------------------------------------------------- answers


def test_an_answer_may_be_piped_in(ids: tuple[str, str]) -> None:
    for args in ((), ("-",)):
        status, out, _ = told(piped(f"\n{RIGHT}[{ids[1]}]。", "verify", *args))
        assert status == 0 and out.startswith("✓ line 2 · verbatim · ")
    assert told(piped("%PDF-1.7 \0", "verify"))[2].startswith("yuanwen: stdin is not text, but PDF. ")


def test_of_several_files_only_problems_are_told_each_with_its_line(call: Call, ids: tuple[str, str]) -> None:
    Path("folder").mkdir()
    good = written("good.md", f"{RIGHT}[{ids[1]}]。\n")
    bad = written("folder/bad.md", f"\n\n{ALTERED}[{ids[0]}]。\n")
    status, out, _ = call("verify", good, bad, good)
    lines = out.splitlines()
    assert status == 1
    assert lines[0] == "good.md: Supported: the one claim stands."
    assert f"✗ folder/bad.md:3 · altered · {ids[0]}".replace("/", str(bad)[6]) in lines
    assert lines[-1] == "2 files: 1 supported, 1 not supported."
    assert "✓ good.md:1 · verbatim" in call("verify", good, bad, "-v")[1]


def test_a_long_quotation_is_shown_around_what_it_changes(call: Call, documents: Path, tmp_path: Path) -> None:
    long = "".join(f"第{n}项费用由乙方在收到通知后支付，" for n in "甲乙丙丁戊己庚辛壬癸")
    written("source.txt", long)
    answer = written("a.md", f"「{long.replace('第己项', '第巳项')}」\n")
    _, out, _ = call("verify", answer, "--against", "source.txt")
    quoted = next(line for line in out.splitlines() if "quoted:" in line)
    assert "…" in quoted and "{+巳+}" in quoted and len(quoted) < 100 < len(long)
    assert long.replace("第己项", "第{+巳+}项")[:-1] in call("verify", answer, "--against", "source.txt", "-v")[1]


def test_statements_without_a_quotation_may_be_left_alone(call: Call, ids: tuple[str, str]) -> None:
    answer = written("a.md", f"手册写道：{RIGHT}[{ids[1]}]。所有请求都要放行。\n")
    assert call("verify", answer)[0] == 1
    assert call("verify", answer, "--quotes-only")[0] == 0


def test_what_is_supported_is_left_out_where_only_results_are_wanted(call: Call, ids: tuple[str, str]) -> None:
    answer = written("a.md", f"{RIGHT}[{ids[1]}]。\n")
    assert call("verify", answer, "-q") == (0, "a.md: Supported: the one claim stands.\n", "")


@pytest.mark.parametrize(
    ("quote", "id", "status", "shown"),
    [
        ("证据不足的请求不予放行", None, 0, "✓ verbatim"),
        ("证据不足的请求，不予放行", None, 1, "✗ altered"),
        ("证据不足的请求不予放行", "P001", 1, "✗ stands elsewhere · P001"),
        ("证据不足的请求不予放行", "P999", 1, "✗ unknown citation · P999"),
        ("合同自双方签字之日起生效", None, 1, "✗ not found"),
        ("放行", None, 1, "✗ too short to prove anything"),
    ],
)
def test_one_quotation_alone(call: Call, quote: str, id: str | None, status: int, shown: str) -> None:
    done, out, err = call("verify", "--quote", quote, *(("--id", id) if id else ()))
    assert (done, err) == (status, "")
    assert out.splitlines()[0] == shown


def test_the_place_of_a_record_is_its_paragraph(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    args = ("verify", "--quote", "劳动者可以随时解除劳动合同", "--id", "P001")
    assert re.search(r"→ \w{12}-1 · paragraph 38 · 劳动合同法$", call(*args)[1].rstrip())
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    assert "· 第 38 段 ·" in call(*args)[1]


def test_a_superseded_quotation_is_shown_beside_what_stands_there_now(call: Call) -> None:
    note = written("note.md", "---\ndate: 2026-01-05\n---\n\n员工每周远程办公不超过两天，由部门批准。\n")
    call("-L", "own.sqlite", "add", note)
    id = json.loads(call("-L", "own.sqlite", "search", "远程办公", "--json")[1])["hits"][0]["id"]
    answer = written("a.md", f"「员工每周远程办公不超过两天」[{id}]。\n")
    written("note.md", "---\ndate: 2026-06-01\n---\n\n员工每周远程办公不超过三天，由部门批准。\n")
    assert (
        "The file has changed since. Run yuanwen sync, and verify again."
        in call("-L", "own.sqlite", "verify", answer)[1]
    )
    call("-L", "own.sqlite", "sync")
    status, out, _ = call("-L", "own.sqlite", "verify", answer)
    assert status == 1
    assert out.splitlines()[:3] == [
        f"! a.md:1 · no longer current · {id}",
        "   then (2026-01-05): 员工每周远程办公不超过[-两-]天",
        "   now (2026-06-01):  员工每周远程办公不超过{+三+}天",
    ]
    note.unlink()
    call("-L", "own.sqlite", "sync", "--allow-mass-removal")
    assert "The document is gone." in call("-L", "own.sqlite", "verify", answer)[1]


def test_words_that_a_reader_does_not_see_are_told_though_they_stand_there(call: Call) -> None:
    written("offer.html", "<p>押金为三个月租金。<span hidden>退租时押金不予退还。</span></p>")
    answer = written("a.md", "「押金为三个月租金。退租时押金不予退还」\n")
    doubt = "   ! not to be seen by a reader: 退租时押金不予退还"
    for flags in ((), ("-v",), ("-q",)):
        status, out, _ = call("verify", answer, "--against", "offer.html", *flags)
        assert status == 0 and doubt in out.splitlines()
    (claim,) = json.loads(call("verify", answer, "--against", "offer.html", "--json")[1])["claims"]
    (mark,) = claim["found"]["marks"]
    assert tuple(mark) == output.MARK and mark["kind"] == "invisible"


# ------------------------------------------------------------------------------------------ files alone


def test_checking_against_files_needs_no_library_and_makes_none(documents: Path) -> None:
    answer = written("a.md", f"{RIGHT}\n")
    status, _, err = told(
        process("verify", answer, "--against", documents / "handbook.md", YUANWEN_LIBRARY=str(Path("new.sqlite")))
    )
    assert (status, err) == (0, "")
    assert list(Path.cwd().iterdir()) == [answer.absolute()]


def test_what_a_folder_has_that_cannot_be_read_is_told_once(call: Call, documents: Path) -> None:
    first, second = written("a.md", f"{RIGHT}\n"), written("b.md", f"{RIGHT}\n")
    status, out, _ = call("verify", first, second, "--against", documents)
    assert status == 0
    assert out.count("scan.pdf: it is damaged") == 1


def test_a_receipt_is_confirmed_by_its_file_alone(call: Call, documents: Path, ids: tuple[str, str]) -> None:
    line = call("cite", ids[1], RIGHT[1:-1])[1].splitlines()[0]
    letter = written("letter.md", f"{line}\n")
    handbook = documents / "handbook.md"
    status, out, _ = call("verify", letter, "--against", handbook)
    assert status == 0 and "✓ letter.md:1 · verbatim" in out
    copy = written("handbook.md", handbook.read_text("utf-8").replace("不予放行", "予以放行"))
    status, out, _ = call("verify", letter, "--against", copy)
    assert status == 1 and "The file is not the one that was cited" in out
    assert "yuanwen sync" not in out


def test_verifying_and_citing_write_nothing(made: Path, documents: Path, ids: tuple[str, str]) -> None:
    before = digests(made.parent), digests(documents)
    answer = written("a.md", f"{ALTERED}[{ids[0]}]。{RIGHT}[{ids[1]}]\n")
    process("verify", answer)
    process("verify", answer, "--against", documents)
    process("cite", ids[1])
    proof = process("search", "证据不足", "--proof").stdout
    Path("proof.json").write_bytes(proof)
    assert process("verify", "--proof", "proof.json").returncode == 0
    assert (digests(made.parent), digests(documents)) == before


# ------------------------------------------------------------------------------------ answers of a model


def test_in_an_answer_a_mark_stands_behind_what_is_wrong_and_what_it_cites(call: Call, ids: tuple[str, str]) -> None:
    answer = f"穿透：{ALTERED}[{ids[0]}]，雪崩：{RIGHT}[{ids[1]}]。"
    with ChatServer(stream(answer)) as server:
        status, out, _ = call("ask", "缓存", "--url", server.url)
    assert status == 1
    lines = out.splitlines()
    assert lines[0] == answer.replace(f"[{ids[0]}]", f"[{ids[0]}] [⚠ altered]")
    assert lines[2] == f"✗ line 1 · altered · {ids[0]}" and "✓" not in out


# ------------------------------------------------------------------------------------- JSON and languages


def test_json_has_exactly_the_fields_that_are_promised(call: Call, ids: tuple[str, str]) -> None:
    answer = written("a.md", f"{RIGHT}[{ids[1]}]。{ALTERED}[{ids[0]}]。\n")
    status, out, err = call("verify", answer, "--json")
    found = json.loads(out)
    assert (status, err) == (1, "")
    assert " ".join(found) == "verdict counts claims notes"
    assert found["verdict"] == "unsupported" and found["counts"] == {"verbatim": 1, "altered": 1}
    first, second = found["claims"]
    assert " ".join(first) == CLAIM and " ".join(first["found"]) == FOUND
    assert first["citation"] == first["found"]["id"] == ids[1]
    text, (start, end) = answer.read_text("utf-8"), first["in_answer"]
    assert text[start:end] == first["quote"] == first["found"]["text"] == RIGHT[1:-1]
    assert [list(change) for change in second["changes"]] == [names_of(verification.Change)]
    assert second["changes"][0]["original"] == "查询"


def test_json_of_several_files_names_each_and_of_a_quotation_is_its_claim(call: Call, ids: tuple[str, str]) -> None:
    first, second = written("a.md", f"{RIGHT}[{ids[1]}]\n"), written("b.md", "都要放行。\n")
    status, out, _ = call("verify", first, second, "--json")
    answers = json.loads(out)["answers"]
    assert status == 1
    assert [(each["file"], each["verdict"]) for each in answers] == [("a.md", "supported"), ("b.md", "unsupported")]
    claim = json.loads(call("verify", "--quote", RIGHT[1:-1], "--json")[1])
    assert " ".join(claim) == CLAIM and claim["citation"] is None and claim["found"]["id"] == ids[1]


def test_every_field_of_a_verification_is_named_for_json() -> None:
    for names, kind in (
        (output.VERIFICATION, verification.Verification),
        (output.CLAIM, verification.Claim),
        (output.FOUND, verification.Found),
        (output.CHANGE, verification.Change),
    ):
        assert list(names) == names_of(kind)


def test_the_verdict_is_told_in_chinese_as_well(ids: tuple[str, str]) -> None:
    answer = written("a.md", f"{RIGHT}[{ids[1]}]。{ALTERED}[{ids[0]}]。\n")
    _, out, _ = told(process("verify", answer, YUANWEN_LANG="zh"))
    assert out.startswith(f"✓ a.md:1 · 逐字一致 · {ids[1]} “{RIGHT[1:-1]}”\n\n✗ a.md:1 · 有改动 · {ids[0]}\n")
    assert "   引文：" in out and "   原文：" in out and "文字：查询 变成 检索" in out and "第 1 至 5 行" in out
    assert out.endswith("a.md：未通过：2 处中 1 处有据；1 处有改动。\n")


# ------------------------------------------------------------------------------------------ the terminal


@pytest.fixture(name="hostile")
def hostile_fixture() -> Iterator[Path]:
    """An answer that would recolour, retitle and ring, in a quotation, a citation and a sentence."""
    evil = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b31m \u202e"
    yield written("a.md", f"「{evil} 这些话哪里都没有写过」[{'ab' * 6}-1]。{evil} 于是如此。\n\n「evil {evil} bell」\n")


@pytest.mark.skipif(not POSIX, reason="there are no such terminals")
@pytest.mark.parametrize("against", [(), ("--against", "a.md")])
def test_no_control_character_of_an_answer_reaches_the_terminal(hostile: Path, against: tuple[str, ...]) -> None:
    for flags in ((), ("-v",)):
        shown = on_a_terminal("verify", hostile, *against, *flags, NO_COLOR="1")
        assert "a.md:1" in shown
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)
        assert not {"\x1b", "\x07"} & set(process("verify", hostile, *against, *flags).stdout.decode())


@pytest.mark.skipif(not POSIX, reason="there are no such terminals")
@pytest.mark.parametrize("columns", [60, 100])
def test_words_fit_the_terminal_and_are_coloured_by_what_came_of_them(ids: tuple[str, str], columns: int) -> None:
    answer = written("a.md", f"{RIGHT}[{ids[1]}]。{ALTERED}[{ids[0]}]。\n")
    shown = on_a_terminal("verify", answer, columns=columns)
    assert f"\x1b[32m✓ a.md:1 · verbatim · {ids[1]}\x1b[0m" in shown
    assert f"\x1b[31m✗ a.md:1 · altered · {ids[0]}\x1b[0m" in shown
    assert "\x1b[32m[-查询-]\x1b[0m" in shown
    from yuanwen.cli.terminal import cells

    plain = on_a_terminal("verify", answer, columns=columns, NO_COLOR="1")
    assert all(cells(line) <= columns for line in plain.splitlines())
