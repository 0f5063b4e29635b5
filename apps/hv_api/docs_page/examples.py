"""
Examples of requests and answers, made of their schemas.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hv_api.docs_page.families import Operation

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
"""Of the shell, for parameters of paths."""
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
"""Of members that say more with a value of their own, where their schema takes it."""
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
"""Members of a body of which none is needed."""
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
    """
    Return a command line that sends the request.
    """
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


def answer_of(schema: Schema) -> str:
    """
    Return an answer as JSON, in lines.
    """
    return json.dumps(example_of(schema), indent=2, ensure_ascii=False)


def example_of(schema: Schema, name: str = "") -> Any:  # noqa: ANN401 - JSON data
    """
    Return a value that keeps a schema.

    Args:
        name: Of the member that has it; some names say more than their schema.
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
    match schema.get("type"):
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
    return _FORMATS.get(schema.get("format", ""), "…")


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
        isinstance(value, kinds[choice["type"]])
        and value in choice.get("enum", (value,))
        and value == choice.get("const", value)
        for choice in choices
        if choice.get("type") in kinds
    )


def _path(operation: Operation) -> str:
    path = operation.path.replace("{language}", "en")
    for name, variable in VARIABLES.items():
        path = path.replace(f"{{{name}}}", f"${variable}")
    return path


def _headers(operation: Operation) -> Iterator[str]:
    for parameter in operation.node["parameters"]:
        if parameter["in"] == "header" and parameter.get("required"):
            value = parameter["schema"].get("const", _HEADERS.get(parameter["name"]))
            yield f'-H "{parameter["name"]}: {value}"'


def _body(operation: Operation) -> Iterator[str]:
    content: Schema = operation.node.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        yield '-H "Content-Type: application/json"'
        body = _request(content["application/json"]["schema"])
        yield f"-d '{json.dumps(body, ensure_ascii=False)}'"
        return
    for media_type in content:
        yield f'-H "Content-Type: {media_type}"'
        yield f"--data-binary @{_FILES.get(media_type, 'file')}"
        return


def _request(schema: Schema) -> Mapping[str, object]:
    # Of one that may be left out, null is the other choice.
    schema = schema["anyOf"][0] if "anyOf" in schema else schema
    names = schema.get("required") or list(schema["properties"])[:_FEW]
    return {name: example_of(schema["properties"][name], name) for name in names}
