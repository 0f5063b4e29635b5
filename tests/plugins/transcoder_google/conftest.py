"""
A Transcoder API on this machine beside a store, for all tests of this folder.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore_transcoder_google.options import GoogleTranscoderOptions
from tests.e2e.clips import make_clip
from tests.plugins.transcoder_google.stand_in import (
    S3Objects,
    TranscoderStandIn,
    transcoder_stand_in,
)
from tests.support.stores.object_store import new_bucket, s3_server


@pytest.fixture(scope="session")
def store() -> Iterator[str]:
    """
    An imitation of S3.
    """
    with s3_server() as endpoint:
        yield endpoint


@pytest.fixture
def bucket(store: str) -> str:
    return new_bucket(store)


@pytest.fixture
def api(store: str) -> Iterator[TranscoderStandIn]:
    with transcoder_stand_in(S3Objects(store)) as running:
        yield running


@pytest.fixture
def options(api: TranscoderStandIn, bucket: str) -> GoogleTranscoderOptions:
    return GoogleTranscoderOptions(
        project="our-videos",
        location="europe-west1",
        endpoint=api.url,
        writes_to=f"gs://{bucket}/kit",
    )


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    Seven seconds with a tone.
    """
    folder = tmp_path_factory.mktemp("clips")
    return make_clip(folder / "clip.mp4", seconds=7, size="320x180")
