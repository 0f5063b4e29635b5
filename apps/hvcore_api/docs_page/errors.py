"""The section of the API's documentation page about errors: each code with a request and its answer."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from xml.etree.ElementTree import Element

from hvcore.wire.envelope import PROBLEM_TYPE
from hvcore_api.docs_page.elements import element, prose
from hvcore_api.docs_page.languages import (
    ExampleRequest,
    answer_block,
    examples_of,
)
from hvcore_api.openapi.examples import ERROR_REQUESTS
from hvcore_web.documentation.site import is_built

Node = Mapping[str, Any]

_CODE: Final = re.compile("`([^`]+)`")


def error_links(response: Node) -> Iterator[str | Element]:
    """
    Yield the description of an error answer; each error code with an example links to it.

    Args:
        response: The error answer in the OpenAPI document.
    """
    recorded = _recorded(response)
    for number, part in enumerate(_CODE.split(response["description"])):
        if number % 2 and part in recorded:
            yield element("a", element("code", part), href=f"#error-{part}")
        elif number % 2:
            yield element("code", part)
        else:
            yield part


def errors_part(document: Node, server_url: str, credential: str) -> Element:
    """
    Return the section of the documentation page that shows each error code, sorted by code.

    Args:
        document: The OpenAPI document.
        server_url: The address to which the example requests go.
        credential: The header with the caller's key, for the example requests.
    """
    found: dict[str, Any] = {}
    for item in document["paths"].values():
        for operation in item.values():
            if isinstance(operation, Mapping):
                for response in operation["responses"].values():
                    found |= _recorded(response)
    return element(
        "section",
        element("h2", "Errors"),
        element(
            "p",
            *prose(
                "Every error is `application/problem+json` with a `code` for programs. A "
                "request that gets it, and the answer:"
            ),
        ),
        *(
            _error(code, found[code]["value"], server_url, credential)
            for code in sorted(found)
        ),
        id="errors",
    )


def _error(code: str, answer: Node, server_url: str, credential: str) -> Element:
    return element(
        "section",
        element(
            "h3",
            str(answer["status"]),
            " ",
            element("a", element("code", code), href=f"#error-{code}"),
        ),
        *_way_to_page(code),
        *_request(code, server_url, credential),
        element("details", element("summary", "Answer"), answer_block(answer)),
        id=f"error-{code}",
        class_="error",
    )


def _way_to_page(code: str) -> Iterator[Element]:
    if is_built():
        link = element(
            "a", "What it means, and what to do", href=f"../errors/{code}.html"
        )
        yield element("p", link)


def _request(code: str, server_url: str, credential: str) -> Iterator[Element]:
    sent = ERROR_REQUESTS.get(code)
    if sent is None:
        return
    headers = dict(sent.get("headers", {}))
    has_own_key = credential.partition(":")[0] in headers
    media_type = headers.pop("Content-Type", "")
    request = ExampleRequest(
        method=sent["method"],
        path=sent["path"],
        credential="" if has_own_key else credential,
        headers=headers,
        media_type="application/json" if "json" in sent else media_type,
        data=sent.get("json"),
        file=sent.get("file", ""),
    )
    yield examples_of(request, server_url)


def _recorded(response: Node) -> Node:
    content = response.get("content", {}).get(PROBLEM_TYPE, {})
    examples: Node = content.get("examples", {})
    return examples
