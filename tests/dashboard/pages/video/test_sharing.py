"""
Share links and edge keys give a video to others.
"""

import email.policy
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from email import message_from_bytes

import pytest
from falcon.testing import Result

from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.access.roles import Role
from hvcore.domain.links.links import EdgeKey, ShareLink
from hvcore.domain.sign_in.sessions import new_secret_value
from hvcore.domain.tasks.kinds import SHARE_LINK_SEND
from hvcore.services.links.share_link_mails import BIN_WAITS
from tests.dashboard.mailed import Mailing
from tests.dashboard.opened import SESSION, VIDEOS, Dashboard, PersonClient
from tests.dashboard.test_limits import left_to, use_up
from tests.support.http.world import ORG

KEY_FORM = "new-edge-key-form"


def test_a_share_link_is_made_listed_and_revoked(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    assert "No share links yet" in person.get(path).text
    sent = {"kind": "share", "days": "2", "maxViews": "3", "label": "press <b>"}

    made = person.post(path, sent)

    services = dashboard.world.services
    with services.uow.read() as work:
        (share,) = work.shares.of_video(dashboard.video(video_id).id, 10)
    listed = person.get(path).text
    assert made.status_code == 303
    assert services.shares.share_url(share) in listed
    assert "of 3" in listed
    assert "press &lt;b&gt;" in listed
    assert share.expires_at == share.created_at + timedelta(days=2)
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
        {"kind": "share", "days": "31"},
        {"kind": "share", "label": "x" * 101},
        {"kind": "share", "viewers": "ada@example.com, nobody"},
        {"kind": "share", "mail": "yes"},
        {"kind": "share", "viewers": " ".join(f"{n}@example.com" for n in range(21))},
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


def test_each_person_gets_a_link_by_mail(dashboard: Dashboard) -> None:
    world = dashboard.world
    video_id = world.ready(name="Trailer\nBcc: all@example.com")
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    people = "Ada@example.com,\nbob@example.com; ada@example.com"

    made = person.submit(
        path,
        {"kind": "share", "viewers": people, "mail": "yes", "label": "press"},
    )

    assert made.status_code == 303, made.text
    with world.services.uow.read() as work:
        shares = work.shares.of_video(dashboard.video(video_id).id, 10)
        tasks = list(work.tasks.search(kind=SHARE_LINK_SEND))
    viewers = {share.viewer_email: share for share in shares}
    assert set(viewers) == {"ada@example.com", "bob@example.com"}
    assert {share.label for share in shares} == {"press"}
    for task in tasks:
        world.services.task_runs.run(task.id, worker="w", stopping=lambda: False)
    sent = [
        message_from_bytes(file.read_bytes(), policy=email.policy.default)
        for file in (world.folder / "mail").glob("*.eml")
    ]
    assert {str(mail["to"]) for mail in sent} == set(viewers)
    for mail in sent:
        own = world.services.shares.share_url(viewers[str(mail["to"])])
        text = str(mail.get_payload())
        assert own in text
        assert viewers[str(mail["to"])].id not in str(mail["message-id"])
        assert "press" not in text
        assert mail["bcc"] is None


def test_a_link_that_ended_before_its_mail_is_not_mailed(dashboard: Dashboard) -> None:
    world = dashboard.world
    revoked, deleted = world.ready(), world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    for video_id in (revoked, deleted):
        sent = {"kind": "share", "viewers": "ada@example.com", "mail": "yes"}
        person.post(f"{VIDEOS}/{video_id}/sharing", sent)
    with world.services.uow.read() as work:
        (share,) = work.shares.of_video(dashboard.video(revoked).id, 10)
        tasks = list(work.tasks.search(kind=SHARE_LINK_SEND))
    person.post(f"{VIDEOS}/{revoked}/sharing/revoke-share", {"share": share.id})
    person.post(f"{VIDEOS}/{deleted}/delete")

    for task in tasks:
        world.services.task_runs.run(task.id, worker="w", stopping=lambda: False)

    assert len(tasks) == 2
    assert list((world.folder / "mail").glob("*.eml")) == []


def test_a_link_is_mailed_after_its_video_was_restored_from_the_bin(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    video_id = world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    sent = {"kind": "share", "viewers": "ada@example.com", "mail": "yes"}
    person.post(f"{VIDEOS}/{video_id}/sharing", sent)
    with world.services.uow.read() as work:
        (task,) = work.tasks.search(kind=SHARE_LINK_SEND)
    person.post(f"{VIDEOS}/{video_id}/delete")

    world.services.task_runs.run(task.id, worker="w", stopping=lambda: False)
    before = list((world.folder / "mail").glob("*.eml"))
    person.post(f"{VIDEOS}/restore", {"video": video_id})
    world.clock.move(BIN_WAITS)
    world.services.task_runs.run(task.id, worker="w", stopping=lambda: False)

    assert before == []
    assert len(list((world.folder / "mail").glob("*.eml"))) == 1


def links_of(dashboard: Dashboard, video_id: str) -> Sequence[ShareLink]:
    with dashboard.world.services.uow.read() as work:
        return work.shares.of_video(dashboard.video(video_id).id, 100)


def mails_of(dashboard: Dashboard) -> int:
    with dashboard.world.services.uow.read() as work:
        return len(work.tasks.search(kind=SHARE_LINK_SEND))


def test_a_form_that_is_sent_twice_makes_one_link_and_one_mail_for_each(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    seen = person.get(path)
    sent = {"viewers": "ada@example.com bob@example.com", "mail": "yes"}

    answers = [person.submit(path, sent, seen=seen) for _ in range(2)]

    assert [one.status_code for one in answers] == [303, 303]
    assert len(links_of(dashboard, video_id)) == mails_of(dashboard) == 2
    log = dashboard.world.services.audit.latest(ORG, limit=20)
    assert [entry.action for entry in log].count("share.create") == 2


def test_a_form_that_is_sent_several_times_at_once_makes_one_link(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    seen = person.get(path)

    with ThreadPoolExecutor(4) as pool:
        sent = [pool.submit(person.submit, path, {}, seen=seen) for _ in range(4)]

    assert [one.result().status_code for one in sent] == [303] * 4
    assert len(links_of(dashboard, video_id)) == 1


@pytest.mark.parametrize(
    "changed", [{"days": "3"}, {"label": "press"}, {"viewers": "ada@example.com"}]
)
def test_a_form_that_is_filled_in_otherwise_makes_another_link(
    dashboard: Dashboard, changed: dict[str, str]
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    seen = person.get(path)

    person.submit(path, {}, seen=seen)
    person.submit(path, changed, seen=seen)

    assert len(links_of(dashboard, video_id)) == 2


def test_the_page_that_is_opened_again_makes_another_link(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"

    person.submit(path)
    person.submit(path)

    assert len(links_of(dashboard, video_id)) == 2


def test_a_link_that_was_revoked_is_not_the_answer_to_its_form(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    seen = person.get(path)
    person.submit(path, seen=seen)
    (first,) = links_of(dashboard, video_id)
    person.post(f"{path}/revoke-share", {"share": first.id})

    person.submit(path, seen=seen)

    now = dashboard.world.clock.now()
    works = [one.is_valid_at(now) for one in links_of(dashboard, video_id)]
    assert sorted(works) == [False, True]


@pytest.mark.parametrize("form_id", ["", "1", "x" * 43, "x" * 5000])
def test_a_form_id_of_nobody_makes_no_address_that_can_be_guessed(
    dashboard: Dashboard, form_id: str
) -> None:
    videos = [dashboard.world.ready(), dashboard.world.ready()]
    person = dashboard.sign_in(Role.EDITOR)

    for video_id in videos * 2:
        sent = {"kind": "share", "form": form_id}
        person.post(f"{VIDEOS}/{video_id}/sharing", sent)

    made = {link.id for video_id in videos for link in links_of(dashboard, video_id)}
    assert len(made) == (2 if len(form_id) == 43 else 4)


def test_a_mail_that_the_server_refuses_is_told_beside_its_link(
    mailing: Mailing,
) -> None:
    world = mailing.dashboard.world
    video_id = world.ready()
    person = mailing.dashboard.sign_in(Role.EDITOR)
    path = f"{VIDEOS}/{video_id}/sharing"

    def told(answer: str) -> str:
        mailing.server.recipient_answer = answer
        with world.services.uow.read() as work:
            tasks = list(work.tasks.search(kind=SHARE_LINK_SEND))
        for task in tasks:
            world.services.task_runs.run(task.id, worker="w", stopping=lambda: False)
        page = person.get(path).text
        _, _, after = page.partition("<bdi>ada@example.com</bdi>")
        return " ".join(after.partition("</td>")[0].split())

    person.submit(path, {"viewers": "ada@example.com", "mail": "yes"})
    waiting = told("451 later")
    world.clock.move(timedelta(hours=1))
    refused = told("550 no such <b>box</b>")

    assert "The mail is on its way." in waiting
    assert "The mail could not be delivered." in refused
    assert "or send the address yourself." in refused
    assert ">Send again<" in refused
    assert ">Send again<" not in mailing.dashboard.sign_in(Role.VIEWER).get(path).text


def refused_link(mailing: Mailing, person: PersonClient, video_id: str) -> ShareLink:
    """
    Make a share link whose mail the server refuses.
    """
    mailing.server.recipient_answer = "550 no such box"
    sent = {"viewers": "ada@example.com", "mail": "yes"}
    person.submit(f"{VIDEOS}/{video_id}/sharing", sent)
    run_mails(mailing)
    mailing.server.recipient_answer = "250 fine"
    return links_of(mailing.dashboard, video_id)[0]


def run_mails(mailing: Mailing) -> None:
    services = mailing.dashboard.world.services
    with services.uow.read() as work:
        tasks = list(work.tasks.search(kind=SHARE_LINK_SEND))
    for task in tasks:
        services.task_runs.run(task.id, worker="w", stopping=lambda: False)


def page_after(person: PersonClient, answer: Result) -> str:
    """
    Open the page that a change leads to, with the message of the change.
    """
    messages = answer.headers["set-cookie"].partition(";")[0]
    cookies = f"{SESSION}={person.session.value}; {messages}"
    return person.get(answer.headers["location"], Cookie=cookies).text


def test_a_mail_that_was_refused_is_sent_again_once(mailing: Mailing) -> None:
    dashboard = mailing.dashboard
    video_id, person = dashboard.world.ready(), dashboard.sign_in(Role.EDITOR)
    share, page = (
        refused_link(mailing, person, video_id),
        f"{VIDEOS}/{video_id}/sharing",
    )

    wanted = f"{page}/mail-share", {"share": share.id}
    again = [page_after(person, person.post(*wanted)) for _ in range(2)]
    run_mails(mailing)
    late = page_after(person, person.post(*wanted))
    run_mails(mailing)

    assert ["The link is mailed again to" in shown for shown in (*again, late)] == [
        *(True, False, False)
    ]
    assert "Nothing was mailed: " in again[1]
    assert "Nothing was mailed: " in late
    assert [str(one["to"]) for one in mailing.server.messages] == ["ada@example.com"]
    assert "It was mailed." in person.get(page).text
    log = dashboard.world.services.audit.latest(ORG, limit=50)
    assert [entry.action for entry in log].count("share.mail") == 1


def test_only_editors_send_links_that_work_again_and_each_time_is_an_operation(
    mailing: Mailing,
) -> None:
    dashboard = mailing.dashboard
    video_id, other = dashboard.world.ready(), dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    share = refused_link(mailing, person, video_id)
    wanted, path = {"share": share.id}, f"{VIDEOS}/{video_id}/sharing/mail-share"

    viewer = dashboard.sign_in(Role.VIEWER).post(path, wanted)
    elsewhere = person.post(f"{VIDEOS}/{other}/sharing/mail-share", wanted)
    use_up(dashboard, Bucket.VIDEO_OPERATIONS, left=1)
    allowed, too_many = person.post(path, wanted), person.post(path, wanted)
    dashboard.world.clock.move(timedelta(days=40))
    ended = dashboard.sign_in(Role.EDITOR).post(path, wanted)

    assert (viewer.status_code, elsewhere.status_code) == (403, 404)
    assert (allowed.status_code, too_many.status_code) == (303, 429)
    assert ended.status_code == 404


def test_a_form_that_a_browser_sends_again_mails_no_link_that_was_revoked(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    seen, sent = person.get(path), {"viewers": "ada@example.com", "mail": "yes"}
    person.submit(path, sent, seen=seen)
    (share,) = links_of(dashboard, video_id)
    person.post(f"{path}/revoke-share", {"share": share.id})

    again = person.submit(path, sent, seen=seen)

    assert again.status_code == 409
    assert "was revoked since" in again.text
    assert len(links_of(dashboard, video_id)) == mails_of(dashboard) == 1


def test_the_reason_of_a_failed_mail_with_a_share_link_is_for_operators_alone(
    mailing: Mailing,
) -> None:
    world = mailing.dashboard.world
    video_id = world.ready()
    person = mailing.dashboard.sign_in(Role.EDITOR)
    path = f"{VIDEOS}/{video_id}/sharing"
    mailing.server.recipient_answer = "550 no such <b>box</b>"
    person.submit(path, {"viewers": "ada@example.com", "mail": "yes"})
    with world.services.uow.read() as work:
        (task,) = work.tasks.search(kind=SHARE_LINK_SEND)

    world.services.task_runs.run(task.id, worker="w", stopping=lambda: False)

    page = person.get(path).text
    with world.services.uow.read() as work:
        (failed,) = work.tasks.search(kind=SHARE_LINK_SEND)
    assert "550" in failed.error
    assert failed.error not in page
    # The number alone may stand in a token.
    assert "no such" not in page
    assert "mail server" not in page


def test_a_link_that_was_mailed_says_so_until_it_ends(mailing: Mailing) -> None:
    world = mailing.dashboard.world
    video_id = world.ready()
    person = mailing.dashboard.sign_in(Role.EDITOR)
    path = f"{VIDEOS}/{video_id}/sharing"
    person.submit(path, {"viewers": "ada@example.com", "mail": "yes"})
    (share,) = links_of(mailing.dashboard, video_id)
    with world.services.uow.read() as work:
        (task,) = work.tasks.search(kind=SHARE_LINK_SEND)

    world.services.task_runs.run(task.id, worker="w", stopping=lambda: False)

    assert "It was mailed." in person.get(path).text
    person.post(f"{path}/revoke-share", {"share": share.id})
    assert "It was mailed." not in person.get(path).text


def test_share_links_of_a_form_that_are_too_many_together_use_up_nothing(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    use_up(dashboard, Bucket.VIDEO_OPERATIONS, left=7)
    people = [f"{name}@example.com" for name in "abcde"]

    made = person.post(path, {"kind": "share", "viewers": " ".join(people[:3])})
    form = {"kind": "share", "viewers": " ".join(people), "form": new_secret_value()}
    refused = person.post(path, form)

    assert (made.status_code, refused.status_code) == (303, 429)
    assert "4 more would be too many now. Try again in 60 minutes." in refused.text
    assert len(links_of(dashboard, video_id)) == 3
    # Sent once more it is the same form: had it made links before, it would make no second ones.
    assert f'value="{form["form"]}"' in refused.text
    # The refused request is one, as all are.
    assert left_to(dashboard, Bucket.VIDEO_OPERATIONS) == 7 - 3 - 1 - 1


def edge_keys_of(dashboard: Dashboard, video_id: str) -> Sequence[EdgeKey]:
    with dashboard.world.services.uow.read() as work:
        return work.edge_keys.of_video(dashboard.video(video_id).id, 100)


def test_a_form_that_is_sent_several_times_at_once_makes_one_edge_key(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    seen, wanted = person.get(path), {"domains": "example.com", "lasts": "7"}

    with ThreadPoolExecutor(4) as pool:
        sent = [
            pool.submit(person.submit, path, wanted, seen=seen, form_id=KEY_FORM)
            for _ in range(4)
        ]

    assert [one.result().status_code for one in sent] == [303] * 4
    (key,) = edge_keys_of(dashboard, video_id)
    assert key.domains == ("example.com",)
    log = dashboard.world.services.audit.latest(ORG, limit=20)
    assert [entry.action for entry in log].count("edge-key.create") == 1


@pytest.mark.parametrize("changed", [{"domains": "example.org"}, {"lasts": "30"}])
def test_a_form_of_an_edge_key_that_is_filled_in_otherwise_makes_another_key(
    dashboard: Dashboard, changed: dict[str, str]
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    seen = person.get(path)

    person.submit(path, {}, seen=seen, form_id=KEY_FORM)
    person.submit(path, changed, seen=seen, form_id=KEY_FORM)

    assert len(edge_keys_of(dashboard, video_id)) == 2


def test_an_edge_key_that_was_revoked_is_not_the_answer_to_its_form(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/sharing"
    seen = person.get(path)
    person.submit(path, {}, seen=seen, form_id=KEY_FORM)
    (key,) = edge_keys_of(dashboard, video_id)
    person.post(f"{path}/revoke-edge-key", {"edgeKey": key.id})

    person.submit(path, {}, seen=seen, form_id=KEY_FORM)

    # Both are of one moment, so their order is not given.
    revoked = [one.revoked_at is not None for one in edge_keys_of(dashboard, video_id)]
    assert sorted(revoked) == [False, True]
