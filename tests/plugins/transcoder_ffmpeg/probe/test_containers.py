"""
What the first bytes and the index of a file tell, before ffmpeg sees it.
"""

from pathlib import Path

import pytest

from hvcore.plugin_api import UnusableSourceError
from hvcore_transcoder_ffmpeg.probe.containers import require_unlocked
from hvcore_transcoder_ffmpeg.reasons import ENCRYPTED


def box(kind: bytes, *inside: bytes) -> bytes:
    content = b"".join(inside)
    return (8 + len(content)).to_bytes(4, "big") + kind + content


def large_box(kind: bytes, *inside: bytes) -> bytes:
    content = b"".join(inside)
    return b"\0\0\0\1" + kind + (16 + len(content)).to_bytes(8, "big") + content


def track(entry: bytes) -> bytes:
    entries = box(b"stsd", bytes(7) + b"\1", box(entry, bytes(70)))
    return box(b"trak", box(b"mdia", box(b"minf", box(b"stbl", entries))))


TITLE = box(b"udta", box(b"meta", b"Hadrmi wedding, encv"))
LOCKED = track(b"encv")
BROKEN = box(b"trak", b"\xff\xff\xff\xffmdia")


def written(path: Path, movie: bytes) -> Path:
    path.write_bytes(box(b"ftyp", b"isom") + box(b"mdat", b"encv") + movie)
    return path


@pytest.mark.parametrize(
    "inside",
    [(TITLE, track(b"avc1")), (track(b"avc1"), BROKEN), (b"\0\0\0\4trak",), ()],
)
def test_a_word_in_a_title_locks_no_video(
    tmp_path: Path, inside: tuple[bytes, ...]
) -> None:
    require_unlocked(written(tmp_path / "a.mp4", box(b"moov", *inside)))


@pytest.mark.parametrize(
    "movie",
    [
        box(b"moov", track(b"mp4a"), LOCKED),
        box(b"moov", track(b"drmi")),
        box(b"moov", BROKEN, LOCKED),
        box(b"moov", LOCKED, b"\0\0"),
        large_box(b"moov", LOCKED),
        # To the end of the file, and cut off.
        b"\0\0\0\0" + box(b"moov", LOCKED)[4:],
        b"\0\1\0\0" + box(b"moov", LOCKED)[4:],
    ],
)
def test_pictures_that_are_encrypted_are_refused(tmp_path: Path, movie: bytes) -> None:
    source = written(tmp_path / "a.mp4", movie)

    with pytest.raises(UnusableSourceError, match="encrypted") as refused:
        require_unlocked(source)

    assert str(refused.value) == ENCRYPTED


def test_an_index_of_millions_of_boxes_takes_no_time(tmp_path: Path) -> None:
    boxes = box(b"trak") * 8_000_000

    require_unlocked(written(tmp_path / "a.mp4", box(b"moov", boxes)))
