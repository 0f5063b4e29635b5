"""
The documented request bodies and queries, field by field.
"""

from collections.abc import Callable
from datetime import date

import pytest

from hvcore.domain.processing.encoding import (
    AudioCodec,
    EncodingSettings,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
)
from hvcore.domain.processing.transcoding import Capabilities
from hvcore.domain.uploads.content_types import CONTENT_TYPES
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.catalog import SortBy, SortDir, VideoQuery
from hvcore.domain.videos.deletion import DeletionReason
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import VideoWanted
from hvcore.errors import HvError, InvalidParametersError
from hvcore.wire.converter import read_document, read_query
from hvcore.wire.query import ListParameters, SignedUrlParameters, days_in_order
from hvcore.wire.requests import (
    DeleteRequest,
    ProcessRequest,
    UploadUrlRequest,
    VideoUploadRequest,
    possible_with,
)

FILE = {"filename": "clip.mp4", "fileSize": 1000}
PROCESS = {
    "gcsPath": "uploads/a/b/c",
    "videoQuality": "high",
    "allowPublicAccess": True,
}
ABLE = Capabilities(
    name="scratch 1.0",
    pixel_formats=frozenset({PixelFormat.YUV420P}),
    audio_codecs=frozenset({AudioCodec.AAC}),
    speeds=frozenset({Speed.VERYFAST}),
)


def test_upload_url_has_its_documented_defaults() -> None:
    assert read_document(UploadUrlRequest, FILE).file_wanted() == FileWanted(
        file_name="clip.mp4", content_type="video/mp4", size_bytes=1000
    )


@pytest.mark.parametrize("content_type", CONTENT_TYPES)
def test_upload_url_takes_every_documented_content_type(content_type: str) -> None:
    wanted = read_document(UploadUrlRequest, FILE | {"contentType": content_type})

    assert wanted.content_type == content_type


def test_family_b_needs_only_a_file_name() -> None:
    request = read_document(VideoUploadRequest, {"fileName": "clip.mp4"})

    assert request.file_wanted() == FileWanted(
        file_name="clip.mp4", content_type=None, size_bytes=None
    )
    assert request.video.video_wanted() == VideoWanted(
        settings=EncodingSettings(preset=Preset.STANDARD),
        is_public=False,
        name=None,
        description=None,
    )


def test_family_b_takes_all_that_process_takes() -> None:
    request = read_document(
        VideoUploadRequest,
        {
            "fileName": "clip.mov",
            "allowPublicAccess": True,
            "videoQuality": "ultra",
            "fileSize": 5,
            "contentType": "video/quicktime",
            "videoName": "A name",
            "description": "",
            "maxFrameRate": 30,
        },
    )

    assert request.file_wanted().content_type == "video/quicktime"
    assert request.video.video_wanted() == VideoWanted(
        settings=EncodingSettings(preset=Preset.ULTRA, max_frame_rate=30),
        is_public=True,
        name="A name",
        description="",
    )


def test_process_has_its_documented_defaults() -> None:
    request = read_document(ProcessRequest, PROCESS)

    assert request.path == "uploads/a/b/c"
    assert request.video_wanted() == VideoWanted(
        settings=EncodingSettings(
            preset=Preset.HIGH,
            max_edge_px=None,
            max_frame_rate=None,
            pixel_format=PixelFormat.YUV420P,
            rate_control=RateControl.VARIABLE,
            two_pass=False,
            speed=Speed.VERYFAST,
            audio_codec=AudioCodec.AAC,
        ),
        is_public=True,
    )


@pytest.mark.parametrize(
    ("field", "value", "attribute", "read"),
    [
        ("maxEdgeLength", -1, "max_edge_px", None),
        *[("maxEdgeLength", n, "max_edge_px", n) for n in (480, 720, 1080, 1440, 2160)],
        ("maxFrameRate", -1, "max_frame_rate", None),
        ("maxFrameRate", 1, "max_frame_rate", 1),
        ("maxFrameRate", 240, "max_frame_rate", 240),
        *[("pixelFormat", f.value, "pixel_format", f) for f in PixelFormat],
        *[("rateControlMode", m.value, "rate_control", m) for m in RateControl],
        ("twoPassVBREncoding", True, "two_pass", True),
        *[("compressionRatio", s.value, "speed", s) for s in Speed],
        *[("audioCodec", c.value, "audio_codec", c) for c in AudioCodec],
        *[("videoQuality", p.value, "preset", p) for p in Preset],
    ],
)
def test_process_takes_every_documented_value(
    field: str, value: object, attribute: str, read: object
) -> None:
    settings = read_document(ProcessRequest, PROCESS | {field: value}).video_wanted()

    assert getattr(settings.settings, attribute) == read


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("pixelFormat", "yuv420p12b"),
        ("compressionRatio", "ultraslow"),
        ("audioCodec", "aac-he"),
    ],
)
def test_a_setting_that_the_transcoder_lacks_is_refused_and_named(
    field: str, value: str
) -> None:
    with pytest.raises(InvalidParametersError) as raised:
        read_document(
            ProcessRequest, PROCESS | {field: value}, possible_with(ABLE, lambda _: "")
        )

    assert raised.value.http_status == 422
    assert "scratch 1.0" in raised.value.detail
    assert raised.value.errors[0].location == f"body.{field}"
    assert raised.value.errors[0].value == value


