"""Files are read in processes that can be killed: whatever a parser does, it costs one file and nothing else."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest
from conftest import write

from yuanwen import Library, worker
from yuanwen.absence import Skip
from yuanwen.errors import Unreadable
from yuanwen.workers import Workers, _plain

# An extractor as another package would bring it, for a format that we do not read: it does what its file says.
PLUGIN = """
import os, sys, time
from yuanwen.documents import Extracted

def extract(raw):
    order = raw.data.decode().split()[0]
    if order == "hang":
        while True:
            pass
    if order == "work":
        for _ in range(12):
            time.sleep(0.5)
            raw.allowance.beat()
    if order == "wait":
        time.sleep(1)
    if order == "abort":
        os.abort()
    if order == "leave":
        os._exit(0)
    if order == "eat":
        eaten = bytearray(2**33)
    if order == "print":
        print("nonsense on stdout", flush=True)
        os.write(1, b"more of it")
        print("and on stderr", file=sys.stderr)
    if order == "halve":
        order += " \\ud800"
    if order == "fail":
        raise ValueError("nobody expects this")
    return (Extracted(text=f"{order} {os.getpid()}", media_type=raw.media_type),)
"""


@pytest.fixture(scope="module", autouse=True)
def lent() -> None:
    """No process is kept from one test to the next here."""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the extractor for the workers that this test starts."""
    place = tmp_path / "installed"
    write(place / "plugin.py", PLUGIN)
    write(place / "plugin-1.0.dist-info" / "METADATA", "Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    points = "[yuanwen.extractors]\napplication/x-caj = plugin:extract\n"
    write(place / "plugin-1.0.dist-info" / "entry_points.txt", points)
    paths = [str(place), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))


@pytest.fixture
def workers() -> Iterator[Workers]:
    with Workers(2, seconds=4) as workers:
        yield workers


def text(workers: Workers, order: str) -> str:
    ((document, _),) = workers.read("a.caj", order.encode()).documents
    return document.text


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z" if Path("/proc").exists() else True


def eventually(true: Callable[[], bool]) -> bool:
    """Return whether something becomes true within ten seconds."""
    end = time.monotonic() + 10
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ("abort", "its reader crashed"),
        ("leave", "its reader crashed"),
        ("hang", "its reader made no progress for 4 seconds"),
        ("eat", "it asks for too much memory"),
        ("fail", "its reader failed (ValueError)"),
    ],
)
def test_a_reader_that_fails_costs_one_file(workers: Workers, order: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason.replace("(", r"\(").replace(")", r"\)")):
        text(workers, order)
    assert text(workers, "next").startswith("next ")


@pytest.mark.usefixtures("plugin")
def test_a_reader_that_gives_signs_of_life_may_take_its_time(workers: Workers) -> None:
    assert text(workers, "work").startswith("work ")


