"""
The service on hosts of its own, by the commands and settings of the compose file.
"""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs

from hvcore.assembly import Services, build
from hvcore.domain.access.keys import KeyType
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.services.access.keys import KeyWanted
from hvcore.settings import load
from tests.deploy.deployments import compose, make_secrets, placed
from tests.hosts.network import RESOLVER, SUBNET, Host, network, seen_from
from tests.hosts.programs import Programs
from tests.hosts.servers import Servers
from tests.support.fakes import MemoryQueue
from tests.support.hv_processes import HV
from tests.support.live import request, until

SERVICES: Final = compose()["services"]
ORG: Final = "org_local"
ENV: Final = "live"
API_PORT: Final = 8080
EDGE_PORT: Final = 8081
DELIVERY_PORT: Final = 8082
"""Behind nginx, which has delivery's usual port on these hosts."""
LISTENS_WITHIN_S: Final = 240
"""Python needs seconds to start, and as many of them as others leave of the machine."""
CLIENT: Final = f"{SUBNET}.2"
ADDRESSES: Final[Mapping[str, str]] = {
    "database": f"{SUBNET}.10",
    "valkey": f"{SUBNET}.11",
    "store": f"{SUBNET}.12",
    "objects": f"{SUBNET}.13",
    "api-1": f"{SUBNET}.21",
    "api-2": f"{SUBNET}.22",
    "delivery-1": f"{SUBNET}.31",
    "delivery-2": f"{SUBNET}.32",
    "worker-1": f"{SUBNET}.41",
    "worker-2": f"{SUBNET}.42",
    "light-1": f"{SUBNET}.43",
    "sweep-1": f"{SUBNET}.51",
    "sweep-2": f"{SUBNET}.52",
}
SERVERS: Final = ("database", "valkey", "store", "objects")
EVERYTHING: Final[Mapping[str, Sequence[str]]] = {
    "api-1": ["api"],
    "api-2": ["api"],
    "delivery-1": ["delivery", "edge", "edge-ingest"],
    "delivery-2": ["delivery", "edge", "edge-ingest"],
    "worker-1": ["worker"],
    "worker-2": ["worker"],
    "light-1": ["worker-light"],
    "sweep-1": ["sweep"],
    "sweep-2": ["sweep"],
}
"""The services of the compose file, by host."""
LITTLE: Final[Mapping[str, Sequence[str]]] = {
    "api-1": ["api"],
    "api-2": ["api"],
    "delivery-1": ["delivery"],
    "delivery-2": ["delivery"],
    "worker-1": ["worker-any", "sweep"],
}
"""As few processes as a service on several hosts can have."""
_INSTEAD: Final = {
    "delivery:8081": f"127.0.0.1:{DELIVERY_PORT}",
    "0.0.0.0:9464": "127.0.0.1:9464",
}


@attrs.frozen(kw_only=True)
class Fleet:
    """
    A service on several hosts, seen from another host, that of its clients.

    Attributes:
        services: On the same database and store, to look into them.
        key: Of the environment ``live``.
        own: The settings that differ from the compose file's.
        clocks_s: By how much those of some hosts are off.
    """

    servers: Servers
    hosts: Mapping[str, Host]
    programs: Programs
    services: Services
    secrets: Path
    key: str
    own: Mapping[str, str]
    clocks_s: Mapping[str, int]
    has_edges: bool

    @property
    def api_hosts(self) -> list[Host]:
        """
        Where the API answers.
        """
        return [self.hosts["api-1"], self.hosts["api-2"]]

    @property
    def delivery_hosts(self) -> list[Host]:
        """
        Where videos are played.
        """
        return [self.hosts["delivery-1"], self.hosts["delivery-2"]]

    @property
    def delivery_port(self) -> int:
        """
        Where viewers reach delivery.
        """
        return EDGE_PORT if self.has_edges else DELIVERY_PORT

    def everyone(self) -> dict[str, Host]:
        """
        Return all hosts by their names, also those of the servers.
        """
        return {**self.hosts, **attrs.asdict(self.servers, recurse=False)}


def environ_of(
    service: str, host: Host, secrets: Path, own: Mapping[str, str]
) -> dict[str, str]:
    """
    Return the environment of a service of the compose file on a host.
    """
    outside = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    found = {
        name: _INSTEAD.get(value, value)
        for name, raw in SERVICES[service]["environment"].items()
        for value in [placed(raw, secrets)]
    }
    return {**outside, **found, "HV_DATA": str(host.disk / "hv"), **own}


def command_of(service: str) -> list[str]:
    """
    Return the command of a service of the compose file.
    """
    if service == "worker-any":
        return [*SERVICES["worker"]["command"], "--lane", "light"]
    command = list(SERVICES[service]["command"])
    if service == "delivery":
        command[-1] = str(DELIVERY_PORT)
    return command


def public_names(*, has_edges: bool) -> dict[str, str]:
    """
    Return the addresses that callers see; each name is that of two hosts.
    """
    port = EDGE_PORT if has_edges else DELIVERY_PORT
    video = f"http://video.test:{port}"
    return {
        "HV_PUBLIC__API_URL": f"http://api.test:{API_PORT}",
        "HV_PUBLIC__WORKER_URL": video,
        "HV_PUBLIC__PLAYER_URL": video,
        "HV_PUBLIC__UPLOAD_URL": video,
    }


