"""
Edge keys and share links in the database.
"""

from datetime import timedelta

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.ids import new_edge_key_id, new_share_link_id
from hvcore.domain.links.links import GUESS_WINDOW, MAX_GUESSES, EdgeKey, ShareLink
from hvcore.domain.videos.video import Video
from hvcore.persistence.playback.directory import SqlPlaybackDirectory
from hvcore.persistence.tables import share_guesses
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.conftest import SettableClock
from tests.persistence.samples import NOW, at_once, video

pytestmark = pytest.mark.services


def edge_key_of(clip: Video, **changes: object) -> EdgeKey:
    made = EdgeKey(
        id=new_edge_key_id(),
        org_id=clip.org_id,
        env_id=clip.env_id,
        video_id=clip.id,
        domains=("example.com", "*.example.org"),
        created_at=NOW,
        expires_at=NOW + timedelta(days=1),
    )
    return attrs.evolve(made, **changes)  # type: ignore[arg-type]  # names of fields


def share_of(clip: Video, **changes: object) -> ShareLink:
    made = ShareLink(
        id=new_share_link_id(),
        org_id=clip.org_id,
        env_id=clip.env_id,
        video_id=clip.id,
        created_at=NOW,
        expires_at=NOW + timedelta(days=1),
        max_views=3,
        viewer_email="Ann@example.com",
    )
    return attrs.evolve(made, **changes)  # type: ignore[arg-type]  # names of fields


def added(uow: SqlUnitOfWork, share: ShareLink) -> ShareLink:
    with uow.write() as work:
        work.shares.add(share)
        work.commit()
    return share


def views_of(uow: SqlUnitOfWork, share: ShareLink) -> int:
    with uow.read() as work:
        found = work.shares.find(share.id)
    assert found is not None
    return found.views


def take(uow: SqlUnitOfWork, share: ShareLink, clock: SettableClock) -> bool:
    with uow.write() as work:
        taken = work.shares.take_view(share.id, clock.now())
        work.commit()
    return taken


def guess(
    uow: SqlUnitOfWork, share: ShareLink, clock: SettableClock, client: str = "one"
) -> bool:
    with uow.write() as work:
        taken = work.shares.take_guess(share.id, client, clock.now())
        work.commit()
    return taken


def test_an_edge_key_comes_back_as_it_went(
    uow: SqlUnitOfWork, engine: Engine, clip: Video
) -> None:
    directory = SqlPlaybackDirectory(engine)
    for key in (edge_key_of(clip), edge_key_of(clip, domains=(), expires_at=None)):
        with uow.write() as work:
            work.edge_keys.add(key)
            work.commit()

        with uow.read() as work:
            assert work.edge_keys.find(key.id) == key
        assert directory.find_edge_key(key.id) == key


def test_a_revoked_edge_key_is_seen_at_once(
    uow: SqlUnitOfWork, engine: Engine, clip: Video
) -> None:
    directory = SqlPlaybackDirectory(engine)
    key = edge_key_of(clip)
    revoked = attrs.evolve(key, revoked_at=NOW)
    with uow.write() as work:
        work.edge_keys.add(key)
        work.commit()
    assert directory.find_edge_key(key.id) == key

    with uow.write() as work:
        work.edge_keys.save(revoked)
        work.commit()

    assert directory.find_edge_key(key.id) == revoked


def test_a_share_link_comes_back_as_it_went(
    uow: SqlUnitOfWork, engine: Engine, clip: Video
) -> None:
    directory = SqlPlaybackDirectory(engine)
    for share in (share_of(clip), share_of(clip, max_views=None, viewer_email=None)):
        added(uow, share)

        with uow.read() as work:
            assert work.shares.find(share.id) == share
        assert directory.find_share_link(share.id) == share


def test_links_of_a_video_are_newest_first_and_its_own(
    uow: SqlUnitOfWork, clip: Video
) -> None:
    other = video()
    with uow.write() as work:
        work.videos.add(other)
        work.shares.add(share_of(other))
        work.edge_keys.add(edge_key_of(other))
        shares = [
            share_of(clip, created_at=NOW + timedelta(seconds=n)) for n in range(3)
        ]
        keys = [
            edge_key_of(clip, created_at=NOW + timedelta(seconds=n)) for n in range(3)
        ]
        for share in shares:
            work.shares.add(share)
        for key in keys:
            work.edge_keys.add(key)
        work.commit()

    with uow.read() as work:
        assert work.shares.of_video(clip.id, 2) == [shares[2], shares[1]]
        assert work.edge_keys.of_video(clip.id, 2) == [keys[2], keys[1]]


