"""
Make the segments of a grey film of any size and length, without an encoder.

H.264 of the Baseline profile: each segment begins with a picture that is one grey, and
all others repeat it. Players and ffmpeg decode it.
"""

import struct
from base64 import b64decode
from functools import lru_cache
from typing import Final

PICTURES_PER_S: Final = 25
CODECS: Final = "avc1.42C01F"
_LEVEL: Final = 31
_TICKS: Final = 512
_SCALE: Final = _TICKS * PICTURES_PER_S
_PROFILE: Final = f"{66:08b}{0xC0:08b}{_LEVEL:08b}"
_FRAME_NUMBERS: Final = 16
_IS_SYNC, _IS_NO_SYNC = 0x02000000, 0x01010000
_UNITY: Final = struct.pack(">9i", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 1 << 30)

# The id is 0, and slices may switch the deblocking filter off.
_PPS: Final = b"\x68\xce\x3c\x80"
# Of each block: predicted by the mean of its neighbours (mode 2), chroma likewise, the
# quantizer stays, and no coefficient follows. Without neighbours the mean is grey.
_GREY_BLOCK: Final = "00100" + "1" + "1" + "1"
JPEG: Final = b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVl"
    "ZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/wAALCAC0AUABAREA/8QAFAAB"
    "AAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAD/2Q=="
)
"""A grey picture of 320 x 180 pixels."""


def init_segment(*, width_px: int, height_px: int) -> bytes:
    """Return the bytes of the init segment of a grey film."""
    sps = _sps(width_px, height_px)
    record = b"\x01" + sps[1:4] + b"\xff\xe1" + _sized(sps) + b"\x01" + _sized(_PPS)
    look = struct.pack(">HHIIIH", width_px, height_px, 0x480000, 0x480000, 0, 1)
    depth = bytes(32) + struct.pack(">Hh", 24, -1)
    entry = _box(
        "avc1", bytes(7), b"\x01", bytes(16), look, depth, _box("avcC", record)
    )
    table = _box(
        "stbl",
        _full("stsd", _u32(1), entry),
        *(_full(name, _u32(0)) for name in ("stts", "stsc")),
        _full("stsz", _u32(0, 0)),
        _full("stco", _u32(0)),
    )
    here = _box("dinf", _full("dref", _u32(1), _full("url ", flags=1)))
    media = _box(
        "mdia",
        _full("mdhd", _u32(0, 0, _SCALE, 0), b"\x55\xc4\0\0"),
        _full("hdlr", _u32(0), b"vide", bytes(12), b"grey\0"),
        _box("minf", _full("vmhd", bytes(8), flags=1), here, table),
    )
    size = _u32(width_px << 16, height_px << 16)
    track = _full("tkhd", _u32(0, 0, 1, 0, 0), bytes(16), _UNITY, size, flags=3)
    film = _full(
        "mvhd", _u32(0, 0, _SCALE, 0, 0x10000), b"\x01\0", bytes(10), _UNITY,
        bytes(24), _u32(2),
    )  # fmt: skip
    extends = _box("mvex", _full("trex", _u32(1, 1, 0, 0, 0)))
    movie = _box("moov", film, _box("trak", track, media), extends)
    return _box("ftyp", b"iso6", _u32(0), b"iso6cmfc") + movie


@lru_cache(maxsize=64)
def media_segment(
    number: int, *, width_px: int, height_px: int, starts_s: int, duration_s: float
) -> tuple[bytes, int]:
    """
    Return the bytes of a media segment of a grey film, and the offset at which its first picture ends.

    Args:
        number: The number of the segment, from 0 on.
        starts_s: The start of the segment in seconds from the beginning of the film.
    """
    blocks = -(-width_px // 16) * -(-height_px // 16)
    samples = [_sample(_intra(blocks))]
    repeats = [_sample(_repeat(blocks, frame)) for frame in range(_FRAME_NUMBERS)]
    pictures = range(1, round(duration_s * PICTURES_PER_S))
    samples += [repeats[number % _FRAME_NUMBERS] for number in pictures]
    head = _box("styp", b"msdh", _u32(0), b"msdhcmfs")
    # Only its length is asked for at first.
    offset = len(_fragment(number, starts_s, samples, offset=0)) + 8
    head += _fragment(number, starts_s, samples, offset=offset)
    first = len(head) + 8 + len(samples[0])
    return head + _box("mdat", *samples), first


def _fragment(
    number: int, starts_s: int, samples: list[bytes], *, offset: int
) -> bytes:
    start = struct.pack(">Q", starts_s * _SCALE)
    run = _u32(len(samples), offset, _IS_SYNC, *map(len, samples))
    defaults = _u32(1, _TICKS, _IS_NO_SYNC)
    track = _box(
        "traf",
        _full("tfhd", defaults, flags=0x20028),
        _full("tfdt", start, version=1),
        _full("trun", run, flags=0x205),  # codespell:ignore trun
    )
    return _box("moof", _full("mfhd", _u32(number + 1)), track)


def _sps(width_px: int, height_px: int) -> bytes:
    across, down = -(-width_px // 16), -(-height_px // 16)
    right, bottom = (across * 16 - width_px) // 2, (down * 16 - height_px) // 2
    bits = _PROFILE + _ue(0) + _ue(0) + _ue(2) + _ue(1) + "0"
    bits += _ue(across - 1) + _ue(down - 1) + "11"
    crop = _ue(0) + _ue(right) + _ue(0) + _ue(bottom)
    bits += f"1{crop}" if right or bottom else "0"
    # Colours as of HDTV; nothing else of the usability information.
    bits += "1" + "0" + "0" + "1" + f"{5:03b}" + "0" + "1" + f"{1:08b}" * 3 + "0" * 6
    return _unit(0x67, bits)


def _intra(blocks: int) -> bytes:
    bits = _ue(0) + _ue(7) + _ue(0) + "0000" + _ue(0) + "00" + "1" + _ue(1)
    return _unit(0x65, bits + _GREY_BLOCK * blocks)


def _repeat(blocks: int, frame_number: int) -> bytes:
    bits = _ue(0) + _ue(5) + _ue(0) + f"{frame_number:04b}" + "000" + "1" + _ue(1)
    return _unit(0x41, bits + _ue(blocks))


def _unit(header: int, bits: str) -> bytes:
    """Return a NAL unit, in which bytes that look like a start code are escaped."""
    bits += "1"
    bits += "0" * (-len(bits) % 8)
    made = bytearray([header])
    zeros = 0
    for byte in int(bits, 2).to_bytes(len(bits) // 8, "big"):
        if zeros >= 2 and byte <= 3:
            made.append(3)
            zeros = 0
        made.append(byte)
        zeros = zeros + 1 if byte == 0 else 0
    return bytes(made)


def _ue(value: int) -> str:
    digits = f"{value + 1:b}"
    return "0" * (len(digits) - 1) + digits


def _sample(unit: bytes) -> bytes:
    return _u32(len(unit)) + unit


def _sized(unit: bytes) -> bytes:
    return struct.pack(">H", len(unit)) + unit


def _u32(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)


def _box(kind: str, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack(">I4s", 8 + len(body), kind.encode()) + body


def _full(kind: str, *parts: bytes, version: int = 0, flags: int = 0) -> bytes:
    return _box(kind, _u32(version << 24 | flags), *parts)
