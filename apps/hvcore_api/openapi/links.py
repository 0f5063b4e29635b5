"""
Describe OpenAPI links: the operations that can use values of another operation's answer.

Source: OpenAPI 3.1.1, "Link Object". Readers of the document follow them, and so does
schemathesis when it tests.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from hvcore_api.openapi.components import Components, Document
from hvcore_api.openapi.names import operation_id
from hvcore_api.routing import ORG, Route, own_name

_VIDEO: Final = "video_id"
_ORG: Final = "org_id"
_ENV: Final = "env_ref"


@attrs.frozen(kw_only=True)
class _Given:
    """
    The ids in an answer, with which a client calls further routes.

    Attributes:
        values: Where the answer has parameters of paths, by our names of these.
        leads_to: Names of routes; None for all whose path needs a value of it.
    """

    values: Mapping[str, str]
    leads_to: Sequence[str] | None = None

    def takes(self, route: Route) -> bool:
        """Return whether a route is among those that the answer leads to."""
        if self.leads_to is not None:
            return route.name in self.leads_to
        names = {own_name(name) for name in route.parameters}
        return bool(names & set(self.values)) or not names


_NEW_VIDEO: Final = _Given(
    values={_VIDEO: "/body/videoID"}, leads_to=("getVideoDetails", "completeUpload")
)
_GIVEN: Final[Mapping[str, _Given]] = {
    "createResumableUpload": _NEW_VIDEO,
    "createUploadUrl": _NEW_VIDEO,
    "createVideoFromUrl": _NEW_VIDEO,
    "processVideo": _NEW_VIDEO,
    "retryVideo": _NEW_VIDEO,
    "restoreVideo": _Given(values={_VIDEO: "/body/id"}, leads_to=("getVideoDetails",)),
    "listDeletedVideos": _Given(
        values={_VIDEO: "/body/videos/0/id"}, leads_to=("restoreVideo",)
    ),
    "getVideoDetails": _Given(values={_VIDEO: "/body/id"}),
    "listVideos": _Given(
        values={_VIDEO: "/body/videos/0/id"}, leads_to=("getVideo", "getVideoDetails")
    ),
    "listEvents": _Given(
        values={_VIDEO: "/body/events/0/videoId"}, leads_to=("getVideo", "listEvents")
    ),
    "createEdgeKey": _Given(
        values={_VIDEO: "/body/videoID", "edge_key": "/body/edgeKey"},
        leads_to=(
            *("listEdgeKeys", "getEdgeKey"),
            *("revokeVideoEdgeKey", "revokeEdgeKey"),
        ),
    ),
    "createShareLink": _Given(
        values={_VIDEO: "/body/videoID", "share_id": "/body/shareID"},
        leads_to=("listShareLinks", "revokeShareLink"),
    ),
    "listCaptions": _Given(
        values={"language": "/body/captions/0/language"},
        leads_to=("setCaptions", "removeCaptions", "getTranscript"),
    ),
    "setCaptions": _Given(values={}, leads_to=("listCaptions", "removeCaptions")),
    "setChapters": _Given(values={}, leads_to=("listChapters", "removeChapters")),
    "getWhoAmI": _Given(values={_ORG: "/body/orgID", _ENV: "/body/envID"}),
}
"""The links from an answer to further requests, by the names of routes."""

_QUERY: Final = {("listEvents", "listEvents"): {"query.after": "/body/cursor"}}
"""The query parameters whose values stand in an answer, by the routes of the answer and of
the next request."""


def links_of(route: Route, routes: Iterable[Route], components: Components) -> Document:
    """
    Return the OpenAPI links of a route's successful answer, by the id of the linked operation.

    Args:
        routes: All routes of the API.
        components: The collection that gets the parts that routes share.
    """
    given = _GIVEN.get(route.name)
    if given is None:
        return {}
    links: Document = {}
    for other in routes:
        if not other.name or other.is_open or not given.takes(other):
            continue
        if not _are_of_one_family(route, other):
            continue
        parameters = dict(_parameters(given, route, other))
        if parameters.keys() != {f"path.{name}" for name in other.parameters}:
            continue
        for name, pointer in _QUERY.get((route.name, other.name), {}).items():
            parameters[name] = f"$response.body#{pointer}"
        name = operation_id(other)
        link: Document = {"operationId": name, "parameters": parameters}
        links[name] = components.part("links", _link_name(route, other, link), link)
    return links


def _link_name(route: Route, other: Route, link: Document) -> str:
    """Return the name that all routes share which lead there in the same way."""
    if "$response" not in str(link) or route.answer is None:
        return operation_id(other)
    return f"{operation_id(other)}From{route.answer['title']}"


def _parameters(given: _Given, route: Route, other: Route) -> Iterator[tuple[str, str]]:
    for name in other.parameters:
        own = own_name(name)
        if own in given.values:
            yield f"path.{name}", f"$response.body#{given.values[own]}"
        elif own in map(own_name, route.parameters):
            yield f"path.{name}", f"$request.path.{route.documented_name(own)}"


def _are_of_one_family(route: Route, other: Route) -> bool:
    """
    Return whether who uses one route goes on with the other.

    What describes the key leads to both families.
    """
    return route.name == "getWhoAmI" or _is_by_organization(
        route
    ) == _is_by_organization(other)


def _is_by_organization(route: Route) -> bool:
    return route.path.startswith(f"{ORG}/")
