"""A backend that leaves something behind, or changes the process, is told by every kit."""

import socket
import subprocess
import sys
from typing import Final

import pytest

from hvcore.testing.kit import Kit
from hvcore.testing.leftovers import GROWS_BY, GROWS_IN, Growth, open_things

LEAVING: Final = """
import locale, os, signal, socket, subprocess, threading, time
import pytest
from datetime import datetime, UTC
from hvcore.testing.kit import Kit, may_leave

KEPT = []


class TestOrderly(Kit):
    @pytest.fixture
    def opened(self, tmp_path):
        # Nobody closes it, and nobody has it once the test is over.
        return (tmp_path / "own").open("w")

    def test_what_the_test_owns_goes_with_it(self, opened, tmp_path, monkeypatch):
        monkeypatch.setenv("A_VARIABLE", "of the fixture")
        monkeypatch.chdir(tmp_path)
        thread = threading.Thread(target=time.sleep, args=(0.05,))
        thread.start()
        subprocess.run(["true"])
        (tmp_path / "more").mkdir()

    def test_the_zone_is_ahead(self):
        local = datetime.now().astimezone()
        assert local.utcoffset().total_seconds() == 9 * 3600
        assert locale.setlocale(locale.LC_NUMERIC) in ("tr_TR.UTF-8", "C")

    def test_a_thread_may_stay_once(self):
        threading.Thread(target=time.sleep, args=(100,), daemon=True).start()


@pytest.fixture(autouse=True)
def of_the_author(request, monkeypatch):
    # It comes before the fixtures of a class.
    if request.cls is TestPatched:
        monkeypatch.setenv("A_KEY", "k")


class TestPatched(Kit):
    def test_a_variable_of_an_earlier_fixture(self):
        assert os.environ["A_KEY"]

    def test_a_variable_of_an_earlier_fixture_and_one_of_its_own(self):
        os.environ["A_SECRET"] = "hunter2"


class TestUnpatched(Kit):
    def test_it_has_no_variable_of_a_fixture(self):
        assert "A_KEY" not in os.environ


class Leaving(Kit):
    def test_file(self, tmp_path):
        KEPT.append((tmp_path / "own").open("w"))

    def test_child(self):
        KEPT.append(subprocess.Popen(["sleep", "100"]))

    def test_file_beside(self, tmp_path):
        (tmp_path.parent / "beside").write_text("x")

    def test_file_in_working_folder(self):
        with open("spool.tmp", "w"):
            pass

    def test_folder_in_working_folder(self):
        os.mkdir(f"spool-{os.urandom(4).hex()}")

    def test_directory(self):
        os.chdir("/")

    def test_signal(self):
        signal.signal(signal.SIGTERM, lambda *_: None)

    def test_variable(self):
        os.environ["A_SECRET"] = "hunter2"

    def test_removed_variable(self):
        del os.environ["HOME"]

    def test_setting(self):
        socket.setdefaulttimeout(3)

    def test_umask(self):
        os.umask(0o111)


class TestLeaving(Leaving):
    pass


class TestDeclared(Leaving):
    leftovers = dict.fromkeys(
        ["open files", "children", "files", "directory", "signals", "variables",
         "settings"], "the library does")


class TestExcused(Kit):
    folders = []

    @may_leave("open files")
    def test_file(self, tmp_path):
        KEPT.append((tmp_path / "own").open("w"))
        self.folders.append(tmp_path)

    def test_file_of_a_thread_of_an_excused_test(self):
        KEPT.append((self.folders[0] / "later").open("w"))

    @pytest.mark.parametrize("number", range(9))
    def test_failed(self, tmp_path, number):
        KEPT.append((tmp_path / "own").open("w"))
        raise ValueError("the test's own error")


class TestGrowing(Kit):
    @pytest.mark.parametrize("number", range(4))
    def test_sockets(self, number):
        KEPT.append([socket.socket() for _ in range(8)])


def teardown_module():
    for one in KEPT:
        if isinstance(one, subprocess.Popen):
            one.kill()
            one.wait()
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of a run of tests that leave things behind."""
    folder = tmp_path_factory.mktemp("leaving")
    file = folder / "test_leaving.py"
    file.write_text(LEAVING, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "-rfE"]
    done = subprocess.run(
        [
            *command,
            *["-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist"],
            str(file),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "COLUMNS": "400"},
    )
    return [*done.stdout.splitlines(), *done.stderr.splitlines()]


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("test_file", "open files: descriptor"),
        ("test_child", "(sleep)"),
        ("test_file_beside", "/beside"),
        ("test_file_in_working_folder", "/spool.tmp"),
        ("test_folder_in_working_folder", "/spool-"),
        ("test_directory", "directory: /"),
        ("test_signal", "signals: SIGTERM"),
        ("test_variable", "variables: A_SECRET"),
        ("test_removed_variable", "variables: HOME"),
        ("test_setting", "settings: the time limit of sockets"),
        ("test_umask", "settings: the umask"),
    ],
)
def test_a_leftover_is_told_by_name(told: list[str], test: str, words: str) -> None:
    [line] = [
        one
        for one in told
        if one.startswith("ERROR") and f"TestLeaving::{test} " in one
    ]

    assert words in line
    assert "left something behind" in line
    assert "hunter2" not in "".join(told)


def test_a_test_that_leaves_nothing_passes(told: list[str]) -> None:
    """Nor is a failed one told twice, nor what is declared, nor what is excused."""
    accused = [one for one in told if one.startswith(("ERROR", "FAILED"))]

    for name in ("TestOrderly", "TestDeclared", "TestExcused::test_file"):
        assert not [one for one in accused if name in one], accused
    assert len([one for one in accused if "test_failed" in one]) == 9


def test_variables_of_an_earlier_fixture_are_restored_and_not_left_over(
    told: list[str],
) -> None:
    accused = [
        one for one in told if one.startswith("ERROR") and "patched" in one.lower()
    ]

    assert len(accused) == 1, accused
    assert "::test_a_variable_of_an_earlier_fixture_and_one_of_its_own" in accused[0]
    assert "variables: A_SECRET. " in accused[0]


def test_sockets_are_left_over_if_each_test_leaves_some(told: list[str]) -> None:
    """A process may have some of them once, such as those of an event loop."""
    accused = [one.split()[1] for one in told if "TestGrowing::" in one]

    assert [one[-3:] for one in accused] == ["[2]", "[3]"]


def left_by_each_test(*, closes: bool) -> list[bool]:
    """Tell a Growth of the sockets that each of four tests leaves; return what it says."""
    growth, said, opened = Growth(), list[bool](), list[socket.socket]()
    for _ in range(GROWS_IN + 1):
        before = open_things()
        opened += [one for _ in range(GROWS_BY // 4) for one in socket.socketpair()]
        new = {
            key: words
            for (kind, key), words in open_things().items()
            if kind == "descriptors" and (kind, key) not in before
        }
        said.append(growth.is_leak(Kit, "descriptors", new))
        if closes:
            for one in opened:
                one.close()
    for one in opened:
        one.close()
    return said


def test_sockets_are_no_leak_if_they_end_between_the_tests() -> None:
    assert left_by_each_test(closes=False) == [False, False, True, True]
    assert left_by_each_test(closes=True) == [False] * 4


@pytest.mark.parametrize(
    ("declared", "message"),
    [({"thread": "why"}, "'thread' is none of"), ({"threads": " "}, "say why")],
)
def test_leftovers_are_declared_by_kind_with_a_reason(
    declared: dict[str, str], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        type("TestAcme", (Kit,), {"leftovers": declared})
