"""
A small published video made byte by byte, so that a test can break one thing in it.

Two video renditions and two of audio, three segments of two seconds each. Every
function writes one file; its arguments are what tests change.
"""

import math
import re
import struct
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final

import attrs

from hvcore.conformance import Piece, UnreadableError

Files = dict[str, bytes]

VIDEO_SCALE: Final = 12_800
FRAME: Final = 512
FRAMES: Final = 50
AUDIO_SCALE: Final = 48_000
AUDIO_FRAMES: Final = (94, 94, 93)
SYNC: Final = 0x02000000
NON_SYNC: Final = 0x01010000
RUNGS: Final = ("180p", "360p")
SIZES: Final = {"180p": (320, 180), "360p": (640, 360)}
SOUNDS: Final = ("audio", "audio-1")
TARGET_S: Final = 2


@attrs.define
class MemorySource:
    """
    Files in memory.
    """

    files: Mapping[str, bytes]

    def read(self, name: str, start: int, length: int) -> Piece:
        data = self.files.get(name.partition("?")[0])
        if data is None:
            raise UnreadableError("There is no such file.")
        return Piece(data=data[start : start + length], size_bytes=len(data))


def box(kind: str, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack(">I4s", 8 + len(body), kind.encode()) + body


def full(kind: str, version: int, flags: int, *parts: bytes) -> bytes:
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def u32(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)


def _ue(value: int) -> str:
    digits = f"{value + 1:b}"
    return "0" * (len(digits) - 1) + digits


def sps(  # noqa: PLR0913 - what tests change
    width: int,
    height: int,
    *,
    level: int = 30,
    colour: bool = True,
    transfer: int = 1,
    shape: str = "0",
) -> bytes:
    across, down = -(-width // 16), -(-height // 16)
    right, bottom = (across * 16 - width) // 2, (down * 16 - height) // 2
    text = f"{66:08b}{0xC0:08b}{level:08b}" + _ue(0) + _ue(0) + _ue(2) + _ue(1) + "0"
    text += _ue(across - 1) + _ue(down - 1) + "11"
    crop = _ue(0) + _ue(right) + _ue(0) + _ue(bottom)
    text += f"1{crop}" if right or bottom else "0"
    # Of the usability information: the shape, overscan, and then the colours.
    text += (
        f"1{shape}01" + f"{5:03b}" + "01" + f"{1:08b}{transfer:08b}{1:08b}" + "0" * 6
        if colour
        else "0"
    )
    text += "1"
    text += "0" * (-len(text) % 8)
    return b"\x67" + int(text, 2).to_bytes(len(text) // 8, "big")


def avcc(*units: bytes) -> bytes:
    pps = b"\x68\xce\x3c\x80"
    head = b"\x01" + units[0][1:4] + b"\xff" + bytes([0xE0 | len(units)])
    sets = [struct.pack(">H", len(unit)) + unit for unit in units]
    return box("avcC", head, *sets, b"\x01", struct.pack(">H", len(pps)), pps)


def video_entry(rung: str, **changes: Any) -> bytes:  # noqa: ANN401
    size = changes.get("size", SIZES[rung])
    told = changes.get("told", size)
    record = changes.get(
        "record",
        avcc(
            sps(
                *size,
                level=changes.get("level", 30),
                colour=changes.get("colour", True),
                transfer=changes.get("transfer", 1),
                shape=changes.get("shape", "0"),
            )
        ),
    )
    fields = bytes(24) + struct.pack(">HH", *told) + bytes(50)
    more = changes.get("more", b"")
    return box(changes.get("entry", "avc1"), fields, record, more)


def audio_entry(config: bytes = b"\x11\x90") -> bytes:
    specific = bytes((5, len(config))) + config
    decoder = bytes((4, 13 + len(specific), 0x40)) + bytes(12) + specific
    es = bytes((3, 3 + len(decoder), 0, 1, 0)) + decoder
    return box("mp4a", bytes(28), full("esds", 0, 0, es))


def init(  # noqa: PLR0913 - what tests change
    kind: str,
    scale: int,
    entry: bytes,
    *,
    brands: bytes = b"iso6cmfc",
    tracks: int = 1,
    stts: int = 0,
    mvex: bool = True,
    edit: bytes = b"",
    matrix: Sequence[int] = (0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 1 << 30),
) -> bytes:
    table = box(
        "stbl",
        full("stsd", 0, 0, u32(1), entry),
        full("stts", 0, 0, u32(stts), u32(1, 1) * stts),
        full("stsc", 0, 0, u32(0)),
        full("stsz", 0, 0, u32(0, 0)),
        full("stco", 0, 0, u32(0)),
    )
    media = box(
        "mdia",
        full("mdhd", 0, 0, u32(0, 0, scale, 0, 0)),
        full("hdlr", 0, 0, u32(0), kind.encode(), bytes(13)),
        box("minf", table),
    )
    shown = struct.pack(">9i", *matrix)
    header = full("tkhd", 0, 3, u32(0, 0, 1, 0, 0), bytes(16), shown, bytes(8))
    track = box("trak", header, edit, media)
    extends = box("mvex", full("trex", 0, 0, u32(1, 1, 0, 0, 0))) if mvex else b""
    movie = box("moov", full("mvhd", 0, 0, bytes(96)), track * tracks, extends)
    return box("ftyp", brands[:4], u32(0), brands) + movie


def edit_list(media_time: int, rate: int = 0x10000) -> bytes:
    return box("edts", full("elst", 0, 0, u32(1), u32(0, media_time, rate)))


def picture(nal_type: int = 5, size: int = 100, *before: bytes) -> bytes:
    unit = bytes((0x60 | nal_type,)) + b"\xaa" * (size - 5)
    return b"".join(u32(len(one)) + one for one in (*before, unit))


def message(kind: int, content: bytes) -> bytes:
    """
    Return a NAL unit of H.264 with one message (SEI) behind one of no use.
    """
    length = bytes([255] * (len(content) // 255) + [len(content) % 255])
    unit = bytes((0, 1, 0xAA, kind)) + length + content + b"\x80"
    return b"\x06" + re.sub(rb"\0\0(?=[\0-\3])", b"\0\0\3", unit)


def segment(  # noqa: PLR0913 - what tests change
    number: int,
    start: int,
    samples: Sequence[bytes],
    duration: int,
    *,
    first_flags: int = SYNC,
    sequence: int | None = None,
    trafs: int = 1,
    base_flags: int = 0x20000,
    track_id: int = 1,
    data_offset: int | None = None,
    styp: bool = True,
    hole: int = 0,
) -> bytes:
    data = b"".join(samples)
    sizes = u32(*map(len, samples))
    if hole:
        # Behind the first sample there is nothing for a while.
        first, *others = ((duration, len(sample)) for sample in samples)
        sizes = u32(first[0] + hole, first[1], *chain.from_iterable(others))

    def moof(offset: int) -> bytes:
        part = box(
            "traf",
            full("tfhd", 0, base_flags | 0x28, u32(track_id, duration, NON_SYNC)),
            full("tfdt", 1, 0, struct.pack(">Q", start)),
            full(
                "trun",  # codespell:ignore trun
                0,
                0x305 if hole else 0x205,
                u32(len(samples), offset, first_flags),
                sizes,
            ),
        )
        counter = number + 1 if sequence is None else sequence
        return box("moof", full("mfhd", 0, 0, u32(counter)), part * trafs)

    offset = len(moof(0)) + 8 if data_offset is None else data_offset
    head = box("styp", b"msdh", u32(0), b"msdhcmfs") if styp else b""
    return head + moof(offset) + box("mdat", data)


def video_segment(number: int, **changes: Any) -> bytes:  # noqa: ANN401
    first = changes.pop("first", picture())
    start = changes.pop("start", number * FRAMES * FRAME)
    frames = changes.pop("frames", FRAMES)
    samples = [first, *[picture(1)] * (frames - 1)]
    return segment(number, start, samples, changes.pop("frame", FRAME), **changes)


def audio_segment(number: int, **changes: Any) -> bytes:  # noqa: ANN401
    start = changes.pop("start", sum(AUDIO_FRAMES[:number]) * 1024)
    samples = [b"\x21" * 20] * AUDIO_FRAMES[number]
    return segment(number, start, samples, 1024, **changes)


def media_playlist(
    name: str, durations: Sequence[float], *, target_s: int = TARGET_S
) -> bytes:
    lines = [
        "#EXTM3U",
        "#EXT-X-VERSION:7",
        f"#EXT-X-TARGETDURATION:{target_s}",
        "#EXT-X-MEDIA-SEQUENCE:0",
        "#EXT-X-PLAYLIST-TYPE:VOD",
        f'#EXT-X-MAP:URI="{name}/init.m4s"',
    ]
    for number, duration_s in enumerate(durations):
        lines += [f"#EXTINF:{duration_s:.6f},", f"{name}/{number}.m4s"]
    return ("\n".join([*lines, "#EXT-X-ENDLIST"]) + "\n").encode()


def iframe_playlist(files: Files, rung: str) -> bytes:
    lines = [
        "#EXTM3U",
        "#EXT-X-VERSION:7",
        "#EXT-X-TARGETDURATION:2",
        "#EXT-X-PLAYLIST-TYPE:VOD",
        "#EXT-X-I-FRAMES-ONLY",
        f'#EXT-X-MAP:URI="video/{rung}/init.m4s"',
    ]
    for number in range(3):
        length = files[f"video/{rung}/{number}.m4s"].index(b"mdat") + 104
        lines += [
            "#EXTINF:2.0,",
            f"#EXT-X-BYTERANGE:{length}@0",
            f"video/{rung}/{number}.m4s",
        ]
    return ("\n".join([*lines, "#EXT-X-ENDLIST"]) + "\n").encode()


def audio_durations() -> list[float]:
    return [frames * 1024 / AUDIO_SCALE for frames in AUDIO_FRAMES]


def _rates(files: Files, name: str, durations: Sequence[float]) -> tuple[float, float]:
    sizes = [8 * len(files[f"{name}/{n}.m4s"]) for n in range(3)]
    # Two seconds is the target: only single segments last from one to three.
    peak = max(bits / s for bits, s in zip(sizes, durations, strict=True))
    return peak, sum(sizes) / sum(durations)


def master(files: Files) -> bytes:
    lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-INDEPENDENT-SEGMENTS"]
    for number, (name, language) in enumerate(
        zip(SOUNDS, ("en", "de-AT"), strict=True)
    ):
        lines.append(
            f'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="{language}",'
            f'LANGUAGE="{language}",DEFAULT={"NO" if number else "YES"},'
            f'AUTOSELECT=YES,CHANNELS="2",URI="{name}.m3u8"'
        )
    sound = _rates(files, "audio", audio_durations())
    for rung in RUNGS:
        picture = _rates(files, f"video/{rung}", [2.0] * 3)
        peak, average = (math.ceil(a + b) for a, b in zip(picture, sound, strict=True))
        width, height = SIZES[rung]
        lines += [
            (
                f"#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},"
                f'CODECS="avc1.42C01E,mp4a.40.2",RESOLUTION={width}x{height},'
                'FRAME-RATE=25.000,CLOSED-CAPTIONS=NONE,AUDIO="aac"'
            ),
            f"video-{rung}.m3u8",
        ]
    lines.append(
        '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=10000,CODECS="avc1.42C01E",'
        'RESOLUTION=320x180,URI="iframes.m3u8"'
    )
    return ("\n".join(lines) + "\n").encode()


def video_init(rung: str, **changes: Any) -> bytes:  # noqa: ANN401
    names = {"told", "record", "level", "colour", "entry", "transfer", "size"}
    names |= {"shape", "more"}
    entry = {name: changes.pop(name) for name in names & changes.keys()}
    scale = changes.pop("scale", VIDEO_SCALE)
    return init("vide", scale, video_entry(rung, **entry), **changes)


def audio_init(**changes: Any) -> bytes:  # noqa: ANN401
    return init("soun", AUDIO_SCALE, audio_entry(), **changes)


def stream() -> Files:
    """
    Return the files of a video without any fault.
    """
    files: Files = {}
    for rung in RUNGS:
        files[f"video/{rung}/init.m4s"] = video_init(rung)
        files |= {f"video/{rung}/{n}.m4s": video_segment(n) for n in range(3)}
        files[f"video-{rung}.m3u8"] = media_playlist(f"video/{rung}", [2.0] * 3)
    for name in SOUNDS:
        files[f"{name}/init.m4s"] = audio_init()
        files |= {f"{name}/{n}.m4s": audio_segment(n) for n in range(3)}
        files[f"{name}.m3u8"] = media_playlist(name, audio_durations())
    files["iframes.m3u8"] = iframe_playlist(files, RUNGS[0])
    files["master.m3u8"] = master(files)
    return files
