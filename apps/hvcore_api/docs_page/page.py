"""
The API's OpenAPI document as an HTML page that people read.

The page can be read without its script, which only adds the search.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, tostring

from hvcore_api.docs_page.elements import element, prose
from hvcore_api.docs_page.errors import errors_part
from hvcore_api.docs_page.families import (
    Family,
    Operation,
    credential_of,
    operations_of,
)
from hvcore_api.docs_page.introduction import introduction_of
from hvcore_api.docs_page.operations import section_of, webhooks_part
from hvcore_api.openapi.components import resolved
from hvcore_web.documentation.site import is_built

Node = Mapping[str, Any]
Groups = Mapping[str, Sequence[Operation]]


def render_page(document: Node) -> bytes:
    """Return the HTML of the API's documentation page, in UTF-8, made from the OpenAPI document."""
    document = resolved(document)
    info = document["info"]
    operations = operations_of(document)
    server_url = document["servers"][0]["url"]
    parts = {family: _grouped(operations, family) for family in Family}
    html = element(
        "html",
        _head(info["title"]),
        element(
            "body",
            element("a", "To the routes", class_="skip", href="#routes"),
            element(
                "nav",
                *_way_back(),
                _finder(len(operations)),
                element("div", *_navigation(parts), _further_parts(), id="contents"),
                aria_label="Routes",
            ),
            element(
                "main",
                *introduction_of(document),
                *_parts(parts, operations, server_url),
                webhooks_part(document),
                errors_part(document, server_url, credential_of(document)),
                id="routes",
            ),
        ),
        lang="en",
    )
    page: bytes = tostring(html, encoding="utf-8", method="html")
    return b"<!doctype html>\n" + page


def _head(title: str) -> Element:
    # ElementTree puts the charset first.
    return element(
        "head",
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("link", rel="stylesheet", href="style.css"),
        element("script", src="search.js", defer="defer"),
        # Without one, browsers ask for /favicon.ico.
        element("link", rel="icon", href="data:,"),
    )


def _way_back() -> Iterator[Element]:
    """Yield the link to the documentation around this page, if it is there."""
    if is_built():
        yield element("a", "Documentation", class_="back", href="../")


def _finder(count: int) -> Element:
    """Return the search, which the script shows."""
    families = [
        element("button", text, type="button", data_shows=name, aria_pressed=pressed)
        for text, name, pressed in (
            ("All", "", "true"),
            ("By key", Family.KEY.id, "false"),
            ("By organization", Family.ORGANIZATION.id, "false"),
        )
    ]
    return element(
        "form",
        element("label", "Search the routes", class_="unseen", for_="search"),
        element(
            "input",
            id="search",
            type="search",
            placeholder="Search (press /)",
            autocomplete="off",
            spellcheck="false",
            aria_describedby="found",
        ),
        element("div", *families, class_="choices", role="group", aria_label="Family"),
        element("p", f"{count} routes", id="found", class_="muted", role="status"),
        element(
            "button",
            "Show the list",
            type="button",
            id="toggle",
            class_="plain",
            aria_expanded="false",
            aria_controls="contents",
        ),
        id="finder",
        role="search",
        hidden="hidden",
    )


def _navigation(parts: Mapping[Family, Groups]) -> Iterator[Element]:
    for family, groups in parts.items():
        yield element(
            "section",
            element("h2", element("a", family.title, href=f"#{family.id}")),
            *(
                element(
                    "div",
                    element("h3", group),
                    element("ul", *(element("li", _link(one)) for one in operations)),
                )
                for group, operations in groups.items()
            ),
        )


def _further_parts() -> Element:
    """Return the links to the parts of the page that are about no route."""
    links = [
        element("li", element("a", title, href=f"#{name}"))
        for title, name in (("Webhooks", "webhooks"), ("Errors", "errors"))
    ]
    return element("ul", *links, class_="further")


def _link(one: Operation) -> Element:
    method = element("b", one.method, class_=one.method.lower())
    path = one.path
    for root in ("/v1/api/{orgID}", "/v1"):
        if path.startswith(f"{root}/"):
            path = path.removeprefix(root)
            break
    return element("a", method, " ", path, href=f"#{one.id}")


def _parts(
    parts: Mapping[Family, Groups], operations: Sequence[Operation], server_url: str
) -> Iterator[Element]:
    for family, groups in parts.items():
        yield element(
            "section",
            element("h2", family.title),
            element("p", *prose(family.about)),
            *(
                element(
                    "div",
                    element("h3", group),
                    *(section_of(one, operations, server_url) for one in members),
                    class_="group",
                )
                for group, members in groups.items()
            ),
            id=family.id,
            class_="part",
        )


def _grouped(operations: Sequence[Operation], family: Family) -> Groups:
    groups: dict[str, list[Operation]] = {}
    for one in operations:
        if one.family is family:
            groups.setdefault(one.group, []).append(one)
    return groups
