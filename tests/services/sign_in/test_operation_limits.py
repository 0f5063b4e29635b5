"""
What people do on pages under the limits of their organization.

Source: interface, "Limits".
"""

from pathlib import Path

import pytest

from hvcore import metrics
from hvcore.domain.access.rate_limits import Bucket
from hvcore.errors import RateLimitExceededError, UnavailableError
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.services.access.rate_limits import RateLimits
from hvcore.services.sign_in.operation_limits import OperationLimits
from tests.metrics.readings import Growth
from tests.services.sign_in.conftest import ORG, OTHER_ORG, House, make_house

FEW = {
    "HV_LIMITS__UPLOAD_URL_PER_HOUR": "2",
    "HV_LIMITS__VIDEO_OPERATIONS_PER_HOUR": "3",
    "HV_LIMITS__THUMBNAILS_PER_HOUR": "2",
}


def count(house: House, bucket: Bucket, times: int = 1, org_id: str = ORG) -> None:
    for _ in range(times):
        house.services.operation_limits.count(org_id, bucket)


@pytest.mark.parametrize(
    ("bucket", "limit", "said"),
    [
        (Bucket.UPLOAD_URL, 2, "begin 2 uploads an hour"),
        (Bucket.VIDEO_OPERATIONS, 3, "videos 3 times an hour"),
        (Bucket.THUMBNAILS, 2, "choose 2 pictures an hour"),
    ],
)
def test_one_too_many_is_told_with_the_time_to_wait(
    tmp_path: Path, bucket: Bucket, limit: int, said: str
) -> None:
    with make_house(tmp_path, FEW) as house:
        count(house, bucket, limit)
        house.clock.move(minutes=18)

        with pytest.raises(RateLimitExceededError, match=said) as raised:
            count(house, bucket)
        count(house, bucket, org_id=OTHER_ORG)

        assert raised.value.headers == {"Retry-After": "2520"}
        assert raised.value.detail.endswith("Try again in 42 minutes.")
        house.clock.move(minutes=41)
        with pytest.raises(RateLimitExceededError, match="Try again in 1 minute"):
            count(house, bucket)
        house.clock.move(minutes=1)
        count(house, bucket)


def test_operations_at_once_are_all_counted_or_none(tmp_path: Path) -> None:
    with make_house(tmp_path, FEW) as house:
        limits, bucket = house.services.operation_limits, Bucket.VIDEO_OPERATIONS
        count(house, bucket)
        house.clock.move(minutes=18)

        with pytest.raises(RateLimitExceededError, match="3 times an hour, and 3 more"):
            limits.count(ORG, bucket, times=3)
        with pytest.raises(RateLimitExceededError, match="and never 4 at once"):
            limits.count(ORG, bucket, times=4)
        both = limits.count(ORG, bucket, times=2)

        assert both is not None
        assert (both.rule.limit.requests, both.remaining) == (3, 0)
        with pytest.raises(RateLimitExceededError, match="Try again in 42 minutes"):
            count(house, bucket)


def test_refused_operations_are_measured_by_their_limit(tmp_path: Path) -> None:
    metrics.switch_on()
    name = "hv_rate_limited_total"
    refused = Growth({name: {"limit": Bucket.UPLOAD_URL.value}})
    with make_house(tmp_path, FEW) as house:
        count(house, Bucket.UPLOAD_URL, 2)
        assert refused.of_all() == {name: 0.0}

        with pytest.raises(RateLimitExceededError, match="begin 2 uploads"):
            count(house, Bucket.UPLOAD_URL)

    assert refused.of_all() == {name: 1.0}


def test_pages_and_programs_have_one_allowance(tmp_path: Path) -> None:
    with make_house(tmp_path, FEW) as house:
        limits = house.services.rate_limits
        assert limits is not None
        for _ in range(2):
            limits.count(org_id=ORG, key_id="key", bucket=Bucket.VIDEO_OPERATIONS)

        count(house, Bucket.VIDEO_OPERATIONS)

        with pytest.raises(RateLimitExceededError, match="videos 3 times"):
            count(house, Bucket.VIDEO_OPERATIONS)
        counted = limits.count(org_id=ORG, key_id="key", bucket=Bucket.VIDEO_OPERATIONS)
        assert counted is not None
        assert counted.retry_after_s is not None


def test_a_picture_is_an_operation_of_a_video_and_no_request(tmp_path: Path) -> None:
    with make_house(tmp_path, {**FEW, "HV_LIMITS__API_PER_HOUR": "1"}) as house:
        count(house, Bucket.THUMBNAILS, 2)
        count(house, Bucket.VIDEO_OPERATIONS)

        with pytest.raises(RateLimitExceededError, match="videos 3 times"):
            count(house, Bucket.VIDEO_OPERATIONS)


def test_without_limits_nothing_is_counted(tmp_path: Path) -> None:
    with make_house(tmp_path, {**FEW, "HV_LIMITS__ENABLED": "false"}) as house:
        count(house, Bucket.THUMBNAILS, 5)


class BrokenStore(RateLimitStore):
    """
    Does not answer.
    """

    def hit(self, rules: object) -> object:  # type: ignore[override]  # it answers nothing
        raise UnavailableError("down")


def test_while_the_store_is_down_only_uploads_are_refused(house: House) -> None:
    limits = OperationLimits(
        limits=RateLimits(
            store=BrokenStore(),
            settings=house.services.settings.limits,
            clock=house.clock,
        )
    )

    for times in (1, 2):
        assert limits.count(ORG, Bucket.VIDEO_OPERATIONS, times=times) is None

    with pytest.raises(UnavailableError, match="cannot be granted"):
        limits.count(ORG, Bucket.UPLOAD_URL)