@pytest.mark.usefixtures("plugin")
def test_a_reader_may_not_take_its_time_without_end(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yuanwen.workers.WHOLE_SECONDS", 1.0)
    with pytest.raises(Unreadable, match="it takes more than 0 minutes to read"):
        text(workers, "work")


@pytest.mark.usefixtures("plugin")
def test_half_a_character_of_a_reader_of_others_becomes_a_mark_of_loss(workers: Workers) -> None:
    assert text(workers, "halve").startswith("halve \ufffd ")


def test_what_is_printed_before_a_worker_is_ready_goes_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "sitecustomize.py", "print('hello', flush=True); print('no end of line', end='')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Workers(1, seconds=4) as workers:
        ((document, _),) = workers.read("a.txt", "证据不足".encode()).documents
    assert document.media_type == "text/plain"


@pytest.mark.usefixtures("plugin")
def test_what_a_reader_prints_goes_nowhere(workers: Workers, capfd: pytest.CaptureFixture[str]) -> None:
    assert text(workers, "print").startswith("print ")
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("plugin")
def test_a_worker_is_kept_from_one_file_to_the_next() -> None:
    with Workers(1) as workers:
        first, second = text(workers, "a"), text(workers, "b")
        assert first.split()[1] == second.split()[1]
        with pytest.raises(Unreadable):
            text(workers, "abort")
        assert text(workers, "c").split()[1] != first.split()[1]


@pytest.mark.usefixtures("plugin")
def test_a_worker_that_was_killed_while_it_waited_is_replaced() -> None:
    with Workers(1) as workers:
        process = int(text(workers, "a").split()[1])
        os.kill(process, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        assert eventually(lambda: not alive(process))
        assert int(text(workers, "b").split()[1]) != process


@pytest.mark.skipif(sys.platform == "win32", reason="an alarm of POSIX")
def test_a_worker_that_waits_has_no_alarm_set() -> None:
    job = pickle.dumps(("read", "a.txt", 2, (), {}))
    worker.work(BytesIO(len(job).to_bytes(worker.LENGTH) + job + b"ab"), BytesIO())
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.usefixtures("plugin")
def test_a_worker_is_kept_where_the_process_that_started_it_is_large() -> None:
    code = f"""
        from yuanwen.workers import Workers
        ballast = b"x" * {worker.HEAVY + 2**27}
        with Workers(1) as workers:
            for order in (b"a", b"b", b"c"):
                print(workers.read("a.caj", order).documents[0][0].text.split()[1])
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, env=environment, check=True
    )
    assert len(set(done.stdout.split())) == 1


@pytest.mark.usefixtures("plugin")
def test_no_worker_is_left_when_they_are_closed() -> None:
    with Workers(1) as workers:
        process = int(text(workers, "a").split()[1])
        assert alive(process)
    assert not alive(process)


@pytest.mark.usefixtures("plugin")
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_worker_ends_with_the_process_that_started_it() -> None:
    code = """
        import os, signal
        from yuanwen.workers import Workers
        with Workers(1) as workers:
            print(workers.read("a.caj", b"a").documents[0][0].text.split()[1], flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], *sys.path])}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, env=environment)
    assert done.returncode == -signal.SIGKILL
    process = int(done.stdout)
    assert eventually(lambda: not alive(process))


def test_a_worker_imports_nothing_from_the_folder_it_is_started_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "csv.py", "raise SystemExit('taken over')")
    write(tmp_path / "yuanwen.py", "raise SystemExit('taken over')")
    monkeypatch.chdir(tmp_path)
    with Workers(1) as workers:
        assert workers.read("a.txt", "正文".encode()).documents[0][0].text == "正文"


class _Hostile:
    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("taken-over",)


@pytest.mark.parametrize(
    "answer", [pickle.dumps(_Hostile()), b"", b"\x80\x05", pickle.dumps("text"), b"cos\nsystem\n."]
)
def test_an_answer_that_is_no_plain_data_is_none(
    answer: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _plain(answer) == ()
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("plugin")
def test_the_files_around_one_that_crashes_are_indexed(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    for number in range(6):
        write(folder / f"{number}.md", f"第{number}份文件")
        write(folder / f"{number}.caj", "abort" if number % 2 else f"好文件{number}")
    with Library.open(tmp_path / "library.sqlite") as library:
        report = library.add(folder)
        again = library.sync()
        found = library.search("好文件", mode="exact").found
    assert (report.files, report.indexed, len(report.skipped)) == (12, 9, 3)
    assert {skip.reason for skip in report.skipped} == {"its reader crashed, or asked for more than 2 GiB of memory"}
    assert (again.files, again.unchanged, len(again.skipped)) == (12, 9, 3)
    assert found == 3


@pytest.mark.usefixtures("plugin")
def test_results_come_in_the_order_of_the_files(workers: Workers) -> None:
    orders = [f"{'wait' if number == 0 else 'go'} {number}" for number in range(7)]
    futures = list(workers.map(lambda order: text(workers, order).split()[0], orders))
    assert [future.result() for future in futures] == [order.split()[0] for order in orders]


def test_what_could_not_be_read_is_answered_as_data(workers: Workers) -> None:
    reading = workers.read("a.jsonl", b'{"id":"P1","title":"t","source":"s","paragraph":1,"body":"b"}\n')
    assert reading.documents and not any(isinstance(part, Skip) for part in reading.documents)
    with pytest.raises(Unreadable, match="binary file"):
        workers.read("a", bytes(range(256)) * 4)
