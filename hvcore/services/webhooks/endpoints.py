"""Manage webhook endpoints: add, list, remove and disable them, and rotate their secrets."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain import ids
from hvcore.domain.ids import OrgId, WebhookId
from hvcore.domain.webhooks.endpoints import (
    MAX_ENDPOINTS,
    MAX_URL_CHARS,
    EndpointState,
    WebhookEndpoint,
    new_secret,
)
from hvcore.domain.webhooks.events import EventKind
from hvcore.errors import InvalidParametersError, NotFoundError, UnavailableError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.safe_http import OutboundHttp, TargetRefusedError
from hvcore.services.access import audit
from hvcore.services.access.tenants import Tenants
from hvcore.services.conditions import Condition, require_condition
from hvcore.services.webhooks.backlog import end_backlog, end_leftovers

SWEPT_EVERY_S: Final = 30
_BACKLOG: Final = (
    "Many deliveries from before the endpoint was disabled are still being cancelled; "
    "enable it again in a minute."
)


class AddressRefusedError(InvalidParametersError):
    """
    The address of a webhook endpoint is one to which the service sends no requests.

    Args:
        allowed_as: The entry of ``fetch.allowed_hosts`` that would allow the address; None
            if no setting allows it.
    """

    def __init__(self, detail: str, *, allowed_as: str | None = None) -> None:
        super().__init__(detail)
        self.allowed_as = allowed_as


@attrs.frozen(kw_only=True)
class WebhookWithSecret:
    """A webhook endpoint with its newest secret, which is given only this once."""

    endpoint: WebhookEndpoint
    secret: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class Webhooks:
    """Add, list, change and remove the webhook endpoints of environments."""

    uow: UnitOfWork
    tenants: Tenants
    outbound: OutboundHttp
    clock: Clock

    def add(
        self, org_id: str, env: str, url: str, kinds: frozenset[EventKind]
    ) -> WebhookWithSecret:
        """
        Add a webhook endpoint to an environment; return it with its secret.

        Raises:
            NotFoundError: There is no such organization.
            EnvironmentNotFoundError: The organization has no such environment.
            AddressRefusedError: The service sends no requests to this address.
            InvalidParametersError: The address is too long, or the environment has as many
                endpoints as it may have.
        """
        self.tenants.environments(org_id)
        environment = self.tenants.environment(org_id, env)
        self._check(environment.org_id, url)
        secret = new_secret()
        endpoint = WebhookEndpoint(
            id=ids.new_webhook_id(),
            org_id=environment.org_id,
            env_id=environment.id,
            url=url,
            kinds=kinds,
            secrets=(secret,),
            created_at=self.clock.now(),
        )
        with self.uow.write() as work:
            # Two calls at once would both find room for one more.
            work.tenants.lock_environments(environment.org_id)
            others = work.webhooks.count(environment.org_id, environment.id)
            if others >= MAX_ENDPOINTS:
                raise InvalidParametersError(
                    f"The environment {environment.name} has {MAX_ENDPOINTS} webhook "
                    f"endpoints, the most it may have; remove one first."
                )
            work.webhooks.add(endpoint)
            events = sorted(kind.value for kind in kinds)
            record_change(work, "webhook.add", endpoint, events=events)
            work.commit()
        return WebhookWithSecret(endpoint=endpoint, secret=secret.value)

    def of_organization(self, org_id: str | None) -> Sequence[WebhookEndpoint]:
        """Return an organization's webhook endpoints, oldest first; None returns all endpoints."""
        with self.uow.read() as work:
            return work.webhooks.of_organization(OrgId(org_id) if org_id else None)

    def remove(self, webhook_id: str) -> None:
        """
        Remove a webhook endpoint; its pending deliveries are never sent.

        Raises:
            NotFoundError: There is no such endpoint.
        """
        with self.uow.write() as work:
            endpoint = find_endpoint(work, webhook_id)
            work.webhooks.remove(endpoint.id)
            record_change(work, "webhook.remove", endpoint)
            work.commit()
        end_backlog(self.uow, endpoint.id)

    def end_leftovers(self) -> int:
        """
        Cancel deliveries that still wait for endpoints that were disabled or removed.

        Returns:
            The number of deliveries.
        """
        return end_leftovers(self.uow)

    def rotate_secret(
        self,
        webhook_id: str,
        *,
        overlap: timedelta,
        only_if: Condition[WebhookEndpoint] | None = None,
    ) -> WebhookWithSecret:
        """
        Make a new secret for a webhook endpoint; the old one also signs until the overlap ends.

        Args:
            only_if: A condition on the endpoint, checked in the transaction of the change.

        Raises:
            NotFoundError: There is no such endpoint.
            PreconditionFailedError: The endpoint does not meet ``only_if``; nothing is changed.
        """
        secret = new_secret()
        with self.uow.write() as work:
            old = find_endpoint(work, webhook_id)
            require_condition(only_if, old)
            # Behind the lock: of two rotations, the later one ends the later secret.
            now = self.clock.now()
            endpoint = old.rotated(secret, now=now, overlap=overlap)
            work.webhooks.save(endpoint)
            record_change(work, "webhook.rotate", endpoint, old_ends_at=now + overlap)
            work.commit()
        return WebhookWithSecret(endpoint=endpoint, secret=secret.value)

    def enable(self, webhook_id: str) -> WebhookEndpoint:
        """
        Enable a webhook endpoint; events that it missed meanwhile are not sent.

        Raises:
            NotFoundError: There is no such endpoint.
            UnavailableError: So many deliveries from before it was disabled wait that they
                could not be cancelled at once; the sweep cancels them.
        """
        if not end_backlog(self.uow, WebhookId(webhook_id)):
            raise UnavailableError(_BACKLOG, retry_after_s=SWEPT_EVERY_S)
        with self.uow.write() as work:
            old = find_endpoint(work, webhook_id)
            endpoint = attrs.evolve(old, state=EndpointState.ACTIVE)
            work.webhooks.save(endpoint)
            record_change(work, "webhook.enable", endpoint)
            work.commit()
        return endpoint

    def disable(self, webhook_id: str) -> WebhookEndpoint:
        """
        Disable a webhook endpoint; its pending deliveries are never sent.

        The sweep cancels those of them that cannot be cancelled within two seconds.

        Raises:
            NotFoundError: There is no such endpoint.
        """
        with self.uow.write() as work:
            old = find_endpoint(work, webhook_id)
            endpoint = attrs.evolve(old, state=EndpointState.DISABLED)
            work.webhooks.save(endpoint)
            record_change(work, "webhook.disable", endpoint)
            work.commit()
        end_backlog(self.uow, endpoint.id)
        return endpoint

    def find(self, org_id: str, webhook_id: str) -> WebhookEndpoint:
        """
        Return a webhook endpoint of an organization.

        Raises:
            NotFoundError: The organization has no such endpoint.
        """
        with self.uow.read() as work:
            found = work.webhooks.find(webhook_id)
        if found is None or found.org_id != org_id:
            raise NotFoundError("The organization has no such webhook endpoint.")
        return found

    def _check(self, org_id: OrgId, url: str) -> None:
        if len(url) > MAX_URL_CHARS:
            raise InvalidParametersError(
                f"The address has more than {MAX_URL_CHARS} characters."
            )
        try:
            self.outbound.check(url, client=org_id)
        except TargetRefusedError as exc:
            raise AddressRefusedError(exc.reason, allowed_as=exc.allowed_as) from exc


def record_change(
    work: Work, action: str, endpoint: WebhookEndpoint, **details: object
) -> None:
    """
    Record an operation on a webhook endpoint in the audit log.

    Args:
        action: The kind of operation, such as ``webhook.rotate``.
        details: Facts about the operation: plain JSON data and moments; never a secret.
    """
    # Not the URL, which may hold secrets.
    audit.record(work, action, endpoint.id, org_id=endpoint.org_id, **details)


def find_endpoint(work: Work, webhook_id: str) -> WebhookEndpoint:
    """
    Return a webhook endpoint, locked until the end of the transaction.

    Raises:
        NotFoundError: There is no such endpoint.
    """
    endpoint = work.webhooks.find(webhook_id, for_update=True)
    if endpoint is None:
        raise no_endpoint(webhook_id)
    return endpoint


def no_endpoint(webhook_id: str) -> NotFoundError:
    """Return the error for a webhook endpoint that does not exist."""
    return NotFoundError(
        f"There is no webhook endpoint {webhook_id}; hv webhooks list shows what "
        f"there is."
    )
