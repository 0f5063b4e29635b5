"""
What is kept of the files that were asked for.
"""

from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.services.playback.media_files import CachedFile, PathCache
from hvcore.services.playback.responses import StoredFile
from tests.support.media_samples import BytesStorage

STORAGE = BytesStorage()


def known(path: str) -> CachedFile:
    return CachedFile(
        stored=StoredFile(storage=STORAGE, path=path, file_bytes=1),
        content_type="video/mp4",
        etag=path,
        place=SegmentPlace(
            org_id=OrgId("o"), env_id=EnvId("e"), video_id=VideoId("v"), height_px=720
        ),
    )


def test_only_so_many_files_are_kept_and_the_latest_asked_for() -> None:
    files = PathCache(max_known=2)
    first = known("a")
    files.put("root", "a", first)
    files.put("root", "b", known("b"))
    assert files.get("root", "a") is first

    files.put("root", "c", known("c"))

    assert files.get("root", "b") is None
    assert files.get("root", "a") is first
    assert files.get("other", "a") is None
