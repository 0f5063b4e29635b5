"""
Webhook endpoints: add, list, remove, rotate their secrets, deliver again.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import attrs

from hvcore.clock import Clock
from hvcore.domain import ids
from hvcore.domain.ids import DeliveryId, OrgId
from hvcore.domain.webhooks.endpoints import (
    MAX_ENDPOINTS,
    MAX_URL_CHARS,
    EndpointState,
    WebhookDelivery,
    WebhookDeliveryState,
    WebhookEndpoint,
    new_secret,
)
from hvcore.domain.webhooks.events import EVENTS_KEPT_FOR, EventKind, StoredEvent
from hvcore.errors import InvalidParametersError, NotFoundError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.safe_http import OutboundHttp, TargetRefusedError
from hvcore.services.access import audit
from hvcore.services.access.tenants import Tenants
from hvcore.services.webhooks.backlog import end_backlog, end_leftovers


class AddressRefusedError(InvalidParametersError):
    """
    The address is one that is not reached.

    Args:
        allowed_as: What ``fetch.allowed_hosts`` would have to list for it; None
            if no setting allows it.
    """

    def __init__(self, detail: str, *, allowed_as: str | None = None) -> None:
        super().__init__(detail)
        self.allowed_as = allowed_as


@attrs.frozen(kw_only=True)
class WebhookWithSecret:
    """
    An endpoint, and its newest secret for the only time.
    """

    endpoint: WebhookEndpoint
    secret: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class Webhooks:
    """
    Manage the webhook endpoints of environments.
    """

    uow: UnitOfWork
    tenants: Tenants
    outbound: OutboundHttp
    clock: Clock

    def add(
        self, org_id: str, env: str, url: str, kinds: frozenset[EventKind]
    ) -> WebhookWithSecret:
        """
        Add an endpoint.

        Raises:
            NotFoundError: There is no such organization.
            EnvironmentNotFoundError: It has no such environment.
            AddressRefusedError: The address is one that is not reached.
            InvalidParametersError: It is too long, or the environment has
                endpoints enough.
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
            others = work.webhooks.of_environment(environment.org_id, environment.id)
            if len(others) >= MAX_ENDPOINTS:
                raise InvalidParametersError(
                    f"The environment {environment.name} has {MAX_ENDPOINTS} webhook "
                    f"endpoints, the most it may have; remove one first."
                )
            work.webhooks.add(endpoint)
            events = sorted(kind.value for kind in kinds)
            _record(work, "webhook.add", endpoint, events=events)
            work.commit()
        return WebhookWithSecret(endpoint=endpoint, secret=secret.value)

    def of_organization(self, org_id: str | None) -> Sequence[WebhookEndpoint]:
        """
        Return an organization's endpoints, oldest first; None: everybody's.
        """
        with self.uow.read() as work:
            return work.webhooks.of_organization(OrgId(org_id) if org_id else None)

    def remove(self, webhook_id: str) -> None:
        """
        Remove an endpoint; what was not delivered yet never is.

        Raises:
            NotFoundError: There is no such endpoint.
        """
        with self.uow.write() as work:
            endpoint = _find(work, webhook_id)
            work.webhooks.remove(endpoint.id)
            _record(work, "webhook.remove", endpoint)
            work.commit()
        end_backlog(self.uow, endpoint.id)

    def end_leftovers(self) -> int:
        """
        End what still waits for endpoints that were disabled or removed.

        Returns:
            How many deliveries.
        """
        return end_leftovers(self.uow)

    def rotate_secret(
        self, webhook_id: str, *, overlap: timedelta
    ) -> WebhookWithSecret:
        """
        Make a new secret; the old one signs beside it for the overlap.

        Raises:
            NotFoundError: There is no such endpoint.
        """
        secret, now = new_secret(), self.clock.now()
        with self.uow.write() as work:
            old = _find(work, webhook_id)
            endpoint = old.rotated(secret, now=now, overlap=overlap)
            work.webhooks.save(endpoint)
            _record(work, "webhook.rotate", endpoint, old_ends_at=now + overlap)
            work.commit()
        return WebhookWithSecret(endpoint=endpoint, secret=secret.value)

    def enable(self, webhook_id: str) -> WebhookEndpoint:
        """
        Let an endpoint have events again; those that it missed stay missed.

        Raises:
            NotFoundError: There is no such endpoint.
        """
        with self.uow.write() as work:
            old = _find(work, webhook_id)
            endpoint = attrs.evolve(old, state=EndpointState.ACTIVE)
            work.webhooks.save(endpoint)
            _record(work, "webhook.enable", endpoint)
            work.commit()
        return endpoint

    def deliveries(self, webhook_id: str, *, limit: int) -> Sequence[WebhookDelivery]:
        """
        Return deliveries to an endpoint, the newest first.

        Raises:
            NotFoundError: There is no such endpoint.
        """
        with self.uow.read() as work:
            found = work.webhooks.find(webhook_id)
            if found is None:
                raise _no_endpoint(webhook_id)
            return work.webhooks.deliveries(found.id, limit)

    def reasons(
        self, deliveries: Sequence[WebhookDelivery]
    ) -> Mapping[DeliveryId, str]:
        """
        Return why deliveries wait, as far as there is a reason.
        """
        pending = [d.id for d in deliveries if d.state is WebhookDeliveryState.PENDING]
        with self.uow.read() as work:
            return work.webhook_backlog.reasons(pending)

    def resend(
        self, event_id: str, webhook_id: str | None
    ) -> Sequence[WebhookDelivery]:
        """
        Deliver an event once more, with all its tries.

        Args:
            webhook_id: To this endpoint, whichever kinds it wants; None to
                each that wants it.

        Raises:
            NotFoundError: There is no such event or endpoint.
            InvalidParametersError: No endpoint takes it.
        """
        with self.uow.write() as work:
            stored = work.events.find(event_id)
            if stored is None:
                raise NotFoundError(
                    f"There is no event {event_id}; events are kept for "
                    f"{EVENTS_KEPT_FOR.days} days."
                )
            ordered = [
                _order_again(work, stored, endpoint)
                for endpoint in _takers(work, stored, webhook_id)
            ]
            work.commit()
        return ordered

    def _check(self, org_id: OrgId, url: str) -> None:
        if len(url) > MAX_URL_CHARS:
            raise InvalidParametersError(
                f"The address has more than {MAX_URL_CHARS} characters."
            )
        try:
            self.outbound.check(url, client=org_id)
        except TargetRefusedError as exc:
            raise AddressRefusedError(exc.reason, allowed_as=exc.allowed_as) from exc


