"""
A program that was taken over by a file gets hold of nothing: a canary tries.
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox, choose_sandbox
from hvcore_transcoder_ffmpeg.sandbox.process import supervise
from hvcore_transcoder_ffmpeg.sandbox.syscalls import syscall_filter
from tests.plugins.transcoder_ffmpeg import canary

pytestmark = pytest.mark.services

# The interpreter behind the virtual environment, which may lie anywhere.
_PYTHON = Path(sys.base_prefix, "bin", f"python3.{sys.version_info.minor}").resolve()


@pytest.fixture(scope="module")
def doors() -> Iterator[tuple[int, str]]:
    """
    A port of the loopback device and an abstract socket, where somebody listens.
    """
    name = f"hv-canary-{os.getpid()}"
    with (
        socket.create_server(("127.0.0.1", 0)) as port,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        abstract.bind(f"\0{name}")
        abstract.listen()
        yield port.getsockname()[1], name


_LIMITS = {
    "cpu_s": 300,
    "address_space_bytes": 4 * 1024**3,
    "file_size_bytes": 64 * 1024**2,
    "open_files": 256,
}
"""Those of an encode; what it may take of each does not matter here."""


def _sandbox(level: str) -> Sandbox:
    sandbox = choose_sandbox(level, [Path("/usr/bin/true")]).sandbox
    assert sandbox is not None
    assert sandbox.level == level
    return sandbox


def _tried(
    sandbox: Sandbox, folder: Path, doors: tuple[int, str], **wanted: list[str]
) -> dict[str, Any]:
    port, abstract = doors
    tries = {
        "read": wanted.get("read", []),
        "write": wanted.get("write", []),
        "pids": [os.getpid(), os.getppid()],
        "port": port,
        "abstract": abstract,
    }
    said: list[bytes] = []
    program = [str(_PYTHON), "-I", canary.__file__, json.dumps(tries)]
    readable = [Path(canary.__file__), Path(sys.base_prefix).resolve()]
    readable += [Path(path) for path in wanted.get("given", [])]
    ended = supervise(
        sandbox.command(program, limits=_LIMITS, readable=readable, writable=folder),
        folder=folder,
        take_output=said.append,
        tick=lambda: None,
    )
    assert ended.is_success, ended.log
    found = json.loads(b"".join(said))
    assert isinstance(found, dict)
    return found


def test_the_canary_sings_where_nothing_confines_it(
    tmp_path: Path, doors: tuple[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "out"
    folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("canary")

    found = _tried(
        Sandbox(bwrap=None), folder, doors, read=[str(secret)], write=[str(secret)]
    )

    assert found["read"] == {str(secret): "canary"}
    assert found["written"] == [str(secret)]
    assert found["connected"] == ["loopback", "abstract"]
    assert found["processes"] == canary.MOST_PROCESSES
    assert found["killed"] == [os.getpid(), os.getppid()]
    assert "old mount" in found["kernel"]


def test_in_the_sandbox_it_gets_hold_of_nothing(
    tmp_path: Path, doors: tuple[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HV_AUTH__SYSTEM_KEY", "canary")
    source, other, data, folder, neighbour = (
        tmp_path / name for name in ("source", "other", "data", "out", "out-of-another")
    )
    for place in (data, folder, neighbour):
        place.mkdir()
    source.write_text("the video")
    other.write_text("another video")
    (data / "secrets.json").write_text("canary")
    outside = [data / "secrets.json", other, neighbour / "init.m4s", "/usr/taken"]
    outside += [source, "/etc/taken", "/taken", Path(canary.__file__)]
    outside += [Path("/dev", "shm", "taken")]

    found = _tried(
        _sandbox("bwrap"),
        folder,
        doors,
        given=[str(source)],
        read=[
            *map(str, (source, other, data, neighbour, data / "secrets.json")),
            *("/etc/passwd", "/etc/shadow", "/root", "/home", "/var", "/tmp"),  # noqa: S108
            *("/proc/1/environ", "/sys/class/net", "/run", str(Path.home())),
        ],
        write=[*map(str, outside), str(folder / "mine")],
    )

    read = {path: text for path, text in found["read"].items() if text}
    assert read.pop(str(source)) == "the video"
    assert "canary" not in read.pop("/proc/1/environ", "")
    # Above what was given there are folders, with nothing else in them.
    given = [str(source), str(folder), canary.__file__, str(_PYTHON)]
    for path, names in read.items():
        for name in names.split(","):
            assert any(one.startswith(f"{path}/{name}") for one in given), path
    assert found["written"] == [str(folder / "mine")]
    assert source.read_text() == "the video"
    assert found["connected"] == found["killed"] == found["kernel"] == []
    assert found["processes"] == 0
    assert found["visible"] <= 2
    assert set(found["environment"]) <= {"PWD", "LC_CTYPE"}


def test_the_plugins_of_the_data_folder_are_out_of_reach_in_the_sandbox(
    tmp_path: Path, doors: tuple[int, str]
) -> None:
    folder, plugins = tmp_path / "work" / "p0", tmp_path / "plugins"
    folder.mkdir(parents=True)
    plugins.mkdir()
    plugin = plugins / "acme.py"
    plugin.write_text("canary")
    # By its own path, from the folder that the program may write to, and by a link there.
    (folder / "out").symlink_to(plugins)
    ways = [plugins, folder / ".." / ".." / "plugins", folder / "out"]

    found = _tried(
        _sandbox("bwrap"),
        folder,
        doors,
        read=[str(way / "acme.py") for way in ways],
        write=[str(way / name) for way in ways for name in ("acme.py", "new.py")],
    )

    assert (found["read"], found["written"]) == ({}, [])
    assert plugin.read_text() == "canary"
    assert [one.name for one in plugins.iterdir()] == ["acme.py"]


@pytest.mark.parametrize("level", ["bwrap", "rlimits"])
def test_at_every_level_it_reaches_no_process_and_no_network(
    level: str, tmp_path: Path, doors: tuple[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HV_AUTH__SYSTEM_KEY", "canary")

    found = _tried(_sandbox(level), tmp_path, doors)

    assert found["processes"] == 0
    assert found["connected"] == found["killed"] == found["kernel"] == []
    assert "canary" not in str(found["environment"])


@pytest.mark.parametrize("level", ["bwrap", "rlimits"])
def test_a_program_that_gives_up_ends_as_if_killed(level: str, tmp_path: Path) -> None:
    program = [str(_PYTHON), "-I", "-c", "import os; os.abort()"]

    ended = supervise(
        _sandbox(level).command(
            program, limits=_LIMITS, readable=[Path(sys.base_prefix).resolve()]
        ),
        folder=tmp_path,
        take_output=lambda _: None,
        tick=lambda: None,
    )

    assert ended.signal in {signal.SIGABRT, signal.SIGSEGV, signal.SIGTRAP}


def test_namespaces_alone_keep_it_from_the_network(
    tmp_path: Path, doors: tuple[int, str]
) -> None:
    bwrap = _sandbox("bwrap").bwrap

    found = _tried(Sandbox(bwrap=bwrap), tmp_path, doors)

    assert found["connected"] == found["killed"] == []


def test_every_step_of_the_filter_is_whole() -> None:
    program = syscall_filter()

    assert program
    assert len(program) % 8 == 0
    # What does not fit into the pipe that hands it on would wait for ever.
    assert len(program) <= 4096
