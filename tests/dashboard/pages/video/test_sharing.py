"""
How a video is given to others: share links, edge keys, signed and public addresses.
"""

import re
from datetime import timedelta
from html import unescape
from urllib.parse import quote

import pytest
from falcon.testing import TestClient

from hvcore.domain.access.roles import Role
from hvcore_player.app import make_app as make_player
from tests.dashboard.opened import VIDEOS, Dashboard
from tests.support.http.world import ORG


def test_a_share_link_is_made_listed_and_revoked(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    assert "No share links yet" in person.get(path).text
    sent = {"kind": "share", "expirationHours": "2", "maxViews": "3"}

    made = person.post(path, sent)

    services = dashboard.world.services
    with services.uow.read() as work:
        (share,) = work.shares.of_video(dashboard.video(video_id).id, 10)
    listed = person.get(path).text
    assert made.status_code == 303
    assert services.shares.share_url(share) in listed
    assert "of 3" in listed
    revoked = person.post(f"{path}/revoke-share", {"share": share.id})
    assert revoked.status_code == 303
    assert "Revoked" in person.get(path).text
    assert dashboard.last_audited()[0] == "share.revoke"
    assert share.id not in dashboard.sign_in(Role.VIEWER).get(path).text


def test_an_edge_key_is_made_listed_and_revoked(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    sent = {"kind": "edge-key", "domains": "Example.com, *.example.org", "lasts": "7"}

    made = person.post(path, sent)

    services = dashboard.world.services
    with services.uow.read() as work:
        (key,) = work.edge_keys.of_video(dashboard.video(video_id).id, 10)
    assert made.status_code == 303
    assert key.domains == ("example.com", "*.example.org")
    assert key.expires_at == key.created_at + timedelta(days=7)
    assert services.edge_keys.embed_url(key) in person.get(path).text
    revoked = person.post(f"{path}/revoke-edge-key", {"edgeKey": key.id})
    assert revoked.status_code == 303
    assert key.id not in revoked.headers["location"]
    assert dashboard.last_audited()[0] == "edge-key.revoke"
    assert key.id not in dashboard.sign_in(Role.VIEWER).get(path).text


@pytest.mark.parametrize(
    "sent",
    [
        {"kind": "share", "expirationHours": "721"},
        {"kind": "share", "viewerEmail": "nobody"},
        {"kind": "edge-key", "domains": "https://example.com/"},
    ],
    ids=str,
)
def test_a_wrong_link_is_not_made(dashboard: Dashboard, sent: dict[str, str]) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"

    answer = person.post(path, sent)

    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert "No share links yet" in answer.text
    assert "No edge keys yet" in answer.text


def test_a_link_of_another_video_is_not_revoked(dashboard: Dashboard) -> None:
    world, services = dashboard.world, dashboard.world.services
    mine, other = world.ready(), world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    person.post(f"{VIDEOS}/{other}/sharing", {"kind": "edge-key"})
    with services.uow.read() as work:
        (key,) = work.edge_keys.of_video(dashboard.video(other).id, 10)

    answer = person.post(
        f"{VIDEOS}/{mine}/sharing/revoke-edge-key", {"edgeKey": key.id}
    )

    assert answer.status_code == 404


def test_a_signed_address_is_made_with_what_to_copy(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready(name='a "b" <c>', is_public=False)
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/embed"

    first = person.get(path)
    made = person.post(path, {"expiration": "7d", "domains": "example.com"})

    assert "?token=" not in first.text.replace("jpg?token=", "")
    assert made.status_code == 200
    assert f"/v1/private/{video_id}/master.m3u8?token=" in made.text
    assert f"/v1/embed/{video_id}?token=" in made.text
    assert "&lt;hv-player" in made.text
    assert "title=&#34;a &amp;quot;b&amp;quot; &amp;lt;c&amp;gt;&#34;" in made.text
    assert "/oembed?url=" not in made.text
    wrong = person.post(path, {"expiration": "2h"})
    assert wrong.status_code == 400
    assert 'id="expiration-about"' in wrong.text


def test_a_public_video_has_addresses_that_stay(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    public = dashboard.world.services.settings.public

    text = dashboard.sign_in(Role.VIEWER).get(f"{VIDEOS}/{video_id}/embed").text

    env = dashboard.world.env.name
    place = f"/v1/public/{ORG}/{env}/{video_id}/master.m3u8"
    assert public.worker_url + place in text
    assert f"/oembed?url={quote(public.player_url, safe='')}" in text


def test_an_edge_key_has_what_to_copy_for_its_editors(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready(is_public=False)
    editor, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/embed"
    for domains in ("old.example.com", "example.com"):
        sent = {"kind": "edge-key", "domains": domains}
        editor.post(f"{VIDEOS}/{video_id}/sharing", sent)
        dashboard.world.clock.move(timedelta(minutes=1))
    services = dashboard.world.services
    with services.uow.read() as work:
        newest, older = work.edge_keys.of_video(dashboard.video(video_id).id, 10)

    text = unescape(editor.get(path).text)

    address = services.edge_keys.embed_url(newest)
    assert f'<iframe src="{address}"' in text
    assert f'<hv-player src="{address}/master.m3u8"' in text
    assert f"/oembed?url={quote(address, safe='')}" in text
    # The address of a private picture ends before the key does.
    assert "poster=" not in text
    assert "on pages of example.com" in text
    assert "There is 1 more key" in text
    assert older.id not in text
    assert newest.id not in dashboard.sign_in(Role.VIEWER).get(path).text
    for key in (newest, older):
        sharing = f"{VIDEOS}/{video_id}/sharing/revoke-edge-key"
        assert editor.post(sharing, {"edgeKey": key.id}).status_code == 303
    assert "By an edge key" not in editor.get(path).text


def test_what_oembed_is_asked_is_what_it_answers(dashboard: Dashboard) -> None:
    """
    The addresses of public videos and of edge keys; see tests/delivery.
    """
    public, private = dashboard.world.ready(), dashboard.world.ready(is_public=False)
    editor = dashboard.sign_in(Role.EDITOR)
    for video_id in (public, private):
        editor.post(f"{VIDEOS}/{video_id}/sharing", {"kind": "edge-key"})
    services = dashboard.world.services
    player = TestClient(make_player(services))

    for video_id, expected in ((public, 2), (private, 1)):
        text = unescape(editor.get(f"{VIDEOS}/{video_id}/embed").text)
        asked = re.findall(r"curl '?[^\s]*(/oembed\?url=[^\s'<]+)", text)
        assert len(set(asked)) == expected
        for path in set(asked):
            answer = player.simulate_get(path)
            assert answer.status_code == 200, path
            assert "<iframe" in answer.json["html"]
