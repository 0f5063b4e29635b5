"""
What fits into the kernel is counted before it is sent, and else taken back.
"""

import os
import select
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import attrs
import pytest

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId
from hvcore.domain.playback.viewer import Viewer
from hvcore.ports.counting import CountedSegment
from hvcore.services.counting.sessions import SessionNames, SessionNotes
from hvcore.services.counting.spooled_counter import SpooledCounter
from hvcore.spool import Spool, opened, spool_files
from hvcore.spool.tally import Noted
from hvcore_server.sending.pacing import Pace, TooShortError
from hvcore_server.sending.socket_writer import SocketWriter
from hvcore_server.sending.transfers import Transfer
from tests.conftest import SettableClock
from tests.server.file_loop.loop_site import LARGE_FILE, running_site
from tests.support.live import until
from tests.support.media_samples import VIDEO

HEAD = b"head"
SIZE = 300_000
LEAST_ROOM = 4608
"""What the kernel makes of any SO_SNDBUF that is smaller."""
PLACE = SegmentPlace(
    org_id=OrgId("org_a"), env_id=EnvId("env_1"), video_id=VIDEO, height_px=720
)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(10)
        client.connect(listener.getsockname())
        server, _ = listener.accept()
    server.settimeout(0.0)
    with server, client:
        yield server, client


@pytest.fixture
def counter(tmp_path: Path, clock: SettableClock) -> Iterator[SpooledCounter]:
    spool = Spool(tmp_path / "spool")
    sessions = SessionNotes(
        SessionNames("a secret of at least 32 characters"), most_of_one=100
    )
    yield SpooledCounter(spool=spool, sessions=sessions, clock=clock)
    spool.close()


