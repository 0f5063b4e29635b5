"""A job, and how its state changes."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import attrs


class LocalJobStatus(StrEnum):
    """The states of MediaConvert's jobs."""

    SUBMITTED = "SUBMITTED"
    PROGRESSING = "PROGRESSING"
    COMPLETE = "COMPLETE"
    CANCELED = "CANCELED"
    ERROR = "ERROR"

    @property
    def is_final(self) -> bool:
        """True if nothing happens to the job any more."""
        return self in {self.COMPLETE, self.CANCELED, self.ERROR}


class LocalJobPhase(StrEnum):
    """The phase of a job that is progressing."""

    PROBING = "PROBING"
    TRANSCODING = "TRANSCODING"
    UPLOADING = "UPLOADING"


@attrs.frozen(kw_only=True)
class MadeOutput:
    """
    The details of one finished output.

    Attributes:
        files: Their addresses in the bucket; of a rendition, its playlist.
    """

    duration_ms: int
    width_px: int | None = None
    height_px: int | None = None
    files: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class MadeGroup:
    """
    The details of a group of finished outputs.

    Attributes:
        kind: As events call it, such as ``CMAF_GROUP``.
        playlists: Addresses of those on top.
    """

    kind: str
    playlists: tuple[str, ...]
    outputs: tuple[MadeOutput, ...]


@attrs.frozen(kw_only=True)
class OrderedFault:
    """
    The faults that a test has ordered for one job.

    Attributes:
        delay_s: How long the job waits before it is begun.
        error_code: 0: no error.
        at_percent: The error comes when so much is done.
    """

    delay_s: float = 0.0
    error_code: int = 0
    error_message: str = ""
    at_percent: int = 0


@attrs.frozen(kw_only=True)
class LocalJob:
    """
    A job of the local MediaConvert.

    Attributes:
        number: Rises by one for each job.
        request: What CreateJob got, with its template and presets filled in.
        queue: Its name.
        token: ``clientRequestToken``; empty: none.
        retries: How often it was begun again, after a restart of the server.
        ignored: Paths of settings that change nothing here.
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
        """The moment from which the job may be begun."""
        return self.created_at_s + self.fault.delay_s

    def begun(self, at_s: float) -> "LocalJob":
        """Return the job with the status that it has when work on it begins."""
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
        """Return the job as waiting again, because its server was stopped."""
        return attrs.evolve(
            self,
            status=LocalJobStatus.SUBMITTED,
            phase=None,
            percent=None,
            started_at_s=None,
            retries=self.retries + 1,
        )
