"""
hv webhooks.
"""

import json
from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.domain.ids import WebhookId
from hvcore.domain.webhooks.events import EventKind, EventQuery
from hvcore.settings import load
from tests.cli.conftest import Hv
from tests.persistence.samples import video

URL = "https://127.0.0.1:8443/hook?token=s3cret"


@pytest.fixture
def hv(migrated: Hv, monkeypatch: pytest.MonkeyPatch) -> Hv:
    monkeypatch.setenv("HV_FETCH__ALLOWED_HOSTS", "127.0.0.1")
    assert migrated("orgs", "create", "org_acme").status == 0
    for name in ("live", "dev"):
        words = ("envs", "create", "org_acme", name, "--kind", "production")
        assert migrated(*words).status == 0
    return migrated


def added(hv: Hv, *words: str) -> dict[str, object]:
    outcome = hv(
        *("webhooks", "add", "--org", "org_acme", "--env", "live", URL, "--json"),
        *words,
    )
    assert outcome.status == 0, outcome.stderr
    return json.loads(outcome.stdout)


def listed(hv: Hv, *words: str) -> list[dict[str, object]]:
    outcome = hv("webhooks", "list", "--json", *words)
    assert outcome.status == 0, outcome.stderr
    return json.loads(outcome.stdout)["webhooks"]


def event_id(folder: Path) -> str:
    """
    Let a video fail; return the id of the event.
    """
    settings = load(config_path=None, environ={}, data_dir=folder).settings
    with build(settings, rings=False) as services:
        env = services.tenants.environment("org_acme", "live")
        made = video(org_id=env.org_id, env_id=env.id)
        assert made.job_id is not None
        made.mark_failed(made.job_id, "There is no picture.")
        with services.uow.write() as work:
            work.videos.add(made)
            work.commit()
        page = services.events.page(env, EventQuery(after=0, limit=1))
    return page.events[0].event.id


def test_the_events_of_a_webhook_are_listed_in_order(hv: Hv) -> None:
    kinds = sorted(k.value for k in EventKind if k.value.startswith("video."))
    added(hv, *(word for kind in reversed(kinds) for word in ("--event", kind)))

    (one,) = listed(hv)
    assert one["events"] == kinds


def test_a_new_webhook_is_one_json_document(hv: Hv) -> None:
    made = added(hv)

    assert str(made["webhookID"]).startswith("wh_")
    assert str(made["secret"]).startswith("whsec_")
    assert made["envID"] == "live"
    assert made["events"] == ["video.processing.completed", "video.processing.failed"]


def test_a_secret_is_shown_once_and_an_address_to_operators(hv: Hv) -> None:
    made = added(hv, "--event", "video.deleted")

    (record,) = listed(hv, "--org", "org_acme")

    assert (record["url"], record["events"]) == (URL, ["video.deleted"])
    assert str(made["secret"]) not in json.dumps(record)
    assert len(listed(hv)) == 1


def test_people_get_the_secret_alone_on_standard_output(hv: Hv) -> None:
    outcome = hv("webhooks", "add", "--org", "org_acme", "--env", "live", URL)

    assert outcome.stdout.strip().startswith("whsec_")
    assert len(outcome.stdout.split()) == 1


def test_an_address_that_is_not_reached_is_an_error(hv: Hv) -> None:
    words = ("webhooks", "add", "--org", "org_acme", "--env", "live")
    outcome = hv(*words, "https://10.0.0.1/?token=s3cret")

    assert outcome.status == 1
    assert "10.0.0.1" in outcome.stderr
    assert "s3cret" not in outcome.stderr


@pytest.mark.parametrize(
    ("url", "entry"),
    [
        ("https://10.0.0.1/hook", "10.0.0.1:443"),
        ("http://127.0.0.2:9000/hook", "127.0.0.2:9000"),
        ("http://localhost/hook", "localhost:80"),
        ("https://[fd00::1]/hook", "[fd00::1]:443"),
    ],
)
def test_a_refused_address_names_the_setting_that_allows_it(
    hv: Hv, url: str, entry: str
) -> None:
    words = ("webhooks", "add", "--org", "org_acme", "--env", "live", url)

    refused = hv(*words, HV_FETCH__ALLOWED_HOSTS="")
    allowed = hv(*words, HV_FETCH__ALLOWED_HOSTS=entry)

    assert refused.status == 1
    assert f"list {entry} in the setting fetch.allowed_hosts" in refused.stderr
    assert "HV_FETCH__ALLOWED_HOSTS" in refused.stderr
    assert allowed.status == 0, allowed.stderr


