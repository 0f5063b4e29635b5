"""The settings of logs, metrics and traces."""

from typing import Final

import attrs

TEXT: Final = "text"
JSON: Final = "json"
HIGHEST_PORT: Final = 65_535
MOST_DIGITS: Final = 5


def _is_format(_: object, __: object, value: str) -> None:
    if value not in {TEXT, JSON}:
        raise ValueError(f"log.format: must be text or json, not {value!r}")


@attrs.frozen(kw_only=True)
class LogSettings:
    """
    The settings of the logs of all processes.

    Attributes:
        format: The format of a log line: ``text`` for people, ``json`` for programs.
    """

    format: str = attrs.field(default=TEXT, validator=_is_format)


@attrs.frozen(kw_only=True)
class TracesSettings:
    """
    The settings of the traces of all processes.

    Attributes:
        enabled: Whether traces are sent to an OpenTelemetry collector, which the
            variables ``OTEL_*`` name; needs the extra ``otel``.
    """

    enabled: bool = False


@attrs.frozen(kw_only=True)
class MetricsSettings:
    """
    The settings of the metrics of all processes of this machine.

    Attributes:
        listen: The place where Prometheus reads the metrics: a port of this machine alone,
            or an address and a port. If empty, nothing is measured.
    """

    listen: str = attrs.field(default="")

    @listen.validator
    def _check_listen(self, _: object, value: str) -> None:
        if value:
            read_listen(value)

    @property
    def address(self) -> tuple[str, int]:
        """Return the host and the port of the metrics; call it only if ``listen`` is set."""
        return read_listen(self.listen)


def read_listen(text: str) -> tuple[str, int]:
    """
    Return the host and the port in a text that is a port, or an address and a port.

    Raises:
        ValueError: The text is neither.
    """
    host, _, port = text.rpartition(":")
    is_number = port.isascii() and port.isdecimal() and len(port) <= MOST_DIGITS
    if not is_number or not 1 <= int(port) <= HIGHEST_PORT:
        raise ValueError(
            "metrics.listen: must be a port, or an address and a port such as "
            f"10.0.0.5:9464, not {text!r}"
        )
    return host.strip("[]") or "127.0.0.1", int(port)
