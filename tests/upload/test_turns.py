"""
The turns of senders while many send files.
"""

import threading

import attrs
from falcon.testing import Result, TestClient

from hvcore import assembly
from hvcore.assembly import Services
from hvcore.domain.uploads.grants import (
    FileWanted,
)
from hvcore.settings.shares import ShareSettings
from hvcore_upload.app import FILES_APART_S, make_app
from tests.support.http.world import World, problem_of
from tests.upload.granted import (
    DATA,
    Stream,
    chunked,
    grant,
    put,
)


def test_uploads_over_the_cap_are_asked_to_come_back(api: World) -> None:
    client = TestClient(make_app(api.services, max_concurrent=1))
    granted, second = grant(api), grant(api)
    meanwhile: list[Result] = []
    stream = Stream(DATA, lambda: meanwhile.append(put(client, second)))

    result = chunked(client, granted, b"", extras={"wsgi.input": stream})

    assert result.status_code == 200
    problem_of(meanwhile[0], 503, "unavailable")
    assert meanwhile[0].headers["retry-after"] == "10"
    assert put(client, second).status_code == 200


def test_one_organization_gets_no_more_than_its_share(api: World) -> None:
    client = TestClient(make_app(sharing(api, uploads_of_one=1)))
    granted, second = grant(api), grant(api)
    wanted = FileWanted(file_name="a.mp4", content_type="video/mp4", size_bytes=None)
    others = api.services.uploads.grant(api.other_env, wanted)
    meanwhile: list[Result] = []
    stream = Stream(
        DATA, lambda: meanwhile.extend([put(client, second), put(client, others)])
    )

    chunked(client, granted, b"", extras={"wsgi.input": stream})

    problem_of(meanwhile[0], 503, "unavailable")
    assert meanwhile[0].headers["retry-after"] == "10"
    assert meanwhile[1].status_code == 200


def sharing(api: World, **shares: int) -> Services:
    """
    Return the services with other shares.
    """
    settings = attrs.evolve(api.services.settings, shares=ShareSettings(**shares))
    overrides = {"clock": api.clock, "storage": api.storage, "queue": api.queue}
    services = assembly.build(settings, overrides=overrides)
    api.further.append(services)
    return services


@attrs.define
class PacingSocket:
    """
    Notes how far apart requests like its own go on.
    """

    every_s: float = 0

    def pace_others(self, every_s: float, *, of_all_below: bool) -> None:
        self.every_s = every_s if of_all_below else 0


def test_files_of_one_client_are_stored_one_after_the_other(api: World) -> None:
    client, granted = TestClient(make_app(api.services)), grant(api)
    whole, cut_off = PacingSocket(), PacingSocket()

    put(client, granted, extras={"gunicorn.socket": whole})
    put(client, granted, DATA[:-1], extras={"gunicorn.socket": cut_off, **SHORTER})

    assert whole.every_s == FILES_APART_S
    assert cut_off.every_s == 0


SHORTER = {"CONTENT_LENGTH": str(len(DATA))}


def test_a_failed_upload_gives_its_place_back(api: World) -> None:
    client = TestClient(make_app(api.services, max_concurrent=1))

    for _ in range(3):
        put(client, grant(api, size_bytes=1))

    assert put(client, grant(api)).status_code == 200


def test_uploads_run_side_by_side(api: World, client: TestClient) -> None:
    granted = [grant(api) for _ in range(4)]
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda g=g: answers.append(put(client, g).status_code))
        for g in granted
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)

    assert answers == [200] * 4
