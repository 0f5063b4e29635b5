"""
The app with the addresses under ``{worker_url}``, which serves the files of videos.

Source: the interface document, "Delivery". Players add ``_HLS_msn``, ``_HLS_part``,
``_HLS_skip`` and ``bootstrap``: for a finished video they change nothing, so
nothing here reads them.
"""

from typing import Final, Protocol

import falcon

from hvcore.clock import Clock
from hvcore.domain.videos.moments import PICTURE_PARAMETERS, Parameters
from hvcore.errors import ShareMetError
from hvcore.playback_tokens import KeyRing
from hvcore.services.links.share_link_playback import ShareLinkPlayback
from hvcore.services.playback.delivery import Delivery, PlaybackRequest
from hvcore.services.playback.sessions import PlaybackSessions
from hvcore.services.playback.thumbnails.serving import ThumbnailRequest, Thumbnails
from hvcore.services.readiness import Readiness
from hvcore.wire.envelope import encode, success
from hvcore_delivery.sessions import (
    BEGIN,
    REPORTS,
    PlaybackReportsResource,
    PlaybackSessionsResource,
)
from hvcore_web.app import make_app as make_web_app
from hvcore_web.cors import ANY_ORIGIN
from hvcore_web.errors import note_share_met
from hvcore_web.files import send
from hvcore_web.health import HealthChecks, HealthResource
from hvcore_web.readiness import ReadinessResource
from hvcore_web.refusals import Refusals
from hvcore_web.served_routes import (
    PRIVATE_FILES,
    PUBLIC_FILES,
    SHARED_FILES,
    THUMBNAILS,
)
from hvcore_web.viewers import viewer_of

JWKS_MAX_AGE_S: Final = 300
LIVE: Final = encode(success({"status": "ok"}))


class DeliveryServices(Protocol):
    """The services of an installation that the delivery app needs."""

    @property
    def delivery(self) -> Delivery: ...

    @property
    def share_link_playback(self) -> ShareLinkPlayback:
        """The service that opens the files of videos for viewers of share links."""
        ...

    @property
    def thumbnails(self) -> Thumbnails: ...

    @property
    def playback_sessions(self) -> PlaybackSessions | None:
        """Takes players' reports about playback sessions; None if it is switched off."""
        ...

    @property
    def clock(self) -> Clock:
        """The clock that decides which signing keys are valid."""
        ...

    @property
    def key_ring(self) -> KeyRing: ...

    @property
    def readiness(self) -> Readiness: ...

    @property
    def delivery_health(self) -> HealthChecks:
        """The checks of delivery's backends; they report problems even if files can still be served."""
        ...


def make_app(services: DeliveryServices) -> falcon.App[falcon.Request, falcon.Response]:
    """Make the Falcon app that delivers the files of videos."""
    app = make_web_app(name="delivery", cors=ANY_ORIGIN)
    Refusals().install(app)
    # One route for everything under a video: the same text decides both who
    # may have it and which file it is.
    app.add_route(
        PUBLIC_FILES,
        PublicFilesResource(services.delivery),
    )
    app.add_route(PRIVATE_FILES, PrivateFilesResource(services.delivery))
    app.add_route(SHARED_FILES, SharedFilesResource(services.share_link_playback))
    app.add_route(THUMBNAILS, ThumbnailsResource(services.thumbnails))
    if services.playback_sessions is not None:
        sessions = services.playback_sessions
        app.add_route(BEGIN, PlaybackSessionsResource(sessions))
        app.add_route(REPORTS, PlaybackReportsResource(sessions))
    app.add_route(
        "/.well-known/jwks.json", PublicKeysResource(services.key_ring, services.clock)
    )
    app.add_route("/health", DeliveryHealthResource(services.delivery_health))
    app.add_route("/health/live", DeliveryLivenessResource())
    app.add_route("/health/ready", DeliveryReadinessResource(services.readiness.check))
    return app


class PublicFilesResource:
    """``GET`` of a file of a public video."""

    def __init__(self, delivery: Delivery) -> None:
        self._delivery = delivery

    def on_get(  # noqa: PLR0913 - Falcon's signature
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        org: str,
        env: str,
        video: str,
        file: str,
    ) -> None:
        request = PlaybackRequest(
            environment=(org, env), video=video, file=file, viewer=viewer_of(req)
        )
        send(req, resp, self._delivery.open(request))

    on_head = on_get


class PrivateFilesResource:
    """``GET`` of a file of a private video, or of a public one with a token."""

    def __init__(self, delivery: Delivery) -> None:
        self._delivery = delivery

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video: str, file: str
    ) -> None:
        request = PlaybackRequest(
            environment=None, video=video, file=file, viewer=viewer_of(req)
        )
        send(req, resp, self._delivery.open(request))

    on_head = on_get


class SharedFilesResource:
    """``GET`` of a file of a video, for viewers of a share link."""

    def __init__(self, share_link_playback: ShareLinkPlayback) -> None:
        self._share_link_playback = share_link_playback

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, share: str, file: str
    ) -> None:
        """
        Answer with the file; a HEAD request does not use up a view of the share link.

        Args:
            share: The share link's id.
            file: The path of the file within the published video.
        """
        response = self._share_link_playback.open(
            share, file, viewer_of(req), begins=req.method == "GET"
        )
        send(req, resp, response)

    on_head = on_get


class ThumbnailsResource:
    """``GET`` of a thumbnail of a video."""

    def __init__(self, thumbnails: Thumbnails) -> None:
        self._thumbnails = thumbnails

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video: str, name: str
    ) -> None:
        request = ThumbnailRequest(
            video=video, name=name, query=_picture_query(req), viewer=viewer_of(req)
        )
        try:
            picture = self._thumbnails.open(request)
        except ShareMetError:
            # It would ask for as many sizes as it gets refusals: 700 a second took
            # the processors from those that make pictures.
            note_share_met(req)
            raise
        send(req, resp, picture)

    on_head = on_get


def _picture_query(req: falcon.Request) -> Parameters:
    return [
        (name, value)
        for name in sorted(PICTURE_PARAMETERS)
        for value in req.get_param_as_list(name) or ()
    ]


class PublicKeysResource:
    """``GET`` of the public keys that verify playback tokens (RFC 7517, section 5)."""

    def __init__(self, key_ring: KeyRing, clock: Clock) -> None:
        self._key_ring = key_ring
        self._clock = clock

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        """Answer with the public keys as a JWK Set, empty if tokens are signed with a shared secret."""
        # Made anew: keys are rotated while this process runs.
        resp.data = encode(self._key_ring.jwks(self._clock.now()))
        resp.content_type = falcon.MEDIA_JSON
        resp.set_header("Cache-Control", f"public, max-age={JWKS_MAX_AGE_S}")

    on_head = on_get


class DeliveryLivenessResource:
    """``GET`` of the liveness check: an answer says only that this process runs."""

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        resp.data = LIVE
        resp.content_type = falcon.MEDIA_JSON
        resp.set_header("Cache-Control", "no-store")

    on_head = on_get


class DeliveryHealthResource(HealthResource):
    """``GET`` of the health report of delivery, with the state of each backend that it uses."""

    on_head = HealthResource.on_get


class DeliveryReadinessResource(ReadinessResource):
    """``GET`` of the readiness check: this process can open files."""

    on_head = ReadinessResource.on_get
