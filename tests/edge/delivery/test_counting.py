"""
What is handed over is counted once, by the rule of the service.
"""

import re

import pytest

from tests.delivery.counting_cases import COUNTING_CASES, CountingCase
from tests.delivery.test_app import (
    NOT_FOUND,
    UNAUTHORIZED,
    outcome,
)
from tests.edge.delivery.requests import COUNTED, SEGMENT, SIZE, segment
from tests.edge.edge_site import WorkerBehindEdge
from tests.support.http.delivery_worker import PRIVATE_PATH, PUBLIC_PATH
from tests.support.live import until

pytestmark = pytest.mark.services


def test_a_whole_segment_is_counted(private: WorkerBehindEdge) -> None:
    assert segment(private, private.token()).status_code == 200

    assert (private.served(), private.counted) == ([COUNTED], [])


@pytest.mark.parametrize("case", COUNTING_CASES, ids=lambda case: case.range)
@pytest.mark.parametrize("storage", ["private", "far_away"])
def test_a_part_is_counted_if_it_is_more_than_half(
    request: pytest.FixtureRequest, storage: str, case: CountingCase
) -> None:
    """
    Whether the edge answers it or the service, as without an edge.
    """
    worker: WorkerBehindEdge = request.getfixturevalue(storage)
    before = worker.too_few()

    result = segment(worker, worker.token(), Range=case.of(SIZE))

    assert result.status_code == 206
    assert worker.served() + worker.counted == ([COUNTED] if case.counts else [])
    # The service notes what it does not count after it has answered.
    until(
        lambda: worker.too_few() - before == (0 if case.counts else 1),
        within_s=10,
        what="the note",
    )


def test_a_segment_that_nginx_says_more_about_is_counted_too(
    private: WorkerBehindEdge,
) -> None:
    # "100 Continue" is no byte of the segment, and nginx takes it for some.
    result = segment(private, private.token(), Expect="100-continue")

    assert outcome(result) == (200, "")
    assert private.served() + private.counted == [COUNTED]


def test_no_two_answers_have_one_number(private: WorkerBehindEdge) -> None:
    token = private.token()
    # More than the script gets at a time.
    answers = [segment(private, token, Range="bytes=0-0") for _ in range(300)]

    numbers = {answer.headers["X-Request-Id"] for answer in answers}
    assert len(numbers) == 300
    assert all(re.fullmatch("[0-9a-f]{32}", number) for number in numbers)


def test_a_cached_segment_is_permitted_and_counted_each_time(
    far_away: WorkerBehindEdge,
) -> None:
    token = far_away.token()
    whole = segment(far_away, token)
    far_away.storage.objects.clear()

    again = segment(far_away, token)
    part = segment(far_away, token, Range="bytes=0-9")

    assert again.content == whole.content
    assert part.content == whole.content[:10]
    # The part is too little.
    assert far_away.served() == [COUNTED] * 2
    assert far_away.counted == []
    # To caches it is one segment, whatever page asks.
    assert "vary" not in whole.headers
    assert outcome(segment(far_away, token[:-1])) == UNAUTHORIZED
    far_away.directory.entry = None
    far_away.publish()
    assert outcome(segment(far_away, token)) == NOT_FOUND


def test_a_file_lost_from_the_storage_is_refused_as_by_the_service(
    far_away: WorkerBehindEdge,
) -> None:
    far_away.storage.objects.clear()
    for cached_files in (far_away.site.edge.folder / "cache").rglob("*"):
        if cached_files.is_file():
            cached_files.unlink()
    query = f"token={far_away.token()}"
    path = f"{PRIVATE_PATH}/{SEGMENT}"

    # What was asked for a moment ago, nginx has open for up to a second more.
    until(
        lambda: outcome(far_away.get(path, query)) == NOT_FOUND,
        within_s=10,
        what="a refusal",
    )

    alone = far_away.client.simulate_get(path, query_string=query)
    assert outcome(alone) == NOT_FOUND


