"""
How many videos there are, as analytics sees it.
"""

from datetime import timedelta

import pytest
from sqlalchemy.engine import Engine

from hvcore.domain.analytics.segments import EnvironmentScope
from hvcore.domain.analytics.usage import EnvironmentUploads
from hvcore.domain.ids import EnvId, new_job_id
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.persistence.videos.totals import SqlVideoTotals
from tests.persistence.samples import ENV, NOW, ORG, OTHER_ORG, video

DEV = EnvironmentScope(org_id=ORG, env_ids=frozenset({ENV}))
TODAY = NOW.date()


@pytest.fixture
def totals(engine: Engine) -> SqlVideoTotals:
    return SqlVideoTotals(engine)


def test_several_environments_are_told_apart(
    uow: SqlUnitOfWork, totals: SqlVideoTotals
) -> None:
    with uow.write() as work:
        work.videos.add(video())
        work.commit()
    both = EnvironmentScope(org_id=ORG, env_ids=frozenset({ENV, EnvId("live")}))

    assert totals.uploads(both, TODAY) == totals.uploads(DEV, TODAY)
    assert [one.videos for one in totals.current(both)] == [1]
    nobody = EnvironmentScope(org_id=ORG, env_ids=frozenset())
    assert totals.uploads(nobody, TODAY) == {}
    assert totals.current(nobody) == []


def test_uploads_are_counted_by_creation_deleted_or_not(
    uow: SqlUnitOfWork, totals: SqlVideoTotals
) -> None:
    old, new = NOW - timedelta(days=2), NOW
    with uow.write() as work:
        work.videos.add(video(created_at=new))
        work.videos.add(video(created_at=old, state=VideoState.DELETED, deleted_at=NOW))
        # Its bytes never came.
        work.videos.add(
            video(
                created_at=old - timedelta(days=1),
                state=VideoState.DELETED,
                deleted_at=NOW,
                job_id=None,
            )
        )
        work.videos.add(video(created_at=new, org_id=OTHER_ORG))
        work.commit()

    since_new = totals.uploads(DEV, new.date())
    since_old = totals.uploads(DEV, old.date())

    assert since_new == {ENV: EnvironmentUploads(since=1, first_at=old)}
    assert since_old == {ENV: EnvironmentUploads(since=2, first_at=old)}


def test_an_upload_counts_once_its_bytes_are_there_on_the_day_of_its_creation(
    uow: SqlUnitOfWork, totals: SqlVideoTotals
) -> None:
    late, early = NOW, NOW - timedelta(minutes=1)
    for created_at in (late, early):
        awaited = video(
            created_at=created_at, state=VideoState.AWAITING_UPLOAD, job_id=None
        )
        with uow.write() as work:
            work.videos.add(awaited)
            work.commit()
        before = totals.uploads(DEV, TODAY)[ENV].since
        with uow.write() as work:
            awaited.start_processing(new_job_id())
            work.videos.save(awaited)
            work.commit()
        assert totals.uploads(DEV, TODAY)[ENV].since == before + 1
    with uow.write() as work:
        awaited.mark_failed(awaited.job_id or new_job_id(), "")
        work.videos.save(awaited)
        awaited.retry(new_job_id())
        work.videos.save(awaited)
        awaited.delete(NOW)
        work.videos.save(awaited)
        work.commit()

    assert totals.uploads(DEV, TODAY) == {
        ENV: EnvironmentUploads(since=2, first_at=early)
    }
    tomorrow = TODAY + timedelta(days=1)
    assert totals.uploads(DEV, tomorrow) == {
        ENV: EnvironmentUploads(since=0, first_at=early)
    }


def test_an_environment_without_uploads_is_there(totals: SqlVideoTotals) -> None:
    assert totals.uploads(DEV, TODAY) == {ENV: EnvironmentUploads()}


def test_other_environments_are_not_counted(
    uow: SqlUnitOfWork, totals: SqlVideoTotals
) -> None:
    with uow.write() as work:
        work.videos.add(video())
        work.commit()
    other = EnvironmentScope(org_id=ORG, env_ids=frozenset({EnvId("live")}))

    assert totals.uploads(other, TODAY) == {}
    assert totals.current(other) == []
