"""
A program of somebody who embeds the service, for the type checkers.

Nothing of ours may be Any to it: mypy refuses every expression of that type here, and
pyright reports what it does not know.
"""
# pyright: strict

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from wsgiref.simple_server import WSGIServer
from wsgiref.types import WSGIApplication

import sqlalchemy as sa
from a2wsgi import WSGIMiddleware

from hvcore.embedding import (
    AuthProvider,
    Credentials,
    EmbeddedService,
    EmbeddedVideo,
    EventKind,
    HeaderScheme,
    HvError,
    Mail,
    Mailer,
    OutboundHttp,
    Overrides,
    Permission,
    PreconditionFailedError,
    Preset,
    Principal,
    SortBy,
    SubscribedEvent,
    Upload,
    VideoState,
    WsgiApp,
    WsgiEnviron,
    embed,
    person,
)


class Tokens(AuthProvider):
    """
    Recognises tokens of the host program.
    """

    scheme = HeaderScheme(name="ShopToken", header="X-Shop-Token")

    def authenticate(self, credentials: Credentials) -> Principal | None:
        headers: Mapping[str, str] = credentials.headers
        if "x-shop-token" not in headers:
            return None
        return person(
            headers["x-shop-token"],
            org_id="shop",
            permissions=frozenset({Permission.VIDEOS_READ}),
        )


class NoonClock:
    """
    A clock of the host program.
    """

    def now(self) -> datetime:
        return datetime(2026, 1, 2, 12, tzinfo=UTC)

    def now_ms(self) -> int:
        return 0


class Letters:
    """
    A mailer of the host program.
    """

    def send(self, mail: Mail) -> None:
        assert mail.to


def told(event: SubscribedEvent) -> None:
    if event.kind is EventKind.COMPLETED:
        assert event.video_id


def who(environ: WsgiEnviron) -> Principal | None:
    user = environ.get("REMOTE_USER")
    if not isinstance(user, str):
        return None
    return person(user, org_id="shop", permissions={Permission.VIDEOS_READ})


def make(engine: sa.Engine, outbound: OutboundHttp) -> EmbeddedService:
    mailer: Mailer = Letters()
    return embed(
        "var/videos",
        public_url="https://shop.example/videos",
        engine=engine,
        schema="hv",
        sign_in=who,
        overrides=Overrides(
            auth_providers=(Tokens(),),
            clock=NoonClock(),
            mailer=mailer,
            outbound=outbound,
        ),
        on_event=told,
        environ={"HV_LIMITS__ENABLED": "false"},
    )


def sell(hv: EmbeddedService, engine: sa.Engine) -> Upload:
    shop = hv.environment("shop")
    with engine.begin() as connection:
        inside = shop.in_transaction(connection)
        inside.delete("vid_x")
        return inside.grant_upload(file_name="film.mp4", preset=Preset.HIGH)


def shown(hv: EmbeddedService, video_id: str) -> str:
    shop = hv.environment("shop")
    try:
        video: EmbeddedVideo = shop.find(video_id)
    except HvError as error:
        return error.detail
    if video.state is not VideoState.READY:
        return f"{video.name}: {video.progress_percent} %"
    return shop.page_address(video.id)


def renamed(hv: EmbeddedService, seen: EmbeddedVideo) -> EmbeddedVideo:
    shop = hv.environment("shop")
    try:
        return shop.update(seen.id, name="new", metadata=None, if_match=seen.etag)
    except PreconditionFailedError:
        return shop.find_external(seen.external_id or "")


def described(hv: EmbeddedService, path: Path) -> list[str]:
    shop = hv.environment("shop")
    video = shop.upload(path, tags=["new"], external_id="order 1")
    shop.captions.put(video.id, "en", b"WEBVTT", label="English")
    shop.posters.choose(video.id, 2.5)
    names = [one.name for one in shop.list(sort_by=SortBy.NAME, tag="new").videos]
    return [*names, *(one.label for one in shop.captions.list(video.id).captions)]


def served(hv: EmbeddedService, app: WsgiApp) -> WsgiApp:
    return hv.beside(app)


def mounted(
    hv: EmbeddedService, app: WSGIApplication, server: WSGIServer
) -> WSGIMiddleware:
    # Adapters and servers have types of their own for the same arguments.
    server.set_app(hv.beside(app))
    return WSGIMiddleware(hv.wsgi_app)


def worked(hv: EmbeddedService) -> None:
    hv.run_worker(encodes=False, stopping=lambda: True)
    hv.run_sweep(stopping=lambda: True)
