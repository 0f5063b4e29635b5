"""
A MediaConvert on this machine beside a Swift, for all tests of this folder.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs
import pytest

from hvcore_transcoder_mediaconvert.options import MediaConvertOptions
from tests.e2e.clips import make_clip
from tests.plugins.mediaconvert_local.local_server import (
    ACCESS_KEY,
    ACCESS_SECRET,
    LocalServer,
    local_server,
)
from tests.support.stores.object_store import swift_server

ROLE: Final = "arn:aws:iam::123456789012:role/Transcode"


@pytest.fixture(scope="session")
def swift() -> Iterator[str]:
    with swift_server() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def mediaconvert(swift: str) -> Iterator[LocalServer]:
    with local_server(swift, "--max-encodes", "2", is_swift=True) as running:
        yield running


@pytest.fixture(scope="session")
def options(mediaconvert: LocalServer) -> MediaConvertOptions:
    return attrs.evolve(
        MediaConvertOptions(role=ROLE, region="us-east-1"),
        endpoint=mediaconvert.address,
        access_key=ACCESS_KEY,
        secret_key=ACCESS_SECRET,
    )


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    Three seconds with a tone.
    """
    folder = tmp_path_factory.mktemp("clips")
    return make_clip(folder / "clip.mp4", seconds=3, size="320x180")
