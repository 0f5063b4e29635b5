"""
Middleware of plugins around the apps.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import pytest
from falcon.testing import TestClient

from hvcore.assembly import Services, build
from hvcore.errors import PluginError
from hvcore.plugin_api import (
    BuildContext,
    Middleware,
    MiddlewareBackend,
    NoOptions,
    WebApp,
    hookimpl,
)
from hvcore.settings import Settings, load
from hvcore_reference.plugin_middleware import has_middleware, with_middleware
from hvcore_reference.wsgi import api_app
from tests.docs import extension
from tests.support.databases.migrated import lay_database

PLUGINS = (
    "hvcore_analytics_sql.plugin,hvcore_auth_apikey.plugin,hvcore_ratelimit.plugin,"
    "hvcore_sign_in_link.plugin,hvcore_storage_fsspec.plugin,hvcore_queue_rq.plugin,"
    "hvcore_transcoder_ffmpeg.plugin"
)


def said(word: str) -> Middleware:
    """
    Return middleware that puts a word before every body.
    """

    def around(app: WSGIApplication) -> WSGIApplication:
        def answer(
            environ: WSGIEnvironment, start_response: StartResponse
        ) -> Iterable[bytes]:
            return [word.encode(), *app(environ, start_response)]

        return answer

    return around


def hello(_environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"app"]


class Words:
    """
    A plugin with middleware of several orders.
    """

    @hookimpl
    def hvcore_middleware(self) -> Iterator[MiddlewareBackend]:
        for name, order, apps in (
            ("b", 0, {WebApp.API}),
            ("a", 0, {WebApp.API}),
            ("last", 9, {WebApp.API}),
            ("first", -9, {WebApp.API, WebApp.PLAYER}),
        ):
            yield MiddlewareBackend(
                name=name, factory=maker(name), apps=apps, order=order
            )


def maker(name: str) -> Any:  # noqa: ANN401 - a factory
    def build_middleware(options: NoOptions, context: BuildContext) -> Middleware:
        del options, context
        return said(f"{name} ")

    return build_middleware


def settings_with(folder: Path, *modules: str) -> Settings:
    environ = {
        "HV_PLUGINS": ",".join([PLUGINS, *modules]),
        "HV_QUEUE__OPTIONS__URL": "redis://127.0.0.1:1/0",
    }
    return load(config_path=None, environ=environ, data_dir=folder).settings


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.setitem(sys.modules, "acme_words", Words())  # type: ignore[arg-type]  # a plugin made on the spot
    with build(settings_with(tmp_path, "acme_words"), rings=False) as made:
        yield made


@pytest.mark.parametrize(
    ("which", "text"),
    [
        (WebApp.API, "first a b last app"),
        (WebApp.PLAYER, "first app"),
        (WebApp.DELIVERY, "app"),
    ],
)
def test_the_lowest_order_is_outermost(
    services: Services, which: WebApp, text: str
) -> None:
    client = TestClient(with_middleware(hello, which, services))

    assert client.simulate_get("/").text == text


def test_the_apps_with_middleware_are_known(services: Services) -> None:
    assert has_middleware(frozenset({WebApp.PLAYER, WebApp.DELIVERY}), services)
    assert not has_middleware(frozenset({WebApp.DELIVERY}), services)


def test_an_object_that_is_no_middleware_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Nothing:
        @hookimpl
        def hvcore_middleware(self) -> Iterator[MiddlewareBackend]:
            yield MiddlewareBackend(
                name="nothing",
                factory=lambda _options, _context: lambda _app: None,  # type: ignore[arg-type,return-value]  # wrong on purpose
                apps={WebApp.API},
            )

    monkeypatch.setitem(sys.modules, "acme_nothing", Nothing())  # type: ignore[arg-type]  # see above
    settings = settings_with(tmp_path, "acme_nothing")

    with (
        build(settings, rings=False) as services,
        pytest.raises(PluginError, match="'nothing' makes NoneType"),
    ):
        with_middleware(hello, WebApp.API, services)


def test_the_process_of_the_api_has_what_a_plugin_adds(tmp_path: Path) -> None:
    with extension.importable(tmp_path / "plugin") as name:
        settings = settings_with(tmp_path, name)
        lay_database(settings)
        client = TestClient(api_app(settings, threads=1))
        live = client.simulate_get("/health/live")
        page = client.simulate_get("/dashboard")
        closed = client.simulate_get("/v1/api/org_a/videos/vid_0/notes")

    assert live.headers["X-Acme"] == "notes"
    assert "X-Acme" not in page.headers
    assert (closed.status_code, closed.headers["X-Acme"]) == (401, "notes")
