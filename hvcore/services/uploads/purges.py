"""Remove uploaded objects from the storage once their uploads are over."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import attrs

from hvcore.domain.media_paths import quarantined
from hvcore.domain.tasks.kinds import UPLOAD_TAKE
from hvcore.domain.tasks.task import ENDED, Task
from hvcore.domain.uploads.grants import (
    GrantState,
    UploadGrant,
    direct_upload_path,
    grant_path,
)
from hvcore.domain.videos.states import VideoState
from hvcore.ports.storage import Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.tasks.leases import TaskRun
from hvcore.services.uploads.direct_addresses import DirectAddresses

AWAITED: Final = "The bytes are still to be taken in."
AGAIN_AFTER: Final = timedelta(minutes=10)


@attrs.frozen(kw_only=True)
class UploadPurges:
    """Remove objects of uploads that are over or came too late: the work of ``upload.purge``."""

    uow: UnitOfWork
    storage: Storage
    direct: DirectAddresses

    def purge(self, run: TaskRun) -> None:
        """
        Remove the objects of an upload from the storage; the task's subject is their path.

        If a video still waits for the upload, the task is put back for later: after an outage,
        all tasks run at once.

        Raises:
            UnavailableError: The storage refuses; the task is tried again.
        """
        path = run.task.subject
        with self.uow.read() as work:
            grant = work.grants.find_path(grant_path(path))
            takings = () if grant is None else _takings(work, grant)
            is_awaited = grant is not None and _is_awaited(work, grant, takings)
        if is_awaited:
            with self.uow.write() as work:
                run.put_back(work, not_before=work.now() + AGAIN_AFTER, error=AWAITED)
                work.commit()
            return
        for place in (path, quarantined(path)):
            self.storage.delete_tree(place)
        if grant is not None:
            for begun_at in _begun_in_parts(grant, takings):
                self.direct.end_parts(begun_at)
        run.finish()


def _takings(work: Work, grant: UploadGrant) -> tuple[Task, ...]:
    return tuple(work.tasks.of_subject(grant.id, kind=UPLOAD_TAKE))


def _is_awaited(work: Work, grant: UploadGrant, takings: tuple[Task, ...]) -> bool:
    if grant.state is GrantState.DIRECT:
        return any(task.state not in ENDED for task in takings)
    if grant.state is not GrantState.TAKING or grant.video_id is None:
        return False
    video = work.videos.find(grant.video_id)
    return video is not None and video.state is VideoState.TRANSCODING


def _begun_in_parts(grant: UploadGrant, takings: tuple[Task, ...]) -> Iterator[str]:
    """Give the paths at which the store may have unfinished parts."""
    if grant.in_parts:
        yield direct_upload_path(grant)
    for task in takings:
        # A large copy has parts, too, which a worker that is killed leaves.
        copied_to = task.payload.get("copy")
        if copied_to is not None and copied_to != grant.stored_path:
            yield str(copied_to)
