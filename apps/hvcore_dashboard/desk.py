"""The desk: the services and helpers that each resource of the dashboard gets."""

from collections.abc import Sequence
from typing import Protocol

import attrs

from hvcore.assembly import Services
from hvcore.domain.health_findings import Examination
from hvcore.domain.processes import ServiceProcess
from hvcore_dashboard.answers import Answers
from hvcore_dashboard.cookies import Cookies
from hvcore_dashboard.playback_judge import PlaybackJudge


class InstallationView(Protocol):
    """The results of checking this installation, and its running processes; thread-safe."""

    def examination(self, *, anew: bool) -> Examination:
        """
        Return the findings of all checks; takes seconds, unless the checks have just been made.

        Args:
            anew: Whether the checks must be made again, even if they have just been made.
        """
        ...

    def processes(self) -> Sequence[ServiceProcess] | None:
        """Return the service's processes on this machine; None if they are not known."""
        ...


@attrs.frozen(kw_only=True)
class Desk:
    """
    The core's services and the page helpers that each resource of the dashboard gets.

    Attributes:
        judge: Says why delivery refuses a request.
    """

    services: Services
    answers: Answers
    cookies: Cookies
    installation: InstallationView
    judge: PlaybackJudge
