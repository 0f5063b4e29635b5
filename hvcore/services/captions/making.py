"""
Make captions window by window: the work of ``captions.make`` tasks.

An attempt makes one window, stores its words in the transaction that puts the task back,
and leaves the worker to encodes and to others. So a killed worker loses one window at most,
and no window is stored twice. One more attempt publishes the captions, and hears nothing: however
often the storage refuses them, no window is paid twice.
"""

from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.domain.ids import CaptionJobId, VideoId
from hvcore.domain.processing.transcoding import Track
from hvcore.domain.tasks.kinds import CAPTIONS_MAKE
from hvcore.domain.tasks.task import Lane, NewTask, Task
from hvcore.domain.videos.caption_jobs import (
    AUTO,
    CaptionJob,
    CaptionJobState,
    CaptionWindow,
    Transcript,
    joined,
    shifted,
    with_heard,
)
from hvcore.domain.videos.captions import UNDETERMINED
from hvcore.domain.videos.heard_speech import HeardSpeech, heard_speech
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.failpoints import failpoint
from hvcore.ports.transcriber import Transcriber
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.quotas import captions_refusal
from hvcore.services.captions.heard_minutes import HeardMinutes
from hvcore.services.captions.publishing import GeneratedCaptions, NotPublishableError
from hvcore.services.captions.transcriptions import HeardSound, Transcriptions
from hvcore.services.captions.window_sounds import WindowSounds, sound_track
from hvcore.services.tasks.leases import TaskRun, TaskStopped

JOB: Final = "captionJob"
"""Of a task's payload: the id of the caption job."""
JUDGED_WORDS: Final = 500
"""A job whose first words are too uncertain ends early: a model that does not know the language
invents words, at four times the cost."""
CLEANED_UP_AFTER: Final = timedelta(seconds=30)
"""Attempts whose job was cancelled end before, and remove what they have stored, if nobody kills them."""
NO_SPEECH: Final = "Nothing is said in the video, so there are no captions."
NO_SOUND: Final = "The video has no sound, so there are no captions."
NOT_READY: Final = "The video did not play any more while its captions were made."
_NO_TRANSCRIBER: Final = (
    "No transcriber is set up here, and captions wait for one: HV_TRANSCRIBER__BACKEND."
)


