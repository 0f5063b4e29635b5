"""
Files of captions, chapters and pictures may take longer to arrive than other bodies.
"""

import attrs
import pytest
from falcon.testing import TestClient

from tests.support.http.world import World


@attrs.define
class Connection:
    """
    Stands for a connection of the embedded server, and notes the time that a body gets.
    """

    within_s: float = 0.0

    def read_within(self, within_s: float) -> None:
        self.within_s = within_s


@pytest.mark.parametrize(
    ("method", "file", "content_type", "within_s"),
    [
        ("PUT", "captions/en", "text/vtt", 30),
        ("PUT", "chapters", "text/vtt", 30),
        ("POST", "thumbnail", "image/png", 60),
    ],
)
def test_a_slow_file_has_time_to_arrive(
    api: World, method: str, file: str, content_type: str, within_s: float
) -> None:
    connection = Connection()

    TestClient(api.client.app).simulate_request(
        method,
        f"/v1/videos/{api.ready()}/{file}",
        body=b"of any kind",
        headers={"X-Api-Key": api.key.value, "Content-Type": content_type},
        extras={"gunicorn.socket": connection},
    )

    assert connection.within_s == within_s
