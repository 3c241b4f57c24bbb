"""A proof of a search can be run again: it holds, or says what has changed; one that was changed or damaged is told."""

import copy
import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest
from commandline import (  # noqa: F401 - fixtures
    Call,
    call_fixture,
    documents_fixture,
    made_fixture,
    names_of,
    on_a_terminal,
    surroundings_fixture,
)
from conftest import Shelf
from hypothesis import given
from hypothesis import strategies as st

from yuanwen import Library, proof
from yuanwen.cli import output
from yuanwen.cli.proof import lines
from yuanwen.cli.terminal import Screen
from yuanwen.errors import Busy, QueryError, UsageError
from yuanwen.model import MODES, Mode
from yuanwen.proof import Proof, ProofCheck

HANDBOOK = "# 手册\n\n证据不足时，答案留空。\n\n缓存穿透会打到数据库。\n"
CONTRACT = "# 合同\n\n违约金按日万分之五计算。\n"


@pytest.fixture(name="kept")
def kept_fixture(shelf: Shelf) -> Shelf:
    """A shelf with two documents."""
    shelf.add(handbook_md=HANDBOOK, contract_md=CONTRACT)
    return shelf


def document(made: Proof) -> str:
    """Return a proof as the command line prints it."""
    return json.dumps(output.proof(made), ensure_ascii=False)


def sealed(given: dict[str, Any]) -> str:
    """Return a proof with digests that fit, whatever it says."""
    sections = [section.name for section in fields(Proof)]
    digests = {name: proof.digest(given[name]) for name in sections}
    return json.dumps(given | {"digests": digests, "digest": proof.digest([proof.FORMAT, proof.VERSION, digests])})


def text(checked: ProofCheck) -> str:
    return "\n".join(lines(Screen(None), checked, verbose=False))


# ------------------------------------------------------------------------------------------ what it says


def test_a_proof_says_what_was_asked_and_what_was_made_of_it(kept: Shelf) -> None:
    made = kept.library.prove('證據 -Redis "答案" tag:工作', source="*.md", since="2020", mode="ranked")
    assert made.asked.query == '證據 -Redis "答案" tag:工作'
    assert made.understood.query == 'all(phrase("证据"), not(phrase("redis")), phrase("答案"))'
    assert made.understood.terms[:2] == ("证据", "据")
    assert made.understood.filters == ("tag:工作", "source:*.md")
    assert made.asked.since.startswith("2020-01-01T00:00:00")
    assert kept.library.prove("ＡＢＣ  證據", mode="exact").understood.query == 'string("abc  证据")'
    assert kept.library.prove("", mode="raw").understood.query == "everything"
    assert kept.library.prove("手册 NEAR(缓存 穿透, 5) title:手* OR x").understood.query.startswith("any(")


def test_a_proof_names_the_versions_that_were_searched_and_what_was_found(kept: Shelf) -> None:
    made = kept.library.prove("证据不足", mode="exact")
    listed = {Path(version.source).name: version for version in made.searched.listed}
    assert set(listed) == {"handbook.md", "contract.md"}
    assert made.searched.versions == 2
    assert made.searched.selected is None
    assert made.searched.digest == proof.versions_digest(reversed(made.searched.listed))
    (hit,) = made.result.hits
    assert (made.result.status, made.result.found) == ("evidence_found", 1)
    assert hit.version == f"sha256:{listed['handbook.md'].sha256}"
    assert "证据不足" in HANDBOOK[hit.start : hit.end]


def test_a_proof_of_nothing_says_why_and_how_much_the_filters_left(kept: Shelf) -> None:
    kept.write("scan.pdf", b"%PDF-1.7 nothing to read")
    kept.library.sync()
    made = kept.library.prove("斑马", source="contract.md")
    assert (made.result.status, made.result.absence, made.result.missing_terms) == (
        "abstain", "unsearchable", ("斑马",),
    )  # fmt: skip
    assert [Path(each.source).name for each in made.result.unsearchable] == ["scan.pdf"]
    assert made.searched.selected == len(kept.raw(source="contract.md"))
    assert kept.library.prove("斑马", source="nowhere/*").searched.selected == 0


