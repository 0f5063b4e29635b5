"""
What the loop of the delivery process does where a database is no good.
"""

from pathlib import Path

from falcon.testing import TestClient

from hvcore.assembly import build
from hvcore_delivery.app import make_app
from hvcore_delivery.published import PublishedFileOpener
from tests.server.file_loop.loop_client import LoopClient
from tests.support.http.fakes import RememberingQueue, ScratchTranscoder
from tests.support.http.fixtures import settings_of
from tests.support.media_samples import VIDEO, FolderStorage


def test_a_request_that_is_handed_over_ends_the_round_of_the_loop(
    tmp_path: Path,
) -> None:
    """
    It may have to wait for its turn, which comes before the round would end.
    """
    overrides = {
        "storage": FolderStorage(tmp_path / "storage", {}),
        "queue": RememberingQueue(),
        "transcoder": ScratchTranscoder(),
    }
    with build(settings_of(tmp_path), overrides=overrides) as services:
        services.migrate()
        files = PublishedFileOpener.of(services)
        assert files is not None
        client = LoopClient(files, TestClient(make_app(services)))

        upload = b"PUT /upload/grant HTTP/1.1\r\nHost: hv\r\nContent-Length: 0\r\n\r\n"
        assert client.hands_over_at_once(upload, for_s=20)


def test_a_damaged_database_ends_no_process(tmp_path: Path) -> None:
    """
    Or all who are served at that moment would lose their connections.
    """
    (tmp_path / "hvcore.sqlite3").write_bytes(b"no database" * 1000)
    overrides = {
        "storage": FolderStorage(tmp_path / "storage", {}),
        "queue": RememberingQueue(),
        "transcoder": ScratchTranscoder(),
    }
    with build(settings_of(tmp_path), overrides=overrides) as services:
        files = PublishedFileOpener.of(services)
        assert files is not None
        client = LoopClient(files, TestClient(make_app(services)))

        public = client.simulate_request("GET", f"/v1/public/o/e/{VIDEO}/master.m3u8")
        private = client.simulate_request("GET", f"/v1/private/{VIDEO}/master.m3u8")

    assert (public.status_code, private.status_code) == (500, 401)
