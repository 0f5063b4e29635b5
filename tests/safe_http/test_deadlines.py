"""
Conversations over sockets that have a deadline in all.
"""

import socket
import threading
from collections.abc import Iterator

import pytest

from hvcore.errors import UnavailableError
from hvcore.safe_http.deadlines import SocketDeadline
from tests.support.full_machine import full_machine
from tests.support.network.silent_addresses import names_lead_to, silent_addresses


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def test_a_deadline_that_nobody_can_watch_is_an_outage() -> None:
    with (
        full_machine(),
        pytest.raises(UnavailableError, match="no thread"),
        SocketDeadline(10),
    ):
        pass


def test_a_silent_address_leaves_some_time_to_the_next(
    listening: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = listening.getsockname()[1]
    with silent_addresses(1, port) as silent, SocketDeadline(1) as deadline:
        names_lead_to([*silent, "127.0.0.1"], monkeypatch)

        with deadline.connect("cache.test", port, step_s=10) as made:
            assert made.getpeername() == ("127.0.0.1", port)
            assert not deadline.has_passed


def test_a_name_that_takes_too_long_is_given_up_at_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: is_over.wait(30) and [])

    with SocketDeadline(0.1) as deadline, pytest.raises(TimeoutError):
        deadline.connect("cache.test", 80, step_s=10)

    assert deadline.has_passed
    is_over.set()
