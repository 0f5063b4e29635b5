"""Send requests to SQS by boto3, and turn their errors into UnavailableError."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import attrs
import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    NoRegionError,
)

from hvcore.plugin_api import (
    ConfigError,
    Lane,
    TaskId,
    UnavailableError,
    use_until_end,
)
from hvcore_queue_sqs.answers import MISSING, half_answer, no_answer, refusal
from hvcore_queue_sqs.options import SqsOptions

MESSAGE_LIVES_S: Final = 600
"""The seconds for which SQS keeps a message: forty times the interval at which a waiting task is put again."""
COMES_BACK_AFTER_S: Final = 10
"""The seconds after which a received message that was not removed is given out again."""
QUEUE_ATTRIBUTES: Final = {
    "MessageRetentionPeriod": str(MESSAGE_LIVES_S),
    "VisibilityTimeout": str(COMES_BACK_AFTER_S),
}
_CONNECT_S: Final = 0.5
_POLL_S: Final = 1.5
"""With the above the 2 s within which ``until`` has to be asked; a poll waits for 1 s."""
_NEEDED: Final = {
    "create_queue": "QueueUrl",
    "get_queue_attributes": "Attributes",
    "get_queue_url": "QueueUrl",
    "send_message": "MessageId",
}
"""Members without which an answer says nothing, by the name of the request."""
_CONNECTIONS: Final = 50
"""Kept by a client; an API process has that many threads at most."""


@attrs.frozen(kw_only=True)
class Message:
    """
    A received message that SQS gives to nobody else for some seconds.

    Attributes:
        receipt: The receipt handle with which the message is removed.
    """

    lane: Lane
    task_id: TaskId
    receipt: str = attrs.field(repr=False)


class SqsRequests:
    """Sends requests to SQS; an instance belongs to one process and all of its threads."""

    def __init__(self, options: SqsOptions) -> None:
        self._options = options
        within_s = options.timeout_s
        with _told_as_settings(options):
            session = boto3.session.Session()
            use_until_end(session.get_credentials())
            self._quick = _client(session, options, within_s, within_s)
            self._patient = _client(session, options, _CONNECT_S, _POLL_S)
        self._addresses: dict[Lane, str] = {}

    def send(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        """Put a message into a lane's queue; ``kind`` is for people who look into the queue."""
        self._ask(
            self._quick,
            "send_message",
            lane,
            MessageBody=task_id,
            MessageAttributes={"kind": {"DataType": "String", "StringValue": kind}},
        )

    def receive(self, lane: Lane, *, wait_s: int) -> Message | None:
        """Receive a message of a lane, or None if none comes within ``wait_s`` (0 or 1)."""
        answer = self._ask(
            self._patient,
            "receive_message",
            lane,
            # More would be hidden from others while the first one is handled.
            MaxNumberOfMessages=1,
            WaitTimeSeconds=wait_s,
            VisibilityTimeout=COMES_BACK_AFTER_S,
        )
        for found in answer.get("Messages", ()):
            with _whole_answers("receive_message", self._options.name_of(lane)):
                return Message(
                    lane=lane,
                    task_id=TaskId(found["Body"]),
                    receipt=found["ReceiptHandle"],
                )
        return None

    def remove(self, message: Message) -> None:
        """Remove a received message from its queue, so that it does not come back."""
        self._ask(
            self._patient,
            "delete_message",
            message.lane,
            ReceiptHandle=message.receipt,
        )

    def depth(self, lane: Lane) -> int:
        """Return the approximate number of messages that wait in a lane."""
        name = "ApproximateNumberOfMessages"
        answer = self._ask(
            self._quick, "get_queue_attributes", lane, AttributeNames=[name]
        )
        with _whole_answers("get_queue_attributes", self._options.name_of(lane)):
            return int(answer["Attributes"][name])

    def is_there(self, lane: Lane) -> bool:
        """Return whether the queue of a lane exists at SQS."""
        try:
            self._look_up(self._patient, lane)
        except _MissingError:
            return False
        return True

    def create(self, lane: Lane) -> None:
        """Create the queue of a lane; a queue that exists stays as it is."""
        name = self._options.name_of(lane)
        _ask(
            self._patient,
            "create_queue",
            name,
            QueueName=name,
            Attributes=QUEUE_ATTRIBUTES,
        )

    def close(self) -> None:
        """Close the connections to SQS."""
        self._quick.close()
        self._patient.close()

    def _ask(
        self,
        client: Any,  # noqa: ANN401 - boto3 ships no types
        request: str,
        lane: Lane,
        **members: object,
    ) -> Mapping[str, Any]:
        address = self._addresses.get(lane) or self._look_up(client, lane)
        return _ask(
            client, request, self._options.name_of(lane), QueueUrl=address, **members
        )

    def _look_up(self, client: Any, lane: Lane) -> str:  # noqa: ANN401 - see above
        name = self._options.name_of(lane)
        answer = _ask(client, "get_queue_url", name, QueueName=name)
        # A queue that is made again has the same one.
        self._addresses[lane] = str(answer["QueueUrl"])
        return self._addresses[lane]


