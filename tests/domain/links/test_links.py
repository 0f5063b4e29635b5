"""
Edge keys and share links: the rules alone.
"""

from datetime import timedelta
from typing import Any

from hvcore.domain.ids import EdgeKeyId, EnvId, OrgId, ShareLinkId
from hvcore.domain.links.links import EdgeKey, ShareLink
from tests.support.media_samples import MOMENT, VIDEO

HOUR = timedelta(hours=1)
OWNER: dict[str, Any] = {
    "org_id": OrgId("org_a"),
    "env_id": EnvId("dev"),
    "video_id": VIDEO,
    "created_at": MOMENT,
}


def edge_key(**changes: Any) -> EdgeKey:  # noqa: ANN401 - fields
    return EdgeKey(id=EdgeKeyId("ek_1"), domains=(), **OWNER, **changes)


def share(**changes: Any) -> ShareLink:  # noqa: ANN401 - fields
    wanted = {"expires_at": MOMENT + HOUR, **changes}
    return ShareLink(id=ShareLinkId("shr_1"), **OWNER, **wanted)


def test_an_edge_key_lasts_until_it_expires_or_is_revoked() -> None:
    later = MOMENT + HOUR

    assert edge_key().is_valid_at(later)
    assert edge_key(expires_at=later).is_valid_at(MOMENT)
    assert not edge_key(expires_at=later).is_valid_at(later)
    assert not edge_key(revoked_at=MOMENT).is_valid_at(MOMENT)


def test_a_share_link_lasts_until_it_expires_or_is_revoked() -> None:
    assert share().is_valid_at(MOMENT)
    assert not share().is_valid_at(MOMENT + HOUR)
    assert not share(revoked_at=MOMENT).is_valid_at(MOMENT)


def test_views_are_left_until_the_last_one_is_used() -> None:
    assert share(max_views=2, views=1).has_views_left
    assert not share(max_views=2, views=2).has_views_left
    assert share(views=10**9).has_views_left


def test_an_address_is_in_no_log() -> None:
    assert "ann" not in repr(share(viewer_email="ann@example.com"))
