"""
A program of somebody who embeds the service, for the type checkers.

Nothing of ours may be Any to it: mypy refuses every expression of that type here, and
pyright reports what it does not know.
"""
# pyright: strict

from collections.abc import Mapping
from datetime import UTC, datetime

import sqlalchemy as sa

from hvcore.embedding import (
    AuthProvider,
    Credentials,
    EmbeddedService,
    EmbeddedVideo,
    HeaderScheme,
    HvError,
    Overrides,
    Permission,
    Preset,
    Principal,
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


def who(environ: WsgiEnviron) -> Principal | None:
    user = environ.get("REMOTE_USER")
    if not isinstance(user, str):
        return None
    return person(user, org_id="shop", permissions={Permission.VIDEOS_READ})


def make(engine: sa.Engine) -> EmbeddedService:
    return embed(
        "var/videos",
        public_url="https://shop.example/videos",
        engine=engine,
        schema="hv",
        sign_in=who,
        overrides=Overrides(auth_providers=(Tokens(),), clock=NoonClock()),
        environ={"HV_LIMITS__ENABLED": "false"},
    )


def sell(hv: EmbeddedService, engine: sa.Engine) -> Upload:
    shop = hv.environment("shop")
    with engine.begin() as connection:
        inside = shop.in_transaction(connection)
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


def served(hv: EmbeddedService, app: WsgiApp) -> WsgiApp:
    return hv.beside(app)


def worked(hv: EmbeddedService) -> None:
    hv.run_worker(encodes=False, stopping=lambda: True)
    hv.run_sweep(stopping=lambda: True)
