"""Routes that plugins add to the API."""

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
    A request that was judged: what a route's handler gets.

    Attributes:
        org_id: The organization; "" where a route is open.
        env_id: The environment that the path names or, where the path names no
            organization, the key's. None if neither does.
        video_id: The path's video, which is there and the caller may use.
        path: All parameters of the path, by their names.
        headers: Of the request, by their names in lower case; without those that
            carry credentials.
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
            UnauthorizedError: The route is open: nobody was asked.
        """
        if self._caller is None:
            raise UnauthorizedError
        return self._caller

    def body(self, cls: type[T]) -> T:
        """
        Return the request's body, read as the route's class.

        Raises:
            TypeError: The route declares another class, or none.
        """
        return _of_class(cls, self._body)

    def query(self, cls: type[T]) -> T:
        """
        Return the request's query, read as the route's class.

        Raises:
            TypeError: The route declares another class, or none.
        """
        return _of_class(cls, self._query)


@attrs.frozen(eq=False)
class PluginRoute(Generic[StateT]):
    """
    One method of one address.

    Attributes:
        method: Such as ``GET``.
        path: Below ``/v1/api/{orgID}/``, where the path names the organization, or
            below ``/v1/``, where the key does. ``{envID}`` and ``{videoID}`` are
            judged before the handler is called. Other parameters are the plugin's.
        handler: Called with what the record's factory made and the request; in any
            thread, for several requests at a time. It returns the payload, or the
            bytes of an ``answer_type``. An HvError is answered as it says, any
            other exception as 500.
        permission: What the key must have; None: any key of the organization.
        summary: What it does, in a few words, for the documentation.
        answer: JSON Schema of the payload.
        answer_type: Media type of an answer that is no JSON.
        body: Class of the request's JSON body (required_field, optional_field).
        query: Class of its query, likewise.
        has_optional_body: The body may be left out.
        bucket: The rate limit it counts under, besides that of all requests.
        errors: Errors that the handler raises, for the documentation.
        status: Of a success.
        is_idempotent: It creates something: ``Idempotency-Key`` is obeyed.
        is_open: No key is needed. Such requests count under no limit, and the path
            names no organization, environment or video: nobody could judge it.
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
