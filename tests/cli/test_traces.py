"""
Processes that are to trace, and cannot.
"""

from tests.cli.conftest import Hv


def test_a_process_that_cannot_trace_says_why_and_does_not_start(migrated: Hv) -> None:
    outcome = migrated(
        "sweep", HV_TRACES__ENABLED="true", OTEL_EXPORTER_OTLP_PROTOCOL="grpc"
    )

    assert outcome.status == 1
    assert "4318" in outcome.stderr
    assert "Traceback" not in outcome.stderr
