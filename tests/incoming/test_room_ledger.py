"""
Room on the disk is shared by those who use it.
"""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import attrs
import pytest

from hvcore.errors import UnavailableError
from hvcore.incoming import disk_space
from hvcore.incoming.disk_space import (
    CHECK_EVERY_BYTES,
    CHECK_EVERY_S,
    RETRY_AFTER_S,
    DiskReservation,
    DiskReservations,
)
from hvcore.incoming.room_ledger import (
    FORGOTTEN_AFTER_S,
    LAPSES_AFTER_S,
    Claim,
    DiskShares,
    RoomEntries,
    RoomLedger,
)
from hvcore.throttling.shares import REFUSALS

GB = 10**9
ROOM = 7 * GB
LARGE = 5 * GB


@attrs.define
class Machine:
    """
    A disk, a clock, and the processes that take uploads in.
    """

    folder: Path
    free: int = 0
    total: int = 1
    now_s: float = 1000.0

    def process(self) -> DiskReservations:
        """
        Return what another process of the machine has for its uploads.
        """
        return DiskReservations(
            ledger=RoomLedger(self.folder / "room.json"),
            most_of_one_percent=50,
            elapsed_s=lambda: self.now_s,
        )

    def send(self, reserved: DiskReservation, so_far: int, more: int) -> int:
        """
        Let bytes come in, and a second pass.
        """
        self.free -= more
        self.now_s += CHECK_EVERY_S
        reserved.received(so_far + more)
        return so_far + more

    def claims(self) -> list[str]:
        """
        Return who has something in the ledger.
        """
        found = json.loads((self.folder / "room.json").read_text())["claims"]
        return sorted(claim["client"] for claim in found.values())


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path, free=disk_space.FREE_RESERVE_BYTES + ROOM)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: made)
    return made


@pytest.fixture
def held() -> Iterator[ExitStack]:
    """
    Uploads that go on until the end of a test.
    """
    with ExitStack() as stack:
        yield stack


def begin(
    held: ExitStack,
    machine: Machine,
    process: DiskReservations,
    length: int | None,
    client: str,
) -> DiskReservation:
    return held.enter_context(process.reserve(machine.folder, length, client=client))


def test_an_announced_upload_that_is_not_sent_keeps_nobody_out(
    machine: Machine, held: ExitStack
) -> None:
    process = machine.process()
    for _ in range(4):
        begin(held, machine, process, LARGE, "mallory")

    upload = begin(held, machine, process, LARGE, "alice")

    machine.now_s += 3600
    upload.received(1)
    begin(held, machine, process, LARGE, "bob")


def test_a_trickling_sender_keeps_nobody_out(machine: Machine, held: ExitStack) -> None:
    process = machine.process()
    uploads = [begin(held, machine, process, LARGE, "mallory") for _ in range(4)]
    for second in range(30):
        for upload in uploads:
            machine.send(upload, second * 100, 100)

    begin(held, machine, process, LARGE, "alice")


def test_a_fast_sender_has_room_for_the_whole_file(
    machine: Machine, held: ExitStack
) -> None:
    process = machine.process()
    upload = begin(held, machine, process, 3 * GB, "alice")
    machine.send(upload, 0, 10**7)

    with pytest.raises(UnavailableError, match="no room"):
        begin(held, machine, process, LARGE, "bob")


def test_a_claim_lapses_when_nothing_comes_any_more(
    machine: Machine, held: ExitStack
) -> None:
    process = machine.process()
    upload = begin(held, machine, process, 3 * GB, "alice")
    machine.send(upload, 0, 10**7)

    machine.now_s += LAPSES_AFTER_S + 1

    begin(held, machine, process, LARGE, "bob")


