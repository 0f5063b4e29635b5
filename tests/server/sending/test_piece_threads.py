"""
Answers that are made piece by piece, while no thread stays with their readers.
"""

import http.client
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from types import SimpleNamespace
from typing import Any

import attrs
import pytest

from hvcore.errors import UnavailableError
from hvcore_server.listening import listen
from hvcore_server.sending.piece_threads import (
    MAX_PIECES_OF_ONE_BYTES,
    PIECE_BYTES,
    SMALL_PIECE_BYTES,
    THREADS_OF_ONE,
    MadePiece,
    PieceThreads,
    begin_in_pieces,
)
from hvcore_server.sending.unsent_answer import UnsentAnswer, make_room
from hvcore_web.body_in_pieces import BodyInPieces
from tests.server.quick_server import GRACE_S, THREADS, content
from tests.server.test_deadlines import Server, head, read

pytestmark = pytest.mark.matrix

SIZE = 8 * 1024 * 1024 + 5


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with listen("127.0.0.1", 0) as listener, (folder / "log").open("wb") as log:
        fd = listener.fileno()
        words = ["-m", "tests.server.quick_server", "TransferWorker"]
        process = subprocess.Popen(
            [sys.executable, *words, str(folder), str(fd)],
            pass_fds=[fd],
            stdout=log,
            stderr=log,
        )
        try:
            yield Server(listener.getsockname()[1], folder, is_for_files=True)
        finally:
            process.terminate()
            process.wait(timeout=15)


def test_readers_who_take_nothing_hold_no_thread(server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(8 * THREADS):
            sock = stack.enter_context(server.connect(buffer_bytes=4096))
            sock.sendall(head("GET", f"/pieces?size={SIZE}"))
            assert sock.recv(1)
        started = time.monotonic()

        assert server.answer(head("GET", "/json"))[1] == b"here"

        assert time.monotonic() - started < GRACE_S / 2


@pytest.mark.parametrize("size", [1, SMALL_PIECE_BYTES, SMALL_PIECE_BYTES + 1, SIZE])
def test_all_parts_come_and_the_connection_is_kept(server: Server, size: int) -> None:
    with server.connect() as sock:
        for _ in range(2):
            sock.sendall(head("GET", f"/pieces?size={size}"))
            response, body = read(sock)
            assert body == content(0, size)
            assert response.headers["Connection"] == "keep-alive"


def test_a_steady_reader_gets_the_whole_answer(server: Server) -> None:
    pause = threading.Event()
    got = bytearray()
    started = time.monotonic()
    with server.connect(buffer_bytes=64 * 1024) as sock:
        sock.sendall(head("GET", f"/pieces?size={SIZE}", "Connection: close"))
        while more := sock.recv(256 * 1024):
            got += more
            pause.wait(GRACE_S / 30)

    assert time.monotonic() - started > GRACE_S
    assert bytes(got).endswith(content(0, SIZE))


def test_a_part_that_cannot_be_made_breaks_the_answer_off(server: Server) -> None:
    with server.connect() as sock:
        sock.sendall(head("GET", f"/pieces?size={SIZE}&gone={SIZE // 2}"))
        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            read(sock)

    assert "its next piece could not be made" in server.log()
    assert "Traceback" not in server.log()
    assert server.answer(head("GET", "/json"))[1] == b"here"


def environ_of(unsent: UnsentAnswer | None) -> dict[str, Any]:
    return {"gunicorn.socket": SimpleNamespace(unsent=unsent)}


def body_of(size: int) -> BodyInPieces:
    return BodyInPieces(content, 0, size)


def test_the_thread_of_the_request_makes_the_first_piece() -> None:
    unsent = UnsentAnswer("a", make_room())
    app = begin_in_pieces(lambda *_: body_of(SIZE))

    begun = app(environ_of(unsent), None)

    assert begun == [content(0, SMALL_PIECE_BYTES)]
    assert unsent.further is not None
    assert unsent.further.left_bytes == SIZE - SMALL_PIECE_BYTES


def test_middleware_around_a_body_gets_all_of_it() -> None:
    unsent = UnsentAnswer("a", make_room())

    def around(*_: object) -> Iterable[bytes]:
        return (piece.swapcase() for piece in body_of(SIZE))

    begun = begin_in_pieces(around)(environ_of(unsent), None)

    assert b"".join(begun) == content(0, SIZE)
    assert unsent.further is None


def test_a_server_that_leaves_nothing_to_others_gets_all_of_it() -> None:
    begun = begin_in_pieces(lambda *_: body_of(SIZE))(environ_of(None), None)

    assert b"".join(begun) == content(0, SIZE)


@attrs.define
class MainThread:
    """
    Runs what was deferred to it, when it is told to.
    """

    calls: "queue.SimpleQueue[Callable[[], None]]" = attrs.field(
        factory=queue.SimpleQueue
    )

    def defer(self, call: Callable[..., None], *args: object) -> None:
        self.calls.put(partial(call, *args))

    def run(self, times: int) -> None:
        for _ in range(times):
            self.calls.get(timeout=10)()


def test_a_client_without_room_left_gets_small_pieces() -> None:
    main, made = MainThread(), list[MadePiece]()
    threads = PieceThreads(main.defer)
    full = MAX_PIECES_OF_ONE_BYTES // PIECE_BYTES
    with closing(threads):
        for _ in range(full + 1):
            threads.ask("a", body_of(SIZE), made.append)
        threads.ask("b", body_of(SIZE), made.append)
        main.run(full + 2)

        assert sorted(len(piece.data) for piece in made) == [
            SMALL_PIECE_BYTES,
            *(PIECE_BYTES for _ in range(full + 1)),
        ]
        for piece in made:
            piece.free()
            piece.free()
        threads.ask("a", body_of(SIZE), made.append)
        main.run(1)

    assert len(made[-1].data) == PIECE_BYTES


@attrs.frozen
class Stuck:
    released: threading.Event
    left_bytes: int = 1

    def make_piece(self, most_bytes: int) -> bytes:
        self.released.wait()
        return bytes(most_bytes)


def test_a_client_whose_parts_take_long_leaves_threads_to_others() -> None:
    main, made, released = MainThread(), list[MadePiece](), threading.Event()
    threads = PieceThreads(main.defer)
    with closing(threads):
        for _ in range(3 * THREADS_OF_ONE):
            threads.ask("a", Stuck(released), made.append)
        threads.ask("b", body_of(10), made.append)
        main.run(1)
        assert [piece.data for piece in made] == [content(0, 10)]

        released.set()
        main.run(3 * THREADS_OF_ONE)

    assert len(made) == 1 + 3 * THREADS_OF_ONE


@attrs.frozen
class Failing:
    error: Exception
    left_bytes: int = 1

    def make_piece(self, _most_bytes: int) -> bytes:
        raise self.error


@pytest.mark.parametrize(
    ("error", "is_traced"),
    [(ZeroDivisionError(), True), (UnavailableError("The disk is away."), False)],
)
def test_a_bug_in_a_piece_is_logged_with_its_traceback(
    caplog: pytest.LogCaptureFixture, *, error: Exception, is_traced: bool
) -> None:
    main, made = MainThread(), list[MadePiece]()
    threads = PieceThreads(main.defer)
    with closing(threads):
        threads.ask("a", Failing(error), made.append)
        main.run(1)

    assert [piece.data for piece in made] == [b""]
    assert ("in make_piece" in caplog.text) is is_traced
