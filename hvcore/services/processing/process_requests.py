"""
Start and restart the processing of videos.

Source: the interface document, "process" and "States and transitions".
"""

from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain import ids
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import VideoId
from hvcore.domain.labels import NO_LABELS
from hvcore.domain.processing.encoding import EncodingSettings
from hvcore.domain.processing.transcoding import missing_for
from hvcore.domain.uploads.grants import (
    IN_THE_STORE,
    GrantState,
    UploadGrant,
    new_video,
    upload_path,
)
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video, VideoWanted
from hvcore.errors import InvalidGcsPathError, InvalidParametersError
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import Capabilities, Transcoder
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.access.quotas import require_encode
from hvcore.services.processing.arrived_bytes import (
    check_arrived,
    not_arrived,
    refused_path,
)
from hvcore.services.processing.attempt_cleanup import (
    LATE_WRITERS_AFTER,
    order_tidying,
)
from hvcore.services.processing.orders import (
    order_fetch,
    order_job,
    order_late_purge,
    order_look,
)

_FIELD: Final = "body.gcsPath"


@attrs.frozen(kw_only=True)
class ProcessRequests:
    """Start and restart the jobs that make videos of uploaded files."""

    uow: UnitOfWork
    storage: Storage
    transcoder: Transcoder
    clock: Clock

    def capabilities(self) -> Capabilities:
        """Return the capabilities of the deployment's default transcoder."""
        return self.transcoder.capabilities()

    def process(self, env: Environment, path: str, wanted: VideoWanted) -> VideoId:
        """
        Begin processing the file that was uploaded to a path, and return the video's id.

        A file that is still being fetched is processed when it is there. A file that was uploaded
        directly to the store must be there, and is taken in first. After a failure, the same path
        is processed again with the new settings.

        Raises:
            InvalidGcsPathError: This environment has uploaded nothing to the path.
            InvalidParametersError: 422; the transcoder cannot do what is wanted.
            ProcessingInProgressError: The file is being processed, or was.
            QuotaExceededError: The organization may not encode it now.
        """
        self._check_possible(wanted.settings)
        self._check_sent(env, path)
        with self.uow.write() as work:
            grant = work.grants.find_path(path, for_update=True)
            if grant is None or grant.env_id != env.id:
                raise _no_upload(
                    path, "gcsPath is not a bucketPath of this environment."
                )
            if grant.state is GrantState.ENDED:
                raise _no_upload(path, "This upload expired, failed or was deleted.")
            if grant.state is GrantState.GRANTED:
                raise not_arrived(path, _FIELD)
            if grant.video_id is None:
                video = self._process_first(work, env, grant, wanted)
            else:
                video = self._process_again(work, grant, wanted)
            require_encode(work, env.org_id)
            record_by_caller(
                work,
                "video.process",
                video.id,
                org_id=env.org_id,
                name=video.name,
                public=video.is_public,
            )
            work.commit()
        return video.id

    def retry(self, caller: Principal, org_id: str, video_id: str) -> VideoId:
        """
        Begin another job for a failed video with its previous settings, and return its id.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ProcessingInProgressError: The video is being processed.
            InvalidParametersError: The video is ready.
            QuotaExceededError: The organization may not encode it now.
        """
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: grant, video, tasks.
            path = upload_path(find_authorized_video(work, caller, org_id, video_id))
            grant = work.grants.find_path(path, for_update=True)
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id, for_update=True)
            )
            _retry(work, video, None)
            work.videos.save(video)
            _order(work, grant, video)
            require_encode(work, video.org_id)
            record_by_caller(work, "video.retry", video.id, org_id=video.org_id)
            work.commit()
        return video.id

    def _check_sent(self, env: Environment, path: str) -> None:
        with self.uow.read() as work:
            grant = work.grants.find_path(path)
        # The transaction that follows judges everything else.
        if (
            grant is not None
            and grant.env_id == env.id
            and grant.state is GrantState.DIRECT
        ):
            check_arrived(self.storage, grant, location=_FIELD)

    def _process_first(
        self, work: Work, env: Environment, grant: UploadGrant, wanted: VideoWanted
    ) -> Video:
        video = new_video(env, wanted, grant, state=VideoState.AWAITING_UPLOAD)
        video.created_at = self.clock.now()
        video.start_processing(ids.new_job_id())
        grant.video_id = video.id
        work.videos.add(video)
        if grant.state is GrantState.UPLOADED:
            grant.state = GrantState.USED
            order_job(work, video)
        elif grant.state is GrantState.DIRECT:
            _order_taking(work, grant, video)
        # Else the fetch that is running orders the job when it is done.
        work.grants.save(grant)
        return video

    def _process_again(
        self, work: Work, grant: UploadGrant, wanted: VideoWanted
    ) -> Video:
        video = work.videos.find(grant.video_id or "", for_update=True)
        if video is None or video.state is VideoState.DELETED:
            raise _no_upload(grant.path, "The video of this upload was deleted.")
        if video.state is VideoState.FAILED:
            _retry(work, video, wanted.settings)
        else:
            video.start_processing(ids.new_job_id())
            video.settings = wanted.settings
        video.is_public = wanted.is_public
        video.allows_download = wanted.allows_download
        video.name = wanted.name or video.name
        video.description = wanted.description or video.description
        if wanted.labels != NO_LABELS:
            video.labels = wanted.labels
        work.videos.save(video)
        _order(work, grant, video)
        return video

    def _check_possible(self, settings: EncodingSettings) -> None:
        able = self.transcoder.capabilities()
        lacking = missing_for(able, settings)
        if lacking:
            raise InvalidParametersError(
                f"The transcoder {able.name} of this deployment lacks "
                f"{' and '.join(lacking)}.",
                status=422,
            )


def _retry(work: Work, video: Video, settings: EncodingSettings | None) -> None:
    """Begin another job of a failed video; the files of the failed job are tidied."""
    if video.job_id is not None:
        order_tidying(work, video, LATE_WRITERS_AFTER)
    video.retry(ids.new_job_id(), settings)


def _order(work: Work, grant: UploadGrant | None, video: Video) -> None:
    """Order the first task of a video: getting its bytes if absent, else the job."""
    if grant is not None and grant.state is GrantState.FETCHING:
        order_fetch(work, grant)
    elif grant is not None and grant.state in IN_THE_STORE:
        _order_taking(work, grant, video)
        work.grants.save(grant)
    else:
        order_job(work, video)


def _order_taking(work: Work, grant: UploadGrant, video: Video) -> None:
    grant.state = GrantState.TAKING
    order_look(work, grant, video.job_id)
    # Its address works on, whatever becomes of the video.
    order_late_purge(work, grant)


def _no_upload(path: str, message: str) -> InvalidGcsPathError:
    return refused_path(path, message, _FIELD)
