"""Run the programs of pages about tasks against a running service."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from hvcore_client import HvClient
from tests.e2e.clips import make_clip
from tests.e2e.sites import served_files
from tests.support.doc_blocks import code_under
from tests.support.live import LiveService

ROOT: Final = Path(__file__).parents[3]


@pytest.fixture
def old_service(tmp_path: Path) -> Iterator[str]:
    """Serve a film and its captions, as the service that is left does."""
    folder = tmp_path / "old"
    folder.mkdir()
    make_clip(folder / "film.mp4", seconds=1, size="320x180")
    (folder / "en.vtt").write_text("WEBVTT\n\n00:00.100 --> 00:00.900\nHello\n")
    with served_files(folder) as address:
        yield address


def environ_of(service: LiveService) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT / "contrib"),
        "HV_API_URL": service.api,
        "HV_API_KEY": service.key,
    }


def test_films_move_in_once_with_their_captions(
    service: LiveService, old_service: str, tmp_path: Path
) -> None:
    program = tmp_path / "move_in.py"
    program.write_text(code_under("how-to/move-in.md", "The program", "python"))
    film = {
        **json.loads(code_under("how-to/move-in.md", "The program", "json")),
        "url": f"{old_service}/film.mp4",
        "captions": [{"language": "en", "url": f"{old_service}/en.vtt"}],
    }
    (tmp_path / "films.ndjson").write_text(json.dumps(film) + "\n")

    told = {
        subprocess.run(
            [sys.executable, program, tmp_path / "films.ndjson"],
            env=environ_of(service),
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout
        for _ in range(2)
    }

    (line,) = told
    old_id, video_id = line.split()
    details = service.finished(video_id)
    captions = service.call("GET", f"/v1/videos/{video_id}/captions").body["captions"]
    assert details["status"]["ready"]
    assert (old_id, details["externalID"]) == ("4711", "4711")
    assert details["name"] == "A day at sea"
    assert [one["language"] for one in captions] == ["en"]


def test_a_laptop_follows_events_of_a_service_elsewhere(
    service: LiveService, short_id: str
) -> None:
    program: dict[str, Any] = {"__name__": "followed"}
    code = code_under("how-to/test-mode.md", "Webhooks from a service elsewhere")
    exec(compile(code, "follow", "exec"), program)  # noqa: S102 - our own documentation

    class Found(Exception):  # noqa: N818 - ends the program, which goes on for ever
        pass

    def handle(event: Any) -> None:  # noqa: ANN401 - an event of the client
        if (event.video_id, event.event) == (short_id, "video.processing.completed"):
            raise Found

    with HvClient(service.api, service.key) as client, pytest.raises(Found):
        program["follow"](client, handle)


def test_a_page_shows_how_to_get_pictures_at_a_moment(
    service: LiveService, short_id: str, tmp_path: Path
) -> None:
    for heading in ("Choose the picture of a video", "The address of a moment"):
        subprocess.run(
            ["bash", "-euc", code_under("how-to/picture-at-a-moment.md", heading)],
            env={
                **os.environ,
                "API": f"{service.api}/v1",
                "KEY": service.key,
                "VIDEO_ID": short_id,
            },
            cwd=tmp_path,
            check=True,
            timeout=240,
        )

    assert (tmp_path / "moment.jpg").read_bytes().startswith(b"\xff\xd8\xff")
    assert (tmp_path / "moment.webp").read_bytes().startswith(b"RIFF")
    assert b"ANIM" in (tmp_path / "moving.webp").read_bytes()[:200]


def test_a_film_over_the_limit_is_made_smaller(tmp_path: Path) -> None:
    make_clip(tmp_path / "film.mov", seconds=1, size="320x180")

    command = code_under("reference/http/uploads.md", "Files over 5 GiB")
    subprocess.run(["bash", "-euc", command], cwd=tmp_path, check=True, timeout=60)

    assert b"ftyp" in (tmp_path / "smaller.mp4").read_bytes()[:16]
