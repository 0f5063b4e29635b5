"""
The events of a video on its page.
"""

from hvcore.domain import ids
from hvcore.domain.access.roles import Role
from hvcore.domain.webhooks.endpoints import WebhookEndpoint, new_secret
from hvcore.domain.webhooks.events import EventKind
from tests.dashboard.opened import VIDEOS, Dashboard
from tests.support.http.world import ORG


def test_events_say_what_happened_and_who_was_told(dashboard: Dashboard) -> None:
    video_id = dashboard.world.failed()
    other = dashboard.world.ready()

    answer = dashboard.sign_in(Role.VIEWER).get(f"{VIDEOS}/{video_id}/events")

    assert "video.processing.failed" in answer.text
    assert "There is no picture." in answer.text
    assert "no endpoint wanted it" in answer.text
    assert other not in answer.text


def test_events_name_the_endpoints_that_were_told(dashboard: Dashboard) -> None:
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
