"""
Falcon middleware of every app: request ids, log context, and refusal of odd paths and methods.

Odd are paths that begin with two slashes, and methods that HTTP does not have.
"""

import os
import random
import re
from typing import Final

import falcon

from hvcore import log_context
from hvcore.errors import MethodNotAllowedError, NotFoundError

MAX_REQUEST_ID_CHARS: Final = 128
"""The longest request id that is accepted from a caller; a longer one is replaced."""
_SANE_TOKEN = re.compile(rf"[A-Za-z0-9._-]{{1,{MAX_REQUEST_ID_CHARS}}}")

# Of our own: others may seed Python's, each of their processes alike.
_ids = random.Random()  # noqa: S311 - an id is a name and no secret
os.register_at_fork(after_in_child=_ids.seed)


def request_id(req: falcon.Request) -> str:
    """Return the request's id: ``X-Request-Id`` if it is an acceptable token, else a new id."""
    found: str | None = getattr(req.context, "request_id", None)
    if found is None:
        given = req.get_header("X-Request-Id") or ""
        found = given if is_sane_token(given) else new_request_id()
        req.context.request_id = found
    return found


def is_sane_token(text: str) -> bool:
    """Return whether a text that a client sent is acceptable as a request id."""
    return _SANE_TOKEN.fullmatch(text) is not None


def new_request_id() -> str:
    """Return a new id for a request without an acceptable ``X-Request-Id``."""
    return f"{_ids.getrandbits(128):032x}"


class RequestIdMiddleware:
    """Falcon middleware that puts the request's id into every answer and log line of the request."""

    def process_request(self, req: falcon.Request, _resp: falcon.Response) -> None:
        """Put the request's id into the log context of this thread."""
        # An app may be asked while another answers: what a viewer would be told.
        req.context.logged_before = log_context.current()
        log_context.replace({log_context.REQUEST_ID: request_id(req)})

    def process_response(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        _req_succeeded: bool,  # noqa: FBT001 - Falcon's signature
    ) -> None:
        """Write the request's id into the answer, and stop browsers from guessing content types."""
        resp.set_header("X-Request-Id", request_id(req))
        resp.set_header("X-Content-Type-Options", "nosniff")
        # The thread's next request may be one that no app sees.
        log_context.replace(getattr(req.context, "logged_before", {}))


class PathMiddleware:
    """
    Falcon middleware that answers 404 to every path that begins with two slashes.

    Falcon treats two leading slashes as one. Code that looks at the path before Falcon (the
    choice of the app, limits) does not, so one address would be under two rules.
    """

    def process_request(self, req: falcon.Request, _resp: falcon.Response) -> None:
        """
        Refuse the request if its path begins with two slashes.

        Raises:
            NotFoundError: The path begins with two slashes.
        """
        if req.path.startswith("//"):
            raise NotFoundError


class MethodMiddleware:
    """Falcon middleware that answers 405 to methods that Falcon does not know, not Falcon's own 400."""

    def process_resource(
        self,
        req: falcon.Request,
        _resp: falcon.Response,
        resource: object,
        _params: dict[str, object],
    ) -> None:
        """
        Refuse a request whose method HTTP does not have, and name the route's methods in ``Allow``.

        Raises:
            MethodNotAllowedError: HTTP has no such method.
        """
        if req.method in falcon.COMBINED_METHODS:
            return
        responders = (name for name in dir(resource) if name.startswith("on_"))
        methods = {name.split("_")[1].upper() for name in responders}
        allowed = ", ".join(sorted(methods | {"OPTIONS"}))
        raise MethodNotAllowedError(headers={"Allow": allowed})
