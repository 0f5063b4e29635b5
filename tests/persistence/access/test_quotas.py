"""
Limits of organizations and what they use, on both databases.
"""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.quotas import (
    NO_LIMITS,
    EncodingWeight,
    QuotaLimits,
    QuotaUse,
    month_number,
)
from hvcore.domain.analytics.segments import (
    BatchId,
    SegmentPlace,
    ServedBatch,
    ServedCount,
)
from hvcore.domain.ids import OrgId, new_job_id
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.transcoding import MediaFile
from hvcore.domain.uploads.grants import GrantState, UploadGrant
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.persistence.access.delivered_bytes import SqlDeliveredBytes
from hvcore.persistence.access.quotas import encoding_weights
from hvcore.persistence.playback.directory import SqlPlaybackDirectory
from hvcore.persistence.tables import organization_storage
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.persistence.videos.recount import recount
from hvcore.ports.analytics import BatchRefusedError
from tests.conftest import SettableClock
from tests.persistence.samples import (
    NOW,
    ORG,
    OTHER_ORG,
    at_once,
    grant,
    media,
    order,
    video,
)

ALL = QuotaLimits(
    concurrent_encodes=2,
    encoded_minutes_per_month=60,
    stored_bytes=2**40,
    delivered_bytes_per_month=0,
    caption_minutes_per_month=7,
    weight=2.5,
)


def use(uow: SqlUnitOfWork, org_id: OrgId = ORG) -> QuotaUse:
    with uow.read() as work:
        return work.quotas.use(org_id, month_number(work.now()))


def stored(engine: Engine) -> dict[str, int]:
    with engine.connect() as connection:
        rows = connection.execute(sa.select(organization_storage)).all()
    return {row.org_id: row.stored_bytes for row in rows if row.stored_bytes}


def add(uow: SqlUnitOfWork, *made: Video | UploadGrant) -> None:
    with uow.write() as work:
        for one in made:
            if isinstance(one, Video):
                work.videos.add(one)
            else:
                work.grants.add(one)
        work.commit()


def limit(uow: SqlUnitOfWork, limits: QuotaLimits, org_id: OrgId = ORG) -> None:
    with uow.write() as work:
        work.quotas.set_limits(org_id, limits)
        work.commit()


def test_limits_are_read_as_they_were_set(uow: SqlUnitOfWork) -> None:
    limit(uow, ALL)

    with uow.read() as work:
        assert work.quotas.limits(ORG) == ALL
        assert work.quotas.limits(OTHER_ORG) == NO_LIMITS
        assert work.quotas.limits("org\0") == NO_LIMITS
        assert work.quotas.every_limit() == {ORG: ALL}
    limit(uow, NO_LIMITS)
    with uow.read() as work:
        assert work.quotas.limits(ORG) == NO_LIMITS


def test_the_scheduler_learns_each_weight(uow: SqlUnitOfWork, engine: Engine) -> None:
    limit(uow, ALL)

    with engine.connect() as connection:
        shares = encoding_weights(connection, [ORG, OTHER_ORG])

    assert shares == {
        ORG: EncodingWeight(weight=2.5, concurrent_encodes=2),
        OTHER_ORG: EncodingWeight(),
    }


def test_a_video_counts_its_minutes_and_bytes_when_it_is_published(
    uow: SqlUnitOfWork,
) -> None:
    made = video()
    add(uow, made)
    assert use(uow) == QuotaUse(concurrent_encodes=1)
    published = media(segments=3)

    with uow.write() as work:
        made.mark_ready(made.job_id or new_job_id(), published)
        work.videos.save(made)
        # Not committed: nothing happened.
    assert use(uow) == QuotaUse(concurrent_encodes=1)
    made.version -= 1
    with uow.write() as work:
        work.videos.save(made)
        work.commit()

    assert use(uow) == QuotaUse(encoded_ms=18_018, stored_bytes=published.size_bytes)
    assert use(uow, OTHER_ORG) == QuotaUse()


def test_a_change_of_its_name_counts_nothing_again(uow: SqlUnitOfWork) -> None:
    made = video(state=VideoState.READY, media=media())
    add(uow, made)
    before = use(uow)

    with uow.write() as work:
        made.name = "another"
        work.videos.save(made)
        work.commit()

    assert use(uow) == before


