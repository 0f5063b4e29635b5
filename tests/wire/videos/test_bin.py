"""
Pages of the videos that can be restored.
"""

from datetime import UTC, datetime

import attrs
import pytest

from hvcore.domain.ids import PublicId, VideoId
from hvcore.domain.videos.deletion import BinnedVideo, BinPage, DeletionReason
from hvcore.domain.videos.states import VideoState
from hvcore.wire.videos.bin import deleted_item, deleted_list

VIDEO = BinnedVideo(
    id=VideoId("vid_1"),
    public_id=PublicId("pubvid_1"),
    name="a.mp4",
    state=VideoState.READY,
    is_public=True,
    duration_s=61.23456,
    created_at=datetime(2026, 11, 1, tzinfo=UTC),
    deleted_at=datetime(2026, 11, 2, tzinfo=UTC),
    reason=None,
    restorable_until=datetime(2026, 11, 3, tzinfo=UTC),
)


@pytest.mark.parametrize(
    ("total", "page", "pages", "neighbours"),
    [
        (0, 1, 0, (False, False)),
        (0, 2, 0, (False, False)),
        (10, 1, 1, (False, False)),
        (11, 1, 2, (True, False)),
        (11, 2, 2, (False, True)),
        (30, 2, 3, (True, True)),
        (1, 9, 1, (False, True)),
    ],
)
def test_a_page_knows_its_neighbours(
    total: int, page: int, pages: int, neighbours: tuple[bool, bool]
) -> None:
    found = deleted_list(BinPage(videos=(), total=total), page=page, page_size=10)

    assert found["pagination"] == {
        "total": total,
        "page": page,
        "pageSize": 10,
        "totalPages": pages,
        "hasNext": neighbours[0],
        "hasPrevious": neighbours[1],
    }


def test_a_reason_is_told_if_there_is_one() -> None:
    reason = next(iter(DeletionReason))

    assert "reason" not in deleted_item(VIDEO)
    assert deleted_item(attrs.evolve(VIDEO, reason=reason))["reason"] == reason.value
    assert deleted_item(VIDEO)["durationSeconds"] == 61.235
