"""
Faults of plugins that show at work: in a request, and in a command.
"""

import importlib
import logging

import falcon
import pytest
from falcon.testing import TestClient

from hvcore.assembly import build
from hvcore.registry import load_plugins
from hvcore_api.app import make_api
from hvcore_cli.main import run
from hvcore_web.app import make_app
from hvcore_web.cors import ANY_ORIGIN
from tests.plugin_faults.broken_plugins import AUTH, BrokenPlugin, other
from tests.plugin_faults.faults_at_work import CHECKING, RAISING_SINK
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


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("credentials.headers['x-acme']", "KeyError"),
        ("credentials.headers['X-Acme']", "KeyError"),
        ("'alice'", "has returned a str, and no Principal"),
        ("Principal(**{**ADA, 'org_id': 7})", "org_id is no text"),
        ("Principal(**{**ADA, 'permissions': ()})", "permissions are no frozenset"),
        ("Principal(**{**ADA, 'type': 'environment'})", "type is no KeyType"),
        ("Principal(**BEA, person='bea')", "person is no Person"),
    ],
)
def test_a_wrong_answer_of_an_auth_plugin_names_it_in_the_log_alone(
    plant: Plant, caplog: pytest.LogCaptureFixture, answer: str, said: str
) -> None:
    planted = plant(answering(answer))
    with build(planted.settings) as services:
        api = TestClient(make_api(services))

        with caplog.at_level(logging.ERROR, "hvcore_web.errors"):
            answered = api.simulate_get("/v1/whoami", headers={"Authorization": "me"})

    assert answered.json["code"] == "internal_error"
    assert planted.file.stem not in answered.text
    (record,) = caplog.records
    assert vars(record)["hv_plugin"] == f"Plugin {planted.file.stem} (HV_PLUGINS)"
    assert vars(record)["hv_file"] == str(planted.file)
    # The line that has raised, or where the method begins.
    line = planted.broken.line or 0
    assert vars(record)["hv_line"] in {line, line - 1}
    assert said in str(record.exc_info)


def answering(answer: str) -> BrokenPlugin:
    """
    Return a provider that answers something else than its port says.
    """
    code = other("hvcore_auth_providers", "AuthBackend", "return Odd()")
    odd = f"""\
ADA = dict(key_id="ada", type=KeyType.SYSTEM, org_id=None, env_id=None, permissions=frozenset())
BEA = dict(org_id="acme", env_id=None, permissions=frozenset())
class Odd(AuthProvider):
    def authenticate(self, credentials):
        return {answer}  # here
"""
    return BrokenPlugin(code=code + odd, environ=AUTH, said=(), fix="")


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
