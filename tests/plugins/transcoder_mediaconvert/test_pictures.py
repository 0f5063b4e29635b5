"""
Pictures are taken over as far as MediaConvert has captured them.
"""

import io
from pathlib import Path

import pytest

from hvcore.plugin_api import PartDone, PartTarget, Storage
from hvcore_storage_fsspec.backend import make_storage
from hvcore_transcoder_mediaconvert.pictures import with_pictures

PREFIX = "media/p0s1"


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return make_storage(
        str(tmp_path / "storage"),
        args={},
        min_free_bytes=None,
        work_dir=tmp_path / "work",
    )


def taken_over(storage: Storage, interval_s: int = 2) -> PartDone:
    target = PartTarget(storage=storage, prefix=PREFIX)
    return with_pictures(
        PartDone(tracks=()), target, base="made", interval_s=interval_s
    )


def test_pictures_are_taken_over_as_far_as_they_were_captured(storage: Storage) -> None:
    for name in ("poster.0000000", "poster.0000001", "still.0000000", "still.0000002"):
        path = f"{PREFIX}/made_{name}.jpg"
        storage.write(path, io.BytesIO(b"picture"), content_type="image/jpeg")

    done = taken_over(storage)

    assert done.poster == "poster.jpg"
    assert [(one.at_s, one.name) for one in done.stills] == [
        (0, "stills/0.jpg"),
        (4, "stills/2.jpg"),
    ]
    assert {(one.name, one.made_as) for one in done.stored} >= {
        ("poster.jpg", "made_poster.0000001.jpg"),
        ("stills/2.jpg", "made_still.0000002.jpg"),
    }
    assert taken_over(storage, interval_s=0).stills == ()


def test_a_video_without_pictures_is_taken_over(storage: Storage) -> None:
    done = taken_over(storage)

    assert (done.poster, done.stills) == (None, ())
