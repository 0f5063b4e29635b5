"""
Pictures of a video, which come in as files.
"""

import io
from contextlib import ExitStack

import attrs
import pytest

from hvcore.domain.access.roles import Role
from hvcore.settings.tree import ShareSettings
from tests.api.resources.test_thumbnails import stills
from tests.dashboard.opened import VIDEOS, Dashboard
from tests.dashboard.pages.video.sent_files import picture, post_file
from tests.support.http.world import ORG, OTHER_ORG

FILES = {
    "captions": ("file", "a.vtt", "text/vtt", b"WEBVTT\n"),
    "picture": ("picture", "a.png", "image/png", b"no picture"),
}


class UnreadFile(io.BytesIO):
    """
    A file that nobody may read yet.
    """

    def read(self, size_bytes: int | None = -1, /) -> bytes:
        raise AssertionError(f"{size_bytes} bytes were read")


@attrs.define
class PatientSocket:
    """
    Remembers how long its client may take.
    """

    within_s: float | None = None

    def read_within(self, within_s: float) -> None:
        self.within_s = within_s


def test_a_picture_is_uploaded(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/picture"

    sent = post_file(person, path, ("picture", "a.png", "image/png", picture()))

    assert sent.status_code == 303
    with dashboard.world.services.uow.read() as work:
        video = work.videos.find(video_id)
    assert video
    assert video.poster_path
    entry = dashboard.world.services.audit.latest(ORG, limit=1)[0]
    assert entry.action == "thumbnail.upload"


def test_a_picture_that_is_none_is_refused(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/picture"

    answers = [
        post_file(person, path, ("picture", "a.png", content_type, data))
        for content_type, data in [
            ("image/png", b"no picture"),
            ("image/gif", picture(form="GIF")),
            ("application/octet-stream", b""),
        ]
    ]

    assert [answer.status_code for answer in answers] == [400, 400, 400]
    assert all('id="picture-about"' in answer.text for answer in answers)


def test_a_moment_becomes_the_picture(dashboard: Dashboard) -> None:
    stills(dashboard.world)
    video_id = dashboard.world.ready(duration_s=75.5)
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/picture"

    ordered = person.post(path, {"timestampSeconds": "12.5"})
    late = person.post(path, {"timestampSeconds": "99"})
    looking = person.fragment(f"{path}/now", "looks=1")
    last = person.fragment(f"{path}/now", "looks=0")

    assert ordered.status_code == 303
    assert ordered.headers["location"] == f"{path}?looks=10"
    assert late.status_code == 400
    assert 'id="timestampSeconds-about"' in late.text
    assert "hx-get" in looking.text
    assert "hx-get" not in last.text


@pytest.mark.parametrize("tab", FILES)
def test_a_file_is_read_once_it_is_known_that_the_person_may_send_it(
    dashboard: Dashboard, tab: str
) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}/{tab}"
    viewer, theirs = dashboard.sign_in(Role.VIEWER), path.replace(ORG, OTHER_ORG)
    unread = {"wsgi.input": UnreadFile()}

    refused = [
        post_file(viewer, one, FILES[tab], extras=unread) for one in (path, theirs)
    ]
    waiting = PatientSocket()
    post_file(viewer, path, FILES[tab], extras={"gunicorn.socket": waiting})
    patient = PatientSocket()
    editor = dashboard.sign_in(Role.EDITOR)
    post_file(editor, path, FILES[tab], extras={"gunicorn.socket": patient})

    assert [answer.status_code for answer in refused] == [403, 404]
    assert waiting.within_s is None
    assert patient.within_s == {"captions": 30, "picture": 60}[tab]


@pytest.mark.parametrize("tab", FILES)
def test_few_files_of_an_organization_are_received_at_a_time(
    dashboard: Dashboard, tab: str
) -> None:
    services = dashboard.world.services
    person = dashboard.sign_in(Role.EDITOR)
    path = f"{VIDEOS}/{dashboard.world.ready()}/{tab}"
    receiving = {
        "captions": services.captions.receiving,
        "picture": services.custom_thumbnails.receiving,
    }[tab]

    with ExitStack() as others:
        for _ in range(ShareSettings().uploads_of_one):
            others.enter_context(receiving(ORG))
        unread = {"wsgi.input": UnreadFile()}
        refused = post_file(person, path, FILES[tab], extras=unread)
    taken = [post_file(person, path, FILES[tab]) for _ in range(9)]

    assert refused.status_code == 503
    assert refused.headers["retry-after"] == "10"
    # None of them keeps its place.
    assert {answer.status_code for answer in taken} <= {303, 400}


def test_a_form_without_a_file_is_a_small_one(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    path = f"{VIDEOS}/{dashboard.world.ready()}/picture"

    assert person.post(path, {"timestampSeconds": "1" * 100_000}).status_code == 413
