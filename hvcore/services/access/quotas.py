"""
Set the quotas of organizations, and refuse requests that would exceed them.

Accepted work is finished: a video that is being made is published, and playback goes
on, however much its owner stores or encodes.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import attrs

from hvcore.domain.access.quotas import (
    MAX_LIMIT,
    MAX_WEIGHT,
    MIN_WEIGHT,
    NO_LIMITS,
    Quota,
    QuotaLimits,
    QuotaUse,
    minutes_left_ms,
    month_number,
    next_month,
)
from hvcore.domain.access.tenants import Organization
from hvcore.domain.ids import JobId, OrgId
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.errors import (
    InvalidParametersError,
    NotFoundError,
    QuotaExceededError,
)
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record
from hvcore.services.conditions import Condition, require_condition

ENCODES_RETRY_AFTER_S: Final = 15
"""Seconds after which another video may be ready and an encode free."""
IN_THE_BODY: Final = 507
"""The status of an error about the body that a request sends, not the request itself."""
_USED_UP: Final = {
    Quota.CONCURRENT_ENCODES: "{used} of {limit} videos are being processed; try again "
    "when one is ready",
    Quota.ENCODED_MINUTES: "{used} of {limit} minutes of video were processed in this "
    "month; wait for the next one",
    Quota.STORED_BYTES: "{used} of {limit} bytes are stored, and {more} would be added; "
    "delete videos",
    Quota.DELIVERED_BYTES: "{used} of {limit} bytes were delivered in this month; wait "
    "for the next one",
    Quota.CAPTION_MINUTES: "{used} of {limit} minutes of sound were heard in this month; "
    "wait for the next one",
}


@attrs.frozen(kw_only=True)
class OrganizationQuotas:
    """An organization with its quota limits and its present use."""

    organization: Organization
    limits: QuotaLimits
    use: QuotaUse


@attrs.frozen(kw_only=True)
class Quotas:
    """Set and show the quota limits of organizations."""

    uow: UnitOfWork

    def change(
        self,
        org_id: str,
        changes: Mapping[str, int | float | None],
        *,
        only_if: Condition[QuotaLimits] | None = None,
    ) -> OrganizationQuotas:
        """
        Change quota limits of an organization; None removes a limit.

        Args:
            changes: The new limits, by the names of QuotaLimits' attributes.
            only_if: A condition on the present limits, checked in the transaction of the change.

        Raises:
            NotFoundError: There is no such organization.
            InvalidParametersError: A limit is outside the range of valid limits.
            PreconditionFailedError: The limits do not meet ``only_if``; nothing is changed.
        """
        with self.uow.write() as work:
            organization = _organization(work, org_id)
            before = work.quotas.hold_to_change(organization.id)
            require_condition(only_if, before)
            limits = attrs.evolve(before, **changes)  # type: ignore[arg-type]  # checked next
            _check(limits)
            work.quotas.set_limits(organization.id, limits)
            record(
                work,
                "organization.set",
                organization.id,
                org_id=organization.id,
                **changes,
            )
            use = work.quotas.use(org_id, month_number(work.now()))
            work.commit()
        return OrganizationQuotas(organization=organization, limits=limits, use=use)

    def of_all(self) -> Sequence[OrganizationQuotas]:
        """Return the quota limits and use of every organization, oldest organization first."""
        with self.uow.read() as work:
            limits = work.quotas.every_limit()
            use = work.quotas.every_use(month_number(work.now()))
            return [
                OrganizationQuotas(
                    organization=one,
                    limits=limits.get(one.id, NO_LIMITS),
                    use=use.get(one.id, QuotaUse()),
                )
                for one in work.tenants.organizations()
            ]

    def of_one(self, org_id: str) -> OrganizationQuotas:
        """
        Return an organization with its quota limits and its use, even if it has no limits.

        Raises:
            NotFoundError: There is no such organization.
        """
        with self.uow.read() as work:
            return OrganizationQuotas(
                organization=_organization(work, org_id),
                limits=work.quotas.limits(org_id),
                use=work.quotas.use(org_id, month_number(work.now())),
            )

    def of(self, org_id: OrgId) -> tuple[QuotaLimits, QuotaUse]:
        """Return an organization's quota limits and its use; zero use if it has no limits."""
        with self.uow.read() as work:
            limits = work.quotas.limits(org_id)
            if limits == NO_LIMITS:
                return limits, QuotaUse()
            return limits, work.quotas.use(org_id, month_number(work.now()))


def require_storage(
    work: Work,
    org_id: str,
    more_bytes: int,
    *,
    reserved_bytes: int = 0,
    status: int | None = None,
) -> None:
    """
    Refuse a change that would exceed an organization's storage quota.

    Exact if it is the last step of a transaction: of several changes at once, each sees the
    bytes that the one before has stored.

    Args:
        more_bytes: The number of bytes to store, as far as it is known; 0 means that some will follow.
        reserved_bytes: The part of the stored bytes that was reserved for this change.
        status: The HTTP status of the error, instead of 429.

    Raises:
        QuotaExceededError: The change would exceed the quota.
    """
    limit = work.quotas.hold(org_id).stored_bytes
    if limit is None:
        return
    used = work.quotas.use(org_id, month_number(work.now())).stored_bytes
    used -= reserved_bytes
    if used + max(1, more_bytes) > limit:
        raise _exceeded(Quota.STORED_BYTES, used, limit, more=more_bytes, status=status)


