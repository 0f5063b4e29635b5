"""
Two calls at once that change one link to a video, or the video of it.
"""

from datetime import timedelta

import pytest

from hvcore.domain.links.links import EdgeKey, ShareLink
from hvcore.domain.links.share_codes import MAX_MAILS
from hvcore.domain.playback.viewer import Viewer
from hvcore.domain.tasks.kinds import SHARE_CODE_SEND
from hvcore.domain.videos.states import VideoState
from hvcore.errors import HvError, NotFoundError, VideoNotFoundError
from hvcore.services.links.share_link_playback import (
    ShareLinkOverError,
    ViewerUnknownError,
)
from tests.services.at_once.calls import delete
from tests.services.at_once.holding import Call, Pair
from tests.services.at_once.meeting import Meeting
from tests.services.at_once.tenant import Tenant

pytestmark = pytest.mark.services

ADDRESS = "ann@example.com"
VIEWER = Viewer(address="192.0.2.7")
OTHER_VIEWER = Viewer(address="198.51.100.7")


def share(
    at: Tenant,
    video_id: str,
    *,
    max_views: int | None = None,
    viewer_email: str | None = None,
) -> ShareLink:
    return at.services.shares.create(
        at.caller,
        at.env.org_id,
        video_id,
        valid_hours=24,
        max_views=max_views,
        viewer_email=viewer_email,
    )


def edge_key(at: Tenant, video_id: str) -> EdgeKey:
    return at.services.edge_keys.create(
        at.caller, at.env.org_id, video_id, domains=(), expires_at=None
    )


def revoke(at: Tenant, link: ShareLink) -> Call:
    return lambda: at.services.shares.revoke(
        at.caller, at.env.org_id, link.video_id, link.id
    )


def view(at: Tenant, link: ShareLink) -> Call:
    return lambda: at.services.share_link_playback.open(
        link.id, "master.m3u8", VIEWER, begins=True
    )


def links(at: Tenant) -> list[ShareLink]:
    with at.services.uow.read() as work:
        return list(work.shares.of_video(at.only_video().id, 10))


@pytest.mark.long
@pytest.mark.parametrize(
    ("make", "action"),
    [
        pytest.param(share, "share.create", id="share"),
        pytest.param(edge_key, "edge-key.create", id="edge-key"),
    ],
)
def test_a_deleted_video_gets_no_new_link(
    meeting: Meeting, make: object, action: str
) -> None:
    assert callable(make)

    def pair(at: Tenant) -> Pair:
        video_id = at.processed()
        return (lambda: make(at, video_id)), delete(at, video_id)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.second, HvError)
        assert at.only_video().state is VideoState.DELETED
        is_made = not isinstance(ends.first, HvError)
        assert is_made or isinstance(ends.first, VideoNotFoundError)
        entries = at.services.audit.latest(at.env.org_id, limit=2)
        actions = [entry.action for entry in entries]
        # The latest first: nothing is made of what is deleted.
        assert actions[0] == "video.delete"
        assert (actions[1] == action) is is_made


@pytest.mark.long
def test_a_revoked_share_link_begins_no_session(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        link = share(at, at.ready().id, max_views=5)
        return view(at, link), revoke(at, link)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.second, HvError)
        is_begun = not isinstance(ends.first, HvError)
        assert is_begun or isinstance(ends.first, ShareLinkOverError)
        (link,) = links(at)
        assert (link.views, link.revoked_at is None) == (is_begun, False)
        assert at.audited("share.revoke") == 1


@pytest.mark.long
def test_the_last_view_of_a_share_link_is_used_once(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        link = share(at, at.ready().id, max_views=1)
        return view(at, link), view(at, link)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {ShareLinkOverError}
        assert [link.views for link in links(at)] == [1]


@pytest.mark.long
def test_a_share_link_is_revoked_once(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        link = share(at, at.processed())
        return revoke(at, link), revoke(at, link)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {NotFoundError}
        assert at.audited("share.revoke") == 1


@pytest.mark.long
def test_an_edge_key_is_revoked_once(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        key = edge_key(at, at.processed())

        def end() -> object:
            return at.services.edge_keys.revoke(at.caller, at.env.org_id, key.id)

        return end, end

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {NotFoundError}
        assert at.audited("edge-key.revoke") == 1


def ask(at: Tenant, link: ShareLink, viewer: Viewer = VIEWER) -> Call:
    return lambda: at.services.share_codes.ask(link.id, ADDRESS, viewer)


@pytest.mark.long
def test_two_clients_that_ask_for_share_codes_get_no_more_mails_than_one(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        link = share(at, at.ready().id, viewer_email=ADDRESS)
        for _ in range(MAX_MAILS - 1):
            ask(at, link)()
        return ask(at, link), ask(at, link, OTHER_VIEWER)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 0
        assert len(at.tasks(SHARE_CODE_SEND)) == MAX_MAILS


@pytest.mark.long
def test_a_share_code_lets_one_in(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        link = share(at, at.ready().id, viewer_email=ADDRESS)
        code_id = at.services.share_codes.ask(link.id, ADDRESS, VIEWER)
        with at.services.uow.read() as work:
            code = work.share_codes.find(code_id)
        assert code is not None

        def enter() -> object:
            return at.services.share_codes.confirm(link.id, code_id, code.code, VIEWER)

        return enter, enter

    for _, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {ViewerUnknownError}


@pytest.mark.long
def test_a_revoked_share_link_orders_no_code(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        link = share(at, at.ready().id, viewer_email=ADDRESS)
        return ask(at, link), revoke(at, link)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.second, HvError)
        is_asked = not isinstance(ends.first, HvError)
        assert is_asked or isinstance(ends.first, ShareLinkOverError)
        assert len(at.tasks(SHARE_CODE_SEND)) == is_asked
        (link,) = links(at)
        with at.services.uow.read() as work:
            for task in work.tasks.search(org_id=at.env.org_id, kind=SHARE_CODE_SEND):
                assert link.revoked_at is not None
                # Asked before it was revoked.
                assert task.created_at - timedelta(hours=1) < work.now()
