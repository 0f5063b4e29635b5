"""
Hold answers of the API against its own description.
"""

from functools import cache
from typing import Any

from falcon import App
from falcon.testing import Result
from jsonschema import Draft202012Validator

from hvcore.wire.envelope import PROBLEM_TYPE
from hvcore_api.openapi.answers import errors_of
from hvcore_api.openapi.components import resolved
from hvcore_api.openapi.document import make_document
from hvcore_api.routes import GROUPS, ROUTES
from hvcore_api.routing import Route
from hvcore_auth_apikey.backend import SCHEME as API_KEY

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
    if media_type.endswith(("/json", "+json")) and "schema" in content[media_type]:
        validator = _validator(method, route.template, result.status_code, media_type)
        told = [
            f"{p.json_path}: {p.message}" for p in validator.iter_errors(result.json)
        ]
        assert not told, f"{name} unlike its schema: {told}"
    if media_type == PROBLEM_TYPE:
        codes = errors_of(route)[result.status_code]
        assert result.json["code"] in codes, f"{name} with another code: {result.text}"


@cache
def _document() -> dict[str, Any]:
    return resolved(make_document(GROUPS, "https://api.test", [API_KEY]))


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
    return Draft202012Validator(_closed(content[media_type]["schema"]))


def _closed(node: Any) -> Any:  # noqa: ANN401 - JSON data
    """
    Return a schema whose objects have no members that it does not list.
    """
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    closed = {name: _closed(value) for name, value in node.items()}
    if isinstance(node.get("properties"), dict) and node.get("type") == "object":
        closed.setdefault("additionalProperties", False)
    return closed
