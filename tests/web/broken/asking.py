"""
Requests of which everything that an app asks for is broken, one thing after the other.

What an app asks for is noted while it answers, so that a new header, parameter or
field is broken as soon as something reads it.
"""

import io
import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote_from_bytes, unquote_to_bytes
from wsgiref.util import setup_testing_defaults

import attrs
import falcon

from hvcore_dashboard.forms import URLENCODED, Form
from tests.web.broken.values import broken_headers, broken_texts

ENVELOPE: Final = {"title", "status", "code", "detail", "errors"}
SERVERS_OWN: Final = frozenset({"HTTP_TRANSFER_ENCODING", "HTTP_EXPECT"})
"""The server judges them before any app; tests/server/test_deadlines.py breaks them."""
_BARE: Final = {"CONTENT_TYPE", "CONTENT_LENGTH"}


class NotingDict(dict[str, Any]):
    """
    A mapping that notes the names which are looked for.
    """

    def __init__(self, values: Mapping[str, Any], asked: set[str]) -> None:
        super().__init__(values)
        self._asked = asked

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - of any mapping
        self._asked.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._asked.add(str(name))
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ANN401 - of any mapping
        """
        Return a value, if there is one.
        """
        self._asked.add(name)
        return super().get(name, default)


@attrs.define
class Asked:
    """
    What an app has asked for, by name; middleware of Falcon.
    """

    headers: set[str] = attrs.field(factory=set)
    query: set[str] = attrs.field(factory=set)
    fields: set[str] = attrs.field(factory=set)

    def process_resource(self, req: Any, *_: object) -> None:  # noqa: ANN401 - Falcon's own
        """
        Note from now on which parameters and fields are looked for.
        """
        req._params = NotingDict(req._params, self.query)
        form: Form | None = getattr(req.context, "form", None)
        if form is not None:
            noting = NotingDict(form.fields, self.fields)
            req.context.form = attrs.evolve(form, fields=noting)


@attrs.frozen
class Answer:
    """
    What an app has answered.
    """

    status: int
    headers: Mapping[str, str]
    data: bytes


@attrs.define
class Breaker:
    """
    Sends requests to an app.

    Attributes:
        headers: Of every request, unless they are what is broken.
    """

    app: falcon.App[Any, Any]
    headers: Mapping[str, str] = attrs.field(factory=dict)
    asked: Asked = attrs.field(factory=Asked, init=False)

    def __attrs_post_init__(self) -> None:
        self.app.add_middleware(self.asked)  # type: ignore[arg-type]  # Falcon's type of it is private

    def break_all(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        fields: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> None:
        """
        Break each header, parameter and field that the app asks for.

        Args:
            path: As it is sent, and good, as are the other arguments.
            fields: Of a form; None for a request without one.
        """
        good = {
            "headers": dict(self.headers),
            "query": dict(query or {}),
            "fields": dict(fields or {}),
        }
        if fields is not None:
            good["headers"]["CONTENT_TYPE"] = URLENCODED
        for names in (self.asked.headers, self.asked.query, self.asked.fields):
            names.clear()
        self._check(method, path, good, body)
        done: set[tuple[str, str]] = set()
        while pending := sorted(self._pending(good) - done):
            for kind, name in pending:
                done.add((kind, name))
                values = broken_headers(name) if kind == "headers" else broken_texts()
                for value in values:
                    broken = {**good, kind: {**good[kind], name: value}}
                    self._check(method, path, broken, body)

    def break_path(self, method: str, template: str) -> None:
        """
        Break the place that is called ``{x}``.
        """
        for text in broken_texts():
            path = template.replace("{x}", _quoted(text) or "%20")
            self._check(
                method, path, {"headers": self.headers, "query": {}, "fields": {}}, b""
            )

    def _pending(self, good: Mapping[str, Mapping[str, str]]) -> set[tuple[str, str]]:
        headers = {
            name
            for name in self.asked.headers
            if name.startswith("HTTP_") or name in _BARE
        } - SERVERS_OWN
        names = {
            "headers": headers,
            "query": self.asked.query,
            "fields": self.asked.fields,
        }
        return {
            (kind, name)
            for kind, found in names.items()
            for name in {*found, *good[kind]}
        }

    def _check(
        self,
        method: str,
        path: str,
        sent: Mapping[str, Mapping[str, str]],
        body: bytes,
    ) -> None:
        answer = self.send(method, path, sent, body)
        shown = f"{method} {path[:200]} {sent}"[:2000]
        # oEmbed 1.0, section 2.3.4, wants it for a format that is not JSON.
        is_format = answer.status == 501 and path == "/oembed"
        assert answer.status < 500 or is_format, f"{answer.status}: {shown}"
        if answer.status < 400 or method == "HEAD":
            return
        content_type = answer.headers["content-type"]
        if content_type.startswith("text/html"):
            return
        assert content_type == "application/problem+json", shown
        assert json.loads(answer.data).keys() >= ENVELOPE, shown

    def send(
        self, method: str, path: str, sent: Mapping[str, Mapping[str, str]], body: bytes
    ) -> Answer:
        """
        Call the app as a server does.
        """
        body = _pairs(sent["fields"]).encode() or body
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": _pairs(sent["query"]),
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "api.test",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(),
            **{name: _latin(value) for name, value in sent["headers"].items()},
        }
        setup_testing_defaults(environ)
        answered: list[tuple[str, list[tuple[str, str]]]] = []

        def start(
            status: str, headers: list[tuple[str, str]], _: object = None
        ) -> None:
            answered.append((status, headers))

        given = self.app(NotingDict(environ, self.asked.headers), start)
        data = b"".join(given)
        close = getattr(given, "close", None)
        if close is not None:
            close()
        status, headers = answered[-1]
        return Answer(int(status.split()[0]), {n.lower(): v for n, v in headers}, data)


def _latin(value: str) -> str:
    try:
        value.encode("latin-1")
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass").decode("latin-1")
    return value


def _quoted(text: str) -> str:
    if text == "%zz":
        return text
    # Bytes that are no UTF-8 are given as characters.
    is_raw = text in {"\xff\xfe", "\xed\xa0\x80"}
    return quote_from_bytes(text.encode("latin-1" if is_raw else "utf-8"), safe="")


def _pairs(sent: Mapping[str, str]) -> str:
    return "&".join(f"{name}={_quoted(value)}" for name, value in sent.items())