def test_superseded_versions_are_counted_only_where_they_are_searched(kept: Shelf) -> None:
    kept.write("contract.md", CONTRACT.replace("五", "六"))
    kept.library.sync()
    assert kept.library.prove("违约金").searched.versions == 2
    old = kept.library.prove("万分之五", mode="exact", all_versions=True)
    assert (old.searched.versions, old.result.found) == (3, 1)
    assert kept.library.check_proof(document(old)).verdict == "holds"


def test_many_versions_are_counted_and_not_named(shelf: Shelf) -> None:
    for number in range(proof.LISTED + 1):
        shelf.write(f"{number}.txt", f"文档第 {number} 号")
    shelf.library.add(shelf.folder)
    made = shelf.library.prove("文档")
    assert (made.searched.versions, made.searched.listed) == (proof.LISTED + 1, ())
    shelf.write("7.txt", "改过的文字")
    shelf.write("new.txt", "新的文字")
    (shelf.folder / "8.txt").unlink()
    shelf.library.sync()
    shelf.library.forget(str(shelf.folder / "9.txt"))
    checked = shelf.library.check_proof(document(made))
    assert checked.documents is not None
    found = {(Path(each.source).name, each.change) for each in checked.documents}
    assert found == {("7.txt", "changed"), ("new.txt", "added"), ("8.txt", "gone"), ("", "gone")}
    assert "1 document was forgotten" in text(checked)


# ------------------------------------------------------------------------------------------- checking it


@pytest.mark.parametrize("mode", ["ranked", "exact", "expand", "hybrid", "raw"])
def test_a_proof_holds_while_nothing_changes(kept: Shelf, mode: Any) -> None:
    made = kept.library.prove("" if mode == "raw" else "证据不足 合同", mode=mode, tags=[], since="10y", until="today")
    for again in (False, True):
        library = kept.reopen() if again else kept.library
        checked = library.check_proof(document(made))
        assert (checked.verdict, checked.same_library, checked.programs) == ("holds", True, ())
        assert text(checked).startswith("The proof holds: the same versions give the same result.")


def test_a_proof_holds_over_an_index_that_was_made_anew(shelf: Shelf) -> None:
    for number in range(60):
        shelf.write(f"{number % 20}.md", "\n\n".join(f"第 {n} 条 缓存 {'穿透' * (n % 3)}" * 20 for n in range(number)))
        if number % 20 == 19:
            shelf.library.add(shelf.folder)
    made = [
        shelf.library.prove("缓存穿透", limit=limit, all_versions=old) for limit in (5, 500) for old in (False, True)
    ]
    shelf.library.close()
    shutil.rmtree(f"{shelf.file}.index", ignore_errors=True)
    for each in made:
        assert shelf.open().check_proof(document(each)).verdict == "holds"


def test_a_document_that_changed_is_named_and_so_is_what_became_of_the_result(kept: Shelf) -> None:
    same, other = kept.library.prove("证据不足", mode="exact"), kept.library.prove("违约金", mode="exact")
    kept.write("contract.md", "# 合同\n\n另行约定。\n")
    kept.write("new.md", "# 新\n\n别的文字。\n")
    kept.library.sync()
    checked = kept.library.check_proof(document(same))
    assert (checked.verdict, checked.same_result) == ("library_changed", True)
    assert checked.documents is not None
    found = [(Path(each.source).name, each.change) for each in checked.documents]
    assert found == [("contract.md", "changed"), ("new.md", "added")]
    assert "The result is the same: 1 passage found." in text(checked)
    assert "contract.md: changed" in text(checked)
    checked = kept.library.check_proof(document(other))
    assert (checked.verdict, checked.same_result, checked.found) == ("library_changed", False, (1, 0))
    assert checked.lost == tuple(hit.id for hit in other.result.hits)
    assert "then 1 passage found, now 0 passages found" in text(checked)


def test_a_result_that_differs_over_the_same_versions_names_the_passages(kept: Shelf) -> None:
    kept.library.add(kept.folder, tags=["工作"])
    made = kept.library.prove("证据不足", tags=["工作"])
    forged = output.proof(made)
    forged["result"]["hits"] = []
    checked = kept.library.check_proof(sealed(json.loads(json.dumps(forged))))
    assert (checked.verdict, checked.same_versions) == ("result_differs", True)
    assert checked.gained == tuple(hit.id for hit in made.result.hits)
    assert f"Found only now: {made.result.hits[0].id}" in text(checked)


