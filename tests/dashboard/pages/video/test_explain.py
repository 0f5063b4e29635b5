"""
What the pages of a video tell: its events, its analytics, why playback is refused.
"""

from hvcore.domain.access.roles import Role
from tests.dashboard.opened import VIDEOS, Dashboard
from tests.dashboard.sent_forms import form_of


def test_explain_names_the_rule_and_what_to_do_next(
    dashboard: Dashboard,
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


def test_explain_tells_nothing_of_other_videos(dashboard: Dashboard) -> None:
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
    assert [form_of(answer, path)["url"] for answer in answers] == [[u] for u in asked]
    assert all("The answer" not in answer.text for answer in answers)


def test_explain_knows_the_links_of_the_video(dashboard: Dashboard) -> None:
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