def segment(folder: Path, size: int = SIZE) -> int:
    path = folder / "segment"
    path.write_bytes(bytes(range(250)) * (size // 250))
    return os.open(path, os.O_RDONLY)


def noted(folder: Path) -> Noted:
    (path,) = spool_files(folder / "spool")
    with opened(path) as file:
        chunk = file.read(0)
    assert chunk is not None
    return chunk.noted


def transfer_of(
    server: socket.socket,
    counter: SpooledCounter,
    file: int,
    segment: CountedSegment,
    size: int = SIZE,
) -> Transfer:
    def break_off() -> None:
        counter.ignore(PLACE, IgnoredReason.TOO_FEW_BYTES)

    return Transfer(
        SocketWriter(server),
        HEAD,
        pace=lambda: Pace(5),
        file=file,
        end=size,
        half_at=size // 2,
        segment=segment,
        when_broken_off=break_off,
    )


def finish(transfer: Transfer) -> None:
    while not transfer.go_on():
        pass


@attrs.define(eq=False)
class Interrupted(CountedSegment):
    """
    Has something happen before the file is sent.
    """

    between: Callable[[], None] = attrs.field(kw_only=True)

    def count(self) -> None:
        super().count()
        self.between()


def counting(counter: SpooledCounter, between: Callable[[], None]) -> CountedSegment:
    return Interrupted(counter, PLACE, None, Viewer(), between=between)


def test_a_segment_that_fits_is_counted_before_any_byte_leaves(
    ends: tuple[socket.socket, socket.socket], counter: SpooledCounter, tmp_path: Path
) -> None:
    server, client = ends

    def nothing_has_come() -> None:
        assert select.select([client], [], [], 0)[0] == []

    transfer = transfer_of(
        server, counter, segment(tmp_path), counting(counter, nothing_has_come)
    )
    assert transfer.go_on()
    transfer.close()

    assert [count.segments for count in noted(tmp_path).counts] == [1]
    assert noted(tmp_path).ignored == ()


def make_short(server: socket.socket) -> Callable[[], None]:
    """
    Return what takes away the room that was there a moment before.
    """

    def lower() -> None:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LEAST_ROOM)

    return lower


def test_a_segment_that_did_not_fit_after_all_goes_on_and_counts_once(
    ends: tuple[socket.socket, socket.socket], counter: SpooledCounter, tmp_path: Path
) -> None:
    server, client = ends
    transfer = transfer_of(
        server, counter, segment(tmp_path), counting(counter, make_short(server))
    )
    got, rounds = bytearray(), 1
    while not transfer.go_on():
        rounds += 1
        got += client.recv(65_536)
    transfer.close()
    server.close()
    while data := client.recv(65_536):
        got += data

    assert rounds > 1
    assert got == HEAD + bytes(range(250)) * (SIZE // 250)
    assert [count.segments for count in noted(tmp_path).counts] == [1]
    assert noted(tmp_path).ignored == ()


@pytest.mark.parametrize("how", ["leaves", "is too slow"])
def test_a_client_that_leaves_a_segment_that_did_not_fit_is_not_counted(
    ends: tuple[socket.socket, socket.socket],
    counter: SpooledCounter,
    tmp_path: Path,
    how: str,
) -> None:
    server, client = ends
    transfer = transfer_of(
        server, counter, segment(tmp_path), counting(counter, make_short(server))
    )
    assert not transfer.go_on()
    assert [count.segments for count in noted(tmp_path).counts] == [1]
    if how == "leaves":
        client.close()

        def has_ended() -> bool:
            try:
                transfer.go_on()
            except OSError:
                return True
            return False

        until(has_ended, within_s=10)
    transfer.close()
    transfer.close()

    assert noted(tmp_path).counts == noted(tmp_path).minutes == ()
    (ignored,) = noted(tmp_path).ignored
    assert (ignored.place.reason, ignored.requests) == (IgnoredReason.TOO_FEW_BYTES, 1)


def test_a_client_gone_before_the_sending_is_not_counted(
    ends: tuple[socket.socket, socket.socket], counter: SpooledCounter, tmp_path: Path
) -> None:
    server, client = ends

    def leave() -> None:
        # With what it has not read, an end is a reset.
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.close()

    server.send(b"of an answer before")
    transfer = transfer_of(server, counter, segment(tmp_path), counting(counter, leave))
    with pytest.raises(OSError, match=r"reset|pipe"):
        transfer.go_on()
    transfer.close()

    assert noted(tmp_path).counts == ()


def test_a_file_that_became_shorter_than_its_half_is_not_counted(
    ends: tuple[socket.socket, socket.socket], counter: SpooledCounter, tmp_path: Path
) -> None:
    server, _ = ends
    file = segment(tmp_path, SIZE // 2)
    transfer = transfer_of(server, counter, file, counting(counter, lambda: None))
    with pytest.raises(TooShortError):
        finish(transfer)
    transfer.close()

    assert noted(tmp_path).counts == ()


def test_a_segment_that_does_not_fit_counts_once_when_its_half_was_taken(
    ends: tuple[socket.socket, socket.socket], counter: SpooledCounter, tmp_path: Path
) -> None:
    server, client = ends
    size = 12_000_000
    begun: list[int] = []
    counted = counting(counter, lambda: begun.append(left))
    file = segment(tmp_path, size)
    transfer = transfer_of(server, counter, file, counted, size=size)
    left = len(HEAD) + size
    while not transfer.go_on():
        # As the loop does, which sleeps until there is much room.
        while not select.select([], [server], [], 0)[1]:
            left -= len(client.recv(65_536))
    transfer.close()

    assert [count.segments for count in noted(tmp_path).counts] == [1]
    (unread,) = begun
    # Most of the first half was read, and nothing of the second one.
    assert size // 2 <= unread < size
    while left:
        left -= len(client.recv(65_536))


def read_steadily(sock: socket.socket, process: subprocess.Popen[bytes]) -> None:
    with suppress(ConnectionResetError):
        while sock.recv(2048):
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.05)


def test_a_segment_broken_off_by_the_end_of_the_process_is_noted(
    tmp_path: Path,
) -> None:
    """
    Who reads steadily has some seconds when it is stopped, and not minutes.
    """
    with running_site(tmp_path) as site:
        with site.connect(buffer_bytes=4096) as sock:
            sock.sendall(site.head(LARGE_FILE))
            assert sock.recv(1)
            site.process.send_signal(signal.SIGTERM)
            read_steadily(sock, site.process)

        assert site.process.wait(timeout=10) == 0
        assert site.counted() == 0
        assert [one.place.reason for one in noted(tmp_path).ignored] == [
            IgnoredReason.TOO_FEW_BYTES
        ]
