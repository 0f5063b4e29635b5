"""
What callers tell of a video is nowhere any more after its deletion.
"""

import base64
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
import sqlalchemy as sa
from falcon.testing import Result

from hvcore.assembly import build
from hvcore.domain.access.principals import Person
from hvcore.domain.ids import VideoId
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS
from hvcore.persistence.engine import writing
from hvcore.persistence.tables import metadata, tasks
from hvcore.services.access.audit import acting_as_person
from hvcore.services.videos import erasure
from tests.conftest import SettableClock
from tests.support.http.fixtures import open_world, settings_of
from tests.support.http.world import ENV, ORG, World, body_of
from tests.support.network.outbound import PUBLIC
from tests.support.servers import PostgresqlServer

# Three bytes are four characters of Base64.
MARK: Final = "Zq7marker"
FORMS: Final = tuple(
    text.encode()
    for text in (MARK, MARK.casefold(), base64.b64encode(MARK.encode()).decode())
)
LABELS: Final = {"tags": [MARK], "metadata": {"user": MARK}}
HOOK: Final = "https://hook.example/hear"
VTT: Final = f"WEBVTT\n\n00:00.000 --> 00:05.000\n{MARK}\n".encode()
TOLD: Final = {
    *("audit_log", "events", "grants", "idempotency", "label_totals", "share_links"),
    *("video_captions", "video_labels", "videos"),
}
A: Final = f"/v1/api/{ORG}/environments/{ENV}/videos"
B: Final = "/v1/videos"


@pytest.fixture(params=["sqlite", "postgresql"])
def world(
    request: pytest.FixtureRequest, tmp_path: Path, clock: SettableClock
) -> Iterator[World]:
    """
    The API on a database of its own.
    """
    if request.param == "sqlite":
        yield request.getfixturevalue("api")
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    url = server.new_database()
    settings = settings_of(tmp_path)
    database = attrs.evolve(settings.database, url=url)
    with migrated(attrs.evolve(settings, database=database), clock) as made:
        yield made
    server.drop_database(url)


@contextmanager
def migrated(settings: Any, clock: SettableClock) -> Iterator[World]:  # noqa: ANN401 - Settings

    with build(settings, overrides={"clock": clock}) as services:
        services.migrate()
    with open_world(settings, clock) as made:
        yield made


@pytest.mark.parametrize("how", ["cancelled", "expired"])
def test_personal_data_of_an_ended_upload_is_nowhere(api: World, how: str) -> None:
    told = body_of(api.post(f"{B}/upload-url", {"fileName": f"{MARK}.mp4", **LABELS}))
    alone = {"filename": f"{MARK}.mp4", "fileSize": 5}
    assert api.post(f"{A}/upload-url", alone).status_code == 200
    location = tus_upload(api).headers["Location"].removeprefix("https://upload.test")
    assert places(api)

    if how == "cancelled":
        api.delete(f"{B}/{told['videoID']}")
        grant_id = location.split("?", maxsplit=1)[0].rsplit("/", 1)[-1]
        api.services.resumable.cancel(grant_id)
    for _ in range(3):
        api.clock.move(timedelta(hours=26))
        api.services.uploads.expire()
        run_all(api, hours=0)
    api.services.erasure.sweep()

    assert places(api) == []


def test_personal_data_of_a_deleted_video_is_nowhere(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.WARNING, "sqlalchemy")
    world.names.set("media.example", [PUBLIC])
    # It refuses connections, so that its events are never told.
    world.names.set("hook.example", [PUBLIC])
    world.services.webhooks.add(ORG, ENV, HOOK, DOCUMENTED_KINDS)
    told = [*tell_a(world), *tell_b(world)]
    run_all(world, hours=0)
    # Else nothing were shown by what follows.
    assert set(places(world)) >= TOLD, TOLD - set(places(world))

    for video_id in told:
        assert world.delete(f"{B}/{video_id}").status_code == 200
    run_all(world, hours=3)
    world.services.erasure.sweep()

    assert places(world) == []
    for record in caplog.records:
        # Parameters of ours are no log: only what is written is.
        assert not has_mark(repr(vars(record)).encode()), record.getMessage()[:80]
    for video_id in told:
        certificate = world.services.deletion_certificates.make(ORG, video_id)
        assert not has_mark(repr(certificate).encode())


