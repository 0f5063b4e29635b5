"""
Read numbers of single bits out of parameter sets.

Source: ITU-T H.264, sections 7.2, 7.4.1 and 9.1; H.265, likewise.
"""

from typing import Final

_MOST_ZEROS: Final = 32
_MOST_BYTES: Final = 4096
"""Of a parameter set; real ones have a hundred."""


class BitsError(Exception):
    """A structure ends early, or a number in it is impossible."""


class Bits:
    """Bits, from the highest of the first byte on."""

    def __init__(self, data: bytes) -> None:
        self._value = int.from_bytes(data, "big")
        self._left = 8 * len(data)

    @property
    def left(self) -> int:
        """The number of bits that are left."""
        return self._left

    def take(self, count: int) -> int:
        """
        Read an unsigned number.

        Raises:
            BitsError: There are fewer bits.
        """
        if count > self._left:
            raise BitsError("ends early")
        self._left -= count
        return self._value >> self._left & ((1 << count) - 1)

    def flag(self) -> bool:
        """Read one bit."""
        return self.take(1) == 1

    def unsigned(self, most: int = (1 << 32) - 2) -> int:
        """
        Read an unsigned Exp-Golomb number.

        Raises:
            BitsError: It is larger than ``most``, or there are too few bits.
        """
        zeros = 0
        while not self.flag():
            zeros += 1
            if zeros > _MOST_ZEROS:
                raise BitsError("has a number without end")
        value = (1 << zeros) - 1 + self.take(zeros)
        if value > most:
            raise BitsError(f"has {value} where {most} is the most")
        return value

    def signed(self) -> int:
        """Read a signed Exp-Golomb number."""
        value = self.unsigned()
        return (value + 1) // 2 if value & 1 else -(value // 2)


def payload(unit: bytes, header_bytes: int) -> Bits:
    """Return the payload of a NAL unit, without header and stuffing bytes."""
    start = unit[header_bytes : header_bytes + _MOST_BYTES]
    return Bits(start.replace(b"\0\0\3", b"\0\0"))
