"""
Servers of apps are noted, and asked whether they are ready.
"""

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from hvcore.metrics.measuring import folder_of, forget_all
from hvcore.settings import Settings, load
from hvcore_cli.processes import served_apps as serving
from hvcore_cli.processes.metrics.listener import MetricsPage
from hvcore_cli.processes.served_apps import ServedApp, is_ready, noted_app, served_apps


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    environ = {
        "HV_METRICS__LISTEN": "9464",
        "HV_QUEUE__BACKEND": "sql",
        "HV_DATABASE__URL": "sqlite:////dev/null/records.sqlite3",
    }
    made = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    folder_of(tmp_path).mkdir(parents=True)
    return made


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    # At every address, as in a container; nobody answers.
    with socket.create_server(("0.0.0.0", 0)) as bound:  # noqa: S104 - see above
        yield bound


@contextmanager
def answering(status: int) -> Iterator[tuple[socket.socket, list[str]]]:
    asked: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.socket, asked
        finally:
            server.shutdown()
            thread.join()


def app_at(listener: socket.socket) -> ServedApp:
    return ServedApp(
        name="api", address=f"http://127.0.0.1:{listener.getsockname()[1]}"
    )


def test_a_server_is_noted_while_it_serves(
    settings: Settings, listener: socket.socket
) -> None:
    folder = folder_of(settings.data_dir)

    with noted_app(settings, "api", listener.fileno()):
        assert served_apps(folder) == [app_at(listener)]

    assert served_apps(folder) == []
    assert listener.getsockname()


def test_a_fork_of_a_server_that_ends_leaves_the_note(
    settings: Settings, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    with noted_app(settings, "api", listener.fileno()):
        monkeypatch.setattr(os, "getpid", lambda: -1)

    assert served_apps(folder_of(settings.data_dir)) == [app_at(listener)]


def test_the_note_of_a_killed_server_stays_until_its_app_is_started_again(
    settings: Settings, listener: socket.socket
) -> None:
    folder = folder_of(settings.data_dir)
    with subprocess.Popen(["true"]) as ended:
        pass
    killed = ServedApp(name="api", address="http://127.0.0.1:9")
    (folder / "api-9.app").write_text(f"{ended.pid} {killed.address}")
    (folder / "delivery-8.app").write_text(f"{ended.pid} http://127.0.0.1:8")
    assert killed in served_apps(folder)

    with noted_app(settings, "api", listener.fileno()):
        found = [one for one in served_apps(folder) if one.name == "api"]

    assert found == [app_at(listener)]
    assert [one.name for one in served_apps(folder)] == ["delivery"]
    forget_all(folder)
    assert served_apps(folder) == []


@pytest.mark.parametrize(("status", "ready"), [(200, True), (503, False)])
def test_an_app_is_as_ready_as_its_server_says(*, status: int, ready: bool) -> None:
    with answering(status) as (server, asked):
        assert is_ready(app_at(server)) is ready

    assert asked == ["/health/ready"]


def test_a_server_that_hangs_or_is_gone_is_not_ready(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "ANSWERS_WITHIN_S", 0.05)
    app = app_at(listener)

    assert not is_ready(app)

    listener.close()
    assert not is_ready(app)


def test_the_metrics_say_which_apps_are_ready(
    settings: Settings, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "ANSWERS_WITHIN_S", 0.05)
    page = MetricsPage(settings)
    with (
        answering(200) as (server, _),
        noted_app(settings, "api", server.fileno()),
        noted_app(settings, "delivery", listener.fileno()),
    ):
        told = page.text().decode()

    assert 'hv_ready{app="api"} 1.0' in told
    assert 'hv_ready{app="delivery"} 0.0' in told
    assert "hv_ready{" not in page.text().decode()
