"""
Every strange source ends in a conformant video, or in a reason for a person.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from hvcore.domain.videos.states import VideoState
from hvcore.errors import InvalidFileSizeError
from tests.plugins.mediaconvert_local.local_server import LocalServer
from tests.plugins.transcoder_ffmpeg.strange.clips import STRANGE
from tests.plugins.transcoder_ffmpeg.strange.sources import Ready, Strange
from tests.plugins.transcoder_mediaconvert.cloud_world import CloudWorld, cloud_world

pytestmark = [pytest.mark.services, pytest.mark.long, pytest.mark.timeout(900)]

_NO_WORDS_FOR_A_PERSON: Final = re.compile(
    r"ffmpeg|ffprobe|MediaConvert|s3:|/tmp|Error"
)


@pytest.fixture(scope="module")
def cloud(
    tmp_path_factory: pytest.TempPathFactory, swift: str, mediaconvert: LocalServer
) -> Iterator[CloudWorld]:
    """
    One service for all, of which each makes a video of its own.
    """
    folder = tmp_path_factory.mktemp("strange")
    with cloud_world(folder, swift, mediaconvert) as made:
        yield made
    mediaconvert.order("forget")


@pytest.mark.parametrize("strange", [pytest.param(one, id=one.name) for one in STRANGE])
def test_a_strange_source_is_published_or_fails_with_a_reason(
    strange: Strange,
    cloud: CloudWorld,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / strange.name
    strange.make(file)
    data = file.read_bytes()
    if not data:
        with pytest.raises(InvalidFileSizeError):
            cloud.world.processed(data)
        return
    video_id = cloud.world.processed(data)
    cloud.world.run_tasks()

    # One of them has twelve hours.
    video = cloud.ended(video_id, job_within_s=800)

    reason = video.failure_reason or ""
    with capsys.disabled():
        here = "ready" if isinstance(strange.expected, Ready) else "refused"
        sys.stderr.write(f"\n{strange.name}: {reason or 'ready'} (by ffmpeg: {here})")
    if video.state is not VideoState.READY:
        assert reason.endswith(".")
        assert not _NO_WORDS_FOR_A_PERSON.search(reason)
        return
    assert len(cloud.jobs(video_id)) == 1
    report = cloud.world.services.conformance_reports.find(video)
    assert report is not None
    assert report.is_conformant
