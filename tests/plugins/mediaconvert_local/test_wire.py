"""
JSON of the API: absent members, and what is laid over a template.
"""

from hvcore_mediaconvert_local.wire import (
    laid_over,
    leaves,
    object_at,
    objects_at,
    without_nulls,
)


def test_an_object_that_is_laid_over_wins_member_by_member_and_item_by_item() -> None:
    under = {"a": 1, "b": {"c": 1, "d": 1}, "e": [{"f": 1}, 2, 3], "g": [1]}
    over = {"b": {"d": 2}, "e": [{"h": 2}, 4], "g": [5, 6], "i": 7}

    assert laid_over(under, over) == {
        "a": 1,
        "b": {"c": 1, "d": 2},
        "e": [{"f": 1, "h": 2}, 4, 3],
        "g": [5, 6],
        "i": 7,
    }
    assert laid_over({"a": [1], "b": {"c": 1}}, {"a": 2, "b": [3]}) == {
        "a": 2,
        "b": [3],
    }


def test_members_that_are_null_are_absent() -> None:
    found = {"a": None, "b": [{"c": None, "d": 0}, None], "e": {}}

    assert without_nulls(found) == {"b": [{"d": 0}, None], "e": {}}
    assert object_at({"a": None}, "a", "b") == {}
    assert object_at({"a": {"b": {"c": 1}}}, "a", "b") == {"c": 1}
    assert objects_at({"a": None}, "a") == objects_at({}, "a") == ()


def test_every_value_has_its_path() -> None:
    assert [*leaves({"a": [1, {"b": "x"}], "c": {}})] == [("/a/0", 1), ("/a/1/b", "x")]
