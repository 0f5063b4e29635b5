"""
Where the files of a video are.
"""

from hvcore.domain.media_paths import moments_prefix, thumbnails_prefix
from tests.support.media_samples import VIDEO


def test_each_picture_has_sizes_of_its_own() -> None:
    root = f"media/{VIDEO}"

    assert {
        thumbnails_prefix(VIDEO, f"{root}/{path}")
        for path in ("job_1/p0a1/poster.jpg", "posters/0a.jpg", "posters/0b.jpg")
    } == {f"{root}/thumbnails/{name}" for name in ("job_1", "0a", "0b")}


def test_each_job_has_moments_of_its_own() -> None:
    root = f"media/{VIDEO}"

    assert moments_prefix(VIDEO, f"{root}/job_1") == f"{root}/moments/job_1"
