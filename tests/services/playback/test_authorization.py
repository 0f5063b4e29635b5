"""
Decisions that were made before hold as long as what they were made of.
"""

from datetime import timedelta

import attrs
import pytest

from hvcore.domain.playback.decision import following
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import Viewer
from hvcore.domain.videos.states import VideoState
from hvcore.errors import ForbiddenError, UnauthorizedError, VideoNotFoundError
from hvcore.playback_tokens import LEEWAY_S, KeyRing, TokenKey, TokenUse
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.authorization_cache import (
    MAX_KEY_CHARS,
    Authorization,
    AuthorizationCache,
)
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.signing.organization_keys import OrganizationKeys
from hvcore.signing.sealing import Sealer
from tests.conftest import SettableClock
from tests.support.media_samples import PUBLIC, VIDEO, Directory, entry, shelf

SECRET = b"0123456789abcdef" * 4
PLAYBACK = frozenset({TokenUse.PLAYBACK})
VALID_S = 3600


@pytest.fixture
def directory() -> Directory:
    return Directory(entry(shelf().media))


@pytest.fixture
def access(directory: Directory, clock: SettableClock) -> PlaybackAuthorization:
    key_ring = KeyRing(issuer="hvcore", keys=[TokenKey.load(SECRET)])
    return PlaybackAuthorization(
        directory=directory,
        key_ring=key_ring,
        organization_keys=OrganizationKeys(Sealer("a secret of tests")),
        clock=clock,
    )


def viewer(
    access: PlaybackAuthorization, *domains: str, page: str | None = None
) -> Viewer:
    token = access.key_ring.issue(
        video_id=VIDEO,
        public_id=PUBLIC,
        now=access.clock.now(),
        valid_s=VALID_S,
        domains=domains,
    )
    return Viewer(tokens=(token,), origin=page)


def change(directory: Directory, **changes: object) -> None:
    assert directory.entry is not None
    directory.entry = attrs.evolve(directory.entry, **changes)  # type: ignore[arg-type]  # names of fields


def test_a_decision_is_made_once_while_nothing_changes(
    access: PlaybackAuthorization,
) -> None:
    who = viewer(access)
    first = access.private(VIDEO, who, PLAYBACK)

    assert access.private(VIDEO, who, PLAYBACK) is first
    assert access.private(VIDEO, viewer(access), PLAYBACK) is not first


def test_a_deleted_video_is_refused_to_who_was_let_in(
    access: PlaybackAuthorization, directory: Directory
) -> None:
    who = viewer(access)
    access.private(VIDEO, who, PLAYBACK)

    change(directory, state=VideoState.DELETED)

    with pytest.raises(VideoNotFoundError):
        access.private(VIDEO, who, PLAYBACK)


def test_a_video_that_is_gone_is_refused_to_who_was_let_in(
    access: PlaybackAuthorization, directory: Directory
) -> None:
    who = viewer(access)
    access.private(VIDEO, who, PLAYBACK)

    directory.entry = None

    with pytest.raises(VideoNotFoundError):
        access.private(VIDEO, who, PLAYBACK)


def test_a_public_video_that_became_private_is_refused(
    access: PlaybackAuthorization, directory: Directory
) -> None:
    change(directory, is_public=True)
    access.public("org_a", "live", VIDEO)

    change(directory, is_public=False)

    with pytest.raises(ForbiddenError, match="video is private"):
        access.public("org_a", "live", VIDEO)


def test_a_token_that_has_ended_is_refused_to_who_was_let_in(
    access: PlaybackAuthorization, clock: SettableClock
) -> None:
    who = viewer(access)
    access.private(VIDEO, who, PLAYBACK)

    clock.move(timedelta(seconds=VALID_S + LEEWAY_S - 1))
    access.private(VIDEO, who, PLAYBACK)
    clock.move(timedelta(seconds=1))

    with pytest.raises(UnauthorizedError):
        access.private(VIDEO, who, PLAYBACK)


def test_a_decision_is_of_one_page_one_use_and_one_video(
    access: PlaybackAuthorization,
) -> None:
    who = viewer(access, "example.com", page="https://example.com")
    access.private(VIDEO, who, PLAYBACK)

    with pytest.raises(ForbiddenError, match="may not be used on this page"):
        access.private(VIDEO, attrs.evolve(who, origin="https://other.test"), PLAYBACK)
    with pytest.raises(ForbiddenError, match="may not be used on this page"):
        access.private(VIDEO, attrs.evolve(who, origin=None), PLAYBACK)
    with pytest.raises(ForbiddenError, match="does not open this"):
        access.private(VIDEO, who, frozenset({TokenUse.THUMBNAIL}))
    with pytest.raises(ForbiddenError, match="made for another video"):
        access.private(f"{VIDEO[:-1]}z", who, PLAYBACK)


def test_a_followed_decision_shows_all_its_rules(access: PlaybackAuthorization) -> None:
    who = viewer(access)
    access.private(VIDEO, who, PLAYBACK)

    with following() as judgement:
        access.private(VIDEO, who, PLAYBACK)

    assert PlaybackRule.TOKEN_EXPIRED in judgement.passed
    assert PlaybackRule.VIDEO_DELETED in judgement.passed


def authorization(playable: Playable) -> Authorization:
    return Authorization(video=VIDEO, entry=None, playable=playable)


def test_the_size_of_a_video_is_that_of_its_largest_rung(
    access: PlaybackAuthorization,
) -> None:
    assert access.private(VIDEO, viewer(access), PLAYBACK).size_px == (1280, 720)


def test_only_so_much_is_kept(access: PlaybackAuthorization) -> None:
    one = authorization(access.private(VIDEO, viewer(access), PLAYBACK))
    authorizations = AuthorizationCache(max_authorizations=2)
    for number in range(5):
        authorizations.put((str(number),), one)
    authorizations.put(("a", ("x" * MAX_KEY_CHARS,)), one)

    assert authorizations.get(("4",)) is one
    assert sum(authorizations.get((str(number),)) is one for number in range(5)) <= 2
    assert authorizations.get(("a", ("x" * MAX_KEY_CHARS,))) is None


def test_nothing_of_a_token_is_shown(access: PlaybackAuthorization) -> None:
    who = viewer(access)
    access.private(VIDEO, who, PLAYBACK)

    assert who.tokens[0] not in repr(access)
