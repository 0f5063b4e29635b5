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
        Return how many jobs need a transcoder still, by its name.

        Those too of which something is to be cancelled. A job of old may name none.
        """
        ...

    def waiting_s(self) -> float:
        """Return how many seconds of video wait for an encoder of this deployment."""
        ...