@attrs.frozen(kw_only=True)
class CaptionMaking:
    """
    Make the captions of caption jobs, and publish them.

    Attributes:
        transcriber: The transcriber of this deployment; None if there is none.
        min_confidence: The least mean probability of the words of captions that are
            published, 0 to 1.
    """

    uow: UnitOfWork
    sounds: WindowSounds
    transcriber: Transcriber | None
    generated: GeneratedCaptions
    min_confidence: float

    @property
    def _minutes(self) -> HeardMinutes:
        return HeardMinutes(uow=self.uow)

    def run(self, run: TaskRun) -> None:
        """
        Make the next window of a job; put the task back, or publish the captions.

        Raises:
            UnusableSoundError: No attempt will succeed.
            UnusableSourceError: The sound cannot be decoded.
            TranscriptionError: This attempt failed.
            TranscodeError: This attempt failed.
            UnavailableError: The storage or the transcriber is not available.
        """
        with self.uow.read() as work:
            video = work.videos.find(run.task.subject)
            job = work.caption_jobs.find(_job_id(run.task))
        if job is None or not job.is_running:
            # An attempt has ended the job, and was killed before it removed what is left.
            self._finish_ended(run)
            return
        if not _is_ready(video):
            self._rest_or_end(run, job)
            return
        if job.state is CaptionJobState.RUNNING and job.is_heard:
            self._publish(run, job)
            return
        assert video is not None and video.media is not None  # noqa: S101, PT018 - ready
        if self.transcriber is None:
            raise UnavailableError(_NO_TRANSCRIBER)
        track = sound_track(video.media, job.known_language)
        if track is None:
            self._end(run, job, CaptionJobState.READY, NO_SOUND)
            return
        begun = self._begin(run, job) if job.state is CaptionJobState.WAITING else job
        if begun is not None:
            self._make_window(run, video, begun, track)

    def give_up(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        """Fail a caption job whose task has failed for good."""
        # Locks are taken in one order everywhere: video, tasks.
        video = work.videos.find(task.subject, for_update=True)
        if not work.tasks.fail(task, error=error):
            return
        job = work.caption_jobs.find(_job_id(task))
        if job is not None and store_end(
            work, video, job, CaptionJobState.FAILED, reason
        ):
            order_clean_up(work, job)

    def _rest_or_end(self, run: TaskRun, job: CaptionJob) -> None:
        """Have a job rest whose video is in the bin, and fail it if the video does not play."""
        with self.uow.write() as work:
            video = work.videos.find(job.video_id, for_update=True)
            if _is_ready(video):
                # It has become ready at this moment.
                run.put_back(work, not_before=work.now(), error="")
            elif video is not None and video.is_restorable(work.now()):
                assert video.bin_stay is not None  # noqa: S101 - else it is not restorable
                run.put_back(work, not_before=video.bin_stay.ends_at, error="")
            else:
                store_end(work, video, job, CaptionJobState.FAILED, NOT_READY)
                run.finish(work)
            work.commit()

    def _begin(self, run: TaskRun, job: CaptionJob) -> CaptionJob | None:
        """Begin a job; fail it and return None if its organization has no minutes left."""
        with self.uow.write() as work:
            video = work.videos.find(job.video_id, for_update=True)
            refusal = captions_refusal(work, job.org_id)
            if not refusal:
                begun = attrs.evolve(
                    job,
                    state=CaptionJobState.RUNNING,
                    changed_at=work.now(),
                    # An older process leaves those of a job in whose place it put this one.
                    heard_words=0,
                    log_confidence=0.0,
                )
                if not work.caption_jobs.save(begun):
                    raise TaskStopped
                work.commit()
                return begun
            if not store_end(work, video, job, CaptionJobState.FAILED, refusal):
                raise TaskStopped
            work.commit()
        self._finish_ended(run)
        return None

    def _make_window(
        self, run: TaskRun, video: Video, job: CaptionJob, track: Track
    ) -> None:
        assert self.transcriber is not None  # noqa: S101 - asked for before
        able = self.transcriber.capabilities()
        wished = job.known_language
        is_assumed = wished is None and not able.detects_languages
        language = able.assumed_language if is_assumed else wished
        transcriptions = Transcriptions(transcriber=self.transcriber)
        times = {"start_ms": job.done_ms, "ends_ms": job.duration_ms}
        # Before the sound is fetched and cut: a used-up limit refuses thousands of windows.
        planned = transcriptions.reserve(
            self.sounds.planned(**times), language, job.org_id
        )
        with ExitStack() as opened:
            try:
                window = opened.enter_context(
                    self.sounds.window(run, video, track, **times)
                )
            except BaseException:
                with suppress(UnavailableError):
                    self.transcriber.release(planned)
                raise
            order = transcriptions.fit(planned, window.sound)
            with self._minutes.counted(run, job, (job.done_ms, window.end_ms)):
                heard = transcriptions.hear(order, run.check)
                run.check()
        failpoint("captions.heard")
        made = CaptionWindow(
            start_ms=job.done_ms,
            end_ms=window.end_ms,
            cues=shifted(heard.cues, job.done_ms),
        )
        after = attrs.evolve(
            with_heard(job, made.cues),
            state=CaptionJobState.RUNNING,
            done_ms=made.end_ms,
            language=_language_of(job, heard, is_assumed=is_assumed),
            is_assumed=job.is_assumed or is_assumed,
        )
        after = attrs.evolve(after, confidence=after.mean_confidence)
        doubt = self._doubt(after)
        if doubt:
            self._end(run, after, CaptionJobState.FAILED, doubt, made)
        else:
            self._keep_or_end(run, after, made)

    def _doubt(self, job: CaptionJob) -> str:
        """Return the reason to doubt the words of a job; "" if they are sure, or too few yet."""
        if not job.is_heard and job.heard_words < JUDGED_WORDS:
            return ""
        confidence = job.confidence
        if confidence is None or confidence >= self.min_confidence:
            return ""
        return (
            f"The words are too uncertain to be shown: their mean probability is "
            f"{confidence:.2f}, and at least {self.min_confidence:.2f} is needed. Maybe "
            f"another language is spoken than {job.language!r}."
        )

    def _keep_or_end(self, run: TaskRun, job: CaptionJob, made: CaptionWindow) -> None:
        """Keep a window, or end its job at once if its captions could not be published."""
        try:
            self._keep(run, job, made)
        except NotPublishableError as exc:
            self._end(run, job, CaptionJobState.FAILED, f"{exc}", made)

    def _keep(self, run: TaskRun, job: CaptionJob, made: CaptionWindow) -> None:
        with self._minutes.counted(run, job, made.span_ms), self.uow.write() as work:
            video = work.videos.find(job.video_id, for_update=True)
            # Its speech is of use for captions of a person once all of it was heard.
            if job.language and not job.is_heard:
                self.generated.require_replaceable(work, job.video_id, job.language)
            job = attrs.evolve(job, changed_at=work.now())
            if not _is_ready(video) or not work.caption_jobs.save(job):
                raise TaskStopped
            work.caption_jobs.add_window(job, made)
            work.quotas.count_heard(job.org_id, made.length_ms)
            # Failed attempts and lost workers count for each window anew: a film of hours
            # has many.
            if not work.tasks.put_back(
                run.task,
                not_before=work.now(),
                attempts=0,
                losses=0,
                progress=job.progress / 100,
                error="",
            ):
                raise TaskStopped
            run.charge(work)
            work.commit()

    def _publish(self, run: TaskRun, job: CaptionJob) -> None:
        with self.uow.read() as work:
            cues = joined(work.caption_jobs.windows(job.id))
        if not cues:
            self._end(run, job, CaptionJobState.READY, NO_SPEECH)
            return
        said = Transcript(language=job.language or UNDETERMINED, cues=cues)
        speech = heard_speech(said)
        try:
            track, shown = self.generated.store(run, job, said)
            failpoint("captions.stored")
            with self.uow.write() as work:
                video = work.videos.find(job.video_id, for_update=True)
                if not _is_ready(video):
                    raise TaskStopped  # noqa: TRY301 - the files go, as after every error
                self.generated.put(work, track, shown)
                done = attrs.evolve(job, confidence=track.confidence, cues=track.cues)
                if not store_end(work, video, done, CaptionJobState.READY, ""):
                    raise TaskStopped  # noqa: TRY301 - likewise
                work.caption_jobs.save_heard(job.id, speech)
                work.commit()
        except NotPublishableError as exc:
            self._end(run, job, CaptionJobState.FAILED, f"{exc}", speech=speech)
            return
        except UnavailableError:
            # They may be listed: only the answer of the commit was lost.
            raise
        except BaseException:
            # Another attempt may be about to list files of its own.
            self.generated.discard_attempt(job, run)
            raise
        failpoint("captions.published")
        self._finish_ended(run)

    def _end(  # noqa: PLR0913 - the parts of an end
        self,
        run: TaskRun,
        job: CaptionJob,
        state: CaptionJobState,
        reason: str,
        heard: CaptionWindow | None = None,
        *,
        speech: HeardSpeech | None = None,
    ) -> None:
        """End a job without captions, after a window that was heard last if there is one."""
        span_ms = None if heard is None else heard.span_ms
        with self._minutes.counted(run, job, span_ms), self.uow.write() as work:
            video = work.videos.find(job.video_id, for_update=True)
            if not store_end(work, video, job, state, reason):
                raise TaskStopped
            if heard is not None:
                work.quotas.count_heard(job.org_id, heard.length_ms)
            if speech is not None or state is CaptionJobState.READY:
                work.caption_jobs.save_heard(job.id, speech)
            work.commit()
        self._finish_ended(run)

    def _finish_ended(self, run: TaskRun) -> None:
        """
        Finish the task of a job that has ended, once nothing is left that nobody lists.

        Not in the transaction that ends the job: what an attempt leaves that is killed in
        between, or that gets no answer to its commit, is removed by the next one.

        Raises:
            UnavailableError: The storage does not answer; the task waits for it.
        """
        self.generated.discard_unlisted(VideoId(run.task.subject))
        run.finish()


def captions_task(job: CaptionJob, not_before: datetime | None = None) -> NewTask:
    """Return a task that makes the captions of a job; one that has ended is cleaned up."""
    return NewTask(
        kind=CAPTIONS_MAKE,
        lane=Lane.CAPTIONS,
        org_id=job.org_id,
        subject=job.video_id,
        payload={JOB: job.id},
        not_before=not_before,
    )


def order_clean_up(work: Work, job: CaptionJob) -> None:
    """Have files of a job removed whose task has ended with it, in the caller's transaction."""
    work.tasks.add([captions_task(job, work.now() + CLEANED_UP_AFTER)])


def store_end(
    work: Work,
    video: Video | None,
    job: CaptionJob,
    state: CaptionJobState,
    reason: str,
) -> bool:
    """
    Store the end of a job of a video whose row is locked, with its event.

    Returns:
        False if the job has ended before, or was replaced; nothing is stored then.
    """
    ended = attrs.evolve(
        job,
        state=state,
        reason=reason,
        done_ms=job.duration_ms if state is CaptionJobState.READY else job.done_ms,
        changed_at=work.now(),
    )
    if not work.caption_jobs.save(ended):
        return False
    work.caption_jobs.remove_windows(job.id)
    if video is not None and video.state is VideoState.READY:
        video.captions_ended(None if state is CaptionJobState.READY else reason)
        work.videos.save(video)
    return True


def _language_of(job: CaptionJob, heard: HeardSound, *, is_assumed: bool) -> str | None:
    # What a machine takes silence for says nothing about the words that follow.
    if job.language is None and (heard.cues or is_assumed or job.wish != AUTO):
        return heard.language.code
    return job.language


def _job_id(task: Task) -> CaptionJobId:
    return CaptionJobId(str(task.payload[JOB]))


def _is_ready(video: Video | None) -> bool:
    return (
        video is not None
        and video.state is VideoState.READY
        and video.media is not None
    )
