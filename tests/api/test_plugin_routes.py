"""
Routes of plugins: closed, read, counted and described like our own.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import pytest
from jsonschema import Draft202012Validator

from hvcore.domain.access.keys import Permission
from hvcore.errors import PluginError
from hvcore.plugin_api import (
    Bucket,
    NoOptions,
    PluginRoute,
    RouteCall,
    RoutesBackend,
    hookimpl,
)
from hvcore.registry import load_plugins
from hvcore.settings import Settings
from hvcore_api.openapi.components import resolved
from hvcore_api.plugin_routes import are_ambiguous, groups_with
from hvcore_api.routes import GROUPS
from tests.conftest import SettableClock
from tests.docs import extension
from tests.support.http.fixtures import Template, settings_of
from tests.support.http.limited import limit
from tests.support.http.world import World, body_of, locations, problem_of

NOTES = "/v1/api/org_a/videos/{}/notes"
TEMPLATE = "/v1/api/{orgID}/videos/{videoID}/notes"


@pytest.fixture
def api(_template: Template, tmp_path: Path, clock: SettableClock) -> Iterator[World]:
    """
    The API with the routes of the page for authors.
    """
    settings = settings_of(tmp_path)
    with extension.importable(tmp_path / "plugin") as name:
        modules = (*(settings.plugin_modules or ()), name)
        settings = attrs.evolve(settings, plugin_modules=modules)
        with _template.open(settings, clock) as world:
            yield world


def test_a_plugins_route_takes_json_and_answers_in_the_envelope(api: World) -> None:
    address = NOTES.format(api.ready())

    added = api.post(address, {"text": "Ünique"})

    assert body_of(added) == {"text": "Ünique"}
    assert body_of(api.get(address)) == {"notes": ["Ünique"]}
    assert added.headers["Cache-Control"] == "no-store"


def test_without_a_key_it_answers_401(api: World) -> None:
    address = NOTES.format(api.ready())

    answer = api.client.simulate_get(address)

    problem_of(answer, 401, "unauthorized")


def test_a_plugins_route_answers_403_without_its_permission(api: World) -> None:
    address = NOTES.format(api.ready())
    key = api.make_key(permissions=frozenset({Permission.VIDEOS_READ}))

    problem_of(api.post(address, {"text": "x"}, key=key), 403, "forbidden")
    assert body_of(api.get(address, key=key)) == {"notes": []}


def test_a_video_of_others_is_not_there(api: World) -> None:
    theirs, deleted = api.ready(api.other_env), api.ready()
    api.change(deleted, lambda video: video.delete(api.clock.now()))

    for video_id in (theirs, deleted, "vid_0"):
        problem_of(api.get(NOTES.format(video_id)), 404, "video_not_found")
    problem_of(api.get(NOTES.format(api.ready(api.dev))), 403, "forbidden")
    there = NOTES.format(theirs).replace("org_a", "org_b")
    problem_of(api.get(there), 403, "forbidden")


def test_all_problems_of_a_body_are_told(api: World) -> None:
    address = NOTES.format(api.ready())

    wrong = problem_of(api.post(address, {"text": 7}), 422, "invalid_parameters")
    problem_of(api.post(address, {"text": ""}), 400, "invalid_parameters")
    problem_of(api.post(address, ["text"]), 422, "invalid_parameters")
    answer = api.call("POST", address, body=b"{", headers={"Content-Type": "x/y"})

    assert locations(wrong) == ["body.text"]
    assert answer.status_code == 415


def test_a_plugins_route_counts_under_the_limits(api: World) -> None:
    address = NOTES.format(api.ready())
    limit(api, api_per_hour=2)

    first, second, third = (api.get(address) for _ in range(3))

    assert first.headers["X-RateLimit-Limit"] == "2"
    assert second.headers["X-RateLimit-Remaining"] == "0"
    problem_of(third, 429, "rate_limit_exceeded")


def test_a_plugins_route_obeys_the_idempotency_key(api: World) -> None:
    address = NOTES.format(api.ready())
    headers = {"Idempotency-Key": "once"}

    answers = [
        api.call("POST", address, json={"text": "x"}, headers=headers) for _ in range(2)
    ]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    assert body_of(api.get(address)) == {"notes": ["x"]}


def test_a_plugins_route_stands_in_the_description(api: World) -> None:
    document: Any = resolved(api.client.simulate_get("/v1/openapi.json").json)
    page = api.client.simulate_get("/docs/api/").text

    item = document["paths"][TEMPLATE]
    assert item["post"]["security"] == [{"ApiKey": []}]
    assert {"401", "403", "404", "422", "429"} <= item["post"]["responses"].keys()
    schema = item["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert schema["properties"]["text"]["maxLength"] == 500
    described = item["get"]["responses"]["200"]["content"]["application/json"]
    answer = api.get(NOTES.format(api.ready())).json
    Draft202012Validator(described["schema"]).validate(answer)
    tag = {"name": "Notes", "description": "Added by a plugin."}
    assert tag in document["tags"]
    assert "Add a note to a video." in page


def test_methods_that_it_does_not_have_are_refused(api: World) -> None:
    answer = api.delete(NOTES.format(api.ready()))

    problem_of(answer, 405, "method_not_allowed")


class Shop:
    """
    Has handlers that do as the test wants.
    """

    def told(self, call: RouteCall) -> dict[str, object]:
        return {
            "path": dict(call.path),
            "env": call.env_id,
            "org": call.org_id,
            "headers": sorted(call.headers),
        }

    def read(self, call: RouteCall) -> bytes:
        return f"{call.org_id or 'nobody'}\n".encode()

    def who(self, call: RouteCall) -> dict[str, object]:
        return {"key": call.caller.key_id}

    def fail(self, call: RouteCall) -> dict[str, object]:
        raise RuntimeError(f"no {call.org_id}")


def build_shop(options: NoOptions, context: object) -> Shop:
    del options, context
    return Shop()


MakePlugin = Callable[..., str]


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> MakePlugin:
    def make(name: str, *routes: object) -> str:
        record = RoutesBackend(name="shop", factory=build_shop, routes=routes)  # type: ignore[arg-type]  # wrong ones, too

        @hookimpl
        def hvcore_routes() -> Iterator[RoutesBackend[Shop]]:
            yield record

        module = ModuleType(name)
        module.hvcore_routes = hvcore_routes  # type: ignore[attr-defined]  # a plugin made on the spot
        monkeypatch.setitem(sys.modules, name, module)
        return name

    return make


def closed(
    path: str,
    handler: Callable[[Shop, RouteCall], dict[str, object] | bytes] = Shop.told,
    method: str = "GET",
    **more: object,
) -> PluginRoute[Shop]:
    fields = {"permission": None, "summary": "Sell.", **more}
    return PluginRoute(method, path, handler, **fields)  # type: ignore[arg-type]  # wrong ones, too


@pytest.fixture
def shop(
    _template: Template, tmp_path: Path, clock: SettableClock, plugin: MakePlugin
) -> Iterator[World]:
    """
    The API with routes of several kinds.
    """
    settings = settings_of(tmp_path)
    name = plugin(
        "acme_shop",
        closed("/v1/shop/carts/{cartID}"),
        closed("/v1/api/{orgID}/environments/{envID}/shop"),
        closed("/v1/shop/text", Shop.read, answer_type="text/plain", status=201),
        closed("/v1/shop/open", Shop.read, answer_type="text/plain", is_open=True),
        closed("/v1/shop/gifts/{code}", is_open=True),
        closed("/v1/shop/anonymous", Shop.who, is_open=True),
        closed("/v1/shop/broken", Shop.fail),
    )
    modules = (*(settings.plugin_modules or ()), name)
    settings = attrs.evolve(settings, plugin_modules=modules)
    with _template.open(settings, clock) as world:
        yield world


def test_a_handler_is_told_what_the_path_names_and_no_credentials(shop: World) -> None:
    by_key = body_of(shop.get("/v1/shop/carts/c7"))
    by_path = body_of(
        shop.get("/v1/api/org_a/environments/dev/shop", key=shop.system_key())
    )

    assert by_key["path"] == {"cartID": "c7"}
    assert (by_key["org"], by_key["env"]) == ("org_a", shop.env.id)
    assert (by_path["org"], by_path["env"]) == ("org_a", shop.dev.id)
    assert "host" in by_key["headers"]
    assert not {"x-api-key", "cookie", "authorization"} & set(by_key["headers"])


def test_another_environment_is_judged_before_the_handler(shop: World) -> None:
    answer = shop.get("/v1/api/org_a/environments/dev/shop")

    problem_of(answer, 403, "forbidden")


def test_an_answer_may_be_no_json(shop: World) -> None:
    answer = shop.get("/v1/shop/text")

    assert (answer.status_code, answer.text) == (201, "org_a\n")
    assert answer.headers["Content-Type"] == "text/plain"


def test_an_open_route_asks_for_no_key_and_knows_nobody(shop: World) -> None:
    answer = shop.client.simulate_get("/v1/shop/open")

    assert (answer.status_code, answer.text) == (200, "nobody\n")
    problem_of(shop.client.simulate_get("/v1/shop/anonymous"), 401, "unauthorized")


def test_an_open_route_may_have_parameters_that_are_not_empty(shop: World) -> None:
    there = shop.client.simulate_get("/v1/shop/gifts/c0de")

    assert body_of(there)["path"] == {"code": "c0de"}
    problem_of(shop.client.simulate_get("/v1/shop/gifts/"), 404, "not_found")


def test_a_bug_of_a_handler_is_answered_and_not_shown(shop: World) -> None:
    answer = shop.get("/v1/shop/broken")

    problem_of(answer, 500, "internal_error")
    assert "no org_a" not in answer.text


REFUSED = {
    "ours": closed("/v1/videos/{assetId}"),
    "another method of ours": closed("/v1/whoami", method="DELETE"),
    "what ours would hide": closed("/v1/videos/top"),
    "what hides ours": closed("/v1/{anything}"),
    "a parameter of another name": closed("/v1/api/{orgID}/videos/{clip}/notes"),
    "outside of the API": closed("/shop"),
    "the dashboard's": closed("/dashboard/shop"),
    "an organization of no parameter": closed("/v1/api/org_a/shop"),
    "an organization elsewhere": closed("/v1/shop/{orgID}"),
    "two slashes": closed("/v1//shop"),
    "half a parameter": closed("/v1/shop/{a}.json"),
    "a parameter twice": closed("/v1/shop/{a}/{a}"),
    "no method": closed("/v1/shop", method="get"),
    "open with a permission": closed(
        "/v1/shop", is_open=True, permission=Permission.VIDEOS_READ
    ),
    "open with a bucket": closed("/v1/shop", is_open=True, bucket=Bucket.ANALYTICS),
    "open with a video": closed("/v1/shop/{videoID}", is_open=True),
    "open with a video by another name": closed("/v1/shop/{assetId}", is_open=True),
    "open with an organization": closed("/v1/api/{orgID}/shop", is_open=True),
    "open with an environment": closed("/v1/shop/{envID}", is_open=True),
    "a body of no fields": closed("/v1/shop", body=dict),
    "no handler": closed("/v1/shop", None),  # type: ignore[arg-type]  # wrong on purpose
    "the text of a permission": closed("/v1/shop", permission="videos:read"),
    "the text of a bucket": closed("/v1/shop", bucket="analytics"),
    "no route": object(),
}


@pytest.mark.parametrize("route", REFUSED.values(), ids=REFUSED)
def test_a_route_that_cannot_be_served_is_refused_naming_the_plugin(
    plugin: MakePlugin, tmp_path: Path, route: object
) -> None:
    registry = load_plugins(
        Settings(data_dir=tmp_path, plugin_modules=(plugin("acme_shop", route),))
    )

    with pytest.raises(PluginError, match=r"Plugin acme_shop .*HV_PLUGINS.*'shop'"):
        groups_with(registry)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("no handler", r"GET /v1/shop: the handler must be a function .*, not None"),
        (
            "the text of a permission",
            r"permission must be None or one of Permission\.VIDEOS_READ, .* 'videos:read'",
        ),
        (
            "open with a video",
            r"an open route cannot have \{videoID\}: .* tell strangers what exists",
        ),
        ("the text of a bucket", r"bucket must be None or one of Bucket\.API, "),
    ],
)
def test_a_malformed_plugin_route_is_refused_with_the_reason(
    plugin: MakePlugin, tmp_path: Path, wrong: str, said: str
) -> None:
    name = plugin("acme_shop", REFUSED[wrong])
    registry = load_plugins(Settings(data_dir=tmp_path, plugin_modules=(name,)))

    with pytest.raises(PluginError, match=said):
        groups_with(registry)


def test_two_routes_of_one_address_and_method_are_refused(
    plugin: MakePlugin, tmp_path: Path
) -> None:
    name = plugin("acme_shop", closed("/v1/shop"), closed("/v1/shop"))
    registry = load_plugins(Settings(data_dir=tmp_path, plugin_modules=(name,)))

    with pytest.raises(PluginError, match="GET /v1/shop is there twice"):
        groups_with(registry)


def test_a_plugin_takes_no_address_of_another_plugin(
    plugin: MakePlugin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = RoutesBackend(
        name="other", factory=build_shop, routes=[closed("/v1/shop/{item}")]
    )
    module = ModuleType("acme_other")
    module.hvcore_routes = hookimpl(specname="hvcore_routes")(lambda: [record])  # type: ignore[attr-defined]  # a plugin made on the spot
    monkeypatch.setitem(sys.modules, "acme_other", module)
    modules = ("acme_other", plugin("acme_shop", closed("/v1/shop/cart")))
    registry = load_plugins(Settings(data_dir=tmp_path, plugin_modules=modules))

    with pytest.raises(PluginError, match=r"Plugin acme_shop .* of acme_other"):
        groups_with(registry)


def test_without_plugins_the_table_is_ours(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, plugin_modules=("hvcore_ratelimit.plugin",))

    assert groups_with(load_plugins(settings)) == GROUPS


@pytest.mark.parametrize(
    ("one", "other", "is_ambiguous"),
    [
        ("/a/b", "/a/b", True),
        ("/a/{x}", "/a/{y}", True),
        ("/a/b", "/a/{y}", True),
        ("/a/b/c", "/a/{y}/d", True),
        ("/a/b", "/a/b/c", False),
        ("/a/{x}/b", "/a/{x}/c", False),
        ("/a/b", "/a/c", False),
        ("/a/b/{x}", "/a/c/{y}", False),
    ],
)
def test_addresses_are_ambiguous_where_a_router_must_choose(
    one: str, other: str, *, is_ambiguous: bool
) -> None:
    assert are_ambiguous(one, other) is is_ambiguous
    assert are_ambiguous(other, one) is is_ambiguous