@contextmanager
def fleet(
    folder: Path,
    layout: Mapping[str, Sequence[str]],
    *,
    names: Mapping[str, str] | None = None,
    clocks_s: Mapping[str, int] | None = None,
    **settings: str,
) -> Iterator[Fleet]:
    """
    Run a service on hosts of its own until the block ends.

    This thread, and those that it starts, see the network as its clients do.

    Args:
        names: What the name server knows.
        clocks_s: By how much those of some hosts are off.
        settings: Of all processes.
    """
    has_edges = any("edge" in services for services in layout.values())
    own = {
        **public_names(has_edges=has_edges),
        "HV_LIMITS__ENABLED": "false",
        **settings,
    }
    secrets = make_secrets(folder / "secrets")
    Servers.write_secrets(secrets)
    logs = folder / "logs"
    logs.mkdir()
    listed = [(name, address) for name, address in ADDRESSES.items()]
    listed += [("api", ADDRESSES["api-1"]), ("api", ADDRESSES["api-2"])]
    programs = Programs(logs)
    with programs.ended(), network(folder / "net", listed) as net:
        hosts = {name: net.add(name, ADDRESSES[name]) for name in [*SERVERS, *layout]}
        servers = Servers(
            **{name: hosts.pop(name) for name in SERVERS},
            resolver=net.add("resolver", RESOLVER),
        )
        client = net.add("client", CLIENT)
        with seen_from(client), programs.watched():
            servers.start(programs, dict(names or {}))
            servers.make_bucket()
            with _observer(folder, servers, client, secrets, own) as services:
                made = Fleet(
                    servers=servers,
                    hosts=hosts,
                    programs=programs,
                    services=services,
                    secrets=secrets,
                    key=_first_key(services),
                    own=own,
                    clocks_s=clocks_s or {},
                    has_edges=has_edges,
                )
                _start(made, layout)
                yield made


def _start(made: Fleet, layout: Mapping[str, Sequence[str]]) -> None:
    for name, services in layout.items():
        for service in services:
            if service != "edge":
                start_service(made, service, made.hosts[name])
    for host in made.api_hosts:
        listens(host, API_PORT)
    for host in made.delivery_hosts:
        listens(host, DELIVERY_PORT)
        if made.has_edges:
            _start_edge(made, host)


def hv_on(made: Fleet, host: Host) -> list[str]:
    """
    Return what runs ``hv`` on a host, with the time as that host has it.
    """
    if host.name not in made.clocks_s:
        return HV
    by_s = str(made.clocks_s[host.name])
    return [sys.executable, "-m", "tests.hosts.shifted_clock", by_s]


def start_service(made: Fleet, service: str, host: Host) -> None:
    """
    Start a service of the compose file on a host.
    """
    known = "worker" if service == "worker-any" else service
    environ = environ_of(known, host, made.secrets, made.own)
    if service == "edge-ingest":
        # A host has one such port for each of its processes.
        environ["HV_METRICS__LISTEN"] = "127.0.0.1:9465"
        host.run("mkdir", "-p", host.disk / "hv" / "edge")
    name = f"{host.name}.{service}"
    words = [*hv_on(made, host), *command_of(service)]
    made.programs.start(name, host, words, environ)


def _start_edge(made: Fleet, host: Host) -> None:
    environ = environ_of("edge-config", host, made.secrets, made.own)
    out = host.disk / "edge"
    host.run(*HV, "edge", "nginx", "--out", out, environ=environ)
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    words = [nginx, "-c", str(out / "nginx.conf")]
    made.programs.start(f"{host.name}.edge", host, words)
    listens(host, EDGE_PORT)


def listens(host: Host, port: int) -> None:
    """
    Wait until a process of a host answers.
    """

    def lives() -> bool:
        try:
            url = f"http://{host.address}:{port}/health/live"
            return request("GET", url).status == 200
        except OSError:
            return False

    until(lives, within_s=LISTENS_WITHIN_S, what=f"an answer of {host.name}")


@contextmanager
def _observer(
    folder: Path, servers: Servers, client: Host, secrets: Path, own: Mapping[str, str]
) -> Iterator[Services]:
    """
    Build services that look from the clients' host, whose files have no names.
    """
    environ = environ_of("migrate", client, secrets, own)
    database = Path(environ.pop("HV_DATABASE__URL_FILE")).read_text()
    environ["HV_DATABASE__URL"] = database.replace(
        "@database:", f"@{servers.database.address}:"
    )
    environ["HV_STORAGE__OPTIONS__ENDPOINT_URL"] = (
        f"http://{servers.store.address}:7070"
    )
    environ["HV_QUEUE__OPTIONS__URL"] = f"redis://{servers.valkey.address}:6379/0"
    own_folder = folder / "observer"
    own_folder.mkdir()
    loaded = load(config_path=None, environ=environ, data_dir=own_folder)
    overrides = {"queue": MemoryQueue()}
    with build(loaded.settings, overrides=overrides, rings=False) as services:
        services.migrate()
        yield services


def _first_key(services: Services) -> str:
    services.tenants.create_organization(ORG)
    services.tenants.create_environment(ORG, ENV, EnvironmentKind.PRODUCTION)
    wanted = KeyWanted(type=KeyType.ENVIRONMENT, org_id=ORG, env=ENV)
    return services.keys.create(wanted).value
