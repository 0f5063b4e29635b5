"""Plugin routes: routes that plugins add to the API."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import attrs

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.ids import EnvId, VideoId
from hvcore.errors import HvError, UnauthorizedError

T = TypeVar("T")
StateT = TypeVar("StateT")

Payload = Mapping[str, object]
"""What JSON can say; it is answered under ``body``."""


@attrs.frozen(kw_only=True)
class RouteCall:
    """
    Give a route's handler the request, after its key and its path were checked.

    Attributes:
        org_id: The caller's organization; "" if the route is open.
        env_id: The environment that the path names or, if the path names no
            organization, the key's. None if neither does.
        video_id: The id of the path's video, which exists and the caller may use; None
            if the path has none.
        path: All parameters of the path by their names.
        headers: The request's headers by their names in lower case, without headers
            that carry credentials.
    """

    org_id: str
    env_id: EnvId | None = None
    video_id: VideoId | None = None
    path: Mapping[str, str] = attrs.field(factory=dict)
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    _caller: Principal | None = None
    _body: object = attrs.field(default=None, repr=False)
    _query: object = attrs.field(default=None, repr=False)

    @property
    def caller(self) -> Principal:
        """
        Return the principal that calls the route.

        Raises:
            UnauthorizedError: The route is open, so nobody was authenticated.
        """
        if self._caller is None:
            raise UnauthorizedError
        return self._caller

    def body(self, cls: type[T]) -> T:
        """
        Return the request's body, as an object of the class that the route declares.

        Raises:
            TypeError: The route declares another class for the body, or none.
        """
        return _of_class(cls, self._body)

    def query(self, cls: type[T]) -> T:
        """
        Return the request's query, as an object of the class that the route declares.

        Raises:
            TypeError: The route declares another class for the query, or none.
        """
        return _of_class(cls, self._query)


@attrs.frozen(eq=False)
class PluginRoute(Generic[StateT]):
    """
    Describe one HTTP method of one address that a plugin serves.

    Attributes:
        method: The HTTP method, such as ``GET``.
        path: The path below ``/v1/api/{orgID}/``, where the path names the
            organization, or below ``/v1/``, where the key does. ``{envID}`` and
            ``{videoID}`` are checked before the handler is called. Other parameters are
            the plugin's.
        handler: The function that answers. It is called with the object that the
            record's factory made and the request; in any thread, for several requests
            at a time. It returns the payload, or the bytes of an ``answer_type``. An
            HvError is answered with its status and code, any other exception with 500.
        permission: The permission that the key must have; None: any key of the
            organization.
        summary: A few words on what the route does, for the documentation.
        answer: The JSON Schema of the payload.
        answer_type: The media type of an answer that is not JSON.
        body: The class of the request's JSON body (required_field, optional_field).
        query: The class of the request's query (required_field, optional_field).
        has_optional_body: Whether the body may be left out.
        bucket: The rate limit that the route counts under, besides the limit of all
            requests.
        errors: The errors that the handler raises, for the documentation.
        status: The HTTP status of a successful answer.
        is_idempotent: Whether the route creates something and obeys
            ``Idempotency-Key``.
        is_open: Whether no key is needed. Such requests count under no limit, and the
            path names no organization, environment or video, because nobody could check
            it.
    """

    method: str
    path: str
    handler: Callable[[StateT, RouteCall], Payload | bytes]
    permission: Permission | None = attrs.field(kw_only=True)
    summary: str = attrs.field(kw_only=True)
    answer: Mapping[str, object] | None = attrs.field(default=None, kw_only=True)
    answer_type: str | None = attrs.field(default=None, kw_only=True)
    body: type | None = attrs.field(default=None, kw_only=True)
    query: type | None = attrs.field(default=None, kw_only=True)
    has_optional_body: bool = attrs.field(default=False, kw_only=True)
    bucket: Bucket | None = attrs.field(default=None, kw_only=True)
    errors: tuple[type[HvError], ...] = attrs.field(default=(), kw_only=True)
    status: int = attrs.field(default=200, kw_only=True)
    is_idempotent: bool = attrs.field(default=False, kw_only=True)
    is_open: bool = attrs.field(default=False, kw_only=True)


def _of_class(cls: type[T], value: object) -> T:
    if not isinstance(value, cls):
        raise TypeError(f"The route does not declare {cls.__name__}.")
    return value
