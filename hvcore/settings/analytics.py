"""The settings of the backends that count served segments."""

import re
from collections.abc import Mapping
from typing import Any, Final

import attrs

_COUNTRY_HEADER: Final = re.compile(
    # No other header is looked for a country, so that none costs anything.
    r"(?=[A-Za-z0-9-]*country)[A-Za-z0-9-]{1,64}",
    re.IGNORECASE,
)
MOST_MINUTES_RETENTION_DAYS: Final = 3_660
"""Ten years: as good as ever."""


@attrs.frozen(kw_only=True)
class AnalyticsSettings:
    """
    The settings of the backends that count served segments.

    Attributes:
        sinks: The names of all backends that count.
        store: The name of the counting backend that answers queries.
        options: The options of the backends, by their names.
        spool_dir: The folder in which counts wait for the sinks, on a disk of this
            machine; in the data folder if relative, ``spool`` there if empty.
        minutes_retention_days: How long counts by minute are stored; counts by day are
            stored for ever.
        country_header: The header in which a proxy in front of delivery sends the
            viewer's country; none is trusted if empty.
        referrers: Whether segments are also counted by the host of the page.
        playback_sessions: Whether players may report startup time, rebuffering and
            errors of a session, for the report ``playback-quality``.
    """

    sinks: tuple[str, ...] = ("sql",)
    store: str = "sql"
    options: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    spool_dir: str = ""
    minutes_retention_days: int = attrs.field(default=3)
    country_header: str = attrs.field(default="")
    referrers: bool = False
    playback_sessions: bool = False

    @country_header.validator
    def _check_country_header(self, field: "attrs.Attribute[str]", value: str) -> None:
        if value and not _COUNTRY_HEADER.fullmatch(value):
            raise ValueError(
                f'{field.name} must be the name of a header that has "country" in it, '
                f"such as CF-IPCountry, not {value!r}"
            )

    @minutes_retention_days.validator
    def _check_minutes_retention_days(
        self, field: "attrs.Attribute[int]", value: int
    ) -> None:
        if not 1 <= value <= MOST_MINUTES_RETENTION_DAYS:
            raise ValueError(
                f"{field.name} must be from 1 to {MOST_MINUTES_RETENTION_DAYS} days, "
                f"not {value}"
            )
