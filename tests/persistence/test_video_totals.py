"""
How many videos there are, as analytics sees it.
"""

from datetime import timedelta

from hvcore.domain.analytics import EnvironmentScope
from hvcore.domain.ids import EnvId
from hvcore.domain.usage import EnvironmentUploads
from hvcore.domain.video import VideoState
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import ENV, NOW, ORG, OTHER_ORG, video

DEV = EnvironmentScope(org_id=ORG, env_ids=frozenset({ENV}))


def test_uploads_are_counted_by_creation_deleted_or_not(uow: SqlUnitOfWork) -> None:
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

    with uow.read() as work:
        since_new = work.video_totals.uploads(DEV, new)
        since_old = work.video_totals.uploads(DEV, old)

    assert since_new == {ENV: EnvironmentUploads(since=1, first_at=old)}
    assert since_old == {ENV: EnvironmentUploads(since=2, first_at=old)}


def test_an_environment_without_uploads_is_there(uow: SqlUnitOfWork) -> None:
    with uow.read() as work:
        assert work.video_totals.uploads(DEV, NOW) == {ENV: EnvironmentUploads()}


def test_other_environments_are_not_counted(uow: SqlUnitOfWork) -> None:
    with uow.write() as work:
        work.videos.add(video())
        work.commit()
    other = EnvironmentScope(org_id=ORG, env_ids=frozenset({EnvId("live")}))

    with uow.read() as work:
        assert work.video_totals.uploads(other, NOW) == {}
        assert work.video_totals.current(other) == []
