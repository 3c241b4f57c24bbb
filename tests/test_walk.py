"""The walk gives every file once, or says why not."""

import os
import socket
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yuanwen import walk as walking
from yuanwen.absence import Skip
from yuanwen.documents import File
from yuanwen.errors import Unreadable
from yuanwen.reports import Root
from yuanwen.secrecy import holds_key
from yuanwen.walk import read, unavailable, walk

posix = pytest.mark.skipif(sys.platform == "win32", reason="names and permissions of POSIX")
not_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found(root: Path, **rules: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    """Return the files below a folder, and the reason for each thing skipped."""
    items = list(walk(Root(path=str(root), **rules)))
    below = os.path.join(root, "")
    files = [str(item.path).removeprefix(below) for item in items if isinstance(item, File)]
    return files, {item.source.removeprefix(below): item.reason for item in items if isinstance(item, Skip)}


def test_files_come_in_order_of_path(tmp_path: Path) -> None:
    for name in ("b.md", "a.txt", "a/z.md", "a/b/c.md", "A.md"):
        write(tmp_path / name)
    files, skipped = found(tmp_path)
    assert files == ["A.md", "a/b/c.md", "a/z.md", "a.txt", "b.md"]
    assert files == [str(path) for path in sorted(map(Path, files))]
    assert skipped == {}


def test_a_file_has_its_size_and_time(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "12345")
    info = path.stat()
    assert list(walk(Root(path=str(path)))) == [File(path=path, size=5, mtime_ns=info.st_mtime_ns)]


NAMES = [
    "a#b.md",
    "a b.md",
    "[x].md",
    "😀.md",
    "cafe\u0301.md",
    "caf\u00e9.md",
    "预算 表.md",
    "%20?.md",
    "-n.md",
]


@posix
def test_names_come_back_as_they_are(tmp_path: Path) -> None:
    for name in NAMES:
        write(tmp_path / name)
    assert sorted(found(tmp_path)[0]) == sorted(os.listdir(tmp_path))


@posix
def test_a_name_that_is_not_utf8_comes_back_as_it_is(tmp_path: Path) -> None:
    raw = os.path.join(os.fsencode(tmp_path), "预算.txt".encode("gbk"))
    try:
        Path(os.fsdecode(raw)).write_text("x")
    except OSError:
        pytest.skip("this file system wants UTF-8")
    (only,) = walk(Root(path=str(tmp_path)))
    assert isinstance(only, File)
    assert os.fsencode(only.path) == raw
    assert read(only) == b"x"


def test_what_is_hidden_is_one_skip(tmp_path: Path) -> None:
    write(tmp_path / ".notes/a.md")
    write(tmp_path / ".notes/b.md")
    write(tmp_path / ".x.md")
    assert found(tmp_path) == ([], {".notes": "hidden", ".x.md": "hidden"})


def test_a_root_may_be_hidden(tmp_path: Path) -> None:
    write(tmp_path / ".notes/a.md")
    file = write(tmp_path / ".x.md")
    assert found(tmp_path / ".notes") == (["a.md"], {})
    assert [type(item) for item in walk(Root(path=str(file)))] == [File]


def test_folders_of_programs_are_one_skip_each(tmp_path: Path) -> None:
    for name in ("node_modules/a/b.js", "x/__pycache__/a.pyc", "env/pyvenv.cfg", "env/lib/a.py", ".git/HEAD"):
        write(tmp_path / name)
    files, skipped = found(tmp_path)
    assert files == []
    assert set(skipped) == {"node_modules", "x/__pycache__", "env", ".git"}
    assert set(skipped.values()) == {"folder of a program"}


def test_ignore_files_hold_at_each_level(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", "*.log\nbuild/\n/top.md\n# comment\n\n!keep.log\n")
    write(tmp_path / "sub/.gitignore", "!b.log\n*.tmp.md\n")
    for name in (
        "a.log",
        "keep.log",
        "top.md",
        "build/a.md",
        "sub/a.log",
        "sub/b.log",
        "sub/top.md",
        "sub/c.tmp.md",
    ):
        write(tmp_path / name)
    files, skipped = found(tmp_path)
    assert files == ["keep.log", "sub/b.log", "sub/top.md"]
    assert {name for name, reason in skipped.items() if reason == "ignored by .gitignore"} == {
        "a.log", "build", "sub/a.log", "sub/c.tmp.md", "top.md",
    }  # fmt: skip


def test_yuanwenignore_wins_over_gitignore(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", "*.md\n")
    write(tmp_path / ".yuanwenignore", "!*.md\nprivate/\n")
    write(tmp_path / "a.md")
    write(tmp_path / "private/b.md")
    files, skipped = found(tmp_path)
    assert files == ["a.md"]
    assert skipped["private"] == "ignored by .yuanwenignore"


def test_a_pattern_that_makes_no_sense_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", "!\n*.log\nbad\\\n")
    write(tmp_path / "a.log")
    write(tmp_path / "b.md")
    assert found(tmp_path)[0] == ["b.md"]


def test_a_file_named_directly_is_taken_though_ignored(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", "*")
    file = write(tmp_path / "a.md")
    assert [type(item) for item in walk(Root(path=str(file)))] == [File]


SECRETS = [".env", ".env.local", "server.pem", "a.KEY", "id_rsa", "id_ed25519", "x.p12", "x.pfx", "keys.kdbx"]
SECRETS += [".netrc", ".npmrc", ".pypirc", ".htpasswd", "credentials", "credentials.json"]


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_are_never_taken_not_even_by_name(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    assert found(tmp_path) == ([], {name: "it may hold secrets"})
    assert found(path)[0] == []


@pytest.mark.parametrize("name", ["keynote.md", "id_rsa.pub", "my credentials.md", "environment.md", "pem.txt"])
def test_names_that_only_look_like_secrets_are_taken(tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    assert found(tmp_path) == ([name], {})


def test_a_private_key_is_a_secret_by_content() -> None:
    assert holds_key(b"-----BEGIN RSA PRIVATE KEY-----\nMIIE")
    assert holds_key(b"# mine\n-----BEGIN OPENSSH PRIVATE KEY-----\n")
    assert holds_key(b"-----BEGIN PGP PRIVATE KEY BLOCK-----\n")
    assert holds_key(b"PuTTY-User-Key-File-3: ssh-ed25519")
    assert not holds_key(b"-----BEGIN PUBLIC KEY-----\nMIIE")
    assert not holds_key("文件以 -----BEGIN PRIVATE KEY----- 开头".encode())


def test_globs_choose_by_path_and_by_name(tmp_path: Path) -> None:
    for name in ("a.md", "b.txt", "docs/c.md", "docs/old/d.md", "drafts/e.md"):
        write(tmp_path / name)
    assert found(tmp_path, include=("*.md",))[0] == ["a.md", "docs/c.md", "docs/old/d.md", "drafts/e.md"]
    assert found(tmp_path, include=("docs/*",))[0] == ["docs/c.md", "docs/old/d.md"]
    assert found(tmp_path, include=("**/a.md", "b.txt"))[0] == ["a.md", "b.txt"]
    files, skipped = found(tmp_path, include=("*.md",), exclude=("drafts/", "*/old/*"))
    assert files == ["a.md", "docs/c.md"]
    assert set(skipped) == {"b.txt", "docs/old/d.md", "drafts"}
    assert set(skipped.values()) == {"left out by --include or --exclude"}


@posix
def test_globs_match_either_normal_form(tmp_path: Path) -> None:
    write(tmp_path / "cafe\u0301.md")
    assert len(found(tmp_path, include=("caf\u00e9*",))[0]) == 1


@posix
def test_links_are_named_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "out/a.md")
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "folder").symlink_to(tmp_path / "out")
    (inside / "file.md").symlink_to(tmp_path / "out/a.md")
    (inside / "nowhere").symlink_to(tmp_path / "gone")
    assert found(inside) == ([], dict.fromkeys(["file.md", "folder", "nowhere"], "symbolic link"))
    (as_root,) = walk(Root(path=str(inside / "folder")))
    assert isinstance(as_root, Skip) and as_root.reason == "symbolic link" and "target" in as_root.hint


@posix
def test_pipes_and_sockets_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")
        assert found(tmp_path) == ([], dict.fromkeys(["pipe", "sock"], "not a regular file"))
    with pytest.raises(Unreadable, match="not a regular file"):
        read(File(path=tmp_path / "pipe", size=1, mtime_ns=0))


def test_empty_and_huge_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "MAX_BYTES", 100)
    write(tmp_path / "empty.md", "")
    write(tmp_path / "huge.md", "x" * 101)
    write(tmp_path / "large.md", "x" * 100)
    assert found(tmp_path) == (["large.md"], {"empty.md": "empty file", "huge.md": "too large"})


@posix
@not_root
def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path / "closed/a.md")
    write(tmp_path / "open.md")
    (tmp_path / "closed").chmod(0)
    try:
        assert found(tmp_path) == (["open.md"], {"closed": "permission denied"})
        assert unavailable(Root(path=str(tmp_path / "closed"))) == "permission denied"
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_an_error_of_the_system_is_named_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a/a.md")
    write(tmp_path / "b/b.md")
    scandir = os.scandir

    def refusing(path: str) -> object:
        if os.path.basename(path) == "a":
            raise PermissionError(13, "no", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert found(tmp_path) == (["b/b.md"], {"a": "permission denied"})


def test_a_missing_root_is_named(tmp_path: Path) -> None:
    (only,) = walk(Root(path=str(tmp_path / "gone")))
    assert only == Skip(
        source=str(tmp_path / "gone"),
        reason="it is not there",
        hint="Check the path, and that its drive is connected.",
    )


def test_what_is_left_out_on_purpose_is_told_from_what_cannot_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walking, "MAX_BYTES", 10)
    for name in (".hidden/a.md", "node_modules/a.js", "ignored.log", ".env", "large.md"):
        write(tmp_path / name, "x" * 11)
    write(tmp_path / ".gitignore", "*.log")
    write(tmp_path / "empty.md", "")
    items = list(walk(Root(path=str(tmp_path)))) + list(walk(Root(path=str(tmp_path / "gone"))))
    failed = {Path(item.source).name for item in items if isinstance(item, Skip) and not item.by_rule}
    assert len(items) == 8
    assert failed == {"large.md", "gone"}


@posix
def test_folders_nested_deeper_than_the_stack_are_walked(tmp_path: Path) -> None:
    folders = [tmp_path / "d"]
    while len(folders) < 1200:
        folders.append(folders[-1] / "d")
    for folder in folders:
        folder.mkdir()
    file = write(folders[-1] / "x.md")
    try:
        assert [item.path for item in walk(Root(path=str(tmp_path))) if isinstance(item, File)] == [file]
    finally:  # pytest's own cleaning is recursive
        file.unlink()
        for folder in reversed(folders):
            folder.rmdir()


names = st.sampled_from(["a", "b", "c.md", "d.txt", "文", "e f", "#g"])
paths = st.lists(names, min_size=1, max_size=4).map("/".join)


@given(paths=st.lists(paths, max_size=12))
@settings(max_examples=25, deadline=None)
def test_files_and_skips_add_up_to_what_the_system_lists(
    tmp_path_factory: pytest.TempPathFactory, paths: list[str]
) -> None:
    root = tmp_path_factory.mktemp("walk")
    for number, path in enumerate(paths):
        try:
            write(root / path, "x" * (number % 3))
        except OSError:
            continue  # a file stands where a folder would have to
    listed = {os.path.join(folder, name) for folder, _, files in os.walk(root) for name in files}
    items = list(walk(Root(path=str(root))))
    assert {str(item.path) if isinstance(item, File) else item.source for item in items} == listed
    assert len(items) == len(listed)


# ------------------------------------------------------------------------------------------ unavailable


def test_a_root_is_available_when_it_holds_something(tmp_path: Path) -> None:
    assert unavailable(Root(path=str(tmp_path))) == "the folder is empty"
    assert unavailable(Root(path=str(tmp_path / "gone"))) == "it is not there"
    file = write(tmp_path / "a.md")
    assert unavailable(Root(path=str(tmp_path))) is None
    assert unavailable(Root(path=str(file))) is None


# ------------------------------------------------------------------------------------------------- read


def as_file(path: Path) -> File:
    return File(path=path, size=1, mtime_ns=0)


def test_a_file_is_read_once_it_is_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "half")
    writer = threading.Timer(0.04, path.write_text, ["whole"])
    writer.start()
    assert read(as_file(path)) == b"whole"
    writer.join()


def test_an_old_file_is_read_at_once(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "text")
    os.utime(path, (1, 1))
    started = time.monotonic()
    assert read(as_file(path)) == b"text"
    assert time.monotonic() - started < walking.SETTLE_SECONDS


def test_a_file_from_the_future_is_read_at_once(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "text")
    os.utime(path, (time.time() + 3600,) * 2)
    assert read(as_file(path)) == b"text"


def test_a_file_that_never_stands_still_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.log", "text")
    monkeypatch.setattr(time, "sleep", lambda seconds: path.write_text(path.read_text() + "more"))
    with pytest.raises(Unreadable, match="it is being written"):
        read(as_file(path))


def test_a_file_saved_as_delete_and_create_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.md"

    def create(seconds: float) -> None:
        path.write_text("new")
        os.utime(path, (1, 1))

    monkeypatch.setattr(time, "sleep", create)
    assert read(as_file(path)) == b"new"


def test_a_file_that_went_away_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "SETTLE_SECONDS", 0.001)
    with pytest.raises(Unreadable, match="it is not there"):
        read(as_file(tmp_path / "gone.md"))


@posix
def test_a_link_that_took_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "secret.md")
    (tmp_path / "a.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(Unreadable, match="symbolic link"):
        read(as_file(tmp_path / "a.md"))


@posix
@not_root
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md")
    path.chmod(0)
    with pytest.raises(Unreadable, match="permission denied"):
        read(as_file(path))
