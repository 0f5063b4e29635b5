"""Answer requests for the health of the service."""

import falcon

from hvcore.assembly import Services
from hvcore_api.answers import send
from hvcore_web.health import HealthResource
from hvcore_web.readiness import ReadinessResource


class ApiHealthResource(HealthResource):
    """``GET /health``: check every backend that the service needs."""

    def __init__(self, services: Services) -> None:
        super().__init__(services.health)


class LivenessResource:
    """``GET /health/live``: answer that this process runs, without asking any backend."""

    def __init__(self, _services: Services) -> None:
        pass

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        send(resp, {"status": "ok"})


class ApiReadinessResource(ReadinessResource):
    """``GET /health/ready``: check that the database answers, and that this process is not stopping."""

    def __init__(self, services: Services) -> None:
        super().__init__(services.api_readiness.check)
