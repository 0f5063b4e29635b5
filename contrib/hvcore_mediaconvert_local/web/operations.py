"""Describe the operations of MediaConvert's API, by botocore's model of the service."""

import functools
import json
from collections.abc import Callable, Mapping
from typing import Final

import attrs
import falcon
from botocore.loaders import Loader
from botocore.model import ServiceModel, StructureShape

from hvcore_mediaconvert_local.errors import bad_request
from hvcore_mediaconvert_local.web.request_check import problems
from hvcore_mediaconvert_local.wire import JsonObject, without_nulls

API_VERSION: Final = "2017-08-29"
MAX_BODY_BYTES: Final = 2 * 1024 * 1024
_MOST_PROBLEMS: Final = 20

Handler = Callable[[JsonObject], JsonObject]


@functools.cache
def service_model() -> ServiceModel:
    """Return botocore's description of MediaConvert."""
    found = Loader().load_service_model("mediaconvert", "service-2", API_VERSION)
    return ServiceModel(found, "mediaconvert")


@attrs.frozen(kw_only=True)
class ApiOperation:
    """
    Describe one operation of the API.

    Attributes:
        method: The HTTP method.
        path: The path, as a template for Falcon's router.
        status: The HTTP status of a successful answer.
        shape: botocore's description of the request.
        handler: The function that carries out the operation; None if this server does not
            offer the operation.
    """

    name: str
    method: str
    path: str
    status: int
    shape: StructureShape
    handler: Handler | None

    def read(
        self, req: falcon.Request, body: bytes, in_path: Mapping[str, str]
    ) -> JsonObject:
        """
        Return the members of a request from its path, query and body, after a check.

        Raises:
            MediaConvertError: The request has not the shape that the operation takes.
        """
        found = _json_of(body)
        for name, member in self.shape.members.items():
            place = member.serialization.get("location")
            wire_name = member.serialization.get("name", name)
            if place:
                found.pop(wire_name, None)
            if place == "uri":
                found[wire_name] = in_path[wire_name]
            elif place == "querystring" and req.has_param(wire_name):
                text = req.get_param(wire_name, default="")
                is_number = member.type_name == "integer" and text.lstrip("-").isdigit()
                found[wire_name] = int(text) if is_number else text
        wrong = [_from_settings(one) for one in problems(found, self.shape)]
        if wrong:
            raise bad_request("; ".join(wrong[:_MOST_PROBLEMS]))
        return found


def operations(handlers: Mapping[str, Handler]) -> list[ApiOperation]:
    """
    Return all operations of the API.

    Args:
        handlers: The functions that carry out operations, by the operations' names.
    """
    model = service_model()
    made = []
    for name in model.operation_names:
        described = model.operation_model(name)
        path = described.http["requestUri"]
        made.append(
            ApiOperation(
                name=name,
                method=described.http["method"],
                # An ARN has a slash in it, and a name may have one.
                path=path.replace("}", ":path}"),
                status=int(described.http.get("responseCode", 200)),
                shape=described.input_shape,
                handler=handlers.get(name),
            )
        )
    return made


def _json_of(body: bytes) -> JsonObject:
    if not body:
        return {}
    try:
        found = without_nulls(json.loads(body))
    except (ValueError, RecursionError):
        raise bad_request("The body is not JSON") from None
    if not isinstance(found, dict):
        raise bad_request("The body is not a JSON object")
    return found


def _from_settings(problem: str) -> str:
    # MediaConvert names what is in a job's settings without saying "settings".
    return problem.removeprefix("/settings") if "/settings/" in problem else problem
