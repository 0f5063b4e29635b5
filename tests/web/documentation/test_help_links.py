"""Error answers link to the page of their code, where there are pages."""

from pathlib import Path

import pytest
from falcon.testing import TestClient

from hvcore_api.app import make_api
from hvcore_web.documentation import site
from tests.support.http.world import World


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(site, "FOLDER", tmp_path)
    return tmp_path


def test_an_error_links_to_the_page_that_explains_its_code(
    folder: Path, shared: World
) -> None:
    (folder / "index.html").write_text("<!doctype html>", encoding="utf-8")

    answer = TestClient(make_api(shared.services)).simulate_get("/v1/videos")

    assert answer.json["code"] == "unauthorized"
    page = "https://api.test/docs/errors/unauthorized"
    assert answer.headers["Link"] == f'<{page}>; rel="help"'


def test_an_error_of_an_api_without_documentation_links_nowhere(
    folder: Path, shared: World
) -> None:
    assert not [*folder.iterdir()]

    answer = TestClient(make_api(shared.services)).simulate_get("/v1/videos")

    assert "Link" not in answer.headers
