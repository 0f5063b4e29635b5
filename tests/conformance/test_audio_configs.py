"""
The codec and channels of audio are read from its configuration record.
"""

import pytest

from hvcore.conformance.boxes import Box, BoxError
from hvcore.conformance.codecs.audio import read_esds

LC, SBR, PS = 2, 5, 29


def bits(*fields: tuple[int, int]) -> bytes:
    """
    Return bytes of these numbers, each with its count of bits, and of zeros behind them.
    """
    text = "".join(f"{value:0{count}b}" for value, count in fields)
    text += "0" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big")


def descriptor(tag: int, content: bytes, *, more_bytes: int = 0) -> bytes:
    """
    Return a descriptor whose length has as many bytes more than it needs.
    """
    return bytes((tag, *[0x80] * more_bytes, len(content))) + content


def esds(specific: bytes, *, kind: int = 0x40, more_bytes: int = 0) -> Box:
    told = descriptor(5, specific, more_bytes=more_bytes)
    decoder = descriptor(4, bytes((kind,)) + bytes(12) + told, more_bytes=more_bytes)
    other = descriptor(9, b"\x05\x05", more_bytes=more_bytes)
    es = descriptor(3, b"\0\1\0" + other + decoder, more_bytes=more_bytes)
    return Box("esds", bytes(4) + es + descriptor(6, b"\2"))


def plain(kind: int, channels: int) -> tuple[tuple[int, int], ...]:
    return (kind, 5), (3, 4), (channels, 4)


# A decoder of the core alone passes over what stands behind these.
LC_STEREO = (*plain(LC, 2), (0, 3))
FOLLOWED = (*LC_STEREO, (0x2B7, 11), (SBR, 5))
SBR_MONO = (*plain(LC, 1), (0, 3), (0x2B7, 11), (SBR, 5), (1, 1), (6, 4))


@pytest.mark.parametrize(
    ("fields", "codecs", "channels"),
    [
        (plain(LC, 1), "mp4a.40.2", 1),
        (plain(LC, 6), "mp4a.40.2", 6),
        (plain(LC, 7), "mp4a.40.2", 8),
        (plain(LC, 0), "mp4a.40.2", 0),
        (((LC, 5), (15, 4), (44_100, 24), (2, 4)), "mp4a.40.2", 2),
        (((31, 5), (10, 6), (3, 4), (2, 4)), "mp4a.40.42", 2),
        (plain(SBR, 2), "mp4a.40.5", 2),
        (plain(PS, 1), "mp4a.40.29", 2),
        ((*FOLLOWED, (1, 1), (6, 4)), "mp4a.40.5", 2),
        ((*FOLLOWED, (1, 1), (15, 4), (48_000, 24)), "mp4a.40.5", 2),
        ((*FOLLOWED, (0, 1)), "mp4a.40.2", 2),
        ((*LC_STEREO, (0x2B6, 11), (SBR, 5), (1, 1)), "mp4a.40.2", 2),
        ((*LC_STEREO, (0x2B7, 11), (22, 5), (1, 1), (6, 4)), "mp4a.40.2", 2),
        ((*SBR_MONO, (0x548, 11), (1, 1)), "mp4a.40.29", 2),
        ((*SBR_MONO, (0x548, 11), (0, 1)), "mp4a.40.5", 1),
        ((*SBR_MONO, (0x549, 11), (1, 1)), "mp4a.40.5", 1),
    ],
)
@pytest.mark.parametrize("more_bytes", [0, 1, 3])
def test_codec_and_channels_of_aac_are_read(
    fields: tuple[tuple[int, int], ...], codecs: str, channels: int, more_bytes: int
) -> None:
    found = read_esds(esds(bits(*fields), more_bytes=more_bytes))

    assert (found.codecs, found.channels) == (codecs, channels)


@pytest.mark.parametrize(("kind", "codecs"), [(0x6B, "mp4a.6b"), (0x0D, "mp4a.0d")])
def test_a_codec_that_is_not_aac_is_named_by_its_kind(kind: int, codecs: str) -> None:
    found = read_esds(esds(b"\x12", kind=kind))

    assert (found.codecs, found.channels) == (codecs, 0)


def test_the_length_of_a_descriptor_has_four_bytes_at_most() -> None:
    record = esds(bits(*plain(LC, 2)))

    found = read_esds(Box("esds", bytes(4) + b"\x09" + b"\x80" * 4 + record.body[4:]))

    assert found.codecs == "mp4a.40.2"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (esds(b"").body, "AudioSpecificConfig ends early"),
        (esds(bits(*plain(LC, 2))[:1]).body, "AudioSpecificConfig ends early"),
        (b"", "esds names no codec"),
        (bytes(4), "esds names no codec"),
        (bytes(4) + descriptor(3, b"\0\1\0"), "esds names no codec"),
        (bytes(4) + b"\3\2\0\1\0\4", "esds names no codec"),
        (bytes(4) + b"\3\2\0\1\0\4\x80", "esds names no codec"),
        (bytes(4) + b"\3\2\0\1\0\4\1\x40", "AudioSpecificConfig ends early"),
    ],
)
def test_a_record_of_audio_that_is_cut_off_is_malformed(body: bytes, told: str) -> None:
    with pytest.raises(BoxError, match=told):
        read_esds(Box("esds", body))
