"""Write the API's OpenAPI document as Markdown, for programs that read pages."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from hvcore_api.docs_page.examples import request_of
from hvcore_api.docs_page.families import (
    Family,
    Operation,
    operations_of,
    twins_of,
)
from hvcore_api.docs_page.languages import curl_of
from hvcore_api.docs_page.schema_words import Member, members_of, rules_of, type_of
from hvcore_api.openapi.components import resolved

Node = Mapping[str, Any]

_FIRST_ERROR: Final = "4"
_ABOUT: Final = (
    "Every route of this service, with its parameters and the members of its bodies. "
    "`$KEY` is an API key. A body of JSON needs `Content-Type: application/json`. "
    "Members of the answer stand within `body`, as in `body.videoID`."
)


def render_markdown(document: Node) -> bytes:
    """Return the description of all routes of an OpenAPI document as Markdown, in UTF-8."""
    document = resolved(document)
    operations = operations_of(document)
    lines = [f"# Routes of {document['info']['title']}", "", _ABOUT, ""]
    lines += document["info"]["description"].split("\n")
    group = ""
    for one in operations:
        twins = twins_of(one, operations)
        if one.family is Family.ORGANIZATION and twins:
            continue
        if one.group != group:
            group = one.group
            lines += ["", f"## {group}"]
        lines += ["", *_operation(one, twins, document["servers"][0]["url"])]
    return ("\n".join(lines) + "\n").encode()


def _operation(
    one: Operation, twins: Iterable[Operation], server_url: str
) -> Iterator[str]:
    node = one.node
    yield f"### {one.method} {one.path}"
    yield ""
    yield node["summary"]
    for twin in twins:
        yield f"The same by organization: `{twin.path}`."
    yield from ("", "```sh", curl_of(request_of(one), server_url), "```", "")
    for parameter in node["parameters"]:
        yield _parameter(parameter)
    for media_type, content in node.get("requestBody", {}).get("content", {}).items():
        yield f"- body as `{media_type}`"
        yield from map(_member, members_of(content.get("schema", {})))
    for status, response in node["responses"].items():
        if status >= _FIRST_ERROR:
            continue
        for media_type, content in response.get("content", {}).items():
            yield f"- answer {status} as `{media_type}`"
            yield from map(_member, members_of(content.get("schema", {})))


def _parameter(parameter: Node) -> str:
    about = (
        {"description": parameter["description"]} if "description" in parameter else {}
    )
    member = Member(
        name=f"{parameter['name']}` ({parameter['in']}) `",
        schema={**parameter["schema"], **about},
        is_required=parameter.get("required", False),
    )
    return _member(member).removeprefix("  ").replace(" ``", "")


def _member(member: Member) -> str:
    facts = [type_of(member.schema), "required" if member.is_required else ""]
    facts += rules_of(member.schema)
    about = " ".join(member.schema.get("description", "").split())
    text = f"  - `{member.name}`: {', '.join(filter(None, facts))}"
    return f"{text}. {about}" if about else text
