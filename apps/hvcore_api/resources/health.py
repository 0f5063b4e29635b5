"""Answer requests for the health of the service."""

import falcon

from hvcore.assembly import Services
from hvcore_api.answers import send
from hvcore_web.health import HealthResource
from hvcore_web.readiness import ReadinessResource


class ApiHealthResource(HealthResource):
    """``GET /health``: check everything that the service needs."""

    def __init__(self, services: Services) -> None:
        super().__init__(services.health)


class LivenessResource:
    """``GET /health/live``: this process answers; nothing else is asked."""

    def __init__(self, _services: Services) -> None:
        pass

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        send(resp, {"status": "ok"})


class ApiReadinessResource(ReadinessResource):
    """``GET /health/ready``: the database answers, and the process stays."""

    def __init__(self, services: Services) -> None:
        super().__init__(services.api_readiness.check)