class _MissingError(UnavailableError):
    """There is no such queue."""


def _ask(
    client: Any,  # noqa: ANN401 - boto3 ships no types
    request: str,
    queue: str,
    **members: object,
) -> Mapping[str, Any]:
    call = getattr(client, request)
    try:
        with _whole_answers(request, queue):
            try:
                answer = call(**members)
            except ConnectionClosedError:
                # Once, at once: SQS had closed a connection that was idle.
                answer = call(**members)
    except ClientError as exc:
        code = str(exc.response.get("Error", {}).get("Code", ""))
        kind = _MissingError if code in MISSING else UnavailableError
        raise kind(refusal(code, request=request, queue=queue)) from exc
    except BotoCoreError as exc:
        raise UnavailableError(no_answer(exc)) from exc
    needed = _NEEDED.get(request)
    if needed is not None and needed not in answer:
        raise UnavailableError(f"SQS answers {request} of {queue} without {needed}.")
    if not _is_of_sqs(answer["ResponseMetadata"]):
        raise UnavailableError(half_answer(request, queue))
    return answer  # type: ignore[no-any-return]  # boto3 ships no types


def _is_of_sqs(told: Mapping[str, Any]) -> bool:
    # Of a proxy's page the client makes an empty answer, which says that there is no
    # message. Not every imitation of SQS numbers its answers.
    kind = told["HTTPHeaders"].get("content-type", "")
    return "RequestId" in told or kind.startswith("application/x-amz-json")


@contextmanager
def _whole_answers(request: str, queue: str) -> Iterator[None]:
    try:
        yield
    except (AttributeError, KeyError, RuntimeError, TypeError, ValueError) as exc:
        # The client's own, too, of JSON that has something else where objects belong, and
        # of half an answer of whoever gives credentials.
        raise UnavailableError(half_answer(request, queue)) from exc


def _client(
    session: Any,  # noqa: ANN401 - boto3 ships no types
    options: SqsOptions,
    connect_s: float,
    answer_s: float,
) -> Any:  # noqa: ANN401 - see above
    return session.client(
        "sqs",
        region_name=options.region or None,
        endpoint_url=options.endpoint or None,
        config=Config(
            connect_timeout=connect_s,
            read_timeout=answer_s,
            max_pool_connections=_CONNECTIONS,
            # boto3's retries wait for up to a second; a put must not.
            retries={"total_max_attempts": 1, "mode": "standard"},
        ),
    )


@contextmanager
def _told_as_settings(options: SqsOptions) -> Iterator[None]:
    try:
        yield
    except NoRegionError as exc:
        raise ConfigError(
            "queue.options.region: boto3 finds none. Set HV_QUEUE__OPTIONS__REGION, such "
            "as eu-central-1, or AWS_DEFAULT_REGION"
        ) from exc
    except (BotoCoreError, ValueError) as exc:
        raise ConfigError(
            f"queue.options: boto3 makes no client of SQS with region "
            f"{options.region!r} and endpoint {options.endpoint!r} "
            f"({type(exc).__name__}). Check both, and AWS_PROFILE"
        ) from exc
