"""
Count operations from dashboard pages under the rate limits of their organization.

Source: the interface document, "Limits". The windows are those of the API: an
organization has no second allowance for its pages.
"""

import math
from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.domain.access.rate_limits import Bucket, RateLimitState
from hvcore.domain.access.roles import RoleRight
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore.errors import ForbiddenError, NotFoundError, RateLimitExceededError
from hvcore.metrics.declared import RATE_LIMITED
from hvcore.services.access.rate_limits import MINUTE_S, RateLimits

_DONE: Final[Mapping[Bucket, str]] = {
    Bucket.KEY_OPERATIONS: "make, rotate and revoke {} keys an hour",
    Bucket.THUMBNAILS: "choose {} pictures an hour",
    Bucket.UPLOAD_URL: "begin {} uploads an hour",
    Bucket.VIDEO_OPERATIONS: "process, delete, share and sign videos {} times an hour",
}
"""What an organization may do so often, by bucket."""


@attrs.frozen(kw_only=True)
class OperationLimits:
    """
    Count operations that people make on dashboard pages; thread-safe.

    Attributes:
        limits: The rate limits of the API; None if nothing is limited.
    """

    limits: RateLimits | None

    def count(
        self, org_id: str, bucket: Bucket, *, times: int = 1
    ) -> RateLimitState | None:
        """
        Count an operation of an organization, or several at once; refuse all of them or none.

        Args:
            bucket: The rate limit bucket of the operation.
            times: The number of operations, at least 1.

        Returns:
            The limit and the number of operations that remain; None if nothing was
            counted.

        Raises:
            RateLimitExceededError: The limit has no room for all of the operations; none
                is counted.
            UnavailableError: The operation must be counted and cannot be.
        """
        if self.limits is None:
            return None
        counted = self.limits.count_operation(org_id=org_id, bucket=bucket, times=times)
        if counted is None:
            return None
        if counted.retry_after_s is None:
            return counted.shown
        limit = counted.shown.rule.limit
        done = _DONE[limit.bucket].format(f"{limit.requests:,}")
        so_far = "has done so" if times == 1 else f"{times} more would be too many now"
        if times > limit.requests:
            so_far = f"never {times} at once"
        minutes = math.ceil(counted.retry_after_s / MINUTE_S)
        when = "1 minute" if minutes == 1 else f"{minutes} minutes"
        RATE_LIMITED.add(bucket.value)
        raise RateLimitExceededError(
            f"This organization may {done}, and {so_far}. Try again in {when}.",
            headers={"Retry-After": str(counted.retry_after_s)},
        )

    def begin_key_change(self, person: SignedInPerson, org_id: str) -> None:
        """
        Check that a person may change an organization's keys, and count the change.

        Raises:
            NotFoundError: The person has no role in the organization.
            ForbiddenError: The role has no right to keys.
            RateLimitExceededError: The organization has used up its key operations of
                this hour.
            UnavailableError: The operation must be counted and cannot be.
        """
        role = person.role_in(org_id)
        if role is None:
            raise NotFoundError
        if RoleRight.KEYS not in role.rights:
            raise ForbiddenError("Only an admin of the organization may change keys.")
        self.count(org_id, Bucket.KEY_OPERATIONS)
