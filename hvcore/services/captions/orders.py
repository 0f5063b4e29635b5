"""Order captions by machine, and tell how far they are."""

import logging
from collections.abc import Callable, Sequence
from typing import Final

import attrs

from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import new_caption_job_id
from hvcore.domain.processing.speech import TranscriberCapabilities
from hvcore.domain.tasks.kinds import CAPTIONS_MAKE
from hvcore.domain.videos.caption_jobs import AUTO, CaptionJob, CaptionJobState
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import (
    ConflictError,
    FieldError,
    InvalidParametersError,
    UnavailableError,
)
from hvcore.ports.transcoder import SupportsSound, Transcoder
from hvcore.ports.transcriber import Transcriber
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.access.quotas import require_caption_minutes
from hvcore.services.captions.making import (
    JOB,
    NOT_READY,
    captions_task,
    order_clean_up,
    store_end,
)
from hvcore.services.captions.publishing import WRITTEN_BY_A_PERSON

_log = logging.getLogger(__name__)

NO_TRANSCRIBER: Final = "is not available here: no transcriber is set up"
NO_SOUND_HERE: Final = (
    "is not available here: the transcoder takes no sound out of videos"
)
CANCELLED: Final = "The captions were cancelled before they were made."
NO_LONGER_POSSIBLE: Final = (
    "Captions in this language can no longer be made by machine here."
)
_NOT_POSSIBLE: Final = 422


@attrs.frozen(kw_only=True)
class WishesWhenReady:
    """
    Hold the wishes for captions of a video that is about to be ready.

    Attributes:
        possible: The wishes that can be met.
        impossible: The wishes of the video's request or environment that cannot be met any
            more: their owner learns that.
    """

    possible: tuple[str, ...] = ()
    impossible: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class CaptionOrders:
    """
    Order captions by machine for videos of an organization.

    Attributes:
        transcriber: Returns the transcriber; None if there is none.
        transcoder: Returns this machine's transcoder.
        default_languages: The wishes for captions of new videos for which neither their
            request nor their environment says any.
    """

    uow: UnitOfWork
    transcriber: Callable[[], Transcriber | None]
    transcoder: Callable[[], Transcoder]
    default_languages: tuple[str, ...] = ()
    _told: set[str] = attrs.field(factory=set, init=False)

    def of_video(
        self, caller: Principal, org_id: str, video_id: str
    ) -> Sequence[CaptionJob]:
        """
        Return the latest caption job for each wish of a video, by wish.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            return work.caption_jobs.of_video(video.id)

    def generate(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        languages: Sequence[str] = (AUTO,),
    ) -> Sequence[CaptionJob]:
        """
        Order captions of a video by machine; return the latest job for each wish of the video.

        Args:
            languages: The languages that are spoken, each one that the transcriber knows, or
                AUTO.

        Raises:
            InvalidParametersError: A language is unknown (422), there is no transcriber
                (422), or the video has failed.
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            ConflictError: The video is not ready, captions are being made for it, or it has
                captions of a person in one of the languages.
            QuotaExceededError: The organization has used its minutes of captions of the month.
            UnavailableError: The transcriber does not answer.
        """
        with self.uow.read() as work:
            # Before the languages: those who may not see the video learn nothing of it.
            require_listed(find_authorized_video(work, caller, org_id, video_id))
        wishes = tuple(dict.fromkeys(languages))
        self.require_possible(wishes)
        with self.uow.write() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id, for_update=True)
            )
            _require_ready(video)
            if _has_running_job(work, video):
                raise ConflictError(
                    "Captions of this video are being made; wait until they are ready."
                )
            require_caption_minutes(work, video.org_id)
            for track in work.captions.of_video(video.id):
                if track.language in wishes and not track.is_generated:
                    raise ConflictError(
                        WRITTEN_BY_A_PERSON.format(language=track.language)
                    )
            order_within(work, video, wishes)
            record_by_caller(
                work,
                "captions.generate",
                video.id,
                org_id=video.org_id,
                languages=list(wishes),
            )
            found = work.caption_jobs.of_video(video.id)
            work.commit()
        return found

    def cancel(
        self, caller: Principal, org_id: str, video_id: str
    ) -> Sequence[CaptionJob]:
        """
        End the running caption jobs of a video; return the latest job for each wish of the video.

        Captions that are published already stay. Nothing is changed if no job runs.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        with self.uow.write() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id, for_update=True)
            )
            jobs = work.caption_jobs.of_video(video.id)
            running = [job for job in jobs if job.is_running]
            for job in running:
                store_end(work, video, job, CaptionJobState.FAILED, CANCELLED)
            if running:
                # Workers notice within two seconds, and throw away what they have heard.
                work.tasks.cancel(video.id, kinds=(CAPTIONS_MAKE,))
                order_clean_up(work, running[0])
                record_by_caller(
                    work,
                    "captions.cancel",
                    video.id,
                    org_id=video.org_id,
                    languages=[job.wish for job in running],
                )
            found = work.caption_jobs.of_video(video.id)
            work.commit()
        return found

    def require_possible(self, wishes: Sequence[str]) -> None:
        """
        Require that captions of wishes can be made here.

        Raises:
            InvalidParametersError: A language is unknown, or there is no transcriber (422).
            UnavailableError: The transcriber does not answer.
        """
        refusal = self.refusal(wishes)
        if refusal:
            text = f"languages {refusal}."
            problem = FieldError(
                message=text, location="body.languages", value=list(wishes)
            )
            raise InvalidParametersError(text, errors=[problem], status=_NOT_POSSIBLE)

    def capabilities(self) -> TranscriberCapabilities | None:
        """
        Return the features of the transcriber; None if no captions can be made here.

        Raises:
            UnavailableError: The transcriber does not answer.
        """
        transcriber = self.transcriber()
        if transcriber is None or not isinstance(self.transcoder(), SupportsSound):
            return None
        return _capabilities(transcriber)

    def refusal(self, wishes: Sequence[str]) -> str:
        """
        Return the reason to refuse wishes for captions, in words that follow a field's name.

        Returns:
            "" if they can be made.

        Raises:
            UnavailableError: The transcriber does not answer.
        """
        transcriber = self.transcriber()
        if transcriber is None:
            return NO_TRANSCRIBER
        if not isinstance(self.transcoder(), SupportsSound):
            return NO_SOUND_HERE
        known = _capabilities(transcriber).languages
        for wish in wishes:
            if wish != AUTO and wish not in known:
                told = ", ".join(sorted(known))
                return (
                    f"must be languages that can be transcribed here ({AUTO}, {told}), "
                    f"and not {wish}"
                )
        return ""

    def wishes_when_ready(self, video: Video) -> WishesWhenReady:
        """
        Return the wishes for captions of a video that is about to be ready.

        Asks the transcriber, which may have to ask a server or a disk: not to be called in a
        transaction that writes.
        """
        wishes = video.settings.caption_languages
        if wishes is None:
            with self.uow.read() as work:
                env = work.tenants.environment(video.org_id, video.env_id)
            wishes = None if env is None else env.caption_languages
        is_of_owner = wishes is not None
        if wishes is None:
            wishes = self.default_languages
        impossible = tuple(wish for wish in wishes if not self._is_possible(wish))
        return WishesWhenReady(
            possible=tuple(wish for wish in wishes if wish not in impossible),
            # A setting that is wrong would be told for each video, to those who cannot
            # change it.
            impossible=impossible if is_of_owner else (),
        )

    def order_ready(self, work: Work, video: Video, wishes: WishesWhenReady) -> None:
        """
        Order the captions of a video that has just become ready, in the caller's transaction.

        Languages in which the file brought captions along are left out.

        Args:
            wishes: What ``wishes_when_ready`` returned before the transaction.
        """
        shown = {track.language for track in work.captions.of_video(video.id)}
        for wish in wishes.impossible:
            if wish not in shown:
                job = _new_job(work, video, wish)
                work.caption_jobs.put(job)
                store_end(work, video, job, CaptionJobState.FAILED, NO_LONGER_POSSIBLE)
        order_within(
            work, video, [wish for wish in wishes.possible if wish not in shown]
        )

    def _is_possible(self, wish: str) -> bool:
        """Return whether captions of a wish can be made; of one that cannot, tell operators once."""
        try:
            refusal = self.refusal((wish,))
        except UnavailableError:
            # It may answer by the time at which a worker asks.
            return True
        # Who sent the video was refused what is not possible: a setting is wrong, or was
        # changed since. The video is ready all the same.
        if refusal and refusal not in self._told:
            self._told.add(refusal)
            _log.warning(
                "captions cannot be made",
                extra={
                    "hv_wish": wish,
                    "hv_why": "HV_TRANSCRIBER__GENERATE, or the captions of an "
                    f"environment: {wish} {refusal}",
                },
            )
        return not refusal


