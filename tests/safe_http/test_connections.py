"""
Connections of safe requests: TLS, certificates, and addresses that do not answer.
"""

import pytest

from hvcore.safe_http import (
    OutboundError,
)
from tests.safe_http.conftest import SOURCE_NAME, Outside
from tests.safe_http.tls import read, tls_client
from tests.support.network.outbound import (
    MP4,
    Certificates,
    Source,
)


def test_tls_is_verified_against_the_name_and_the_server_is_asked_for_it(
    tls_source: Source, certificates: Certificates
) -> None:
    url = f"https://secure.test:{tls_source.port}/v?x=1"

    assert read(tls_client(certificates), url) == MP4

    (request,) = tls_source.requests
    assert request.sni == "secure.test"
    assert request.headers["host"] == f"secure.test:{tls_source.port}"
    assert request.path == "/v?x=1"


def test_a_post_over_tls_arrives_whole(
    tls_source: Source, certificates: Certificates
) -> None:
    body = bytes(range(256)) * 4096

    answer = tls_client(certificates).post(
        f"https://secure.test:{tls_source.port}/v",
        body=body,
        headers={"Content-Type": "application/json", "webhook-id": "msg_1"},
        timeout_s=10,
    )

    assert answer.status == 200
    assert answer.headers["content-type"] == "video/mp4"
    (request,) = tls_source.requests
    assert request.method == "POST"
    assert request.body == body
    assert request.headers["webhook-id"] == "msg_1"


def test_a_certificate_for_another_name_is_refused(
    tls_source: Source, certificates: Certificates
) -> None:
    with pytest.raises(OutboundError, match=r"certificate of other\.test"):
        read(tls_client(certificates), f"https://other.test:{tls_source.port}/v")

    assert tls_source.requests == []


def test_a_certificate_of_a_stranger_is_refused(tls_source: Source) -> None:
    with pytest.raises(OutboundError, match="not trusted"):
        read(tls_client(None), f"https://secure.test:{tls_source.port}/v")

    assert tls_source.requests == []


def test_a_certificate_can_name_an_address(
    tls_source: Source, certificates: Certificates
) -> None:
    client = tls_client(certificates, "127.0.0.0/8")

    assert read(client, f"https://127.0.0.1:{tls_source.port}/v") == MP4
    assert tls_source.requests[0].sni is None


def test_a_server_without_tls_is_an_error(
    outside: Outside, certificates: Certificates
) -> None:
    with pytest.raises(OutboundError, match="failed"):
        read(tls_client(certificates), f"https://secure.test:{outside.source.port}/v")


def test_the_next_address_is_tried_when_one_does_not_answer(outside: Outside) -> None:
    # 127.0.0.2 has no server on this port.
    outside.names.set(SOURCE_NAME, ["127.0.0.2", "127.0.0.1"])
    outside.source.gives("/v")

    assert read(outside.http, outside.source_url("/v")) == MP4


def test_a_host_that_takes_no_connection_is_an_error(outside: Outside) -> None:
    outside.names.set(SOURCE_NAME, ["127.0.0.2"])

    with pytest.raises(OutboundError, match="takes no connections"):
        read(outside.http, outside.source_url("/v"))
