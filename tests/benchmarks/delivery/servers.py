"""
The servers that are compared: ours, ours that counts by turns, and nginx.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs
import psutil

from hvcore_server.listening import listen
from tests.benchmarks.processor_time import cpu_s
from tests.support.live import free_ports, request, until

PLAIN: Final = "nginx"
EMBEDDED: Final = "hv delivery"
SPOOL: Final = "HV_ANALYTICS__SPOOL_DIR"
STARTS_WITHIN_S: Final = 60
ENDS_WITHIN_S: Final = 20
NGINX: Final = """
daemon off;
{user}
worker_processes {workers};
worker_rlimit_nofile 16384;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log crit;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    # All files of the measurement stay open, as an operator would have those that are
    # asked for again and again. They never change, so they are seldom looked at again.
    open_file_cache max=4096 inactive=60s;
    open_file_cache_valid 60s;
    # wrk's connections stay for the whole run, as they do with ours.
    keepalive_requests 100000000;
    types {{ video/mp4 m4s; application/vnd.apple.mpegurl m3u8; }}
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {www};
    }}
}}
"""
"""Files as they are, as quick as nginx can: what everything else is compared with."""


@attrs.frozen(kw_only=True)
class Server:
    """
    A running server.

    Attributes:
        serves_plain: Plain files, and no tokens.
        roots: Its processes that answer; their children belong to it as well.
        beside: Others that work for it, by the clock or on what was done before.
    """

    name: str
    port: int
    roots: Sequence[psutil.Process]
    beside: Sequence[psutil.Process] = ()
    serves_plain: bool = False

    @property
    def url(self) -> str:
        """
        Its address.
        """
        return f"http://127.0.0.1:{self.port}"

    def cpu_s(self) -> float:
        """
        Return the user and system time of all of its processes so far.
        """
        return self.answering_s() + self.beside_s()

    def answering_s(self) -> float:
        """
        Return that of the processes that answer.
        """
        return cpu_s(_family(self.roots))

    def beside_s(self) -> float:
        """
        Return that of those beside them.
        """
        return cpu_s(_family(self.beside))

    def rss_bytes(self) -> int:
        """
        Return the memory that its processes have in use, each for itself.
        """
        return sum(
            process.memory_info().rss
            for process in _family([*self.roots, *self.beside])
        )


def _family(roots: Sequence[psutil.Process]) -> Iterator[psutil.Process]:
    for root in roots:
        yield root
        yield from root.children(recursive=True)


@contextmanager
def running_delivery(
    environ: Mapping[str, str], log: Path, *, workers: int = 1
) -> Iterator[Server]:
    """
    Run ``hv delivery``.
    """
    words = ["hvcore_cli", "delivery", "--workers", str(workers)]
    with _on_a_port(words, _apart(environ), log) as (process, port):
        yield _answering(EMBEDDED, port, process, path="/health/live")


@contextmanager
def running_switched(
    environ: Mapping[str, str], log: Path, turns: Path, *, workers: int = 1
) -> Iterator[Server]:
    """
    Run ``hv delivery`` that counts by turns, which it writes down.
    """
    module = "tests.benchmarks.delivery.switched"
    words = [module, str(turns), "--workers", str(workers)]
    with _on_a_port(words, _apart(environ), log) as (process, port):
        yield _answering(EMBEDDED, port, process, path="/health/live")


def _apart(environ: Mapping[str, str]) -> Mapping[str, str]:
    """
    Give a server a spool of its own, or another one might bring its counts to the
    sinks, and have the cost.
    """
    return {**environ, SPOOL: tempfile.mkdtemp(dir=environ["HV_DATA"])}


@contextmanager
def running_api(environ: Mapping[str, str], log: Path) -> Iterator[Server]:
    """
    Run ``hv api``.
    """
    with _on_a_port(["hvcore_cli", "api"], environ, log) as (process, port):
        yield _answering("hv api", port, process, path="/health/live")


@contextmanager
def running_nginx(folder: Path, www: Path, *, workers: int = 1) -> Iterator[Server]:
    """
    Run an nginx that serves the files of a folder.
    """
    port = free_ports()
    # Root's own workers would be nobody, who may not read the folder.
    user = "user root;" if os.geteuid() == 0 else ""
    config = folder / "nginx.conf"
    text = NGINX.format(folder=folder, www=www, port=port, workers=workers, user=user)
    config.write_text(text)
    command = ["nginx", "-p", str(folder), "-c", str(config), "-e", "stderr"]
    process = subprocess.Popen(command)
    with ended_later(process):
        yield _answering(PLAIN, port, process, path="/", is_plain=True)


@contextmanager
def ended_later(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """
    Have a process end when the block does.
    """
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def _on_a_port(
    words: Sequence[str], environ: Mapping[str, str], log: Path
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    with listen("127.0.0.1", 0) as sock, log.open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", *words, "--fd", str(sock.fileno())],
            env=dict(environ),
            pass_fds=[sock.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
        with ended_later(process):
            yield process, int(sock.getsockname()[1])


def _answering(
    name: str,
    port: int,
    process: subprocess.Popen[bytes],
    *,
    path: str,
    is_plain: bool = False,
) -> Server:
    made = Server(
        name=name,
        port=port,
        roots=[psutil.Process(process.pid)],
        serves_plain=is_plain,
    )
    until(_answers(f"{made.url}{path}"), within_s=STARTS_WITHIN_S, what=name)
    return made


def _answers(url: str) -> Callable[[], bool]:
    def answers() -> bool:
        try:
            return request("GET", url).status < 500
        except OSError:
            return False

    return answers
