"""
What it costs to take files in, beside nginx's dav module.

In one run and in turn: a PUT to nginx, whose file is then synced to the disk by this
process, because nginx does not; a PUT to ``hv delivery``, a PATCH of a resumable
upload, and one with a checksum, which both sync before they answer. What is compared
is the processor time of the servers, user and system; that of the sync belongs to
nginx's. The checksum itself is what OpenSSL takes for SHA-1, and has no yardstick.

Run: ``python -m tests.benchmarks.uploads [--quick] [--rounds N] [--megabytes N]``; it
needs nginx with its dav module (``apt install nginx-light``) and twice the size on
the disk.
"""

import argparse
import base64
import hashlib
import os
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import psutil

from hvcore.assembly import Services
from hvcore.domain.access.tenants import Environment
from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.video import VideoWanted
from tests.benchmarks.delivery.data import environ_of
from tests.benchmarks.delivery.servers import Server, ended_later, running_delivery
from tests.support.live import free_ports, until
from tests.support.servers import redis_server
from tests.support.stores.published import migrate, new_tenant, services_of

GOAL: Final = 1.5
"""Of nginx's processor time, at most."""
NGINX, PUT, PATCH, CHECKED = "nginx dav", "PUT", "PATCH", "PATCH, SHA-1"
MEGABYTE: Final = 1_000_000
BLOCK: Final = bytes(range(256)) * 4096
QUICK_MEGABYTES: Final = 50
STARTS_WITHIN_S: Final = 20
ANSWERS_WITHIN_S: Final = 300
CONFIG: Final = """
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log crit;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_max_body_size 0;
    # On the disk of the files, so that a body is moved and not copied.
    client_body_temp_path {folder}/body;
    # Fewer calls than with the usual 16 KiB.
    client_body_buffer_size 256k;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {folder}/www;
        dav_methods PUT;
    }}
}}
"""


def send(
    port: int, method: str, path: str, headers: Mapping[str, str], size_bytes: int
) -> None:
    """
    Send a body to a server of this machine.

    Raises:
        SystemExit: It is not taken.
    """
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {size_bytes}", "Connection: close", "", ""]
    with socket.create_connection(("127.0.0.1", port), ANSWERS_WITHIN_S) as sock:
        sock.sendall("\r\n".join(lines).encode())
        for start in range(0, size_bytes, len(BLOCK)):
            sock.sendall(memoryview(BLOCK)[: size_bytes - start])
        with closing(sock.makefile("rb")) as answer:
            status = answer.readline().split()[1:2]
    if status not in ([b"200"], [b"201"], [b"204"]):
        raise SystemExit(f"{method}: {status}")


def synced_cpu_s(file: Path) -> float:
    """
    Bring a file to the disk; return the processor time that this took.
    """
    with file.open("rb") as opened:
        before_s = time.process_time()
        os.fsync(opened.fileno())
        return time.process_time() - before_s


@contextmanager
def running_dav(folder: Path) -> Iterator[Server]:
    """
    Run an nginx that takes files.
    """
    port = free_ports()
    (folder / "www").mkdir(parents=True)
    # Root's own workers would be nobody, who may not write there.
    user = "user root;" if os.geteuid() == 0 else ""
    config = folder / "nginx.conf"
    config.write_text(CONFIG.format(folder=folder, port=port, user=user))
    command = ["nginx", "-p", str(folder), "-c", str(config), "-e", "stderr"]
    process = subprocess.Popen(command)
    with ended_later(process):
        until(lambda: _listens(port), within_s=STARTS_WITHIN_S, what=NGINX)
        yield Server(name=NGINX, port=port, roots=[psutil.Process(process.pid)])


def _listens(port: int) -> bool:
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


