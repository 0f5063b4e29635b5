"""
A collector of OpenTelemetry: takes spans by OTLP over HTTP, and keeps them.
"""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import attrs
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


@attrs.frozen(kw_only=True)
class ReceivedSpan:
    """
    A span as it came.

    Attributes:
        resource: What it says of the process.
    """

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    is_error: bool
    attributes: dict[str, str]
    resource: dict[str, str]


@attrs.define
class OtlpReceiver:
    """
    What has come so far.
    """

    endpoint: str = ""
    spans: list[ReceivedSpan] = attrs.field(factory=list)
    raw: bytes = b""

    def take(self, body: bytes) -> None:
        """
        Keep the spans of one request.
        """
        self.raw += body
        request = ExportTraceServiceRequest.FromString(body)
        for of_resource in request.resource_spans:
            resource = _texts(of_resource.resource.attributes)
            for of_scope in of_resource.scope_spans:
                self.spans += [
                    ReceivedSpan(
                        name=span.name,
                        trace_id=span.trace_id.hex(),
                        span_id=span.span_id.hex(),
                        parent_id=span.parent_span_id.hex(),
                        is_error=span.status.code == span.status.STATUS_CODE_ERROR,
                        attributes=_texts(span.attributes),
                        resource=resource,
                    )
                    for span in of_scope.spans
                ]


@contextmanager
def receiving() -> Iterator[OtlpReceiver]:
    """
    Listen on a free port of this machine.
    """
    receiver = OtlpReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers["Content-Encoding"] == "gzip":
                body = gzip.decompress(body)
            receiver.take(body)
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """
            Say nothing.
            """

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        receiver.endpoint = f"http://127.0.0.1:{server.server_port}"
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()


def _texts(attributes) -> dict[str, str]:  # type: ignore[no-untyped-def]  # noqa: ANN001 - the library's own
    return {
        one.key: one.value.string_value or str(one.value.int_value)
        for one in attributes
    }
