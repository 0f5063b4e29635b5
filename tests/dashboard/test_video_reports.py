"""
What the pages of a video tell: its events, its analytics, why playback is refused.
"""

from hvcore.domain import ids
from hvcore.domain.access.roles import Role
from hvcore.domain.webhooks.endpoints import WebhookEndpoint, new_secret
from hvcore.domain.webhooks.events import EventKind
from tests.dashboard.world import VIDEOS, DashboardWorld
from tests.http.world import ORG


def test_events_say_what_happened_and_who_was_told(dashboard: DashboardWorld) -> None:
    video_id = dashboard.world.failed()
    other = dashboard.world.ready()

    answer = dashboard.sign_in(Role.VIEWER).get(f"{VIDEOS}/{video_id}/events")

    assert "video.processing.failed" in answer.text
    assert "There is no picture." in answer.text
    assert "no endpoint wanted it" in answer.text
    assert other not in answer.text


def test_events_name_the_endpoints_that_were_told(dashboard: DashboardWorld) -> None:
    env, services = dashboard.world.env, dashboard.world.services
    endpoint = WebhookEndpoint(
        id=ids.new_webhook_id(),
        org_id=env.org_id,
        env_id=env.id,
        url="https://hooks.example.com/secret-path",
        kinds=frozenset({EventKind.FAILED}),
        secrets=(new_secret(),),
        created_at=services.clock.now(),
    )
    with services.uow.write() as work:
        work.webhooks.add(endpoint)
        work.commit()
    video_id, other = dashboard.world.failed(), dashboard.world.ready()
    path = f"{VIDEOS}/{video_id}/events"

    viewer, admin = (dashboard.sign_in(role).get(path) for role in (Role.VIEWER, None))

    assert viewer.text.count(endpoint.id) == 1
    assert "Pending" in viewer.text
    assert "secret-path" not in viewer.text + admin.text
    assert f'href="/dashboard/{ORG}/webhooks/{endpoint.id}"' in admin.text
    others = dashboard.sign_in(Role.VIEWER).get(f"{VIDEOS}/{other}/events")
    assert endpoint.id not in others.text
    with services.uow.write() as work:
        work.webhooks.remove(endpoint.id)
        work.commit()
    assert endpoint.id not in dashboard.sign_in(Role.VIEWER).get(path).text


def test_analytics_of_nothing_say_what_to_do(dashboard: DashboardWorld) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}"
    person = dashboard.sign_in(Role.VIEWER)

    empty, days = person.get(f"{path}/analytics"), "startDate=2026-13-01"
    wrong = person.get(f"{path}/analytics", days)
    viewers = person.fragment(f"{path}/viewers")

    assert "Nothing was watched yet" in empty.text
    assert wrong.status_code == 200
    assert 'role="alert"' in wrong.text
    assert 'id="viewers"' in viewers.text


def test_explain_names_the_rule_and_what_to_do_next(
    dashboard: DashboardWorld,
) -> None:
    video_id = dashboard.world.ready(is_public=False)
    public = dashboard.world.services.settings.public
    person, path = dashboard.sign_in(Role.VIEWER), f"{VIDEOS}/{video_id}/explain"
    url = f"{public.worker_url}/v1/private/{video_id}/master.m3u8"

    answer = person.post(path, {"url": url})

    assert answer.status_code == 200
    assert "token_missing" in answer.text
    assert "401" in answer.text
    assert "Do next" in answer.text


def test_explain_tells_nothing_of_other_videos(dashboard: DashboardWorld) -> None:
    world = dashboard.world
    mine, theirs = world.ready(), world.ready(world.other_env)
    public = world.services.settings.public
    person, path = dashboard.sign_in(Role.ADMIN), f"{VIDEOS}/{mine}/explain"
    asked = [
        f"{public.worker_url}/v1/private/{theirs}/master.m3u8",
        f"{public.worker_url}/v1/public/{mine}/live/{theirs}/master.m3u8",
        f"{public.player_url}/v1/ek_{'0' * 22}",
        f"{public.player_url}/v1/watch/shr_{'0' * 22}",
        "https://example.com/",
        f"/upload/{mine}",
        "not an address",
        "http://[",
    ]

    answers = [person.post(path, {"url": url}) for url in asked]

    assert {answer.status_code for answer in answers} == {400}
    assert all("no address of this video" in answer.text for answer in answers)
    assert all("The answer" not in answer.text for answer in answers)


def test_explain_knows_the_links_of_the_video(dashboard: DashboardWorld) -> None:
    video_id = dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    person.post(f"{VIDEOS}/{video_id}/sharing", {"kind": "share"})
    services = dashboard.world.services
    with services.uow.read() as work:
        (share,) = work.shares.of_video(dashboard.video(video_id).id, 10)
    person.post(f"{VIDEOS}/{video_id}/sharing/revoke-share", {"share": share.id})
    url = services.shares.delivery_url(share)

    answer = person.post(f"{VIDEOS}/{video_id}/explain", {"url": url})

    assert answer.status_code == 200
    assert "share_revoked" in answer.text
