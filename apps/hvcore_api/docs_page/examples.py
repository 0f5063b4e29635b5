"""Examples of requests and answers, made of their schemas."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from hvcore_api.docs_page.families import Operation

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


def command_of(operation: Operation, server_url: str) -> str:
    """Return a command line that sends a request to an operation."""
    first = ["curl -s"]
    if operation.method != "GET":
        first.append(f"-X {operation.method}")
    first.append(f'"{server_url}{_path(operation)}"')
    lines = [" ".join(first)]
    if operation.credential:
        lines.append(f'-H "{operation.credential}"')
    lines += _headers(operation)
    lines += _body(operation)
    return " \\\n  ".join(lines)


def answer_of(content: Schema) -> str:
    """
    Return an example answer as indented JSON: a recorded one, or one made from the schema.

    Args:
        content: The media type object of the answer in the OpenAPI document.
    """
    answer = _recorded(content) or example_of(content["schema"])
    return json.dumps(answer, indent=2, ensure_ascii=False)


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


def _headers(operation: Operation) -> Iterator[str]:
    for parameter in operation.node["parameters"]:
        if parameter["in"] == "header" and parameter.get("required"):
            words = parameter["schema"].get("enum", [_HEADERS.get(parameter["name"])])
            value = words[0]
            yield f'-H "{parameter["name"]}: {value}"'


def _body(operation: Operation) -> Iterator[str]:
    content: Schema = operation.node.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        yield '-H "Content-Type: application/json"'
        body = _recorded(content["application/json"]) or _request(
            content["application/json"]["schema"]
        )
        yield f"-d '{json.dumps(body, ensure_ascii=False)}'"
        return
    for media_type in content:
        yield f'-H "Content-Type: {media_type}"'
        yield f"--data-binary @{_FILES.get(media_type, 'file')}"
        return


def _request(schema: Schema) -> Mapping[str, object]:
    names = schema.get("required") or list(schema["properties"])[:_FEW]
    return {name: example_of(schema["properties"][name], name) for name in names}
