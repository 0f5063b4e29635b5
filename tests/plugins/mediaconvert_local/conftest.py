"""
A server with a bucket, for all tests of a file.
"""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from hvcore_mediaconvert_local.config import LocalMediaConvertConfig
from hvcore_mediaconvert_local.local_service import LocalMediaConvert
from tests.e2e.clips import make_clip
from tests.plugins.mediaconvert_local.local_server import LocalServer, local_server
from tests.support.stores.object_store import new_bucket, s3_client, s3_server


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """
    An imitation of S3.
    """
    with s3_server() as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def server(s3_endpoint: str) -> Iterator[LocalServer]:
    """
    A server that works on two jobs at a time.
    """
    with local_server(s3_endpoint, "--max-encodes", "2") as running:
        yield running


@pytest.fixture
def idle_service() -> Iterator[LocalMediaConvert]:
    """
    A server without HTTP that works on no job.
    """
    made = LocalMediaConvert(LocalMediaConvertConfig())
    yield made
    made.close()


@attrs.frozen(kw_only=True)
class ClipInBucket:
    """
    A clip of two seconds in a bucket of its own.
    """

    bucket: str
    address: str


@pytest.fixture(scope="session")
def small_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    Two seconds with a tone.
    """
    folder = tmp_path_factory.mktemp("clips")
    return make_clip(folder / "clip.mp4", seconds=2, size="320x180")


@pytest.fixture
def clip(s3_endpoint: str, small_clip: Path) -> ClipInBucket:
    """
    The small clip, where jobs find it.
    """
    bucket = new_bucket(s3_endpoint)
    s3_client(s3_endpoint).upload_file(str(small_clip), bucket, "in/clip.mp4")
    return ClipInBucket(bucket=bucket, address=f"s3://{bucket}/in/clip.mp4")
