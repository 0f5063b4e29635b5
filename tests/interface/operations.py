"""
The documented operations of both families, each ready to be called.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from tests.interface import field_tables, tables
from tests.interface.field_tables import Field
from tests.support.http.world import ENV, ORG, World, body_of

A: Final = f"/v1/api/{ORG}"
A_ENV: Final = f"{A}/environments/{ENV}"
B: Final = "/v1"


@attrs.frozen
class Operation:
    """
    One documented operation in one family.

    Attributes:
        name: As the interface's headings call it.
        family: ``A`` or ``B``.
        path: Makes the path, and whatever it names.
        body: Fields of its JSON body.
        query: Parameters of its query.
        given: Makes the least body that succeeds.
    """

    name: str
    family: str
    method: str
    path: Callable[[World], str]
    body: tuple[Field, ...] = ()
    query: tuple[Field, ...] = ()
    given: Callable[[World], Mapping[str, Any]] = attrs.field(default=lambda _: {})

    def __str__(self) -> str:
        return f"{self.family}-{self.name}"


def _at(path: str) -> Callable[[World], str]:
    return lambda _: path


def _of_ready(path: str) -> Callable[[World], str]:
    return lambda world: path.format(world.ready())


def uploaded(world: World) -> Mapping[str, Any]:
    """
    Upload a file and return the least body of a process request.
    """
    grant = body_of(
        world.post(f"{A_ENV}/videos/upload-url", {"filename": "a.mp4", "fileSize": 5})
    )
    world.upload(grant["bucketPath"])
    return {
        "gcsPath": grant["bucketPath"],
        "videoQuality": "high",
        "allowPublicAccess": True,
    }


def _always(**body: object) -> Callable[[World], Mapping[str, Any]]:
    return lambda _: body


_PAIRS: Final = (
    ("details", "GET", "/videos/{}/details", (), ()),
    ("delete", "DELETE", "/videos/{}", field_tables.DELETE, ()),
    ("signed-url", "GET", "/videos/{}/signed-url", (), field_tables.SIGNED_URL_QUERY),
    ("change", "PATCH", "/videos/{}", field_tables.CHANGE, ()),
    ("share", "POST", "/videos/{}/share", field_tables.SHARE, ()),
)

OPERATIONS: Final = (
    Operation(
        "upload-url",
        "A",
        "POST",
        _at(f"{A_ENV}/videos/upload-url"),
        field_tables.UPLOAD_URL_A,
        given=_always(filename="a.mp4", fileSize=5),
    ),
    Operation(
        "upload-url",
        "B",
        "POST",
        _at(f"{B}/videos/upload-url"),
        field_tables.UPLOAD_URL_B,
        given=_always(fileName="a.mp4"),
    ),
    Operation(
        "upload",
        "B",
        "POST",
        _at(f"{B}/videos/upload"),
        field_tables.UPLOAD,
        given=_always(fileName="a.mp4", videoURL="https://93.184.215.14/a.mp4"),
    ),
    Operation(
        "download",
        "B",
        "POST",
        _at(f"{B}/videos/download"),
        field_tables.DOWNLOAD,
        given=_always(sourceUrl="https://93.184.215.14/a.mp4"),
    ),
    *(
        Operation(
            "process",
            family,
            "POST",
            _at(f"{root}/videos/process"),
            field_tables.PROCESS,
            given=uploaded,
        )
        for family, root in (("A", A_ENV), ("B", B))
    ),
    *(
        Operation(
            "list", family, "GET", _at(f"{root}/videos"), query=field_tables.LIST_QUERY
        )
        for family, root in (("A", A_ENV), ("B", B))
    ),
    *(
        Operation(name, family, method, _of_ready(f"{root}{path}"), body, query)
        for name, method, path, body, query in _PAIRS
        for family, root in (("A", A), ("B", B))
    ),
    Operation("video", "B", "GET", _of_ready(f"{B}/videos/{{}}")),
    *(
        Operation(
            f"analytics-{name}{where}",
            family,
            "GET",
            _at(f"{root}/analytics/{name}"),
            query={
                "usage": field_tables.USAGE_QUERY,
                "daily": field_tables.DAYS_QUERY,
                "resolution-distribution": field_tables.DAYS_QUERY,
            }.get(name, ()),
        )
        for name in tables.ANALYTICS
        for family, where, root in (("A", "", A), ("A", "-of-env", A_ENV), ("B", "", B))
    ),
    *(
        Operation(
            "analytics-resolution",
            family,
            "GET",
            _of_ready(f"{root}/videos/{{}}/analytics/resolution"),
            query=field_tables.DAYS_QUERY,
        )
        for family, root in (("A", A), ("B", B))
    ),
)


def named(name: str) -> tuple[Operation, ...]:
    """
    Return an operation in each family that has it.
    """
    return tuple(o for o in OPERATIONS if o.name == name)
