"""The settings of shares: how much of a common resource one client may hold."""

from typing import Any, Final

import attrs

MOST_COUNTED: Final = 1_000_000
_ALL_PERCENT: Final = 100


def _between(least: int, most: int) -> Any:  # noqa: ANN401 - attrs' own type
    def check(_: object, _field: object, value: int) -> None:
        if not least <= value <= most:
            raise ValueError(
                f"must be a whole number from {least} to {most:,}, not {value}"
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
    The share of the service that one organization holds while others need it.

    If the caller is unknown, this is the share of a client address. Counts hold for
    one process, unless it says otherwise.

    Attributes:
        encoders_percent: Of all encode workers.
        encoders_reserved: Encode workers of ``hv up`` beside the others, which take
            only work of organizations that have none, while others have. 0 for none.
        threads_of_one: Threads that answer requests.
        threads_reserved: Further threads, only for clients that hold none.
        connections_of_one: Open connections of an address.
        uploads_of_one: Bodies that are received at a time.
        upload_room_percent: Of the free disk, for files that are on their way; for all
            processes of a machine.
        renders_of_one: Thumbnails that are made at a time.
        name_lookups_of_one: Host names that are looked up at a time.
        log_lines_of_one: Lines about refused requests in a minute, of one kind.
        live_sessions_of_one: Viewers that are followed as viewers of now.
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
