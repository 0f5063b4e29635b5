"""
Every method sends what the description says, and reads what it answers.
"""

import asyncio
import inspect
import json
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, quote, urlsplit

import httpx
import pytest

from hvcore_api.openapi.examples import EXAMPLES
from hvcore_client import AsyncHvClient, HvClient
from hvcore_client.coding import encode
from hvcore_client.generated import operations as generated
from hvcore_client.options import ClientOptions
from hvcore_client_generator.document import Argument, Kind, Member, Operation, Type
from hvcore_client_generator.python_types import python_name
from hvcore_client_generator.reading import read_api
from tests.support.http.fixtures import _template, shared
from tests.support.http.world import World

__all__ = ["_template", "shared"]

URL = "https://api.test"


@pytest.fixture(scope="module")
def operations(shared: World) -> list[Operation]:
    document = shared.client.simulate_get("/v1/openapi.json").json
    return list(read_api(document).operations)


def value_of(found: Type) -> object:
    """A value of a type, and how it is called in texts."""
    if found.kind is Kind.ARRAY:
        return ["one", "two"]
    if found.kind is Kind.MAP:
        return {"key": "value"}
    if found.format == "date-time":
        return "2026-01-02T03:04:05.678Z"
    return {
        Kind.INTEGER: 7,
        Kind.NUMBER: 1.5,
        Kind.BOOLEAN: True,
    }.get(found.kind, "a/b c")


def example_of(operation: Operation) -> bytes:
    answer = operation.answer
    if answer is None:
        return b""
    name = f"{answer.type.name}Answer"
    return json.dumps(EXAMPLES.get(name, {"openapi": "3.1.1"})).encode()


class Recorder:
    """Answers with an example, and remembers what was asked."""

    def __init__(self, operation: Operation) -> None:
        self.requests: list[httpx.Request] = []
        self._content = example_of(operation)
        self._status = 204 if operation.answer is None else 200

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        headers = {"Content-Type": "application/json"}
        return httpx.Response(self._status, content=self._content, headers=headers)


def called(
    operation: Operation, arguments: Mapping[str, object]
) -> tuple[httpx.Request, object]:
    """Call by the client that blocks and by the other one, which must not differ."""
    name = python_name(operation.name)
    recorder = Recorder(operation)
    transport = httpx.MockTransport(recorder)
    with HvClient(URL, "k" * 8, http=httpx.Client(transport=transport)) as client:
        value = getattr(client, name)(**arguments)

    async def call() -> object:
        http = httpx.AsyncClient(transport=transport)
        async with AsyncHvClient(URL, "k" * 8, http=http) as other, http:
            return await getattr(other, name)(**arguments)

    assert asyncio.run(call()) == value
    first, second = recorder.requests
    key = "idempotency-key"
    assert (first.method, first.url, first.content) == (
        *(second.method, second.url, second.content),
    )
    assert {k: v for k, v in first.headers.items() if k != key} == {
        k: v for k, v in second.headers.items() if k != key
    }
    return first, value


def arguments_of(operation: Operation, *, all_of_them: bool) -> dict[str, object]:
    """What a call takes at least, or at most."""
    found: list[Argument | Member] = [
        item
        for item in operation.arguments
        if item.fixed is None
        and (item.is_required or (all_of_them and item.name != "format"))
    ]
    body = operation.body
    if body is not None and body.model is not None:
        found += [m for m in body.model.members if m.is_required or all_of_them]
    arguments = {python_name(item.name): value_of(item.type) for item in found}
    if body is not None and body.model is None:
        arguments["content"] = "WEBVTT"
    return arguments


@pytest.mark.parametrize("all_of_them", [False, True], ids=["least", "most"])
def test_every_method_sends_what_is_described(
    operations: list[Operation], *, all_of_them: bool
) -> None:
    for operation in operations:
        arguments = arguments_of(operation, all_of_them=all_of_them)

        request, value = called(operation, arguments)

        path = operation.path
        for item in operation.arguments:
            if item.place == "path":
                path = path.replace(f"{{{item.sent_as}}}", quote("a/b c", safe=""))
        sent = urlsplit(str(request.url))
        assert (request.method, sent.path) == (operation.method, path), operation.name
        assert parse_qsl(sent.query) == [
            (item.sent_as, text_of(one))
            for item in operation.arguments
            if item.place == "query" and python_name(item.name) in arguments
            for one in values_of(arguments[python_name(item.name)])
        ]
        check_headers(operation, request, arguments)
        check_body(operation, request, arguments)
        if operation.answer is None:
            assert value is None
        else:
            body = json.loads(example_of(operation))
            assert encode(value) == (
                body["body"] if operation.answer.is_enveloped else body
            )


def values_of(argument: object) -> Sequence[object]:
    """Return the values that are sent of an argument, each as one parameter."""
    return argument if isinstance(argument, list) else (argument,)


def check_headers(
    operation: Operation, request: httpx.Request, arguments: Mapping[str, object]
) -> None:
    assert ("x-api-key" in request.headers) == operation.needs_key
    assert ("idempotency-key" in request.headers) == operation.takes_idempotency_key
    for item in operation.arguments:
        is_sent = item.is_required or python_name(item.name) in arguments
        if item.place == "header" and is_sent:
            wanted = item.fixed or text_of(arguments[python_name(item.name)])
            assert request.headers[item.sent_as] == wanted


@pytest.mark.parametrize(
    ("operation", "content", "sent_as"),
    [
        ("set_captions", "WEBVTT\n\n", "text/vtt"),
        ("set_captions", b"\xef\xbb\xbfWEBVTT\n\n", "text/vtt"),
        (
            "set_captions",
            "1\n00:00:01,000 --> 00:00:02,000\n",
            "application/octet-stream",
        ),
        ("set_thumbnail", b"\x89PNG\r\n", "image/png"),
        ("set_thumbnail", b"\xff\xd8", "image/jpeg"),
    ],
)
def test_content_without_a_type_is_sent_by_what_it_begins_with(
    operation: str, content: str | bytes, sent_as: str
) -> None:
    found = getattr(generated, operation.upper())
    arguments = {"video_id": "vid_1", "language": "en", "content": content}

    request = found.request(ClientOptions(api_url="https://x", api_key="k"), arguments)

    assert request.headers["Content-Type"] == sent_as


def check_body(
    operation: Operation, request: httpx.Request, arguments: Mapping[str, object]
) -> None:
    body = operation.body
    if body is None:
        assert request.content == b""
    elif body.model is None:
        assert request.headers["content-type"] == body.content_types[0]
        assert request.content == b"WEBVTT"
    else:
        fields = {
            member.name: arguments[python_name(member.name)]
            for member in body.model.members
            if python_name(member.name) in arguments
        }
        is_left_out = not (fields or body.is_required)
        assert (json.loads(request.content) if request.content else None) == (
            None if is_left_out else fields
        )


def text_of(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_methods_of_both_clients_take_the_same(operations: list[Operation]) -> None:
    for operation in operations:
        name = python_name(operation.name)
        blocking = inspect.signature(getattr(HvClient, name))
        other = inspect.signature(getattr(AsyncHvClient, name))

        assert blocking == other
        assert inspect.iscoroutinefunction(getattr(AsyncHvClient, name))
