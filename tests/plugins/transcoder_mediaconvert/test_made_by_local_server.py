"""
A ladder of ours, made by the local MediaConvert from the job's request.
"""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from hvcore.plugin_api import (
    AudioTrackInfo,
    PixelFormat,
    SourceInfo,
    VideoTrackInfo,
)
from hvcore_transcoder_mediaconvert.job_requests import FILE_NAME, job_request
from tests.e2e.clips import make_clip
from tests.plugins.mediaconvert_local.local_server import local_server
from tests.plugins.transcoder_mediaconvert.test_job_requests import ACCOUNT, order_of
from tests.support.stores.object_store import new_bucket, s3_client, s3_server

pytestmark = pytest.mark.services


def test_the_ladder_is_made_in_aligned_segments_that_conform(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "clip.mp4", seconds=7, size="854x480")
    info = SourceInfo(
        duration_s=7,
        size_bytes=clip.stat().st_size,
        container="mp4",
        video=VideoTrackInfo(
            stream_index=0,
            width_px=854,
            height_px=480,
            frame_rate=Fraction(30),
            pixel_format=PixelFormat.YUV420P,
        ),
        audio=(AudioTrackInfo(stream_index=1, channels=1, sample_rate_hz=48_000),),
    )
    order = order_of(info)

    with s3_server() as endpoint, local_server(endpoint) as server:
        bucket = new_bucket(endpoint)
        s3_client(endpoint).upload_file(str(clip), bucket, "clip.mp4")
        request = job_request(
            order,
            ACCOUNT,
            source_address=f"s3://{bucket}/clip.mp4",
            target_address=f"s3://{bucket}/made",
            key="job-1",
        )
        ended = server.ended(server.client().create_job(**request)["Job"]["Id"])
        assert ended["Status"] == "COMPLETE", ended
        folder = server.fetched(bucket, tmp_path)

    lengths = {
        rung.key: [
            line
            for line in (folder / f"{FILE_NAME}_{rung.key}.m3u8").read_text().split()
            if line.startswith("#EXTINF")
        ]
        for rung in order.ladder.rungs
    }
    assert list(lengths) == ["360p", "480p"]
    assert {tuple(one) for one in lengths.values()} == {
        ("#EXTINF:6.000000,", "#EXTINF:1.000000,")
    }
    command = [
        sys.executable,
        "-m",
        "hvcore_cli",
        "conform",
        folder / f"{FILE_NAME}.m3u8",
    ]
    done = subprocess.run(
        [*command, "--json"], capture_output=True, check=False, timeout=60
    )
    found = json.loads(done.stdout)["findings"]
    broken = {one["rule"] for one in found if one["level"] == "MUST"}
    # Ours are written when the ladder is taken over.
    assert broken == {"iframe-playlists"}, found
