"""The services and helpers that the dashboard's resources are made of."""

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
    """The installation's examination and its processes; thread-safe."""

    def examination(self, *, anew: bool) -> Examination:
        """
        Return all checks' findings; takes seconds, unless asked a moment ago.

        Args:
            anew: Findings of a moment ago will not do.
        """
        ...

    def processes(self) -> Sequence[ServiceProcess] | None:
        """Return the processes of this machine; None if they are not known."""
        ...


@attrs.frozen(kw_only=True)
class Desk:
    """
    The services of the core, and how pages are answered.

    Attributes:
        judge: Says why delivery refuses a request.
    """

    services: Services
    answers: Answers
    cookies: Cookies
    installation: InstallationView
    judge: PlaybackJudge