def test_a_failing_erasure_of_one_video_delays_no_other_video(
    api: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "SWEPT_AT_ONCE", 1)
    api.names.set("media.example", [PUBLIC])
    told = tell_b(api)
    run_all(api, hours=0)
    for video_id in told:
        assert api.delete(f"{B}/{video_id}").status_code == 200
        api.clock.move(timedelta(seconds=1))
    stuck, other, *_ = told
    with writing(api.services.engine) as connection:
        connection.execute(
            sa.text(
                f"CREATE TRIGGER locked BEFORE UPDATE ON videos WHEN OLD.id = '{stuck}' "
                "BEGIN SELECT RAISE(ABORT, 'the row is locked'); END"
            )
        )
        connection.commit()
    api.clock.move(timedelta(hours=26))

    api.services.erasure.sweep()

    assert api.services.erasure.left(VideoId(stuck))["videos.name"] == 1
    assert "videos.name" not in api.services.erasure.left(VideoId(other))


def tell_a(world: World) -> list[str]:
    """
    Make a video in the first family, and say everything of it that can be said.
    """
    grant = body_of(
        world.post(
            f"{A}/upload-url",
            {"filename": f"{MARK}.mp4", "fileSize": 5, "description": MARK},
        )
    )
    world.upload(grant["bucketPath"])
    made = world.call(
        "POST",
        f"{A}/process",
        headers={"Idempotency-Key": "first"},
        json={
            "gcsPath": grant["bucketPath"],
            "videoQuality": "standard",
            "allowPublicAccess": True,
            "videoName": MARK,
            "description": MARK,
            "externalID": MARK,
            **LABELS,
        },
    )
    return [body_of(made)["videoID"]]


def tell_b(world: World) -> list[str]:
    """
    Make one by each door of the second family.
    """
    video = {"fileName": f"{MARK}.mp4", "videoName": MARK, "description": MARK}
    granted = body_of(world.post(f"{B}/upload-url", {**video, **LABELS}))
    tus = tus_upload(world)
    fetched = body_of(
        world.post(
            f"{B}/upload",
            {**video, "videoURL": f"https://media.example/{MARK}.mp4?key={MARK}"},
        )
    )
    clip = world.ready(name=MARK)
    tell_more(world, clip)
    return [granted["videoID"], tus.headers["X-Asset-Id"], fetched["videoID"], clip]


def tus_upload(world: World) -> Result:
    name = base64.b64encode(f"{MARK}.mp4".encode()).decode()
    return world.call(
        "POST",
        "/v1/uploads",
        headers={
            "Tus-Resumable": "1.0.0",
            "Upload-Length": "5",
            "Upload-Metadata": f"filename {name}",
            "Idempotency-Key": "tus",
        },
    )


def tell_more(world: World, clip: str) -> None:
    """
    Say of a video that is ready what can be said then.
    """
    with acting_as_person(Person(subject="ann", name="Ann", backend="link")):
        world.call("PATCH", f"{B}/{clip}", json={"description": MARK, **LABELS})
    for path, query in (("captions/en", f"label={MARK}"), ("chapters", "")):
        put = world.call(
            "PUT",
            f"{B}/{clip}/{path}",
            body=VTT,
            headers={"Content-Type": "text/vtt"},
            query=query,
        )
        assert put.status_code == 200, put.text
    for address in (f"{MARK}@example.com", f"{MARK} is no address"):
        world.call(
            "POST",
            f"{B}/{clip}/share",
            json={"viewerEmail": address},
            headers={"Idempotency-Key": f"share-{len(address)}"},
        )


def run_all(world: World, *, hours: int) -> None:
    """
    Run all tasks, those that wait for later moments as well.
    """
    for _ in range(12):
        world.clock.move(timedelta(hours=hours))
        with writing(world.services.engine) as connection:
            due = sa.update(tasks).where(tasks.c.state.in_(("due", "queued")))
            connection.execute(due.values(not_before=world.clock.now() - YEAR))
            waiting = sa.select(tasks.c.id).where(tasks.c.state.in_(("due", "queued")))
            ids = connection.execute(waiting).scalars().all()
            connection.commit()
        for task_id in ids:
            world.services.task_runs.run(task_id, worker="w", stopping=lambda: False)


YEAR: Final = timedelta(days=365)


def places(world: World) -> list[str]:
    """
    Name the tables, objects and files in which the mark is.
    """
    with world.services.engine.connect() as connection:
        rows = [
            table.name
            for table in metadata.tables.values()
            for row in connection.execute(sa.select(table))
            if has_mark(repr(row).encode())
        ]
    objects = [
        path
        for path, data in world.storage.files.items()
        if has_mark(path.encode()) or has_mark(repr(data).encode())
    ]
    files = [
        str(path)
        for path in world.folder.rglob("*")
        if path.is_file()
        and (has_mark(path.name.encode()) or has_mark(path.read_bytes()))
    ]
    return [*rows, *objects, *files]


def has_mark(data: bytes) -> bool:
    return any(form in data for form in FORMS)
