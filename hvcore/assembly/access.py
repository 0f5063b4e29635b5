"""Make the services that authenticate callers and say what each may do: keys, quotas, limits, audit."""

from functools import cached_property

from hvcore.assembly.backends import Backends
from hvcore.persistence.access.environments import SqlEnvironmentDirectory
from hvcore.services.access.audit import Audit
from hvcore.services.access.callers import Access
from hvcore.services.access.idempotency import Idempotency
from hvcore.services.access.keys import Keys
from hvcore.services.access.new_video_defaults import NewVideoDefaultsOfOrganizations
from hvcore.services.access.quotas import Quotas
from hvcore.services.access.rate_limits import RateLimits
from hvcore.services.access.tenants import Tenants


class AccessWiring(Backends):
    """The services for callers and their keys, a part of Services; each is made when it is first read."""

    @cached_property
    def access(self) -> Access:
        return Access(
            uow=self.uow,
            directory=SqlEnvironmentDirectory(self.engine),
            providers=self._providers,
        )

    @cached_property
    def tenants(self) -> Tenants:
        return Tenants(uow=self.uow, clock=self.clock)

    @cached_property
    def quotas(self) -> Quotas:
        """The service for the quotas of organizations, and how much of them is used."""
        return Quotas(uow=self.uow)

    @cached_property
    def new_video_defaults(self) -> NewVideoDefaultsOfOrganizations:
        """The service for the defaults with which the dashboard's forms for new videos begin."""
        return NewVideoDefaultsOfOrganizations(uow=self.uow)

    @cached_property
    def keys(self) -> Keys:
        return Keys(uow=self.uow, tenants=self.tenants, clock=self.clock)

    @cached_property
    def audit(self) -> Audit:
        """The service for the audit log of operators' actions."""
        return Audit(uow=self.uow)

    @cached_property
    def rate_limits(self) -> RateLimits | None:
        """The service that counts requests and limits their rate; None if limits are switched off."""
        limits = self.settings.limits
        if not limits.enabled:
            return None
        return RateLimits(
            store=self.rate_limit_store, settings=limits, clock=self.clock
        )

    @cached_property
    def idempotency(self) -> Idempotency:
        """The service that answers repeated requests as the first one (idempotency keys)."""
        return Idempotency(uow=self.uow)