@pytest.mark.parametrize("text", ["", "shr_x", "\0", "\ud800"])
def test_an_id_that_no_database_can_hold_is_not_found(
    uow: SqlUnitOfWork, text: str
) -> None:
    with uow.read() as work:
        assert work.shares.find(text) is None
        assert work.edge_keys.find(text) is None


def test_no_more_views_are_taken_than_there_are(
    uow: SqlUnitOfWork, clip: Video, clock: SettableClock
) -> None:
    share = added(uow, share_of(clip, max_views=7))

    taken = at_once(lambda _: take(uow, share, clock), threads=50)

    assert taken.count(True) == 7
    assert taken.count(False) == 43
    assert views_of(uow, share) == 7


def test_views_without_a_limit_are_counted(
    uow: SqlUnitOfWork, clip: Video, clock: SettableClock
) -> None:
    share = added(uow, share_of(clip, max_views=None))

    assert all(take(uow, share, clock) for _ in range(5))
    assert views_of(uow, share) == 5


def test_a_link_that_is_over_gives_no_view(
    uow: SqlUnitOfWork, clip: Video, clock: SettableClock
) -> None:
    expired = added(uow, share_of(clip, expires_at=clock.now()))
    revoked = added(uow, share_of(clip))
    with uow.write() as work:
        work.shares.revoke(revoked.id, clock.now())
        work.commit()

    assert not take(uow, expired, clock)
    assert not take(uow, revoked, clock)
    assert views_of(uow, revoked) == 0


def test_a_revocation_loses_no_view_that_was_taken_meanwhile(
    uow: SqlUnitOfWork, clip: Video, clock: SettableClock
) -> None:
    share = added(uow, share_of(clip))
    with uow.read() as work:
        stale = work.shares.find(share.id)
    take(uow, share, clock)
    assert stale is not None

    with uow.write() as work:
        work.shares.revoke(stale.id, clock.now())
        work.commit()

    assert views_of(uow, share) == 1


def test_guesses_are_counted_exactly_and_forgotten_after_an_hour(
    uow: SqlUnitOfWork, clip: Video, clock: SettableClock
) -> None:
    share = added(uow, share_of(clip, created_at=clock.now()))
    other = added(uow, share_of(clip, created_at=clock.now()))

    tried = at_once(lambda _: guess(uow, share, clock), threads=2 * MAX_GUESSES)

    assert tried.count(True) == MAX_GUESSES
    assert not guess(uow, share, clock)
    assert guess(uow, other, clock)
    # Who guesses shuts out nobody else.
    assert guess(uow, share, clock, "another")
    clock.move(GUESS_WINDOW)
    assert [guess(uow, share, clock) for _ in range(MAX_GUESSES + 1)] == [
        *[True] * MAX_GUESSES,
        False,
    ]


def test_a_recognised_viewer_may_guess_anew(
    uow: SqlUnitOfWork, clip: Video, clock: SettableClock
) -> None:
    share = added(uow, share_of(clip, created_at=clock.now()))
    for _ in range(MAX_GUESSES):
        guess(uow, share, clock)

    with uow.write() as work:
        work.shares.forget_guesses(share.id, "one")
        work.commit()

    assert guess(uow, share, clock)


def test_guessers_of_an_hour_ago_take_no_room(
    uow: SqlUnitOfWork, engine: Engine, clip: Video, clock: SettableClock
) -> None:
    share = added(uow, share_of(clip, created_at=clock.now()))
    for number in range(5):
        guess(uow, share, clock, f"client {number}")

    clock.move(GUESS_WINDOW)
    guess(uow, share, clock)

    with engine.connect() as connection:
        rows = connection.execute(sa.select(share_guesses)).all()
    assert len(rows) == 1
    # Nobody's address is written down.
    assert "one" not in rows[0].client


def test_the_chosen_picture_is_seen_at_once(
    uow: SqlUnitOfWork, engine: Engine, clip: Video
) -> None:
    directory = SqlPlaybackDirectory(engine)
    clip.poster_path = f"media/{clip.id}/posters/1.jpg"

    with uow.write() as work:
        work.videos.save(clip)
        work.commit()

    found = directory.find(clip.id)
    assert found is not None
    assert found.poster_path == clip.poster_path
