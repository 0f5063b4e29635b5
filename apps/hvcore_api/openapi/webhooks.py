"""
Describe the service's requests to webhook endpoints in the OpenAPI document.

Source: the interface document, "Events"; Standard Webhooks for the headers.
"""

from typing import Final

from hvcore.wire.schema import STRING
from hvcore.wire.webhooks.events import EVENT_SENT
from hvcore_api.openapi.components import Components, Document

_HEADERS: Final = {
    "webhook-id": "The event's `id`, the same in every try.",
    "webhook-timestamp": "When this try was made, in seconds since 1970.",
    "webhook-signature": "`v1,` and a signature; several, separated by spaces, while a "
    "secret is being replaced.",
}


def webhooks_of(components: Components) -> Document:
    """Return the OpenAPI descriptions of the requests that bring events to webhook endpoints."""
    example = components.example(str(EVENT_SENT["title"]))
    content = {
        "schema": components.schema(EVENT_SENT),
        **({"examples": {"recorded": example}} if example else {}),
    }
    operation: Document = {
        "operationId": "receiveEvent",
        "summary": "Receive what has happened to a video.",
        "description": "Check the signature over the body as it arrived. Answer with "
        "any 2xx within 15 s; everything else is tried again.",
        "tags": ["Webhooks"],
        "security": [],
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "description": about,
                "schema": STRING,
            }
            for name, about in _HEADERS.items()
        ],
        "requestBody": {"required": True, "content": {"application/json": content}},
        "responses": {
            "2XX": {"description": "It was received."},
            "410": {"description": "Nothing more is to be sent to this address."},
        },
    }
    # Behind a reference openapi-generator does not look, whose Python breaks on it.
    return {"event": components.part("pathItems", "event", {"post": operation})}
