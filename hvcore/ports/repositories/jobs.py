"""The repository of transcode jobs; see ports.unit_of_work.Work."""

from collections.abc import Mapping
from typing import Protocol

from hvcore.domain.ids import JobId
from hvcore.domain.processing.jobs import TranscodeJob


class JobRepository(Protocol):
    """The transcode jobs."""

    def add(self, job: TranscodeJob) -> bool:
        """Store a new job; False if it was stored before."""
        ...

    def find(self, job_id: JobId) -> TranscodeJob | None: ...

    def count_down(self, job_id: JobId) -> int:
        """Record one finished part; return how many are left."""
        ...

    def unfinished(self) -> Mapping[str, int]:
        """
        Return the number of jobs that still need a transcoder, by its name.

        A job with parts to cancel counts, too. A job of an old version may name none.
        """
        ...

    def waiting_s(self) -> float:
        """Return the seconds of video that wait for this deployment's encoders."""
        ...
