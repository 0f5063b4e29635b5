"""Report whether an app can work, for people and alerts (``GET /health``)."""

from typing import Final, Protocol

import attrs
import falcon

from hvcore.errors import UnavailableError
from hvcore.services.health import OK, HealthReport, HealthStatus
from hvcore.wire.envelope import PROBLEM_TYPE, SUCCESS_TYPE, encode, problem, success
from hvcore_web.middleware import request_id

EDGE_DISK_HEADER: Final = "X-Hv-Edge-Disk"
"""The header in which an nginx in front tells whether its own disk has room: ``ok`` or
``full``."""
EDGE_IS_FULL: Final = (
    "There is no room on the disk of the nginx in front: segments pass through uncached. "
    "Free space where its folder is (HV_EDGE__FOLDER)."
)


class HealthChecks(Protocol):
    """An object that checks the components that an app needs, such as database and storage."""

    def check(self) -> HealthReport:
        """Check every component once, and return the report."""
        ...


class HealthResource:
    """``GET /health``: check all components that an app needs, and name those that fail."""

    def __init__(self, health: HealthChecks) -> None:
        self._health = health

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Answer with the result of each check; 503 if the app cannot answer requests."""
        report = _with_edge(self._health.check(), req.get_header(EDGE_DISK_HEADER))
        body = success(_render(report))
        resp.data = encode(body)
        resp.content_type = SUCCESS_TYPE
        resp.set_header("Cache-Control", "no-store")
        if report.status is HealthStatus.DOWN:
            error = UnavailableError()
            # Both shapes at once: clients find the problem, monitors the body.
            resp.status = error.http_status
            resp.data = encode(problem(error, request_id(req)) | body)
            resp.content_type = PROBLEM_TYPE
            resp.set_headers(error.headers)


def _with_edge(report: HealthReport, disk: str | None) -> HealthReport:
    """
    Add the check ``edge`` to a report that is asked for through an nginx.

    It only informs whoever asks, so nobody has to prove to be one.
    """
    if not disk:
        return report
    is_full = disk == "full"
    checks = {**report.checks, "edge": EDGE_IS_FULL if is_full else OK}
    is_worse = is_full and report.status is HealthStatus.OK
    status = HealthStatus.DEGRADED if is_worse else report.status
    return attrs.evolve(report, checks=checks, status=status)


def _render(report: HealthReport) -> dict[str, object]:
    return {
        "status": report.status.value,
        "version": report.version,
        "checks": dict(report.checks),
        "lacks": list(report.lacks),
        "sandbox": report.sandbox,
    }
