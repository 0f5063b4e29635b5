"""
The OpenAPI document as a page that people read.

Made of elements and not of text, so that everything in it is escaped. There
is no script: it is complete as it comes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from xml.etree.ElementTree import Element, tostring

from hv_api.schema_words import Member, members_of, rules_of, type_of

Node = Mapping[str, Any]

_METHODS: Final = ("get", "put", "post", "patch", "delete", "options")
_CODE: Final = re.compile("`([^`]+)`")
_FIRST_ERROR: Final = "4"


def render_page(document: Node) -> bytes:
    """
    Return the page in UTF-8.
    """
    info = document["info"]
    groups = _grouped(document)
    html = _element(
        "html",
        _head(info["title"]),
        _element(
            "body",
            _navigation(groups),
            _element(
                "main",
                _element("h1", info["title"], " ", info["version"]),
                *(_element("p", *_prose(t)) for t in info["description"].split("\n\n")),
                _addresses(document),
                *_sections(groups),
            ),
        ),
        lang="en",
    )
    page: bytes = tostring(html, encoding="utf-8", method="html")
    return b"<!doctype html>\n" + page


def _head(title: str) -> Element:
    # ElementTree puts the charset first.
    return _element(
        "head",
        _element(
            "meta", name="viewport", content="width=device-width, initial-scale=1"
        ),
        _element("title", title),
        _element("link", rel="stylesheet", href="docs/style.css"),
        # Without one, browsers ask for /favicon.ico.
        _element("link", rel="icon", href="data:,"),
    )


def _addresses(document: Node) -> Element:
    servers = (server["url"] for server in document["servers"])
    return _element(
        "p",
        "Address: ",
        *(_element("code", url) for url in servers),
        ". For programs: ",
        _element("a", "openapi.json", href="v1/openapi.json"),
        ".",
    )


def _navigation(groups: Mapping[str, list[Node]]) -> Element:
    return _element(
        "nav",
        *(
            _element(
                "section",
                _element("h2", _element("a", group, href=f"#{group.lower()}")),
                _element("ul", *(_element("li", _link(o)) for o in operations)),
            )
            for group, operations in groups.items()
        ),
    )


def _link(operation: Node) -> Element:
    target = f"#{operation['operationId']}"
    text = operation["path"]
    return _element("a", _element("b", operation["method"]), " ", text, href=target)


def _sections(groups: Mapping[str, list[Node]]) -> Iterator[Element]:
    for group, operations in groups.items():
        yield _element("h2", group, id=group.lower())
        for operation in operations:
            yield _section(operation)


def _section(operation: Node) -> Element:
    title = _element("h3", _element("b", operation["method"]), " ", operation["path"])
    key = [] if operation["security"] else [_element("p", "No key is needed.")]
    return _element(
        "section",
        title,
        _element("p", *_prose(operation["summary"])),
        *key,
        *_parameters(operation["parameters"]),
        *_body(operation.get("requestBody")),
        *_answers(operation["responses"]),
        *_errors(operation["responses"]),
        id=operation["operationId"],
    )


def _parameters(parameters: Iterable[Node]) -> Iterator[Element]:
    rows = [
        Member(
            name=f"{parameter['name']} ({parameter['in']})",
            schema={**parameter["schema"], **_description(parameter)},
            is_required=parameter.get("required", False),
        )
        for parameter in parameters
    ]
    if rows:
        yield _element("h4", "Parameters")
        yield _members(rows)


def _description(node: Node) -> Node:
    return {"description": node["description"]} if "description" in node else {}


def _body(body: Node | None) -> Iterator[Element]:
    if body is None:
        return
    yield _element("h4", "Body", "" if body["required"] else " (optional)")
    for media_type, content in body["content"].items():
        yield _element("p", _element("code", media_type))
        if "schema" in content:
            yield _members(members_of(content["schema"]))


def _answers(responses: Node) -> Iterator[Element]:
    for status, response in responses.items():
        if status >= _FIRST_ERROR:
            continue
        yield _element("h4", "Answer ", status)
        for media_type, content in response.get("content", {}).items():
            yield _element("p", _element("code", media_type))
            rows = list(members_of(content.get("schema", {})))
            if rows:
                yield _members(rows)


def _errors(responses: Node) -> Iterator[Element]:
    rows = [
        _element(
            "tr",
            _element("td", status),
            _element("td", *_prose(response["description"])),
        )
        for status, response in responses.items()
        if status >= _FIRST_ERROR
    ]
    yield _element("h4", "Errors")
    yield _element("table", *rows)


def _members(members: Iterable[Member]) -> Element:
    return _element(
        "table",
        *(
            _element(
                "tr",
                _element("td", _element("code", member.name)),
                _element(
                    "td",
                    type_of(member.schema),
                    _element("i", " required" if member.is_required else ""),
                ),
                _element(
                    "td",
                    *_prose(member.schema.get("description", "")),
                    " ",
                    *_prose("; ".join(rules_of(member.schema))),
                ),
            )
            for member in members
        ),
    )


def _grouped(document: Node) -> Mapping[str, list[Node]]:
    groups: dict[str, list[Node]] = {}
    for path, item in document["paths"].items():
        for method in _METHODS:
            if method not in item:
                continue
            operation = item[method]
            parameters = [*item["parameters"], *operation["parameters"]]
            own = {"path": path, "method": method.upper(), "parameters": parameters}
            groups.setdefault(operation["tags"][0], []).append({**operation, **own})
    order = [tag["name"] for tag in document["tags"]]
    return {name: groups[name] for name in order}


def _prose(text: str) -> Iterator[str | Element]:
    for number, part in enumerate(_CODE.split(text)):
        yield _element("code", part) if number % 2 else part


def _element(tag: str, *content: str | Element, **attributes: str) -> Element:
    """
    Make an element; a text goes behind the element before it.
    """
    element = Element(tag, attributes)
    for part in content:
        if isinstance(part, Element):
            element.append(part)
        elif len(element):
            element[-1].tail = (element[-1].tail or "") + part
        else:
            element.text = (element.text or "") + part
    return element
