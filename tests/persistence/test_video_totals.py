"""
How many videos there are, as analytics sees it.
"""

from datetime import timedelta

import pytest
from sqlalchemy.engine import Engine

from hvcore.domain.analytics import EnvironmentScope
from hvcore.domain.ids import EnvId
from hvcore.domain.usage import EnvironmentUploads
from hvcore.domain.video import VideoState
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.persistence.video_totals import SqlVideoTotals
from tests.persistence.samples import ENV, NOW, ORG, OTHER_ORG, video

DEV = EnvironmentScope(org_id=ORG, env_ids=frozenset({ENV}))


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

    assert totals.uploads(both, NOW) == totals.uploads(DEV, NOW)
    assert [one.videos for one in totals.current(both)] == [1]
    nobody = EnvironmentScope(org_id=ORG, env_ids=frozenset())
    assert totals.uploads(nobody, NOW) == {}
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

    since_new = totals.uploads(DEV, new)
    since_old = totals.uploads(DEV, old)

    assert since_new == {ENV: EnvironmentUploads(since=1, first_at=old)}
    assert since_old == {ENV: EnvironmentUploads(since=2, first_at=old)}


def test_an_environment_without_uploads_is_there(totals: SqlVideoTotals) -> None:
    assert totals.uploads(DEV, NOW) == {ENV: EnvironmentUploads()}


def test_other_environments_are_not_counted(
    uow: SqlUnitOfWork, totals: SqlVideoTotals
) -> None:
    with uow.write() as work:
        work.videos.add(video())
        work.commit()
    other = EnvironmentScope(org_id=ORG, env_ids=frozenset({EnvId("live")}))

    assert totals.uploads(other, NOW) == {}
    assert totals.current(other) == []
