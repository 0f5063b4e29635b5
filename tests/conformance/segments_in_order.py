"""
Changes of init segments and media segments, and all rules that they break, if any.
"""

import struct
from typing import Final

from tests.conformance import made_streams as made
from tests.conformance.broken_streams import LOW, Break, both, put, swap, video
from tests.conformance.made_streams import FRAME, Files

INIT: Final = f"{LOW}/init.m4s"
FIRST: Final = f"{LOW}/1.m4s"
START: Final = 50 * FRAME
SEI: Final = made.message(5, b"x" * 16)


def before_moof(*boxes: bytes) -> Break:
    """
    Put boxes between the first box of a segment and its moof.
    """

    def run(files: Files) -> None:
        data = files[FIRST]
        at = data.index(b"moof") - 4
        files[FIRST] = data[:at] + b"".join(boxes) + data[at:]

    return run


def in_init(old: bytes, new: bytes) -> Break:
    def run(files: Files) -> None:
        assert old in files[INIT]
        files[INIT] = files[INIT].replace(old, new)

    return run


def begin_in_32_bits(files: Files) -> None:
    """
    Write the begin of a segment as version 0, of whose box the second half is not read.
    """
    long = made.full("tfdt", 1, 0, struct.pack(">Q", START))
    assert long in files[FIRST]
    short = made.full("tfdt", 0, 0, made.u32(START, 0))
    files[FIRST] = files[FIRST].replace(long, short)


def fragments(
    *lengths: int,
    sequences: tuple[int, ...] = (2, 3),
    gap: int = 0,
    has_data: bool = True,
) -> Break:
    """
    Make one segment of several fragments of so many frames.
    """
    parts, start = [], START
    for number, (length, sequence) in enumerate(zip(lengths, sequences, strict=False)):
        first = made.picture() if number == 0 else made.picture(1)
        parts.append(
            made.video_segment(
                1,
                first=first,
                frames=length,
                start=start,
                sequence=sequence,
                first_flags=made.NON_SYNC if number else made.SYNC,
                styp=number == 0,
            )
        )
        start += length * FRAME + gap
    if not has_data:
        parts[0] = parts[0][: parts[0].index(b"mdat") - 4]
    return both(put(FIRST, b"".join(parts)), video(2, sequence=9))


def without_offset(files: Files) -> None:
    """
    Make a segment whose samples begin where its data does, as nothing says otherwise.
    """
    samples = [made.picture(), *[made.picture(1)] * 49]
    moof = made.box(
        "moof",
        made.full("mfhd", 0, 0, made.u32(2)),
        made.box(
            "traf",
            made.full("tfhd", 0, 0x20028, made.u32(1, FRAME, made.NON_SYNC)),
            made.full("tfdt", 1, 0, struct.pack(">Q", START)),
            made.full(
                "trun",  # codespell:ignore trun
                0,
                0x204,
                made.u32(len(samples), made.SYNC, *map(len, samples)),
            ),
        ),
    )
    files[FIRST] = moof + made.box("mdat", *samples)


def ftyp(files: Files) -> bytes:
    return files[INIT][: int.from_bytes(files[INIT][:4], "big")]


def tables(kind: str, fields: int) -> Break:
    """
    Let a table of the init segment say that it has an entry.
    """
    none = made.u32(*[0] * fields)
    one = made.u32(*[0] * (fields - 1), 1)
    return in_init(made.full(kind, 0, 0, none), made.full(kind, 0, 0, one))


def sound(entry: str, *boxes: bytes) -> Break:
    made_entry = made.box(entry, bytes(28), *boxes)
    return put("audio/init.m4s", made.init("soun", made.AUDIO_SCALE, made_entry))


SEGMENTS: Final[dict[str, tuple[set[str], Break]]] = {
    "boxes of other subjects before the moof": (
        set(),
        before_moof(*map(made.box, ("prft", "emsg", "sidx", "free", "skip", "uuid"))),
    ),
    "a box before the moof that has no place there": (
        {"fragment-structure"},
        before_moof(made.box("abcd")),
    ),
    "a type of segment that is not first": (
        {"fragment-structure"},
        before_moof(made.box("styp")),
    ),
    "no type of segment": (set(), video(1, styp=False)),
    "a fragment that does not say where its data begins": (set(), without_offset),
    "a fragment without samples": (
        {"boxes"},
        swap(FIRST, "trun", "free"),  # codespell:ignore trun
    ),
    "a begin in 32 bits": (set(), begin_in_32_bits),
    "two fragments": (set(), fragments(20, 30)),
    "two fragments a tick apart": (set(), fragments(20, 30, gap=1)),
    "two fragments with a gap": ({"decode-time"}, fragments(20, 30, gap=2)),
    "two fragments of one number": (
        {"sequence-number"},
        fragments(20, 30, sequences=(2, 2)),
    ),
    "two fragments without the data of the first": (
        {"fragment-structure"},
        fragments(20, 30, has_data=False),
    ),
    "63 messages before the picture": (
        set(),
        video(1, first=made.picture(5, 100, *[SEI] * 63)),
    ),
    "64 messages before the picture": (
        {"key-frame"},
        video(1, first=made.picture(5, 100, *[SEI] * 64)),
    ),
    "a NAL unit of nothing": (
        {"sample-data", "key-frame"},
        video(1, first=made.u32(0) + made.picture()),
    ),
    "a NAL unit of one byte": (
        set(),
        video(1, first=made.picture() + made.u32(1) + b"\x09"),
    ),
    "a length without a NAL unit": (
        set(),
        video(1, first=made.picture() + made.u32(1)),
    ),
    "no ftyp": (
        {"init-brands"},
        lambda files: files.update({INIT: files[INIT][len(ftyp(files)) :]}),
    ),
    "two moov": (
        {"init-one-track"},
        lambda files: files.update({INIT: files[INIT] + made.box("moov")}),
    ),
    "no moov": (
        {"init-one-track", "several-variants"},
        lambda files: files.update({INIT: ftyp(files)}),
    ),
    "a moov without a track": (
        {"init-one-track", "several-variants"},
        lambda files: files.update({INIT: ftyp(files) + made.box("moov")}),
    ),
    "media data in the init segment": (
        {"init-no-samples"},
        lambda files: files.update({INIT: files[INIT] + made.box("mdat")}),
    ),
    **{
        f"an entry of {kind} in the init segment": (
            {"init-no-samples"},
            tables(kind, fields),
        )
        for kind, fields in (("stsc", 1), ("stsz", 2), ("stco", 1))
    },
    "two sample entries": (
        {"sample-entry"},
        put(INIT, made.init("vide", made.VIDEO_SCALE, made.video_entry("180p") * 2)),
    ),
    "AC-3": ({"codecs"}, sound("ac-3", made.box("dac3", bytes(3)))),
    "E-AC-3": ({"codecs"}, sound("ec-3", made.box("dec3", bytes(5)))),
    "AC-3 without its record": (
        {"codecs", "sample-entry"},
        sound("ac-3", made.box("dec3", bytes(3))),
    ),
    "AAC without its record": ({"sample-entry"}, sound("mp4a")),
    "sound of another kind": ({"codecs"}, sound("fLaC")),
}
"""The rules that a changed segment breaks besides those of sizes, and the change."""
OF_SIZES: Final = frozenset(
    {"bandwidth", "bandwidth-covers", "average-bandwidth", "iframe-pictures"}
)
