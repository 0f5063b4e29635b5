"""
Find the transcoders of this deployment by name.

A job is finished by the transcoder that it was planned with, also if the settings
have changed meanwhile.
"""

import threading
from collections.abc import Callable

import attrs

from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.errors import UnavailableError
from hvcore.ports.transcoder import Transcoder


@attrs.define(kw_only=True)
class Transcoders:
    """
    Find transcoders by name; all but the default are created on first use.

    Attributes:
        default: The transcoder that the settings choose for most jobs.
        default_name: The name of the default transcoder.
        make: Creates a transcoder by its name; whoever gave this function closes the
            transcoders.
    """

    default: Transcoder
    default_name: str
    make: Callable[[str], Transcoder]
    _others: dict[str, Transcoder] = attrs.field(factory=dict, init=False)
    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False)

    def named(self, name: str) -> Transcoder:
        """
        Return the transcoder with a name; thread-safe. An empty name means the default.

        Raises:
            UnavailableError: This process cannot create it; the text tells operators why.
        """
        if name in {"", self.default_name}:
            return self.default
        with self._lock:
            if name not in self._others:
                try:
                    self._others[name] = self.make(name)
                # A plugin's own errors, too: what others make goes on without it.
                except Exception as exc:
                    raise UnavailableError(
                        f"The transcoder {name} is needed for jobs that began with it, "
                        f"and cannot be used: {exc}"
                    ) from exc
            return self._others[name]

    def of_job(self, job: TranscodeJob) -> Transcoder:
        """
        Return the transcoder that a job was planned with.

        Raises:
            UnavailableError: This process cannot create the transcoder; the text tells
                operators why.
        """
        return self.named(job.transcoder)
