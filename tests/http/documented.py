"""
Hold answers of the API against its own description.
"""

from functools import cache
from typing import Any

from falcon import App
from falcon.testing import Result
from jsonschema import Draft202012Validator

from hv_api.openapi import make_document
from hv_api.routes import GROUPS, ROUTES
from hv_api.routing import Route
from hv_auth_apikey.backend import SCHEME as API_KEY

_ROUTES = {(route.method, route.template): route for route in ROUTES}


def check(app: App[Any, Any], method: str, path: str, result: Result) -> None:
    """
    Fail unless the route's description has this answer.

    Addresses and methods that no route has are left alone.
    """
    found = app._router.find(path)
    route = _ROUTES.get((method, found[3])) if found else None
    # 405 is no operation's answer; 304 has nothing to describe.
    if route is None or result.status_code in {304, 405} or "//" in path:
        return
    responses = _operation(method, route.template)["responses"]
    name = f"{method} {route.path} answers {result.status_code}"
    described = responses.get(str(result.status_code))
    assert described, f"{name}, which its errors= do not list: {result.text}"
    content = described.get("content", {})
    if not content:
        assert not result.content, f"{name} with a body that is not described"
        return
    media_type = result.headers["Content-Type"].split(";")[0]
    assert media_type in content, f"{name} as {media_type}"
    if media_type.endswith("json") and "schema" in content[media_type]:
        validator = _validator(method, route.template, result.status_code, media_type)
        told = [
            f"{p.json_path}: {p.message}" for p in validator.iter_errors(result.json)
        ]
        assert not told, f"{name} unlike its schema: {told}"


@cache
def _document() -> dict[str, Any]:
    return make_document(GROUPS, "https://api.test", [API_KEY])


@cache
def _operation(method: str, template: str) -> dict[str, Any]:
    for path, item in _document()["paths"].items():
        route = Route(method, path, object)
        if route.template == template:
            operation: dict[str, Any] = item[method.lower()]
            return operation
    raise AssertionError(f"{method} {template} is not described")


@cache
def _validator(
    method: str, template: str, status: int, media_type: str
) -> Draft202012Validator:
    content = _operation(method, template)["responses"][str(status)]["content"]
    return Draft202012Validator(
        {**content[media_type]["schema"], "components": _document()["components"]}
    )
