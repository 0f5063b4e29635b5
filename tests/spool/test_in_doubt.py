"""
What a process that is no more had counted and not handed over is known.
"""

import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hvcore.spool import InDoubt
from hvcore.spool.in_doubt import MOST_LINES, ROOM_BYTES

some_lines = st.lists(
    st.binary(min_size=1).map(lambda text: text.hex().encode() + b"\n"), max_size=64
)


def test_at_first_nothing_is_in_doubt() -> None:
    assert InDoubt().take() == []


@given(st.lists(some_lines, max_size=3), some_lines, st.data())
def test_what_was_not_handed_over_is_left_in_its_order(
    earlier: list[list[bytes]], lines: list[bytes], data: st.DataObject
) -> None:
    in_doubt = InDoubt()
    for one in [*earlier, lines]:
        in_doubt.counted(one)
    handed_over = data.draw(st.integers(0, len(lines)))
    for _ in range(handed_over):
        in_doubt.hand_over()

    assert in_doubt.take() == lines[handed_over:]
    assert in_doubt.take() == []


def test_more_may_be_handed_over_than_was_counted_together() -> None:
    in_doubt = InDoubt()
    in_doubt.counted([b"a\n"])
    for _ in range(3):
        in_doubt.hand_over()

    assert in_doubt.take() == []


def test_a_parent_knows_what_its_dead_child_left() -> None:
    in_doubt = InDoubt()
    child = os.fork()
    if not child:
        try:
            in_doubt.counted([b"a\n", b"b\n", b"c\n"])
            in_doubt.hand_over()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)

    assert in_doubt.is_any_left
    assert in_doubt.take() == [b"b\n", b"c\n"]
    assert not in_doubt.is_any_left


@pytest.mark.parametrize(
    "lines", [[b"a" * ROOM_BYTES + b"\n"], [b"\n"] * (MOST_LINES + 1)]
)
def test_of_more_than_there_is_room_for_nothing_is_in_doubt(lines: list[bytes]) -> None:
    in_doubt = InDoubt()
    in_doubt.counted([b"before\n"])
    in_doubt.counted(lines)
    in_doubt.hand_over()

    assert in_doubt.take() == []
