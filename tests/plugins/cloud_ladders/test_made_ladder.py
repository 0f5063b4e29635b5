"""
What lies in a target is taken over only if it is what was ordered.
"""

import io
from pathlib import Path

import attrs
import pytest

from hvcore.plugin_api import (
    PartDone,
    PartTarget,
    Rung,
    Storage,
    TranscodeError,
)
from hvcore_cloud_ladders.made_ladder import MadeLadder, MadeRendition
from hvcore_storage_fsspec.backend import make_storage
from tests.plugins.transcoder_google.orders import order_of
from tests.support.fakes import grey_init, grey_segment

PREFIX = "media/p0s1"
PLAYLIST = """#EXTM3U
#EXT-X-MAP:URI="video-360p-init.m4s"
#EXTINF:6.0,
video-360p0000000000.m4s
#EXTINF:6.0,
video-360p0000000001.m4s
#EXT-X-ENDLIST
"""


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    made = make_storage(
        str(tmp_path / "storage"),
        args={},
        min_free_bytes=None,
        work_dir=tmp_path / "work",
    )
    init = grey_init(width_px=640, height_px=360)
    put(made, "video-360p.m3u8", PLAYLIST.encode())
    put(made, "video-360p-init.m4s", init)
    for number in range(2):
        put(made, f"video-360p000000000{number}.m4s", grey_segment(number))
    return made


def put(storage: Storage, name: str, data: bytes) -> None:
    storage.write(f"{PREFIX}/{name}", io.BytesIO(data), content_type="video/mp4")


def rendition(key: str = "360p") -> MadeRendition:
    (rung, *_) = order_of().ladder.rungs
    own: Rung = attrs.evolve(rung, key=key)
    return MadeRendition(name=f"video/{key}", playlist=f"video-{key}.m3u8", rung=own)


def read(storage: Storage, key: str = "360p") -> PartDone:
    target = PartTarget(storage=storage, prefix=PREFIX)
    return MadeLadder(target=target, check=lambda: None).read([rendition(key)])


def test_facts_are_what_the_bytes_say(storage: Storage) -> None:
    done = read(storage)

    (track,) = done.tracks
    assert track.name == "video/360p"
    assert track.codecs.startswith("avc1.")
    assert [one.duration_s for one in track.segments] == [6.0, 6.0]
    sizes = [one.file.size_bytes for one in track.segments]
    assert sizes == [len(grey_segment(0)), len(grey_segment(1))]
    assert [(one.name, one.made_as) for one in done.stored] == [
        ("video/360p/init.m4s", "video-360p-init.m4s"),
        ("video/360p/0.m4s", "video-360p0000000000.m4s"),
        ("video/360p/1.m4s", "video-360p0000000001.m4s"),
    ]


def test_files_that_differ_have_other_tags(storage: Storage) -> None:
    (track,) = read(storage).tracks

    assert len({one.file.sha256 for one in track.segments}) == 2


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (PLAYLIST.replace("video-360p0000000001", "../secret"), "not in the target"),
        (PLAYLIST.replace("video-360p0000000001", "missing"), "not in the target"),
        (PLAYLIST.replace("#EXT-X-MAP", "#EXT-X-NOTE"), "no list of segments"),
        (PLAYLIST.replace('m4s"', 'm4s",BYTERANGE="9@0"'), "no list of segments"),
        ("#EXTM3U\n", "no list of segments"),
    ],
)
def test_a_playlist_that_leads_elsewhere_is_not_followed(
    storage: Storage, changed: str, words: str
) -> None:
    put(storage, "video-360p.m3u8", changed.encode())

    with pytest.raises(TranscodeError) as refused:
        read(storage)

    assert words in refused.value.log


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("video-360p0000000001.m4s", b""),
        ("video-360p0000000001.m4s", b"no boxes at all, but more than a header"),
        ("video-360p0000000001.m4s", grey_segment(1)[:-1]),
        ("video-360p0000000001.m4s", grey_segment(1) * 2),
        ("video-360p-init.m4s", b"\0\0\0\x10ftypcmfcaaaa"),
        ("video-360p-init.m4s", grey_segment(0)),
    ],
)
def test_a_damaged_file_fails_the_attempt_and_is_named_to_operators(
    storage: Storage, name: str, data: bytes
) -> None:
    put(storage, name, data)

    with pytest.raises(TranscodeError) as refused:
        read(storage)

    assert name in refused.value.log
    assert name not in refused.value.reason


def test_a_rendition_that_was_not_made_is_missed(storage: Storage) -> None:
    with pytest.raises(TranscodeError) as refused:
        read(storage, "720p")

    assert "video-720p.m3u8" in refused.value.log
