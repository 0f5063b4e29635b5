"""
The content type that a request announces for an upload.
"""

import pytest

from hvcore.wire.kinds import FieldRefusedError
from hvcore.wire.uploads.content_type import MAX_CONTENT_TYPE_CHARS, AnnouncedType

_TYPE = "video/mp4; codecs="


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", None),
        (" \t", None),
        (" video/mp4\t", "video/mp4"),
        ("video/mp4 ;codecs=x", "video/mp4 ;codecs=x"),
    ],
)
def test_space_around_a_content_type_is_no_part_of_it(
    text: str, read: str | None
) -> None:
    assert AnnouncedType().from_text(text) == read


def test_the_longest_content_type_is_accepted_and_a_longer_one_refused() -> None:
    longest = _TYPE + "a" * (MAX_CONTENT_TYPE_CHARS - len(_TYPE))

    assert AnnouncedType().from_text(longest) == longest
    with pytest.raises(FieldRefusedError, match="must be one of video/mp4"):
        AnnouncedType().from_text(longest + "a")
