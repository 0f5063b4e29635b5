"""
Answer edges' repeated requests in the server's thread, without the WSGI app.

An edge asks every 0.7 s for the authorizations of the videos that are watched, and for each
of their playlists. As for players' requests (``hvcore_delivery.published``), nothing
here waits.
"""

import hmac
from typing import Final

import attrs

from hvcore.assembly import Services
from hvcore.services.edge.authorizations import (
    EdgeAuthorizations,
    edge_secret,
    token_mark,
)
from hvcore.services.playback.responses import Lifetime, PlaybackResponse
from hvcore_edge.app import HELD_TYPE, MARK_HEADER
from hvcore_web.plain_requests import PlainRequest
from hvcore_web.representations import (
    NOT_MODIFIED,
    OK,
    Headers,
    Representation,
    represent,
)

_UNCACHED_HEADERS: Final = (("Cache-Control", "no-store"), ("Vary", "Origin"))
_UNCHANGED: Final = Representation(
    status=NOT_MODIFIED,
    headers=_UNCACHED_HEADERS,
    body=None,
    start=0,
    end=0,
    size_bytes=0,
    is_for_pages=False,
)
_HELD_HEADERS: Final = (*_UNCACHED_HEADERS, ("Content-Type", HELD_TYPE))
_NO_BODY: Final = PlaybackResponse(
    body=b"", content_type="", etag="", lifetime=Lifetime.ONCE, is_public=False
)


@attrs.frozen(kw_only=True)
class Renewals:
    """
    Answers an edge's repeated requests for unchanged authorizations and for playlists.

    Attributes:
        authorizations: The service that authorizes edges to serve videos.
        secret: The secret that edges send with each request.
        mark: The placeholder that stands for a token in playlists.
    """

    authorizations: EdgeAuthorizations
    secret: bytes = attrs.field(repr=False)
    mark: str = attrs.field(repr=False)

    @classmethod
    def of(cls, services: Services) -> "Renewals":
        """Return the object that answers the repeated requests of an installation's edges."""
        secret = edge_secret(services.settings.uploads.signing_key)
        return cls(
            authorizations=services.edge_authorizations,
            secret=secret.encode(),
            mark=token_mark(secret),
        )

    def open(
        self, request: PlainRequest
    ) -> tuple[PlaybackResponse, Representation] | None:
        """
        Return the answer to an edge's request and its form; None if the app has to answer it.

        A request for an authorization that the edge does not have is left to the app: for a long
        film it takes longer to write than other requests should wait.

        Raises:
            HvError: The request is refused; the app makes the answer.
        """
        given = (request.edge_secret or "").encode("latin-1", "replace")
        if request.wanted.is_head or not hmac.compare_digest(given, self.secret):
            return None
        match request.path:
            case ("v1", "edge", "authorization", kind, *owner) if owner:
                authorization = self.authorizations.find(kind, "/".join(owner))
                is_known = request.wanted.if_none_match == authorization.tag
                return (_NO_BODY, _UNCHANGED) if is_known else None
            case ("v1", "edge", "authorizations"):
                held = self.authorizations.which_hold(
                    request.wanted.if_none_match or ""
                )
                return _NO_BODY, _whole_answer(held.encode())
            case ("v1", "edge", "text", kind, owner, *file) if file:
                response = self.authorizations.open_text(
                    kind, owner, "/".join(file), self.mark
                )
                return response, self._marked(
                    represent(request.wanted, response, waits=False)
                )
        return None

    def _marked(self, chosen: Representation) -> Representation:
        headers: Headers = tuple(
            (name, f"{value}, Origin" if name == "Vary" else value)
            for name, value in chosen.headers
        )
        return attrs.evolve(
            chosen,
            headers=(*headers, (MARK_HEADER, self.mark)),
            is_for_pages=False,
        )


def _whole_answer(body: bytes) -> Representation:
    return Representation(
        status=OK,
        headers=_HELD_HEADERS,
        body=body,
        start=0,
        end=len(body),
        size_bytes=len(body),
        is_for_pages=False,
    )
