"""The settings of the transcoder ``mediaconvert``."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import attrs

from hvcore_cloud_ladders.cloud_options import (
    check_currency,
    check_daily_limit,
    check_deadline_s,
    check_endpoint,
    check_price,
)

KEY: Final = "hvcore-key"
"""The name in a job's user metadata under which the key of the remote job stands."""
ON_DEMAND: Final = "on-demand"
RESERVED: Final = "reserved"
PRICE_CLASSES: Final = (ON_DEMAND, RESERVED)
ACCELERATIONS: Final = ("DISABLED", "PREFERRED", "ENABLED")
MOST_PAIRS: Final = 40
"""How many tags or metadata a deployer may set; AWS allows a job 50 tags."""
_ROLE: Final = re.compile(r"arn:[a-z0-9-]+:iam::[0-9]{12}:role/[\w+=,.@/-]{1,512}")
_REGION: Final = re.compile(r"[a-z]{2,}(-[a-z]+)+-[0-9]+")
_PLACE: Final = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,254}(/[^\s$\"?#]*)?")
_TEXT_CHARS: Final = 256


@attrs.frozen(kw_only=True)
class MediaConvertOptions:
    """
    Hold the settings under ``[transcoder.options]`` of the transcoder ``mediaconvert``.

    Attributes:
        role: The ARN of the role with which MediaConvert reads sources and writes files.
        region: The AWS region, such as ``eu-central-1``.
        queue: The name or the ARN of the queue; "" for the account's default queue.
        endpoint: The address of MediaConvert; "" for AWS in the region.
        access_key: The access key for requests to MediaConvert; if it is "", boto3 finds
            the credentials of the machine, such as those of its role.
        secret_key: The secret of the access key.
        writes_to: MediaConvert's address of the root of the storage,
            ``s3://bucket/prefix``; "" for the address in ``storage.options.url``.
        price_class: ``on-demand``, or ``reserved`` for a queue with a fixed price.
        acceleration: Whether jobs are accelerated: ``DISABLED``, ``PREFERRED`` or
            ``ENABLED``.
        priority: The priority in the queue, from -50 to 50.
        price_per_minute: The price of a normalized minute, in the currency.
        daily_limit: The estimated cost of a day (UTC) above which no job is submitted;
            0 for no limit.
        currency: The currency of the price and the limit; shown to operators.
        tags: Tags of every job, for the bill of AWS, each as ``name=value``.
        metadata: User metadata of every job, for the deployer's own programs, each as
            ``name=value``.
        deadline_s: The seconds after which a job is cancelled and submitted once more.
    """

    role: str = attrs.field()
    region: str = attrs.field()
    queue: str = ""
    endpoint: str = attrs.field(default="", validator=check_endpoint)
    access_key: str = attrs.field(default="", repr=False)
    secret_key: str = attrs.field(default="", repr=False)
    writes_to: str = attrs.field(default="")
    price_class: str = attrs.field(default=ON_DEMAND)
    acceleration: str = attrs.field(default="DISABLED")
    priority: int = attrs.field(default=0)
    price_per_minute: float = attrs.field(default=0.0, validator=check_price)
    daily_limit: float = attrs.field(default=0.0, validator=check_daily_limit)
    currency: str = attrs.field(default="USD", validator=check_currency)
    tags: tuple[str, ...] = attrs.field(default=())
    metadata: tuple[str, ...] = attrs.field(default=())
    deadline_s: int = attrs.field(default=24 * 3600, validator=check_deadline_s)

    def __attrs_post_init__(self) -> None:
        """Refuse options that contradict one another, or need another option."""
        if bool(self.access_key) != bool(self.secret_key):
            raise ValueError(
                "access_key and secret_key belong together; set both or none"
            )
        if self.price_class == RESERVED:
            if not self.queue:
                raise ValueError("price_class reserved needs queue, the reserved queue")
            if self.acceleration != "DISABLED":
                raise ValueError(
                    "acceleration is not possible in a reserved queue; set it to DISABLED"
                )
            if self.daily_limit:
                raise ValueError(
                    "daily_limit is for on-demand queues; a reserved one costs the same "
                    "however much it makes"
                )
        elif self.daily_limit and not self.price_per_minute:
            raise ValueError("daily_limit needs price_per_minute")

    @role.validator
    def _check_role(self, _: object, value: str) -> None:
        if not _ROLE.fullmatch(value):
            raise ValueError(
                "role must be the ARN of an IAM role, such as "
                f"arn:aws:iam::123456789012:role/MediaConvert, not {value!r}"
            )

    @region.validator
    def _check_region(self, _: object, value: str) -> None:
        if not _REGION.fullmatch(value):
            raise ValueError(f"region must be one such as eu-central-1, not {value!r}")

    @secret_key.validator
    def _check_secret_key(self, _: object, value: str) -> None:
        # A key pasted with its line breaks; not repeated, it is a secret.
        if not value.isprintable():
            raise ValueError("secret_key must be one line")

    @writes_to.validator
    def _check_writes_to(self, _: object, value: str) -> None:
        if value and not _PLACE.fullmatch(value):
            raise ValueError(
                "writes_to must be the storage's place in S3, such as "
                f"s3://bucket/videos, not {value!r}"
            )

    @price_class.validator
    def _check_price_class(self, _: object, value: str) -> None:
        if value not in PRICE_CLASSES:
            raise ValueError(
                f"price_class must be {' or '.join(PRICE_CLASSES)}, not {value!r}"
            )

    @acceleration.validator
    def _check_acceleration(self, _: object, value: str) -> None:
        if value not in ACCELERATIONS:
            raise ValueError(
                f"acceleration must be one of {', '.join(ACCELERATIONS)}, not {value!r}"
            )

    @priority.validator
    def _check_priority(self, _: object, value: int) -> None:
        if not -50 <= value <= 50:  # noqa: PLR2004 - MediaConvert's
            raise ValueError(f"priority must be from -50 to 50, not {value}")

    @tags.validator
    def _check_tags(self, _: object, value: tuple[str, ...]) -> None:
        _require_pairs("tags", value)

    @metadata.validator
    def _check_metadata(self, _: object, value: tuple[str, ...]) -> None:
        _require_pairs("metadata", value)


def pairs(texts: tuple[str, ...]) -> Mapping[str, str]:
    """Return the values of pairs by their names, from texts ``name=value``."""
    found = (text.partition("=") for text in texts)
    return MappingProxyType({name.strip(): value.strip() for name, _, value in found})


def _require_pairs(option: str, texts: tuple[str, ...]) -> None:
    for text in texts:
        name, found, value = text.partition("=")
        is_ours = name.strip() == KEY or name.strip().startswith("aws:")
        fits = 0 < len(name) <= _TEXT_CHARS // 2 and len(value) <= _TEXT_CHARS
        if not found or is_ours or not fits or not text.isprintable():
            raise ValueError(
                f"{option} must be pairs such as team=video, without {KEY} and what "
                f"begins with aws:; not {text!r}"
            )
    if len(texts) > MOST_PAIRS:
        raise ValueError(
            f"{option} must be at most {MOST_PAIRS} pairs, not {len(texts)}"
        )
