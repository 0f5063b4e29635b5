"""``hv webhooks``: manage the addresses to which events are sent; a secret is shown once."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import click

from hvcore.assembly import Services
from hvcore.domain.webhooks.deliveries import WebhookDelivery
from hvcore.domain.webhooks.endpoints import WebhookEndpoint
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS, VIDEO_KINDS, EventKind
from hvcore.services.webhooks.endpoints import AddressRefusedError, WebhookWithSecret
from hvcore_cli.invocation import (
    CliError,
    HvGroup,
    Invocation,
    duration_option,
    pass_invocation,
)
from hvcore_cli.output import Record, json_option, print_json, put, say, show, timestamp

_DELIVERY_COLUMNS: Mapping[str, str] = {
    "deliveryID": "DELIVERY",
    "webhookID": "WEBHOOK",
    "eventID": "EVENT",
    "state": "STATE",
    "attempts": "TRIES",
    "lastStatus": "ANSWER",
    "lastDurationMs": "MS",
    "lastAttemptAt": "LAST TRY",
    "nextAttemptAt": "NEXT TRY",
    "lastError": "WHY",
    "waits": "WAITS",
}


@click.group(cls=HvGroup)
def webhooks() -> None:
    """Add, list, rotate and remove webhooks; list and repeat deliveries."""


@webhooks.command("add")
@click.argument("url")
@click.option("--org", required=True, help="The organization.")
@click.option("--env", required=True, help="The environment whose events are sent.")
@click.option(
    "--event",
    "events",
    multiple=True,
    type=click.Choice([kind.value for kind in VIDEO_KINDS]),
    help="An event to send; repeatable. By default completed and failed processing.",
)
@json_option
@pass_invocation
def add(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    url: str,
    org: str,
    env: str,
    events: tuple[str, ...],
    as_json: bool,
) -> None:
    """Send the events of an environment to URL; print the secret that signs them."""
    kinds = frozenset(map(EventKind, events)) or DOCUMENTED_KINDS
    with invocation.services() as services:
        added = _added(services, org, env, url, kinds)
        (record,) = _records(services, [added.endpoint])
    _print_secret(added, record, as_json=as_json)


def _added(
    services: Services, org: str, env: str, url: str, kinds: frozenset[EventKind]
) -> WebhookWithSecret:
    try:
        return services.webhooks.add(org, env, url, kinds)
    except AddressRefusedError as exc:
        if exc.allowed_as is None:
            raise
        # Said here and not in the refusal itself: the same sentence is a video's
        # failureReason. A caller of the API can set nothing, and must not learn
        # how to ask for a way into the operator's network.
        raise CliError(
            f"{exc} To allow it, list {exc.allowed_as} in the setting "
            "fetch.allowed_hosts (HV_FETCH__ALLOWED_HOSTS) of this command and of "
            "all workers."
        ) from exc


@webhooks.command("list")
@click.option("--org", help="Only webhooks of this organization.")
@json_option
@pass_invocation
def list_webhooks(invocation: Invocation, *, org: str | None, as_json: bool) -> None:
    """List webhooks, oldest first."""
    with invocation.services() as services:
        if org is not None:
            # Says so if there is no such organization.
            services.tenants.environments(org)
        records = _records(services, services.webhooks.of_organization(org))
    columns = {
        "webhookID": "WEBHOOK",
        "orgID": "ORGANIZATION",
        "envID": "ENVIRONMENT",
        "state": "STATE",
        "events": "EVENTS",
        "url": "URL",
        "createdAt": "ADDED",
    }
    show(records, columns, name="webhooks", as_json=as_json)


@webhooks.command("deliveries")
@click.argument("webhook_id")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="The most deliveries that are shown.",
)
@json_option
@pass_invocation
def deliveries(
    invocation: Invocation, *, webhook_id: str, limit: int, as_json: bool
) -> None:
    """Show the deliveries of events to the webhook WEBHOOK_ID, newest first."""
    with invocation.services() as services:
        found = services.delivery_orders.of_endpoint(webhook_id, limit=limit)
        reasons = services.delivery_orders.reasons(found)
    records = [
        {**_delivery(delivery), "waits": reasons.get(delivery.id)} for delivery in found
    ]
    show(records, _DELIVERY_COLUMNS, name="deliveries", as_json=as_json)


@webhooks.command("resend")
@click.argument("event_id")
@click.option(
    "--webhook",
    "webhook_id",
    help="Deliver only to this webhook; by default to all webhooks that get such "
    "events.",
)
@json_option
@pass_invocation
def resend(
    invocation: Invocation, *, event_id: str, webhook_id: str | None, as_json: bool
) -> None:
    """Deliver the event EVENT_ID to webhooks once more."""
    with invocation.services() as services:
        ordered = services.delivery_orders.resend(event_id, webhook_id)
    records = [_delivery(delivery) for delivery in ordered]
    show(records, _DELIVERY_COLUMNS, name="deliveries", as_json=as_json)


@webhooks.command("test")
@click.argument("webhook_id")
@json_option
@pass_invocation
def send_test(invocation: Invocation, *, webhook_id: str, as_json: bool) -> None:
    """Send an event of the kind webhook.test to the webhook WEBHOOK_ID alone."""
    with invocation.services() as services:
        ordered = services.delivery_orders.send_test(webhook_id)
    show([_delivery(ordered)], _DELIVERY_COLUMNS, name="deliveries", as_json=as_json)


@webhooks.command("remove")
@click.argument("webhook_id")
@json_option
@pass_invocation
def remove(invocation: Invocation, *, webhook_id: str, as_json: bool) -> None:
    """Remove the webhook WEBHOOK_ID and all deliveries that wait for it."""
    with invocation.services() as services:
        services.webhooks.remove(webhook_id)
    if as_json:
        print_json({"webhookID": webhook_id, "state": "removed"})
    else:
        put(f"{webhook_id} is removed")


@webhooks.command("rotate")
@click.argument("webhook_id")
@click.option(
    "--overlap",
    default="24h",
    show_default=True,
    callback=duration_option,
    help="How long events are signed with the old secret, too.",
)
@json_option
@pass_invocation
def rotate(
    invocation: Invocation, *, webhook_id: str, overlap: float, as_json: bool
) -> None:
    """Give the webhook WEBHOOK_ID a new secret and print it."""
    with invocation.services() as services:
        rotated = services.webhooks.rotate_secret(
            webhook_id, overlap=timedelta(seconds=overlap)
        )
        (record,) = _records(services, [rotated.endpoint])
    _print_secret(rotated, record, as_json=as_json)


@webhooks.command("enable")
@click.argument("webhook_id")
@json_option
@pass_invocation
def enable(invocation: Invocation, *, webhook_id: str, as_json: bool) -> None:
    """Send events to the webhook WEBHOOK_ID again."""
    with invocation.services() as services:
        endpoint = services.webhooks.enable(webhook_id)
        (record,) = _records(services, [endpoint])
    _print_state(endpoint, record, as_json=as_json)


@webhooks.command("disable")
@click.argument("webhook_id")
@json_option
@pass_invocation
def disable(invocation: Invocation, *, webhook_id: str, as_json: bool) -> None:
    """Send no events to the webhook WEBHOOK_ID until it is enabled; waiting events are never sent."""
    with invocation.services() as services:
        endpoint = services.webhooks.disable(webhook_id)
        (record,) = _records(services, [endpoint])
    _print_state(endpoint, record, as_json=as_json)


def _print_state(endpoint: WebhookEndpoint, record: Record, *, as_json: bool) -> None:
    if as_json:
        print_json(record)
    else:
        put(f"{endpoint.id} is {endpoint.state.value}")


def _print_secret(made: WebhookWithSecret, record: Record, *, as_json: bool) -> None:
    if as_json:
        print_json({**record, "secret": made.secret})
        return
    put(made.secret)
    say(f"This signs for {made.endpoint.id}; it is not shown again.")


def _records(
    services: Services, endpoints: Sequence[WebhookEndpoint]
) -> Sequence[Record]:
    names = {
        (env.org_id, env.id): env.name
        for org_id in {endpoint.org_id for endpoint in endpoints}
        for env in services.tenants.environments(org_id)
    }
    return [
        {
            "webhookID": endpoint.id,
            "orgID": endpoint.org_id,
            "envID": names.get((endpoint.org_id, endpoint.env_id)),
            "url": endpoint.url,
            "events": sorted(kind.value for kind in endpoint.kinds),
            "state": endpoint.state.value,
            "createdAt": timestamp(endpoint.created_at),
        }
        for endpoint in endpoints
    ]


def _delivery(delivery: WebhookDelivery) -> Record:
    return {
        "deliveryID": delivery.id,
        "webhookID": delivery.endpoint_id,
        "eventID": delivery.event_id,
        "state": delivery.state.value,
        "attempts": delivery.attempts,
        "createdAt": timestamp(delivery.created_at),
        "lastAttemptAt": timestamp(delivery.last_attempt_at),
        "nextAttemptAt": timestamp(delivery.next_attempt_at),
        "lastStatus": delivery.last_status,
        "lastDurationMs": delivery.last_duration_ms,
        "lastError": delivery.last_error,
        "waits": None,
    }
