"""
Whatever comes in is read or refused, and every refusal can be sent.
"""

import contextlib
import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hvcore.domain.labels import metadata_term, tag_term
from hvcore.domain.limits import MAX_METADATA_KEYS
from hvcore.domain.processing.encoding import PixelFormat
from hvcore.domain.processing.transcoding import Capabilities
from hvcore.domain.videos.catalog import SortBy, SortDir, VideoQuery
from hvcore.domain.videos.states import VideoState
from hvcore.errors import HvError
from hvcore.wire.analytics.query import dates_in_order
from hvcore.wire.converter import read_document, read_query
from hvcore.wire.envelope import encode, problem
from hvcore.wire.query import ListParameters, SignedUrlParameters, days_in_order
from hvcore.wire.requests import (
    DeleteRequest,
    ProcessRequest,
    UploadUrlRequest,
    VideoUploadRequest,
    possible_with,
)
from hvcore_web.json_media import parse_json

UNABLE = Capabilities(
    name="none",
    pixel_formats=frozenset({PixelFormat.YUV420P}),
    audio_codecs=frozenset(),
    speeds=frozenset(),
)
FIELDS = st.sampled_from(
    [
        "filename",
        "fileName",
        "fileSize",
        "contentType",
        "gcsPath",
        "videoQuality",
        "allowPublicAccess",
        "videoName",
        "maxEdgeLength",
        "maxFrameRate",
        "pixelFormat",
        "rateControlMode",
        "twoPassVBREncoding",
        "compressionRatio",
        "audioCodec",
        "description",
        "reason",
    ]
)
WORDS = st.sampled_from(["high", "aac", "yuv444p", "video/mp4", "user_request", "fast"])
TEXTS = st.text(st.characters(), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner),
    max_leaves=5,
)
PARAMETERS = st.sampled_from(
    [
        "page",
        "pageSize",
        "sortBy",
        "sortDir",
        "status",
        "search",
        "from",
        "to",
        "expiration",
        "domains",
    ]
)


def sendable(error: HvError) -> None:
    assert error.http_status in {400, 422}
    assert error.errors
    assert json.loads(encode(problem(error, "r")))["code"] == error.code


@given(st.dictionaries(FIELDS | TEXTS, VALUES) | VALUES)
def test_any_document_is_read_or_refused(document: object) -> None:
    for cls in (UploadUrlRequest, VideoUploadRequest, ProcessRequest, DeleteRequest):
        try:
            read_document(cls, document, None)
            read_document(cls, document, possible_with(UNABLE, lambda _: ""))
        except HvError as error:
            sendable(error)


@given(st.dictionaries(PARAMETERS, TEXTS | st.lists(TEXTS, min_size=2, max_size=3)))
def test_any_query_is_read_or_refused(parameters: dict[str, str | list[str]]) -> None:
    for cls in (ListParameters, SignedUrlParameters):
        try:
            read_query(cls, parameters, days_in_order)
        except HvError as error:
            sendable(error)


def test_each_filter_of_a_list_stays_what_it_was_sent_as() -> None:
    sent: dict[str, str | list[str]] = {
        "page": "3",
        "pageSize": "7",
        "sortBy": "name",
        "sortDir": "asc",
        "status": "ready",
        "search": "sea",
        "from": "2026-11-01",
        "to": "2026-11-02",
        "externalID": "order/1",
        "tag": "summer",
        "metadata": ["plan:free", "order:9"],
        "allowPublicAccess": "false",
        "spoken": "good morning",
    }

    query = read_query(ListParameters, sent, days_in_order).query()

    assert query == VideoQuery(
        page=3,
        page_size=7,
        sort_by=SortBy.NAME,
        sort_dir=SortDir.ASC,
        state=VideoState.READY,
        search="sea",
        since=date(2026, 11, 1),
        until=date(2026, 11, 2),
        external_id="order/1",
        terms=frozenset(
            [
                tag_term("summer"),
                metadata_term("plan", "free"),
                metadata_term("order", "9"),
            ]
        ),
        is_public=False,
        spoken="good morning",
    )
    nothing = read_query(ListParameters, {"search": "", "spoken": ""}).query()
    assert nothing == read_query(ListParameters, {}).query()
    assert (nothing.search, nothing.spoken) == (None, None)


def test_a_filter_may_be_given_so_often_and_others_once() -> None:
    def problems(name: str, values: list[str]) -> list[str]:
        with pytest.raises(HvError) as caught:
            read_query(ListParameters, {name: values})
        return [item.message for item in caught.value.errors]

    most = [f"key-{n}:v" for n in range(MAX_METADATA_KEYS)]
    assert len(read_query(ListParameters, {"metadata": most}).query().terms) == len(
        most
    )
    assert problems("metadata", [*most, "one:more"]) == [
        f"metadata must be given at most {MAX_METADATA_KEYS} times."
    ]
    for name in ("tag", "search", "page"):
        assert problems(name, ["1", "2"]) == [f"{name} must be given once only."]


def test_a_range_of_days_may_be_one_day_and_not_end_before_it() -> None:
    def problems(last: date) -> list[str]:
        asked = {"startDate": date(2026, 11, 30), "endDate": last}
        return [problem.rule for problem in dates_in_order(asked)]

    assert problems(date(2026, 11, 30)) == []
    assert problems(date(2026, 11, 29)) == ["must not be after endDate"]
    for last, is_refused in (("2026-11-30", False), ("2026-11-29", True)):
        days: dict[str, str | list[str]] = {"from": "2026-11-30", "to": last}
        with (
            pytest.raises(HvError, match="from must not be after to")
            if is_refused
            else contextlib.nullcontext()
        ):
            read_query(ListParameters, days, days_in_order)


@given(
    st.binary(max_size=200) | TEXTS.map(lambda text: text.encode("utf-8", "replace"))
)
def test_any_bytes_are_json_or_refused(data: bytes) -> None:
    try:
        parse_json(data)
    except HvError as error:
        sendable(error)


@given(VALUES)
def test_json_is_read_as_the_standard_library_does(value: object) -> None:
    text = json.dumps(value)

    with contextlib.suppress(HvError):
        assert parse_json(text.encode()) == json.loads(text)
