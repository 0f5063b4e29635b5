"""
Name the codec of a sample entry as browsers want it.

Source: RFC 6381, section 3.3; ISO/IEC 14496-15, annex E.
"""

from typing import Final

import attrs

from hvcore.plugin_api import Mp4Box, Mp4Error, VideoRange

_ES_TAG: Final = 0x03
_DECODER_CONFIG_TAG: Final = 0x04
_DECODER_SPECIFIC_TAG: Final = 0x05
_MPEG4_AUDIO: Final = 0x40
_ESCAPE: Final = 31

_VISUAL_ENTRY_BYTES: Final = 78
_AUDIO_ENTRY_BYTES: Final = 28
_RANGES: Final = {16: VideoRange.PQ, 18: VideoRange.HLG}
"""The dynamic ranges by code point of the transfer function (ITU-T H.273, table 3)."""


@attrs.frozen(kw_only=True)
class SampleEntry:
    """
    Describe the codec and the picture format of a track's samples.

    Attributes:
        codecs: The codecs string of the track (RFC 6381).
        bit_depth: The bits of a video's sample value; 0 for audio.
        chroma: The chroma subsampling of video: 1 is 4:2:0, 2 is 4:2:2, 3 is 4:4:4; 0 for
            audio.
        nal_length_bytes: The size of the length field before each NAL unit; 0 for audio.
        video_range: The dynamic range of video, by its transfer function.
    """

    codecs: str
    width_px: int = 0
    height_px: int = 0
    bit_depth: int = 0
    chroma: int = 0
    nal_length_bytes: int = 0
    video_range: VideoRange = VideoRange.SDR


def read_sample_entry(table: Mp4Box) -> SampleEntry:
    """
    Return the codec and the picture format in a sample description table (``stsd``).

    Raises:
        Mp4Error: The table has not exactly one entry, or an unknown one.
    """
    entries = list(table.children(skip_bytes=8))
    if len(entries) != 1:
        raise Mp4Error(f"{len(entries)} sample entries")
    entry = entries[0]
    if entry.kind == "avc1":
        return _avc(entry)
    if entry.kind == "hvc1":
        return _hevc(entry)
    if entry.kind == "mp4a":
        return SampleEntry(codecs=_mpeg_audio(entry))
    if entry.kind in ("ac-3", "ec-3"):
        return SampleEntry(codecs=entry.kind)
    raise Mp4Error(f"sample entry {entry.kind!r}")


def _avc(entry: Mp4Box) -> SampleEntry:
    width, height = entry.fields("HH", 24)
    config = entry.child("avcC", _VISUAL_ENTRY_BYTES)
    _, profile, compatible, level, lengths, count = config.fields("6B")
    chroma, depth = 1, 8
    if profile not in (66, 77, 88):
        chroma, depth = _avc_format(config, count & 0x1F)
    return SampleEntry(
        codecs=f"avc1.{profile:02X}{compatible:02X}{level:02X}",
        width_px=width,
        height_px=height,
        bit_depth=depth,
        chroma=chroma,
        nal_length_bytes=(lengths & 3) + 1,
        video_range=_range(entry),
    )


def _avc_format(config: Mp4Box, sets: int) -> tuple[int, int]:
    # The high profiles repeat both behind the parameter sets.
    offset = 6
    for more in (sets, None):
        if more is None:
            (more,) = config.fields("B", offset)  # noqa: PLW2901
            offset += 1
        for _ in range(more):
            (length,) = config.fields("H", offset)
            offset += 2 + length
    chroma, luma_depth = config.fields("BB", offset)
    return chroma & 3, (luma_depth & 7) + 8


def _hevc(entry: Mp4Box) -> SampleEntry:
    width, height = entry.fields("HH", 24)
    config = entry.child("hvcC", _VISUAL_ENTRY_BYTES)
    _, general, compatible, *constraints, level = config.fields("BBI6BB")
    space = ("", "A", "B", "C")[general >> 6]
    tier = "H" if general & 0x20 else "L"
    reversed_flags = int(f"{compatible:032b}"[::-1], 2)
    while constraints and constraints[-1] == 0:
        constraints.pop()
    parts = [f"hvc1.{space}{general & 0x1F}", f"{reversed_flags:X}", f"{tier}{level}"]
    parts += [f"{byte:X}" for byte in constraints]
    chroma, depth = config.fields("BB", 16)
    (lengths,) = config.fields("B", 21)
    return SampleEntry(
        codecs=".".join(parts),
        width_px=width,
        height_px=height,
        bit_depth=(depth & 7) + 8,
        chroma=chroma & 3,
        nal_length_bytes=(lengths & 3) + 1,
        video_range=_range(entry),
    )


def _range(entry: Mp4Box) -> VideoRange:
    colour = entry.find("colr", _VISUAL_ENTRY_BYTES)
    if colour is None or not colour.content().startswith(b"nclx"):
        return VideoRange.SDR
    (transfer,) = colour.fields("H", 6)
    return _RANGES.get(transfer, VideoRange.SDR)


def _mpeg_audio(entry: Mp4Box) -> str:
    content = entry.child("esds", _AUDIO_ENTRY_BYTES).content()[4:]
    kind, config = _descriptors(content)
    if kind != _MPEG4_AUDIO:
        return f"mp4a.{kind:02X}"
    return f"mp4a.40.{_audio_object_type(config)}"


def _descriptors(content: bytes) -> tuple[int, bytes]:
    kind, at = 0, 0
    while at + 2 <= len(content):
        tag = content[at]
        at += 1
        length = 0
        while at < len(content):
            byte = content[at]
            at += 1
            length = length << 7 | byte & 0x7F
            if not byte & 0x80:
                break
        if tag == _ES_TAG:
            at += 3
        elif tag == _DECODER_CONFIG_TAG and at + 13 <= len(content):
            kind = content[at]
            at += 13
        elif tag == _DECODER_SPECIFIC_TAG:
            return kind, content[at : at + length]
        else:
            at += length
    if not kind:
        raise Mp4Error("esds names no codec")
    return kind, b""


def _audio_object_type(config: bytes) -> int:
    if len(config) < 2:  # noqa: PLR2004 - the shortest one that there is
        raise Mp4Error("esds has no AudioSpecificConfig")
    kind = config[0] >> 3
    if kind == _ESCAPE:
        kind = 32 + ((config[0] & 7) << 3 | config[1] >> 5)
    return kind
