"""The processes of the service on one machine."""

from datetime import datetime

import attrs


@attrs.frozen(kw_only=True)
class ServiceProcess:
    """
    Describe a process that ``hv up`` keeps running.

    Attributes:
        name: The process's name, such as ``encode-1``; its log file has the same name.
        pid: The operating system's process id; None while the process is not running,
            because it ended a moment ago.
        started_at: When the process was last started.
        starts: How often the process was started; 1 if it never ended by itself.
    """

    name: str
    pid: int | None
    started_at: datetime
    starts: int