def order_within(work: Work, video: Video, wishes: Sequence[str]) -> None:
    """Order caption jobs for a ready video whose row is locked, in the caller's transaction."""
    for wish in wishes:
        job = _new_job(work, video, wish)
        work.caption_jobs.put(job)
        work.tasks.add([captions_task(job)])


def _new_job(work: Work, video: Video, wish: str) -> CaptionJob:
    now = work.now()
    return CaptionJob(
        id=new_caption_job_id(),
        video_id=video.id,
        org_id=video.org_id,
        wish=wish,
        duration_ms=round(video.duration_s * 1000),
        created_at=now,
        changed_at=now,
    )


def _capabilities(transcriber: Transcriber) -> TranscriberCapabilities:
    try:
        return transcriber.capabilities()
    except UnavailableError as exc:
        # What to do about it is for operators, not for all who call.
        raise UnavailableError(
            "The transcriber is not available; try again later."
        ) from exc


def _has_running_job(work: Work, video: Video) -> bool:
    """Return whether a job of a video goes on; one that has lost its task is failed."""
    tasks = work.tasks.unended(video.id, kind=CAPTIONS_MAKE)
    worked_on = {task.payload[JOB] for task in tasks}
    running = [job for job in work.caption_jobs.of_video(video.id) if job.is_running]
    for job in running:
        if job.id not in worked_on:
            store_end(work, video, job, CaptionJobState.FAILED, NOT_READY)
    return any(job.id in worked_on for job in running)


def _require_ready(video: Video) -> None:
    if video.state is VideoState.FAILED:
        raise InvalidParametersError("The video has failed; there is no sound.")
    if video.state is not VideoState.READY:
        raise ConflictError("The video is not ready yet.")
