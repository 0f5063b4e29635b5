"""
The data folder: one service at a time, sockets with short paths, and what a start has written.
"""

import json
import os
import stat
import tempfile
import time
from pathlib import Path

import pytest

from hvcore_cli.data_folder import MAX_SOCKET_PATH_BYTES, DataFolder
from hvcore_cli.invocation import CliError


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    made = DataFolder(tmp_path / "data")
    made.make()
    return made


def with_run_of(folder: Path, length: int) -> DataFolder:
    """
    Return a data folder whose folder of sockets has a path of this many bytes.
    """
    name = "x" * (length - len(os.fsencode(folder)) - len("//run"))
    return DataFolder(folder / name)


def test_a_second_service_is_told_the_process_of_the_first(folder: DataFolder) -> None:
    lock = folder.run / "up.lock"
    assert not folder.is_in_use()
    assert not lock.exists()
    lock.write_text("the process of an earlier one\n")

    with folder.locked():
        assert folder.is_in_use()
        with pytest.raises(CliError, match=rf"\(process {os.getpid()}\)"):
            folder.locked().__enter__()
        lock.write_text(" \n")
        with pytest.raises(CliError, match=r"\(process unknown\)"):
            folder.locked().__enter__()
    assert not folder.is_in_use()
    with folder.locked():
        pass


def test_a_folder_that_cannot_be_used_says_how_to_name_another(
    folder: DataFolder, tmp_path: Path
) -> None:
    modes = [stat.S_IMODE(one.stat().st_mode) for one in (folder.run, folder.logs)]
    (tmp_path / "file").touch()
    (folder.run / "up.lock").mkdir()

    with pytest.raises(CliError, match=r"cannot be used: .*--data"):
        DataFolder(tmp_path / "file").make()
    with pytest.raises(CliError, match=r"cannot be opened: .*--data"):
        folder.is_in_use()
    assert modes == [0o700, 0o700]


def test_sockets_are_in_the_data_folder_while_their_paths_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = Path(tempfile.mkdtemp(dir="/tmp"))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    most = MAX_SOCKET_PATH_BYTES - len("/queue.sock")
    fits, longer = with_run_of(short, most), with_run_of(short, most + 1)
    another = with_run_of(short, most + 2)

    first = longer.socket_dir()
    first.chmod(0o755)

    short.rmdir()
    assert fits.socket_dir() == fits.run
    assert longer.socket_dir() == first != another.socket_dir()
    assert first.parent == tmp_path
    assert stat.S_IMODE(first.stat().st_mode) == 0o700
    first.rmdir()
    first.symlink_to(another.socket_dir())
    with pytest.raises(CliError, match="somebody else"):
        longer.socket_dir()


def test_only_keys_with_a_value_are_first_keys(folder: DataFolder) -> None:
    assert folder.first_keys() == {}
    found = {"orgID": "org_local", "live": {"apiKey": "hv_live_x"}, "dev": {}}
    folder.first_keys_file.write_text(json.dumps(found))

    assert folder.first_keys() == {"live": "hv_live_x"}


def test_only_the_addresses_of_a_service_that_is_starting_are_waited_for(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = {"apiURL": "http://127.0.0.1:9000"}
    written = folder.addresses_file.with_suffix(".new")

    def start(_s: float) -> None:
        # Other threads of the tests sleep, too: nobody reads half a file.
        if not folder.addresses_file.exists():
            written.write_text(json.dumps(addresses))
            written.replace(folder.addresses_file)

    monkeypatch.setattr(time, "sleep", start)

    of_none = folder.awaited_addresses()
    with folder.locked():
        of_starting = folder.awaited_addresses()
        monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("waits"))
        of_running = folder.awaited_addresses()

    assert of_none == {}
    assert of_starting == of_running == addresses
