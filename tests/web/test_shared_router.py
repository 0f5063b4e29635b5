"""
Apps that share a tree of routes.
"""

import falcon
import pytest
from falcon import inspect
from falcon.testing import TestClient

from hvcore_web.app import make_app
from hvcore_web.cors import exact_origins
from hvcore_web.shared_router import SharedRouter


class _Thing:
    def __init__(self, owner: str) -> None:
        self._owner = owner

    def on_get(self, _req: falcon.Request, resp: falcon.Response, name: str) -> None:
        resp.text = f"{name} of {self._owner}"


def _client(owner: str) -> TestClient:
    resources = {"/things/{name}": _Thing(owner)}
    return TestClient(make_app(cors=exact_origins((), ()), resources=resources))


def test_each_app_answers_with_its_own_resources() -> None:
    one, other = _client("one"), _client("other")

    assert one.simulate_get("/things/cup").text == "cup of one"
    assert other.simulate_get("/things/pen").text == "pen of other"


def test_an_unknown_path_or_method_is_refused_as_by_falcon() -> None:
    client = _client("one")

    wrong_method = client.simulate_delete("/things/cup")

    assert wrong_method.status_code == 405
    assert wrong_method.headers["Allow"] == "GET, OPTIONS"
    assert client.simulate_get("/things").status_code == 404


def test_addresses_between_which_nothing_decides_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match="conflicts"):
        SharedRouter({"/{one}/a": _Thing("one"), "/{other}/b": _Thing("other")})


def test_a_route_added_to_one_app_is_in_no_other() -> None:
    one, other = _client("one"), _client("other")

    one.app.add_route("/cups/{name}", _Thing("one"))

    assert one.simulate_get("/cups/red").text == "red of one"
    assert one.simulate_get("/things/cup").text == "cup of one"
    assert other.simulate_get("/cups/red").status_code == 404


def test_the_routes_of_an_app_can_be_listed() -> None:
    (route,) = inspect.inspect_routes(_client("one").app)

    assert route.path == "/things/{name}"
    assert [m.method for m in route.methods if not m.internal] == ["GET"]