def require_minutes(work: Work, org_id: str, *, status: int | None = None) -> None:
    """
    Refuse another source once an organization has used its encoding minutes of the month.

    Args:
        status: The HTTP status of the refusal; None for that of QuotaExceededError.

    Raises:
        QuotaExceededError: No minutes are left.
    """
    limits = work.quotas.limits(org_id)
    if limits.encoded_minutes_per_month is None:
        return
    now = work.now()
    use = work.quotas.use(org_id, month_number(now))
    if minutes_left_ms(limits.encoded_minutes_per_month, use.encoded_ms) <= 0:
        quota = Quota.ENCODED_MINUTES
        raise _exceeded(quota, use.of(quota), limits.of(quota), now=now, status=status)


def require_encode(work: Work, org_id: str) -> None:
    """
    Refuse to begin another video if the organization has no encode, minute or room left.

    Exact if it is the last step of a transaction.

    Raises:
        QuotaExceededError: Too many videos are being encoded, or a quota is used up.
    """
    limit = work.quotas.hold(org_id).concurrent_encodes
    require_minutes(work, org_id)
    require_storage(work, org_id, 0)
    if limit is None:
        return
    used = work.quotas.use(org_id, month_number(work.now())).concurrent_encodes
    if used + 1 > limit:
        raise _exceeded(Quota.CONCURRENT_ENCODES, used, limit)


def require_planned(work: Work, org_id: str, job_id: JobId) -> None:
    """
    Refuse a job if the other planned jobs use up the organization's minutes of the month.

    Of jobs that are planned at once, each sees those before it: at most one goes over.

    Raises:
        UnusableSourceError: No minutes are left; the video's owner reads why.
    """
    most = work.quotas.hold(org_id).encoded_minutes_per_month
    if most is None:
        return
    month = month_number(work.now())
    begun_ms = work.quotas.begun_ms(org_id, month, besides=job_id)
    if minutes_left_ms(most, begun_ms) <= 0:
        raise UnusableSourceError(
            f"The organization's {most} minutes of video "
            "for this month are used up; try it again when the next month has begun."
        )


def require_caption_minutes(work: Work, org_id: str) -> None:
    """
    Refuse to order captions by machine once an organization has used its minutes of the month.

    Raises:
        QuotaExceededError: No minutes are left.
    """
    limits = work.quotas.limits(org_id)
    if limits.caption_minutes_per_month is None:
        return
    now, quota = work.now(), Quota.CAPTION_MINUTES
    use = work.quotas.use(org_id, month_number(now))
    if minutes_left_ms(limits.caption_minutes_per_month, use.caption_ms) <= 0:
        raise _exceeded(quota, use.of(quota), limits.of(quota), now=now)


def captions_refusal(work: Work, org_id: OrgId) -> str:
    """
    Return the reason why a caption job may not begin, in a sentence for the video's owner.

    Of jobs that begin at once, each sees those before it: at most one goes over the
    organization's minutes of the month.

    Returns:
        "" if the job may begin.
    """
    most = work.quotas.hold(org_id).caption_minutes_per_month
    if most is None:
        return ""
    begun_ms = work.quotas.begun_captions_ms(org_id, month_number(work.now()))
    if minutes_left_ms(most, begun_ms) > 0:
        return ""
    return (
        f"The organization's {most} minutes of captions by machine for this month are "
        "used, or needed by captions that are being made; order them when the next "
        "month has begun."
    )


def delivery_exceeded(now: datetime) -> QuotaExceededError:
    """Return the error for viewers of an owner who has used up the monthly delivery quota."""
    return QuotaExceededError(
        "The owner of this video has delivered as much as is allowed in this month.",
        headers=_until_next_month(now),
        rule=PlaybackRule.DELIVERY_QUOTA,
    )


def _organization(work: Work, org_id: str) -> Organization:
    found = work.tenants.organization(org_id)
    if found is None:
        raise NotFoundError(
            f"There is no organization {org_id}; hv orgs list shows what there is."
        )
    return found


def _exceeded(  # noqa: PLR0913 - what the answer tells
    quota: Quota,
    used: float,
    limit: float | None,
    *,
    more: int = 0,
    now: datetime | None = None,
    status: int | None = None,
) -> QuotaExceededError:
    headers = {}
    if quota is Quota.CONCURRENT_ENCODES:
        headers = {"Retry-After": str(ENCODES_RETRY_AFTER_S)}
    elif now is not None:
        headers = _until_next_month(now)
    explained = _USED_UP[quota].format(used=used, limit=limit, more=more or "more")
    return QuotaExceededError(
        f"The quota {quota.value} of this organization is used up: {explained}.",
        status=status,
        headers=headers,
    )


def _until_next_month(now: datetime) -> dict[str, str]:
    left_s = math.ceil((next_month(now) - now).total_seconds())
    return {"Retry-After": str(max(1, left_s))}


def _check(limits: QuotaLimits) -> None:
    for quota in Quota:
        least = 1 if quota is Quota.CONCURRENT_ENCODES else 0
        limit = limits.of(quota)
        if limit is not None and not least <= limit <= MAX_LIMIT:
            raise InvalidParametersError(
                f"{quota.value} must be from {least} to {MAX_LIMIT}, not {limit}."
            )
    if not MIN_WEIGHT <= limits.weight <= MAX_WEIGHT:
        raise InvalidParametersError(
            f"The weight must be from {MIN_WEIGHT:g} to {MAX_WEIGHT:g}, not "
            f"{limits.weight:g}."
        )
