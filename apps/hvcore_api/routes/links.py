"""The API routes of share links and edge keys."""

from typing import Final

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.errors import NotFoundError, VideoNotFoundError
from hvcore.wire.links import links as wire
from hvcore_api.resources import links as sharing
from hvcore_api.routing import KEY, ORG, Route

_SIGNS: Final = Permission.PLAYBACK_SIGN
_BUCKET: Final = Bucket.VIDEO_OPERATIONS
_A: Final = f"{ORG}/videos/{{videoID}}"
_B: Final = f"{KEY}/videos/{{assetId}}"


def _edge_keys_of(video: str) -> tuple[Route, ...]:
    return (
        Route(
            "POST",
            f"{video}/edge-keys",
            sharing.EdgeKeyListResource,
            name="createEdgeKey",
            summary="Make an edge key, which plays a video until it is revoked.",
            answer=wire.EDGE_KEY,
            permission=_SIGNS,
            bucket=_BUCKET,
            body=wire.EdgeKeyRequest,
            errors=(VideoNotFoundError,),
            is_idempotent=True,
            has_optional_body=True,
        ),
        Route(
            "GET",
            f"{video}/edge-keys",
            sharing.EdgeKeyListResource,
            name="listEdgeKeys",
            summary="List a video's edge keys, newest first.",
            answer=wire.EDGE_KEYS,
            permission=_SIGNS,
            bucket=_BUCKET,
            errors=(VideoNotFoundError,),
        ),
        Route(
            "DELETE",
            f"{video}/edge-keys/{{edgeKey}}",
            sharing.EdgeKeyResource,
            name="revokeVideoEdgeKey",
            summary="Revoke an edge key of a video.",
            answer=wire.EDGE_KEY,
            permission=_SIGNS,
            bucket=_BUCKET,
            errors=(VideoNotFoundError, NotFoundError),
        ),
    )


def _share_links_of(video: str) -> tuple[Route, ...]:
    return (
        Route(
            "POST",
            f"{video}/share",
            sharing.NewShareLinkResource,
            name="createShareLink",
            summary="Make a link that plays a video for a time or some views.",
            answer=wire.SHARE,
            permission=_SIGNS,
            bucket=_BUCKET,
            body=wire.ShareRequest,
            errors=(VideoNotFoundError,),
            is_idempotent=True,
            has_optional_body=True,
        ),
        Route(
            "GET",
            f"{video}/shares",
            sharing.ShareLinkListResource,
            name="listShareLinks",
            summary="List a video's share links, newest first.",
            answer=wire.SHARES,
            permission=_SIGNS,
            bucket=_BUCKET,
            errors=(VideoNotFoundError,),
        ),
        Route(
            "DELETE",
            f"{video}/shares/{{shareID}}",
            sharing.ShareLinkResource,
            name="revokeShareLink",
            summary="Revoke a share link; its sessions end.",
            answer=wire.SHARE,
            permission=_SIGNS,
            bucket=_BUCKET,
            errors=(VideoNotFoundError, NotFoundError),
        ),
    )


def _edge_key(root: str) -> tuple[Route, ...]:
    return tuple(
        Route(
            method,
            f"{root}/edge-keys/{{edgeKey}}",
            sharing.OwnEdgeKeyResource,
            name=name,
            summary=summary,
            answer=wire.EDGE_KEY,
            permission=_SIGNS,
            bucket=_BUCKET,
            errors=(NotFoundError,),
        )
        for method, name, summary in (
            ("GET", "getEdgeKey", "Get an edge key, revoked or not."),
            ("DELETE", "revokeEdgeKey", "Revoke an edge key."),
        )
    )


ROUTES: Final[tuple[Route, ...]] = (
    *_edge_keys_of(_A),
    *_share_links_of(_A),
    *_edge_key(ORG),
    *_edge_keys_of(_B),
    *_share_links_of(_B),
    *_edge_key(KEY),
)
