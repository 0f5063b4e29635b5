"""
Names of operations and of their tags in the OpenAPI document.

Generators make a class of a tag and a method of an operation. Routes by key and routes by
organization have different tags, so that a program that uses one kind need not see the other.
"""

from collections.abc import Mapping
from typing import Final

from hvcore_api.routing import ENV, ORG, Route

BY_ORGANIZATION: Final = " by organization"
"""The end of the tags of the family whose paths name the organization."""
_ENDINGS: Final[Mapping[str, str]] = {ENV: "InEnvironment", ORG: "InOrganization"}


def operation_id(route: Route) -> str:
    """
    Return the operation id of a route, such as ``listVideos`` or ``listVideosInEnvironment``.

    A plugin's route has no name; it is called after its path, such as
    ``getNotesByNoteId``.
    """
    if not route.name:
        return _name_of_path(route)
    endings = (end for root, end in _ENDINGS.items() if _is_below(route, root))
    return route.name + next(endings, "")


def tag_of(group: str, route: Route) -> str:
    """Return the OpenAPI tag of a route, by the group in which the route is documented."""
    # Environments are what an organization has; there is no such route by key.
    if not _is_below(route, ORG) or not route.name or group == "Service":
        return group
    return group + BY_ORGANIZATION


def _is_below(route: Route, root: str) -> bool:
    return route.path.startswith(f"{root}/")


def _name_of_path(route: Route) -> str:
    parts = route.path.removeprefix("/v1").strip("/").split("/")
    words = [part or "root" for part in parts if not part.startswith("{")]
    if parts[-1].startswith("{"):
        words.append(f"by-{parts[-1].strip('{}')}")
    text = "-".join(words).replace(".", "-")
    return route.method.lower() + "".join(
        word[:1].upper() + word[1:] for word in text.split("-")
    )
