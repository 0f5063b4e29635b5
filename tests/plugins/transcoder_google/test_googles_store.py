"""
The transcoder keeps the promises of the port with the storage in Google's own store.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import attrs
import pytest
import urllib3

from hvcore.plugin_api import Storage
from hvcore_storage_fsspec.backend import make_storage
from hvcore_transcoder_google.options import GoogleTranscoderOptions
from tests.plugins.transcoder_google import test_conformance_kit as kit
from tests.plugins.transcoder_google.stand_in import (
    TranscoderStandIn,
    transcoder_stand_in,
)
from tests.support.stores.google_store import (
    TOKEN,
    google_args,
    google_content,
    new_google_bucket,
)

pytestmark = pytest.mark.services


@attrs.frozen
class GoogleObjects:
    """
    What the imitation of Google's store has.
    """

    endpoint: str

    def fetch(self, bucket: str, name: str) -> bytes:
        """
        Read an object.
        """
        return google_content(self.endpoint, bucket, name)

    def put(self, bucket: str, name: str, data: bytes) -> None:
        """
        Write an object.
        """
        url = f"{self.endpoint}/upload/storage/v1/b/{bucket}/o"
        asked = f"uploadType=media&name={quote(name, safe='')}"
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with urllib3.PoolManager(retries=False) as pool:
            answer = pool.request("POST", f"{url}?{asked}", headers=headers, body=data)
        assert answer.status == 200, answer.data


@pytest.mark.every(3)
class TestInGooglesStore(kit.TestGoogleTranscoder):
    @pytest.fixture
    def bucket(self, google_store: str) -> str:
        return new_google_bucket(google_store)

    @pytest.fixture
    def api(self, google_store: str) -> Iterator[TranscoderStandIn]:
        with transcoder_stand_in(GoogleObjects(google_store)) as running:
            yield running

    @pytest.fixture
    def options(self, api: TranscoderStandIn) -> GoogleTranscoderOptions:
        # What the storage calls its places is what Google calls them.
        return GoogleTranscoderOptions(
            project="our-videos", location="europe-west1", endpoint=api.url
        )

    @pytest.fixture
    def storage(
        self, google_store: str, bucket: str, clip: Path, tmp_path: Path
    ) -> Storage:
        made = make_storage(
            f"gs://{bucket}/kit",
            args=google_args(tmp_path, google_store),
            min_free_bytes=0,
            work_dir=tmp_path / "work",
        )
        made.put_file(self.source_path, clip, content_type="video/mp4")
        return made
