"""
A service with as many videos as are asked for, put straight into its tables.
"""

import itertools
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.assembly import build
from hvcore.domain.access.keys import KeyType
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.folded_texts import folded
from hvcore.domain.ids import (
    EnvId,
    OrgId,
    new_job_id,
    new_public_id,
    new_video_id,
)
from hvcore.domain.labels import Labels
from hvcore.domain.processing.encoding import (
    AudioCodec,
    EncodingSettings,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
)
from hvcore.domain.processing.media_index import MediaIndex, PublishedTrack, TrackPiece
from hvcore.domain.processing.transcoding import (
    AudioRendition,
    MediaFile,
    Rung,
    Segment,
    Track,
)
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.persistence import tables
from hvcore.persistence.json_columns import dump
from hvcore.persistence.rows import labels_to_text, video_to_row
from hvcore.persistence.tables.columns import EPOCH
from hvcore.persistence.videos.recount import recount
from hvcore.persistence.videos.search_index import (
    NAME_INDEX,
)
from hvcore.services.access.keys import KeyWanted
from hvcore.settings import load

ORG: Final = "org_bench"
ENV: Final = "live"
ASKED_FOR: Final = 500
"""Videos whose details are asked for; these have their whole media."""
BATCH: Final = 10_000
FIRST: Final = datetime(2026, 1, 1, tzinfo=UTC)
DURATION_S: Final = 600
UNLIMITED: Final = "1000000000"


@attrs.frozen(kw_only=True)
class Filled:
    """
    A data folder with videos.

    Attributes:
        environ: For the processes of its service.
        video_ids: Some of the videos.
    """

    videos: int
    environ: Mapping[str, str]
    key: str = attrs.field(repr=False)
    video_ids: tuple[str, ...]


def environ_of(data: Path, *, database: str, redis: str) -> dict[str, str]:
    """
    Return the environment of a service whose limits nobody reaches.
    """
    limits = (
        "API_PER_HOUR",
        "UPLOAD_URL_PER_HOUR",
        "UPLOAD_URL_PER_MINUTE_AND_KEY",
        "VIDEO_OPERATIONS_PER_HOUR",
    )
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    return {
        **inherited,
        **{f"HV_LIMITS__{name}": UNLIMITED for name in limits},
        "HV_DATA": str(data),
        "HV_DATABASE__URL": database or f"sqlite:///{data}/hvcore.db",
        "HV_QUEUE__OPTIONS__URL": redis,
        "HV_LIMITS__OPTIONS__URL": redis,
    }


def fill(environ: Mapping[str, str], videos: int, *, has_media: bool = True) -> Filled:
    """
    Make the tables, a tenant, a key and the videos.

    Args:
        has_media: Details can be asked for; lists need none of it, and most of the
            disk is full of it.
    """
    folder = Path(environ["HV_DATA"])
    folder.mkdir(parents=True)
    subprocess.run(
        [sys.executable, "-m", "hvcore_cli", "migrate"], env=dict(environ), check=True
    )
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    with build(settings) as services:
        services.tenants.create_organization(ORG)
        services.tenants.create_environment(ORG, ENV, EnvironmentKind.PRODUCTION)
        env_id = services.tenants.environment(ORG, ENV).id
        wanted = KeyWanted(type=KeyType.ENVIRONMENT, org_id=ORG, env=ENV)
        key = services.keys.create(wanted).value
        made = tuple(_insert(services.engine, env_id, videos, has_media=has_media))
    known = {**environ, "BENCH_ENV_ID": env_id}
    return Filled(videos=videos, environ=known, key=key, video_ids=made)


