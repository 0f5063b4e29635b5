"""The settings of notifications from the object store about new objects."""

import re
from typing import Final
from urllib.parse import urlsplit

import attrs

MIN_TOKEN_CHARS: Final = 32
GOOGLE_KEYS_URL: Final = "https://www.googleapis.com/oauth2/v3/certs"
_DOMAINS: Final = {
    "aws": "amazonaws.com",
    "aws-cn": "amazonaws.com.cn",
    "aws-eusc": "amazonaws.eu",
    "aws-us-gov": "amazonaws.com",
}
"""Of AWS's partitions (its "Amazon Resource Names")."""
_TOPIC: Final = re.compile(
    r"arn:(?P<partition>[a-z-]{1,20}):sns:(?P<region>[a-z0-9-]{1,40}):[0-9]{12}"
    r":[A-Za-z0-9_.-]{1,256}"
)
_QUEUE_REGION: Final = re.compile(
    r"(?:.+\.)?sqs(?:-fips)?\.(?P<region>[a-z0-9-]{1,40})\.(?:vpce\.)?amazonaws\..+"
)


@attrs.frozen(kw_only=True)
class NotifySettings:
    """
    The settings of the senders that may notify the service of new objects in the store.

    Attributes:
        sqs_url: The URL of the AWS SQS queue that ``hv notify`` reads.
        sqs_region: The region of the SQS queue, if its URL does not name one.
        sqs_key: An AWS access key id, used with sqs_secret; if empty, credentials are
            found as AWS's own clients find them.
        sqs_secret: The secret of sqs_key.
        sns_topics: The AWS SNS topics (ARN) whose messages are accepted at
            ``/notify/sns``.
        sns_url: The server of SNS certificates and confirmations, if it is not AWS.
        pubsub_audience: The claim ``aud`` that tokens of Google Pub/Sub must have, at
            ``/notify/pubsub``.
        pubsub_email: The service account that these tokens must name.
        pubsub_keys_url: The URL of the public keys that sign these tokens.
        token: A secret of at least 32 characters that requests to ``/notify/events``
            must have.
    """

    sqs_url: str = attrs.field(default="")
    sqs_region: str = ""
    sqs_key: str = attrs.field(default="", repr=False)
    sqs_secret: str = attrs.field(default="", repr=False)
    sns_topics: tuple[str, ...] = attrs.field(default=())
    sns_url: str = attrs.field(default="")
    pubsub_audience: str = ""
    pubsub_email: str = ""
    pubsub_keys_url: str = attrs.field(default=GOOGLE_KEYS_URL)
    token: str = attrs.field(default="", repr=False)

    @sqs_url.validator
    def _check_sqs_url(self, _: object, value: str) -> None:
        if value and not _is_address(value):
            raise ValueError(
                "notify.sqs_url must be the queue's address, such as "
                "https://sqs.eu-central-1.amazonaws.com/123456789012/videos, without a "
                "user or a password"
            )

    @sqs_secret.validator
    def _check_sqs_secret(self, _: object, value: str) -> None:
        if bool(value) != bool(self.sqs_key):
            # Neither is repeated: they are secrets.
            raise ValueError("notify.sqs_key and notify.sqs_secret: set both, or none")

    @sns_topics.validator
    def _check_sns_topics(self, _: object, value: tuple[str, ...]) -> None:
        for topic in value:
            if sns_root(topic) is None:
                raise ValueError(
                    "notify.sns_topics must name topics such as "
                    f"arn:aws:sns:eu-central-1:123456789012:videos, not {topic!r}"
                )

    @sns_url.validator
    def _check_sns_url(self, _: object, value: str) -> None:
        if value and not _is_address(value):
            raise ValueError(f"notify.sns_url must be an address, not {value!r}")

    @pubsub_keys_url.validator
    def _check_pubsub_keys_url(self, _: object, value: str) -> None:
        if not _is_address(value):
            raise ValueError(
                f"notify.pubsub_keys_url must be an address, not {value!r}"
            )

    @token.validator
    def _check_token(self, _: object, value: str) -> None:
        if value and len(value) < MIN_TOKEN_CHARS:
            raise ValueError(
                f"notify.token must have at least {MIN_TOKEN_CHARS} random characters"
            )

    def __attrs_post_init__(self) -> None:
        """Refuse settings that need each other if only one is set."""
        if bool(self.pubsub_audience) != bool(self.pubsub_email):
            raise ValueError(
                "notify.pubsub_audience and notify.pubsub_email: set both, or none; "
                "anybody's token of Google would do otherwise"
            )

    @property
    def is_open(self) -> bool:
        """Whether notifications are accepted over HTTP."""
        return bool(self.sns_topics or self.pubsub_audience or self.token)

    @property
    def is_used(self) -> bool:
        """Whether any sender of notifications is configured."""
        return bool(self.sqs_url) or self.is_open


def sns_root(topic: str) -> str | None:
    """Return the URL of the SNS server of a topic's region; None if the text is no topic."""
    found = _TOPIC.fullmatch(topic)
    domain = _DOMAINS.get(found["partition"]) if found else None
    return f"https://sns.{found['region']}.{domain}" if found and domain else None


def region_of_queue(sqs_url: str) -> str | None:
    """Return the AWS region in an SQS queue's URL; None if it names none."""
    found = _QUEUE_REGION.fullmatch(urlsplit(sqs_url).hostname or "")
    return found["region"] if found else None


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        # Reading the port is what judges it.
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    is_bare = "@" not in parts.netloc and not parts.query and not parts.fragment
    return (
        parts.scheme in {"http", "https"}
        and is_whole
        and is_bare
        and text.isascii()
        and text.isprintable()
    )
