"""
The embed code that fits a video, and signed and public addresses.
"""

import re
from datetime import timedelta
from html import unescape
from urllib.parse import quote

import attrs
import pytest
from falcon.testing import Result, TestClient

from hvcore.domain.access.roles import Role
from hvcore.domain.links.links import EdgeKey
from hvcore.domain.videos.video import Video
from hvcore_player.app import make_app as make_player
from tests.dashboard.opened import VIDEOS, Dashboard, PersonClient
from tests.support.http.world import ORG

CODE = re.compile(r'<pre class="code-to-copy"[^>]*>(.*?)</pre>', re.DOTALL)


def embed_of(video_id: str) -> str:
    return f"{VIDEOS}/{video_id}/embed"


def code_in(answer: Result) -> str:
    """
    Return the embed code that a page shows.
    """
    found = CODE.search(answer.text)
    assert found, answer.text
    code = unescape(found[1])
    # What is copied is what is shown.
    assert f'data-copy="{found[1]}"' in answer.text
    return code


def keys_of(dashboard: Dashboard, video_id: str) -> list[EdgeKey]:
    with dashboard.world.services.uow.read() as work:
        return list(work.edge_keys.of_video(dashboard.video(video_id).id, 10))


def make_code(person: PersonClient, video_id: str, sites: str) -> Result:
    """
    Make an embed code, and return the page that shows it.
    """
    made = person.submit(embed_of(video_id), {"kind": "code", "sites": sites})
    assert made.status_code == 303, made.text
    path, _, query = made.headers["location"].partition("?")
    return person.get(path, query)