def _insert(
    engine: Engine, env_id: EnvId, count: int, *, has_media: bool
) -> Iterator[str]:
    """
    Put videos in, and yield the ids of those that have their whole media.
    """
    template = _video(env_id)
    assert template.media is not None
    row = video_to_row(template) | {"version": 2}
    if not has_media:
        row["media_outline"] = None
    media = dump(template.media)
    every = max(1, count // ASKED_FOR)
    numbers = iter(range(count))
    with _unsafe(engine), engine.begin() as connection:
        # Made at once in the end: row by row it takes a millisecond each.
        NAME_INDEX.drop(connection)
        while batch := list(itertools.islice(numbers, BATCH)):
            rows = [_row(row, number) for number in batch]
            _insert_many(connection, tables.videos, rows)
            whole = [r for n, r in zip(batch, rows, strict=True) if n % every == 0]
            published = [
                {"video_id": r["id"], "job_id": r["job_id"], "media": media}
                for r in whole
            ]
            _insert_many(connection, tables.published_media, published)
            yield from (r["id"] for r in whole)
    recount(engine)
    NAME_INDEX.repair(engine)
    with engine.connect() as connection:
        # As the server's own housekeeping does after a while.
        command = "VACUUM ANALYZE" if engine.dialect.name == "postgresql" else "ANALYZE"
        connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql(
            command
        )


@contextmanager
def _unsafe(engine: Engine) -> Iterator[None]:
    """
    Let SQLite write as fast as it can; a crash costs only the benchmark.
    """
    if engine.dialect.name != "sqlite":
        yield
        return
    fast = ("cache_size=-2000000", "journal_mode=OFF", "synchronous=OFF")
    with engine.connect() as connection:
        for pragma in fast:
            connection.exec_driver_sql(f"PRAGMA {pragma}")
    # The pool gives the same connection again.
    yield
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode=WAL")
    engine.dispose()


def _insert_many(
    connection: sa.Connection, table: sa.Table, rows: list[dict[str, Any]]
) -> None:
    """
    Insert rows past SQLAlchemy, whose types cost more than the database.
    """
    if not rows:
        return
    names = ", ".join(rows[0])
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == "postgresql":
        with driver.cursor().copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(tuple(row.values()))
        return
    marks = ", ".join("?" * len(rows[0]))
    driver.executemany(
        f"INSERT INTO {table.name} ({names}) VALUES ({marks})",  # noqa: S608 - ours
        [tuple(row.values()) for row in rows],
    )


def _row(template: Mapping[str, Any], number: int) -> dict[str, Any]:
    colour = " in red" if number % 9 == 0 else ""
    name = f"A clip of the summer{colour}, number {number}"
    created_at = FIRST + timedelta(seconds=number)
    return {
        **template,
        "id": f"vid_{secrets.token_hex(11)}",
        "public_id": f"pubvid_{secrets.token_hex(11)}",
        "job_id": f"job_{secrets.token_hex(11)}",
        "name": name,
        "name_folded": folded(name),
        "description": "What was seen there. " * 5 if number % 3 == 0 else None,
        "is_public": number % 2 == 0,
        "created_at": (created_at - EPOCH) // timedelta(microseconds=1),
        "external_id": f"film/{number}",
        "labels": labels_to_text(_labels(number)),
    }


def _labels(number: int) -> Labels:
    tags = ["all", *(["rare"] if number % 900 == 0 else [])]
    return Labels(
        external_id=f"film/{number}",
        metadata=(("number", str(number)), ("plan", f"{number % 9}")),
        tags=tuple(tags),
    )


def _video(env_id: EnvId) -> Video:
    return Video(
        id=new_video_id(),
        public_id=new_public_id(),
        org_id=OrgId(ORG),
        env_id=env_id,
        name="",
        state=VideoState.READY,
        is_public=True,
        settings=EncodingSettings(preset=Preset.HIGH),
        source_path=f"uploads/{ORG}/{env_id}/up_0000000000000000000000",
        created_at=FIRST,
        job_id=new_job_id(),
        media=_media(),
    )


def _media() -> MediaIndex:
    file = MediaFile(size_bytes=1_234_567, sha256="0123456789abcdef" * 4)
    count = DURATION_S // 6
    segments = tuple(Segment(number=n, duration_s=6.0, file=file) for n in range(count))
    piece = TrackPiece(folder="p0/a1", first_number=0, count=count)
    rungs = [
        Track(
            name=f"video/{edge}p",
            codecs="avc1.640028",
            init=file,
            segments=segments,
            rung=_rung(edge, kbps),
        )
        for edge, kbps in ((480, 1000), (720, 2500), (1080, 5000))
    ]
    sound = Track(
        name="audio",
        codecs="mp4a.40.2",
        init=file,
        segments=segments,
        audio=AudioRendition(
            name="audio", stream_index=1, codec=AudioCodec.AAC, kbps=128, channels=2
        ),
    )
    return MediaIndex(
        tracks=tuple(
            PublishedTrack(track=track, pieces=(piece,)) for track in (*rungs, sound)
        ),
        duration_s=float(DURATION_S),
        poster="p0/a1/poster.jpg",
    )


def _rung(edge_px: int, kbps: int) -> Rung:
    return Rung(
        key=f"{edge_px}p",
        short_edge_px=edge_px,
        width_px=edge_px * 16 // 9,
        height_px=edge_px,
        video_kbps=kbps,
        frame_rate=Fraction(30000, 1001),
        pixel_format=PixelFormat.YUV420P,
        rate_control=RateControl.VARIABLE,
        two_pass=False,
        speed=Speed.VERYFAST,
    )
