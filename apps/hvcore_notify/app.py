"""
The app with the addresses under ``{upload_url}/notify/``, to which stores send events.

An address exists only if the settings say who may send events to it.
"""

import hmac
import logging
from collections import OrderedDict
from collections.abc import Collection
from typing import Final

import falcon

from hvcore.assembly import Services
from hvcore.errors import ForbiddenError, HvError, UnauthorizedError
from hvcore.services.uploads.storage_events import StorageEvents
from hvcore.throttling.log_lines import LOG_LINES
from hvcore.throttling.shares import client_of_address
from hvcore_notify.documents import PublicDocuments
from hvcore_notify.pubsub_tokens import PubSubTokens
from hvcore_notify.sns_messages import CONFIRMATION, SnsMessage, SnsMessages
from hvcore_notify.store_events import UnreadableEventError, new_objects
from hvcore_web.app import make_app as make_web_app
from hvcore_web.bodies import read_body
from hvcore_web.cors import exact_origins
from hvcore_web.json_media import parse_json
from hvcore_web.viewers import client_address

SNS_PATH: Final = "/notify/sns"
PUBSUB_PATH: Final = "/notify/pubsub"
EVENTS_PATH: Final = "/notify/events"
MAX_BODY_BYTES: Final = 640 * 1024
"""The largest body of a notification: SNS messages have up to 256 KiB, which can be more than
twice as long as text in JSON."""
MAX_REMEMBERED: Final = 1_000
"""The number of ids of SNS messages that are remembered, so that repeated messages are ignored."""
_CREATED_IN_GCS: Final = "OBJECT_FINALIZE"

_log = logging.getLogger(__name__)


def make_app(services: Services) -> falcon.App[falcon.Request, falcon.Response]:
    """Make the Falcon app that receives events; without settings it has no addresses."""
    settings = services.settings.notify
    events = services.storage_events
    documents = PublicDocuments(services.outbound)
    app = make_web_app(name="notify", cors=exact_origins(()))
    if settings.sns_topics:
        messages = SnsMessages(
            topics=settings.sns_topics,
            root=settings.sns_url,
            documents=documents,
            clock=services.clock,
        )
        app.add_route(SNS_PATH, SnsResource(events, messages))
    if settings.pubsub_audience:
        tokens = PubSubTokens(
            audience=settings.pubsub_audience,
            email=settings.pubsub_email,
            keys_url=settings.pubsub_keys_url,
            documents=documents,
            clock=services.clock,
        )
        app.add_route(PUBSUB_PATH, PubSubResource(events, tokens))
    if settings.token:
        app.add_route(EVENTS_PATH, EventsResource(events, settings.token))
    return app


class SnsResource:
    """The address to which Amazon SNS posts the messages of a topic."""

    def __init__(self, events: StorageEvents, messages: SnsMessages) -> None:
        self._events = events
        self._messages = messages
        self._done: OrderedDict[str, None] = OrderedDict()

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        """
        Handle a message of Amazon SNS, or confirm the subscription that the message announces.

        Raises:
            ForbiddenError: The message is not signed by SNS, not of a configured topic, or old.
            UnavailableError: The message cannot be verified or stored now; SNS sends it again.
        """
        found = parse_json(read_body(req, max_bytes=MAX_BODY_BYTES))
        try:
            message = self._messages.read(found if isinstance(found, dict) else {})
        except ForbiddenError as exc:
            _note_refusal(req, exc)
            raise
        resp.status = falcon.HTTP_204
        if message.kind == CONFIRMATION:
            self._confirm(message)
        elif message.id not in self._done:
            _take(self._events, message.text.encode())
            # Afterwards: what failed must be taken when it is sent again.
            self._remember(message.id)

    def _confirm(self, message: SnsMessage) -> None:
        is_confirmed = self._messages.confirm(message)
        _log.warning(
            "SNS will send this topic's messages"
            if is_confirmed
            else "SNS does not take the confirmation of this topic",
            extra={"hv_topic": message.topic},
        )

    def _remember(self, message_id: str) -> None:
        self._done[message_id] = None
        while len(self._done) > MAX_REMEMBERED:
            self._done.popitem(last=False)


class PubSubResource:
    """The address to which Google Pub/Sub pushes the messages of a subscription."""

    def __init__(self, events: StorageEvents, tokens: PubSubTokens) -> None:
        self._events = events
        self._tokens = tokens

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        """
        Handle a message of Google Pub/Sub; the store's event is in the message's attributes.

        Raises:
            UnauthorizedError: The token is not Pub/Sub's, or is for another audience.
            UnavailableError: The message cannot be verified or stored now; it is sent again.
        """
        try:
            # Before the body is read: strangers send none here.
            self._tokens.check(_bearer(req))
        except UnauthorizedError as exc:
            _note_refusal(req, exc)
            raise
        found = parse_json(read_body(req, max_bytes=MAX_BODY_BYTES))
        self._events.wake(_objects_of_gcs(found))
        resp.status = falcon.HTTP_204


class EventsResource:
    """The address to which a store or a program posts events, with a shared secret."""

    def __init__(self, events: StorageEvents, token: str) -> None:
        self._events = events
        self._token = token.encode()

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        """
        Handle the event of an object store in the request's body.

        Raises:
            UnauthorizedError: The secret is missing or wrong.
            UnavailableError: The event cannot be stored now.
        """
        given = _bearer(req).encode("latin-1", "replace")
        if not hmac.compare_digest(given, self._token):
            refusal = UnauthorizedError(
                "Send the secret of HV_NOTIFY__TOKEN, as Authorization: Bearer."
            )
            _note_refusal(req, refusal)
            raise refusal
        _take(self._events, read_body(req, max_bytes=MAX_BODY_BYTES))
        resp.status = falcon.HTTP_204


def _take(events: StorageEvents, data: bytes) -> None:
    try:
        objects = new_objects(data)
    except UnreadableEventError as exc:
        # Sending it again would not help.
        _log.warning("a message is no storage event", extra={"hv_why": str(exc)})
        return
    events.wake(objects)


def _objects_of_gcs(found: object) -> Collection[str]:
    message = found.get("message") if isinstance(found, dict) else None
    attributes = message.get("attributes") if isinstance(message, dict) else None
    if not isinstance(attributes, dict):
        return []
    if attributes.get("eventType") != _CREATED_IN_GCS:
        return []
    return [f"{attributes.get('bucketId')}/{attributes.get('objectId')}"]


def _bearer(req: falcon.Request) -> str:
    kind, _, credential = (req.get_header("Authorization") or "").partition(" ")
    return credential.strip() if kind.lower() == "bearer" else ""


def _note_refusal(req: falcon.Request, error: HvError) -> None:
    address = client_address(req.remote_addr, req.get_header("X-Forwarded-For"))
    LOG_LINES.write(
        _log,
        logging.WARNING,
        "a storage event is refused",
        client=client_of_address(address),
        extra={"hv_why": error.detail, "hv_path": req.path},
    )
