"""
The content type that a request announces for an upload.
"""

import pytest

from hvcore.wire.kinds import FieldRefusedError
from hvcore.wire.uploads.content_type import MAX_CONTENT_TYPE_CHARS, AnnouncedType

_TYPE = "video/mp4; codecs="


def test_the_longest_content_type_is_accepted_and_a_longer_one_refused() -> None:
    longest = _TYPE + "a" * (MAX_CONTENT_TYPE_CHARS - len(_TYPE))

    assert AnnouncedType().from_text(longest) == longest
    with pytest.raises(FieldRefusedError, match="must be one of video/mp4"):
        AnnouncedType().from_text(longest + "a")