def test_one_client_keeps_others_out_of_no_more_than_its_share(
    machine: Machine, held: ExitStack
) -> None:
    process = machine.process()
    uploads = [begin(held, machine, process, 3 * GB, "mallory") for _ in range(2)]
    for upload in uploads:
        machine.send(upload, 0, 10**8)

    begin(held, machine, process, ROOM // 2 - 10**8, "alice")
    with pytest.raises(UnavailableError, match="no room"):
        begin(held, machine, process, ROOM // 2, "bob")


def test_a_sender_over_its_share_ends_before_another(
    machine: Machine, held: ExitStack
) -> None:
    process = machine.process()
    greedy = [begin(held, machine, process, 3 * GB, "mallory") for _ in range(2)]
    sent = [machine.send(upload, 0, 2 * GB) for upload in greedy]
    upload = begin(held, machine, process, 2 * GB, "alice")
    mine = machine.send(upload, 0, 10**7)

    def send_all_there_is() -> None:
        for _ in range(100):
            for number, other in enumerate(greedy):
                sent[number] = machine.send(other, sent[number], 3 * 10**7)

    with pytest.raises(UnavailableError, match="no room"):
        send_all_there_is()

    while mine < 2 * GB:
        mine = machine.send(upload, mine, min(10**8, 2 * GB - mine))


def test_uploads_of_one_client_do_not_count_on_the_same_room(
    machine: Machine, held: ExitStack
) -> None:
    process = machine.process()
    upload = begin(held, machine, process, LARGE, "alice")
    machine.send(upload, 0, 10**7)

    with pytest.raises(UnavailableError, match="no room"):
        begin(held, machine, process, LARGE, "alice")
    upload.release()
    begin(held, machine, process, LARGE, "alice")


def test_all_processes_of_a_machine_know_of_each_other(
    machine: Machine, held: ExitStack
) -> None:
    upload = begin(held, machine, machine.process(), 3 * GB, "alice")
    machine.send(upload, 0, 10**7)

    with pytest.raises(UnavailableError, match="no room"):
        begin(held, machine, machine.process(), LARGE, "bob")


def test_uploads_to_another_disk_do_not_count(
    machine: Machine, held: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = machine.process()
    upload = begin(held, machine, process, 3 * GB, "alice")
    machine.send(upload, 0, 10**7)

    # Memory, which is a file system of its own.
    held.enter_context(process.reserve(Path("/dev/shm"), LARGE, client="bob"))  # noqa: S108 - nothing is written


@pytest.mark.parametrize("length", [None, 10 * CHECK_EVERY_BYTES])
def test_an_upload_ends_when_somebody_else_fills_the_disk(
    machine: Machine, held: ExitStack, length: int | None
) -> None:
    upload = begin(held, machine, machine.process(), length, "alice")
    machine.free = disk_space.FREE_RESERVE_BYTES

    upload.received(CHECK_EVERY_BYTES - 1)
    with pytest.raises(UnavailableError, match="no room"):
        upload.received(CHECK_EVERY_BYTES)


def test_an_upload_that_has_come_in_whole_is_kept_on_a_full_disk(
    machine: Machine, held: ExitStack
) -> None:
    upload = begin(held, machine, machine.process(), CHECK_EVERY_BYTES, "alice")
    machine.free = 0

    upload.received(CHECK_EVERY_BYTES)


def test_an_upload_without_a_length_has_a_little_room(
    machine: Machine, held: ExitStack
) -> None:
    machine.free = disk_space.FREE_RESERVE_BYTES + CHECK_EVERY_BYTES
    begin(held, machine, machine.process(), None, "alice")

    machine.free -= 1
    with pytest.raises(UnavailableError, match="no room"):
        begin(held, machine, machine.process(), None, "bob")


def test_room_is_scarce_while_somebody_waits_who_has_less_than_a_share(
    machine: Machine, held: ExitStack
) -> None:
    process = machine.process()
    for _ in range(2):
        machine.send(begin(held, machine, process, 3 * GB, "mallory"), 0, 10**8)
    for _ in range(2):
        machine.send(begin(held, machine, process, 10**9, "carol"), 0, 10**8)
    before = REFUSALS.total("upload_room_percent")

    with pytest.raises(UnavailableError, match="no room") as refused:
        begin(held, machine, process, 3 * GB, "alice")

    assert refused.value.retry_after_s == RETRY_AFTER_S
    assert REFUSALS.total("upload_room_percent") == before + 1
    # Other processes are told as well.
    assert machine.process().is_scarce()
    machine.now_s += 2 * RETRY_AFTER_S
    assert not process.is_scarce()


@pytest.mark.parametrize("length", [ROOM // 2 + 1, 10 * ROOM])
def test_a_sender_that_wants_more_than_a_share_has_nobody_cut_off(
    machine: Machine, held: ExitStack, length: int
) -> None:
    process = machine.process()
    for name in ("alice", "bob"):
        machine.send(begin(held, machine, process, 3 * GB, name), 0, 10**8)

    with pytest.raises(UnavailableError, match="no room"):
        begin(held, machine, process, length, "mallory")

    assert not process.is_scarce()


def test_an_upload_that_ended_is_forgotten(machine: Machine) -> None:
    with machine.process().reserve(machine.folder, LARGE, client="alice"):
        assert machine.claims() == ["alice"]

    assert machine.claims() == []


def test_uploads_of_a_process_that_died_are_forgotten(
    machine: Machine, held: ExitStack
) -> None:
    process = machine.process()
    begin(held, machine, process, LARGE, "alice")
    machine.now_s += FORGOTTEN_AFTER_S + 1

    begin(held, machine, process, LARGE, "bob")

    assert machine.claims() == ["bob"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"claims": {"a": {}}}', "null"])
def test_a_ledger_that_was_half_written_is_begun_anew(
    machine: Machine, held: ExitStack, text: str
) -> None:
    (machine.folder / "room.json").write_text(text)

    begin(held, machine, machine.process(), LARGE, "alice")

    assert machine.claims() == ["alice"]


def test_without_a_ledger_nothing_is_taken(tmp_path: Path) -> None:
    process = DiskReservations(
        ledger=RoomLedger(tmp_path / "away" / "room.json"), most_of_one_percent=50
    )

    with (
        pytest.raises(UnavailableError, match="does not work"),
        process.reserve(tmp_path, 1, client="alice"),
    ):
        pytest.fail("nobody knows what others need")


def test_a_folder_that_is_gone_has_no_room(machine: Machine) -> None:
    gone = machine.folder / "gone"

    with (
        pytest.raises(UnavailableError, match="does not work"),
        machine.process().reserve(gone, 1, client="alice"),
    ):
        pytest.fail("there is no folder")


@pytest.mark.parametrize("sign", [1, -1])
def test_a_claim_holds_until_it_lapses_and_then_is_forgotten(sign: int) -> None:
    claim = Claim(
        client="a", disk=1, received_bytes=1, ahead_bytes=7, renewed_at_s=1000.0
    )

    def ahead_after(seconds: float) -> int:
        return claim.ahead_at(1000.0 + sign * seconds)

    def is_known_after(seconds: float) -> bool:
        entries = RoomEntries({"x": claim})
        entries.forget_old(1000.0 + sign * seconds)
        return bool(entries.claims)

    assert [ahead_after(LAPSES_AFTER_S), ahead_after(LAPSES_AFTER_S + 1)] == [7, 0]
    assert is_known_after(FORGOTTEN_AFTER_S)
    assert not is_known_after(FORGOTTEN_AFTER_S + 1)


def test_a_share_is_of_all_that_would_be_free_and_includes_its_last_byte() -> None:
    shares = DiskShares(
        free_bytes=800,
        received=Counter(a=150, b=50),
        ahead=Counter(a=30, b=400),
        most_of_one_percent=30,
    )

    assert shares.most_of_one_bytes == 300
    assert shares.is_within_share("a", 120)
    assert not shares.is_within_share("a", 121)
    assert shares.is_within_share("new", 300)
    # All of its own, and of another as far as its share goes.
    assert shares.room_of("a") == 800 - 30 - 250
    assert shares.room_of("b") == 800 - 30 - 400
    assert shares.room_of("new") == 800 - 30 - 250
    over = attrs.evolve(shares, received=Counter(b=500), free_bytes=500)
    assert over.room_of("a") == 500 - 30
