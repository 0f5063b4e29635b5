"""
Conditions of changes, as headers have them.
"""

import pytest

from hvcore.domain.videos.preconditions import IfMatch
from hvcore.wire.entity_tags import quoted, read_if_match


@pytest.mark.parametrize(
    ("header", "condition"),
    [
        (None, None),
        ("*", IfMatch(is_any=True)),
        (" * ", IfMatch(is_any=True)),
        (quoted("a"), IfMatch(tags=frozenset({"a"}))),
        ('W/"a", "b"', IfMatch(tags=frozenset({"a", "b"}))),
        ('"*"', IfMatch(tags=frozenset({"*"}))),
        ("a", IfMatch()),
        ("", IfMatch()),
    ],
)
def test_a_condition_is_any_video_or_that_of_some_tags(
    header: str | None, condition: IfMatch | None
) -> None:
    assert read_if_match(header) == condition
