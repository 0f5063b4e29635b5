"""
The balancers of the page about several hosts send each upload to one host.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final

import pytest

from tests.support.live import free_ports, request, until

PAGE: Final = (
    Path(__file__).parents[3] / "docs" / "how-to" / "several-hosts.md"
).read_text(encoding="utf-8")
HOSTS: Final = ("10.0.0.5:8081", "10.0.0.6:8081")


def shown(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@contextmanager
def host(name: str) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("X-Host", name)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_PATCH = do_GET  # noqa: N815 - the library's names

        def log_message(self, *_: object) -> None:
            """
            Log nothing.
            """

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


def nginx_command(text: str, folder: Path) -> list[str]:
    config = folder / "nginx.conf"
    temps = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{temps}{text}}}\n"
    )
    return [program("nginx"), "-c", str(config)]


def haproxy_command(text: str, folder: Path) -> list[str]:
    config = folder / "haproxy.cfg"
    config.write_text(
        "defaults\n    mode http\n    timeout connect 2s\n    timeout client 10s\n"
        f"    timeout server 10s\n{text}"
    )
    return [program("haproxy"), "-db", "-f", str(config)]


def program(name: str) -> str:
    return shutil.which(name) or f"/usr/sbin/{name}"


@pytest.mark.parametrize(
    ("language", "command"), [("nginx", nginx_command), ("haproxy", haproxy_command)]
)
def test_all_requests_of_an_upload_reach_one_host(
    language: str, command: Callable[[str, Path], list[str]], tmp_path: Path
) -> None:
    with ExitStack() as ends:
        port, text = free_ports(), shown(language)
        for name in HOSTS:
            assert name in text
            text = text.replace(name, f"127.0.0.1:{ends.enter_context(host(name))}")
        text = text.replace("listen 443;", f"listen 127.0.0.1:{port};")
        text = text.replace("bind :443", f"bind 127.0.0.1:{port}")
        process = subprocess.Popen(
            command(text, tmp_path),
            env={"PATH": os.environ["PATH"]},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        ends.callback(process.wait)
        ends.callback(process.terminate)

        def reached(method: str, path: str) -> str:
            try:
                answer = request(method, f"http://127.0.0.1:{port}{path}")
            except OSError:
                return ""
            # HAProxy writes all names in small letters.
            named = {name.lower(): value for name, value in answer.headers.items()}
            return named.get("x-host", "")

        until(lambda: reached("GET", "/uploads/up"), within_s=20, what=language)
        chosen = {
            f"/uploads/{number}": {
                reached(method, f"/uploads/{number}{query}")
                for method in ("HEAD", "PATCH", "GET")
                for query in ("", "?signature=1", f"?signature={number}")
            }
            for number in range(20)
        }

    assert {len(hosts) for hosts in chosen.values()} == {1}
    assert set().union(*chosen.values()) == set(HOSTS)