def test_a_public_video_shows_its_code_to_everybody_of_the_organization(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()

    answer = dashboard.sign_in(Role.VIEWER).get(embed_of(video_id))

    public = dashboard.world.services.settings.public
    code = code_in(answer)
    assert f'<iframe src="{public.player_url}/v1/embed/{video_id}"' in code
    assert "aspect-ratio: 16 / 9" in code
    assert "Make embed code" not in answer.text


def test_one_form_makes_the_code_of_a_private_video(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready(is_public=False)
    person = dashboard.sign_in(Role.EDITOR)
    first = person.get(embed_of(video_id))

    shown = make_code(person, video_id, "https://www.Example.com/blog/?post=1")

    assert CODE.search(first.text) is None
    (key,) = keys_of(dashboard, video_id)
    assert key.domains == ("www.example.com",)
    assert key.expires_at is None
    address = dashboard.world.services.edge_keys.embed_url(key)
    assert f'<iframe src="{address}"' in code_in(shown)
    assert "<b>www.example.com</b>" in shown.text
    assert dashboard.last_audited()[0] == "edge-key.create"


def test_the_key_of_a_code_is_in_no_address(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready(is_public=False)
    person = dashboard.sign_in(Role.EDITOR)

    sent = {"kind": "code", "sites": "example.com"}
    made = person.submit(embed_of(video_id), sent)

    (key,) = keys_of(dashboard, video_id)
    assert made.headers["location"].startswith(f"{embed_of(video_id)}?key=")
    assert key.id not in made.headers["location"]


def test_a_form_that_is_sent_twice_makes_one_key(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready(is_public=False)
    first, second = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.EDITOR)

    one = make_code(first, video_id, "example.com, www.example.com")
    two = make_code(second, video_id, "www.example.com example.com")
    other = make_code(second, video_id, "example.org")

    assert len(keys_of(dashboard, video_id)) == 2
    assert code_in(one) == code_in(two) != code_in(other)


def test_each_editor_sees_the_code_that_they_have_made(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready(is_public=False)
    first, second = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.EDITOR)
    made = first.submit(embed_of(video_id), {"kind": "code", "sites": "a.example"})
    dashboard.world.clock.move(timedelta(minutes=1))
    make_code(second, video_id, "b.example")

    path, _, query = made.headers["location"].partition("?")
    shown = first.get(path, query)

    assert "<b>a.example</b>" in shown.text
    assert ">b.example</a>" in shown.text


@pytest.mark.parametrize(
    ("sites", "told"),
    [
        ("", "Write the domain of your page"),
        ("  ,; ", "Write the domain of your page"),
        ("ann@example.com", "must be host names"),
        ("https://ann@example.com/", "must be host names"),
        (",".join(f"{n}.example" for n in range(33)), "at most 32 domains"),
    ],
)
def test_text_without_a_domain_makes_no_code_and_says_why(
    dashboard: Dashboard, sites: str, told: str
) -> None:
    video_id = dashboard.world.ready(is_public=False)
    person = dashboard.sign_in(Role.EDITOR)

    answer = person.post(embed_of(video_id), {"kind": "code", "sites": sites})

    assert answer.status_code == 400
    assert told in answer.text.partition('id="sites-about"')[2]
    assert "No code was made" in answer.text
    assert keys_of(dashboard, video_id) == []


def test_a_code_of_a_revoked_key_is_shown_no_more(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready(is_public=False)
    person = dashboard.sign_in(Role.EDITOR)
    made = person.submit(embed_of(video_id), {"kind": "code", "sites": "a.example"})
    (key,) = keys_of(dashboard, video_id)
    revoke = f"{VIDEOS}/{video_id}/sharing/revoke-edge-key"
    person.post(revoke, {"edgeKey": key.id})

    path, _, query = made.headers["location"].partition("?")
    shown = person.get(path, query)

    assert "does not play any more" in shown.text
    assert CODE.search(shown.text) is None


def test_viewers_see_no_code_of_a_private_video(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready(is_public=False)
    editor, viewer = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.VIEWER)
    made = editor.submit(embed_of(video_id), {"kind": "code", "sites": "a.example"})
    (key,) = keys_of(dashboard, video_id)

    path, _, query = made.headers["location"].partition("?")
    seen = (viewer.get(path, query), viewer.fragment(path, query))

    for answer in seen:
        assert answer.status_code == 200
        assert key.id not in answer.text
        assert CODE.search(answer.text) is None
    assert viewer.post(path, {"kind": "code", "sites": "b.example"}).status_code == 403


def test_a_code_is_a_frame_or_an_element_with_its_start_and_autoplay(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready(name='a "b" <c>')
    person, path = dashboard.sign_in(Role.VIEWER), embed_of(video_id)

    frame = code_in(person.fragment(path, "as=frame&start=0:02&autoplay=yes"))
    element = code_in(person.get(path, "as=element&start=2s&autoplay=yes"))
    plain = code_in(person.get(path))

    assert (
        f"/v1/embed/{video_id}?autoplay=1&amp;t=2&quot;".replace("&quot;", '"') in frame
    )
    assert 'title="a &quot;b&quot; &lt;c&gt;"' in frame
    assert "<hv-player src=" in element
    assert 'start-time="2"' in element
    assert " autoplay>" in element.replace("\n", "")
    assert "?" not in plain


def test_a_code_has_the_transcript_that_was_wished_for(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.VIEWER), embed_of(video_id)

    page = person.get(path, "transcript=yes")
    element = code_in(person.fragment(path, "as=element&transcript=yes"))

    assert re.search(r'name="transcript"[^>]* checked', page.text)
    assert f'/v1/embed/{video_id}?transcript=1"' in code_in(page)
    assert " transcript>" in element.replace("\n", "")
    assert "transcript" not in code_in(person.get(path))


@pytest.mark.parametrize(
    ("start", "told"),
    [
        ("soon", "Write a time such as 1:30"),
        ("9:59:59", "The video ends before that."),
        ('"><script>', "Write a time such as 1:30"),
    ],
)
def test_a_wrong_start_is_told_beside_the_code(
    dashboard: Dashboard, start: str, told: str
) -> None:
    video_id = dashboard.world.ready()
    query = f"start={quote(start)}"

    for open_page in ("get", "fragment"):
        person = dashboard.sign_in(Role.VIEWER)
        answer = getattr(person, open_page)(embed_of(video_id), query)
        assert answer.status_code == 200
        assert told in answer.text
        assert "?t=" not in code_in(answer)
        assert "Not saved" not in answer.text
        assert "<script>" not in answer.text


def test_a_code_has_the_shape_of_its_video(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()

    def turn(video: Video) -> None:
        assert video.media is not None
        tracks = []
        for one in video.media.tracks:
            rung = one.track.rung and attrs.evolve(
                one.track.rung, width_px=360, height_px=640
            )
            tracks.append(attrs.evolve(one, track=attrs.evolve(one.track, rung=rung)))
        video.media = attrs.evolve(video.media, tracks=tuple(tracks))

    dashboard.world.change(video_id, turn)

    code = code_in(dashboard.sign_in(Role.VIEWER).get(embed_of(video_id)))

    assert 'width="405" height="720"' in code
    assert "aspect-ratio: 9 / 16; max-width: 50.6vh" in code


def test_a_video_without_a_picture_yet_says_when_it_plays(
    dashboard: Dashboard,
) -> None:
    running, failed = dashboard.world.transcoding(), dashboard.world.failed()
    person = dashboard.sign_in(Role.EDITOR)

    assert "it plays there once it is ready" in person.get(embed_of(running)).text
    assert "would show nothing" in person.get(embed_of(failed)).text


def test_a_code_of_another_environment_keeps_it(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready(dashboard.world.dev, is_public=False)
    person = dashboard.sign_in(Role.EDITOR)

    made = person.send(
        "POST",
        embed_of(video_id),
        query="env=dev",
        fields={
            "change_token": person.session.person.change_token,
            "kind": "code",
            "sites": "a.example",
        },
    )

    assert "?env=dev&key=" in made.headers["location"]


def test_a_signed_address_is_made_with_what_to_copy(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready(name='a "b" <c>', is_public=False)
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/embed"

    first = person.get(path)
    made = person.post(path, {"expiration": "7d", "domains": "https://example.com/x"})

    assert "?token=" not in first.text.replace("jpg?token=", "")
    assert made.status_code == 200
    assert f"/v1/private/{video_id}/master.m3u8?token=" in made.text
    assert f"/v1/embed/{video_id}?token=" in made.text
    assert "&lt;iframe src=" in made.text
    assert "title=&#34;a &amp;quot;b&amp;quot; &amp;lt;c&amp;gt;&#34;" in made.text
    assert "/oembed?url=" not in made.text
    wrong = person.post(path, {"expiration": "2h"})
    assert wrong.status_code == 400
    assert 'id="expiration-about"' in wrong.text


def test_a_public_video_has_addresses_that_stay(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    public = dashboard.world.services.settings.public

    path = embed_of(video_id)
    text = dashboard.sign_in(Role.VIEWER).get(path, "as=element").text

    env = dashboard.world.env.name
    place = f"/v1/public/{ORG}/{env}/{video_id}/master.m3u8"
    assert public.worker_url + place in text
    assert f"/oembed?url={quote(public.player_url, safe='')}" in text


def test_oembed_answers_the_size_that_was_asked_for(dashboard: Dashboard) -> None:
    """
    The addresses of public videos and of edge keys; see tests/delivery.
    """
    public, private = dashboard.world.ready(), dashboard.world.ready(is_public=False)
    editor = dashboard.sign_in(Role.EDITOR)
    make_code(editor, private, "example.com")
    services = dashboard.world.services
    player = TestClient(make_player(services))

    for video_id in (public, private):
        text = unescape(editor.get(embed_of(video_id)).text)
        (path,) = set(re.findall(r"curl '?[^\s]*(/oembed\?url=[^\s'<]+)", text))
        answer = player.simulate_get(path)
        assert answer.status_code == 200, path
        assert "<iframe" in answer.json["html"]
