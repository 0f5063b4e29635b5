"""
Answers that are made once for all who ask for the same.
"""

import attrs
import pytest

from hvcore.services.playback.responses import Lifetime, PlaybackResponse, StoredFile
from hvcore_web.representations import Wanted, represent
from tests.support.media_samples import BytesStorage

WHOLE = Wanted(accept_encoding="gzip")
SEGMENT = PlaybackResponse(
    body=StoredFile(storage=BytesStorage(), path="0.m4s", file_bytes=100),
    content_type="video/mp4",
    etag="a",
    lifetime=Lifetime.IMMUTABLE,
    is_public=True,
)


def test_the_whole_of_a_file_is_one_object_for_all() -> None:
    first = represent(WHOLE, SEGMENT)

    assert represent(Wanted(), attrs.evolve(SEGMENT)) is first
    assert first.body is SEGMENT.body
    assert (first.start, first.end, first.size_bytes) == (0, 100, 100)


@pytest.mark.parametrize(
    "other",
    [
        attrs.evolve(SEGMENT, is_public=False),
        attrs.evolve(SEGMENT, etag="b"),
        attrs.evolve(SEGMENT, content_type="audio/mp4"),
        attrs.evolve(SEGMENT, lifetime=Lifetime.PICTURE),
        attrs.evolve(SEGMENT, lifetime=Lifetime.ONCE),
        attrs.evolve(
            SEGMENT,
            body=StoredFile(storage=BytesStorage(), path="0.m4s", file_bytes=100),
        ),
    ],
)
def test_a_response_served_otherwise_is_another_answer(other: PlaybackResponse) -> None:
    first, second = represent(WHOLE, SEGMENT), represent(WHOLE, other)

    assert second.headers != first.headers or second.body is not first.body


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        (Wanted(is_head=True), "200 OK"),
        (Wanted(range="bytes=0-0"), "206 Partial Content"),
        (Wanted(if_none_match='"a"'), "304 Not Modified"),
    ],
)
def test_a_request_for_less_gets_less(wanted: Wanted, status: str) -> None:
    represent(WHOLE, SEGMENT)

    chosen = represent(wanted, SEGMENT)

    assert chosen.status == status
    assert chosen.body is None or chosen.end == 1
