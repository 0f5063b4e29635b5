"""Answer requests about playback links: edge keys, which last, and share links, which expire."""

import falcon

from hvcore.assembly import Services
from hvcore.domain.links.links import EdgeKey, ShareLink
from hvcore.services.links.share_links import ShareLinks
from hvcore.wire.converter import read_document
from hvcore.wire.links import links as wire
from hvcore.wire.responses import Payload
from hvcore_api.answers import send
from hvcore_api.request_scope import check_video_id, scope_of
from hvcore_web.json_media import read_json


class EdgeKeyListResource:
    """Create and list the edge keys of a video, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._edge_keys = services.edge_keys
        self._clock = services.clock

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        wanted = read_document(
            wire.EdgeKeyRequest,
            _optional_body(req),
            wire.expires_after(self._clock.now()),
        )
        key = self._edge_keys.create(
            scope.caller,
            scope.org_id,
            check_video_id(video_id),
            domains=wanted.domains,
            expires_at=wanted.expires_at,
        )
        send(resp, self._rendered(key))

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        found = self._edge_keys.of_video(
            scope.caller, scope.org_id, check_video_id(video_id)
        )
        send(resp, {"edgeKeys": [self._rendered(key) for key in found]})

    def _rendered(self, key: EdgeKey) -> Payload:
        return wire.edge_key(key, embed_url=self._edge_keys.embed_url(key))


class EdgeKeyResource:
    """The route that revokes an edge key, below an organization or a video."""

    def __init__(self, services: Services) -> None:
        self._edge_keys = services.edge_keys

    def on_delete(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        edge_key: str,
        video_id: str | None = None,
        **_path: str,
    ) -> None:
        scope = scope_of(req)
        if video_id is None:
            key = self._edge_keys.revoke(scope.caller, scope.org_id, edge_key)
        else:
            key = self._edge_keys.revoke_of(
                scope.caller, scope.org_id, check_video_id(video_id), edge_key
            )
        send(resp, wire.edge_key(key, embed_url=self._edge_keys.embed_url(key)))


class OwnEdgeKeyResource(EdgeKeyResource):
    """The routes that show and revoke an edge key at its own address, which names no video."""

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, edge_key: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        key = self._edge_keys.find(scope.caller, scope.org_id, edge_key)
        send(resp, wire.edge_key(key, embed_url=self._edge_keys.embed_url(key)))


class NewShareLinkResource:
    """The route that creates a share link of a video, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._shares = services.shares

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        wanted = read_document(wire.ShareRequest, _optional_body(req))
        share = self._shares.create(
            scope.caller,
            scope.org_id,
            check_video_id(video_id),
            valid_hours=wanted.expiration_hours,
            max_views=wanted.max_views,
            viewer_email=wanted.viewer_email,
        )
        send(resp, _rendered(self._shares, share))


class ShareLinkListResource:
    """Create and list the share links of a video, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._shares = services.shares

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        found = self._shares.of_video(
            scope.caller, scope.org_id, check_video_id(video_id)
        )
        send(resp, {"shares": [_rendered(self._shares, share) for share in found]})


class ShareLinkResource:
    """The route that revokes a share link of a video, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._shares = services.shares

    def on_delete(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        video_id: str,
        share_id: str,
        **_path: str,
    ) -> None:
        scope = scope_of(req)
        share = self._shares.revoke(
            scope.caller, scope.org_id, check_video_id(video_id), share_id
        )
        send(resp, _rendered(self._shares, share))


def _rendered(shares: ShareLinks, share: ShareLink) -> Payload:
    return wire.share(
        share,
        share_url=shares.share_url(share),
        delivery_url=shares.delivery_url(share),
    )


def _optional_body(req: falcon.Request) -> object:
    # null equals absent.
    document = read_json(req)
    return {} if document is None else document