def test_an_address_that_nothing_allows_names_no_setting(hv: Hv) -> None:
    words = ("webhooks", "add", "--org", "org_acme", "--env", "live")

    outcome = hv(*words, "ftp://10.0.0.1/hook")

    assert outcome.status == 1
    assert "ALLOWED_HOSTS" not in outcome.stderr


def test_an_event_that_does_not_exist_is_wrong_usage(hv: Hv) -> None:
    words = ("webhooks", "add", "--org", "org_acme", "--env", "live", URL)

    assert hv(*words, "--event", "video.exploded").status == 2
    # Sent to who asks for it, and to nobody else.
    assert hv(*words, "--event", "webhook.test").status == 2


@pytest.mark.parametrize(
    "words",
    [
        ("add", "--org", "org_acme", "--env", "test", URL),
        ("add", "--org", "org_nobody", "--env", "live", URL),
        ("list", "--org", "org_nobody"),
        ("deliveries", "wh_nobody"),
        ("remove", "wh_nobody"),
        ("rotate", "wh_nobody"),
        ("enable", "wh_nobody"),
        ("disable", "wh_nobody"),
        ("test", "wh_nobody"),
        ("resend", "evt_nobody"),
    ],
)
def test_what_is_not_there_is_an_error(hv: Hv, words: tuple[str, ...]) -> None:
    outcome = hv("webhooks", *words)

    assert outcome.status == 1
    assert "test" in outcome.stderr or "nobody" in outcome.stderr


def test_a_rotated_secret_is_another_one(hv: Hv) -> None:
    made = added(hv)

    outcome = hv("webhooks", "rotate", str(made["webhookID"]), "--json")

    rotated = json.loads(outcome.stdout)
    assert rotated["webhookID"] == made["webhookID"]
    assert str(rotated["secret"]).startswith("whsec_")
    assert rotated["secret"] != made["secret"]


def test_deliveries_are_shown_and_repeated(hv: Hv, tmp_path: Path) -> None:
    webhook = str(added(hv)["webhookID"])
    event = event_id(tmp_path / "hv-data")

    again = hv("webhooks", "resend", event, "--json")

    assert again.status == 0, again.stderr
    shown = hv("webhooks", "deliveries", webhook, "--json")
    deliveries = json.loads(shown.stdout)["deliveries"]
    assert [d["state"] for d in deliveries] == ["pending", "cancelled"]
    assert {d["eventID"] for d in deliveries} == {event}
    assert "pending" in hv("webhooks", "deliveries", webhook).stdout
    tasks = json.loads(hv("tasks", "--kind", "webhook.deliver", "--json").stdout)
    assert {task["kind"] for task in tasks["tasks"]} == {"webhook.deliver"}
    made_by = ("transcoder", "transcoderBecause", "handle")
    assert {task[name] for task in tasks["tasks"] for name in made_by} == {""}
    others = json.loads(hv("tasks", "--kind", "transcode", "--json").stdout)
    assert others["tasks"] == []


def test_why_a_delivery_waits_is_shown(hv: Hv, tmp_path: Path) -> None:
    webhook = str(added(hv)["webhookID"])
    event_id(tmp_path / "hv-data")
    settings = load(config_path=None, environ={}, data_dir=tmp_path / "hv-data")
    with (
        build(settings.settings, rings=False) as services,
        services.uow.write() as work,
    ):
        work.webhook_backlog.put_off(
            WebhookId(webhook), until=work.now(), why="waits: it fails", limit=1
        )
        work.commit()

    shown = hv("webhooks", "deliveries", webhook, "--json")

    (delivery,) = json.loads(shown.stdout)["deliveries"]
    assert delivery["waits"] == "waits: it fails"
    assert "waits: it fails" in hv("tasks", "--kind", "webhook.deliver").stdout


def test_a_webhook_can_be_tried_and_switched_off(hv: Hv) -> None:
    webhook = str(added(hv)["webhookID"])

    tried = hv("webhooks", "test", webhook, "--json")
    off = hv("webhooks", "disable", webhook)
    refused = hv("webhooks", "test", webhook)

    (delivery,) = json.loads(tried.stdout)["deliveries"]
    assert (delivery["webhookID"], delivery["state"]) == (webhook, "pending")
    assert delivery["lastDurationMs"] is None
    assert off.stdout.strip() == f"{webhook} is disabled"
    assert json.loads(hv("webhooks", "disable", webhook, "--json").stdout)["state"] == (
        "disabled"
    )
    assert refused.status == 1
    assert f"hv webhooks enable {webhook}" in refused.stderr


def test_a_removed_webhook_is_not_listed(hv: Hv) -> None:
    made = added(hv)

    assert hv("webhooks", "enable", str(made["webhookID"])).status == 0
    assert hv("webhooks", "remove", str(made["webhookID"]), "--json").status == 0

    assert listed(hv) == []
