"""A job of the local MediaConvert, and the changes of its state."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import attrs


class LocalJobStatus(StrEnum):
    """Name the states of jobs, by MediaConvert's values."""

    SUBMITTED = "SUBMITTED"
    PROGRESSING = "PROGRESSING"
    COMPLETE = "COMPLETE"
    CANCELED = "CANCELED"
    ERROR = "ERROR"

    @property
    def is_final(self) -> bool:
        """True if a job with this status has ended."""
        return self in {self.COMPLETE, self.CANCELED, self.ERROR}


class LocalJobPhase(StrEnum):
    """Name the phases of a job that is being worked on, by MediaConvert's values."""

    PROBING = "PROBING"
    TRANSCODING = "TRANSCODING"
    UPLOADING = "UPLOADING"


@attrs.frozen(kw_only=True)
class MadeOutput:
    """
    Hold the details of one finished output.

    Attributes:
        files: The addresses of the output's files; for an HLS rendition, that of its
            playlist.
    """

    duration_ms: int
    width_px: int | None = None
    height_px: int | None = None
    files: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class MadeGroup:
    """
    Hold the details of a finished output group.

    Attributes:
        kind: The kind of the group as events name it, such as ``CMAF_GROUP``.
        playlists: The addresses of the group's multivariant playlist and manifest.
        outputs: The details of the group's outputs.
    """

    kind: str
    playlists: tuple[str, ...]
    outputs: tuple[MadeOutput, ...]


@attrs.frozen(kw_only=True)
class OrderedFault:
    """
    Describe the fault that a test has ordered for one job.

    Attributes:
        delay_s: The seconds that the job waits before work on it begins.
        error_code: The error with which the job fails; 0 for none.
        at_percent: The progress at which the job fails.
    """

    delay_s: float = 0.0
    error_code: int = 0
    error_message: str = ""
    at_percent: int = 0


@attrs.frozen(kw_only=True)
class LocalJob:
    """
    Describe a job of the local MediaConvert, and return it with a changed state.

    Attributes:
        number: The number of the job, one higher for each new job.
        request: The request of CreateJob, with its template and presets filled in.
        queue: The name of the queue.
        token: The ``clientRequestToken``; "" if there is none.
        fault: The fault that a test has ordered.
        retries: How often the job was begun again after a restart of the server.
        ignored: The paths of settings that this emulator ignores.
        made: The details of the finished output groups.
    """

    number: int
    id: str
    created_at_s: float
    request: Mapping[str, Any]
    queue: str
    priority: int = 0
    token: str = ""
    fault: OrderedFault = OrderedFault()
    status: LocalJobStatus = LocalJobStatus.SUBMITTED
    phase: LocalJobPhase | None = None
    percent: int | None = None
    started_at_s: float | None = None
    finished_at_s: float | None = None
    error_code: int | None = None
    error_message: str = ""
    retries: int = 0
    ignored: tuple[str, ...] = ()
    made: tuple[MadeGroup, ...] = ()

    @property
    def due_at_s(self) -> float:
        """The time from which work on the job may begin, in seconds since 1970."""
        return self.created_at_s + self.fault.delay_s

    def begun(self, at_s: float) -> "LocalJob":
        """Return the job as begun: with the status PROGRESSING and a progress of 0."""
        return attrs.evolve(
            self,
            status=LocalJobStatus.PROGRESSING,
            phase=LocalJobPhase.PROBING,
            percent=0,
            started_at_s=at_s,
        )

    def moved(self, phase: LocalJobPhase, percent: int) -> "LocalJob":
        """Return the job with new progress, which never goes back."""
        return attrs.evolve(
            self, phase=phase, percent=max(self.percent or 0, min(percent, 99))
        )

    def completed(self, made: tuple[MadeGroup, ...], at_s: float) -> "LocalJob":
        """Return the job as completed, when all outputs are in the bucket."""
        return attrs.evolve(
            self,
            status=LocalJobStatus.COMPLETE,
            phase=None,
            percent=100,
            finished_at_s=at_s,
            made=made,
        )

    def failed(self, code: int, message: str, at_s: float) -> "LocalJob":
        """Return the job as failed with an error."""
        return attrs.evolve(
            self,
            status=LocalJobStatus.ERROR,
            finished_at_s=at_s,
            error_code=code,
            error_message=message,
        )

    def canceled(self, at_s: float) -> "LocalJob":
        """Return the job as canceled."""
        return attrs.evolve(self, status=LocalJobStatus.CANCELED, finished_at_s=at_s)

    def put_back(self) -> "LocalJob":
        """Return the job as waiting again, because its server stopped during the work."""
        return attrs.evolve(
            self,
            status=LocalJobStatus.SUBMITTED,
            phase=None,
            percent=None,
            started_at_s=None,
            retries=self.retries + 1,
        )
