"""
The transcoder keeps the promises of the port, with a real encoder and a real store.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

from hvcore.plugin_api import RemoteTranscoder
from hvcore.testing.remote_transcoder import RemoteTranscoderConformance
from hvcore_storage_fsspec.remote import RemoteStorage
from hvcore_transcoder_mediaconvert.backend import MediaConvertTranscoder
from hvcore_transcoder_mediaconvert.job_calls import RUNNING, MediaConvertCalls
from hvcore_transcoder_mediaconvert.options import MediaConvertOptions
from tests.plugins.mediaconvert_local.local_server import LocalServer
from tests.support.fakes import SettableClock
from tests.support.stores.object_store import SWIFT_KEY, SWIFT_SECRET, new_swift_bucket

pytestmark = pytest.mark.services

LONG_S: Final = 3600


@pytest.mark.long
class TestMediaConvertTranscoder(RemoteTranscoderConformance):
    source_path = "kit/source.mp4"
    server: LocalServer

    @pytest.fixture
    def transcoder(
        self, mediaconvert: LocalServer, options: MediaConvertOptions
    ) -> Iterator[RemoteTranscoder]:
        type(self).server = mediaconvert
        # The kit's keys are the same in each test, and their tokens hold for a minute.
        mediaconvert.order("clock", advance_seconds=61)
        # Jobs wait until the clock is moved.
        mediaconvert.order("jobs", delay_seconds=LONG_S, times=10)
        made = MediaConvertTranscoder(
            options=options,
            calls=MediaConvertCalls(options),
            clock=SettableClock(),
            book=None,
        )
        yield made
        mediaconvert.order("forget")
        for job_id in self.jobs():
            mediaconvert.client().cancel_job(Id=job_id)
        made.close()

    @pytest.fixture
    def storage(self, swift: str, clip: Path, tmp_path: Path) -> RemoteStorage:
        made = RemoteStorage(
            f"s3://{new_swift_bucket(swift)}/kit",
            args={
                "endpoint_url": swift,
                "key": SWIFT_KEY,
                "secret": SWIFT_SECRET,
                "client_kwargs": {"region_name": "us-east-1"},
                "config_kwargs": {"signature_version": "s3v4"},
            },
            work_dir=tmp_path / "work",
        )
        made.put_file(self.source_path, clip, content_type="video/mp4")
        return made

    def jobs(self) -> Sequence[str]:
        client = self.server.client()
        return [
            job["Id"]
            for status in RUNNING
            for job in client.list_jobs(Status=status).get("Jobs", ())
        ]

    def finish_jobs(self) -> None:
        waiting = self.jobs()
        self.server.order("clock", advance_seconds=LONG_S + 1)
        for job_id in waiting:
            assert self.server.ended(job_id)["Status"] == "COMPLETE"

    def break_off(self) -> None:
        self.server.order(
            "answers", operation="*", error="InternalServerErrorException", times=100
        )