def test_a_deleted_video_is_stored_no_more_and_was_encoded(uow: SqlUnitOfWork) -> None:
    made = video()
    add(uow, made)
    with uow.write() as work:
        made.mark_ready(made.job_id or new_job_id(), media(segments=2))
        work.videos.save(made)
        work.commit()

    with uow.write() as work:
        made.delete(NOW)
        work.videos.save(made)
        work.commit()

    assert use(uow) == QuotaUse(encoded_ms=12_012)


def test_last_months_minutes_are_forgotten(uow: SqlUnitOfWork) -> None:
    made = video()
    add(uow, made)
    with uow.write() as work:
        made.mark_ready(made.job_id or new_job_id(), media())
        work.videos.save(made)
        month = month_number(work.now())
        work.commit()

    with uow.read() as work:
        assert work.quotas.use(ORG, month).encoded_ms
        assert not work.quotas.use(ORG, month + 1).encoded_ms


def test_a_source_is_stored_from_its_upload_to_its_end(uow: SqlUnitOfWork) -> None:
    made = grant()
    add(uow, made)
    found = [use(uow).stored_bytes]
    states = (GrantState.UPLOADED, GrantState.UPLOADED, GrantState.USED)
    for size_bytes, state in zip((7, 5, 5), states, strict=True):
        with uow.write() as work:
            made.state, made.stored_bytes = state, size_bytes
            work.grants.save(made)
            work.commit()
        found.append(use(uow).stored_bytes)
    with uow.write() as work:
        made.state = GrantState.ENDED
        work.grants.save(made)
        work.commit()

    assert [*found, use(uow).stored_bytes] == [0, 7, 5, 5, 0]


def test_jobs_that_are_planned_are_seen_by_the_next_one(uow: SqlUnitOfWork) -> None:
    videos = [video(), video(), video(org_id=OTHER_ORG), video(state=VideoState.FAILED)]
    add(uow, *videos)
    jobs = [one.job_id or new_job_id() for one in videos]
    with uow.write() as work:
        for job_id, one in zip(jobs, videos, strict=True):
            job = TranscodeJob(
                id=job_id, video_id=one.id, order=order(), parts_total=1, parts_left=1
            )
            work.jobs.add(job)
        month = month_number(work.now())
        work.commit()

    with uow.read() as work:
        begun = [
            work.quotas.begun_ms(ORG, month, besides=job_id)
            for job_id in (jobs[0], new_job_id())
        ]

    # Each source has 12.5 s.
    assert begun == [12_500, 25_000]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_stored_bytes_equal_a_recount(
    uow: SqlUnitOfWork, engine: Engine, seed: int
) -> None:
    made: list[Video] = [video(org_id=org) for org in (ORG, OTHER_ORG) for _ in "123"]
    sources = [grant(org_id=org) for org in (ORG, OTHER_ORG) for _ in "123"]
    add(uow, *made, *sources)

    def run(number: int) -> None:
        chance = random.Random(seed + number)  # noqa: S311 - no secrets
        one, source = made[number], sources[number]
        for _ in range(6):
            with uow.write() as work:
                if one.state is VideoState.TRANSCODING and chance.random() < 0.5:
                    job_id = one.job_id or new_job_id()
                    one.mark_ready(job_id, media(chance.randint(1, 3)))
                    work.videos.save(one)
                elif one.state is VideoState.READY:
                    one.delete(NOW)
                    work.videos.save(one)
                source.state = chance.choice(list(GrantState))
                source.stored_bytes = chance.randint(1, 9)
                work.grants.save(source)
                work.commit()

    assert at_once(run, threads=len(made)) == [None] * len(made)
    kept = stored(engine)
    recount(engine)

    assert kept == stored(engine)


def count(made: Video, segments: int, at: datetime = NOW, px: int = 360) -> ServedCount:
    place = SegmentPlace(
        org_id=made.org_id, env_id=made.env_id, video_id=made.id, height_px=px
    )
    return ServedCount(
        place=place, day=at.date(), segments=segments, first_at=at, last_at=at
    )


def batch(counts: Sequence[ServedCount], start: int = 0) -> ServedBatch:
    id_ = BatchId(file="spool", start=start, end=start + 10)
    return ServedBatch(id=id_, counts=tuple(counts))


def delivered(uow: SqlUnitOfWork, at: datetime = NOW) -> int:
    with uow.read() as work:
        return work.quotas.use(ORG, month_number(at)).delivered_bytes


