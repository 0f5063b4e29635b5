"""
What a page weighs with everything that it loads.
"""

import gzip
import io
import re
from collections.abc import Iterator, Mapping
from typing import Final

import attrs
import pytest
from PIL import Image

from hvcore.domain.access.keys import KeyType
from hvcore.domain.access.roles import Role
from hvcore.domain.limits import MAX_DESCRIPTION_CHARS
from hvcore.domain.videos.video import VideoChanges
from hvcore.pictures.cropping import crop_to_webp
from hvcore.services.access.keys import KeyWanted
from hvcore_dashboard.assets import STATIC
from hvcore_dashboard.routes import ROUTES
from tests.conftest import SettableClock
from tests.dashboard.conftest import open_dashboard
from tests.dashboard.opened import HOST, VIDEOS, Dashboard, PersonClient
from tests.dashboard.pages.videos.test_found import list_usual_videos
from tests.support.http.fixtures import Template
from tests.support.http.world import ORG

# With what npm brings, which the fast tests do without.
pytestmark = pytest.mark.services

MOST_BYTES: Final = 150_000
MOST_BYTES_OF_A_LIST: Final = 300_000
"""With the pictures that are seen without scrolling, and nothing of the page compressed."""
SEEN: Final = {"table": 10, "grid": 16}
"""Videos on a screen of 1360 by 850 pixels, by the view of the list; rows are without tags."""
LISTED: Final = 60
"""More than a page shows."""
LONG: Final = "\u05e9\u05dc\u05d5\u05dd <i>&" * 20
FILES: Final = re.compile(r'(?:src|href)="(/dashboard/static/[^"]+)"')
IS_PAGE: Final = "<!doctype html>"


@attrs.frozen(kw_only=True)
class FullDashboard:
    """
    A dashboard with long lists of long names.

    Attributes:
        ids: One of each kind, by the parameter of addresses.
    """

    dashboard: Dashboard
    operator: PersonClient
    ids: Mapping[str, str]


@attrs.frozen(kw_only=True)
class ListOfVideos:
    """
    The page of a list of videos.

    Attributes:
        bytes: The size of the page with its scripts and styles, as they are sent.
        seen: The number of videos that are seen without scrolling.
    """

    text: str
    bytes: int
    seen: int


@pytest.fixture(scope="module")
def full(
    _template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FullDashboard]:
    folder = tmp_path_factory.mktemp("full")
    with open_dashboard(_template, folder, STATIC, SettableClock()) as made:
        services = made.world.services
        for number in range(LISTED):
            name = f"{number} {LONG}"
            wanted = KeyWanted(type=KeyType.FULL_ACCESS, org_id=ORG, name=name)
            key = services.keys.create(wanted).key
            member = services.members.add(ORG, role=Role.EDITOR, name=name)
            video_id = made.world.ready()
            text = (name * MAX_DESCRIPTION_CHARS)[:MAX_DESCRIPTION_CHARS]
            changes = VideoChanges(name=name, description=text)
            made.world.change(video_id, lambda video, it=changes: video.change(it))
        ids = {
            "org_id": ORG,
            "video_id": video_id,
            "key_id": key.id,
            "member_id": member.id,
        }
        yield FullDashboard(dashboard=made, operator=made.sign_in(None), ids=ids)


def pages(full: FullDashboard) -> Iterator[tuple[str, str]]:
    """
    Yield the address and the text of every page that can be looked at.
    """
    for route in ROUTES:
        path = re.sub(r"{(\w+)}", lambda m: full.ids.get(m[1], "none"), route.path)
        if route.method != "GET" or route.is_for_scripts:
            continue
        answer = full.operator.get(path)
        if answer.status_code == 200 and IS_PAGE in answer.text:
            yield path, answer.text
        if route.path.endswith("/sign-in/link"):
            yield path, full.dashboard.get(path).text


def test_a_page_with_everything_is_light(full: FullDashboard) -> None:
    weights: dict[str, int] = {}
    files: dict[str, int] = {}

    for path, text in pages(full):
        wanted = set(FILES.findall(text))
        assert wanted, path
        for name in wanted - files.keys():
            answer = full.dashboard.client.simulate_get(name, host=HOST)
            assert answer.status_code == 200, name
            files[name] = len(gzip.compress(answer.content))
        own = len(gzip.compress(text.encode()))
        weights[path] = own + sum(files[name] for name in wanted)

    assert len(weights) >= 20
    assert {p: bytes_ for p, bytes_ in weights.items() if bytes_ > MOST_BYTES} == {}


@pytest.fixture(scope="module", params=["table", "grid"])
def listed(
    _template: Template,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> ListOfVideos:
    folder, view = tmp_path_factory.mktemp("list"), str(request.param)
    with open_dashboard(_template, folder, STATIC, SettableClock()) as dashboard:
        list_usual_videos(dashboard)
        person = dashboard.sign_in(Role.EDITOR)
        page = person.get(VIDEOS, f"pageSize=240&view={view}&search=usual")
        files = [
            dashboard.client.simulate_get(name, host=HOST).content
            for name in sorted(set(FILES.findall(page.text)))
        ]
    # Pages are not compressed, because they have secrets; files are.
    weight = len(page.content) + sum(len(gzip.compress(file)) for file in files)
    return ListOfVideos(text=page.text, bytes=weight, seen=SEEN[view])


@pytest.mark.parametrize(
    "address", [r'<img src="([^"]+)"', r'srcset="([^"]+) 2x"'], ids=["usual", "fine"]
)
def test_a_list_of_240_videos_is_light_with_the_pictures_that_are_seen(
    listed: ListOfVideos, address: str
) -> None:
    addresses = re.findall(address, listed.text)
    sizes = [re.findall(r"/(\d+)x(\d+)\.webp", one)[0] for one in addresses]

    pictures = [
        len(crop_to_webp(busy_picture(), int(width), int(height)))
        for width, height in sizes[: listed.seen]
    ]

    assert len(addresses) == 240
    assert listed.bytes + sum(pictures) <= MOST_BYTES_OF_A_LIST


def busy_picture() -> bytes:
    """
    Return a poster that is as hard to compress as those of films are.
    """
    made = io.BytesIO()
    mandelbrot = Image.effect_mandelbrot((1280, 720), (-2.5, -1.2, 1.2, 1.2), 100)
    mandelbrot.convert("RGB").save(made, "JPEG")
    return made.getvalue()
