"""
Plugins beside the installed ones: modules and files by name, and files of the data folder.
"""

import os
import py_compile
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Final

import pytest

from hvcore.assembly.backend_choice.offered_backends import offered_backends
from hvcore.processes import time_limits
from hvcore.registry import Registry, load_plugins, loading
from hvcore.registry.extras import install_command
from hvcore.settings import Settings, load

QUEUE: Final = """\
from hvcore.plugin_api import QueueBackend, hookimpl

@hookimpl
def hvcore_queues():
    yield QueueBackend(name="NAME", factory=print)
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "plugins").mkdir(parents=True)
    for one in (folder, folder / "plugins"):
        one.chmod(0o755)
    return folder


@pytest.fixture(autouse=True)
def _as_an_operator() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def plugin(file: Path, name: str) -> Path:
    file.write_text(QUEUE.replace("NAME", name))
    return file


def settings(data: Path, **environ: str) -> Settings:
    given = {"HV_PLUGINS": "hvcore_ratelimit.plugin", **environ}
    return load(config_path=None, environ=given, data_dir=data).settings


def loaded(data: Path, **environ: str) -> Registry:
    return load_plugins(settings(data, **environ))


def queues(registry: Registry) -> list[str]:
    return [offer.backend.name for offer in registry.of_kind("queue")]


def refusal(registry: Registry) -> str:
    (fault,) = registry.faults
    assert queues(registry) == []
    return str(fault)


def test_a_file_and_a_module_are_loaded_beside_the_other_plugins(
    data: Path, tmp_path: Path
) -> None:
    acme = plugin(tmp_path / "acme-queue.py", "acme")

    found = loaded(data, HV_EXTRA_PLUGINS=f"{acme}, hvcore_queue_local.plugin")

    assert found.faults == ()
    assert queues(found) == ["acme", "local"]
    assert [offer.backend.name for offer in found.of_kind("limits")]
    offer = found.offer("queue", "acme")
    assert (offer.plugin, offer.distribution) == ("acme-queue", "HV_EXTRA_PLUGINS")


def test_extra_plugins_are_beside_the_installed_ones(
    data: Path, tmp_path: Path
) -> None:
    acme = plugin(tmp_path / "acme_beside.py", "acme")

    found = loaded(data, HV_PLUGINS="", HV_EXTRA_PLUGINS=str(acme))

    assert {"acme", "rq"} <= set(queues(found))


def test_a_relative_path_of_an_extra_plugin_begins_at_the_current_folder(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin(tmp_path / "acme_near.py", "near")
    monkeypatch.chdir(tmp_path)

    assert queues(loaded(data, HV_EXTRA_PLUGINS="acme_near.py")) == ["near"]


def test_an_extra_plugin_that_is_there_already_is_loaded_once(data: Path) -> None:
    found = loaded(data, HV_EXTRA_PLUGINS="hvcore_ratelimit.plugin")

    assert found.faults == ()
    assert found.offer("limits", "moving-window").plugin == "hvcore_ratelimit.plugin"


def test_a_plugin_file_that_is_missing_is_told_with_its_path(data: Path) -> None:
    told = refusal(loaded(data, HV_EXTRA_PLUGINS="/nowhere/acme.py"))

    assert "Plugin acme (HV_EXTRA_PLUGINS)" in told
    assert "/nowhere/acme.py cannot be read: No such file" in told
    assert "take acme out of HV_EXTRA_PLUGINS" in told


def test_a_line_of_a_plugin_file_that_fails_is_told(data: Path, tmp_path: Path) -> None:
    acme = tmp_path / "acme_failing.py"
    acme.write_text("x = 1\nx.nothing\n")

    told = refusal(loaded(data, HV_EXTRA_PLUGINS=str(acme)))

    assert f"{acme}:2" in told


def test_a_plugin_file_runs_once_however_often_it_is_loaded(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(sys, "acme_ran", ran, raising=False)
    counts = 'import sys\nsys.acme_ran.append("once")\n'
    (data / "plugins" / "counts.py").write_text(counts + QUEUE.replace("NAME", "one"))

    found = [loaded(data) for _ in range(3)]

    assert [queues(one) for one in found] == [["one"]] * 3
    assert ran == ["once"]


WAITS: Final = """\
import sys
sys.acme_entered.set()
sys.acme_released.wait(30)
"""


@pytest.fixture
def waiting(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[threading.Event, threading.Event]]:
    """
    A plugin whose module waits: an event for its beginning, and one that lets it go on.
    """
    entered, released = threading.Event(), threading.Event()
    monkeypatch.setattr(sys, "acme_entered", entered, raising=False)
    monkeypatch.setattr(sys, "acme_released", released, raising=False)
    (data / "plugins" / "waits.py").write_text(WAITS + QUEUE.replace("NAME", "late"))
    yield entered, released
    released.set()


def test_two_threads_that_load_a_plugin_file_both_get_all_of_it(
    data: Path, waiting: tuple[threading.Event, threading.Event]
) -> None:
    entered, released = waiting
    with ThreadPoolExecutor() as pool:
        first = pool.submit(loaded, data)
        assert entered.wait(10)
        second = pool.submit(loaded, data)
        wait([second], timeout=0.3)
        released.set()
        found = [first.result(), second.result()]

    assert [queues(one) for one in found] == [["late"], ["late"]]


def test_a_plugin_file_that_hangs_is_told_each_time(
    data: Path,
    waiting: tuple[threading.Event, threading.Event],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    del waiting
    monkeypatch.setattr(time_limits, "PATIENCE_S", 0.1)
    monkeypatch.setattr(loading, "SILENT_S", 0.3)

    told = [refusal(loaded(data)) for _ in range(2)]

    for one in told:
        assert "Plugin waits (" in one
        assert "has not come back" in one


NEEDS: Final = """\
from hvcore.plugin_api import NoOptions, QueueBackend, hookimpl

