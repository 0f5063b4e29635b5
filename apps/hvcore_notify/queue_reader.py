"""Read events of the store from a queue of Amazon SQS."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

import attrs

from hvcore.aws_credentials import use_until_end
from hvcore.errors import ConfigError, UnavailableError
from hvcore.extras import missing_module
from hvcore.services.uploads.storage_events import StorageEvents
from hvcore.settings.notify import NotifySettings, region_of_queue
from hvcore_notify.store_events import UnreadableEventError, new_objects

WAITS_S: Final = 20
"""The seconds that a request waits for messages: SQS's maximum, because each request costs
money."""
AT_ONCE: Final = 10
"""The most messages in one answer of SQS."""
ANSWERS_WITHIN_S: Final = 5
PAUSE_S: Final = 1.0
"""The pause after a first failure, and after an empty answer of a queue that did not wait."""
LONGEST_PAUSE_S: Final = 30.0
NO_QUEUE: Final = (
    "What answers is no queue of SQS; check notify.sqs_url, and proxies between."
)
_ANY_REGION: Final = "us-east-1"
"""The region in signatures for imitations of SQS, which have no region."""

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class QueueReader:
    """
    Receives messages from an SQS queue, and removes each once its event is stored.

    Attributes:
        client: The botocore client of SQS.
    """

    client: Any
    url: str
    events: StorageEvents

    def keep_reading(self, stopped: Callable[[float], bool]) -> None:
        """
        Read messages until stopped; after a failure try again, with growing pauses.

        Args:
            stopped: Waits for the given seconds, or until the reading is to end; returns
                whether it is.
        """
        pause_s = 0.0
        is_out = False
        while not stopped(pause_s):
            began_s = time.monotonic()
            try:
                count = self.read_once(wait_s=WAITS_S)
            except UnavailableError as exc:
                pause_s = min(max(PAUSE_S, pause_s * 2), LONGEST_PAUSE_S)
                if not is_out:
                    _log.warning(
                        "storage events wait in the queue",
                        extra={"hv_why": exc.detail, "hv_queue": self.url},
                    )
                is_out = True
                continue
            if is_out:
                _log.info("the queue is read again", extra={"hv_queue": self.url})
                is_out = False
            # SQS would have waited for messages; what does not is not asked as fast as
            # the network goes.
            is_early = time.monotonic() < began_s + PAUSE_S
            pause_s = PAUSE_S if not count and is_early else 0.0

    def read_once(self, *, wait_s: int) -> int:
        """
        Receive and handle the messages that are in the queue now; return their number.

        Args:
            wait_s: The seconds to wait for the first message, up to 20.

        Raises:
            UnavailableError: The queue or the database does not answer. The queue delivers the
                messages again after its visibility timeout.
        """
        with queue_errors():
            answer = self.client.receive_message(
                QueueUrl=self.url, MaxNumberOfMessages=AT_ONCE, WaitTimeSeconds=wait_s
            )
            check_answer(answer)
        messages: Sequence[Mapping[str, Any]] = answer.get("Messages", [])
        if messages:
            self.events.wake(
                one for message in messages for one in _objects_of(message)
            )
            self._remove(messages)
        return len(messages)

    def _remove(self, messages: Sequence[Mapping[str, Any]]) -> None:
        entries = [
            {"Id": str(number), "ReceiptHandle": str(message.get("ReceiptHandle"))}
            for number, message in enumerate(messages)
        ]
        with queue_errors():
            answer = self.client.delete_message_batch(
                QueueUrl=self.url, Entries=entries
            )
            check_answer(answer)
            failed = answer.get("Failed", ())
        if failed:
            # They come back, and are safe to take again; but as often as they are let.
            raise UnavailableError(
                f"The queue keeps messages: {failed[0].get('Code')}."
            )


def _objects_of(message: Mapping[str, Any]) -> Sequence[str]:
    try:
        # A body may hold what is no Unicode.
        return list(new_objects(str(message.get("Body")).encode(errors="replace")))
    except UnreadableEventError as exc:
        # Removed with the others: it says nothing, and would come back for days.
        _log.warning(
            "a message of the queue is no event of a store",
            extra={"hv_message": message.get("MessageId"), "hv_why": str(exc)},
        )
        return []


def sqs_client(settings: NotifySettings, *, waits_s: int = WAITS_S) -> Any:  # noqa: ANN401 - botocore has no types
    """
    Return a botocore client for the SQS queue that the settings name.

    Args:
        waits_s: The seconds for which the client will ask the queue to wait for messages.

    Raises:
        ConfigError: The library is not installed, or the region is not known.
    """
    try:
        from botocore.config import Config  # noqa: PLC0415 - only for a queue
        from botocore.exceptions import BotoCoreError  # noqa: PLC0415 - see above
        from botocore.session import get_session  # noqa: PLC0415 - see above
    except ImportError as exc:
        raise ConfigError(
            f"notify.sqs_url: the client of SQS is missing; {missing_module(exc.name, 's3')}"
        ) from exc
    session = get_session()
    region = (
        settings.sqs_region
        or region_of_queue(settings.sqs_url)
        or session.get_config_variable("region")
        or _ANY_REGION
    )
    parts = urlsplit(settings.sqs_url)
    try:
        if not settings.sqs_key:
            use_until_end(session.get_credentials())
        return session.create_client(
            "sqs",
            region_name=region,
            # The queue's own host, at Amazon and elsewhere.
            endpoint_url=f"{parts.scheme}://{parts.netloc}",
            aws_access_key_id=settings.sqs_key or None,
            aws_secret_access_key=settings.sqs_secret or None,
            config=Config(
                connect_timeout=ANSWERS_WITHIN_S,
                read_timeout=waits_s + ANSWERS_WITHIN_S,
                retries={"mode": "standard", "total_max_attempts": 2},
            ),
        )
    except (BotoCoreError, ValueError) as exc:
        raise ConfigError(f"notify.sqs_url: {type(exc).__name__}") from exc


@contextmanager
def queue_errors() -> Iterator[None]:
    """
    Within the block, turn errors of the SQS client into UnavailableError.

    The client's own texts are not shown, since they may name keys and addresses.
    """
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415 - see above

    try:
        yield
    except ClientError as exc:
        code = exc.response.get("Error", {}).get("Code", "")
        raise UnavailableError(f"The queue refuses: {code}.") from exc
    except BotoCoreError as exc:
        raise UnavailableError(
            f"The queue cannot be asked: {type(exc).__name__}."
        ) from exc
    except (AttributeError, KeyError, RuntimeError, TypeError, ValueError) as exc:
        # The client's own, of JSON that has something else where objects belong, and of
        # half an answer of whoever gives credentials.
        raise UnavailableError(NO_QUEUE) from exc


def check_answer(answer: Mapping[str, Any]) -> None:
    """
    Raise ``UnavailableError`` if an answer is not from SQS, but for example a proxy's page.

    The client would take such an answer for an empty queue.
    """
    told = answer["ResponseMetadata"]
    kind = told["HTTPHeaders"].get("content-type", "")
    # Not every imitation of SQS numbers its answers.
    if "RequestId" not in told and not kind.startswith("application/x-amz-json"):
        raise UnavailableError(NO_QUEUE)