def test_a_setting_that_the_transcoder_lacks_is_told_beside_other_problems() -> None:
    document = PROCESS | {
        "audioCodec": "aac-he",
        "maxFrameRate": 0,
        "pixelFormat": "yuv444p",
    }

    with pytest.raises(InvalidParametersError) as raised:
        read_document(ProcessRequest, document, possible_with(ABLE, lambda _: ""))

    assert raised.value.http_status == 400
    assert [item.location for item in raised.value.errors] == [
        "body.maxFrameRate",
        "body.pixelFormat",
        "body.audioCodec",
    ]


def test_auto_detect_and_defaults_need_no_ability() -> None:
    unable = Capabilities(
        name="none",
        pixel_formats=frozenset(),
        audio_codecs=frozenset(),
        speeds=frozenset(),
    )
    document = PROCESS | {"pixelFormat": "autoDetect"}

    request = read_document(
        ProcessRequest, document, possible_with(unable, lambda _: "")
    )

    assert request.encoding.pixel_format is PixelFormat.AUTO_DETECT


@pytest.mark.parametrize("reason", DeletionReason)
def test_delete_takes_every_documented_reason(reason: DeletionReason) -> None:
    assert read_document(DeleteRequest, {"reason": reason.value}).reason is reason


def test_delete_needs_no_reason() -> None:
    assert read_document(DeleteRequest, {}).reason is None


def test_list_has_its_documented_defaults() -> None:
    assert read_query(ListParameters, {}).query() == VideoQuery(
        page=1,
        page_size=20,
        sort_by=SortBy.CREATED_AT,
        sort_dir=SortDir.DESC,
        state=None,
        search=None,
        since=None,
        until=None,
    )


def test_list_takes_all_eight_parameters() -> None:
    parameters: dict[str, str | list[str]] = {
        "page": "3",
        "pageSize": "100",
        "sortBy": "duration",
        "sortDir": "asc",
        "status": "failed",
        "search": "Ünïcode",
        "from": "2026-01-02",
        "to": "2026-01-02",
    }

    assert read_query(ListParameters, parameters, days_in_order).query() == VideoQuery(
        page=3,
        page_size=100,
        sort_by=SortBy.DURATION,
        sort_dir=SortDir.ASC,
        state=VideoState.FAILED,
        search="Ünïcode",
        since=date(2026, 1, 2),
        until=date(2026, 1, 2),
    )


def test_an_empty_search_finds_everything() -> None:
    assert read_query(ListParameters, {"search": ""}).query().search is None


def test_days_out_of_order_are_reported_beside_other_problems() -> None:
    parameters: dict[str, str | list[str]] = {
        "pageSize": "0",
        "from": "2026-01-03",
        "to": "2026-01-02",
    }

    with pytest.raises(HvError) as raised:
        read_query(ListParameters, parameters, days_in_order)

    assert [item.location for item in raised.value.errors] == [
        "query.pageSize",
        "query.from",
    ]


def test_signed_url_defaults_to_an_hour_anywhere() -> None:
    assert read_query(SignedUrlParameters, {}) == SignedUrlParameters(
        expires_in_s=3600, domains=()
    )


def test_the_first_problem_of_several_gives_status_and_code() -> None:
    def refusal(read: Callable[[], object]) -> tuple[int, str]:
        with pytest.raises(HvError) as raised:
            read()
        return raised.value.http_status, raised.value.code

    def body(cls: type[object], **sent: object) -> tuple[int, str]:
        return refusal(lambda: read_document(cls, sent))

    def query(**sent: str) -> tuple[int, str]:
        return refusal(lambda: read_query(ListParameters, dict(sent)))

    assert body(UploadUrlRequest, fileSize="x") == (400, "invalid_parameters")
    of_type = FILE | {"fileSize": "x", "contentType": "x"}
    assert body(UploadUrlRequest, **of_type) == (422, "invalid_file_size")
    of_path = PROCESS | {"gcsPath": 5, "videoQuality": None}
    assert body(ProcessRequest, **of_path) == (422, "invalid_gcs_path")
    assert query(page="0", pageSize="0") == (400, "invalid_parameters")
    assert query(pageSize="x", **{"from": "x"}) == (422, "invalid_page_size")
