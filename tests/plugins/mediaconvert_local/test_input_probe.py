"""
Probe says what an input is before a job is made of it.
"""

import pytest
from botocore.exceptions import ClientError

from hvcore_mediaconvert_local.input_probe import probe_result
from tests.plugins.mediaconvert_local.conftest import ClipInBucket
from tests.plugins.mediaconvert_local.local_server import LocalServer
from tests.support.stores.object_store import s3_client


@pytest.mark.services
def test_an_input_is_described(server: LocalServer, clip: ClipInBucket) -> None:
    answer = server.client().probe(InputFiles=[{"FileUrl": clip.address}])

    (found,) = answer["ProbeResults"]
    video, audio = found["Container"]["Tracks"]
    assert found["Container"]["Format"] == "mp4"
    assert found["Container"]["Duration"] == pytest.approx(2, abs=0.1)
    assert found["Metadata"]["FileSize"] > 1000
    assert (video["Index"], video["Codec"]) == (1, "AVC")
    shown = video["VideoProperties"]
    assert (shown["Width"], shown["Height"]) == (320, 180)
    assert shown["FrameRate"] == {"Numerator": 30, "Denominator": 1}
    assert shown["CodecMetadata"]["ChromaSubsampling"] == "4:2:0"
    assert audio["AudioProperties"]["Channels"] == 1


@pytest.mark.services
@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("s3://{bucket}/in/other.mp4", "NotFoundException"),
        ("s3://{bucket}/in/text.mp4", "UnprocessableEntityException"),
        ("", "BadRequestException"),
    ],
)
def test_what_cannot_be_read_is_an_error(
    server: LocalServer, clip: ClipInBucket, address: str, kind: str
) -> None:
    s3_client(server.s3_endpoint).put_object(
        Bucket=clip.bucket, Key="in/text.mp4", Body=b"no video"
    )
    wanted = address.format(bucket=clip.bucket)

    with pytest.raises(ClientError) as refused:
        server.client().probe(InputFiles=[{"FileUrl": wanted}])

    assert refused.value.response["Error"]["Code"] == kind


def test_turns_shapes_and_light_are_in_mediaconverts_words() -> None:
    stream = {
        "index": 0,
        "codec_type": "video",
        "codec_name": "hevc",
        "width": 720,
        "height": 576,
        "pix_fmt": "yuv420p10le",
        "field_order": "tt",
        "avg_frame_rate": "30000/1001",
        "sample_aspect_ratio": "16:11",
        "color_transfer": "smpte2084",
        "side_data_list": [{"rotation": -90}],
    }
    cover = {
        "index": 1,
        "codec_type": "video",
        "codec_name": "mjpeg",
        "disposition": {"attached_pic": 1},
    }

    found = probe_result({"streams": [stream, cover], "format": {}}, 10)

    video, other = found["container"]["tracks"]
    shown = video["videoProperties"]
    assert shown["rotation"] == 90
    assert shown["sampleAspectRatio"] == {"numerator": 16, "denominator": 11}
    assert shown["transferCharacteristics"] == "SMPTE_2084"
    assert shown["codecMetadata"]["scanType"] == "Interlaced"
    assert shown["bitDepth"] == 10
    assert other["trackType"] == "data"
    assert found["trackMappings"][0]["videoTrackIndexes"] == [1]