class Bench:
    """
    Everything that takes files, and the files that are sent.
    """

    def __init__(
        self,
        folder: Path,
        services: Services,
        env: Environment,
        servers: tuple[Server, Server],
        size_bytes: int,
    ) -> None:
        self._www = folder / "www"
        self._services = services
        self._env = env
        self._nginx, self._ours = servers
        self._size_bytes = size_bytes
        whole = hashlib.sha1(usedforsecurity=False)
        for start in range(0, size_bytes, len(BLOCK)):
            whole.update(BLOCK[: size_bytes - start])
        self._digest = base64.b64encode(whole.digest()).decode()

    def to_nginx(self) -> float:
        """
        Return the processor time of a PUT to nginx, and of bringing it to the disk.
        """
        before_s = self._nginx.cpu_s()
        send(self._nginx.port, "PUT", "/file", {}, self._size_bytes)
        file = self._www / "file"
        cpu_s = synced_cpu_s(file) + self._nginx.cpu_s() - before_s
        file.unlink()
        return cpu_s

    def put(self) -> float:
        """
        Return that of a PUT to a signed address.
        """
        granted = self._services.uploads.grant(self._env, self._wanted())
        return self._sent("PUT", granted.signed_url, {"Content-Type": "video/mp4"})

    def patch(self) -> float:
        """
        Return that of a PATCH of a resumable upload.
        """
        return self._patched({})

    def patch_checked(self) -> float:
        """
        Return that of one with a checksum.
        """
        return self._patched({"Upload-Checksum": f"sha1 {self._digest}"})

    def _patched(self, further: Mapping[str, str]) -> float:
        granted = self._services.resumable.create(
            self._env,
            self._wanted(tus_metadata="filename YQ=="),
            VideoWanted(
                settings=EncodingSettings(preset=Preset.STANDARD), is_public=False
            ),
        )
        headers = {
            "Content-Type": "application/offset+octet-stream",
            "Tus-Resumable": "1.0.0",
            "Upload-Offset": "0",
            **further,
        }
        return self._sent("PATCH", granted.signed_url, headers)

    def _sent(self, method: str, url: str, headers: Mapping[str, str]) -> float:
        address = urlsplit(url)
        path = f"{address.path}?{address.query}"
        before_s = self._ours.cpu_s()
        send(self._ours.port, method, path, headers, self._size_bytes)
        cpu_s = self._ours.cpu_s() - before_s
        self._services.storage.delete_tree("uploads")
        return cpu_s

    def _wanted(self, tus_metadata: str | None = None) -> FileWanted:
        return FileWanted(
            file_name="a.mp4",
            content_type="video/mp4",
            size_bytes=self._size_bytes,
            tus_metadata=tus_metadata,
        )


def report(found: Mapping[str, Sequence[float]], megabytes: int) -> None:
    """
    Print a line for each: medians, and median ratios round by round.
    """
    print(f"\n{megabytes:,} MB{'':6}{'CPU s':>10}{'of nginx':>10}")
    for name, taken_s in found.items():
        ratios = [
            mine / max(nginx, 0.01)
            for mine, nginx in zip(taken_s, found[NGINX], strict=True)
        ]
        goal = f"   goal: {GOAL}" if name in {PUT, PATCH} else ""
        print(
            f"{name:14}{statistics.median(taken_s):10.2f}"
            f"{statistics.median(ratios):10.2f}{goal}",
            flush=True,
        )


def run(wanted: argparse.Namespace, folder: Path, stack: ExitStack) -> None:
    """
    Send files and measure.
    """
    redis = stack.enter_context(redis_server())
    environ = environ_of(folder / "data", database="", redis=redis.url)
    migrate(environ)
    services = stack.enter_context(services_of(environ))
    servers = (
        stack.enter_context(running_dav(folder / "nginx")),
        stack.enter_context(running_delivery(environ, folder / "log")),
    )
    bench = Bench(
        folder / "nginx",
        services,
        new_tenant(services),
        servers,
        wanted.megabytes * MEGABYTE,
    )
    ways: Mapping[str, Callable[[], float]] = {
        NGINX: bench.to_nginx,
        PUT: bench.put,
        PATCH: bench.patch,
        CHECKED: bench.patch_checked,
    }
    found: dict[str, list[float]] = defaultdict(list)
    for number in range(wanted.rounds):
        for name in list(ways)[:: -1 if number % 2 else 1]:
            found[name].append(ways[name]())
    report({name: found[name] for name in ways}, wanted.megabytes)


def main() -> None:
    """
    Measure and print.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only to see it work")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=1_000)
    wanted = parser.parse_args()
    if wanted.quick:
        wanted.rounds, wanted.megabytes = 1, QUICK_MEGABYTES
    if shutil.which("nginx") is None:
        raise SystemExit("nginx is missing; fix: apt install nginx-light")
    print(f"{os.cpu_count()} cores", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="hv-bench-") as folder,
        ExitStack() as stack,
    ):
        run(wanted, Path(folder), stack)


if __name__ == "__main__":
    main()
