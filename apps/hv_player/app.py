"""
The addresses under ``{player_url}``.

Source: interface, "Delivery". ``{player_url}/v1/embed/{video}`` is the page of
a video, ``?token=`` for private ones, ``/v1/{edgeKey}`` that of an edge key, whose
playlist and segments lie below it, and ``/v1/watch/{shareID}`` that of a share
link. What the pages load lies under ``/v1/player/``.
"""

from pathlib import Path
from typing import Protocol

import attrs
import falcon

from hv_player.assets import STATIC, AssetFilesResource, Assets
from hv_player.html import embed_page
from hv_player.link_pages import (
    EdgeKeyFilesResource,
    EdgeKeyPageResource,
    SharePageResource,
)
from hv_player.page_answers import PageAnswers, PageContent
from hv_web.app import make_app as make_web_app
from hv_web.cors import ANY_ORIGIN
from hv_web.refusals import Refusals
from hv_web.viewers import viewer_of
from hvcore.services.links.edge_key_playback import EdgeKeyPlayback
from hvcore.services.links.share_playback import SharePlayback
from hvcore.services.playback.delivery import Delivery
from hvcore.settings import Settings


class PlayerServices(Protocol):
    """
    What these addresses need.
    """

    @property
    def delivery(self) -> Delivery:
        """
        Who may watch what.
        """
        ...

    @property
    def edge_key_playback(self) -> EdgeKeyPlayback:
        """
        The same for who has an edge key.
        """
        ...

    @property
    def share_playback(self) -> SharePlayback:
        """
        The same for viewers of share links.
        """
        ...

    @property
    def settings(self) -> Settings:
        """
        The public addresses.
        """
        ...


def make_app(
    services: PlayerServices, *, static: Path = STATIC
) -> falcon.App[falcon.Request, falcon.Response]:
    """
    Make the app of the player.

    Args:
        static: The folder of the page's files.
    """
    assets = Assets(static)
    worker_url = services.settings.public.worker_url.rstrip("/")
    app = make_web_app(cors=ANY_ORIGIN)
    refusals = Refusals()
    refusals.install(app)
    answers = PageAnswers(assets=assets, worker_url=worker_url, refusals=refusals)
    app.add_route("/v1/embed/{video}", EmbedPageResource(services.delivery, answers))
    app.add_route("/v1/player/{name:path}", AssetFilesResource(assets))
    app.add_route(
        "/v1/watch/{share}", SharePageResource(services.share_playback, answers)
    )
    app.add_route(
        "/v1/{edge_key}", EdgeKeyPageResource(services.edge_key_playback, answers)
    )
    app.add_route(
        "/v1/{edge_key}/{file:path}", EdgeKeyFilesResource(services.edge_key_playback)
    )
    return app


@attrs.frozen
class EmbedPageResource:
    """
    The page of a video.
    """

    delivery: Delivery
    answers: PageAnswers

    def on_get(self, req: falcon.Request, resp: falcon.Response, *, video: str) -> None:
        """
        Answer with the page, or with one that says why there is none.
        """

        def make() -> PageContent:
            shown = self.delivery.describe(video, viewer_of(req))
            body = embed_page(shown, self.answers.worker_url)
            return PageContent(body=body, domains=shown.domains)

        self.answers.send(req, resp, make)

    on_head = on_get
