"""
The transcoders of this deployment, by name.

A job is finished by the transcoder that it was planned with, also when the settings
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
    Find transcoders; those that few jobs need are made when they are asked for.

    Attributes:
        default: The one that the settings choose for most jobs.
        default_name: Its name.
        make: Makes another one by its name; whoever gave this closes them.
    """

    default: Transcoder
    default_name: str
    make: Callable[[str], Transcoder]
    _others: dict[str, Transcoder] = attrs.field(factory=dict, init=False)
    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False)

    def named(self, name: str) -> Transcoder:
        """
        Return a transcoder; callable from any thread.

        Raises:
            UnavailableError: This process cannot make it; the text tells operators why.
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
            UnavailableError: See named.
        """
        return self.named(job.transcoder)
