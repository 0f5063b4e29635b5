"""Count sound that a machine has heard in vain in its organization's minutes of captions."""

from collections.abc import Iterator
from contextlib import contextmanager

import attrs

from hvcore.domain.processing.speech import UnusableSoundError
from hvcore.domain.tasks.task import MAX_ATTEMPTS
from hvcore.domain.videos.caption_jobs import CaptionJob
from hvcore.domain.videos.heard_speech import SpanMs
from hvcore.domain.videos.states import VideoState
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.captions.publishing import NotPublishableError
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from hvcore.services.tasks.outages import is_outage


@attrs.frozen(kw_only=True)
class HeardMinutes:
    """
    Count the sound of windows whose words nobody gets.

    Those of windows that are kept count in the transaction that keeps them. Without these,
    an organization that orders captions and cancels them in turn would use workers, and the
    day's limit of a transcriber that costs money, at no minutes.
    """

    uow: UnitOfWork

    @contextmanager
    def counted(
        self, run: TaskRun, job: CaptionJob, window: SpanMs | None
    ) -> Iterator[None]:
        """
        Hear or keep a window of a job within this context; it is counted if that is in vain.

        That is so once the job has ended meanwhile, its video does not play any more, or the
        last attempt at the window has failed. All other windows are heard again.

        Args:
            window: Start and end of the window; None if nothing was heard.
        """
        try:
            yield
        except TaskStopped:
            self._count(job, window, unless_wanted=True)
            raise
        except NotPublishableError:
            # Who ends the job for it counts the window.
            raise
        except Exception as exc:
            is_last = run.task.attempts + 1 >= MAX_ATTEMPTS and not is_outage(exc)
            if is_last or isinstance(exc, UnusableSoundError):
                self._count(job, window)
            raise

    def _count(
        self, job: CaptionJob, window: SpanMs | None, *, unless_wanted: bool = False
    ) -> None:
        if window is None:
            return
        start_ms, end_ms = window
        with self.uow.write() as work:
            # The lock of whoever ends a job.
            video = work.videos.find(job.video_id, for_update=True)
            present = work.caption_jobs.find(job.id)
            if present is not None and present.done_ms > start_ms:
                # Another attempt has kept and counted it.
                return
            plays = video is not None and video.state is VideoState.READY
            if unless_wanted and plays and present is not None and present.is_running:
                # The process stops, or another worker has the lease: it is heard again.
                return
            work.quotas.count_heard(job.org_id, end_ms - start_ms)
            work.commit()
