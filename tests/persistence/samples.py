"""
Records to put into a database, and time travel.
"""

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, TypeVar

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.ids import (
    EnvId,
    OrgId,
    TaskId,
    new_grant_id,
    new_job_id,
    new_public_id,
    new_task_id,
    new_video_id,
)
from hvcore.domain.processing.encoding import (
    AudioCodec,
    EncodingSettings,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
)
from hvcore.domain.processing.media_index import MediaIndex, PublishedTrack, TrackPiece
from hvcore.domain.processing.source_info import SourceInfo, VideoTrackInfo
from hvcore.domain.processing.transcoding import (
    AudioRendition,
    Ladder,
    MediaFile,
    Segment,
    Track,
    TranscodeOrder,
)
from hvcore.domain.processing.transcoding import Rung as LadderRung
from hvcore.domain.tasks.task import Lane, NewTask, Task
from hvcore.domain.uploads.grants import UploadGrant
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.persistence import tables

ORG = OrgId("org_a")
OTHER_ORG = OrgId("org_b")
ENV = EnvId("dev")
NOW = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)

ResultT = TypeVar("ResultT")


class Rung:
    """
    Takes the place of the queue and remembers what was put into it.
    """

    def __init__(self) -> None:
        self.ids: list[TaskId] = []

    def __call__(self, tasks: Sequence[Task]) -> None:
        """
        Take tasks after a commit.
        """
        self.ids += [task.id for task in tasks]


def fill_tenants(engine: Engine) -> None:
    """
    Make two organizations, each with an environment that is called ``dev``.
    """
    with engine.connect() as connection, connection.begin():
        for org_id in (ORG, OTHER_ORG):
            connection.execute(
                sa.insert(tables.organizations).values(id=org_id, created_at=NOW)
            )
            connection.execute(
                sa.insert(tables.environments).values(
                    org_id=org_id,
                    id=ENV,
                    name=ENV,
                    kind="development",
                    created_at=NOW,
                )
            )


def video(name: str = "clip", **changes: Any) -> Video:  # noqa: ANN401 - fields
    """
    Make a video that is being transcoded.
    """
    made = Video(
        id=new_video_id(),
        public_id=new_public_id(),
        org_id=ORG,
        env_id=ENV,
        name=name,
        state=VideoState.TRANSCODING,
        is_public=False,
        settings=EncodingSettings(preset=Preset.HIGH, max_edge_px=720),
        source_path="uploads/x",
        created_at=NOW,
        job_id=new_job_id(),
    )
    return attrs.evolve(made, **changes)


def grant(**changes: Any) -> UploadGrant:  # noqa: ANN401 - fields
    """
    Make an upload grant of an hour.
    """
    id_ = new_grant_id()
    made = UploadGrant(
        id=id_,
        org_id=ORG,
        env_id=ENV,
        path=f"uploads/org_a/dev/{id_}",
        file_name="clip.mp4",
        content_type="video/mp4",
        size_bytes=5_368_709_120,
        created_at=NOW,
        expires_at=NOW + timedelta(hours=1),
    )
    return attrs.evolve(made, **changes)


def new_task(  # noqa: PLR0913 - each is one field
    subject: str = "vid_1",
    *,
    kind: str = "transcode.part",
    org_id: OrgId = ORG,
    lane: Lane = Lane.ENCODE,
    payload: Mapping[str, object] | None = None,
    not_before: datetime | None = None,
) -> NewTask:
    """
    Make an order for a task.
    """
    return NewTask(
        id=new_task_id(),
        kind=kind,
        lane=lane,
        org_id=org_id,
        subject=subject,
        payload=payload or {},
        not_before=not_before,
    )


def media(segments: int = 2) -> MediaIndex:
    """
    Make what a job has published: one rung.
    """
    file = MediaFile(size_bytes=5_000_000_000, sha256="ab" * 32)
    track = Track(
        name="video/360p",
        codecs="avc1.64001e",
        init=file,
        segments=tuple(
            Segment(number=n, duration_s=6.006, file=file) for n in range(segments)
        ),
        rung=ladder().rungs[0],
    )
    piece = TrackPiece(folder="p0/a1", first_number=0, count=segments)
    return MediaIndex(
        tracks=(PublishedTrack(track=track, pieces=(piece,)),),
        duration_s=6.006 * segments,
        poster="p0/a1/poster.jpg",
        warnings=("\0 is no text for a database",),
    )


def ladder() -> Ladder:
    """
    Make a ladder with one rung and one audio rendition.
    """
    return Ladder(
        rungs=(
            LadderRung(
                key="360p",
                short_edge_px=360,
                width_px=640,
                height_px=360,
                video_kbps=500,
                frame_rate=Fraction(30000, 1001),
                pixel_format=PixelFormat.YUV420P,
                rate_control=RateControl.VARIABLE,
                two_pass=False,
                speed=Speed.VERYFAST,
            ),
        ),
        audio=(
            AudioRendition(
                name="audio",
                stream_index=1,
                codec=AudioCodec.AAC,
                kbps=128,
                channels=2,
            ),
        ),
    )


def order() -> TranscodeOrder:
    """
    Make an order for a transcoder.
    """
    track = VideoTrackInfo(
        stream_index=0,
        width_px=640,
        height_px=360,
        frame_rate=Fraction(30000, 1001),
        pixel_format=PixelFormat.YUV420P,
    )
    source = SourceInfo(duration_s=12.5, size_bytes=1, container="mp4", video=track)
    return TranscodeOrder(
        source=source,
        settings=EncodingSettings(preset=Preset.STANDARD),
        ladder=ladder(),
        segment_s=6,
    )


def age_tasks(engine: Engine, by: timedelta) -> None:
    """
    Let time pass for all tasks; a server's clock cannot be moved.
    """
    moments = {
        "tasks": ("not_before", "created_at", "updated_at", "leased_at", "lease_until"),
        "lane_shares": ("due_at", "waits_since"),
    }
    step = by // timedelta(microseconds=1)
    with engine.connect() as connection, connection.begin():
        for table, columns in moments.items():
            raw = sa.table(table, *(sa.column(name, sa.BigInteger) for name in columns))
            earlier = {name: raw.c[name] - step for name in columns}
            connection.execute(sa.update(raw).values(earlier))


def at_once(
    call: Callable[[int], ResultT], *, threads: int
) -> list[ResultT | BaseException]:
    """
    Call something from several threads at the same moment.
    """
    barrier = threading.Barrier(threads)

    def run(number: int) -> ResultT | BaseException:
        barrier.wait()
        try:
            return call(number)
        except Exception as exc:  # noqa: BLE001 - for the caller to look at
            return exc

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, itertools.islice(itertools.count(), threads)))
