"""
A client of the upload server.
"""

import pytest
from falcon.testing import TestClient

from hvcore_upload.app import make_app
from tests.support.http.world import World


@pytest.fixture
def client(api: World) -> TestClient:
    return TestClient(make_app(api.services))
