"""Obey ``Idempotency-Key``: a repeated request gets the first answer again."""

import hashlib
import re
from collections.abc import Mapping
from datetime import timedelta

import falcon

from hvcore.domain.access.idempotency import (
    ANSWER_RETENTION,
    GRANT_ANSWER_RETENTION,
    FirstRequest,
    IdempotencyScope,
    RecordedAnswer,
    without_personal_members,
)
from hvcore.domain.access.keys import KeyType
from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.ids import first_video_id
from hvcore.domain.limits import MAX_JSON_BODY_BYTES
from hvcore.errors import FieldError, InvalidParametersError
from hvcore.services.access.callers import Access
from hvcore.services.access.idempotency import LOCATION, Idempotency
from hvcore_api.request_scope import RequestScope, find_environment
from hvcore_api.routing import Route
from hvcore_web.bodies import read_body

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"

_KEY = re.compile("[!-~]{1,255}")


class IdempotencyMiddleware:
    """
    Falcon middleware that runs a request once per ``Idempotency-Key``, and repeats its answer.

    If the path names an environment, it is checked here already, because an API key
    outside of the environment must not get the answer.
    """

    def __init__(self, access: Access, idempotency: Idempotency) -> None:
        self._access = access
        self._idempotency = idempotency

    def process_resource(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        params: Mapping[str, str],
    ) -> None:
        """
        Claim the request's ``Idempotency-Key``, or send the answer of the first request with it again.

        Raises:
            InvalidParametersError: The idempotency key is malformed (400), or an earlier
                request with other content has used it (422).
            ConflictError: The first request with this idempotency key still runs.
        """
        route: Route | None = getattr(req.context, "route", None)
        key = req.get_header(HEADER)
        if key is None or route is None or not route.is_idempotent:
            return
        _check_form(key)
        request: RequestScope = req.context.scope
        scope = IdempotencyScope(
            org_id=request.org_id,
            env_id=self._environment(req, request, params),
            route=f"{route.method} {route.template}",
            key=key,
        )
        first = self._idempotency.begin(
            scope, fingerprint=_fingerprint(req, route), lifetime=_lifetime(route)
        )
        if first.answer is None:
            req.context.first_request = first
        else:
            _give_again(resp, first.answer)

    def process_response(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        _req_succeeded: bool,  # noqa: FBT001 - Falcon's signature
    ) -> None:
        """
        Store the answer to the first request with an ``Idempotency-Key``.

        Of the middleware that changes answers this runs first, so that what
        belongs to the single request, such as its id, is not stored.
        """
        first: FirstRequest | None = getattr(req.context, "first_request", None)
        if first is None:
            return
        body = (resp.render_body() or b"").decode()
        answer = RecordedAnswer(
            status=resp.status_code,
            headers=resp.headers,
            body=body,
            video_id=_whose(req.path, body),
        )
        self._idempotency.end(first, answer)

    def _environment(
        self, req: falcon.Request, scope: RequestScope, params: Mapping[str, str]
    ) -> str:
        if "org_id" not in params or scope.env_ref is not None:
            return find_environment(self._access, req).id
        # A video decides, later: what keys of one environment were answered
        # is given again to keys of the same environment only.
        caller = scope.caller
        is_bound = caller.type is KeyType.ENVIRONMENT and caller.env_id is not None
        return str(caller.env_id) if is_bound else ""


def _check_form(key: str) -> None:
    if _KEY.fullmatch(key) is None:
        message = f"{HEADER} must be 1 to 255 visible ASCII characters."
        raise InvalidParametersError(
            message, errors=[FieldError(message=message, location=LOCATION, value=key)]
        )


def _fingerprint(req: falcon.Request, route: Route) -> str:
    max_bytes = route.special.max_body_bytes or MAX_JSON_BODY_BYTES
    body = read_body(req, max_bytes=max_bytes)
    parts = [req.method, req.path, req.query_string, req.content_type or ""]
    # Such as the headers that describe a resumable upload.
    names = (*route.special.request_headers, *route.special.refused_headers)
    parts += [req.get_header(name) or "" for name in names]
    digests = [hashlib.sha256(part.encode(errors="surrogatepass")) for part in parts]
    digests.append(hashlib.sha256(body))
    # Of digests: no part can look like two.
    return hashlib.sha256(b"".join(d.digest() for d in digests)).hexdigest()


def _lifetime(route: Route) -> timedelta:
    return (
        GRANT_ANSWER_RETENTION
        if route.bucket is Bucket.UPLOAD_URL
        else ANSWER_RETENTION
    )


def _whose(path: str, body: str) -> str | None:
    """Return the video whose end takes members of an answer along; most have none."""
    if without_personal_members(body) == body:
        return None
    return first_video_id(path) or first_video_id(body)


def _give_again(resp: falcon.Response, answer: RecordedAnswer) -> None:
    resp.status = answer.status
    resp.data = answer.body.encode()
    for name, value in answer.headers.items():
        resp.set_header(name, value)
    resp.set_header(REPLAYED, "true")
    resp.complete = True
