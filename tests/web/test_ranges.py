"""Byte ranges that requests ask for."""

import pytest

from hvcore.errors import RangeNotSatisfiableError
from hvcore_web.ranges import asked_range


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("bytes=0-3", (0, 4)),
        ("bytes=4-", (4, 10)),
        ("bytes=-3", (7, 10)),
        ("bytes=0-99", (0, 10)),
        ("bytes=5-4", None),
        ("bytes=0-1,3-4", None),
    ],
)
def test_one_range_within_the_file_is_found(
    header: str, found: tuple[int, int] | None
) -> None:
    assert asked_range(header, if_range=None, etag="a", size_bytes=10) == found


def test_a_range_behind_the_end_of_the_file_is_refused() -> None:
    with pytest.raises(RangeNotSatisfiableError):
        asked_range("bytes=10-", if_range=None, etag="a", size_bytes=10)


def test_a_range_of_other_bytes_is_the_whole_file() -> None:
    assert asked_range("bytes=0-3", if_range='"b"', etag="a", size_bytes=10) is None
