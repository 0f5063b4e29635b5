"""
The two families of API routes, by key and by organization, and which routes of both do the same.

Source: the interface document, "Endpoints".
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Final

import attrs

from hvcore_api.openapi.names import BY_ORGANIZATION
from hvcore_api.routing import ENV, KEY, ORG

METHODS: Final = ("get", "put", "post", "patch", "delete", "options")
_PARAMETER: Final = re.compile(r"\{\w+\}")


class Family(Enum):
    """
    Kind of a route: its caller's key or its path names the organization, or it needs no key.

    Attributes:
        title: The title of the family's part of the documentation page.
        short: The words for the family beside each of its routes, such as ``by key``.
        about: The text about the family: what its routes are for.
    """

    KEY = (
        "Routes by key (family B)",
        "by key",
        (
            "Addresses below `/v1`. Organization and environment are those of the key: "
            "begin here if you have a key of one environment."
        ),
    )
    ORGANIZATION = (
        "Routes by organization (family A)",
        "by organization",
        (
            "Addresses below `/v1/api/{orgID}`. The path names the organization, and "
            "where it matters the environment: for keys that reach several."
        ),
    )
    OPEN = (
        "Without a key",
        "no key",
        "What anybody may ask: whether the service works, and this description.",
    )

    def __init__(self, title: str, short: str, about: str) -> None:
        self.title = title
        self.short = short
        self.about = about

    @property
    def id(self) -> str:
        """The family's anchor in the addresses of the documentation page, such as ``by-key``."""
        return f"by-{self.name.lower()}"


@attrs.frozen(kw_only=True)
class Operation:
    """
    A documented operation of the API: an HTTP method of a path.

    Attributes:
        node: The operation in the OpenAPI document, with the parameters of its path.
        credential: The header with the caller's key; "" if it needs none.
    """

    method: str
    path: str
    family: Family
    node: Mapping[str, Any]
    credential: str

    @property
    def id(self) -> str:
        """The operation's id, which is also its anchor in the addresses of the documentation page."""
        return str(self.node["operationId"])

    @property
    def group(self) -> str:
        """The tag of the operation, without the suffix that the tags of routes by organization have."""
        return str(self.node["tags"][0]).removesuffix(BY_ORGANIZATION)

    @property
    def work(self) -> tuple[str, str]:
        """
        The HTTP method, and the path without ``/v1`` or ``/v1/api/{orgID}`` and parameter names.

        Operations of the two families that do the same have the same work.
        """
        rest = self.path
        for root in (ENV, ORG, KEY):
            if rest.startswith(f"{root}/"):
                rest = rest.removeprefix(root)
                break
        return self.method, _PARAMETER.sub("{}", rest)


def operations_of(document: Mapping[str, Any]) -> Sequence[Operation]:
    """
    Return every operation of an OpenAPI document, in the order of its tags.

    Args:
        document: The document with each reference replaced; see
            ``hvcore_api.openapi.components.resolved``.
    """
    order = [tag["name"].removesuffix(BY_ORGANIZATION) for tag in document["tags"]]
    credential = credential_of(document)
    found = [
        _operation(path, method, item, credential)
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item
    ]
    return sorted(found, key=lambda one: order.index(one.group))


def twins_of(one: Operation, others: Iterable[Operation]) -> Sequence[Operation]:
    """Return the operations of the other family (by key or by organization) that do the same."""
    return [
        other
        for other in others
        if other.work == one.work and other.id != one.id and one.family != Family.OPEN
    ]


def credential_of(document: Mapping[str, Any]) -> str:
    """
    Return the header line that sends a caller's key, by the document's first security scheme.

    Returns:
        Such as ``Authorization: Bearer $KEY``; "" if the OpenAPI document names no scheme.
    """
    for scheme in document["components"]["securitySchemes"].values():
        if scheme["type"] == "apiKey":
            return f"{scheme['name']}: $KEY"
        return "Authorization: Bearer $KEY"
    return ""


def _operation(
    path: str, method: str, item: Mapping[str, Any], credential: str
) -> Operation:
    node = item[method]
    parameters = [*item.get("parameters", ()), *node["parameters"]]
    return Operation(
        method=method.upper(),
        path=path,
        family=_family(path, node),
        node={**node, "parameters": parameters},
        credential=credential if node["security"] else "",
    )


def _family(path: str, node: Mapping[str, Any]) -> Family:
    if path.startswith(f"{ORG}/"):
        return Family.ORGANIZATION
    needs_key = bool(node["security"])
    # tus asks what the server can do without a key, at a route that needs one.
    is_of_keys = path.startswith(f"{KEY}/") and node["tags"][0] != "Service"
    return Family.KEY if needs_key or is_of_keys else Family.OPEN
