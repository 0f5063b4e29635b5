"""
Captions and pictures of a video, which come in as files.
"""

import io
from collections.abc import Mapping
from contextlib import ExitStack

import attrs
import pytest
from falcon.testing import Result
from PIL import Image

from hvcore.domain.access.roles import Role
from hvcore.settings.tree import ShareSettings
from tests.dashboard.world import HOST, SESSION, VIDEOS, DashboardWorld, PersonClient
from tests.http.videos.test_custom_thumbnails import stills
from tests.http.world import ORG, OTHER_ORG

BOUNDARY = "----boundary"
FILES = {
    "captions": ("file", "a.vtt", "text/vtt", b"WEBVTT\n"),
    "picture": ("picture", "a.png", "image/png", b"no picture"),
}
VTT = b"WEBVTT\n\n00:01.000 --> 00:02.500\n<b>Hello</b> &lt;i&gt; &amp; you\nand all\n"


def post_file(
    person: PersonClient,
    path: str,
    file: tuple[str, str, str, bytes],
    fields: Mapping[str, str] | None = None,
    extras: Mapping[str, object] | None = None,
) -> Result:
    sent = {"change_token": person.session.person.change_token, **(fields or {})}
    lines = [
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; "
        f'name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in sent.items()
    ]
    name, file_name, content_type, data = file
    head = (
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; "
        f'name="{name}"; filename="{file_name}"\r\n'
        f"Content-Type: {content_type}\r\n\r\n"
    )
    end = f"\r\n--{BOUNDARY}--\r\n"
    body = b"".join([*lines, head.encode(), data, end.encode()])
    return person.client.simulate_post(
        path,
        body=body,
        headers={
            "Cookie": f"{SESSION}={person.session.value}",
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        },
        host=HOST,
        extras=extras,
    )


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


def picture(size_px: tuple[int, int] = (320, 180), form: str = "PNG") -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size_px, "red").save(stream, form)
    return stream.getvalue()


def test_captions_are_uploaded_previewed_and_removed(
    dashboard: DashboardWorld,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/captions"
    assert "No captions yet" in person.get(path).text
    fields = {"language": "PT-br", "label": "<i>Português"}

    sent = post_file(person, path, ("file", "a.vtt", "text/vtt", VTT), fields)

    listed, preview = person.get(path), person.fragment(f"{path}/pt-BR")
    assert sent.status_code == 303
    assert "&lt;i&gt;Português" in listed.text
    assert "Hello &lt;i&gt; &amp; you<br>and all" in preview.text
    assert "0:01.000" in preview.text
    removed = person.post(f"{path}/remove", {"language": "pt-BR"})
    assert removed.status_code == 303
    assert "No captions yet" in person.get(path).text
    assert person.fragment(f"{path}/pt-BR").status_code == 404
    actions = [
        entry.action for entry in dashboard.world.services.audit.latest(ORG, limit=2)
    ]
    assert actions == ["captions.remove", "captions.put"]


def test_of_long_captions_the_beginning_is_previewed(
    dashboard: DashboardWorld,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/captions"
    cues = (f"00:{n:02}.000 --> 00:59.000\nNo. {n} {'&' * 1_500}" for n in range(10))
    file = "WEBVTT\n\n" + "\n\n".join(cues)
    fields = {"language": "en"}
    post_file(person, path, ("file", "a.vtt", "text/vtt", file.encode()), fields)

    preview = person.fragment(f"{path}/en").text

    assert "No. 0 &amp;" in preview
    assert "No. 9 &amp;" not in preview
    assert preview.count("No. ") + int(preview.split("And ")[1].split()[0]) == 10


def test_captions_that_are_just_replaced_have_no_preview(
    dashboard: DashboardWorld,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/captions"
    fields = {"language": "en"}
    post_file(person, path, ("file", "a.vtt", "text/vtt", VTT), fields)
    services = dashboard.world.services
    with services.uow.read() as work:
        video = work.videos.find(video_id)
        assert video
        (track,) = work.captions.of_video(video.id)
    services.storage.delete_tree(track.path)

    assert person.fragment(f"{path}/en").status_code == 404


def test_subrip_is_read_whatever_type_the_browser_says(
    dashboard: DashboardWorld,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/captions"
    srt = b"1\r\n00:00:01,000 --> 00:00:02,000\r\nHi\r\n"

    sent = post_file(
        person, path, ("file", "a.srt", "application/x-foo", srt), {"language": "en"}
    )

    assert sent.status_code == 303
    assert "Hi" in person.fragment(f"{path}/en").text


def test_what_is_wrong_with_captions_is_beside_its_field(
    dashboard: DashboardWorld,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/captions"

    broken = post_file(
        person, path, ("file", "a.vtt", "text/vtt", b"no"), {"language": "en"}
    )
    nothing = post_file(
        person, path, ("file", "", "application/octet-stream", b""), {"language": "en"}
    )
    wrong = post_file(
        person, path, ("file", "a.vtt", "text/vtt", VTT), {"language": "!"}
    )

    answers = (broken, nothing, wrong)
    assert [answer.status_code for answer in answers] == [400, 400, 400]
    assert all('id="file-about"' in answer.text for answer in (broken, nothing))
    assert "must be a tag" in wrong.text
    assert "No captions yet" in wrong.text


def test_a_picture_is_uploaded(dashboard: DashboardWorld) -> None:
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


def test_a_picture_that_is_none_is_refused(dashboard: DashboardWorld) -> None:
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


def test_a_moment_becomes_the_picture(dashboard: DashboardWorld) -> None:
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
    dashboard: DashboardWorld, tab: str
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
    dashboard: DashboardWorld, tab: str
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


def test_a_form_without_a_file_is_a_small_one(dashboard: DashboardWorld) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    path = f"{VIDEOS}/{dashboard.world.ready()}/picture"

    assert person.post(path, {"timestampSeconds": "1" * 100_000}).status_code == 413
