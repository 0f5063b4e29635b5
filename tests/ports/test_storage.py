"""
Paths of objects: none leaves the storage.
"""

import pytest

from hvcore.ports.storage import check_object_path


@pytest.mark.parametrize("path", ["a", "a/b.mp4", ".a/..b/c...", "ä/ü b", "a.b/-"])
def test_a_path_of_an_object_is_taken_as_it_is(path: str) -> None:
    assert check_object_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        *("", "/", "/a", "a/", "a//b"),
        *(".", "..", "../a", "a/..", "a/../b", "a/./b", "./a"),
        *("a\0", "a\nb", "a\x7f", "a\u2028b"),
    ],
)
def test_a_path_that_might_leave_the_storage_is_an_error(path: str) -> None:
    with pytest.raises(ValueError, match="not a path of an object"):
        check_object_path(path)
