"""
Two organizations with a public video each, and servers that count who watches.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs

from hvcore.assembly import Services
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.live import LiveView
from hvcore.domain.analytics.segments import ALL_TIME, VideoScope
from hvcore.domain.ids import VideoId
from hvcore.ports.analytics import SupportsReports
from tests.support.hv_processes import start_hv
from tests.support.live import free_ports, request, until
from tests.support.network.edge import running_edge
from tests.support.network.plain_http import Connection
from tests.support.stores.published import ENV, migrate, publish, services_of

SEGMENT: Final = b"segment " * 2_500
SHOWN_WITHIN_S: Final = 60.0


@attrs.frozen(kw_only=True)
class Tenant:
    """
    An organization, and the segment of its only video.
    """

    env: Environment
    video: VideoId

    @property
    def path(self) -> str:
        return f"/v1/public/{self.env.org_id}/{ENV}/{self.video}/video/720p/0.m4s"


@attrs.frozen(kw_only=True)
class CountingSite:
    """
    Where viewers ask, and what is known of them.
    """

    port: int
    services: Services
    attacked: Tenant
    other: Tenant

    def ask(self, tenant: Tenant, asks: Sequence[Mapping[str, str]]) -> list[int]:
        """
        Ask for the segment on one connection, and return the statuses.

        Args:
            asks: The headers of each request.
        """
        connection, statuses = Connection(self.port), []
        try:
            for headers in asks:
                connection.send("GET", tenant.path, headers)
                head = connection.head("GET")
                connection.read(head.length_bytes)
                statuses.append(head.status)
                if head.is_last:
                    connection.close()
                    connection = Connection(self.port)
        finally:
            connection.close()
        return statuses

    def counted(self, tenant: Tenant) -> int:
        """
        Return how many segments were ever served.
        """
        found = self.services.analytics_store.served([tenant.video])
        return found.get(tenant.video, 0)

    def too_few(self, tenant: Tenant) -> int:
        """
        Return how many answers ``explain`` names as too little to be counted.
        """
        store = self.services.analytics_store
        assert isinstance(store, SupportsReports)
        found = store.ignored(VideoScope(video_id=tenant.video), ALL_TIME)
        few = [one for one in found if one.reason is IgnoredReason.TOO_FEW_BYTES]
        return sum(one.requests for one in few)

    def watching(self, tenant: Tenant) -> LiveView:
        """
        Return who watches now.
        """
        return self.services.live_analytics.of_environments([tenant.env])


@contextmanager
def counting_site(folder: Path, way: str, **settings: str) -> Iterator[CountingSite]:
    """
    Run delivery until the block ends.

    Args:
        way: ``bare``, or ``edge`` for an nginx in front.
    """
    environ = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    environ |= {"HV_DATA": str(folder / "data"), **settings}
    migrate(environ)
    with services_of(environ) as services, running(environ, "delivery") as port:
        tenants = [
            new_tenant(services, org) for org in ("org_attacked", "org_neighbour")
        ]
        if way == "bare":
            yield _site(port, services, tenants)
            return
        service = f"127.0.0.1:{port}"
        with (
            running_edge(environ, folder / "out", service=service) as edge,
            running_ingest(environ),
        ):
            yield _site(edge.port, services, tenants)


def _site(port: int, services: Services, tenants: Sequence[Tenant]) -> CountingSite:
    attacked, other = tenants
    return CountingSite(port=port, services=services, attacked=attacked, other=other)


def new_tenant(services: Services, org: str) -> Tenant:
    services.tenants.create_organization(org)
    env = services.tenants.create_environment(org, ENV, EnvironmentKind.PRODUCTION)
    video = publish(services, env, {720: (SEGMENT,)}, is_public=True)
    return Tenant(env=env, video=video.id)


@contextmanager
def running(environ: Mapping[str, str], command: str) -> Iterator[int]:
    port = free_ports()
    process = start_hv(command, "--port", str(port), environ=environ)

    def is_alive() -> bool:
        try:
            return request("GET", f"http://127.0.0.1:{port}/health/live").status == 200
        except OSError:
            return False

    try:
        until(is_alive, within_s=SHOWN_WITHIN_S, what=command)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=20)


@contextmanager
def running_ingest(environ: Mapping[str, str]) -> Iterator[None]:
    process = start_hv("edge", "ingest", environ=environ)
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)
