"""
How a video is given to others: share links and edge keys.
"""

from datetime import timedelta

import pytest

from hvcore.domain.access.roles import Role
from tests.dashboard.opened import VIDEOS, Dashboard


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
        {"kind": "edge-key", "domains": "ann@example.com"},
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
