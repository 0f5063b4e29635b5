"""
The processes of the compose file, by its commands and its environment, as one service.

No container engine runs here: each is a plain process, with the addresses and the folders
of a test instead of a container's.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from tests.deploy.deployments import SECRETS_MOUNT, compose, make_secrets, placed
from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.support.hv_processes import HV
from tests.support.live import free_ports, request, until
from tests.support.servers import postgresql_server, redis_server
from tests.support.stores.object_store import (
    SWIFT_KEY,
    SWIFT_SECRET,
    swift_client,
    swift_server,
)

SERVICES: Final = compose()["services"]
RUN: Final = ("api", "delivery", "worker", "worker-light", "sweep")
SECONDS: Final = re.compile(r"(\d+)s")


@attrs.frozen(kw_only=True)
class Stack:
    """
    Where the services of the compose file are on this machine.

    Attributes:
        folder: Takes the place of volumes.
        secrets: Takes the place of what is mounted at ``/run/secrets``.
        replaced: What stands in settings and commands, and what is here instead.
    """

    folder: Path
    secrets: Path
    replaced: Mapping[str, str]

    def environ_of(self, name: str) -> dict[str, str]:
        """
        Return the environment of a service.
        """
        outside = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
        own = {
            key: self.replaced.get(value, value)
            for key, raw in SERVICES[name]["environment"].items()
            for value in [placed(raw, self.secrets)]
        }
        return {**outside, **own, "HV_DATA": str(self.folder / "data")}

    def command_of(self, name: str) -> list[str]:
        """
        Return the command of a service, with the addresses of this machine.
        """
        return [self.replaced.get(word, word) for word in SERVICES[name]["command"]]

    def run(self, name: str, *words: str) -> subprocess.CompletedProcess[str]:
        """
        Run a command in the environment of a service until it ends.
        """
        return subprocess.run(
            [*HV, *(words or self.command_of(name))],
            env=self.environ_of(name),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=120,
        )

    @contextmanager
    def started(self, name: str, command: Sequence[str]) -> Iterator[Any]:
        """
        Run a service until the block ends.
        """
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                env=self.environ_of(name),
                stdin=subprocess.DEVNULL,
                stderr=log,
            )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


@pytest.fixture
def ports() -> list[int]:
    """
    The API's and delivery's own, and those at which the edge has them.
    """
    return [
        first + offset for first in (free_ports(), free_ports()) for offset in (0, 1)
    ]


@pytest.fixture
def stack(tmp_path: Path, ports: list[int]) -> Iterator[Stack]:
    secrets = make_secrets(tmp_path / "secrets")
    (tmp_path / "data").mkdir()
    api, delivery, edge_api, edge = ports
    with (
        postgresql_server() as postgresql,
        redis_server() as valkey,
        swift_server() as s3,
    ):
        swift_client(s3).create_bucket(Bucket="videos")
        for name, text in {
            "database-url": postgresql.new_database(),
            "store-key": SWIFT_KEY,
            "store-secret": SWIFT_SECRET,
        }.items():
            (secrets / name).chmod(0o600)
            (secrets / name).write_text(text)
        yield Stack(
            folder=tmp_path,
            secrets=secrets,
            replaced={
                "redis://valkey:6379/0": valkey.url,
                "http://store:7070": s3,
                "0.0.0.0:9464": f"127.0.0.1:{free_ports()}",
                "0.0.0.0": "127.0.0.1",  # noqa: S104 - of a container
                "8080": str(api),
                "8081": str(delivery),
                "api:8080": f"127.0.0.1:{api}",
                "delivery:8081": f"127.0.0.1:{delivery}",
                "http://127.0.0.1:8080": f"http://127.0.0.1:{edge_api}",
                "http://127.0.0.1:8081": f"http://127.0.0.1:{edge}",
                "/edge": str(tmp_path / "edge"),
                "/tmp/hv-alive": str(tmp_path / "hv-alive"),  # noqa: S108 - of a container
                "172.30.202.0/24": "127.0.0.1",
            },
        )


def lives(port: int) -> bool:
    try:
        return request("GET", f"http://127.0.0.1:{port}/health/live").status == 200
    except OSError:
        return False


def first_key(stack: Stack) -> str:
    stack.run("api", "orgs", "create", "org_a")
    stack.run("api", "envs", "create", "org_a", "live", "--kind", "production")
    words = (
        "keys",
        "create",
        "--org",
        "org_a",
        "--env",
        "live",
        "--type",
        "environment",
    )
    return str(json.loads(stack.run("api", *words, "--json").stdout)["apiKey"])


def nginx_of(stack: Stack, ports: list[int]) -> list[str]:
    """
    Have the edge's configuration made for its own ports, and return what runs it.
    """
    _, _, edge_api, edge = ports
    inside = {"8080": str(edge_api), "8081": str(edge)}
    attrs.evolve(stack, replaced={**stack.replaced, **inside}).run("edge-config")
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    words = SERVICES["edge"]["entrypoint"]
    assert words[:3] == ["tini", "--", "nginx"]
    return [nginx, *(w.replace("/edge/", f"{stack.folder}/edge/") for w in words[3:])]


@pytest.mark.long
# Its waits together; under load its start alone takes three minutes.
@pytest.mark.timeout(600)
def test_the_processes_of_the_compose_file_are_a_service(
    stack: Stack, ports: list[int], tmp_path: Path
) -> None:
    assert all(v.startswith(SECRETS_MOUNT) for v in _files(SERVICES["api"]))
    stack.run("migrate")
    key = first_key(stack)
    with _all_started(stack) as processes:
        for port in ports[:2]:
            until(lambda port=port: lives(port), within_s=180)
        with stack.started("edge-ingest", nginx_of(stack, ports)) as nginx:
            until(lambda: lives(ports[3]), within_s=20)
            clip = make_clip(tmp_path / "clip.mp4", seconds=8, size="640x360")

            uploaded = subprocess.run(
                [*HV, "upload", str(clip), "--wait", "--json"],
                env={
                    **stack.environ_of("edge"),
                    "HV_DATA": str(tmp_path / "client"),
                    "HV_API_URL": f"http://127.0.0.1:{ports[2]}",
                    "HV_API_KEY": key,
                },
                stdout=subprocess.PIPE,
                text=True,
                check=True,
                timeout=180,
            )

            video = json.loads(uploaded.stdout)
            assert video["status"] == "ready"
            assert f"127.0.0.1:{ports[3]}/" in video["playbackURL"]
            assert ffmpeg_complaints(video["playbackURL"]) == ""
            assert [n for n, p in processes.items() if p.poll() is not None] == []
            assert nginx.poll() is None

        for process in processes.values():
            process.terminate()
        grace = SECONDS.fullmatch(SERVICES["api"]["stop_grace_period"])
        assert grace is not None
        ended = {n: p.wait(timeout=int(grace[1])) for n, p in processes.items()}

    assert ended == dict.fromkeys(processes, 0)


def _files(service: Mapping[str, Any]) -> list[str]:
    environ = service["environment"]
    return [value for name, value in environ.items() if name.endswith("_FILE")]


@contextmanager
def _all_started(stack: Stack) -> Iterator[dict[str, Any]]:
    names = [
        (name, number)
        for name in RUN
        for number in range(SERVICES[name].get("deploy", {}).get("replicas", 1))
    ]
    with ExitStack() as running:
        yield {
            f"{name}-{number}": running.enter_context(
                stack.started(name, [*HV, *stack.command_of(name)])
            )
            for name, number in names
        }
