"""
Read numbers that are some bits long from the parameter sets of video.

Source: ITU-T H.264, sections 7.2, 7.4.1 and 9.1; H.265, likewise.
"""

from typing import Final

_MOST_ZEROS: Final = 32
_MOST_BYTES: Final = 4096
"""The most bytes of a parameter set that are read; real ones have a hundred."""


class BitsError(Exception):
    """A parameter set ends early, or a number in it is impossible."""


class Bits:
    """A reader of the bits of some bytes, from the highest bit of the first byte on."""

    def __init__(self, data: bytes) -> None:
        self._value = int.from_bytes(data, "big")
        self._left = 8 * len(data)

    @property
    def left(self) -> int:
        """The number of bits that were not read yet."""
        return self._left

    def take(self, count: int) -> int:
        """
        Read an unsigned number of the given count of bits.

        Raises:
            BitsError: Fewer bits are left.
        """
        if count > self._left:
            raise BitsError("ends early")
        self._left -= count
        return self._value >> self._left & ((1 << count) - 1)

    def flag(self) -> bool:
        """Read one bit, and return whether it is 1."""
        return self.take(1) == 1

    def unsigned(self, most: int = (1 << 32) - 2) -> int:
        """
        Read and return an unsigned Exp-Golomb number.

        Raises:
            BitsError: The number is larger than ``most``, or too few bits are left.
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
        """Read and return a signed Exp-Golomb number."""
        value = self.unsigned()
        return (value + 1) // 2 if value & 1 else -(value // 2)


def payload(unit: bytes, header_bytes: int) -> Bits:
    """Return a reader of a NAL unit's payload, without header and emulation prevention bytes."""
    start = unit[header_bytes : header_bytes + _MOST_BYTES]
    return Bits(start.replace(b"\0\0\3", b"\0\0"))
