"""
A change whose members are all unknown is refused, and says what was meant.
"""

import pytest

from hvcore.errors import InvalidParametersError
from hvcore.wire.member_names import read_changes
from hvcore.wire.videos.changes import VideoChangeRequest


def refused(document: object) -> InvalidParametersError:
    with pytest.raises(InvalidParametersError) as caught:
        read_changes(VideoChangeRequest, document)
    return caught.value


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("name", ": did you mean videoName?"),
        ("video_name", ": did you mean videoName?"),
        ("Description", ": did you mean description?"),
        ("descxription", ": did you mean description?"),
        ("PUBLIC-access", ": did you mean allowPublicAccess?"),
        ("xyzzy", "."),
        ("?!", "."),
    ],
)
def test_an_unknown_member_says_what_was_meant(name: str, hint: str) -> None:
    error = refused({name: 1})

    told = f"{name} is not a member that can be changed{hint}"
    assert [(one.message, one.location) for one in error.errors] == [
        (told, f"body.{name}")
    ]
    assert error.detail.startswith(f"{told} What can be changed is videoName, desc")


def test_eight_unknown_members_are_told_and_64_characters_of_each() -> None:
    error = refused({f"{n}{'a' * 70}": n for n in range(9)})

    assert [one.location for one in error.errors] == [
        f"body.{n}{'a' * 63}" for n in range(8)
    ]


def test_a_change_with_one_known_member_or_none_is_read() -> None:
    change = read_changes(VideoChangeRequest, {"name": 1, "videoName": "a"})

    assert change.changes().name == "a"
    assert read_changes(VideoChangeRequest, {}).changes().name is None


def test_each_member_of_a_change_stays_what_it_was_sent_as() -> None:
    document = {
        "videoName": "a",
        "description": "b",
        "allowPublicAccess": True,
        "allowDownload": False,
    }

    change = read_changes(VideoChangeRequest, document).changes()

    assert (change.name, change.description) == ("a", "b")
    assert (change.is_public, change.allows_download) == (True, False)
    assert not change.clears_description
    cleared = read_changes(VideoChangeRequest, {"description": None}).changes()
    assert (cleared.description, cleared.clears_description) == (None, True)