SEGMENT_BYTES = 5_000_000_000
"""Of each segment of the sample."""


@pytest.fixture
def ready(uow: SqlUnitOfWork) -> Video:
    made = video(state=VideoState.READY, media=media(3))
    add(uow, made)
    return made


def test_delivered_bytes_are_those_of_the_segments(
    uow: SqlUnitOfWork, engine: Engine, ready: Video
) -> None:
    sink = SqlDeliveredBytes(engine)
    next_year = NOW + timedelta(days=365)
    unknown = video()

    sink.write(
        batch([count(ready, 3), count(unknown, 9), count(ready, 1, at=next_year)])
    )
    # Of a height that the video does not have; and some that had broken off.
    sink.write(batch([count(ready, 5, px=99), count(ready, -1)], start=10))

    assert delivered(uow) == 2 * SEGMENT_BYTES
    assert delivered(uow, next_year) == SEGMENT_BYTES
    assert sink.position("spool") == 20


def test_delivered_bytes_of_a_renewed_video_are_those_of_its_new_files(
    uow: SqlUnitOfWork, engine: Engine, ready: Video
) -> None:
    sink = SqlDeliveredBytes(engine)
    sink.write(batch([count(ready, 1)]))
    renewed = media(3)
    (published,) = renewed.tracks
    small = MediaFile(size_bytes=1000, sha256="cd" * 32)
    segments = [attrs.evolve(one, file=small) for one in published.track.segments]
    track = attrs.evolve(published.track, segments=tuple(segments))
    renewed = attrs.evolve(renewed, tracks=(attrs.evolve(published, track=track),))

    with uow.write() as work:
        assert ready.job_id is not None
        assert ready.renew(ready.job_id, new_job_id(), renewed)
        work.videos.save(ready)
        work.commit()
    sink.write(batch([count(ready, 2)], start=10))

    assert delivered(uow) == SEGMENT_BYTES + 2 * 1000


def test_a_batch_is_delivered_once_whoever_brings_it(
    uow: SqlUnitOfWork, engine: Engine, ready: Video
) -> None:
    results = at_once(
        lambda _: SqlDeliveredBytes(engine).write(batch([count(ready, 1)])), threads=4
    )

    assert results == [None] * 4
    assert delivered(uow) == SEGMENT_BYTES


def test_a_batch_that_does_not_follow_is_refused(
    uow: SqlUnitOfWork, engine: Engine, ready: Video
) -> None:
    sink = SqlDeliveredBytes(engine)

    with pytest.raises(BatchRefusedError, match="does not follow"):
        sink.write(batch([count(ready, 1)], start=5))

    assert (delivered(uow), sink.position("spool")) == (0, 0)


def test_a_file_that_is_gone_is_forgotten(engine: Engine, ready: Video) -> None:
    sink = SqlDeliveredBytes(engine)
    sink.write(batch([count(ready, 1)]))

    sink.forget("spool")

    assert sink.position("spool") == 0


def test_nobody_begins_once_the_months_bytes_are_delivered(
    uow: SqlUnitOfWork, engine: Engine, ready: Video, clock: SettableClock
) -> None:
    clock.moment = NOW
    others = video(state=VideoState.READY, media=media(3), org_id=OTHER_ORG)
    add(uow, others)
    directory = SqlPlaybackDirectory(engine, clock=clock)

    def may_begin() -> list[bool]:
        found = [directory.find(one.id) for one in (ready, others)]
        return [entry is not None and entry.may_begin for entry in found]

    outcomes = [may_begin()]
    limit(uow, QuotaLimits(delivered_bytes_per_month=2 * SEGMENT_BYTES))
    SqlDeliveredBytes(engine).write(batch([count(ready, 1)]))
    outcomes.append(may_begin())
    SqlDeliveredBytes(engine).write(batch([count(ready, 1)], start=10))
    outcomes.append(may_begin())
    limit(uow, QuotaLimits(delivered_bytes_per_month=2 * SEGMENT_BYTES + 1))
    outcomes.append(may_begin())
    limit(uow, QuotaLimits(delivered_bytes_per_month=1))
    clock.moment = datetime(2026, 2, 1, tzinfo=UTC)
    outcomes.append(may_begin())

    both, other_alone = [True, True], [False, True]
    assert outcomes == [both, both, other_alone, both, both]
