"""
Serve the player's pages and files under ``{player_url}``.

Source: the interface document, "Delivery". ``{player_url}/v1/embed/{video}`` is the page of
a video, ``?token=`` for private ones, ``/v1/{edgeKey}`` that of an edge key, whose
playlist and segments are below it, and ``/v1/watch/{shareID}`` that of a share
link. What the pages load is under ``/v1/player/``. ``/oembed`` tells other sites
how to embed the first two.
"""

from pathlib import Path
from typing import Protocol

import attrs
import falcon

from hvcore.services.links.edge_key_playback import EdgeKeyPlayback
from hvcore.services.links.share_codes import ShareCodes
from hvcore.services.links.share_link_playback import ShareLinkPlayback
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.player_videos import PlayerVideos
from hvcore.settings import PublicSettings, Settings
from hvcore_player.assets import STATIC, player_assets
from hvcore_player.discovery import OEMBED_PATH
from hvcore_player.html import content_policy, embed_page, logo_origin
from hvcore_player.link_html import front_page
from hvcore_player.link_pages import (
    EdgeKeyFilesResource,
    EdgeKeyPageResource,
    ShareLinkPageResource,
)
from hvcore_player.oembed import OEmbedResource
from hvcore_player.page_answers import (
    EMBEDDER_POLICY,
    ISOLATED,
    PageAnswers,
    PageContent,
)
from hvcore_web.app import make_app as make_web_app
from hvcore_web.assets import AssetFilesResource
from hvcore_web.cors import ANY_ORIGIN
from hvcore_web.documentation.help_links import help_links
from hvcore_web.files import send
from hvcore_web.pages import PAGE_TYPE, served_file
from hvcore_web.refusals import Refusals
from hvcore_web.viewers import viewer_of


class PlayerServices(Protocol):
    """The services that the player app needs."""

    @property
    def playback_access(self) -> PlaybackAuthorization:
        """The service that decides who may watch a video."""
        ...

    @property
    def player_videos(self) -> PlayerVideos:
        """The service that reads a video's title, poster and other facts for its player page."""
        ...

    @property
    def edge_key_playback(self) -> EdgeKeyPlayback:
        """The service that decides about playback by edge keys, and opens the files."""
        ...

    @property
    def share_link_playback(self) -> ShareLinkPlayback:
        """The service that decides about playback by share links."""
        ...

    @property
    def share_codes(self) -> ShareCodes:
        """The service of share codes, which are mailed to viewers of share links to identify them."""
        ...

    @property
    def settings(self) -> Settings:
        """The settings, with the public addresses and the player's options."""
        ...


def make_app(
    services: PlayerServices, *, static: Path = STATIC
) -> falcon.App[falcon.Request, falcon.Response]:
    """
    Make the Falcon app of the player.

    Args:
        static: The folder of the pages' static files.
    """
    assets = player_assets(static)
    settings = services.settings
    public = settings.public
    takes_reports = settings.analytics.playback_sessions
    app = make_web_app(
        name="player", cors=ANY_ORIGIN, middleware=help_links(public.api_url)
    )
    refusals = Refusals()
    refusals.install(app)
    answers = PageAnswers(
        assets=assets,
        worker_url=public.worker_url,
        sends_cmcd=settings.player.cmcd,
        reports_sessions=settings.player.session_reports if takes_reports else None,
        refusals=refusals,
    )
    app.add_route("/", PlayerFrontPageResource(settings))
    app.add_route("/docs", DocsResource(public))
    app.add_route(
        OEMBED_PATH,
        OEmbedResource(
            access=services.playback_access,
            player_videos=services.player_videos,
            edge_key_playback=services.edge_key_playback,
            public=public,
        ),
    )
    app.add_route(
        "/v1/embed/{video}", EmbedPageResource(services.player_videos, answers, public)
    )
    app.add_route("/v1/player/{name:path}", PlayerFilesResource(assets))
    app.add_route(
        "/v1/watch/{share}",
        ShareLinkPageResource(
            share_link_playback=services.share_link_playback,
            share_codes=services.share_codes,
            answers=answers,
            public=public,
        ),
    )
    app.add_route(
        "/v1/{edge_key}",
        EdgeKeyPageResource(
            edge_key_playback=services.edge_key_playback,
            answers=answers,
            public=public,
        ),
    )
    app.add_route(
        "/v1/{edge_key}/{file:path}", EdgeKeyFilesResource(services.edge_key_playback)
    )
    return app


@attrs.frozen
class EmbedPageResource:
    """``GET`` of the player page of a video."""

    player_videos: PlayerVideos
    answers: PageAnswers
    public: PublicSettings

    def on_get(self, req: falcon.Request, resp: falcon.Response, *, video: str) -> None:
        """Answer with the player page, or with a page that says why the video cannot be watched."""

        def make() -> PageContent:
            shown = self.player_videos.describe(video, viewer_of(req))
            body = embed_page(shown, self.public, self.answers.element)
            return PageContent(
                body=body,
                domains=shown.domains,
                pictures=logo_origin(req.get_param("logo")),
            )

        self.answers.send(req, resp, make)

    on_head = on_get


class PlayerFilesResource(AssetFilesResource):
    """``GET`` of the static files of the player's pages, web workers among them."""

    def on_get(self, req: falcon.Request, resp: falcon.Response, *, name: str) -> None:
        """Answer with a static file of the player."""
        super().on_get(req, resp, name=name)
        # Isolated pages start only workers that are isolated, too.
        resp.set_header(EMBEDDER_POLICY, ISOLATED)

    on_head = on_get


class PlayerFrontPageResource:
    """``GET`` of the front page at the player's address."""

    def __init__(self, settings: Settings) -> None:
        self._response = served_file(front_page(settings), PAGE_TYPE)
        self._policy = content_policy(settings.public.worker_url)

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Answer with the front page, which names the service and links to its parts."""
        send(req, resp, self._response)
        resp.set_header("Content-Security-Policy", self._policy)
        resp.set_header("Referrer-Policy", "strict-origin")

    on_head = on_get


@attrs.frozen
class DocsResource:
    """``GET /docs`` at the player's address: redirects to the documentation at the API's address."""

    public: PublicSettings

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        """Redirect to the documentation."""
        resp.status = falcon.HTTP_302
        resp.location = f"{self.public.api_url}/docs/"

    on_head = on_get
