"""
Record traces for OpenTelemetry, from a request through its tasks to the encoder.

Off at first, and then nothing of OpenTelemetry is imported. When tracing is on, spans are sent to
a collector by OTLP over HTTP; the variables OTEL_* name the collector and the sampling. Spans
have ids, routes and outcomes, never a URL with its query or the text of an exception: tokens may
be in them.
"""

import importlib.util
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final

from hvcore.errors import ConfigError
from hvcore.extras import missing_module

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

PARENT: Final = "traceparent"
"""As W3C Trace Context calls it: of a request's headers, and of a task's payload."""
_NEEDED: Final = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
_PROTOCOL: Final = "http/protobuf"
_PROTOCOL_NAMES: Final = (
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
)
SERVER: Final = "SERVER"
CONSUMER: Final = "CONSUMER"
INTERNAL: Final = "INTERNAL"

Attributes = Mapping[str, str | int]


class Traced:
    """
    A span (a timed step of a trace) that has begun; its methods rename it and record its attributes and outcome.

    Does nothing if traces are off.
    """

    def __init__(self, span: "Span | None" = None) -> None:
        self._span = span

    def rename(self, name: str) -> None:
        """Rename the span, if its name is known only at its end."""
        if self._span is not None:
            self._span.update_name(name)

    def note(self, attributes: Attributes) -> None:
        """Add attributes to the span that became known during the span."""
        if self._span is not None:
            self._span.set_attributes(dict(attributes))

    def fail(self) -> None:
        """Mark the span as failed, without the reason, which may contain secrets."""
        if self._span is not None:
            from opentelemetry.trace import StatusCode  # noqa: PLC0415 - see above

            self._span.set_status(StatusCode.ERROR)


_UNTRACED: Final = Traced()


class _Traces:
    """
    The tracer of this process, with the exporter to the collector.

    Made before a fork and used after it: the thread that sends begins with the first
    span.
    """

    def __init__(self, process: str) -> None:
        self._process = process

    @cached_property
    def provider(self) -> "TracerProvider":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 - see above
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - see above
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - see above
        from opentelemetry.sdk.trace.export import (  # noqa: PLC0415 - see above
            BatchSpanProcessor,
        )

        named = Resource.create({"hv.process": self._process})
        if str(named.attributes["service.name"]).startswith("unknown_service"):
            named = named.merge(Resource({"service.name": "hvcore"}))
        provider = TracerProvider(resource=named)
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        return provider

    @contextmanager
    def span(
        self, name: str, kind: str, parent: str | None, attributes: Attributes
    ) -> Iterator[Traced]:
        from opentelemetry.trace import SpanKind  # noqa: PLC0415 - see above

        tracer = self.provider.get_tracer("hvcore")
        with tracer.start_as_current_span(
            name,
            context=_context_of(parent),
            kind=SpanKind[kind],
            attributes=dict(attributes),
            # Its text may hold an address with a token.
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            traced = Traced(span)
            try:
                yield traced
            except BaseException:
                traced.fail()
                raise

    def close(self) -> None:
        if "provider" in vars(self):
            self.provider.shutdown()


_traces: _Traces | None = None


def switch_on(process: str) -> None:
    """
    Make this process and its forks send traces to the collector.

    Args:
        process: The kind of the process, such as ``api``.

    Raises:
        ConfigError: The extra ``otel`` is not installed, or the OTEL_* variables allow only
            another protocol than OTLP over HTTP.
    """
    global _traces  # noqa: PLW0603 - of the process, as the standard library's logging is
    if not all(map(_is_installed, _NEEDED)):
        raise ConfigError(
            f"traces.enabled needs OpenTelemetry: {missing_module('opentelemetry')}"
        )
    for name in _PROTOCOL_NAMES:
        wanted = os.environ.get(name, _PROTOCOL)
        if wanted != _PROTOCOL:
            raise ConfigError(
                f"{name} is {wanted}; traces are sent by {_PROTOCOL}. Take it out, and "
                "name the collector's port for HTTP, which is 4318."
            )
    _traces = _Traces(process)


def switch_off() -> None:
    """Send the spans that were not sent yet to the collector, and stop tracing."""
    global _traces
    before, _traces = _traces, None
    if before is not None:
        before.close()


def is_on() -> bool:
    """Return whether this process sends traces."""
    return _traces is not None


@contextmanager
def span(
    name: str,
    *,
    kind: str = INTERNAL,
    parent: str | None = None,
    attributes: Attributes | None = None,
) -> Iterator[Traced]:
    """
    Record the block as a span of the trace, and yield the span as a Traced.

    Args:
        kind: SERVER, CONSUMER or INTERNAL.
        parent: A ``traceparent`` text; None continues the present trace of this thread.
    """
    if _traces is None:
        yield _UNTRACED
        return
    with _traces.span(name, kind, parent, attributes or {}) as traced:
        yield traced


def current_parent() -> str | None:
    """Return the ``traceparent`` of this thread's present span; None if there is none."""
    if _traces is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415 - see above
        TraceContextTextMapPropagator,
    )

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get(PARENT)


def _context_of(parent: str | None) -> "Context | None":
    if parent is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415 - see above
        TraceContextTextMapPropagator,
    )

    # What is no traceparent begins a new trace.
    return TraceContextTextMapPropagator().extract({PARENT: parent})


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
