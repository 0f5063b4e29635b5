"""The repository of jobs that make captions by machine; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.ids import CaptionJobId, VideoId
from hvcore.domain.videos.caption_jobs import CaptionJob, CaptionWindow
from hvcore.domain.videos.heard_speech import HeardLanguage, HeardSpeech


class CaptionJobRepository(Protocol):
    """Store caption jobs and the windows that they have finished."""

    def put(self, job: CaptionJob) -> None:
        """Store a new job, or one in place of the video's former job for the same wish."""
        ...

    def find(self, job_id: CaptionJobId) -> CaptionJob | None: ...

    def of_video(self, video_id: VideoId) -> Sequence[CaptionJob]:
        """Return the latest job for each wish of a video, by wish."""
        ...

    def save(self, job: CaptionJob) -> bool:
        """Store the changes of a job that has not ended; return False if it has, or is replaced."""
        ...

    def add_window(self, job: CaptionJob, window: CaptionWindow) -> None:
        """
        Store a finished window of a job.

        Raises:
            AlreadyExistsError: The job has a window that starts there.
        """
        ...

    def windows(self, job_id: CaptionJobId) -> Sequence[CaptionWindow]:
        """Return the finished windows of a job, in the order of their times."""
        ...

    def remove_windows(self, job_id: CaptionJobId) -> None:
        """Remove the finished windows of a job that has ended."""
        ...

    def save_heard(self, job_id: CaptionJobId, heard: HeardSpeech | None) -> None:
        """
        Store the speech that a job has heard in all of a video; None if there is none.

        The speech stays while a later job for the same wish runs.
        """
        ...

    def heard_languages(self, video_id: VideoId) -> Sequence[HeardLanguage]:
        """Return the languages in which jobs have heard speech in a video, that of the latest job first."""
        ...

    def heard(self, video_id: VideoId, wish: str) -> HeardSpeech | None:
        """Return the speech that jobs for a wish have heard in a video; None if there is none."""
        ...
