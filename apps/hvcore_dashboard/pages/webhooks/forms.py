"""The choices in forms about webhook endpoints, and the check of sent forms."""

import hashlib
from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.domain.access.tenants import Environment
from hvcore.domain.webhooks.endpoints import WebhookEndpoint
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS, VIDEO_KINDS, EventKind
from hvcore_dashboard.forms import Form
from hvcore_dashboard.visits import OrganizationVisit

KIND_TEXTS: Final = {
    EventKind.COMPLETED: "A video is ready",
    EventKind.FAILED: "A video could not be processed",
    EventKind.STARTED: "Processing has begun",
    EventKind.UPDATED: "Name, description or access has changed",
    EventKind.DELETED: "A video was deleted",
    EventKind.RESTORED: "A deleted video was restored",
    EventKind.CAPTIONS_READY: "Captions by machine are ready",
    EventKind.CAPTIONS_FAILED: "Captions by machine could not be made",
}


def first_webhook_form(here: OrganizationVisit) -> Form:
    """Return the form for a new webhook endpoint with its default choices."""
    return Form(
        fields={
            "environment": [here.env.name if here.env else ""],
            "event": [kind.value for kind in VIDEO_KINDS if kind in DOCUMENTED_KINDS],
        }
    )


def secret_mark(endpoint: WebhookEndpoint) -> str:
    """Return a short hash of a webhook endpoint's secret, by which a form notices a changed secret."""
    present = endpoint.secrets[0].value
    return hashlib.sha256(f"shown {present}".encode()).hexdigest()[:16]


def judged_webhook(form: Form, environments: Sequence[Environment]) -> Form:
    """Check a sent form for a new webhook endpoint, and return it with an error at each wrong field."""
    found: dict[str, str] = {}
    if not form.text("url"):
        found["url"] = "Give the address that shall receive the events."
    if form.text("environment") not in {env.name for env in environments}:
        found["environment"] = "Choose an environment."
    chosen = set(form.texts("event"))
    if not chosen or not chosen <= {kind.value for kind in VIDEO_KINDS}:
        found["event"] = "Choose at least one of these."
    return attrs.evolve(form, errors=found)
