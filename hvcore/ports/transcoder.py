"""The transcoder port: make CMAF segments from a source file."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.source_info import SourceInfo, UnusableSourceError
from hvcore.domain.processing.transcoding import (
    Capabilities,
    FrameSpan,
    Part,
    PartDone,
    PartPending,
    SoundSpan,
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
    Transcode a source file to the renditions of a ladder.

    Methods are called from the main thread of a worker process, one at a time;
    ``capabilities`` is also called from API processes, from any thread. A transcoder
    that returns PartPending is a RemoteTranscoder, for which other rules hold.
    """

    @abstractmethod
    def capabilities(self) -> Capabilities:
        """
        Return the codecs and formats that the transcoder supports on this machine.

        Called by API requests that name a codec or a format: after the first call the
        answer must come from memory. It is the same for all callers.
        """

    @abstractmethod
    def probe(self, workspace: Workspace) -> SourceInfo:
        """
        Return the tracks and the properties of a source.

        The source is a stranger's file, whatever its name and type say. Probing may
        take minutes, and calls ``workspace.check`` meanwhile.

        Raises:
            UnusableSourceError: The source cannot be made into a video.
            TranscodeError: Probing failed; another attempt may succeed.
        """

    @abstractmethod
    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        """
        Cut a job into parts that workers carry out; return at least one part.

        The method has no side effects, and returns the same parts each time on one
        machine. A plan without parts fails the video.
        """

    @abstractmethod
    def run(self, part: Part, workspace: Workspace) -> PartDone | PartPending:
        """
        Make the files of one part in ``workspace.folder``.

        The call may take hours, and calls ``workspace.check`` and ``workspace.report``
        meanwhile. Another attempt begins with an empty folder.

        Args:
            part: One of the parts that ``plan`` has returned, perhaps in another
                process.

        Returns:
            The tracks that were made, whose files are in the folder; or PartPending, which only
            a RemoteTranscoder may return.

        Raises:
            UnusableSourceError: No attempt will ever succeed.
            TranscodeError: This attempt failed.
        """

    def assemble(
        self, order: TranscodeOrder, done: Sequence[tuple[str, PartDone]]
    ) -> MediaIndex:
        """
        Join the parts, given as (folder, result) in the order of the plan, to tracks.

        Raises:
            TranscodeError: The parts do not fit together.
        """
        return merge_parts(order, done)

    def close(self) -> None:
        """Release the processes and files of the backend; called once, at the end."""


class RemoteTranscoder(Transcoder):
    """
    Transcode parts with another service, such as a cloud.

    ``run`` submits a part if the workspace has no handle, calls ``workspace.remember``,
    and returns PartPending at once. Later calls, in any process, get the handle and ask
    the service about the part. They do not fetch the source.

    ``run`` and ``cancel`` are called from threads of light workers, many at a time; so
    they are thread-safe, start no child processes, and return within seconds. Both may
    raise UnavailableError if the service does not answer: they are then called again,
    which costs no attempt. The same holds if the service refuses to tell the state of a
    known remote job, such as after a key was replaced: the job goes on, and the error's
    text tells operators what is missing. After any other error the remote job is
    cancelled, and the next attempt gets another key and no handle.
    """

    @abstractmethod
    def cancel(self, key: str, handle: str | None) -> None:
        """
        Cancel a remote job, and return once the service has confirmed that it ended.

        Idempotent. A remote job that has ended, or that the service does not know, is
        confirmed.

        Args:
            key: The workspace's key of the remote job.
            handle: The handle that was remembered; None if none was, though the part
                may have been submitted: then the service is asked for the key.

        Raises:
            UnavailableError: The service does not answer; the call is repeated until it
                does.
            TranscodeError: The service refuses; the call is repeated.
        """


