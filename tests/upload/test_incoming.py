"""
The folder of files that arrive: what a full disk, its end and a killed process do.
"""

import errno
import fcntl
from pathlib import Path

import pytest
from falcon.testing import TestClient

from hvcore.errors import UnavailableError
from hvcore.incoming import disk_space as room_module
from hvcore.incoming.whole_files import INCOMING_PREFIX
from hvcore_upload.app import make_app
from hvcore_upload.incoming import IncomingFiles
from tests.support.http.world import World, problem_of
from tests.upload.granted import (
    DATA,
    Stream,
    chunked,
    grant,
    nothing_was_stored,
    put,
    stored,
)
from tests.upload.taken_bodies import nothing_is_left, request, room


def test_a_nearly_full_disk_takes_nothing(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_module, "FREE_RESERVE_BYTES", 2**62)
    granted = grant(api)

    result = put(client, granted)

    problem_of(result, 503, "unavailable")
    assert "retry-after" in result.headers
    assert nothing_was_stored(api, granted)


def test_a_disk_that_fills_up_meanwhile_is_no_fault_of_the_sender(
    tmp_path: Path,
) -> None:
    files = IncomingFiles(folder=tmp_path)
    full = OSError(errno.ENOSPC, "full")

    with (
        pytest.raises(UnavailableError, match="no room"),
        room(tmp_path) as reserved,
        files.collect(request(Stream(DATA, lambda: None)), reserved),
    ):
        raise full

    assert nothing_is_left(tmp_path)


def test_another_fault_of_the_disk_stays_what_it_is(tmp_path: Path) -> None:
    files = IncomingFiles(folder=tmp_path)

    with (
        pytest.raises(OSError, match="broken"),
        room(tmp_path) as reserved,
        files.collect(request(Stream(DATA, lambda: None)), reserved),
    ):
        raise OSError(errno.EIO, "broken")

    assert nothing_is_left(tmp_path)


def test_an_upload_to_a_folder_that_is_gone_is_asked_to_come_back(
    api: World, client: TestClient
) -> None:
    uploads = api.services.uploads
    granted = grant(api)
    folder = uploads.incoming_dir()
    folder.rmdir()
    # Neither there nor to be made.
    folder.symlink_to(folder.parent / "away")

    problem_of(put(client, granted), 503, "unavailable")


def test_a_folder_that_goes_meanwhile_is_unavailable(tmp_path: Path) -> None:
    folder = tmp_path / "incoming"
    files = IncomingFiles(folder=folder)

    with (
        pytest.raises(UnavailableError, match="does not work"),
        room(tmp_path) as reserved,
        files.collect(request(Stream(DATA, lambda: None)), reserved),
    ):
        pytest.fail("there is no folder")


def test_a_running_upload_is_not_cleaned_away(api: World, client: TestClient) -> None:
    cleaned: list[int] = []
    granted = grant(api)
    stream = Stream(DATA, lambda: cleaned.append(api.services.uploads.clean_incoming()))

    result = chunked(client, granted, b"", extras={"wsgi.input": stream})

    assert result.status_code == 200
    assert cleaned == [0]
    assert stored(api) == [DATA]


def test_a_file_cleaned_away_before_its_lock_is_made_again(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads = api.services.uploads
    flock = fcntl.flock
    cleaned: list[int] = []

    def late(file: int, how: int) -> None:
        # Others lock files as well.
        if not cleaned and list(uploads.incoming_dir().iterdir()):
            cleaned.append(0)
            cleaned[0] = uploads.clean_incoming()
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)

    assert put(client, grant(api)).status_code == 200
    assert cleaned == [1]
    assert stored(api) == [DATA]


def test_uploads_of_a_killed_process_go_when_the_next_one_starts(api: World) -> None:
    left = api.services.uploads.incoming_dir() / f"{INCOMING_PREFIX}left"
    left.write_bytes(b"half")

    make_app(api.services)

    assert not left.exists()
