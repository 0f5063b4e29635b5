"""The type of an API route: an HTTP method of an address, its names, errors and documentation."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

import attrs

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.errors import HvError
from hvcore.wire.schema import Schema

_PARAMETERS: Final = {
    "orgID": "org_id",
    "envID": "env_ref",
    "publicID": "video_id",
    "videoID": "video_id",
    "assetId": "video_id",
    "shareID": "share_id",
    "edgeKey": "edge_key",
    "language": "language",
}
"""
The interface's names of path parameters, and ours.

It calls a video by three names, and Falcon takes only one in one place.
"""
_PARAMETER = re.compile(r"\{(\w+)\}")

ORG: Final = "/v1/api/{orgID}"
"""The beginning of paths of family A, which name the organization."""
ENV: Final = f"{ORG}/environments/{{envID}}"
KEY: Final = "/v1"
"""The beginning of paths of family B, for which the API key gives organization and
environment."""


@attrs.frozen(kw_only=True)
class Special:
    """
    The media types, headers and status in which a route differs from the usual JSON answer.

    Attributes:
        request_types: The media types of request bodies that are not JSON.
        max_body_bytes: The size limit of a request body that is not JSON.
        request_headers: The request headers that only this route reads.
        required_headers: The request headers that must be there.
        refused_headers: The request headers that the route refuses, because they make the
            request another one.
        header_fields: The class of the fields that one of the request headers carries.
        status: The HTTP status of a success.
        answer_headers: The headers that only a success of this route carries.
        answer_type: The media type of a success that is sent without the envelope ``body``;
            ``answer`` of the route is its schema, if there is one.
        further_types: The media types in which a success is also sent, if a client asks for one.
        is_for_every_page: Whether web pages of any origin may load the answer.
    """

    request_types: tuple[str, ...] = ()
    max_body_bytes: int | None = None
    request_headers: Mapping[str, Schema] = attrs.field(factory=dict)
    required_headers: tuple[str, ...] = ()
    refused_headers: tuple[str, ...] = ()
    header_fields: type | None = None
    status: int = 200
    answer_headers: Mapping[str, Schema] = attrs.field(factory=dict)
    answer_type: str | None = None
    further_types: tuple[str, ...] = ()
    is_for_every_page: bool = False


PLAIN: Final = Special()


def parameters_of(path: str) -> list[str]:
    """Return the names of the parameters in a path template, such as ``orgID``."""
    names: list[str] = _PARAMETER.findall(path)
    return names


def own_name(parameter: str) -> str:
    """
    Return our Python name of a path parameter, such as ``org_id`` for ``orgID``.

    Parameters of plugins keep their names.
    """
    return _PARAMETERS.get(parameter, parameter)


@cache
def template_of(path: str) -> str:
    """Return a path template with the Python names of its parameters, as Falcon gets it."""
    return _PARAMETER.sub(lambda found: f"{{{own_name(found[1])}}}", path)


# A route is itself: its schemas cannot be hashed.
@attrs.frozen(eq=False)
class Route:
    """
    A route of the API: an HTTP method of an address.

    Attributes:
        path: The path as the interface document spells it.
        resource: The class of the Falcon resource that answers, made of the services
            or, if it shows the API's description, of a function that makes that.
            Routes that share an address share the class.
        name: The name that programs use, such as ``listVideos``; the same for all routes
            that do the same. Routes of plugins have none.
        summary: The route's purpose in a few words.
        answer: The schema of the payload under ``body``; None where the answer
            has none of this shape.
        permission: The permission that the key needs, if any.
        bucket: The rate limit under which the route counts, besides that of all requests.
        body: The class of the request's body (``wire.requests``), if it has one.
        query: The class of the request's query (``wire.query``), if it has one.
        errors: The errors that only this route can answer, not those of every route.
        is_open: Whether the route needs no key.
        is_for_every_key: Whether any valid key will do, also one that determines no
            organization or environment.
        is_idempotent: Whether the route creates something and so obeys ``Idempotency-Key``.
        has_optional_body: Whether the body may be left out.
        special: The headers and bodies of the route that are not JSON.
    """

    method: str
    path: str
    resource: Callable[..., object]
    name: str = attrs.field(default="", kw_only=True)
    summary: str = attrs.field(default="", kw_only=True)
    answer: Schema | None = attrs.field(default=None, kw_only=True)
    permission: Permission | None = attrs.field(default=None, kw_only=True)
    bucket: Bucket | None = attrs.field(default=None, kw_only=True)
    body: type | None = attrs.field(default=None, kw_only=True)
    query: type | None = attrs.field(default=None, kw_only=True)
    errors: tuple[type[HvError], ...] = attrs.field(default=(), kw_only=True)
    is_open: bool = attrs.field(default=False, kw_only=True)
    is_for_every_key: bool = attrs.field(default=False, kw_only=True)
    is_idempotent: bool = attrs.field(default=False, kw_only=True)
    has_optional_body: bool = attrs.field(default=False, kw_only=True)
    special: Special = attrs.field(default=PLAIN, kw_only=True)

    @property
    def template(self) -> str:
        """The path template with the Python names of its parameters, as Falcon gets it."""
        return template_of(self.path)

    def documented_name(self, parameter: str) -> str:
        """Return the interface's name of a path parameter (``orgID``) by its Python name (``org_id``)."""
        return next(n for n in self.parameters if own_name(n) == parameter)

    @property
    def parameters(self) -> list[str]:
        """The names of the path's parameters, as the interface document spells them."""
        return parameters_of(self.path)
