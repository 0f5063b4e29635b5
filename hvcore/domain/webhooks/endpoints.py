"""
Webhook endpoints: addresses that receive events, and their secrets.

Source: the Standard Webhooks specification, and docs/reference/http/events-and-webhooks.md.
"""

import base64
import secrets
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import EnvId, OrgId, WebhookId
from hvcore.domain.webhooks.deliveries import (
    Outcome,
    WebhookDelivery,
    WebhookDeliveryState,
)
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS, EventKind

MAX_ENDPOINTS: Final = 16
"""For each environment: every event is written for each of them."""
MAX_SECRETS: Final = 4
"""Secrets that sign at once: headers have a size."""
MAX_URL_CHARS: Final = 2048

_SECRET_BYTES: Final = 32
"""The specification asks for 24 to 64."""


class EndpointState(Enum):
    """
    Name the states of a webhook endpoint.

    FAILING endpoints still get events, because they may work again. DISABLED endpoints
    get none. REMOVED endpoints are hidden at once; their rows are deleted soon.
    """

    ACTIVE = "active"
    FAILING = "failing"
    DISABLED = "disabled"
    REMOVED = "removed"


@attrs.frozen(kw_only=True)
class WebhookSecret:
    """
    Hold a secret that signs the deliveries to a webhook endpoint.

    Attributes:
        ends_at: When the secret stops signing; None for the present secret.
    """

    value: str = attrs.field(repr=False)
    ends_at: datetime | None = None


def new_secret() -> WebhookSecret:
    """Make a random webhook secret, ``whsec_…``."""
    random = secrets.token_bytes(_SECRET_BYTES)
    return WebhookSecret(value=f"whsec_{base64.b64encode(random).decode()}")


@attrs.frozen(kw_only=True)
class WebhookEndpoint:
    """
    Describe an address that receives the events of an environment.

    Attributes:
        url: The address; it may hold its owner's secrets. Shown to operators, never
            logged.
        secrets: The signing secrets, the present one first.
    """

    id: WebhookId
    org_id: OrgId
    env_id: EnvId
    url: str = attrs.field(repr=False)
    kinds: frozenset[EventKind] = DOCUMENTED_KINDS
    secrets: tuple[WebhookSecret, ...] = attrs.field(repr=False)
    state: EndpointState = EndpointState.ACTIVE
    created_at: datetime

    def wants(self, kind: EventKind) -> bool:
        """Return whether events of a kind are delivered to this endpoint."""
        return self.state is not EndpointState.DISABLED and kind in self.kinds

    def signing_secrets(self, now: datetime) -> tuple[str, ...]:
        """Return the secrets that sign at a moment; several while a rotation overlaps."""
        return tuple(s.value for s in self.secrets if not _is_over(s, now))

    def rotated(
        self, secret: WebhookSecret, *, now: datetime, overlap: timedelta
    ) -> "WebhookEndpoint":
        """Return the endpoint with a new secret; old ones sign on until the overlap ends."""
        old = [
            attrs.evolve(s, ends_at=min(s.ends_at or now + overlap, now + overlap))
            for s in self.secrets
            if not _is_over(s, now)
        ]
        valid = [s for s in old if not _is_over(s, now)]
        return attrs.evolve(self, secrets=(secret, *valid)[:MAX_SECRETS])

    def after(
        self, outcome: "Outcome", delivery: "WebhookDelivery"
    ) -> "WebhookEndpoint":
        """
        Return the endpoint with the state that the outcome of an attempt gives it.

        Args:
            delivery: The delivery after the attempt.
        """
        if self.state is EndpointState.DISABLED:
            return self
        if outcome.is_success:
            return attrs.evolve(self, state=EndpointState.ACTIVE)
        if outcome.is_gone:
            return attrs.evolve(self, state=EndpointState.DISABLED)
        if delivery.state is WebhookDeliveryState.FAILED:
            return attrs.evolve(self, state=EndpointState.FAILING)
        return self


def _is_over(secret: WebhookSecret, now: datetime) -> bool:
    return secret.ends_at is not None and secret.ends_at <= now
