"""
How HTTP caches are told what to forget: the settings.
"""

from enum import Enum

import attrs


class PurgeStyle(Enum):
    """
    How a cache is told.

    BAN: ``BAN`` with the path's pattern in ``X-Ban-Url``, as Varnish's configuration
    takes it. WILDCARD: ``PURGE`` of the path with ``*`` behind it, as nginx takes it.
    PREFIXES: ``POST`` of a JSON list, ``{"prefixes": ["host/path", …]}``, as CDNs take it.
    """

    BAN = "ban"
    WILDCARD = "wildcard"
    PREFIXES = "prefixes"


@attrs.frozen(kw_only=True)
class HttpPurgeOptions:
    """
    Settings under ``[edge.options.http]``.

    Attributes:
        urls: Addresses of the caches, or of the CDN's API, separated by commas. Each of
            them is told everything.
        style: See PurgeStyle.
        token: Sent in ``token_header``; empty: none is.
        token_header: ``Authorization`` takes it as ``Bearer``, others as it is.
        most_prefixes: How many are in one request of the style ``prefixes``.
        timeout_s: How long a cache may take for a request.
    """

    urls: str = attrs.field()
    style: PurgeStyle = PurgeStyle.BAN
    token: str = attrs.field(default="", repr=False)
    token_header: str = "Authorization"  # noqa: S105 - a name
    most_prefixes: int = attrs.field(default=30)
    timeout_s: float = attrs.field(default=10.0)

    @urls.validator
    def _check_urls(self, _: object, value: str) -> None:
        if not self.addresses or not all(
            one.startswith(("http://", "https://")) for one in self.addresses
        ):
            raise ValueError(f"urls must be http(s)://…, not {value!r}")

    @most_prefixes.validator
    def _check_most_prefixes(self, _: object, value: int) -> None:
        if value < 1:
            raise ValueError(f"most_prefixes must be 1 or more, not {value}")

    @timeout_s.validator
    def _check_timeout_s(self, _: object, value: float) -> None:
        if value <= 0:
            raise ValueError(f"timeout_s must be more than 0, not {value}")

    @property
    def addresses(self) -> tuple[str, ...]:
        """
        The single addresses.
        """
        return tuple(one for one in (u.strip() for u in self.urls.split(",")) if one)
