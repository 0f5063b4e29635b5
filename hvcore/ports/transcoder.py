"""
The transcoder port: from a source file to CMAF segments.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import attrs

from hvcore.domain.processing.transcoding import (
    Capabilities,
    MediaIndex,
    Part,
    PartDone,
    PartPending,
    SourceInfo,
    TranscodeOrder,
)
from hvcore.ports._assembling import merge_parts


@attrs.frozen(kw_only=True)
class Workspace:
    """
    Where one attempt works, and how it talks to the core.

    Attributes:
        source: The source as a local file, to be read only.
        folder: An empty folder of this attempt alone; what is written here
            under a track's name is stored when ``run`` returns.
        report: Takes the finished share of the part, 0.0 to 1.0; cheap.
        check: Raises when the work is not wanted any more (deleted, lease
            lost, service stopping). Call it at least every 0.5 s and let
            what it raises pass, with every child process ended.
        handle: What the last PartPending carried, else None.
    """

    source: Path
    folder: Path
    report: Callable[[float], None]
    check: Callable[[], None]
    handle: str | None = None


class Transcoder(ABC):
    """
    Turn sources into ladders.

    Methods are called from the main thread of a worker process, one at a
    time; ``capabilities`` from API processes too, from any thread.
    """

    @abstractmethod
    def capabilities(self) -> Capabilities:
        """
        Return what this machine can carry out.

        Called by API requests that name a codec or a format: the answer must
        come from memory after the first call.
        """

    @abstractmethod
    def probe(self, workspace: Workspace) -> SourceInfo:
        """
        Find out what the source is.

        Raises:
            UnusableSourceError: It cannot be made into a video.
            TranscodeError: Probing failed, another attempt may succeed.
        """

    @abstractmethod
    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        """
        Cut the job into at least one part; pure, and the same on one machine.
        """

    @abstractmethod
    def run(self, part: Part, workspace: Workspace) -> PartDone | PartPending:
        """
        Make the files of one part in ``workspace.folder``.

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
        """
        Release what the backend holds; called once, at the end.
        """


@runtime_checkable
class SupportsStill(Protocol):
    """
    A transcoder that can take a picture out of what it has made.
    """

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
            Where it lies, in ``workspace.folder``.

        Raises:
            UnusableSourceError: No attempt will ever succeed.
            TranscodeError: This attempt failed.
        """
        ...


__all__ = ["Capabilities", "SupportsStill", "Transcoder", "Workspace"]
