"""The section of the API's documentation page about one route: its parameters, answers and an example."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from xml.etree.ElementTree import Element

from hvcore_api.docs_page.elements import element, prose
from hvcore_api.docs_page.errors import error_links
from hvcore_api.docs_page.examples import answer_of, request_of
from hvcore_api.docs_page.families import Operation, twins_of
from hvcore_api.docs_page.languages import answer_block, examples_of
from hvcore_api.docs_page.schema_words import Member, members_of, rules_of, type_of

Node = Mapping[str, Any]

_FIRST_ERROR: Final = "4"


def section_of(one: Operation, others: Iterable[Operation], server_url: str) -> Element:
    """
    Return the section of the documentation page that describes one operation.

    Args:
        others: The operations of both families of routes (by key, by organization); those that
            do the same are linked.
        server_url: The address to which the example request goes.
    """
    node = one.node
    return element(
        "section",
        element(
            "h4",
            element("b", one.method, class_=one.method.lower()),
            " ",
            element("a", one.path, href=f"#{one.id}"),
        ),
        element("p", *prose(node["summary"])),
        element("p", *_facts(one, others), class_="facts"),
        examples_of(request_of(one), server_url),
        *_parameters(node["parameters"]),
        *_body(node.get("requestBody")),
        *_answers(node["responses"]),
        _errors(node["responses"]),
        id=one.id,
        class_="operation",
    )


def webhooks_part(document: Node) -> Element:
    """Return the section of the documentation page about requests that the service sends to webhooks."""
    return element(
        "section",
        element("h2", "Webhooks"),
        *(
            one
            for item in document.get("webhooks", {}).values()
            for one in _webhook(item["post"])
        ),
        id="webhooks",
    )


def _webhook(node: Node) -> Iterator[Element]:
    yield element("p", *prose(node["summary"]))
    yield element("p", *prose(node["description"]))
    yield from _parameters(node["parameters"])
    yield from _body(node["requestBody"])
    for content in node["requestBody"]["content"].values():
        example = element("summary", "Example")
        yield element("details", example, answer_block(answer_of(content)))


def _facts(one: Operation, others: Iterable[Operation]) -> Iterator[str | Element]:
    yield element("span", one.family.short, class_="family")
    twins = twins_of(one, others)
    if twins:
        yield " The same as "
    for number, twin in enumerate(twins):
        yield ", " if number else ""
        yield element("a", element("code", twin.path), href=f"#{twin.id}")


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
        yield element("h5", "Parameters")
        yield _members(rows)


def _description(node: Node) -> Node:
    return {"description": node["description"]} if "description" in node else {}


def _body(body: Node | None) -> Iterator[Element]:
    if body is None:
        return
    yield element("h5", "Body", "" if body["required"] else " (optional)")
    for media_type, content in body["content"].items():
        yield element("p", element("code", media_type))
        if "schema" in content:
            yield _members(members_of(content["schema"]))


def _answers(responses: Node) -> Iterator[Element]:
    for status, response in responses.items():
        if status >= _FIRST_ERROR:
            continue
        yield element("h5", "Answer ", status)
        for media_type, content in response.get("content", {}).items():
            yield element("p", element("code", media_type))
            schema = content.get("schema", {})
            rows = list(members_of(schema))
            if rows:
                yield _members(rows)
                yield element(
                    "details",
                    element("summary", "Example"),
                    answer_block(answer_of(content)),
                )


def _errors(responses: Node) -> Element:
    rows = [
        element(
            "tr",
            element("td", status),
            element("td", *error_links(response)),
        )
        for status, response in responses.items()
        if status >= _FIRST_ERROR
    ]
    return element("details", element("summary", "Errors"), _table(rows))


def _members(members: Iterable[Member]) -> Element:
    return _table(
        [
            element(
                "tr",
                element("td", element("code", member.name)),
                element(
                    "td",
                    type_of(member.schema),
                    element("i", " required" if member.is_required else ""),
                ),
                element(
                    "td",
                    *prose(member.schema.get("description", "")),
                    element("small", *prose("; ".join(rules_of(member.schema)))),
                ),
            )
            for member in members
        ]
    )


def _table(rows: Sequence[Element]) -> Element:
    return element("table", *rows)
