"""The processes of the service on one machine."""

from datetime import datetime

import attrs


@attrs.frozen(kw_only=True)
class ServiceProcess:
    """
    A process that ``hv up`` keeps running.

    Attributes:
        name: Such as ``encode-1``; its log file has the same one.
        pid: None while it is not running, because it ended a moment ago.
        started_at: When it was last started.
        starts: How often; 1 if it never ended by itself.
    """

    name: str
    pid: int | None
    started_at: datetime
    starts: int
