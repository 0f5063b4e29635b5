"""The settings of ending processes and of watching over them."""

from typing import Final

import attrs

LONGEST_DELAY_S: Final = 300


def _is_a_delay(_: object, __: object, value: float) -> None:
    if not 0 <= value <= LONGEST_DELAY_S:
        raise ValueError(
            f"server.shutdown_delay_s must be between 0 and {LONGEST_DELAY_S}, not "
            f"{value}"
        )


@attrs.frozen(kw_only=True)
class ServerSettings:
    """
    The processes of the service that run alone, the servers first.

    Attributes:
        shutdown_delay_s: After SIGTERM: how long a server that runs alone says that it
            is not ready, and still takes requests, before it ends.
        heartbeat_path: A file whose time every process sets while it goes on, for a probe
            of its container. It must be a container's own; none if empty.
    """

    shutdown_delay_s: float = attrs.field(default=5.0, validator=_is_a_delay)
    heartbeat_path: str = ""
