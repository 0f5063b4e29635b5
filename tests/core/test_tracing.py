"""
Traces: one from the request through its tasks to the encoder, and none when off.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import falcon
import pytest
from falcon.testing import TestClient

from hvcore import tracing
from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.errors import ConfigError
from hvcore_web.app import make_app
from hvcore_web.cors import ANY_ORIGIN
from tests.services.conftest import World, make_world
from tests.support.network.otlp_receiver import OtlpReceiver, receiving

CALLERS = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Videos:
    def __init__(self, world: World) -> None:
        self._world = world

    def on_post(
        self, _req: falcon.Request, resp: falcon.Response, *, name: str
    ) -> None:
        if name == "crash":
            raise RuntimeError("secret-of-an-exception")
        resp.text = self._world.processed()


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtlpReceiver]:
    with receiving() as receiver:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint)
        tracing.switch_on("test")
        try:
            yield receiver
        finally:
            tracing.switch_off()


@pytest.fixture
def world(tmp_path: Path, collector: OtlpReceiver) -> Iterator[World]:
    with make_world(tmp_path, {}) as made:
        yield made


def client_of(world: World) -> TestClient:
    app = make_app(name="test", cors=ANY_ORIGIN)
    app.add_route("/videos/{name}", Videos(world))
    return TestClient(app)


def test_request_tasks_and_encoder_are_one_trace(
    world: World, collector: OtlpReceiver
) -> None:
    headers = {"traceparent": CALLERS, "X-Request-Id": "r-1"}
    client_of(world).simulate_post(
        "/videos/a?token=secret-of-a-viewer", headers=headers
    )

    world.run_tasks()
    tracing.switch_off()

    by_name = {span.name: span for span in collector.spans}
    assert {"POST /videos/{name}", "transcode.plan", "encoder"} <= set(by_name)
    assert {span.trace_id for span in collector.spans} == {CALLERS.split("-")[1]}
    request = by_name["POST /videos/{name}"]
    plan, part = by_name["transcode.plan"], by_name["transcode.part"]
    assert request.parent_id == CALLERS.split("-")[2]
    assert (plan.parent_id, part.parent_id) == (request.span_id, plan.span_id)
    encoders = [span for span in collector.spans if span.name == "encoder"]
    parts = {s.span_id for s in collector.spans if s.name == "transcode.part"}
    assert {span.parent_id for span in encoders} == parts
    assert request.attributes["http.response.status_code"] == "200"
    assert part.attributes["hv.request_id"] == "r-1"
    assert part.attributes["hv.outcome"] == "done"
    assert part.resource["service.name"] == "hvcore"
    assert b"secret-of" not in collector.raw


def test_a_fault_is_an_error_without_its_text(
    world: World, collector: OtlpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    client_of(world).simulate_post("/videos/crash")
    client_of(world).simulate_post("/videos/a")

    def fail(*_: object) -> None:
        raise TranscodeError("secret-of-an-encoder")

    monkeypatch.setattr(world.transcoder, "run", fail)
    world.run_tasks()
    tracing.switch_off()

    failed = {span.name for span in collector.spans if span.is_error}
    assert failed == {"POST /videos/{name}", "transcode.part", "encoder"}
    assert b"secret-of" not in collector.raw


def test_what_is_no_traceparent_begins_a_new_trace(
    world: World, collector: OtlpReceiver
) -> None:
    headers = {"traceparent": "00-zz"}
    assert (
        client_of(world).simulate_post("/videos/a", headers=headers).status_code == 200
    )

    tracing.switch_off()

    assert [span.parent_id for span in collector.spans] == [""]


def test_off_nothing_is_loaded_and_tasks_carry_nothing() -> None:
    code = (
        "import sys; from hvcore import tracing; import hvcore_web.app;"
        "import hvcore.services.tasks.runs\n"
        "with tracing.span('x') as traced: traced.note({'a': 1}); traced.fail()\n"
        "assert tracing.current_parent() is None\n"
        "print([m for m in sys.modules if m.startswith('opentelemetry')])"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )

    assert done.stdout.strip() == "[]"


def test_another_protocol_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")

    with pytest.raises(ConfigError, match="4318"):
        tracing.switch_on("test")
    assert not tracing.is_on()


def test_without_the_extra_the_message_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)

    with pytest.raises(ConfigError, match=r"hvcore\[otel\]|--extra otel"):
        tracing.switch_on("test")
