"""
A service that plays videos, and requests to it that are refused.
"""

import logging
from typing import Any

import pytest

from tests.support.http.cinema import Cinema
from tests.web.refused_requests import (
    LOG,
    Refused,
    says_the_same_as_ever,
    sent,
    the_line,
)


@pytest.fixture
def refused(cinema: Cinema, caplog: pytest.LogCaptureFixture) -> Refused:
    """
    Send a request that is refused; return the status and the rule of the log.
    """
    caplog.set_level(logging.INFO, logger=LOG)

    def send(path: str, query: str = "", **more: Any) -> tuple[int, str]:  # noqa: ANN401 - of the client
        caplog.clear()
        result = sent(cinema, path, query, **more)
        record = the_line(caplog)
        assert record["hv_status"] == result.status_code
        assert record["hv_request_id"] == result.headers["X-Request-Id"]
        if more.get("method") != "HEAD":
            says_the_same_as_ever(result)
        # This one is the documented code, too.
        text = result.text.replace('"code":"method_not_allowed"', "")
        assert record["hv_rule"] not in text
        return result.status_code, str(record["hv_rule"])

    return send
