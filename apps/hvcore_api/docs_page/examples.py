"""Examples of requests and answers for the API's documentation page, recorded or made from schemas."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from hvcore_api.docs_page.families import Operation
from hvcore_api.docs_page.languages import ExampleRequest

Schema = Mapping[str, Any]

VARIABLES: Final = {
    "orgID": "ORG_ID",
    "envID": "ENV_ID",
    "publicID": "VIDEO_ID",
    "videoID": "VIDEO_ID",
    "assetId": "VIDEO_ID",
    "shareID": "SHARE_ID",
    "edgeKey": "EDGE_KEY",
}
"""The shell variables in examples, by the path parameters for which they stand."""
_VALUES: Final[Mapping[str, object]] = {
    "audioFormat": "aac",
    "audioStreamBitrate": 128,
    "compressionRatio": "veryfast",
    "createdAt": "2026-01-02T03:04:05.678Z",
    "description": "Recorded in late autumn.",
    "domains": ["example.com", "*.example.org"],
    "duration": "1:15",
    "durationSeconds": 75.5,
    "endSeconds": 30.0,
    "envID": "live",
    "expirationHours": 24,
    "expiresAt": "2026-01-03T03:04:05.678Z",
    "expires_in": 3600,
    "fileName": "holiday.mp4",
    "fileSize": 1_048_576,
    "filename": "holiday.mp4",
    "gcsPath": "uploads/…",
    "jobs": 1,
    "key": "720p",
    "label": "English",
    "language": "en",
    "maxViews": 5,
    "name": "Holiday",
    "orgID": "org_acme",
    "page": 1,
    "pageSize": 20,
    "rateControlMode": "variableBitrate",
    "resolutionHeight": 720,
    "segmentsServed": 1234,
    "served": "1,234 views",
    "shortEdgePixels": 720,
    "signed_url": "https://video.example.com/v1/private/vid_…/master.m3u8?token=…",
    "sourceUrl": "https://example.com/holiday.mp4",
    "status": "ready",
    "timesServed": 1234,
    "timestampSeconds": 12.5,
    "title": "Opening",
    "total": 1,
    "totalPages": 1,
    "vidName": "Holiday",
    "videoName": "Holiday",
    "videoStreamBitrate": 2500,
    "videoURL": "https://example.com/holiday.mp4",
    "viewerEmail": "ann@example.com",
    "views": 2,
}
"""Example values of members, used if the member's schema allows them."""
_FORMATS: Final[Mapping[str, str]] = {
    "date": "2026-01-02",
    "date-time": "2026-01-02T03:04:05.678Z",
    "idn-email": "ann@example.com",
    "uri": "https://video.example.com/…",
}
_RANDOM: Final = "0T3hK9bQz7LmW2xVnR5cYp"
"""22 characters, as identifiers have them."""
_IDENTIFIER: Final = re.compile(r"\^(\(\?:pub\)\?)?([a-z]+_)\[0-9A-Za-z\]\{22\}\$")
_JSON: Final = "application/json"
_FEW: Final = 2
"""The number of members in the example of a body without required members."""
_HEADERS: Final = {
    "Upload-Length": "1048576",
    "Upload-Metadata": "filename aG9saWRheS5tcDQ=",
}
_FILES: Final = {
    "text/vtt": "captions.vtt",
    "application/x-subrip": "captions.srt",
    "image/jpeg": "picture.jpg",
    "image/png": "picture.png",
}


def request_of(operation: Operation) -> ExampleRequest:
    """Return an example request to an operation: a recorded one, or one made of its schema."""
    media_type, data, file = _body(operation)
    return ExampleRequest(
        method=operation.method,
        path=_path(operation),
        credential=operation.credential,
        headers=dict(_headers(operation)),
        media_type=media_type,
        data=data,
        file=file,
    )


def answer_of(content: Schema) -> Any:  # noqa: ANN401 - JSON data
    """
    Return an example answer: a recorded one, or one made from the schema.

    Args:
        content: The media type object of the answer in the OpenAPI document.
    """
    return _recorded(content) or example_of(content["schema"])


def _recorded(content: Schema) -> Any:  # noqa: ANN401 - JSON data
    return content.get("examples", {}).get("recorded", {}).get("value")


def example_of(schema: Schema, name: str = "") -> Any:  # noqa: ANN401 - JSON data
    """
    Return an example value that is valid for a schema.

    Args:
        name: The name of the member with this value; some names say more than the schema.
    """
    chosen = _VALUES.get(name)
    if chosen is not None and _takes(schema, chosen):
        return chosen
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    if name == "revokedAt":
        return None
    if "anyOf" in schema:
        rest = {key: value for key, value in schema.items() if key != "anyOf"}
        return example_of({**rest, **schema["anyOf"][0]}, name)
    return _plain(schema, name)


def _plain(schema: Schema, name: str) -> Any:  # noqa: ANN401 - JSON data
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            members = schema.get("properties", {})
            names = schema.get("required", members)
            return {key: example_of(members[key], key) for key in names}
        case "array":
            return [example_of(schema["items"], name.removesuffix("s"))]
        case "string":
            return _text(schema)
        case "boolean":
            return name == "ready" or name.endswith("Valid")
        case "integer" | "number":
            return schema.get("minimum", 0)
    return None


def _text(schema: Schema) -> str:
    found = _IDENTIFIER.fullmatch(schema.get("pattern", ""))
    if found:
        return f"{found[2]}{_RANDOM}"
    given = schema.get("examples", [_FORMATS.get(schema.get("format", ""), "…")])
    return str(given[0])


def _takes(schema: Schema, value: object) -> bool:
    kinds = {
        "string": str,
        "integer": int,
        "number": int | float,
        "array": list,
        "boolean": bool,
        "object": dict,
    }
    choices = [schema, *schema.get("anyOf", ())]
    return any(
        isinstance(value, kinds[kind])
        and value in choice.get("enum", (value,))
        and value == choice.get("const", value)
        for choice in choices
        for kind in _kinds(choice)
        if kind in kinds
    )


def _kinds(schema: Schema) -> Sequence[str]:
    kind = schema.get("type", ())
    return (kind,) if isinstance(kind, str) else kind


def _path(operation: Operation) -> str:
    path = operation.path.replace("{language}", "en")
    for name, variable in VARIABLES.items():
        path = path.replace(f"{{{name}}}", f"${variable}")
    return path


def _headers(operation: Operation) -> Iterator[tuple[str, str]]:
    for parameter in operation.node["parameters"]:
        if parameter["in"] == "header" and parameter.get("required"):
            words = parameter["schema"].get("enum", [_HEADERS.get(parameter["name"])])
            yield parameter["name"], words[0]


def _body(operation: Operation) -> tuple[str, object, str]:
    """Return the type of the body, its JSON data, and the name of the file that it is."""
    content: Schema = operation.node.get("requestBody", {}).get("content", {})
    if _JSON in content:
        node = content[_JSON]
        return _JSON, _recorded(node) or _request(node["schema"]), ""
    for media_type in content:
        return media_type, None, _FILES.get(media_type, "file")
    return "", None, ""


def _request(schema: Schema) -> Mapping[str, object]:
    names = schema.get("required") or list(schema["properties"])[:_FEW]
    return {name: example_of(schema["properties"][name], name) for name in names}
