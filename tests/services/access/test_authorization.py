"""
Nobody reaches, changes or learns anything of another tenant.

A matrix that is made of the route table: every route, every kind of foreign
identity, every kind of foreign identifier. What is another organization's
answers byte for byte like what does not exist, but for the echoed identifier.
"""

import itertools
import re
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import attrs
import pytest
from falcon.testing import Result

from hvcore.domain.access.keys import KeyType
from hvcore.settings.tree import LimitSettings
from hvcore_api.routes import ROUTES
from hvcore_api.routing import Route
from tests.conftest import SettableClock
from tests.support.databases.database_rows import all_rows
from tests.support.http.fixtures import Template, settings_of
from tests.support.http.world import ENV, ORG, OTHER_ORG, Key, World, problem_of

# Thousands of cells of one kind: once is enough, whatever the interpreter.
pytestmark = pytest.mark.matrix

REQUEST_ID: Final = "one-id-for-all"
VIDEO_NAMES: Final = ("publicID", "videoID", "assetId")
UNKNOWN: Final = {
    "video": "vid_" + "0" * 22,
    "edge key": "ek_" + "0" * 22,
    "share": "shr_" + "0" * 22,
}
COUNTED: Final = {"x-ratelimit-remaining", "x-ratelimit-reset", "x-ratelimit-limit"}

CLOSED: Final = [route for route in ROUTES if not route.is_open]
WITH_VIDEO: Final = [
    route for route in CLOSED if set(route.parameters) & set(VIDEO_NAMES)
]
WITH_ENV: Final = [route for route in CLOSED if "envID" in route.parameters]
FAMILY_A: Final = [route for route in CLOSED if "orgID" in route.parameters]
WITH_EDGE_KEY: Final = [route for route in CLOSED if "edgeKey" in route.parameters]
WITH_SHARE: Final = [route for route in CLOSED if "shareID" in route.parameters]

BODIES: Final[Mapping[str, object]] = {
    "upload-url": {
        "filename": "a.mp4",
        "fileName": "a.mp4",
        "fileSize": 5,
        "contentType": "video/mp4",
    },
    "process": {
        "gcsPath": "uploads/none",
        "videoQuality": "high",
        "allowPublicAccess": True,
    },
    "upload": {"fileName": "a.mp4", "videoURL": "https://203.0.113.9/a.mp4"},
    "download": {"sourceUrl": "https://203.0.113.9/a.mp4"},
    "thumbnail": {"timestampSeconds": 1},
}
"""What a route is sent, by the last part of its path; others get ``{}``."""


@attrs.frozen(kw_only=True)
class Tenant:
    """
    What belongs to the victim, in every state.

    Attributes:
        others_video: The one video of the other organization.
    """

    videos: Mapping[str, str]
    edge_key: str
    share_id: str
    bucket_path: str
    others_video: str

    def secrets(self) -> list[str]:
        """
        Return everything that nobody else may ever read.
        """
        return [*self.videos.values(), self.edge_key, self.share_id, self.bucket_path]


LABELS: Final = {
    "externalID": "theirs",
    "tags": ["theirs"],
    "metadata": {"k": "theirs"},
}
"""Of the victim's ready video."""
STATES: Final = ("ready", "transcoding", "failed", "deleted", "awaiting", "public id")


