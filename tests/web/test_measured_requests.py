"""
Requests are counted by route, method and status.
"""

import falcon
import pytest
from falcon.testing import TestClient

from hvcore import metrics
from hvcore.errors import NotFoundError
from hvcore.metrics.measuring import unmeasured
from hvcore_web.app import make_app
from hvcore_web.cors import ANY_ORIGIN
from tests.metrics.readings import Growth


class Things:
    def on_get(self, _req: falcon.Request, resp: falcon.Response, *, name: str) -> None:
        if name == "crash":
            raise RuntimeError
        if name == "none":
            raise NotFoundError
        resp.text = name


@pytest.fixture
def client() -> TestClient:
    metrics.switch_on()
    app = make_app(name="test", cors=ANY_ORIGIN)
    app.add_route("/things/{name}", Things())
    return TestClient(app)


@pytest.mark.filterwarnings("ignore:Unknown REQUEST_METHOD")
@pytest.mark.parametrize(
    ("asked", "status", "counted"),
    [
        ("GET /things/a", "200", "GET /things/{name}"),
        ("GET /things/none", "404", "GET /things/{name}"),
        ("GET /things/crash", "500", "GET /things/{name}"),
        ("DELETE /things/a", "405", "DELETE /things/{name}"),
        ("GET /some/secret", "404", "GET other"),
        ("INVENTED /things/a", "405", "other /things/{name}"),
    ],
)
def test_a_request_is_counted_once_under_its_route(
    client: TestClient, asked: str, status: str, counted: str
) -> None:
    method, _, route = counted.partition(" ")
    labels = {"app": "test", "route": route, "method": method}
    found = Growth(
        {
            "hv_http_requests_total": {**labels, "status": status},
            "hv_http_request_duration_seconds_count": labels,
        }
    )

    assert client.simulate_request(*asked.split()).status_code == int(status)

    assert set(found.of_all().values()) == {1}


def test_a_request_made_only_to_judge_counts_nothing(client: TestClient) -> None:
    labels = {
        "app": "test",
        "route": "/things/{name}",
        "method": "GET",
        "status": "200",
    }
    found = Growth({"hv_http_requests_total": labels})

    with unmeasured():
        client.simulate_get("/things/a")

    assert found.of_all() == {"hv_http_requests_total": 0}
