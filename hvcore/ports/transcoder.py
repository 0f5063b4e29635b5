"""The transcoder port: from a source file to CMAF segments."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.source_info import SourceInfo, UnusableSourceError
from hvcore.domain.processing.transcoding import (
    Capabilities,
    Part,
    PartDone,
    PartPending,
    TranscodeOrder,
)
from hvcore.ports._assembling import merge_parts
from hvcore.ports.transcoder_workspace import (
    NotAddressableError,
    PartTarget,
    SourceRanges,
    Workspace,
)


class Transcoder(ABC):
    """
    Turn sources into ladders.

    Methods are called from the main thread of a worker process, one at a
    time; ``capabilities`` from API processes too, from any thread. A transcoder that
    returns PartPending is a RemoteTranscoder, for which other rules hold.
    """

    @abstractmethod
    def capabilities(self) -> Capabilities:
        """
        Return the codecs and formats that this machine can carry out.

        Called by API requests that name a codec or a format: the answer must
        come from memory after the first call. It is the same for all callers.
        """

    @abstractmethod
    def probe(self, workspace: Workspace) -> SourceInfo:
        """
        Return the streams and the properties of the source.

        The source is a stranger's file, whatever its name and type say. May take
        minutes, and calls ``workspace.check`` meanwhile.

        Raises:
            UnusableSourceError: It cannot be made into a video.
            TranscodeError: Probing failed, another attempt may succeed.
        """

    @abstractmethod
    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        """
        Cut the job into at least one part; pure, and the same on one machine.

        A plan without parts fails the video.
        """

    @abstractmethod
    def run(self, part: Part, workspace: Workspace) -> PartDone | PartPending:
        """
        Make the files of one part in ``workspace.folder``.

        May take hours, and calls ``workspace.check`` and ``workspace.report`` meanwhile.
        Another attempt begins with an empty folder.

        Args:
            part: One of those that ``plan`` has returned, perhaps in another process.

        Returns:
            The tracks that were made, whose files are in the folder; or PartPending, of
            a RemoteTranscoder alone.

        Raises:
            UnusableSourceError: No attempt will ever succeed.
            TranscodeError: This attempt failed.
        """

    def assemble(
        self, order: TranscodeOrder, done: Sequence[tuple[str, PartDone]]
    ) -> MediaIndex:
        """
        Join the parts, given as (folder, result) in the order of the plan.

        Raises:
            TranscodeError: The parts do not fit together.
        """
        return merge_parts(order, done)

    def close(self) -> None:
        """Release the processes and files of the backend; called once, at the end."""


class RemoteTranscoder(Transcoder):
    """
    A transcoder whose parts are made elsewhere, such as by a cloud service.

    ``run`` submits a part if there is no handle, calls ``workspace.remember``, and
    returns PartPending at once. Later calls, in any process, get the handle and ask how
    the part is. They fetch no source.

    ``run`` and ``cancel`` are called from threads of light workers, many at a time; so
    they are thread-safe, start no child processes, and return within seconds. Both
    may raise UnavailableError if the service does not answer: they are then called
    again, and that costs no attempt. So is a refusal to say how a known remote job is,
    such as after a key was replaced: it goes on, and the error's text tells operators
    what is missing. After any other error the remote job is cancelled, and the next
    attempt gets another key and no handle.
    """

    @abstractmethod
    def cancel(self, key: str, handle: str | None) -> None:
        """
        End a remote job, and return once the service has confirmed that it ended.

        Idempotent. A remote job that has ended, or that nobody knows, is confirmed.

        Args:
            key: The workspace's key of the remote job.
            handle: What was remembered; None if nothing was, though it may have been
                submitted: then the service is asked for the key.

        Raises:
            UnavailableError: The service does not answer; it is tried until it does.
            TranscodeError: It refuses; likewise.
        """


@runtime_checkable
class SupportsStill(Protocol):
    """A transcoder that can cut a picture out of published segments."""

    def still(self, workspace: Workspace, at_s: float) -> Path:
        """
        Make a JPEG of the first frame that begins at or after a moment.

        Called from the main thread of a worker process, for a job of any
        transcoder that made this service's segments; takes a few seconds.

        Args:
            workspace: Its source is an init segment and, behind it, one media
                segment of a video rung.
            at_s: From the beginning of that segment; some frame begins at or
                after it.

        Returns:
            Where it is, in ``workspace.folder``.

        Raises:
            UnusableSourceError: No attempt will ever succeed.
            TranscodeError: This attempt failed.
        """
        ...


class JobDeclinedError(UnusableSourceError):
    """
    A job was planned, and is not taken any more; nothing was submitted.

    A RemoteTranscoder with ``declines`` raises it instead of submitting. If ``declines``
    names a reason then, the job is planned again, and another transcoder may make the
    video. Else the video fails.

    Args:
        reason: For the video's owner, as of ``declines``.
    """


@runtime_checkable
class SupportsDeclining(Protocol):
    """A transcoder that takes some jobs at some times only, such as up to a daily limit."""

    def declines(self, order: TranscodeOrder) -> str:
        """
        Return the reason to decline a job, for the video's owner; empty: it is taken.

        Called after probing, from the main thread of a worker process, before the job
        is planned; and from threads of light workers after a JobDeclinedError. A job
        that is declined goes to the next transcoder that a rule names, or to the usual
        one; if that declines too, the video fails with the reason.

        Raises:
            UnavailableError: It cannot be told now; the attempt is repeated.
        """
        ...


@runtime_checkable
class SupportsStorageCheck(Protocol):
    """A transcoder elsewhere that reaches storages of some kinds only."""

    def storage_problem(self, url: str) -> str:
        """
        Return the setting that it lacks to reach the storage; empty: none.

        Asked by ``hv doctor``, from any thread. Pure: nothing is fetched or written.

        Args:
            url: What clients of the storage call a path in it, such as
                ``gs://bucket/path``.
        """
        ...


__all__ = [
    "Capabilities",
    "JobDeclinedError",
    "NotAddressableError",
    "PartTarget",
    "RemoteTranscoder",
    "SourceRanges",
    "SupportsDeclining",
    "SupportsStill",
    "SupportsStorageCheck",
    "Transcoder",
    "Workspace",
]