def test_passages_in_another_order_are_told(kept: Shelf) -> None:
    made = json.loads(document(kept.library.prove("", mode="raw")))
    made["result"]["hits"].reverse()
    checked = kept.library.check_proof(sealed(made))
    assert (checked.verdict, checked.reordered, checked.lost, checked.gained) == ("result_differs", True, (), ())


def test_a_time_that_counts_back_stays_the_time_that_it_was(kept: Shelf) -> None:
    made = json.loads(document(kept.library.prove("证据不足", since="7d", until="yesterday")))
    assert made["asked"]["since"][:4].isdecimal() and made["asked"]["until"].count(":") >= 3
    made["asked"]["since"] = "1990-01-01T00:00:00+08:00"
    made["asked"]["until"] = "1991-01-01T00:00:00+08:00"
    checked = kept.library.check_proof(sealed(made))
    assert (checked.verdict, checked.same_result) == ("holds", True)  # nothing then, and nothing now


def test_a_proof_of_another_library_is_told(kept: Shelf, tmp_path: Path) -> None:
    made = document(kept.library.prove("证据不足", mode="exact"))
    with Library.open(tmp_path / "other.sqlite", index=kept.kind) as other:
        other.add(kept.folder / "handbook.md")
        checked = other.check_proof(made)
        assert (checked.verdict, checked.same_library, checked.same_result) == ("another_library", False, True)
        assert text(checked).startswith("The proof was made with another library.")
        other.add(kept.folder)
        checked = other.check_proof(made)
        assert (checked.verdict, checked.same_library) == ("holds", False)
        assert "another library, which holds the same versions" in text(checked)


def test_an_older_copy_of_a_library_that_was_put_back_is_another_library(kept: Shelf, tmp_path: Path) -> None:
    kept.library.close()
    shutil.copy(kept.file, tmp_path / "copy.sqlite")
    kept.open()
    kept.write("contract.md", CONTRACT + "\n补充条款。\n")
    kept.library.sync()
    made = document(kept.library.prove("补充条款", mode="exact"))
    with Library.open(tmp_path / "copy.sqlite", index=kept.kind) as older:
        assert older.check_proof(made).verdict == "another_library"


def test_programs_of_another_version_are_named(kept: Shelf) -> None:
    made = json.loads(document(kept.library.prove("证据不足")))
    made["programs"] |= {"analysis": "1", "old": "3"}
    checked = kept.library.check_proof(sealed(made))
    assert checked.verdict == "holds"
    assert [name for name, *_ in checked.programs] == ["analysis", "old"]
    assert "analysis: 1 then, " in text(checked)


def test_a_file_that_changed_on_the_disk_alone_leaves_a_proof_of_nothing_standing(kept: Shelf) -> None:
    made = kept.library.prove("斑马")
    kept.write("contract.md", "斑马")
    checked = kept.library.check_proof(document(made))
    assert (checked.verdict, checked.absence) == ("holds", ("absent", "stale"))
    assert "Files on the disk" in text(checked)