def _takers(
    work: Work, stored: StoredEvent, webhook_id: str | None
) -> Sequence[WebhookEndpoint]:
    event = stored.event
    endpoints = work.webhooks.of_environment(event.org_id, event.env_id)
    if webhook_id is None:
        wanting = [e for e in endpoints if e.wants(event.kind)]
        if not wanting:
            raise InvalidParametersError(
                f"No webhook endpoint of the event's environment takes "
                f"{event.kind.value}; hv webhooks list shows what there is."
            )
        return wanting
    found = next((e for e in endpoints if e.id == webhook_id), None)
    if found is None:
        raise NotFoundError(
            f"The event's environment has no webhook endpoint {webhook_id}."
        )
    if found.state is EndpointState.DISABLED:
        raise InvalidParametersError(
            f"{webhook_id} is disabled; first: hv webhooks enable {webhook_id}"
        )
    return [found]


def _order_again(
    work: Work, stored: StoredEvent, endpoint: WebhookEndpoint
) -> WebhookDelivery:
    event = stored.event
    work.webhooks.cancel_event(endpoint.id, event.id, why="It was sent again.")
    (delivery,) = work.webhooks.order([(event, endpoint)])
    _record(work, "webhook.resend", endpoint, event=event.id)
    return delivery


def _record(
    work: Work, action: str, endpoint: WebhookEndpoint, **details: object
) -> None:
    # Not the URL, which may hold secrets.
    audit.record(work, action, endpoint.id, org_id=endpoint.org_id, **details)


def _find(work: Work, webhook_id: str) -> WebhookEndpoint:
    endpoint = work.webhooks.find(webhook_id, for_update=True)
    if endpoint is None:
        raise _no_endpoint(webhook_id)
    return endpoint


def _no_endpoint(webhook_id: str) -> NotFoundError:
    return NotFoundError(
        f"There is no webhook endpoint {webhook_id}; hv webhooks list shows what "
        f"there is."
    )
