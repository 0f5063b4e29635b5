"""Write an example request as code: a curl command, Python and JavaScript."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree.ElementTree import Element

import attrs

from hvcore_api.docs_page.elements import block, element

PLACEHOLDERS: Final = {
    "KEY": "key",
    "YOUR_KEY": "key",
    "ORG_ID": "organization",
    "ENV_ID": "environment",
    "VIDEO_ID": "video",
}
"""Words of examples in whose place the page's script puts what its reader has entered."""
_PLACEHOLDER: Final = re.compile(r"(\$KEY|YOUR_KEY|\$?\b(?:ORG_ID|ENV_ID|VIDEO_ID)\b)")
_VARIABLE: Final = re.compile(r"\$([A-Z]+_ID|EDGE_KEY)\b")
_INDENT: Final = "    "


@attrs.frozen(kw_only=True)
class ExampleRequest:
    """
    Hold a request that shows how a route is used.

    Attributes:
        path: The path and query; variables of the shell stand for ids.
        credential: The header with the caller's key; "" if none is needed.
        headers: The other headers, without ``Content-Type``.
        media_type: The type of the body; "" if there is no body.
        data: The body as JSON data, if it is JSON.
        file: The name of the file that is the body, if it is not JSON.
    """

    method: str
    path: str
    credential: str = ""
    headers: Mapping[str, str] = attrs.field(factory=dict)
    media_type: str = ""
    data: object = None
    file: str = ""


def curl_of(request: ExampleRequest, server_url: str) -> str:
    """Return the curl command line that sends a request."""
    first = ["curl -s"]
    if request.method != "GET":
        first.append(f"-X {request.method}")
    first.append(f'"{server_url}{request.path}"')
    lines = [" ".join(first)]
    if request.credential:
        lines.append(f'-H "{request.credential}"')
    # A value may have quotes of its own, as an ETag has.
    lines += [f"-H '{name}: {value}'" for name, value in request.headers.items()]
    if request.media_type:
        lines.append(f'-H "Content-Type: {request.media_type}"')
    if request.file:
        lines.append(f"--data-binary @{request.file}")
    elif request.media_type:
        lines.append(f"-d '{json.dumps(request.data, ensure_ascii=False)}'")
    return " \\\n  ".join(lines)


def python_of(request: ExampleRequest, server_url: str) -> str:
    """Return a Python program that sends a request with httpx."""
    parts = [_quoted(request.method), _quoted(_plain(server_url + request.path))]
    headers = _headers(request)
    if request.file:
        headers["Content-Type"] = request.media_type
    if headers:
        parts.append(f"headers={_python(headers)}")
    if request.file:
        parts.append(f'content=open("{request.file}", "rb")')
    elif request.media_type:
        parts.append(f"json={_python(request.data)}")
    lines = "".join(f"{_INDENT}{part},\n" for part in parts)
    return (
        f"import httpx\n\nanswer = httpx.request(\n{lines})\n"
        "print(answer.status_code, answer.text)"
    )


def javascript_of(request: ExampleRequest, server_url: str) -> str:
    """Return a JavaScript program that sends a request with fetch."""
    headers = _headers(request)
    parts = [f"method: {_quoted(request.method)}"]
    if request.media_type:
        headers["Content-Type"] = request.media_type
    if headers:
        parts.append(f"headers: {json.dumps(headers, ensure_ascii=False)}")
    if request.file:
        parts.append("body: file")
    elif request.media_type:
        data = json.dumps(request.data, ensure_ascii=False)
        parts.append(f"body: JSON.stringify({data})")
    lines = "".join(f"  {part},\n" for part in parts)
    address = _quoted(_plain(server_url + request.path))
    return (
        f"const answer = await fetch({address}, {{\n{lines}}});\n"
        "console.log(answer.status, await answer.text());"
    )


LANGUAGES: Final = {
    "curl": curl_of,
    "Python": python_of,
    "JavaScript": javascript_of,
}


def examples_of(request: ExampleRequest, server_url: str) -> Element:
    """Return the HTML element that shows a request as code in curl, Python and JavaScript."""
    return element(
        "div",
        *(
            element(
                "pre",
                *_with_placeholders(write(request, server_url), server_url),
                tabindex="0",
                class_="example",
                data_language=language,
            )
            for language, write in LANGUAGES.items()
        ),
        class_="examples",
    )


def answer_block(answer: object) -> Element:
    """Return the HTML element that shows an answer as indented JSON."""
    return block(json.dumps(answer, indent=2, ensure_ascii=False))


def _with_placeholders(text: str, server_url: str) -> Iterator[str | Element]:
    """Yield the parts of an example; what the reader may replace stands in an element."""
    before, found, rest = text.partition(server_url)
    yield before
    if found and server_url:
        yield element("span", server_url, data_fill="address")
    for number, part in enumerate(_PLACEHOLDER.split(rest)):
        if number % 2:
            yield element("span", part, data_fill=PLACEHOLDERS[part.lstrip("$")])
        elif part:
            yield part


def _headers(request: ExampleRequest) -> dict[str, str]:
    name, _, value = request.credential.partition(": ")
    own = {name: value.replace("$KEY", "YOUR_KEY")} if name else {}
    return {**own, **request.headers}


def _plain(address: str) -> str:
    return _VARIABLE.sub(r"\1", address)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _python(value: object) -> str:
    """Return JSON data as Python writes it, with the quotes of this project."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_quoted(n)}: {_python(v)}" for n, v in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_python, value))}]"
    return _quoted(value) if isinstance(value, str) else repr(value)
