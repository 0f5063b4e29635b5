"""
Start and restart the processing of videos.

Source: interface, "process" and "States and transitions".
"""

import attrs

from hvcore.clock import Clock
from hvcore.domain import ids
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import VideoId
from hvcore.domain.processing.encoding import EncodingSettings, PixelFormat
from hvcore.domain.uploads.grants import GrantState, UploadGrant, new_video, upload_path
from hvcore.domain.videos.video import Video, VideoState, VideoWanted
from hvcore.errors import FieldError, InvalidGcsPathError, InvalidParametersError
from hvcore.ports.transcoder import Capabilities, Transcoder
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.authorization import reach_video, require_listed
from hvcore.services.access.quotas import require_encode
from hvcore.services.processing.orders import order_fetch, order_job


@attrs.frozen(kw_only=True)
class ProcessRequests:
    """
    Turn uploaded bytes into videos.
    """

    uow: UnitOfWork
    transcoder: Transcoder
    clock: Clock

    def capabilities(self) -> Capabilities:
        """
        Return what this deployment's transcoder can carry out.
        """
        return self.transcoder.capabilities()

    def process(self, env: Environment, path: str, wanted: VideoWanted) -> VideoId:
        """
        Begin processing the bytes that were uploaded to path.

        Those that are still being fetched are processed when they are there.
        After a failure the same path is tried again, with the new wishes.

        Raises:
            InvalidGcsPathError: This environment uploaded nothing there.
            InvalidParametersError: 422; the transcoder lacks what is wanted.
            ProcessingInProgressError: It is being processed, or was.
            QuotaExceededError: The organization may not encode it now.
        """
        self._check_possible(wanted.settings)
        with self.uow.write() as work:
            grant = work.grants.find_path(path, for_update=True)
            if grant is None or grant.env_id != env.id:
                raise _no_upload(path, "gcsPath is no bucketPath of this environment.")
            if grant.state is GrantState.ENDED:
                raise _no_upload(path, "This upload ran out, failed or was deleted.")
            if grant.state is GrantState.GRANTED:
                raise _no_upload(
                    path,
                    "No bytes were uploaded to this path yet; send them to the "
                    "signedURL first.",
                )
            if grant.video_id is None:
                video = self._process_first(work, env, grant, wanted)
            else:
                video = self._process_again(work, grant, wanted)
            require_encode(work, env.org_id)
            work.commit()
        return video.id

    def retry(self, caller: Principal, org_id: str, video_id: str) -> VideoId:
        """
        Begin another job for a failed video, with the settings it had.

        Raises:
            VideoNotFoundError: There is none such, or it is deleted.
            ProcessingInProgressError: It is being processed.
            InvalidParametersError: It is ready.
            QuotaExceededError: The organization may not encode it now.
        """
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: grant, video, tasks.
            path = upload_path(reach_video(work, caller, org_id, video_id))
            grant = work.grants.find_path(path, for_update=True)
            video = require_listed(
                reach_video(work, caller, org_id, video_id, for_update=True)
            )
            video.retry(ids.new_job_id())
            work.videos.save(video)
            _order(work, grant, video)
            require_encode(work, video.org_id)
            work.commit()
        return video.id

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
            video.retry(ids.new_job_id(), wanted.settings)
            video.is_public = wanted.is_public
            video.name = wanted.name or video.name
            video.description = wanted.description or video.description
        else:
            video.start_processing(ids.new_job_id())
        work.videos.save(video)
        _order(work, grant, video)
        return video

    def _check_possible(self, settings: EncodingSettings) -> None:
        able = self.transcoder.capabilities()
        lacking = []
        if (
            settings.pixel_format is not PixelFormat.AUTO_DETECT
            and settings.pixel_format not in able.pixel_formats
        ):
            lacking.append(f"pixelFormat {settings.pixel_format.value}")
        if settings.audio_codec not in able.audio_codecs:
            lacking.append(f"audioCodec {settings.audio_codec.value}")
        if settings.speed not in able.speeds:
            lacking.append(f"compressionRatio {settings.speed.value}")
        if lacking:
            raise InvalidParametersError(
                f"The transcoder {able.name} of this deployment lacks "
                f"{' and '.join(lacking)}.",
                status=422,
            )


def _order(work: Work, grant: UploadGrant | None, video: Video) -> None:
    """
    Order what comes first: the fetch, if there are no bytes yet, or the job.
    """
    if grant is not None and grant.state is GrantState.FETCHING:
        order_fetch(work, grant)
    else:
        order_job(work, video)


def _no_upload(path: str, message: str) -> InvalidGcsPathError:
    problem = FieldError(message=message, location="body.gcsPath", value=path)
    return InvalidGcsPathError(message, errors=[problem])
