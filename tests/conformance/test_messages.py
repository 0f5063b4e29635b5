"""
Captions and screens are found in messages, and in nothing that only looks like them.
"""

import pytest

from hvcore.conformance.codecs.messages import Told, told_by

A53 = b"\xb5\x00\x31GA94\x03"
END = b"\x80"


def message(kind: int, content: bytes) -> bytes:
    def number(value: int) -> bytes:
        return b"\xff" * (value // 255) + bytes((value % 255,))

    return number(kind) + number(len(content)) + content


CAPTIONS = message(4, A53 + b"text")
SCREEN = message(137, b"\xaa" * 24)


@pytest.mark.parametrize(
    ("unit", "told"),
    [
        (CAPTIONS + END, {Told.CAPTIONS}),
        (SCREEN + END, {Told.SCREEN}),
        (message(144, b"\xaa" * 4) + END, {Told.SCREEN}),
        (CAPTIONS + SCREEN + END, {Told.CAPTIONS, Told.SCREEN}),
        (message(1, b"\xaa") + CAPTIONS + END, {Told.CAPTIONS}),
        (message(1, b"") + CAPTIONS + END, {Told.CAPTIONS}),
        *(
            (message(kind, b"\x89" * length) + CAPTIONS + END, {Told.CAPTIONS})
            for kind in (5, 254, 255, 256, 510)
            for length in (0, 254, 255, 256, 510)
        ),
        (message(5, A53) + END, set()),
        (message(4, A53[:-1] + b"\x04") + END, set()),
        (message(4, b"\xaa" + A53) + END, set()),
        (message(136, b"") + message(138, b"") + END, set()),
        # Of a message that is cut off, the kind alone is known.
        (b"\x89\x18", {Told.SCREEN}),
        (b"\x89", set()),
        (END, set()),
        (b"", set()),
        (b"\xff" * 9, set()),
        (b"\x04\xff", set()),
        # Bytes that prevent emulation are no part of a message.
        (message(1, b"\0\0\1").replace(b"\0\0", b"\0\0\3") + SCREEN, {Told.SCREEN}),
    ],
)
def test_messages_tell_of_captions_and_screens_wherever_they_stand(
    unit: bytes, told: set[Told]
) -> None:
    assert told_by(unit) == told
