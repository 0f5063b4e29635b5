"""
The transcoder keeps the promises of the port, with Google's client and a real encoder.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hvcore.plugin_api import RemoteTranscoder
from hvcore.testing.remote_transcoder import RemoteTranscoderConformance
from hvcore_storage_fsspec.remote import RemoteStorage
from hvcore_transcoder_google.backend import GoogleTranscoder
from hvcore_transcoder_google.job_calls import TranscoderCalls
from hvcore_transcoder_google.options import GoogleTranscoderOptions
from tests.plugins.transcoder_google.stand_in import TranscoderStandIn
from tests.support.fakes import SettableClock
from tests.support.stores.object_store import KEY, SECRET

pytestmark = pytest.mark.services


class TestGoogleTranscoder(RemoteTranscoderConformance):
    source_path = "kit/source.mp4"
    api: TranscoderStandIn

    @pytest.fixture
    def transcoder(
        self, api: TranscoderStandIn, options: GoogleTranscoderOptions
    ) -> Iterator[RemoteTranscoder]:
        self.api = api
        made = GoogleTranscoder(
            options=options,
            calls=TranscoderCalls(options),
            clock=SettableClock(),
            book=None,
        )
        yield made
        made.close()

    @pytest.fixture
    def storage(
        self, store: str, bucket: str, clip: Path, tmp_path: Path
    ) -> RemoteStorage:
        made = RemoteStorage(
            f"s3://{bucket}/kit",
            args={"endpoint_url": store, "key": KEY, "secret": SECRET},
            work_dir=tmp_path / "work",
        )
        made.put_file(self.source_path, clip, content_type="video/mp4")
        return made

    def jobs(self) -> Sequence[str]:
        return self.api.running()

    def finish_jobs(self) -> None:
        self.api.finish()

    def break_off(self) -> None:
        self.api.refusal = (503, "try again", "")
