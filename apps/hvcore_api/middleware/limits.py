"""Count requests under the rate limits, and put the limits into the headers of every answer."""

from typing import Final

import falcon

from hvcore.domain.access.rate_limits import RateLimitState
from hvcore.errors import RateLimitExceededError
from hvcore.metrics.declared import RATE_LIMITED
from hvcore.services.access.rate_limits import MINUTE_S, RateLimitResult, RateLimits
from hvcore_api.request_scope import RequestScope
from hvcore_api.routing import Route

HEADERS: Final = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


class LimitsMiddleware:
    """
    Falcon middleware that refuses requests above the rate limits, after key and permission checks.

    Args:
        limits: The rate limits; None if requests are not limited.
    """

    def __init__(self, limits: RateLimits | None) -> None:
        self._limits = limits

    def process_resource(
        self,
        req: falcon.Request,
        _resp: falcon.Response,
        _resource: object,
        _params: dict[str, object],
    ) -> None:
        """
        Count the request under the rate limits of its key and organization.

        Raises:
            RateLimitExceededError: The request is over a limit; it was not counted.
            UnavailableError: The backend of the rate limits does not answer.
        """
        scope: RequestScope | None = getattr(req.context, "scope", None)
        if scope is None or self._limits is None:
            return
        route: Route = req.context.route
        key_id = scope.caller.counted_as
        org_id = scope.org_id or key_id
        if route.method == "GET" and route.bucket is None:
            req.context.counting = self._limits.begin_to_count(org_id=org_id)
            return
        counted = self._limits.count(org_id=org_id, key_id=key_id, bucket=route.bucket)
        req.context.counted = counted
        _refuse_too_many(counted)

    def process_response(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        _req_succeeded: bool,  # noqa: FBT001 - Falcon's signature
    ) -> None:
        """
        Put the rate limit that is reached first into the answer's headers, on errors too.

        Raises:
            RateLimitExceededError: A reading request was over the limit; its answer,
                which is ready, is not sent.
        """
        counting = getattr(req.context, "counting", None)
        counted: RateLimitResult | None = (
            getattr(req.context, "counted", None) if counting is None else counting()
        )
        if counted is None:
            return
        state = counted.shown
        values = (state.rule.limit.requests, state.remaining, counted.reset_unix)
        for name, value in zip(HEADERS, values, strict=True):
            resp.set_header(name, str(value))
        if counting is not None:
            _refuse_too_many(counted)


def _refuse_too_many(counted: RateLimitResult | None) -> None:
    if counted is not None and counted.retry_after_s is not None:
        RATE_LIMITED.add(counted.shown.rule.limit.bucket.value)
        raise RateLimitExceededError(
            f"{_limit_of(counted.shown)}; try again in "
            f"{counted.retry_after_s} seconds.",
            headers={"Retry-After": str(counted.retry_after_s)},
        )


def _limit_of(state: RateLimitState) -> str:
    limit = state.rule.limit
    window = "minute" if limit.window_s == MINUTE_S else "hour"
    return f"The limit is {limit.requests} {limit.bucket.value} requests per {window}"
