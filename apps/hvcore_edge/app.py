"""
The app that answers the requests of edges (nginx), below ``/v1/edge/``.

Only edges get an answer there: they send a secret that both sides derive from the keys of
the installation.
"""

import hmac
from typing import Final

import falcon

from hvcore.assembly import Services
from hvcore.errors import NotFoundError
from hvcore.services.edge.authorizations import (
    EdgeAuthorizations,
    edge_secret,
    token_mark,
)
from hvcore.wire.envelope import encode
from hvcore_web.app import make_app as make_web_app
from hvcore_web.cors import exact_origins
from hvcore_web.files import send
from hvcore_web.plain_requests import EDGE_HEADER

SECRET_HEADER: Final = EDGE_HEADER
MARK_HEADER: Final = "X-Hv-Mark"
MEDIA_HEADER: Final = "X-Hv-Media"
"""The header that tells an edge, with the value "1", that the bytes are the service's and may
be cached."""
HELD_TYPE: Final = falcon.MEDIA_TEXT


def make_app(services: Services) -> falcon.App[falcon.Request, falcon.Response]:
    """Make the Falcon app that answers the requests of edges."""
    secret = edge_secret(services.settings.uploads.signing_key)
    app = make_web_app(
        name="edge", cors=exact_origins(()), middleware=[SecretMiddleware(secret)]
    )
    authorizations = services.edge_authorizations
    app.add_route(
        "/v1/edge/authorization/{kind}/{owner:path}",
        AuthorizationResource(authorizations),
    )
    app.add_route("/v1/edge/authorizations", HeldAuthorizationsResource(authorizations))
    app.add_route("/v1/edge/domains/{list_id}", DomainListResource(authorizations))
    mark = token_mark(secret)
    app.add_route(
        "/v1/edge/text/{kind}/{path:path}", PlaylistTextResource(authorizations, mark)
    )
    app.add_route(
        "/v1/edge/media/{kind}/{path:path}", MediaBytesResource(authorizations)
    )
    return app


class SecretMiddleware:
    """Falcon middleware that answers 404 to every request without the secret of edges."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()

    def process_request(self, req: falcon.Request, _resp: falcon.Response) -> None:
        """
        Refuse the request if its secret is not that of edges; secrets are compared in constant time.

        Raises:
            NotFoundError: The secret is missing or wrong.
        """
        given = (req.get_header(SECRET_HEADER) or "").encode("latin-1", "replace")
        if not hmac.compare_digest(given, self._secret):
            raise NotFoundError


class AuthorizationResource:
    """Tells an edge whether it may serve a video now, and where the video's files are."""

    def __init__(self, authorizations: EdgeAuthorizations) -> None:
        self._authorizations = authorizations

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, kind: str, owner: str
    ) -> None:
        """
        Answer with the authorization of a video; 304 if the edge already has the present one.

        Args:
            kind: The kind of address that viewers use, such as that of a private video.
            owner: The ids in that address, which name the video, share link or edge key.
        """
        authorization = self._authorizations.find(kind, owner)
        resp.set_header("Cache-Control", "no-store")
        if req.get_header("If-None-Match") == authorization.tag:
            resp.status = falcon.HTTP_304
            return
        resp.data = encode(authorization.document())
        resp.content_type = falcon.MEDIA_JSON


class HeldAuthorizationsResource:
    """Tells an edge which of the authorizations it holds are still valid."""

    def __init__(self, authorizations: EdgeAuthorizations) -> None:
        self._authorizations = authorizations

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        held = self._authorizations.which_hold(req.get_header("If-None-Match") or "")
        resp.set_header("Cache-Control", "no-store")
        resp.data = held.encode()
        resp.content_type = HELD_TYPE


class DomainListResource:
    """Gives an edge the list of allowed domains to which a playback token refers by an id."""

    def __init__(self, authorizations: EdgeAuthorizations) -> None:
        self._authorizations = authorizations

    def on_get(
        self, _req: falcon.Request, resp: falcon.Response, *, list_id: str
    ) -> None:
        resp.data = encode({"domains": self._authorizations.find_domains(list_id)})
        resp.content_type = falcon.MEDIA_JSON
        resp.set_header("Cache-Control", "no-store")


class PlaylistTextResource:
    """Gives an edge playlists and manifests, into which the edge puts each viewer's token."""

    def __init__(self, authorizations: EdgeAuthorizations, mark: str) -> None:
        self._authorizations = authorizations
        self._mark = mark

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, kind: str, path: str
    ) -> None:
        """Answer with a playlist or manifest that has a placeholder for the token, named in a header."""
        owner, _, file = path.partition("/")
        send(req, resp, self._authorizations.open_text(kind, owner, file, self._mark))
        resp.set_header(MARK_HEADER, self._mark)


class MediaBytesResource:
    """Gives an edge the bytes of media files, for its cache."""

    def __init__(self, authorizations: EdgeAuthorizations) -> None:
        self._authorizations = authorizations

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, kind: str, path: str
    ) -> None:
        # A public path's owner is organization, environment and video.
        parts = path.split("/", 3 if kind == "public" else 1)
        owner, file = "/".join(parts[:-1]), parts[-1]
        send(req, resp, self._authorizations.open_media(kind, owner, file))
        resp.set_header(MEDIA_HEADER, "1")
