"""
Faults of plugins that show at work: in a request, and in a command.
"""

import importlib
import logging

import falcon
import pytest
from falcon.testing import TestClient

from hvcore.registry import load_plugins
from hvcore_cli.main import run
from hvcore_web.app import make_app
from hvcore_web.cors import ANY_ORIGIN
from tests.plugin_faults.broken_plugins import CHECKING, RAISING_SINK
from tests.plugin_faults.planting import Plant


def test_a_request_that_a_plugin_fails_names_it_in_the_log_alone(
    plant: Plant, caplog: pytest.LogCaptureFixture
) -> None:
    planted = plant(CHECKING["a ping that raises what no port knows"])
    load_plugins(planted.settings)
    backend = importlib.import_module(planted.file.stem).Wrong()

    class Asking:
        def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
            del req, resp
            backend.ping()

    app = make_app(cors=ANY_ORIGIN)
    app.add_route("/ask", Asking())

    with caplog.at_level(logging.ERROR, "hvcore_web.errors"):
        answer = TestClient(app).simulate_get("/ask")

    assert answer.status_code == 500
    assert answer.json["code"] == "internal_error"
    assert planted.file.stem not in answer.text
    (record,) = caplog.records
    assert vars(record)["hv_plugin"] == f"Plugin {planted.file.stem} (HV_PLUGINS)"
    assert (vars(record)["hv_file"], vars(record)["hv_line"]) == (
        str(planted.file),
        planted.broken.line,
    )


def test_a_command_that_a_plugin_fails_is_no_bug_of_hv(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    planted = plant(RAISING_SINK)
    for name, value in planted.environ.items():
        monkeypatch.setenv(name, value)

    status = run(["--data", str(planted.settings.data_dir), "migrate"])

    said = capfd.readouterr().err
    assert status == 1
    planted.assert_told([said])
    assert "bug in hv" not in said
    assert "Traceback" not in said
