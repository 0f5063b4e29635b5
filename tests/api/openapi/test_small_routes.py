"""
The document of a few routes: with and without a key, a body, a query, headers, links and a name.
"""

import json
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.errors import NotFoundError, QuotaExceededError, VideoNotFoundError
from hvcore.ports.auth import BearerScheme, CredentialScheme, HeaderScheme
from hvcore.wire.converter import optional, required
from hvcore.wire.kinds import Integer, Text
from hvcore.wire.schema import COUNT, STRING, record
from hvcore_api.openapi.answers import errors_of
from hvcore_api.openapi.document import make_document
from hvcore_api.routing import ENV, KEY, ORG, Route, Special
from tests.support.kept_texts import check_kept

KEPT: Final = Path(__file__).parent / "small_routes" / "openapi.json"
VIDEO: Final = record("Video", {"id": STRING, "rank": COUNT})
SCHEMES: Final[tuple[CredentialScheme, ...]] = (
    HeaderScheme(name="Key", header="X-Key"),
    BearerScheme(name="Key", bearer_format="JWT", about="Of a person."),
    BearerScheme(name="Other"),
)


@attrs.frozen(kw_only=True)
class Named:
    """
    A body with a field that must be there.
    """

    name: str = required("name", Text(max_chars=9), error=QuotaExceededError)


@attrs.frozen(kw_only=True)
class Paged:
    """
    A query.
    """

    page: int = optional(
        "page", Integer(minimum=1, maximum=9), 1, about="Number of the page."
    )


def ask(method: str, path: str, name: str = "", **given: Any) -> Route:  # noqa: ANN401 - of a Route
    return Route(method, path, object, name=name, **given)


VIDEOS: Final = (
    ask(
        "GET",
        f"{KEY}/videos/{{videoID}}",
        "getVideoDetails",
        summary="Show a video.",
        answer=VIDEO,
        permission=Permission.VIDEOS_READ,
        errors=(VideoNotFoundError, NotFoundError),
        special=Special(further_types=("text/plain",)),
    ),
    ask(
        "POST",
        f"{KEY}/videos/{{publicID}}",
        "processVideo",
        answer=VIDEO,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.VIDEO_OPERATIONS,
        body=Named,
        is_idempotent=True,
        has_optional_body=True,
        special=Special(
            status=201,
            request_types=("text/vtt", "image/png"),
            request_headers={"X-A": STRING, "X-B": {**STRING, "example": "b"}},
            required_headers=("X-B",),
            answer_headers={"Location": {**STRING, "description": "Of it."}},
        ),
    ),
    ask("DELETE", f"{ORG}/videos/{{publicID}}", "deleteVideo"),
    ask("DELETE", f"{KEY}/videos/{{videoID}}", "deleteVideo"),
    ask("GET", f"{ORG}/videos/{{videoID}}", "getVideoDetails", answer={**VIDEO}),
    ask("GET", f"{ENV}/videos", "listTags", answer={"type": "object"}, query=Paged),
)
SERVICE: Final = (
    ask("GET", "/health", "getHealth", is_open=True, answer=VIDEO),
    ask("GET", f"{KEY}/whoami", "getWhoAmI", answer=record("Me", {"orgID": STRING})),
    ask(
        "GET",
        f"{KEY}/file",
        special=Special(answer_type="text/csv"),
        is_for_every_key=True,
    ),
)
NOTES: Final = (ask("GET", f"{ORG}/notes//x.y/{{noteID}}"), ask("PUT", f"{KEY}/notes"))


@pytest.fixture
def described() -> dict[str, Any]:
    groups = {"Service": SERVICE, "Videos": VIDEOS, "Notes": NOTES}
    made = make_document(groups, "https://api.test", SCHEMES)
    document: dict[str, Any] = json.loads(json.dumps(made))
    # What changes with the version, with events and with recorded examples is left out.
    del document["info"], document["webhooks"]
    schemas = document["components"]["schemas"]
    for name in set(schemas) - {"Me", "MeAnswer", "Named", "Video", "VideoAnswer"}:
        del schemas[name]
    for name in ("examples", "pathItems"):
        document["components"].pop(name, None)
    return document


def test_the_document_of_a_few_routes_is_the_one_that_is_kept(
    described: dict[str, Any],
) -> None:
    # With its order: readers go through it.
    check_kept(KEPT, json.dumps(described, indent=1, ensure_ascii=False))


def test_the_errors_of_a_route_stand_in_the_order_of_their_codes() -> None:
    found = errors_of(VIDEOS[0])

    assert list(found[404]) == ["not_found", "video_not_found"]
