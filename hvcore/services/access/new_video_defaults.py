"""Read and change the defaults for new videos of an organization."""

from typing import TypedDict

import attrs

from hvcore.domain.ids import OrgId
from hvcore.domain.processing.encoding import Preset
from hvcore.domain.videos.new_video_defaults import NewVideoDefaults
from hvcore.errors import NotFoundError
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.audit import record
from hvcore.services.conditions import Condition, require_condition


class DefaultChanges(TypedDict, total=False):
    """The defaults to change; those that are left out stay."""

    is_public: bool
    preset: Preset
    domains: tuple[str, ...]


@attrs.frozen(kw_only=True)
class NewVideoDefaultsOfOrganizations:
    """
    Read and change the defaults with which the dashboard's forms for new videos begin.

    The API does not heed them.
    """

    uow: UnitOfWork

    def of(self, org_id: str) -> NewVideoDefaults:
        """Return the defaults of an organization; those of the service if it has none."""
        with self.uow.read() as work:
            return work.new_video_defaults.find(org_id)

    def change(
        self,
        org_id: str,
        changes: DefaultChanges,
        *,
        only_if: Condition[NewVideoDefaults] | None = None,
    ) -> NewVideoDefaults:
        """
        Change defaults of an organization; return all of them.

        Args:
            only_if: A condition on the present defaults, checked in the transaction of the change.

        Raises:
            NotFoundError: There is no such organization.
            PreconditionFailedError: The defaults do not meet ``only_if``; nothing is changed.
        """
        with self.uow.write() as work:
            if work.tenants.organization(org_id) is None:
                raise NotFoundError
            found = OrgId(org_id)
            before = work.new_video_defaults.hold_to_change(found)
            require_condition(only_if, before)
            defaults = attrs.evolve(before, **changes)
            work.new_video_defaults.save(found, defaults)
            record(
                work,
                "organization.defaults",
                org_id,
                org_id=found,
                isPublic=defaults.is_public,
                videoQuality=defaults.preset.value,
                domains=list(defaults.domains),
            )
            work.commit()
        return defaults
