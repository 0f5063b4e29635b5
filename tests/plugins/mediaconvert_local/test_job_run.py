"""
Jobs make what was asked for: an unchanged boto3 client, a real encoder, a bucket.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.clips import make_clip
from tests.plugins.mediaconvert_local.conftest import ClipInBucket
from tests.plugins.mediaconvert_local.job_requests import (
    aac,
    cmaf_group,
    file_group,
    h264,
    hls_group,
    job,
    output,
)
from tests.plugins.mediaconvert_local.local_server import LocalServer, local_server
from tests.support.network.receivers import receiver
from tests.support.stores.object_store import s3_client

pytestmark = pytest.mark.services


def probed(path: Path) -> dict[str, Any]:
    done = subprocess.run(
        ["ffprobe", "-v", "error", "-of", "json", "-show_streams", path],
        capture_output=True,
        check=True,
        timeout=60,
    )
    (stream, *_) = json.loads(done.stdout)["streams"]
    return dict(stream)


def complaints(path: Path) -> str:
    """
    Decode everything; return what ffmpeg has to say about it.
    """
    # CMAF's endings are strange to its readers of playlists.
    options = ["-allowed_extensions", "ALL"] if path.suffix in {".m3u8", ".mpd"} else []
    done = subprocess.run(
        [
            *("ffmpeg", "-nostdin", "-v", "warning", "-xerror", *options, "-i", path),
            *("-map", "0", "-f", "null", "-"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return f"{done.returncode}: {done.stderr}" if done.returncode else done.stderr


def test_a_job_makes_cmaf_that_plays(
    server: LocalServer, clip: ClipInBucket, tmp_path: Path
) -> None:
    made = server.client().create_job(**job(clip.address, cmaf_group(clip.bucket)))
    ended = server.ended(made["Job"]["Id"])

    assert ended["Status"] == "COMPLETE", ended
    assert ended["JobPercentComplete"] == 100
    assert "CurrentPhase" not in ended
    assert ended["Timing"]["SubmitTime"] <= ended["Timing"]["FinishTime"]
    (group,) = ended["OutputGroupDetails"]
    sizes = [one.get("VideoDetails") for one in group["OutputDetails"]]
    assert sizes == [
        {"WidthInPx": 160, "HeightInPx": 90},
        {"WidthInPx": 80, "HeightInPx": 46},
        None,
    ]
    assert all(abs(d["DurationInMs"] - 2000) < 100 for d in group["OutputDetails"])
    keys = server.keys(clip.bucket)
    assert {"made/clip_90pinit.cmfv", "made/clip_90p_000000002.cmfv"} <= set(keys)
    assert "made/clip_soundinit.cmfa" in keys
    folder = server.fetched(clip.bucket, tmp_path)
    for name in ("clip.m3u8", "clip.mpd"):
        assert complaints(folder / name) == ""


def test_the_cmaf_conforms_but_for_playlists_that_nobody_asked_for(
    server: LocalServer, clip: ClipInBucket, tmp_path: Path
) -> None:
    made = server.client().create_job(**job(clip.address, cmaf_group(clip.bucket)))
    server.ended(made["Job"]["Id"])
    folder = server.fetched(clip.bucket, tmp_path)

    command = [sys.executable, "-m", "hvcore_cli", "conform", folder / "clip.m3u8"]
    done = subprocess.run(
        [*command, "--json"], capture_output=True, check=False, timeout=60
    )

    found = json.loads(done.stdout)["findings"]
    broken = {one["rule"] for one in found if one["level"].upper() == "MUST"}
    assert broken == {"iframe-playlists"}, found


def test_each_segment_begins_with_a_key_frame_at_the_asked_for_time(
    server: LocalServer, clip: ClipInBucket
) -> None:
    made = server.client().create_job(**job(clip.address, cmaf_group(clip.bucket)))
    server.ended(made["Job"]["Id"])

    body = s3_client(server.s3_endpoint).get_object(
        Bucket=clip.bucket, Key="made/clip_46p.m3u8"
    )["Body"]
    lines = body.read().decode().splitlines()

    assert [line for line in lines if line.startswith("#EXTINF")] == [
        "#EXTINF:1.000000,",
        "#EXTINF:1.000000,",
    ]


def test_one_job_makes_files_and_hls_as_well(
    server: LocalServer, clip: ClipInBucket, tmp_path: Path
) -> None:
    slow = h264(
        FramerateControl="SPECIFIED", FramerateNumerator=15, FramerateDenominator=1
    )
    outputs = [
        output("MP4", "_a", VideoDescription=slow, AudioDescriptions=[aac()]),
        output("MOV", "_b", AudioDescriptions=[aac()], Extension="m4a"),
    ]
    wanted = job(
        clip.address, file_group(clip.bucket, *outputs), hls_group(clip.bucket)
    )

    made = server.client().create_job(**wanted)
    ended = server.ended(made["Job"]["Id"])

    assert ended["Status"] == "COMPLETE", ended
    folder = server.fetched(clip.bucket, tmp_path)
    assert {"made/clip_a.mp4", "made/clip_b.m4a", "made/show_low_00001.ts"} <= set(
        server.keys(clip.bucket)
    )
    for name in ("clip_a.mp4", "clip_b.m4a", "show.m3u8"):
        assert complaints(folder / name) == ""
    assert probed(folder / "clip_a.mp4")["avg_frame_rate"] == "15/1"


def test_hevc_in_a_single_file_plays(
    server: LocalServer, clip: ClipInBucket, tmp_path: Path
) -> None:
    h265 = {
        "Codec": "H_265",
        "H265Settings": {"RateControlMode": "VBR", "Bitrate": 200_000, "GopSize": 15.0},
    }
    group = cmaf_group(clip.bucket, SegmentControl="SINGLE_FILE")
    group["Outputs"][1]["VideoDescription"] = {"Height": 90, "CodecSettings": h265}

    made = server.client().create_job(**job(clip.address, group))
    ended = server.ended(made["Job"]["Id"])

    assert ended["Status"] == "COMPLETE", ended
    folder = server.fetched(clip.bucket, tmp_path)
    found = probed(folder / "clip_46p.cmfv")
    assert (found["codec_name"], found["codec_tag_string"]) == ("hevc", "hvc1")
    assert (found["width"], found["height"]) == (160, 90)
    assert complaints(folder / "clip.m3u8") == ""
    # Not ffmpeg: its older versions read ranges one byte short.
    manifest = (folder / "clip.mpd").read_text()
    for name in ("clip_90p.cmfv", "clip_46p.cmfv", "clip_sound.cmfa"):
        of_file = manifest.partition(name)[2].partition("</Representation>")[0]
        ranges = re.findall(r'ange="(\d+)-(\d+)"', of_file)
        ends = [0, *(int(last) + 1 for _, last in ranges)]
        assert [int(first) for first, _ in ranges] == ends[:-1]
        assert ends[-1] == (folder / name).stat().st_size


def test_pictures_are_captured_at_their_moments(
    server: LocalServer, clip: ClipInBucket, tmp_path: Path
) -> None:
    capture = {"FramerateNumerator": 1, "FramerateDenominator": 1, "MaxCaptures": 9}
    video = {
        "Width": 160,
        "Height": 90,
        "CodecSettings": {"Codec": "FRAME_CAPTURE", "FrameCaptureSettings": capture},
    }
    pictures = file_group(clip.bucket, output("RAW", "_still", VideoDescription=video))

    made = server.client().create_job(
        **job(clip.address, cmaf_group(clip.bucket), pictures)
    )
    ended = server.ended(made["Job"]["Id"])

    assert ended["Status"] == "COMPLETE", ended
    folder = server.fetched(clip.bucket, tmp_path)
    names = sorted(path.name for path in folder.glob("*_still*"))
    # Of two seconds; ffmpeg may show the last picture once more, at the end.
    assert names[:2] == ["clip_still.0000000.jpg", "clip_still.0000001.jpg"]
    assert len(names) <= 3
    found = probed(folder / names[0])
    assert (found["codec_name"], found["width"]) == ("mjpeg", 160)


def test_an_input_may_be_a_presigned_address(
    server: LocalServer, clip: ClipInBucket
) -> None:
    address = s3_client(server.s3_endpoint).generate_presigned_url(
        "get_object", Params={"Bucket": clip.bucket, "Key": "in/clip.mp4"}
    )

    made = server.client().create_job(**job(address, file_group(clip.bucket)))
    ended = server.ended(made["Job"]["Id"])

    assert ended["Status"] == "COMPLETE", ended
    assert "made/clip.mp4" in server.keys(clip.bucket)


def _blind(folder: Path) -> bytes:
    """
    Return a film that has an index, and other bytes where its pictures were.
    """
    film = make_clip(folder / "film.mp4", seconds=1, size="64x36").read_bytes()
    start, end = film.index(b"mdat") + 4, film.index(b"moov") - 4
    return film[:start] + b"\xff" * (end - start) + film[end:]


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("s3://{bucket}/nowhere.mp4", 1404),
        ("s3://no-such-bucket-at-all/clip.mp4", 1404),
        ("{endpoint}/{bucket}/in/clip.mp4", 3403),
        ("{presigned}", 3404),
        ("http://127.0.0.1:1/clip.mp4", 3451),
        ("s3://{bucket}/in/text.mp4", 1010),
        ("s3://{bucket}/in/silent.mp4", 1021),
        ("s3://{bucket}/in/blind.mp4", 1075),
    ],
)
def test_an_input_that_does_not_do_ends_the_job_with_its_code(
    server: LocalServer, clip: ClipInBucket, tmp_path: Path, source: str, code: int
) -> None:
    silent = make_clip(tmp_path / "s.mp4", seconds=1, size="64x36", audio=False)
    s3 = s3_client(server.s3_endpoint)
    s3.upload_file(str(silent), clip.bucket, "in/silent.mp4")
    s3.put_object(Bucket=clip.bucket, Key="in/text.mp4", Body=b"no video " * 999)
    s3.put_object(Bucket=clip.bucket, Key="in/blind.mp4", Body=_blind(tmp_path))
    address = source.format(
        bucket=clip.bucket,
        endpoint=server.s3_endpoint,
        presigned=s3.generate_presigned_url(
            "get_object", Params={"Bucket": clip.bucket, "Key": "nowhere.mp4"}
        ),
    )

    made = server.client().create_job(**job(address, file_group(clip.bucket)))
    ended = server.ended(made["Job"]["Id"])

    assert (ended["Status"], ended["ErrorCode"]) == ("ERROR", code), ended
    assert ended["ErrorMessage"]
    assert "made/" not in " ".join(server.keys(clip.bucket))


def test_a_bucket_that_is_missing_fails_the_upload(
    server: LocalServer, clip: ClipInBucket
) -> None:
    made = server.client().create_job(
        **job(clip.address, file_group("no-such-bucket-at-all"))
    )

    ended = server.ended(made["Job"]["Id"])

    assert (ended["Status"], ended["ErrorCode"]) == ("ERROR", 1404), ended


def test_events_tell_of_a_job_in_order(s3_endpoint: str, clip: ClipInBucket) -> None:
    with receiver() as hook:
        options = ("--events-url", hook.url, "--events-header", "X-Api-Key: told")
        with local_server(s3_endpoint, *options) as server:
            wanted = job(
                clip.address, hls_group(clip.bucket), UserMetadata={"video": "7"}
            )
            made = server.client().create_job(**wanted)
            server.ended(made["Job"]["Id"])
            # What waits is posted before it ends.
            assert server.stop() == 0
        events = [json.loads(one.body) for one in hook.received]

    details = [event["detail"] for event in events]
    assert [detail["status"] for detail in details] == [
        "PROGRESSING",
        "STATUS_UPDATE",
        "STATUS_UPDATE",
        "COMPLETE",
    ]
    assert {event["detail-type"] for event in events} == {
        "MediaConvert Job State Change"
    }
    assert {detail["jobId"] for detail in details} == {made["Job"]["Id"]}
    assert details[-1]["userMetadata"] == {"video": "7"}
    (group,) = details[-1]["outputGroupDetails"]
    assert group["playlistFilePaths"] == [f"s3://{clip.bucket}/made/show.m3u8"]
    assert hook.received[0].headers["x-api-key"] == "told"