@pytest.fixture(scope="module")
def api(
    _template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    # One world for all cells: each proves that it has changed nothing.
    folder = tmp_path_factory.mktemp("isolation")
    settings = attrs.evolve(settings_of(folder), limits=LimitSettings(enabled=False))
    with _template.open(settings, SettableClock()) as world:
        yield world
    opened(folder).close()


@pytest.fixture(scope="module")
def victim(api: World) -> Tenant:
    ready = api.ready(is_public=False, name="the victim's own")
    api.call("PATCH", f"/v1/videos/{ready}", json=LABELS)
    deleted = api.ready()
    api.delete(f"/v1/videos/{deleted}")
    edge = api.post(f"/v1/videos/{ready}/edge-keys", {}).json["body"]["edgeKey"]
    share = api.post(f"/v1/videos/{ready}/share", {}).json["body"]["shareID"]
    grant = api.post("/v1/videos/upload-url", {"fileName": "a.mp4"}).json["body"]
    sent = api.post("/v1/videos/upload-url", {"fileName": "b.mp4"}).json["body"]
    api.upload(sent["bucketPath"])
    return Tenant(
        videos={
            "ready": ready,
            "transcoding": api.transcoding(),
            "failed": api.failed(),
            "deleted": deleted,
            "awaiting": grant["videoID"],
            "public id": api.public_id(ready),
        },
        edge_key=edge,
        share_id=share,
        bucket_path=sent["bucketPath"],
        others_video=api.ready(api.other_env),
    )


FOREIGN: Final = (
    "environment key",
    "full-access key",
    "full-access key without environment",
    "system key",
)
DEAD: Final = ("no key", "expired key", "revoked key", "malformed key", "guessed key")


@pytest.fixture(scope="module")
def keys(api: World) -> Mapping[str, Key]:
    """
    Keys of everybody but the victim, and some that are none (any more).
    """
    full = KeyType.FULL_ACCESS
    made = {
        "environment key": api.make_key(org=OTHER_ORG, env="theirs"),
        "full-access key": api.make_key(full, org=OTHER_ORG, env="theirs"),
        "full-access key without environment": api.make_key(
            full, org=OTHER_ORG, env=None
        ),
        "system key": api.system_key(),
        "another environment's key": api.make_key(env="dev"),
        "no key": Key(value=""),
        "malformed key": Key(value="x"),
        "guessed key": Key(value="hv_live_" + "a" * 32),
        "expired key": api.make_key(expires_in=timedelta(seconds=1)),
        "revoked key": api.make_key(full),
    }
    for record in api.services.keys.of_organization(ORG):
        if record.type is full:
            api.services.keys.revoke(record.id)
    api.clock.move(timedelta(seconds=6))
    return made


def path_of(  # noqa: PLR0913 - one per kind of parameter
    route: Route,
    *,
    org: str = ORG,
    env: str = ENV,
    video: str = UNKNOWN["video"],
    edge_key: str = UNKNOWN["edge key"],
    share: str = UNKNOWN["share"],
) -> str:
    values = dict.fromkeys(VIDEO_NAMES, video)
    values |= {"orgID": org, "envID": env, "edgeKey": edge_key, "shareID": share}
    values["language"] = "en"
    path = route.path
    for name in route.parameters:
        path = path.replace(f"{{{name}}}", values[name])
    return path


def call(api: World, route: Route, path: str, key: Key, body: object = None) -> Result:
    headers = {"X-Request-Id": REQUEST_ID}
    if path.endswith("/uploads"):
        headers |= {
            "Tus-Resumable": "1.0.0",
            "Upload-Length": "5",
            "Upload-Metadata": "fileName YS5tcDQ=",
        }
        return api.call(route.method, path, key=key, headers=headers)
    if body is None and route.method in {"POST", "PATCH"}:
        body = BODIES.get(route.path.rsplit("/", 1)[-1], {})
        if route.method == "PATCH":
            body = {"videoName": "taken over"}
    return api.call(route.method, path, key=key, headers=headers, json=body)


def bare(result: Result, *echoed: str) -> tuple[int, dict[str, str], str]:
    """
    Return an answer without what may differ: echoes and counts.
    """
    text = result.text
    for value in echoed:
        text = text.replace(value, "ECHO")
    headers = {
        name.lower(): value
        for name, value in result.headers.items()
        if name.lower() not in COUNTED | {"content-length"}
    }
    return result.status_code, headers, text


@cache
def opened(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / "hvcore.sqlite3")


def contents(api: World) -> list[str]:
    """
    Return every row of the database, but for what mere asking may change.
    """
    # It changes as soon as somebody else has written.
    ((version,),) = opened(api.folder).execute("PRAGMA data_version")
    return rows_at(api.folder, version)


@lru_cache(maxsize=1)
def rows_at(folder: Path, _version: int) -> list[str]:
    return sorted(row for row in all_rows(opened(folder)) if '"api_keys"' not in row)


def name_of(route: Route) -> str:
    return f"{route.method} {route.path}"


def cells(routes: list[Route], *others: tuple[str, ...]) -> list[object]:
    return [
        pytest.param(route, *rest, id=" | ".join((name_of(route), *rest)))
        for route, *rest in itertools.product(routes, *others)
    ]


@pytest.mark.parametrize(
    ("route", "state", "caller"), cells(WITH_VIDEO, STATES, FOREIGN)
)
def test_another_organizations_video_looks_like_a_missing_one(  # noqa: PLR0913, PLR0917 - three fixtures and a cell
    api: World,
    keys: Mapping[str, Key],
    victim: Tenant,
    route: Route,
    state: str,
    caller: str,
) -> None:
    key = keys[caller]
    org = OTHER_ORG if "orgID" in route.parameters else ORG
    before = contents(api)
    video = victim.videos[state]

    reached = call(api, route, path_of(route, org=org, video=video), key)
    missing = call(api, route, path_of(route, org=org), key)

    assert bare(reached, video) == bare(missing, UNKNOWN["video"])
    assert reached.status_code in {403, 404}
    assert contents(api) == before


@pytest.mark.parametrize(("route", "caller"), cells(FAMILY_A, FOREIGN[:3]))
def test_another_organizations_path_says_nothing_of_it(
    api: World, keys: Mapping[str, Key], victim: Tenant, route: Route, caller: str
) -> None:
    key = keys[caller]
    before = contents(api)
    path = path_of(
        route,
        video=victim.videos["ready"],
        edge_key=victim.edge_key,
        share=victim.share_id,
    )

    there = call(api, route, path, key)
    nowhere = call(api, route, path_of(route, org="org_none"), key)

    problem_of(there, 403, "forbidden")
    assert bare(there) == bare(nowhere)
    assert contents(api) == before


@pytest.mark.parametrize(("route", "kind"), cells(CLOSED, DEAD))
def test_a_key_that_is_none_learns_nothing(
    api: World, keys: Mapping[str, Key], victim: Tenant, route: Route, kind: str
) -> None:
    key = keys[kind]
    path = path_of(
        route,
        video=victim.videos["ready"],
        edge_key=victim.edge_key,
        share=victim.share_id,
    )
    before = contents(api)

    there = call(api, route, path, key)
    nowhere = call(api, route, path_of(route, org="org_none"), key)

    problem_of(there, 401, "unauthorized")
    assert bare(there) == bare(nowhere)
    assert not COUNTED & {name.lower() for name in there.headers}
    assert contents(api) == before


@pytest.mark.parametrize("route", [pytest.param(r, id=name_of(r)) for r in WITH_VIDEO])
def test_another_environments_key_is_refused(
    api: World, keys: Mapping[str, Key], victim: Tenant, route: Route
) -> None:
    key = keys["another environment's key"]
    before = contents(api)

    path = path_of(
        route,
        video=victim.videos["ready"],
        edge_key=victim.edge_key,
        share=victim.share_id,
    )
    result = call(api, route, path, key)

    problem_of(result, 403, "forbidden")
    assert contents(api) == before


@pytest.mark.parametrize(
    ("route", "name"), cells(WITH_ENV, ("its name", "its id", "our name"))
)
def test_an_environment_of_another_organization_looks_like_a_missing_one(
    api: World, keys: Mapping[str, Key], route: Route, name: str
) -> None:
    key = keys["full-access key"]
    env = {"its name": ENV, "its id": api.env.id, "our name": "dev"}[name]

    there = call(api, route, path_of(route, org=OTHER_ORG, env=env), key)
    nowhere = call(api, route, path_of(route, org=OTHER_ORG, env="none"), key)

    problem_of(there, 404, "environment_not_found")
    assert bare(there, env) == bare(nowhere, "none")


@pytest.mark.parametrize(
    ("route", "caller"), cells([*WITH_EDGE_KEY, *WITH_SHARE], FOREIGN[:2])
)
def test_another_organizations_link_looks_like_a_missing_one(
    api: World, keys: Mapping[str, Key], victim: Tenant, route: Route, caller: str
) -> None:
    key = keys[caller]
    org = OTHER_ORG if "orgID" in route.parameters else ORG
    before = contents(api)

    theirs = {"edge_key": victim.edge_key, "share": victim.share_id}
    path = path_of(route, org=org, video=victim.others_video, **theirs)
    there = call(api, route, path, key)
    nowhere = call(api, route, path_of(route, org=org, video=victim.others_video), key)

    problem_of(there, 404, "not_found")
    link = "edge_key" if route in WITH_EDGE_KEY else "share"
    unknown = UNKNOWN[link.replace("_", " ")]
    assert bare(there, theirs[link]) == bare(nowhere, unknown)
    assert contents(api) == before


@pytest.mark.parametrize(
    "route",
    [
        pytest.param(route, id=name_of(route))
        for route in CLOSED
        if route.path.endswith("/process")
    ],
)
@pytest.mark.parametrize("caller", FOREIGN[:2])
def test_another_organizations_upload_looks_like_a_missing_one(
    api: World, keys: Mapping[str, Key], victim: Tenant, route: Route, caller: str
) -> None:
    key = keys[caller]
    path = path_of(route, org=OTHER_ORG, env="theirs")
    body = {"videoQuality": "high", "allowPublicAccess": True}
    unknown = victim.bucket_path[:-22] + "0" * 22
    before = contents(api)

    there = call(api, route, path, key, {**body, "gcsPath": victim.bucket_path})
    nowhere = call(api, route, path, key, {**body, "gcsPath": unknown})

    problem_of(there, 400, "invalid_gcs_path")
    assert bare(there, victim.bucket_path) == bare(nowhere, unknown)
    assert contents(api) == before


@pytest.mark.parametrize(
    ("route", "caller"),
    cells(
        [r for r in CLOSED if r.method == "GET" and r not in WITH_VIDEO], FOREIGN[:3]
    ),
)
def test_no_list_and_no_count_holds_anything_of_another_organization(
    api: World, keys: Mapping[str, Key], victim: Tenant, route: Route, caller: str
) -> None:
    key = keys[caller]

    result = call(api, route, path_of(route, org=OTHER_ORG, env="theirs"), key)

    shown = result.text
    assert not [secret for secret in victim.secrets() if secret in shown]
    assert ORG not in shown
    counts = re.findall(r'"total(?:Videos|SegmentsServed)?":(\d+)', shown)
    assert set(counts) <= {"0", "1"}


@pytest.mark.parametrize(
    "route",
    [
        pytest.param(r, id=name_of(r))
        for r in CLOSED
        if r.method == "GET" and r not in (*WITH_VIDEO, *WITH_EDGE_KEY)
    ],
)
def test_no_list_holds_anything_of_another_environment(
    api: World, keys: Mapping[str, Key], victim: Tenant, route: Route
) -> None:
    result = call(
        api, route, path_of(route, env="dev"), keys["another environment's key"]
    )

    assert result.status_code == 200, result.text
    assert not [secret for secret in victim.secrets() if secret in result.text]


def test_the_matrix_is_large() -> None:
    a_route_each = len(WITH_VIDEO) * len(STATES) * len(FOREIGN)

    assert a_route_each + len(FAMILY_A) * 3 + len(CLOSED) * len(DEAD) >= 400


@pytest.mark.parametrize(
    ("route", "caller"),
    cells(
        [
            r
            for r in CLOSED
            if re.search(r"(?<!analytics)/videos$", r.path) and r.method == "GET"
        ],
        FOREIGN[:3],
    ),
)
@pytest.mark.parametrize(
    "query", ["externalID=theirs", "tag=theirs", "metadata=k:theirs"]
)
def test_nothing_of_another_organization_is_found_by_its_labels(  # noqa: PLR0913, PLR0917 - two fixtures and a cell
    api: World,
    keys: Mapping[str, Key],
    victim: Tenant,
    route: Route,
    caller: str,
    query: str,
) -> None:
    own = api.get("/v1/videos", query)
    assert [one["id"] for one in own.json["body"]["videos"]] == [victim.videos["ready"]]
    path = path_of(route, org=OTHER_ORG, env="theirs")
    before = contents(api)

    found = api.get(path, query, keys[caller])
    nothing = api.get(path, query.replace("theirs", "nobodys"), keys[caller])

    assert found.status_code == nothing.status_code
    assert found.json == nothing.json
    assert contents(api) == before


@pytest.mark.parametrize("caller", ["another environment's key", *FOREIGN[:2]])
def test_an_external_id_that_others_have_is_free(
    api: World, keys: Mapping[str, Key], victim: Tenant, caller: str
) -> None:
    assert victim.videos
    wanted = {"fileName": "a.mp4", "externalID": "theirs"}

    result = api.post("/v1/videos/upload-url", wanted, keys[caller])

    assert result.status_code == 200
    api.delete(f"/v1/videos/{result.json['body']['videoID']}", key=keys[caller])
