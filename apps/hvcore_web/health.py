"""Return whether an app can work, for people and alerts."""

from typing import Protocol

import falcon

from hvcore.envelope import PROBLEM_TYPE, SUCCESS_TYPE, encode, problem, success
from hvcore.errors import UnavailableError
from hvcore.services.health import HealthReport, HealthStatus
from hvcore_web.middleware import request_id


class HealthChecks(Protocol):
    """Checks all components of an app."""

    def check(self) -> HealthReport:
        """Ask every component once."""
        ...


class HealthResource:
    """``GET /health``: check everything that an app needs, and name what is amiss."""

    def __init__(self, health: HealthChecks) -> None:
        self._health = health

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Report each check; 503 if no request could be answered."""
        report = self._health.check()
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


def _render(report: HealthReport) -> dict[str, object]:
    return {
        "status": report.status.value,
        "version": report.version,
        "checks": dict(report.checks),
        "lacks": list(report.lacks),
        "sandbox": report.sandbox,
    }
