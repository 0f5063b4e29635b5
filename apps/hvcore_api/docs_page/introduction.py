"""The beginning of the API's documentation page, with a form for the reader's own key and ids."""

from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import Element

from hvcore_api.docs_page.elements import element, prose
from hvcore_api.docs_page.families import credential_of
from hvcore_api.docs_page.languages import ExampleRequest, examples_of

Node = Mapping[str, Any]


def introduction_of(document: Node) -> Iterator[Element]:
    """
    Yield the elements above the routes on the API's documentation page.

    They say what the service is, show a first request, and have the fields in which readers
    enter their own address and API key.

    Args:
        document: The OpenAPI document.
    """
    info, server = document["info"], document["servers"][0]["url"]
    yield element(
        "header",
        element("h1", info["title"]),
        element(
            "p",
            "Version ",
            element("code", info["version"]),
            " · Address ",
            element("code", server),
            " · For programs: ",
            element("a", "openapi.json", href="../../v1/openapi.json"),
            ", ",
            element("a", "routes.md", href="routes.md"),
            class_="muted",
        ),
        *(element("p", *prose(text)) for text in info["description"].split("\n\n")),
        element("h2", "The first call"),
        element(
            "p",
            *prose(
                "Put a key into the variable `KEY` and ask what it may do. The other "
                "examples use further variables, such as `VIDEO_ID`. Python needs the "
                "package `httpx`; JavaScript is for browsers and node."
            ),
        ),
        examples_of(
            ExampleRequest(
                method="GET", path="/v1/whoami", credential=credential_of(document)
            ),
            server,
        ),
        _own_values(),
    )
    yield element("p", "Nothing was found.", id="nothing", hidden="hidden")


def _own_values() -> Element:
    """Return the form whose values the script puts into all examples; the script shows it."""
    fields = [
        element(
            "label",
            name,
            element(
                "input",
                type="text",
                placeholder=placeholder,
                autocomplete="off",
                spellcheck="false",
                data_fills=fills,
            ),
        )
        for name, fills, placeholder in (
            ("Address", "address", "https://…"),
            ("Key", "key", "hv_live_…"),
            ("Organization", "organization", "org_…"),
            ("Environment", "environment", "live"),
            ("Video", "video", "vid_…"),
        )
    ]
    return element(
        "form",
        element("h2", "Your own values in the examples"),
        element("p", "What you enter stays in this page: it is not stored or sent."),
        element("div", *fields, class_="fields"),
        id="own",
        hidden="hidden",
    )
