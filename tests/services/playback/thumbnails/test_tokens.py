"""
Thumbnail tokens stay the same for a while, and are good for a day.
"""

from datetime import UTC, datetime, timedelta

import pytest

from hvcore.domain.ids import new_public_id, new_video_id
from hvcore.errors import UnauthorizedError
from hvcore.playback_tokens import KeyRing, TokenKey, TokenUse
from hvcore.services.playback.thumbnails import tokens as thumbnail_tokens
from hvcore.services.playback.thumbnails.tokens import ThumbnailTokens

HOUR = datetime(2026, 1, 2, 3, tzinfo=UTC)
VIDEO = new_video_id()
PUBLIC = new_public_id()


def ring() -> KeyRing:
    return KeyRing(issuer="i", keys=[TokenKey.load(b"0123456789abcdef" * 2)])


@pytest.mark.parametrize("minutes", [0, 1, 30, 59, 59.99])
def test_a_token_is_good_for_24_hours(minutes: float) -> None:
    now = HOUR + timedelta(minutes=minutes)

    token = ThumbnailTokens(ring()).issue(VIDEO, PUBLIC, now)

    claims = ring().verify(token, now + timedelta(hours=24, seconds=-1))
    assert (claims.video_id, claims.public_id) == (VIDEO, PUBLIC)
    assert claims.use is TokenUse.THUMBNAIL
    with pytest.raises(UnauthorizedError):
        ring().verify(token, now + timedelta(hours=25, minutes=1))


def test_every_process_gives_the_same_token_within_an_hour() -> None:
    first, second = ThumbnailTokens(ring()), ThumbnailTokens(ring())
    late = HOUR + timedelta(minutes=59)

    tokens = {
        first.issue(VIDEO, PUBLIC, HOUR),
        first.issue(VIDEO, PUBLIC, late),
        second.issue(VIDEO, PUBLIC, late),
    }

    assert len(tokens) == 1


def test_another_hour_or_video_has_another_token() -> None:
    tokens = ThumbnailTokens(ring())
    hours = [HOUR + timedelta(hours=n) for n in range(3)]

    issued = [tokens.issue(VIDEO, PUBLIC, hour) for hour in hours]
    issued += [tokens.issue(new_video_id(), new_public_id(), HOUR) for _ in range(3)]

    assert len(set(issued)) == len(issued)


def test_more_videos_than_are_remembered_have_tokens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(thumbnail_tokens, "MAX_TOKENS", 2)
    tokens = ThumbnailTokens(ring())
    ids = [new_video_id() for _ in range(5)]

    twice = [[tokens.issue(id_, PUBLIC, HOUR) for id_ in ids] for _ in range(2)]

    assert twice[0] == twice[1]
    assert len(set(twice[0])) == len(ids)
