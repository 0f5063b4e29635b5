"""The settings of the queue ``sqs``."""

import re
from typing import Final

import attrs

from hvcore.plugin_api import Lane

LONGEST_NAME: Final = 80
"""Characters of a queue's name at SQS."""
MOST_WAIT_S: Final = 20
"""After more, the sweep puts a task a second time before anybody has looked."""
_PREFIX: Final = re.compile(r"[A-Za-z0-9_-]+")


@attrs.frozen(kw_only=True)
class SqsOptions:
    """
    Settings under ``[queue.options]``.

    Credentials are found where boto3 always looks: in ``AWS_…`` variables, in a
    profile, or in the role of the machine.

    Attributes:
        region: The region, such as ``eu-central-1``; empty: the one that boto3 finds.
        endpoint: The address of SQS; empty: AWS, in the region.
        prefix: The beginning of the names of the queues: ``hvcore-light``,
            ``hvcore-encode`` and so on.
        creates: Whether ``hv up`` and ``hv migrate`` make queues that are missing.
        wait_s: The seconds from one look into all lanes to the next of an idle consumer
            of several lanes, 1 to 20. SQS is paid by request.
        workers: How many encode workers all machines have together, which SQS cannot
            count. Videos are cut into parts accordingly.
        timeout_s: The seconds that SQS may take to accept a message; requests of the
            API wait for it. A message that is given up is put again by the sweep.
    """

    region: str = ""
    endpoint: str = attrs.field(default="")
    prefix: str = attrs.field(default="hvcore")
    creates: bool = True
    wait_s: int = attrs.field(default=1)
    workers: int = attrs.field(default=1)
    timeout_s: float = attrs.field(default=0.25)

    @endpoint.validator
    def _check_endpoint(self, _: object, value: str) -> None:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError(
                f"endpoint must be http(s)://…, not {value!r}; leave it out for AWS"
            )

    @prefix.validator
    def _check_prefix(self, _: object, value: str) -> None:
        most = LONGEST_NAME - 1 - max(len(lane.value) for lane in Lane)
        if not _PREFIX.fullmatch(value) or len(value) > most:
            raise ValueError(
                f"prefix must be 1 to {most} letters, digits, '-' and '_', not {value!r}"
            )

    @wait_s.validator
    def _check_wait_s(self, _: object, value: int) -> None:
        if not 1 <= value <= MOST_WAIT_S:
            raise ValueError(f"wait_s must be 1 to {MOST_WAIT_S} seconds, not {value}")

    @workers.validator
    def _check_workers(self, _: object, value: int) -> None:
        if value < 1:
            raise ValueError(f"workers must be 1 or more, not {value}")

    @timeout_s.validator
    def _check_timeout_s(self, _: object, value: float) -> None:
        if value <= 0:
            raise ValueError(f"timeout_s must be more than 0, not {value}")

    def name_of(self, lane: Lane) -> str:
        """Return the name of a lane's queue."""
        return f"{self.prefix}-{lane.value}"
