"""The repository of quota limits and their use; see ports.unit_of_work.Work."""

from collections.abc import Mapping
from typing import Protocol

from hvcore.domain.access.quotas import QuotaLimits, QuotaUse
from hvcore.domain.ids import JobId, OrgId


class QuotaRepository(Protocol):
    """Store the quota limits of organizations, and sum up their use."""

    def limits(self, org_id: str) -> QuotaLimits:
        """Return an organization's quota limits; no limits if it is unknown."""
        ...

    def hold(self, org_id: str) -> QuotaLimits:
        """
        Return an organization's quota limits, and lock them until the transaction ends.

        Other transactions that call this method for the organization wait. Call it
        after everything that locks grants, videos and tasks.
        """
        ...

    def hold_to_change(self, org_id: OrgId) -> QuotaLimits:
        """
        Return an organization's quota limits, locked until the transaction ends, to change them.

        Unlike ``hold``, it also locks an organization that has no limits yet.
        """
        ...

    def every_limit(self) -> Mapping[OrgId, QuotaLimits]:
        """Return the quota limits of all organizations that have some."""
        ...

    def set_limits(self, org_id: OrgId, limits: QuotaLimits) -> None:
        """Store an organization's quota limits."""
        ...

    def use(self, org_id: str, month: int) -> QuotaUse:
        """
        Return the amounts of its quotas that an organization uses now, or used in a month.

        Args:
            month: The month, as ``month_number`` counts it.
        """
        ...

    def every_use(self, month: int) -> Mapping[OrgId, QuotaUse]:
        """
        Return the quota use of all organizations that use something, by organization.

        Args:
            month: The month, as ``month_number`` counts it.
        """
        ...

    def count_heard(self, org_id: OrgId, sound_ms: int) -> None:
        """Add the length of a sound in which a machine has heard what is said to this month's."""
        ...

    def begun_captions_ms(self, org_id: OrgId, month: int) -> int:
        """
        Return the milliseconds of sound heard in a month, plus those that running caption jobs lack.

        Args:
            month: The month, as ``month_number`` counts it.
        """
        ...

    def begun_ms(self, org_id: str, month: int, *, besides: JobId) -> int:
        """
        Return the milliseconds of video encoded in a month, plus those of other running jobs.

        All jobs are those of the organization, except ``besides``.

        Both numbers are of one moment: a job that ends meanwhile counts once.

        Args:
            month: The month, as ``month_number`` counts it.
        """
        ...
