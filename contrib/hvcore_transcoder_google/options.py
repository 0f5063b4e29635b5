"""The settings of the transcoder ``google``."""

import json
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
from hvcore_transcoder_google.job_requests import INTERACTIVE, KEY_LABEL, MODES

MOST_LABELS: Final = 60
"""How many labels a deployer may set; Google allows a job 64, and hvcore adds one."""
_PROJECT: Final = re.compile(r"([a-z0-9.-]+:)?[a-z0-9][a-z0-9-]{4,28}[a-z0-9]")
_LOCATION: Final = re.compile(r"[a-z]+(-[a-z]+)+[0-9]+")
_PLACE: Final = re.compile(r"gs://[a-z0-9][a-z0-9._-]{1,220}(/[^\s$\"?#]*)?")
_LABEL_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_LABEL_VALUE: Final = re.compile(r"[a-z0-9_-]{0,63}")
_MOST_PRIORITY: Final = 1000


@attrs.frozen(kw_only=True)
class GoogleTranscoderOptions:
    """
    Hold the settings under ``[transcoder.options]`` of the transcoder ``google``.

    Attributes:
        project: The id or the number of the Google project that pays.
        location: The region in which jobs run, such as ``europe-west1``; best that of
            the bucket.
        credentials: The content of a JSON file with the credentials of a service account
            or of another identity; "" for the credentials of the machine (application
            default credentials).
        endpoint: The address of the Transcoder API; "" for Google's own. To an address
            with ``http://`` no credentials are sent.
        writes_to: Google's address of the root of the storage, ``gs://bucket/prefix``;
            "" for the address in ``storage.options.url``.
        mode: ``interactive``, or ``batch`` for jobs that may wait.
        priority: The priority of batch jobs, from 0; higher priorities come first.
        price_per_minute: The price of a minute of SD video, in the currency. HD counts
            twice, UHD four times, sound a third.
        daily_limit: The estimated cost of a day (UTC) above which no job is submitted;
            0 for no limit.
        currency: The currency of the price and the limit; shown to operators.
        labels: Labels of every job, for Google's bill, each as ``name=value``.
        deadline_s: The seconds after which a job is deleted and submitted once more.
    """

    project: str = attrs.field()
    location: str = attrs.field()
    credentials: str = attrs.field(default="", repr=False)
    endpoint: str = attrs.field(default="", validator=check_endpoint)
    writes_to: str = attrs.field(default="")
    mode: str = attrs.field(default=INTERACTIVE)
    priority: int = attrs.field(default=0)
    price_per_minute: float = attrs.field(default=0.0, validator=check_price)
    daily_limit: float = attrs.field(default=0.0, validator=check_daily_limit)
    currency: str = attrs.field(default="USD", validator=check_currency)
    labels: tuple[str, ...] = attrs.field(default=())
    deadline_s: int = attrs.field(default=24 * 3600, validator=check_deadline_s)

    def __attrs_post_init__(self) -> None:
        """Refuse a priority outside of batch mode, and a daily limit without a price."""
        if self.priority and self.mode == INTERACTIVE:
            raise ValueError("priority is for batch jobs; set mode to batch")
        if self.daily_limit and not self.price_per_minute:
            raise ValueError("daily_limit needs price_per_minute")

    @property
    def parent(self) -> str:
        """The API's name of the parent of all jobs, ``projects/…/locations/…``."""
        return f"projects/{self.project}/locations/{self.location}"

    @project.validator
    def _check_project(self, _: object, value: str) -> None:
        if not _PROJECT.fullmatch(value):
            raise ValueError(
                f"project must be a project's id such as my-videos, not {value!r}"
            )

    @location.validator
    def _check_location(self, _: object, value: str) -> None:
        if not _LOCATION.fullmatch(value):
            raise ValueError(
                f"location must be one such as europe-west1, not {value!r}"
            )

    @credentials.validator
    def _check_credentials(self, _: object, value: str) -> None:
        # Not repeated, it is a secret.
        if value and not _is_object_with_type(value):
            raise ValueError(
                "credentials must be the content of a JSON file of Google's, with a type"
            )

    @writes_to.validator
    def _check_writes_to(self, _: object, value: str) -> None:
        if value and not _PLACE.fullmatch(value):
            raise ValueError(
                "writes_to must be the storage's place in Google's store, such as "
                f"gs://bucket/videos, not {value!r}"
            )

    @mode.validator
    def _check_mode(self, _: object, value: str) -> None:
        if value not in MODES:
            raise ValueError(f"mode must be {' or '.join(MODES)}, not {value!r}")

    @priority.validator
    def _check_priority(self, _: object, value: int) -> None:
        if not 0 <= value <= _MOST_PRIORITY:
            raise ValueError(
                f"priority must be from 0 to {_MOST_PRIORITY}, not {value}"
            )

    @labels.validator
    def _check_labels(self, _: object, value: tuple[str, ...]) -> None:
        for text in value:
            name, found, worth = text.partition("=")
            is_ours = name == KEY_LABEL or not _LABEL_NAME.fullmatch(name)
            if not found or is_ours or not _LABEL_VALUE.fullmatch(worth):
                raise ValueError(
                    "labels must be pairs such as team=video, of small letters, digits, "
                    f"_ and -, at most 63 of them, and without {KEY_LABEL}; not {text!r}"
                )
        if len(value) > MOST_LABELS:
            raise ValueError(
                f"labels must be at most {MOST_LABELS} pairs, not {len(value)}"
            )


def _is_object_with_type(text: str) -> bool:
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) and isinstance(found.get("type"), str)


def label_pairs(texts: tuple[str, ...]) -> Mapping[str, str]:
    """Return the values of labels by their names, from texts ``name=value``."""
    found = (text.partition("=") for text in texts)
    return MappingProxyType({name: value for name, _, value in found})