def build(options, context):
    import no_such_library

@hookimpl
def hvcore_queues():
    yield QueueBackend(name="acme", factory=build, extra="no-such")
"""


@pytest.mark.parametrize("is_named", [True, False])
def test_a_library_that_a_plugin_file_needs_is_to_be_installed_itself(
    data: Path, tmp_path: Path, *, is_named: bool
) -> None:
    folder = tmp_path if is_named else data / "plugins"
    (folder / "needy.py").write_text(NEEDS)
    # Called like what it needs.
    (folder / "no_such.py").write_text("import no_such\n")
    names = f"{folder}/needy.py,{folder}/no_such.py" if is_named else ""

    found = loaded(data, HV_EXTRA_PLUGINS=names)

    offer = found.offer("queue", "acme")
    assert install_command(offer, "no_such_library") == "pip install no_such_library"
    (listed,) = [
        one for one in offered_backends(found, settings(data)) if one.name == "acme"
    ]
    assert listed.fault is None
    (fault,) = found.faults
    assert "Install what it needs: no_such;" in str(fault)


def test_files_of_the_plugins_folder_are_loaded(data: Path) -> None:
    plugin(data / "plugins" / "first.py", "first")
    plugin(data / "plugins" / "second.py", "second")
    # As editors leave them.
    (data / "plugins" / ".#second.py").symlink_to("somebody@host")
    (data / "plugins" / "notes.txt").write_text("first, second")

    found = loaded(data)

    assert found.faults == ()
    assert queues(found) == ["first", "second"]
    assert found.offer("queue", "first").distribution == str(data / "plugins")


def test_a_plugin_file_takes_the_place_of_no_library(data: Path) -> None:
    import json  # noqa: PLC0415 - as anybody does afterwards

    plugin(data / "plugins" / "json.py", "first")

    assert queues(loaded(data)) == ["first"]
    assert "hvcore" not in str(json.__file__)
    assert json.loads("[]") == []


def test_a_named_plugin_file_goes_before_one_of_the_plugins_folder_of_its_name(
    data: Path, tmp_path: Path
) -> None:
    plugin(data / "plugins" / "acme_twice.py", "lying-there")
    named = plugin(tmp_path / "acme_twice.py", "named")

    found = loaded(data, HV_EXTRA_PLUGINS=str(named))

    assert queues(found) == ["named"]
    assert f"{data}/plugins/acme_twice.py is not loaded" in str(found.faults[0])
    assert f"{named} has the same name" in str(found.faults[0])


def writable_folder(data: Path) -> str:
    (data / "plugins").chmod(0o775)
    return f"run: chmod go-w {data}/plugins"


def writable_file(data: Path) -> str:
    (data / "plugins" / "open.py").chmod(0o666)
    return f"run: chmod go-w {data}/plugins/open.py"


def writable_data_folder(data: Path) -> str:
    data.chmod(0o777)
    return f"run: chmod go-w {data}"


def file_behind_a_link(data: Path) -> str:
    file = data / "plugins" / "open.py"
    file.rename(data / "elsewhere.py")
    file.symlink_to(data / "elsewhere.py")
    return f"{file} is a link"


def folder_behind_a_link(data: Path) -> str:
    (data / "plugins").rename(data / "elsewhere")
    (data / "plugins").symlink_to(data / "elsewhere")
    return f"{data}/plugins is a link"


@pytest.mark.parametrize(
    "opened",
    [
        writable_folder,
        writable_file,
        writable_data_folder,
        file_behind_a_link,
        folder_behind_a_link,
    ],
)
def test_a_plugin_file_that_others_can_change_is_refused(
    data: Path, opened: Callable[[Path], str]
) -> None:
    plugin(data / "plugins" / "open.py", "open")

    said = opened(data)

    assert said in refusal(loaded(data))


def test_a_plugin_file_of_another_user_is_refused(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin(data / "plugins" / "theirs.py", "theirs")
    monkeypatch.setattr(os, "geteuid", lambda: 64_321)

    told = refusal(loaded(data))

    assert f"{data} belongs to " in told
    # Who gave the data folder to another user would lock the service out.
    assert f"Run hv as {data.owner()}" in told
    assert "chown" not in told


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_is_told_to_run_hv_as_the_owner_of_a_plugins_folder(data: Path) -> None:
    plugin(data / "plugins" / "theirs.py", "theirs")
    os.chown(data / "plugins", 64_321, 64_321)

    told = refusal(loaded(data))

    assert "Run hv as 64321" in told
    assert "chown" not in told


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_plugin_file_of_another_user_is_given_to_the_owner_of_the_data_folder(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = plugin(data / "plugins" / "theirs.py", "theirs")
    for one in (data, data / "plugins"):
        os.chown(one, 64_321, 64_321)
    monkeypatch.setattr(os, "geteuid", lambda: 64_321)

    assert f"run: chown 64321 {file}" in refusal(loaded(data))


def test_naming_a_file_of_the_plugins_folder_does_not_open_it(data: Path) -> None:
    file = plugin(data / "plugins" / "named.py", "named")
    writable_folder(data)

    assert "chmod go-w" in refusal(loaded(data, HV_EXTRA_PLUGINS=str(file)))


def test_compiled_files_beside_a_plugin_file_are_not_read(data: Path) -> None:
    file = plugin(data / "plugins" / "fresh.py", "stale")
    # One that Python takes whatever time and size the source has.
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(file), invalidation_mode=unchecked)
    plugin(file, "fresh")

    assert queues(loaded(data)) == ["fresh"]
    assert not [*data.glob("plugins/__pycache__/*.tmp")]