@pytest.mark.parametrize(
    ("file", "asked", "status"),
    [
        (SEGMENT, {"Range": f"bytes={SIZE - 1}-"}, 206),
        (SEGMENT, {"Range": f"bytes={SIZE}-"}, 416),
        (SEGMENT, {"If-None-Match": "*"}, 304),
        ("video/720p/init.m4s", {}, 200),
        ("video/init.m4s", {}, 200),
        ("audio/0.m4s", {}, 200),
        ("video-720p.m3u8", {}, 200),
    ],
)
def test_nothing_else_is_counted(
    private: WorkerBehindEdge, file: str, asked: dict[str, str], status: int
) -> None:
    query = f"token={private.token()}"

    result = private.get(f"{PRIVATE_PATH}/{file}", query, asked)

    assert result.status_code == status
    assert (private.served(), private.counted) == ([], [])


def test_head_tells_the_length_and_is_not_counted(private: WorkerBehindEdge) -> None:
    query = f"token={private.token()}"

    result = private.get(f"{PRIVATE_PATH}/{SEGMENT}", query, method="HEAD")

    assert (result.status_code, result.content) == (200, b"")
    assert result.headers["content-length"] == str(SIZE)
    assert (private.served(), private.counted) == ([], [])


@pytest.mark.parametrize(
    "asked",
    [
        {"Range": "bytes=-5"},
        {"Range": "bytes=2-1"},
        {"Range": "bytes=0-1,5-6"},
        {"Range": "bytes=0-9", "If-Range": '"another"'},
        {"If-None-Match": '"another"'},
        {"Range": "bytes=0-9"},
        {"Range": f"bytes={SIZE}-"},
        {"If-None-Match": "*"},
        {},
    ],
)
def test_headers_are_those_of_the_service(
    private: WorkerBehindEdge, asked: dict[str, str]
) -> None:
    query = f"token={private.token()}"
    through = private.get(f"{PRIVATE_PATH}/{SEGMENT}", query, asked)

    alone = private.client.simulate_get(
        f"{PRIVATE_PATH}/{SEGMENT}", query_string=query, headers=asked
    )

    assert (through.status_code, through.content) == (
        alone.status_code,
        alone.content,
    ) or (
        # The id of the request is another one.
        through.status_code == alone.status_code >= 400
    )
    for name in ("content-type", "content-range", "etag", "cache-control"):
        assert through.headers.get(name) == alone.headers.get(name), name
    for name in (
        *("access-control-allow-origin", "access-control-expose-headers"),
        "cross-origin-resource-policy",
    ):
        assert through.headers[name] == alone.headers[name]
    assert through.headers["x-content-type-options"] == "nosniff"


def test_a_range_on_a_condition_that_says_nothing_is_the_whole_and_counts(
    public: WorkerBehindEdge,
) -> None:
    asked = {"Range": "bytes=5-", "If-Range": ""}

    result = public.get(f"{PUBLIC_PATH}/{SEGMENT}", "", asked)

    assert (result.status_code, len(result.content)) == (200, SIZE)
    assert public.served() + public.counted == [COUNTED]


@pytest.mark.parametrize("file", [SEGMENT, "video-720p.m3u8"])
@pytest.mark.parametrize(
    "asked",
    [
        {"If-Match": ""},
        {"If-Unmodified-Since": ""},
        {"Range": "bytes=5-9", "If-Range": ""},
        {"If-None-Match": ""},
        {"If-Modified-Since": ""},
        {"Range": ""},
        {"Expect": ""},
    ],
)
def test_a_header_that_says_nothing_is_answered_as_by_the_service(
    public: WorkerBehindEdge, file: str, asked: dict[str, str]
) -> None:
    path = f"{PUBLIC_PATH}/{file}"

    through = public.get(path, "", asked)

    alone = public.client.simulate_get(path, headers=asked)
    assert through.status_code == alone.status_code
    assert through.content == alone.content
    assert through.headers.get("content-range") == alone.headers.get("content-range")
