"""
Names of operations, of which generators make methods.
"""

import pytest

from hvcore_api.openapi.names import operation_id, tag_of
from hvcore_api.routing import ENV, ORG, Route


class _Resource:
    pass


@pytest.mark.parametrize(
    ("name", "method", "path", "is_called"),
    [
        ("listVideos", "GET", "/v1/videos", "listVideos"),
        ("listVideos", "GET", f"{ENV}/videos", "listVideosInEnvironment"),
        ("listVideos", "GET", f"{ORG}/videos", "listVideosInOrganization"),
        ("", "GET", "/v1/notes", "getNotes"),
        ("", "POST", "/v1/notes/of-a.day", "postNotesOfADay"),
        ("", "GET", "/v1/notes/{noteId}", "getNotesByNoteId"),
        ("", "DELETE", "/v1/notes/{noteId}/lines", "deleteNotesLines"),
        ("", "GET", "/v1/", "getRoot"),
    ],
)
def test_an_operation_has_the_name_of_its_route_else_of_its_path(
    name: str, method: str, path: str, is_called: str
) -> None:
    assert operation_id(Route(method, path, _Resource, name=name)) == is_called


@pytest.mark.parametrize(
    ("group", "name", "path", "tag"),
    [
        ("Videos", "listVideos", "/v1/videos", "Videos"),
        ("Videos", "listVideos", f"{ORG}/videos", "Videos by organization"),
        ("Service", "getHealth", f"{ORG}/health", "Service"),
        ("Notes", "", f"{ORG}/notes", "Notes"),
    ],
)
def test_a_route_of_an_organization_has_a_tag_of_its_own(
    group: str, name: str, path: str, tag: str
) -> None:
    assert tag_of(group, Route("GET", path, _Resource, name=name)) == tag
