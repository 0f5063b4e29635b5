"""
Of requests that come at once, none uses what another one has taken.
"""

from collections.abc import Callable
from datetime import timedelta

import attrs
import pytest

from hvcore.domain.access.quotas import QuotaLimits, month_number
from hvcore.domain.ids import new_caption_job_id, new_job_id
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.uploads.grants import GrantState
from hvcore.domain.videos.caption_jobs import CaptionJob, CaptionJobState
from hvcore.domain.videos.deletion import BinStay
from hvcore.domain.videos.states import VideoState
from hvcore.errors import PreconditionFailedError, QuotaExceededError
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.services.access.quotas import (
    Quotas,
    captions_refusal,
    require_encode,
    require_planned,
    require_storage,
)
from tests.persistence.samples import NOW, ORG, at_once, grant, order, video

REQUESTS = 8


@pytest.fixture
def limit(uow: SqlUnitOfWork) -> Callable[..., None]:
    def set_limits(**limits: int) -> None:
        with uow.write() as work:
            work.quotas.set_limits(ORG, QuotaLimits(**limits))
            work.commit()

    return set_limits


def test_as_many_videos_begin_as_may_be_encoded(
    uow: SqlUnitOfWork, limit: Callable[..., None]
) -> None:
    limit(concurrent_encodes=3)

    def process(_: int) -> bool:
        try:
            with uow.write() as work:
                work.videos.add(video())
                require_encode(work, ORG)
                work.commit()
        except QuotaExceededError:
            return False
        return True

    results = at_once(process, threads=REQUESTS)

    assert sorted(results, key=str) == [False] * 5 + [True] * 3
    with uow.read() as work:
        assert work.quotas.use(ORG, 0).concurrent_encodes == 3


def test_bodies_that_arrive_at_once_store_no_byte_too_many(
    uow: SqlUnitOfWork, limit: Callable[..., None]
) -> None:
    limit(stored_bytes=35)

    def arrive(_: int) -> bool:
        made = grant(state=GrantState.UPLOADED, stored_bytes=10)
        try:
            with uow.write() as work:
                work.grants.add(made)
                require_storage(work, ORG, 10)
                work.commit()
        except QuotaExceededError:
            return False
        return True

    results = at_once(arrive, threads=REQUESTS)

    assert sorted(results, key=str) == [False] * 5 + [True] * 3
    with uow.read() as work:
        assert work.quotas.use(ORG, 0).stored_bytes == 30


def test_of_caption_jobs_that_begin_at_once_one_goes_over_at_most(
    uow: SqlUnitOfWork, limit: Callable[..., None]
) -> None:
    # Each sound has 25 s: the third begins at 50 s, and no other one.
    limit(caption_minutes_per_month=1)

    def begin(number: int) -> bool:
        made = video(state=VideoState.READY)
        job = CaptionJob(
            id=new_caption_job_id(),
            video_id=made.id,
            org_id=ORG,
            wish="en",
            duration_ms=25_000,
            created_at=NOW,
            changed_at=NOW,
        )
        with uow.write() as work:
            work.videos.add(made)
            may_begin = not captions_refusal(work, ORG)
            state = CaptionJobState.RUNNING if may_begin else CaptionJobState.FAILED
            work.caption_jobs.put(attrs.evolve(job, state=state))
            work.commit()
        return may_begin

    results = at_once(begin, threads=REQUESTS)

    assert sorted(results, key=str) == [False] * 5 + [True] * 3


def test_heard_sound_counts_in_the_month_and_the_rest_of_running_jobs_as_begun(
    uow: SqlUnitOfWork,
) -> None:
    running = video(state=VideoState.READY)
    deleted = video(state=VideoState.DELETED)
    with uow.write() as work:
        month = month_number(work.now())
        for made in (running, deleted):
            work.videos.add(made)
            work.caption_jobs.put(
                CaptionJob(
                    id=new_caption_job_id(),
                    video_id=made.id,
                    org_id=ORG,
                    wish="en",
                    state=CaptionJobState.RUNNING,
                    done_ms=20_000,
                    duration_ms=25_000,
                    created_at=NOW,
                    changed_at=NOW,
                )
            )
        work.quotas.count_heard(ORG, 15_000)
        work.quotas.count_heard(ORG, 5_000)
        work.commit()

    with uow.read() as work:
        assert work.quotas.use(ORG, month).caption_ms == 20_000
        assert work.quotas.use(ORG, month + 1).caption_ms == 0
        assert work.quotas.begun_captions_ms(ORG, month) == 25_000
        assert work.quotas.begun_captions_ms(ORG, month + 1) == 5_000


def test_caption_jobs_of_videos_in_the_bin_count_as_begun_until_they_cannot_be_restored(
    uow: SqlUnitOfWork,
) -> None:
    with uow.write() as work:
        month = month_number(work.now())
        for left_h, lacking_ms in ((1, 10_000), (-1, 100_000)):
            stay = BinStay(
                state=VideoState.READY, ends_at=work.now() + timedelta(hours=left_h)
            )
            binned = video(state=VideoState.DELETED, bin_stay=stay)
            work.videos.add(binned)
            work.caption_jobs.put(
                CaptionJob(
                    id=new_caption_job_id(),
                    video_id=binned.id,
                    org_id=ORG,
                    wish="en",
                    state=CaptionJobState.RUNNING,
                    duration_ms=lacking_ms,
                    created_at=NOW,
                    changed_at=NOW,
                )
            )
        work.commit()

    with uow.read() as work:
        assert work.quotas.begun_captions_ms(ORG, month) == 10_000


def test_of_jobs_that_are_planned_at_once_one_goes_over_at_most(
    uow: SqlUnitOfWork, limit: Callable[..., None]
) -> None:
    # Each source has 12.5 s: the fifth begins at 50 s, and no other one.
    limit(encoded_minutes_per_month=1)

    def plan(_: int) -> bool:
        made = video()
        job_id = made.job_id or new_job_id()
        job = TranscodeJob(
            id=job_id, video_id=made.id, order=order(), parts_total=1, parts_left=1
        )
        try:
            with uow.write() as work:
                work.videos.add(made)
                work.jobs.add(job)
                require_planned(work, ORG, job_id)
                work.commit()
        except UnusableSourceError:
            return False
        return True

    results = at_once(plan, threads=REQUESTS)

    assert sorted(results, key=str) == [False] * 3 + [True] * 5
    with uow.read() as work:
        month = month_number(work.now())
        begun_ms = work.quotas.begun_ms(ORG, month, besides=new_job_id())
    assert begun_ms == 62_500


def test_first_limits_that_come_at_once_both_hold(uow: SqlUnitOfWork) -> None:
    quotas = Quotas(uow=uow)
    changes: list[dict[str, int | float | None]] = [
        {"concurrent_encodes": 3},
        {"stored_bytes": 5},
    ]

    at_once(lambda number: quotas.change(ORG, changes[number]), threads=2)

    assert quotas.of_one(ORG).limits == QuotaLimits(
        concurrent_encodes=3, stored_bytes=5
    )


def test_of_two_changes_that_have_seen_the_same_limits_one_is_made(
    uow: SqlUnitOfWork,
) -> None:
    quotas = Quotas(uow=uow)
    seen = quotas.of_one(ORG).limits

    results = at_once(
        lambda number: quotas.change(
            ORG, {"stored_bytes": number}, only_if=lambda now: now == seen
        ),
        threads=2,
    )

    refused = [one for one in results if isinstance(one, PreconditionFailedError)]
    assert len(refused) == 1, results
