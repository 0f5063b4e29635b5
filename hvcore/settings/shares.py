"""The settings of shares: how much of a common resource one client may hold."""

from typing import Any, Final

import attrs

MOST_COUNTED: Final = 1_000_000
_ALL_PERCENT: Final = 100


def _between(least: int, most: int) -> Any:  # noqa: ANN401 - attrs' own type
    def check(_: object, field: "attrs.Attribute[int]", value: int) -> None:
        if not least <= value <= most:
            raise ValueError(
                f"{field.name} must be a whole number from {least} to {most:,}, not "
                f"{value}"
            )

    return check


def _count(default: int) -> Any:  # noqa: ANN401 - attrs.field's own type
    return attrs.field(default=default, validator=_between(1, MOST_COUNTED))


def _count_or_none(default: int) -> Any:  # noqa: ANN401 - attrs.field's own type
    return attrs.field(default=default, validator=_between(0, MOST_COUNTED))


def _percent(default: int) -> Any:  # noqa: ANN401 - attrs.field's own type
    return attrs.field(default=default, validator=_between(1, _ALL_PERCENT))


@attrs.frozen(kw_only=True)
class ShareSettings:
    """
    The settings of one organization's share of the service while others need it.

    If the caller is unknown, the share is that of a client address. Numbers hold for
    one process, unless the line says otherwise.

    Attributes:
        encoders_percent: The percentage of all encode workers that one organization may
            use.
        encoders_reserved: The number of further encode workers of ``hv up``, which take
            only work of organizations without a running encode while others have one. 0
            for none.
        threads_of_one: How many of the threads that answer requests one client may use.
        threads_reserved: The number of further threads, only for clients that use none.
        connections_of_one: How many open connections one address may have.
        uploads_of_one: How many request bodies are received from one client at a time.
        upload_room_percent: The percentage of the free disk for one client's files that
            are being received; for all processes of a machine.
        renders_of_one: How many thumbnails are made for one client at a time.
        name_lookups_of_one: How many host names are looked up for one client at a time.
        log_lines_of_one: How many lines about one client's refused requests of one kind
            are logged in a minute.
        live_sessions_of_one: How many sessions of one organization are followed as
            current viewers.
    """

    encoders_percent: int = _percent(50)
    encoders_reserved: int = _count_or_none(1)
    threads_of_one: int = _count(8)
    threads_reserved: int = _count(8)
    connections_of_one: int = _count(200)
    uploads_of_one: int = _count(4)
    upload_room_percent: int = _percent(50)
    renders_of_one: int = _count(2)
    name_lookups_of_one: int = _count(4)
    log_lines_of_one: int = _count(10)
    live_sessions_of_one: int = _count(20_000)
