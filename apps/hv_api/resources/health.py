"""
Return whether the service is up and can work.
"""

import falcon

from hv_api.answers import send
from hv_web.middleware import request_id
from hv_web.readiness import ReadinessResource
from hvcore.assembly import Services
from hvcore.envelope import PROBLEM_TYPE, encode, problem, success
from hvcore.errors import UnavailableError
from hvcore.services.health import HealthReport, HealthStatus


class HealthResource:
    """
    ``GET /health``: check everything that the service needs.
    """

    def __init__(self, services: Services) -> None:
        self._health = services.health

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """
        Report each check; 503 if no request could be answered.
        """
        report = self._health.check()
        send(resp, _render(report))
        if report.status is HealthStatus.DOWN:
            error = UnavailableError()
            # Both shapes at once: clients find the problem, monitors the body.
            document = problem(error, request_id(req)) | success(_render(report))
            resp.status = error.http_status
            resp.data = encode(document)
            resp.content_type = PROBLEM_TYPE
            resp.set_headers(error.headers)


class LivenessResource:
    """
    ``GET /health/live``: this process answers; nothing else is asked.
    """

    def __init__(self, _services: Services) -> None:
        pass

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        send(resp, {"status": "ok"})


class ApiReadinessResource(ReadinessResource):
    """
    ``GET /health/ready``: database and storage answer, and the process stays.
    """

    def __init__(self, services: Services) -> None:
        super().__init__(services.readiness.check)


def _render(report: HealthReport) -> dict[str, object]:
    return {
        "status": report.status.value,
        "version": report.version,
        "checks": dict(report.checks),
        "lacks": list(report.lacks),
        "sandbox": report.sandbox,
    }
