"""
What lies in a target is taken over only if it is what was ordered.
"""

import io
from pathlib import Path

import attrs
import pytest

from hv_storage_fsspec.backend import make_storage
from hv_transcoder_mediaconvert.made_ladder import MadeLadder
from hvcore.plugin_api import (
    Ladder,
    PartDone,
    PartTarget,
    Rung,
    Storage,
    TranscodeError,
    TranscodeOrder,
)
from tests.fakes import grey_init, grey_segment
from tests.plugins.transcoder_mediaconvert.test_job_requests import order_of

PREFIX = "media/p0s1"
PLAYLIST = """#EXTM3U
#EXT-X-MAP:URI="made_360pinit.cmfv"
#EXTINF:6.0,
made_360p_000000001.cmfv
#EXTINF:6.0,
made_360p_000000002.cmfv
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
    rung = one_rung().ladder.rungs[0]
    init = grey_init(key=rung.key, width_px=rung.width_px, height_px=rung.height_px)
    put(made, "made_360p.m3u8", PLAYLIST.encode())
    put(made, "made_360pinit.cmfv", init)
    for number in range(2):
        put(made, f"made_360p_00000000{number + 1}.cmfv", grey_segment(number))
    return made


def put(storage: Storage, name: str, data: bytes) -> None:
    storage.write(f"{PREFIX}/{name}", io.BytesIO(data), content_type="video/mp4")


def one_rung(**of: object) -> TranscodeOrder:
    order = order_of()
    rung: Rung = attrs.evolve(order.ladder.rungs[0], **of)
    return attrs.evolve(order, ladder=Ladder(rungs=(rung,), audio=()))


def read(storage: Storage, order: TranscodeOrder | None = None) -> PartDone:
    target = PartTarget(storage=storage, prefix=PREFIX)
    return MadeLadder(target=target, check=lambda: None).read(order or one_rung())


def test_facts_are_what_the_bytes_say(storage: Storage) -> None:
    done = read(storage)

    (track,) = done.tracks
    assert track.name == "video/360p"
    assert track.codecs.startswith("avc1.")
    assert [one.duration_s for one in track.segments] == [6.0, 6.0]
    sizes = [one.file.size_bytes for one in track.segments]
    assert sizes == [len(grey_segment(0)), len(grey_segment(1))]
    assert [(one.name, one.made_as) for one in done.stored] == [
        ("video/360p/init.m4s", "made_360pinit.cmfv"),
        ("video/360p/0.m4s", "made_360p_000000001.cmfv"),
        ("video/360p/1.m4s", "made_360p_000000002.cmfv"),
    ]


def test_files_that_differ_have_other_tags(storage: Storage) -> None:
    (track,) = read(storage).tracks

    assert len({one.file.sha256 for one in track.segments}) == 2


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (PLAYLIST.replace("made_360p_000000002", "../secret"), "not in the target"),
        (PLAYLIST.replace("made_360p_000000002", "missing"), "not in the target"),
        (PLAYLIST.replace("#EXT-X-MAP", "#EXT-X-NOTE"), "no list of segments"),
        ("#EXTM3U\n", "no list of segments"),
    ],
)
def test_a_playlist_that_leads_elsewhere_is_not_followed(
    storage: Storage, changed: str, words: str
) -> None:
    put(storage, "made_360p.m3u8", changed.encode())

    with pytest.raises(TranscodeError) as refused:
        read(storage)

    assert words in refused.value.log


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("made_360p_000000002.cmfv", b""),
        ("made_360p_000000002.cmfv", b"no boxes at all, but more than a header"),
        ("made_360p_000000002.cmfv", grey_segment(1)[:-1]),
        ("made_360p_000000002.cmfv", grey_segment(1) * 2),
        ("made_360pinit.cmfv", b"\0\0\0\x10ftypcmfcaaaa"),
        ("made_360pinit.cmfv", grey_segment(0)),
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
        read(storage, one_rung(key="720p"))

    assert "made_720p.m3u8" in refused.value.log


def test_pictures_are_taken_over_as_far_as_they_were_captured(storage: Storage) -> None:
    for name in ("poster.0000000", "poster.0000001", "still.0000000", "still.0000002"):
        put(storage, f"made_{name}.jpg", b"picture")

    done = read(storage, attrs.evolve(one_rung(), still_interval_s=2))

    assert done.poster == "poster.jpg"
    assert [(one.at_s, one.name) for one in done.stills] == [
        (0, "stills/0.jpg"),
        (4, "stills/2.jpg"),
    ]
    assert {(one.name, one.made_as) for one in done.stored} >= {
        ("poster.jpg", "made_poster.0000001.jpg"),
        ("stills/2.jpg", "made_still.0000002.jpg"),
    }


def test_a_video_without_pictures_is_taken_over(storage: Storage) -> None:
    done = read(storage, attrs.evolve(one_rung(), still_interval_s=2))

    assert (done.poster, done.stills) == (None, ())
