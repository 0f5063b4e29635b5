"""
A service whose files lie in Azure, whose callers and players go there themselves.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page

from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.e2e.sites import Site
from tests.e2e.uploads.direct_pages import GIB, sent_past_the_service
from tests.support.live import LiveService, live_service, request, until
from tests.support.stores.azure_store import (
    blob_names,
    environ_of_azure,
    new_container,
    pages_allowed,
)


@pytest.fixture(scope="module")
def container(azure_store: str) -> str:
    return new_container(azure_store)


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory, azure_store: str, container: str
) -> Iterator[LiveService]:
    """
    A service whose own upload address leads nowhere.
    """
    with (
        pages_allowed(azure_store),
        live_service(
            tmp_path_factory.mktemp("azure"),
            **environ_of_azure(azure_store, container),
            HV_UPLOADS__DIRECT="on",
            HV_PLAYBACK__REDIRECTS="true",
            HV_PUBLIC__UPLOAD_URL="http://127.0.0.1:9",
        ) as running,
    ):
        yield running


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    return make_clip(folder / "small.mp4", seconds=2, size="640x360")


def first_of(playlist: str) -> str:
    """
    Return the first address that a playlist names.
    """
    lines = request("GET", playlist).data.decode().splitlines()
    return urljoin(playlist, next(line for line in lines if not line.startswith("#")))


@pytest.mark.long
def test_what_is_sent_to_azure_plays_from_there_and_goes(
    service: LiveService, azure_store: str, container: str, small: Path
) -> None:
    names_of_others = set(blob_names(azure_store, container, ""))

    done = service.hv("upload", str(small), "--public", "--wait", "--json")

    assert done.returncode == 0, done.stderr
    video_id = json.loads(done.stdout)["videoID"]
    playlist = service.public_url(video_id)
    assert ffmpeg_complaints(playlist) == ""
    segment = request("GET", first_of(first_of(playlist)))
    assert segment.headers["Server"].startswith("Azurite")
    assert service.call("DELETE", f"/v1/videos/{video_id}").status == 200
    until(
        lambda: names_of_others.issuperset(blob_names(azure_store, container, "")),
        within_s=30,
        what="the purge",
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "size_bytes",
    [
        1024**2,
        pytest.param(GIB, marks=[pytest.mark.long, pytest.mark.timeout(600)]),
    ],
    ids=["1 MiB", "1 GiB"],
)
def test_a_page_sends_a_film_past_the_service(
    service: LiveService, small: Path, site: Site, page: Page, size_bytes: int
) -> None:
    page.goto(site.url)
    video_id = sent_past_the_service(
        page, service, small, size_bytes=size_bytes, stored=201
    )

    # A worker fetches it whole.
    ended = service.finished(video_id, within_s=400)
    assert ended["status"]["ready"], ended