@runtime_checkable
class SupportsStill(Protocol):
    """Cut a still picture out of published segments."""

    def still(self, workspace: Workspace, at_s: float) -> Path:
        """
        Make a JPEG of the first frame that begins at or after a moment of a segment.

        Called from the main thread of a worker process, and from threads of delivery
        processes, several at a time; for a job of any transcoder that made this
        service's segments. Takes a few seconds at most. The workspace's ``niceness`` is
        that of the child processes.

        Args:
            workspace: A workspace whose source is an init segment followed by one media
                segment of a video rung.
            at_s: The seconds from the beginning of that segment; some frame begins at
                or after it.

        Returns:
            The path of the JPEG, in ``workspace.folder``.

        Raises:
            UnusableSourceError: No attempt will ever succeed.
            TranscodeError: This attempt failed.
        """
        ...


@runtime_checkable
class SupportsFrames(Protocol):
    """Take the frames of a moving picture out of published segments."""

    def frames(self, workspace: Workspace, span: FrameSpan) -> Sequence[Path]:
        """
        Make JPEGs of evenly spaced frames of consecutive segments; return at least one.

        Called from threads of delivery processes, several at a time, for a job of any
        transcoder that made this service's segments. Takes a few seconds at most. The
        workspace's ``niceness`` is that of the child processes.

        Args:
            workspace: A workspace whose source is an init segment followed by
                consecutive media segments of a video rung.

        Returns:
            The paths of the JPEGs in order, in ``workspace.folder``. A frame that lasts
            longer than the spacing is there several times.

        Raises:
            UnusableSourceError: No attempt will ever succeed.
            TranscodeError: This attempt failed.
            UnavailableError: This machine lacks a program or a sandbox.
        """
        ...


@runtime_checkable
class SupportsSound(Protocol):
    """Take a part of the sound out of published segments, for a transcriber."""

    def sound(self, workspace: Workspace, span: SoundSpan) -> Path:
        """
        Write a part of the sound of consecutive segments as a WAV file.

        Called from the main thread of a worker process, for a job of any transcoder that
        made this service's segments. Takes a few seconds. The workspace's ``niceness``
        is that of the child processes.

        Args:
            workspace: A workspace whose source is an init segment followed by
                consecutive media segments of an audio track.

        Returns:
            The path of a WAV of 16-bit PCM, mono, SOUND_RATE_HZ, in ``workspace.folder``.
            What lacks between the segments is silence in it.

        Raises:
            UnusableSourceError: No attempt will ever succeed.
            TranscodeError: This attempt failed.
            UnavailableError: This machine lacks a program or a sandbox.
        """
        ...


class JobDeclinedError(UnusableSourceError):
    """
    Decline a job that was planned already; nothing was submitted.

    A RemoteTranscoder that SupportsDeclining raises the error instead of submitting. If
    ``declines`` returns a reason then, the job is planned again, and another transcoder
    may make the video. Otherwise the video fails.

    Args:
        reason: The reason for the video's owner, as ``declines`` returns it.
    """


@runtime_checkable
class SupportsDeclining(Protocol):
    """Decline jobs at some times, such as when a daily limit is used up."""

    def declines(self, order: TranscodeOrder) -> str:
        """
        Return the reason to decline a job, for the video's owner; "" to take the job.

        Called after probing, from the main thread of a worker process, before the job
        is planned; and from threads of light workers after a JobDeclinedError. A
        declined job goes to the next transcoder that a rule names, or to the usual one;
        if that declines too, the video fails with the reason.

        Raises:
            UnavailableError: The transcoder cannot decide now; the attempt is repeated.
        """
        ...


@runtime_checkable
class SupportsStorageCheck(Protocol):
    """Check whether a remote transcoder can reach the storage."""

    def storage_problem(self, url: str) -> str:
        """
        Return the setting that the transcoder needs to reach the storage; "" if none.

        Asked by ``hv doctor``, from any thread. The method fetches and writes nothing.

        Args:
            url: The URL of a path in the storage, such as ``gs://bucket/path``.
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
    "SupportsFrames",
    "SupportsSound",
    "SupportsStill",
    "SupportsStorageCheck",
    "Transcoder",
    "Workspace",
]
