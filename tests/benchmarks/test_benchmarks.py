"""
The benchmarks start, read what wrk says, and see what must not be.
"""

import importlib
import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest

from tests.benchmarks import flusher
from tests.benchmarks.api import run as api
from tests.benchmarks.api.data import Filled
from tests.benchmarks.api.yardsticks import COLUMNS
from tests.benchmarks.delivery.deletes import CONNECTIONS, Doomed, end_all
from tests.benchmarks.delivery.load import read_load
from tests.benchmarks.delivery.servers import Server
from tests.support.live import request, until

FOLDER = Path(__file__).parent
BENCHMARKS = sorted(
    ".".join(file.relative_to(FOLDER).with_suffix("").parts)
    for file in FOLDER.rglob("*.py")
    if "ArgumentParser" in file.read_text() and not file.stem.startswith("test_")
)
SAID = """Running 5s test @ http://127.0.0.1:1
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     9.87ms    1.02ms  31.92ms   94.50%
    Req/Sec     6.42k   311.20     6.89k    88.00%
  Latency Distribution
     50%    9.68ms
     75%   10.05ms
     90%   10.64ms
     99%   {p99}
  {count} requests in {seconds}, 8.93GB read
Requests/sec:   6401.22
Transfer/sec:      1.79GB
"""


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_starts(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = importlib.import_module(f"tests.benchmarks.{name}")
    monkeypatch.setattr(sys, "argv", [name, "--help"])

    with pytest.raises(SystemExit) as ended:
        module.main()

    assert ended.value.code == 0
    assert "--" in capsys.readouterr().out


def test_the_flusher_is_compared_with_a_bare_loop(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["flusher", "--segments", "500"])

    flusher.main()

    assert "share" in capsys.readouterr().out


def test_what_the_api_is_compared_with_has_nothing_of_ours() -> None:
    look = (
        "import sys, tests.benchmarks.api.yardsticks\n"
        "print([name for name in sys.modules if name.startswith('hv')])"
    )

    done = subprocess.run(
        [sys.executable, "-c", look], check=True, capture_output=True, text=True
    )

    assert done.stdout.strip() == "[]"


def test_what_the_api_is_compared_with_answers(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "some.db")) as videos, videos:
        videos.execute(f"CREATE TABLE videos (org_id, env_id, {', '.join(COLUMNS)})")
        videos.executemany(
            "INSERT INTO videos (org_id, env_id, id, state, created_at) "
            "VALUES ('org_bench', 'env_1', ?, 'ready', ?)",
            [(f"vid_{number}", number) for number in range(30)],
        )
    filled = Filled(
        videos=30,
        environ={
            **os.environ,
            "HV_DATABASE__URL": f"sqlite:///{tmp_path}/some.db",
            "BENCH_ENV_ID": "env_1",
        },
        key="",
        video_ids=(),
    )

    with api.serving(
        ["-m", "tests.benchmarks.api.yardsticks"], filled, tmp_path / "log"
    ) as server:
        until(lambda: answers(f"{server.url}/hello"), within_s=60, what="hello")
        hello, hand = (
            request("GET", f"{server.url}/{name}") for name in ("hello", "hand")
        )

    assert json.loads(hello.data) == {"body": "hello"}
    listed = json.loads(hand.data)["body"]["videos"]
    assert [video["id"] for video in listed] == [f"vid_{29 - at}" for at in range(20)]


def answers(url: str) -> bool:
    try:
        return request("GET", url).status == 200
    except OSError:
        return False


@pytest.mark.parametrize(
    ("p99", "p99_ms"), [("13.22ms", 13.22), ("1.50s", 1500.0), ("800.00us", 0.8)]
)
def test_load_is_what_wrk_says_it_was(p99: str, p99_ms: float) -> None:
    said = SAID.format(p99=p99, count=32_000, seconds="5.00s")

    load = read_load(said, cpu_s=1.6)

    assert load is not None
    assert load.per_s == pytest.approx(6_400)
    assert load.cpu_us == pytest.approx(50)
    assert load.p99_ms == pytest.approx(p99_ms)


@pytest.mark.parametrize(
    "complaint",
    ["Non-2xx or 3xx responses: 3", "Socket errors: connect 0, read 9, write 0"],
)
def test_a_load_with_bad_answers_is_none(complaint: str) -> None:
    said = SAID.format(p99="13.22ms", count=32_000, seconds="5.00s")

    assert read_load(f"{said}  {complaint}\n", cpu_s=1.6) is None


@pytest.fixture
def deaf() -> Iterator[Server]:
    """
    A server that answers every request with 200, whatever was deleted.
    """
    with ThreadingHTTPServer(("127.0.0.1", 0), _Yes) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        port = int(server.server_address[1])
        yield Server(name="deaf", port=port, roots=[psutil.Process()])
        server.shutdown()
        thread.join()


class _Yes(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def do_DELETE(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """
        Keep quiet.
        """


def test_who_serves_what_was_deleted_is_found_out(deaf: Server) -> None:
    doomed = [Doomed(kind="deleted", ending="/v1/videos/a", paths=["/a", "/b"])]

    seen = end_all(deaf, [deaf], "a key", doomed)

    assert seen.late == {"deleted": seen.checked}
    assert seen.checked == 2 * CONNECTIONS
