"""The repository of defaults for new videos; see ports.unit_of_work.Work."""

from typing import Protocol

from hvcore.domain.ids import OrgId
from hvcore.domain.videos.new_video_defaults import NewVideoDefaults


class NewVideoDefaultsRepository(Protocol):
    """Store the defaults for new videos of organizations."""

    def find(self, org_id: str) -> NewVideoDefaults:
        """Return an organization's defaults; those of the service if none were stored."""
        ...

    def hold_to_change(self, org_id: OrgId) -> NewVideoDefaults:
        """Return an organization's defaults, locked until the transaction ends."""
        ...

    def save(self, org_id: OrgId, defaults: NewVideoDefaults) -> None:
        """Store an organization's defaults, after ``hold_to_change``."""
        ...