def test_nothing_is_proved_while_the_index_is_behind(tmp_path: Path) -> None:
    (tmp_path / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    with Library.open(tmp_path / "library.sqlite") as library:
        library.add(tmp_path / "handbook.md")
        made = document(library.prove("证据不足"))
    shutil.rmtree(tmp_path / "library.sqlite.index")
    (tmp_path / "library.sqlite.index").write_text("not a folder")
    with Library.open(tmp_path / "library.sqlite") as library:
        with pytest.raises(Busy, match="a proof needs them all"):
            library.prove("证据不足")
        with pytest.raises(Busy, match="a proof needs them all"):
            library.check_proof(made)


BY_WORDS = [mode for mode in MODES if mode != "semantic"]
PIECES = st.sampled_from(
    ["证据", '"', " AND ", " OR ", "NOT ", "-", "(", ")", "缓存*", "NEAR(缓存 穿透, 3)", "tag:", "\0", " "]
)


@given(query=st.lists(PIECES | st.text(max_size=4), min_size=1).map("".join), mode=st.sampled_from(BY_WORDS))
def test_any_search_can_be_proved_and_its_proof_holds(library: Library, query: str, mode: Mode) -> None:
    try:
        made = library.prove(query, mode=mode)
    except QueryError:
        assert not query.strip()
    else:
        assert library.check_proof(document(made)).verdict == "holds"


# ------------------------------------------------------------------------------------- damage and hostility


@pytest.fixture(scope="module", name="library")
def library_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library that these tests only read."""
    folder = tmp_path_factory.mktemp("proofs")
    (folder / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    with Library.open(folder / "library.sqlite") as library:
        library.add(folder / "handbook.md")
        yield library


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every value within a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield (*path, name)
        yield from places(item, (*path, name))


def put(given: Any, path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """Return a copy of a document with another value at a path."""
    changed: dict[str, Any] = copy.deepcopy(given)
    inside: Any = changed
    for name in path[:-1]:
        inside = inside[name]
    inside[path[-1]] = value
    return changed


def test_any_change_of_a_proof_is_noticed_and_its_section_named(library: Library) -> None:
    given = json.loads(document(library.prove("证据不足 斑马", tags=["无"])))
    for path in places(given):
        with pytest.raises(UsageError) as caught:
            library.check_proof(json.dumps(put(given, path, "changed")))
        if path[0] not in ("format", "version", "digest", "digests"):
            assert f"the proof was changed after it was made: {path[0]}." in str(caught.value)


@pytest.mark.parametrize(
    "value", [10**30, -1, 1.5, float("inf"), None, True, "x", "\ud800", [], [[]], {}, {"a": 1}, [None], 10**12]
)
def test_a_hostile_value_anywhere_is_an_error_that_names_the_field(library: Library, value: Any) -> None:
    made = document(library.prove("证据不足"))
    given = json.loads(made)
    for path in places(given):
        if path[0] in ("digest", "digests"):
            continue
        hostile = sealed(put(given, path, value)) if path[0] in [f.name for f in fields(Proof)] else None
        try:
            checked = library.check_proof(hostile or json.dumps(put(given, path, value)))
        except UsageError as error:
            assert str(path[-1]) in str(error) or len(path) == 1 or "query is empty" in str(error), error
        else:
            assert isinstance(checked, ProofCheck)


def test_a_field_too_many_or_too_few_is_named(library: Library) -> None:
    given = json.loads(document(library.prove("证据不足")))
    with pytest.raises(UsageError, match=r"its field asked\.extra cannot"):
        library.check_proof(sealed(put(given, ("asked", "extra"), 1)))
    del given["asked"]["limit"]
    with pytest.raises(UsageError, match=r"it has no field asked\.limit"):
        library.check_proof(sealed(given))
    del given["result"]
    with pytest.raises(UsageError, match=r"it has no field result"):
        library.check_proof(json.dumps(given))


def test_a_proof_that_was_cut_off_anywhere_is_told(library: Library) -> None:
    made = document(library.prove("证据不足"))
    for end in range(len(made)):
        with pytest.raises(UsageError, match="this is no proof of a search"):
            library.check_proof(made[:end])


@pytest.mark.parametrize(
    "foreign",
    [
        b"", b"null", b"[]", b"{}", b"\xff\xfe", b"\x00", b"\x89PNG\r\n\x1a\n", b'{"format": "yuanwen-proof"}',
        b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000, b'{"format": "yuanwen-proof", "format": 1}', b"NaN",
        b'{"format": "yuanwen-proof", "version": true}', b'{"format": "yuanwen-proof", "version": 2}',
    ],
)  # fmt: skip
def test_what_is_no_proof_is_a_clear_error(library: Library, foreign: bytes) -> None:
    with pytest.raises(UsageError, match=r"no proof of a search|this Yuanwen does not know"):
        library.check_proof(foreign)


@given(data=st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(
    inner) | st.dictionaries(st.text(), inner)))  # fmt: skip
def test_no_json_makes_a_check_fail_but_with_a_usage_error(library: Library, data: Any) -> None:
    made = json.loads(document(library.prove("证据不足")))
    for section in ("asked", "result", "programs", "searched"):
        try:
            library.check_proof(sealed(made | {section: data}))
        except UsageError as error:
            assert section in str(error)


def test_a_proof_may_come_as_a_windows_shell_writes_it(library: Library) -> None:
    made = document(library.prove("证据不足"))
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert library.check_proof(made.encode(encoding)).verdict == "holds"


def test_a_search_that_is_too_large_for_a_proof_is_refused(library: Library) -> None:
    for filters in ({"limit": proof.MOST + 1}, {"offset": proof.MOST + 1}):
        with pytest.raises(UsageError, match="at most 1,000,000 passages"):
            library.prove("证据", **filters)  # type: ignore[arg-type]
    assert library.prove("证据", limit=proof.MOST, offset=proof.MOST).result.hits == ()


# ---------------------------------------------------------------------------------------- command line


def test_search_prints_one_document_that_can_be_kept_and_checked(call: Call, tmp_path: Path, documents: Path) -> None:
    status, out, err = call("search", "证据不足", "--mode", "exact", "--tag", "工作", "--since", "7d", "--proof")
    assert (status, err, out.count("\n")) == (0, "", 1)
    given = json.loads(out)
    assert tuple(given) == output.PROOF
    assert (given["format"], given["version"]) == ("yuanwen-proof", 1)
    kept = tmp_path / "proof.json"
    kept.write_text(out, encoding="utf-8")
    status, out, err = call("verify", "--proof", kept)
    assert (status, err) == (0, "")
    assert out.startswith("The proof holds")
    status, out, _ = call("verify", "--proof", kept, "--json")
    assert status == 0
    assert tuple(json.loads(out)) == output.PROOF_CHECK
    call("-L", "other.sqlite", "add", documents / "hostile.txt")
    status, out, _ = call("-L", "other.sqlite", "verify", "--proof", kept)
    assert status == 1
    assert out.startswith("The proof was made with another library.")
    kept.write_text(kept.read_text("utf-8").replace("证据不足", "证据充足"), encoding="utf-8")
    status, out, err = call("verify", "--proof", kept)
    assert (status, out) == (2, "")
    assert err.startswith("yuanwen: the proof was changed after it was made: asked.")
    assert call("verify", "--proof", "nowhere.json")[0] == 3


def test_a_proof_leaves_out_what_only_shapes_the_answer(call: Call) -> None:
    for option in (("--before", "1"), ("--after", "1"), ("--explain",)):
        status, out, err = call("search", "缓存", "--proof", *option)
        assert (status, out) == (2, "")
        assert "a proof holds neither surroundings nor scores" in err


def test_every_field_of_a_proof_is_printed() -> None:
    for names, kind in (
        (output.ASKED, proof.Asked),
        (output.UNDERSTOOD, proof.Understood),
        (output.ORIGIN, proof.Origin),
        (output.VERSIONS, proof.Versions),
        (output.VERSION, proof.Version),
        (output.RESULT, proof.Result),
        (output.PROVED, proof.Proved),
        (output.PROOF_CHECK, proof.ProofCheck),
        (output.CHANGED, proof.ChangedDocument),
    ):
        assert list(names) == names_of(kind)


def test_a_proof_reads_back_as_it_was_made(library: Library) -> None:
    for filters in ({}, {"tags": ["工作"], "since": "2020"}, {"all_versions": True}):
        made = library.prove("证据 \ud800 \x00 斑马", **filters)
        assert asdict(proof.read(document(made))) == asdict(made)


def test_hostile_text_in_a_proof_does_not_reach_the_terminal_raw(call: Call, tmp_path: Path) -> None:
    made = json.loads(call("search", "\x1b[31m证据 \u202e", "--proof")[1])
    made["programs"]["\x1b[2J"] = "\x1b]0;title\x07"
    made["searched"]["listed"][0]["source"] = "\x1b[31m"
    made["searched"]["digest"] = "sha256:0"
    made["result"]["hits"] = [{"id": "\x1b[2J", "source": "", "version": "", "start": 0, "end": 0}]
    (tmp_path / "proof.json").write_text(sealed(made), encoding="utf-8")
    shown = on_a_terminal("verify", "--proof", "proof.json", NO_COLOR="1")
    assert "\x1b" not in shown and "\u202e" not in shown
    assert "Found no longer" in shown
