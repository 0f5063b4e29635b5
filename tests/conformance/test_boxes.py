"""
The boxes of a file, and how many there may be.
"""

import pytest

from hvcore.conformance import boxes
from hvcore.conformance.boxes import Box, BoxError, box_locations, inside

FREE = b"\0\0\0\x08free"


class Bytes:
    """
    A file in memory.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size_bytes = len(data)

    def read(self, start: int, size: int) -> bytes:
        return self._data[start : start + size]


def test_a_file_has_as_many_boxes_as_the_check_reads_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(boxes, "MOST_BOXES", 3)

    assert len(list(box_locations(Bytes(3 * FREE)))) == 3
    assert len(inside(Box("moov", 3 * FREE))) == 3
    with pytest.raises(BoxError, match="more than 3 boxes"):
        list(box_locations(Bytes(4 * FREE)))
    with pytest.raises(BoxError, match="moov has more than 3 boxes"):
        inside(Box("moov", 4 * FREE))
