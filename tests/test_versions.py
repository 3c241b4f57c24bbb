"""Versions: every id ever given leads to its words, and says what stands there now; search sees what is current."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import Shelf, records
from hypothesis import given, settings
from hypothesis import strategies as st

from yuanwen.errors import NotFound, UsageError
from yuanwen.model import Hit, Now
from yuanwen.store import reading
from yuanwen.succession import Successor, difference, successor

FIRST = "第一条 甲方应当在收到货物后付款，付款以银行转账方式进行，手续费由甲方承担。"
SECOND = "第二条 乙方应当在三十日内交货，逾期每日按货款的千分之一支付违约金。"
THIRD = "第三条 双方对合同内容保密，保密义务在合同终止后两年内仍然有效。"
NEW = "第四条 本合同一式两份，双方各执一份，自签字之日起生效。"
LATER = SECOND.replace("三十", "六十")


def sections(*bodies: str) -> str:
    """Return Markdown in which each body is a passage of its own: the sections have no headings that count."""
    return "".join(f"## 节{ord(body[1])}\n\n{body}\n\n" for body in bodies)


def only(hits: list[Hit] | tuple[Hit, ...]) -> Hit:
    (hit,) = hits
    return hit


def now(hit: Hit) -> Now:
    assert hit.now is not None
    return hit.now


def marked(found: Now) -> str:
    """Return a diff as people see it."""
    signs = {"=": ("", ""), "-": ("[-", "-]"), "+": ("{+", "+}")}
    return "".join(signs[kind][0] + text + signs[kind][1] for kind, text in found.diff)


def rows(shelf: Shelf, query: str) -> int:
    with sqlite3.connect(shelf.file) as db:
        return int(db.execute(query).fetchone()[0])


@contextmanager
def successor_of(shelf: Shelf, hit: Hit, words: str = "") -> Iterator[Successor]:
    """What stands now where an old passage, or words of it, stood."""
    with shelf.library._database.snapshot() as db:
        row = reading.by_id(db, hit.id)[0]
        start = row.start + row.text.index(words)
        found = successor(db, row, (start, start + len(words)) if words else None)
        assert found is not None
        yield found


# ------------------------------------------------------------------------------------- what is kept


def test_a_passage_that_did_not_change_is_stored_once(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST, SECOND, THIRD))
    shelf.add(a_md=sections(FIRST, NEW, SECOND, THIRD))
    shelf.add(a_md=sections(FIRST, NEW, LATER, THIRD))
    shelf.add(a_md=sections(THIRD, NEW, LATER, FIRST))
    shelf.add(a_md=sections(FIRST, SECOND, THIRD))
    assert rows(shelf, "SELECT count(*) FROM versions") == 5 == shelf.library.status().versions
    assert rows(shelf, "SELECT count(*) FROM passages") == 5
    assert not shelf.library.check().problems


def test_paragraphs_after_an_inserted_one_are_stored_once(shelf: Shelf) -> None:
    long = [f"第{n}段，" + f"这一段说的是第{n}件事，" * 40 + "完。" for n in range(12)]
    shelf.add(a_txt="\n\n".join(long))
    before = rows(shelf, "SELECT count(*) FROM passages")
    shelf.add(a_txt="\n\n".join([*long[:2], "插入的一段。", *long[2:]]))
    assert rows(shelf, "SELECT count(*) FROM passages") <= before + 2


def test_the_versions_of_a_document_that_is_gone_are_counted(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST), b_md=sections(SECOND))
    shelf.add(a_md=sections(THIRD))
    (shelf.folder / "a.md").unlink()
    shelf.library.sync()
    assert (shelf.library.status().documents, shelf.library.status().versions) == (1, 3)


# --------------------------------------------------------------------------------- what stands there now


def test_an_old_id_says_what_was_changed_since(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST, SECOND, THIRD))
    old = only(shelf.exact("三十日"))
    assert old.now is None and old.state == "current"
    shelf.add(a_md=sections(FIRST, LATER, THIRD))
    shelf.add(a_md=sections(NEW, FIRST, LATER, THIRD))
    shown = only(shelf.library.show(old.id))
    current = only(shelf.exact("六十日"))
    assert (shown.text, shown.state, shown.version) == (old.text, "changed", old.version)
    found = now(shown)
    assert (found.state, [p.id for p in found.passages]) == ("changed", [current.id])
    assert (found.version, found.dated) == (current.version, current.dated)
    assert "[-三十-]{+六十+}日" in marked(found)
    assert "".join(text for kind, text in found.diff if kind != "+") == old.text.strip()
    assert found.since is not None and found.added < found.since


def test_words_are_said_to_differ_since_the_first_version_without_them(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST, SECOND))
    old = only(shelf.exact("三十日"))
    shelf.add(a_md=sections(THIRD, SECOND))
    shelf.add(a_md=sections(THIRD, LATER))
    shelf.add(a_md=sections(NEW, LATER))
    times = [added for (added,) in sqlite3.connect(shelf.file).execute("SELECT added FROM versions ORDER BY id")]
    found = now(only(shelf.library.show(old.id)))
    assert (found.added, found.since) == (times[0], times[2])


def test_an_old_id_of_words_that_still_stand_says_where(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST, SECOND, THIRD))
    old = only(shelf.exact("保密义务"))
    shelf.add(a_md=sections(NEW, FIRST, SECOND, THIRD))
    found = now(only(shelf.library.show(old.id)))
    assert (found.state, found.since, found.diff) == ("unchanged", None, ())
    assert [p.id for p in found.passages] == [only(shelf.exact("保密义务")).id] != [old.id]


def test_words_that_were_deleted_are_gone_from_between_their_neighbours(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST, SECOND, THIRD))
    old = only(shelf.exact("三十日"))
    shelf.add(a_md=sections(FIRST, THIRD))
    found = now(only(shelf.library.show(old.id)))
    assert (found.state, found.passages, found.diff) == ("deleted", (), ()) and found.since and found.version


def test_words_that_moved_are_followed(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST, SECOND, THIRD, NEW))
    old = only(shelf.exact("三十日"))
    shelf.add(a_md=sections(FIRST, THIRD, NEW, SECOND))
    assert now(only(shelf.library.show(old.id))).state == "unchanged"
    shelf.add(a_md=sections(FIRST, THIRD, NEW, LATER))
    found = now(only(shelf.library.show(old.id)))
    assert found.state == "changed" and "[-三十-]{+六十+}日" in marked(found)


def test_a_document_that_is_gone_is_said_to_be_gone(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST), b_md=sections(SECOND))
    old = only(shelf.exact("甲方应当"))
    (shelf.folder / "a.md").unlink()
    shelf.library.sync()
    shown = only(shelf.library.show(old.id))
    assert (shown.text, shown.state, now(shown).state) == (old.text, "missing", "gone")
    with pytest.raises(NotFound) as gone:
        shelf.library.show(old.source)
    assert "is gone" in str(gone.value) and "--all-versions" in gone.value.hint
    assert [hit.id for hit in shelf.raw(old.source, all_versions=True)] == [old.id]
    shelf.add(a_md=sections(FIRST))
    assert only(shelf.library.show(old.id)).now is None


def test_the_same_text_under_another_path_is_the_same_passage(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST), b_md=sections(SECOND))
    old = only(shelf.exact("甲方应当"))
    (shelf.folder / "a.md").rename(shelf.folder / "c.md")
    shelf.library.sync()
    shown = only(shelf.library.show(old.id))
    assert (Path(shown.source).name, shown.state, shown.now) == ("c.md", "current", None)


def test_words_within_a_passage_are_followed_by_themselves(shelf: Shelf) -> None:
    shelf.add(a_txt=f"{FIRST}{SECOND}{THIRD}")
    old = only(shelf.exact("三十日"))
    shelf.add(a_txt=f"{NEW}{FIRST}{LATER}{THIRD}")
    (text,) = [hit.text for hit in shelf.exact("六十日")]
    with successor_of(shelf, old, "乙方应当在三十日内交货") as found:
        assert (found.unchanged, found.text) == (False, "乙方应当在六十日内交货")
        assert found.span == (text.index(found.text), text.index(found.text) + len(found.text))
    with successor_of(shelf, old, "双方对合同内容保密") as found:
        assert found.unchanged and found.span is not None
        assert text[slice(*found.span)] == found.text == "双方对合同内容保密"
    shelf.add(a_txt=f"{NEW}{FIRST}{THIRD}")
    with successor_of(shelf, old, "乙方应当在三十日内交货") as found:
        assert (found.rows, found.span, found.unchanged) == ((), None, False)


def test_a_place_is_found_in_a_long_text_of_which_no_passage_stayed(shelf: Shelf) -> None:
    lines = [
        f"第{n}项：编号为{n * 7919 % 10007}的货物应当在第{n % 28 + 1}日以前交付给{n * 31 % 977}号仓库。"
        for n in range(2000)
    ]
    shelf.add(a_txt="".join(lines))
    old = [hit for hit in shelf.raw() if lines[1234] in hit.text or lines[1235] in hit.text][-1]
    line = lines[1234] if lines[1234] in old.text else lines[1235]
    changed = [each.replace("仓库", "货栈").replace("应当", "必须") for each in lines]
    shelf.add(a_txt="序。" + "".join(changed[100:]))
    with successor_of(shelf, old, line) as found:
        assert found.text == line.replace("仓库", "货栈").replace("应当", "必须")


def test_a_new_reading_of_the_same_bytes_is_a_version(shelf: Shelf) -> None:
    path = shelf.write("a.md", sections(FIRST, SECOND))
    shelf.add()
    old = only(shelf.exact("三十日"))
    shelf.library.close()
    with sqlite3.connect(shelf.file) as db:  # as if an older extractor had read it otherwise
        db.execute("UPDATE files SET extractor = 'older'")
        db.execute("UPDATE versions SET extractor = 'older', text_sha256 = '0' || substr(text_sha256, 2)")
        db.execute("UPDATE passages SET text = replace(text, '三十日', '三旬日')")
    shelf.open().add(path)
    current = only(shelf.exact("三十日"))
    shown = only(shelf.library.show(f"0{old.id[1:]}"))
    assert shown.version == current.version and "三旬" in shown.text and current.id == old.id
    assert "[-三旬-]{+三十+}日" in marked(now(shown))


# ----------------------------------------------------------------------------------------------- records


def test_a_label_names_the_current_record_and_an_id_the_old_one(shelf: Shelf) -> None:
    first = {"id": "P1", "body": FIRST}, {"id": "P2", "paragraph": 2, "body": SECOND}
    shelf.add(r_jsonl=records(*first), other_md=NEW)
    old = only(shelf.exact("三十日"))
    shelf.add(r_jsonl=records(first[0], {"id": "P2", "paragraph": 2, "body": LATER}))
    assert "六十日" in only(shelf.library.show("P2")).text
    shown = only(shelf.library.show(old.id))
    assert (shown.text, shown.label, [p.text for p in now(shown).passages]) == (SECOND, "P2", [LATER])
    assert [hit.text for hit in shelf.raw("P2", all_versions=True)] == [LATER, SECOND]
    shelf.add(r_jsonl=records(first[0]))
    assert only(shelf.library.show("P2")).text == LATER and now(only(shelf.library.show("P2"))).state == "deleted"
    (shelf.folder / "r.jsonl").unlink()
    shelf.library.sync()
    assert only(shelf.library.show("P2")).text == LATER and now(only(shelf.library.show("P2"))).state == "gone"


def test_a_record_takes_the_place_of_the_one_with_its_label_wherever_it_stands(shelf: Shelf) -> None:
    shelf.add(r_jsonl=records(*({"id": f"P{n}", "paragraph": n, "body": f"{FIRST}{n}"} for n in range(1, 9))))
    old = only(shelf.library.show("P3"))
    after = [{"id": f"P{n}", "paragraph": n, "body": f"{FIRST}{n}；改"} for n in range(8, 0, -1)]
    shelf.add(r_jsonl=records(*after))
    found = now(only(shelf.library.show(old.id)))
    assert [p.text for p in found.passages] == [f"{FIRST}3；改"]


# -------------------------------------------------------------------------------------------- searching


@pytest.mark.parametrize("mode", ["ranked", "exact", "expand", "hybrid"])
def test_old_versions_are_found_when_asked_for_and_marked(shelf: Shelf, mode: str) -> None:
    shelf.add(a_md=sections(FIRST, SECOND))
    shelf.add(a_md=sections(FIRST, LATER))

    def found(**asked: bool) -> dict[str, object]:
        hits = shelf.library.search("乙方应当", mode=mode, **asked).hits  # type: ignore[arg-type]
        return {
            ("三十" if "三十" in hit.text else "六十"): hit.now and hit.now.state for hit in hits if "乙方" in hit.text
        }

    assert found() == {"六十": None}
    assert found(all_versions=True) == {"六十": None, "三十": "changed"}


def test_old_versions_are_listed_when_asked_for(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST, SECOND))
    shelf.add(a_md=sections(FIRST, LATER))
    path = str(shelf.folder / "a.md")
    for query in ("", path):
        assert [hit.now is None for hit in shelf.raw(query)] == [True, True]
        listed = shelf.raw(query, all_versions=True)
        assert [("三十" in hit.text, hit.now is None) for hit in listed] == [
            (False, True),
            (False, True),
            (True, False),
        ]


def test_a_match_across_the_border_of_an_old_passage_is_found(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST, SECOND, THIRD))
    shelf.add(a_md=sections(FIRST, LATER, THIRD))
    for words in ("承担。\n\n## 节20108\n\n第二条", "违约金。\n\n## 节"):
        assert [hit.now is None for hit in shelf.exact(words, all_versions=True)][:1] == [True]
        assert [hit.now is None for hit in shelf.exact(words, all_versions=True)][1:] == [False]


def test_words_that_only_got_more_white_space_behind_them_are_found_once(shelf: Shelf) -> None:
    shelf.add(a_md=f"## 一\n\n{FIRST}\n\n## 二\n\n{SECOND}\n")
    shelf.add(a_md=f"## 一\n\n{FIRST}\n\n## 二\n\n{SECOND}\n\n## 三\n\n{THIRD}\n")
    assert [hit.state for hit in shelf.exact("三十日", all_versions=True)] == ["current"]


# --------------------------------------------------------------------------------------------- dropping


def test_the_id_of_a_dropped_version_says_so(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST, SECOND))
    old = only(shelf.exact("三十日"))
    shelf.add(a_md=sections(FIRST, LATER))
    current = only(shelf.exact("六十日"))
    assert shelf.library.compact(drop_old=True).passages == 1
    with pytest.raises(NotFound) as dropped:
        shelf.library.show(old.id)
    assert old.id in str(dropped.value) and "--drop-old" in dropped.value.hint
    with pytest.raises(NotFound) as beyond:
        shelf.library.show(f"{current.id[:-1]}9")
    assert "from" in beyond.value.hint and f"{current.id[:-1]}2" in str(beyond.value.hint.format(**beyond.value.values))
    with pytest.raises(NotFound):
        shelf.library.show("nothing.md")


def test_only_what_is_older_than_a_time_is_dropped(shelf: Shelf) -> None:
    for text in (FIRST, SECOND, THIRD, NEW):
        shelf.add(a_md=text)
    shelf.library.close()
    with sqlite3.connect(shelf.file) as db:
        for version, added in enumerate(("2024-05-01", "2025-12-31", "2026-01-01"), 1):
            db.execute("UPDATE versions SET added = ? WHERE id = ?", (f"{added}T12:00:00.000000+00:00", version))
    shelf.open()
    assert shelf.library.compact(drop_old=True, older_than="2024-05").versions == 0
    assert shelf.library.compact(drop_old=True, older_than="2026-01").versions == 2
    assert {hit.text for hit in shelf.exact("第", all_versions=True)} == {THIRD, NEW}
    with pytest.raises(UsageError):
        shelf.library.compact(older_than="2026-01")


# --------------------------------------------------------------------------------------- whatever happens

PARAGRAPHS = [
    f"{name}说：" + f"{name}记得那年{place}下了很久的雨。" * 12
    for name, place in zip("甲乙丙丁戊己", "东西南北中外", strict=True)
]
EDITS = st.lists(st.lists(st.sampled_from(PARAGRAPHS), max_size=6), min_size=1, max_size=6)


@given(EDITS)
@settings(max_examples=8)
def test_every_id_ever_given_leads_to_its_words_until_they_are_dropped(
    tmp_path_factory: pytest.TempPathFactory, kind: str, edits: list[list[str]]
) -> None:
    shelf = Shelf(tmp_path_factory.mktemp("edits"), kind)
    given_out: dict[str, str] = {}
    try:
        for paragraphs in edits:
            text = "\n\n".join(paragraphs)
            _save(shelf, text)
            passages = shelf.raw()
            assert "".join(hit.text for hit in passages) == text
            given_out |= {hit.id: hit.text for hit in passages}
            _check(shelf, given_out, text)
        current = {hit.id for hit in shelf.raw()}
        assert not shelf.library.check().problems
        shelf.library.compact(drop_old=True)
        for identity, text in given_out.items():
            if identity in current:
                assert only(shelf.library.show(identity)).text == text
            else:
                with pytest.raises(NotFound):
                    shelf.library.show(identity)
        assert not shelf.library.check().problems
    finally:
        shelf.library.close()


def _save(shelf: Shelf, text: str) -> None:
    """Write the file and take it in; an empty one is deleted."""
    if text:
        shelf.write("a.txt", text)
    else:
        (shelf.folder / "a.txt").unlink(missing_ok=True)
    shelf.write("other.md", "另一篇")
    shelf.library.add(shelf.folder, exclude=["other.md"])


def _check(shelf: Shelf, given_out: dict[str, str], text: str) -> None:
    for identity, words in given_out.items():
        shown = only(shelf.library.show(identity))
        assert shown.text == words
        if shown.now is not None and shown.now.state == "unchanged":
            assert words.strip() in text
        if shown.now is not None:
            assert (shown.now.state == "gone") == (not text)
            assert shown.now.state != "changed" or words.strip() not in text
    for paragraph in PARAGRAPHS:
        words = paragraph[-10:]
        assert bool(shelf.exact(words)) == (words in text)


TEXTS = st.text("甲乙丙 。\n10ab", max_size=40)


@given(TEXTS, TEXTS)
def test_a_diff_holds_both_texts_to_the_letter(old: str, new: str) -> None:
    diff = difference(old, new)
    assert "".join(text for kind, text in diff if kind != "+") == old
    assert "".join(text for kind, text in diff if kind != "-") == new
    assert all(text for _, text in diff)


def test_words_that_were_replaced_or_put_in_are_marked_as_a_whole() -> None:
    assert difference("within 30 days of it", "later than 45 days after it") == (
        *(("-", "within 30 "), ("+", "later than 45 "), ("=", "days "), ("-", "of"), ("+", "after"), ("=", " it")),
    )
    assert difference(f"{FIRST}\n\n{SECOND}\n", f"{FIRST}\n\n{NEW}\n\n{SECOND}\n") == (
        ("=", f"{FIRST}\n\n"),
        ("+", f"{NEW}\n\n"),
        ("=", f"{SECOND}\n"),
    )


@given(st.data())
@settings(max_examples=8)
def test_words_around_which_everything_was_edited_are_unchanged_where_they_stand(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    paragraphs = data.draw(st.lists(st.sampled_from(PARAGRAPHS), min_size=1, max_size=5))
    words = "此处一字不改的原话是这样写的"
    at = data.draw(st.integers(0, len(paragraphs) - 1))
    cut = data.draw(st.integers(0, len(paragraphs[at])))
    texts = [*paragraphs[:at], paragraphs[at][:cut] + words + paragraphs[at][cut:], *paragraphs[at + 1 :]]
    others = [st.lists(st.sampled_from(PARAGRAPHS), max_size=3) for _ in range(2)]
    after = "\n\n".join([*data.draw(others[0]), words + data.draw(st.sampled_from(PARAGRAPHS)), *data.draw(others[1])])
    shelf = Shelf(tmp_path_factory.mktemp("around"), "fts5")
    try:
        shelf.add(a_txt="\n\n".join(texts))
        old = only(shelf.exact(words))
        shelf.add(a_txt=after)
        with shelf.library._database.snapshot() as db:
            row = reading.by_id(db, old.id)[0]
            start = old.start + old.matches[0][0]
            found = successor(db, row, (start, start + len(words)))
        assert (found is None) == row.current
        if found is not None:
            assert found.unchanged and found.span is not None
            assert after[slice(*found.span)] == words == found.text
            assert found.rows[0].start <= found.span[0] and found.span[1] <= found.rows[-1].end
    finally:
        shelf.library.close()


# -------------------------------------------------------------------------------------- on the surface


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("[old version, 20", "This is the version of 20", "it reads otherwise: ", "The document is gone.")),
        ("zh", ("[旧版本，20", "收入的旧版本。", "起此处文字已改：", "文档已不在。")),
    ],
)
def test_people_are_told_what_stands_there_now(
    shelf: Shelf,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    language: str,
    said: tuple[str, ...],
) -> None:
    from yuanwen.cli import app

    def shown(*args: str) -> str:
        assert app.run(["-L", str(shelf.file), *args]) == 0
        return capsys.readouterr().out

    monkeypatch.setenv("YUANWEN_LANG", language)
    shelf.add(a_md=sections(FIRST, SECOND), b_md=NEW)
    old = only(shelf.exact("三十日"))
    assert not any(part in shown("show", old.id) for part in said)
    shelf.add(a_md=sections(FIRST, LATER))
    current = only(shelf.exact("六十日"))
    told = shown("show", old.id)
    assert all(part in told for part in said[:3]) and current.id in told and "[-三十-]{+六十+}日" in told
    found = shown("search", "三十日", "--mode", "exact", "--all-versions")
    assert said[0] in found and current.id in found and "{+" not in found
    (shelf.folder / "a.md").unlink()
    shelf.library.sync()
    assert said[3] in shown("show", old.id)


def test_a_file_that_changed_and_was_not_taken_in_yet_is_said_to_have_changed(shelf: Shelf) -> None:
    shelf.add(a_md=sections(FIRST))
    shelf.write("a.md", sections(SECOND))
    hit = only(shelf.exact("甲方应当"))
    assert (hit.state, hit.now) == ("changed", None)


def test_the_fields_of_what_stands_now(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    from yuanwen.cli import output

    shelf.add(a_md=sections(FIRST, SECOND))
    old = only(shelf.exact("三十日"))
    assert output.hit(old)["now"] is None
    shelf.add(a_md=sections(FIRST, LATER))
    shown = json.loads(json.dumps(output.hit(only(shelf.library.show(old.id)))))["now"]
    assert tuple(shown) == ("state", "added", "since", "version", "dated", "passages", "diff")
    assert ["-", "三十"] in shown["diff"] and [tuple(p) for p in shown["passages"]] == [("id", "start", "end", "text")]
