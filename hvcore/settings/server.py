"""The settings of server processes: how they end, and how they show that they live."""

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
    The settings of the service's processes that run alone, the servers first.

    Attributes:
        shutdown_delay_s: How many seconds a server that runs alone goes on after
            SIGTERM: it says that it is not ready, and still takes requests, before it
            ends.
        heartbeat_path: A file whose modification time every process updates while it
            works, for a probe of its container. Each container needs its own file; if
            empty, there is none.
    """

    shutdown_delay_s: float = attrs.field(default=5.0, validator=_is_a_delay)
    heartbeat_path: str = ""
