"""The repository of transcode jobs; see ports.unit_of_work.Work."""

from collections.abc import Mapping
from typing import Protocol

from hvcore.domain.ids import JobId
from hvcore.domain.processing.jobs import TranscodeJob


class JobRepository(Protocol):
    """Store transcode jobs."""

    def add(self, job: TranscodeJob) -> bool:
        """Store a new transcode job; return False if it is stored already."""
        ...

    def find(self, job_id: JobId) -> TranscodeJob | None: ...

    def count_down(self, job_id: JobId) -> int:
        """Record one finished part of a job; return the number of unfinished parts."""
        ...

    def unfinished(self) -> Mapping[str, int]:
        """
        Return the number of unfinished jobs of each transcoder, by its name.

        A job with parts that must be cancelled counts, too. A job of an old version may
        have no transcoder's name.
        """
        ...

    def waiting_s(self) -> float:
        """Return the seconds of video that wait for this deployment's encoders."""
        ...
