"""The repository of quotas; see ports.unit_of_work.Work."""

from collections.abc import Collection, Mapping
from typing import Protocol

from hvcore.domain.access.quotas import EncodingWeight, QuotaLimits, QuotaUse
from hvcore.domain.ids import JobId, OrgId


class QuotaRepository(Protocol):
    """The limits of organizations, and what they use."""

    def limits(self, org_id: str) -> QuotaLimits:
        """Return an organization's limits; none are set for one that is unknown."""
        ...

    def hold(self, org_id: str) -> QuotaLimits:
        """
        Return the same, and have others who hold it wait for this transaction's end.

        Call this after everything that locks grants, videos and tasks.
        """
        ...

    def hold_to_change(self, org_id: OrgId) -> QuotaLimits:
        """
        Return an organization's limits, which nobody else changes meanwhile.

        Unlike ``hold``, it also keeps away who gives an organization its first limits.
        """
        ...

    def every_limit(self) -> Mapping[OrgId, QuotaLimits]:
        """Return the limits of all organizations that have some."""
        ...

    def set_limits(self, org_id: OrgId, limits: QuotaLimits) -> None:
        """Store an organization's limits."""
        ...

    def use(self, org_id: str, month: int) -> QuotaUse:
        """Return an organization's use of its quotas, now and in a month."""
        ...

    def every_use(self, month: int) -> Mapping[OrgId, QuotaUse]:
        """Return the same for all organizations that use something."""
        ...

    def begun_ms(self, org_id: str, month: int, *, besides: JobId) -> int:
        """
        Return the time encoded in a month, and to be encoded by other running jobs.

        As of one moment: a job that ends counts once.
        """
        ...

    def encoding_weights(
        self, org_ids: Collection[str]
    ) -> Mapping[str, EncodingWeight]:
        """Return the encoding weights of organizations; one for each."""
        ...
