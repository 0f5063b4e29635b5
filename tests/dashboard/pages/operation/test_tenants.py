"""
Operators make organizations, and set what they may use.
"""

import pytest

from hvcore.domain.ids import RESERVED_ORG_IDS
from hvcore_dashboard.pages.operation.limits import amount_text
from hvcore_dashboard.routes import ROUTES
from hvcore_dashboard.routing import ROOT
from tests.dashboard.opened import Dashboard, ids_in
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import ORG

PAGE = "/dashboard/organizations"
ONE = f"{PAGE}/{ORG}"
LIMITS = {
    "concurrent_encodes": "2",
    "encoded_minutes_per_month": "",
    "stored_bytes": "500 GB",
    "delivered_bytes_per_month": "1234567",
    "weight": "2.5",
}


def test_every_organization_is_listed(dashboard: Dashboard) -> None:
    dashboard.world.services.quotas.change(ORG, {"concurrent_encodes": 7})

    answer = dashboard.sign_in(None).get(PAGE)

    assert f'href="{PAGE}/{ORG}"' in answer.text
    assert '<span class="muted">of 7</span>' in answer.text
    ids_in(answer)


def test_an_organization_is_made_with_its_environment(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(None)

    made = person.post(PAGE, {"org_id": "org_new"})
    path = f"{PAGE}/org_new"
    env = person.post(f"{path}/environments", {"name": "dev", "kind": "development"})

    assert (made.status_code, made.headers["location"]) == (303, path)
    assert (env.status_code, env.headers["location"]) == (303, path)
    (found,) = dashboard.world.services.tenants.environments("org_new")
    assert (found.name, found.kind.value) == ("dev", "development")
    entry, *_ = dashboard.world.services.audit.latest("org_new", limit=1)
    assert (entry.action, entry.actor_name) == ("environment.create", "Olga Operator")
    ids_in(person.get(path))


def test_a_name_may_be_left_to_the_service(dashboard: Dashboard) -> None:
    made = dashboard.sign_in(None).post(PAGE)

    assert made.headers["location"].startswith(f"{PAGE}/org_")


@pytest.mark.parametrize("name", ["a b", "x" * 65, "<script>"])
def test_what_is_no_name_is_told_beside_the_form(
    dashboard: Dashboard, name: str
) -> None:
    person = dashboard.sign_in(None)

    organization = person.post(PAGE, {"org_id": name})
    environment = person.post(
        f"{ONE}/environments", {"name": name, "kind": "production"}
    )

    for answer in (organization, environment):
        assert answer.status_code == 400
        assert 'role="alert"' in answer.text
        assert "<script>" not in answer.text.replace("<script src", "")
    assert len(dashboard.world.services.tenants.organizations()) == 2


def test_a_name_that_is_taken_is_told(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(None)

    organization = person.post(PAGE, {"org_id": ORG})
    taken = {"name": "live", "kind": "production"}
    environment = person.post(f"{ONE}/environments", taken)

    assert organization.status_code == environment.status_code == 409
    assert form_of(organization, PAGE)["org_id"] == [ORG]
    assert form_of(environment, f"{ONE}/environments")["name"] == ["live"]
    assert person.post(f"{ONE}/environments", {"kind": "staging"}).status_code == 400


@pytest.mark.parametrize("name", sorted(RESERVED_ORG_IDS))
def test_no_organization_is_called_like_a_page(shared: Dashboard, name: str) -> None:
    refused = shared.sign_in(None).post(PAGE, {"org_id": name})

    assert refused.status_code == 400
    assert "choose another identifier" in refused.text


def test_every_page_beside_the_organizations_is_reserved() -> None:
    beside = {f"{route.path}/".removeprefix(ROOT).split("/")[1] for route in ROUTES}

    assert {*beside, "static"} - {"", "{org_id}"} == RESERVED_ORG_IDS


def test_limits_are_set_and_removed(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(None)
    quotas = dashboard.world.services.quotas
    quotas.change(ORG, {"encoded_minutes_per_month": 9})

    answer = person.submit(f"{ONE}/limits", LIMITS, page=ONE)

    assert answer.status_code == 303
    limits = quotas.of_one(ORG).limits
    assert limits.concurrent_encodes == 2
    assert limits.encoded_minutes_per_month is None
    assert limits.stored_bytes == 500 * 1024**3
    assert limits.delivered_bytes_per_month == 1234567
    assert limits.weight == 2.5
    shown = person.get(ONE).text
    assert 'value="500 GB"' in shown
    assert 'value="1234567"' in shown


def test_limits_that_stay_are_not_in_the_audit_log(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(None)
    person.submit(f"{ONE}/limits", LIMITS, page=ONE)
    before = dashboard.world.services.audit.latest(ORG, limit=1)

    answer = person.submit(f"{ONE}/limits", LIMITS, page=ONE)

    assert answer.status_code == 303
    assert dashboard.world.services.audit.latest(ORG, limit=1) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("concurrent_encodes", "many"),
        ("concurrent_encodes", "1.5"),
        ("concurrent_encodes", "²"),
        ("encoded_minutes_per_month", "9" * 19),
        ("stored_bytes", "5 XB"),
        ("stored_bytes", "-1"),
        ("delivered_bytes_per_month", "1 TB more"),
        ("weight", ""),
        ("weight", "nan"),
    ],
)
def test_what_is_no_limit_is_told_at_its_field(
    shared: Dashboard, name: str, value: str
) -> None:
    answer = shared.sign_in(None).submit(
        f"{ONE}/limits", {**LIMITS, name: value}, page=ONE
    )

    assert answer.status_code == 400
    field = answer.text.partition(f'id="{name}"')[2].partition(">")[0]
    assert 'aria-invalid="true"' in field
    assert f'value="{value}"' in field
    assert shared.world.services.quotas.of_one(ORG).limits.weight == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"concurrent_encodes": "0"},
        {"weight": "101"},
        {"stored_bytes": "9" * 18 + " TB"},
    ],
)
def test_what_no_organization_can_have_is_told(
    shared: Dashboard, wrong: dict[str, str]
) -> None:
    answer = shared.sign_in(None).submit(f"{ONE}/limits", {**LIMITS, **wrong}, page=ONE)

    assert answer.status_code == 400
    assert 'role="alert"' in answer.text


@pytest.mark.parametrize("name", ["org_zz", "%00", "a%20b"])
def test_an_organization_that_is_not_there_has_no_page(
    dashboard: Dashboard, name: str
) -> None:
    person = dashboard.sign_in(None)

    assert person.get(f"{PAGE}/{name}").status_code == 404
    assert person.post(f"{PAGE}/{name}/limits", LIMITS).status_code == 404
    assert person.post(f"{PAGE}/{name}/environments").status_code == 404


@pytest.mark.parametrize(
    ("count_bytes", "text"),
    [
        (0, "0"),
        (1023, "1023"),
        (1024, "1 KB"),
        (1536, "1536"),
        (500 * 1024**3, "500 GB"),
        (4096 * 1024**4, "4096 TB"),
    ],
)
def test_an_amount_is_shown_exactly(count_bytes: int, text: str) -> None:
    assert amount_text(count_bytes) == text
