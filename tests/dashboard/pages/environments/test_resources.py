"""
Environments on pages.
"""

from typing import Final

import pytest

from hvcore.domain.access.keys import KeyType
from hvcore.domain.access.roles import Role
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.services.access.keys import KeyWanted
from tests.dashboard.opened import Dashboard, ids_in
from tests.support.http.world import ORG

PAGE: Final = f"/dashboard/{ORG}/environments"


def test_an_environment_is_created_and_can_be_used(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)

    answer = person.post(PAGE, {"name": "staging", "kind": "development"})

    assert answer.status_code == 303
    made = dashboard.world.services.tenants.environment(ORG, "staging")
    assert made.kind is EnvironmentKind.DEVELOPMENT
    assert "staging" in person.get(PAGE).text
    assert person.get(f"/dashboard/{ORG}/videos", "env=staging").status_code == 200
    (entry,) = dashboard.world.services.audit.latest(ORG, limit=1)
    assert (entry.action, entry.actor_name) == ("environment.create", "Admin Person")


def test_the_page_says_what_each_holds(dashboard: Dashboard) -> None:
    dashboard.world.ready()
    dashboard.world.transcoding()
    services = dashboard.world.services
    wanted = KeyWanted(type=KeyType.ENVIRONMENT, org_id=ORG, env="live")
    services.keys.revoke(services.keys.create(wanted).key.id)

    page = dashboard.sign_in(Role.ADMIN).get(PAGE)

    assert ids_in(page)
    rows = page.text.partition("<tbody>")[2].split("</tr>")
    (row,) = [row for row in rows if ">live</a>" in row]
    assert '<td class="number">2</td>' in row
    # One key works, and one is revoked.
    assert row.count('<td class="number">1</td>') == 2
    assert dashboard.world.env.id in row


def test_a_viewer_sees_environments_and_neither_keys_nor_a_form(
    dashboard: Dashboard,
) -> None:
    page = dashboard.sign_in(Role.VIEWER).get(PAGE)

    assert page.status_code == 200
    assert "live" in page.text
    assert "Webhooks" not in page.text
    assert "Create environment" not in page.text


def test_without_one_the_page_says_what_to_do(dashboard: Dashboard) -> None:
    dashboard.world.services.tenants.create_organization("org_new")

    admin = dashboard.sign_in(Role.ADMIN, org="org_new")
    viewer = dashboard.sign_in(Role.VIEWER, org="org_new")

    assert (
        "Create the first one below"
        in admin.get("/dashboard/org_new/environments").text
    )
    assert "Ask an admin" in viewer.get("/dashboard/org_new/environments").text
    assert "Create an environment" in admin.get("/dashboard/org_new/videos").text
    assert "Create an environment" in admin.get("/dashboard/org_new/webhooks").text
    assert admin.get("/dashboard/org_new/keys/new").status_code == 200


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"name": "", "kind": "production"}, 400),
        ({"name": "a b", "kind": "production"}, 400),
        ({"name": "x" * 65, "kind": "production"}, 400),
        ({"name": "new", "kind": "other"}, 400),
        ({"name": "live", "kind": "production"}, 409),
    ],
)
def test_what_cannot_be_created_is_said_beside_the_field(
    shared: Dashboard, fields: dict[str, str], status: int
) -> None:
    person = shared.sign_in(Role.ADMIN)
    before = shared.world.services.tenants.environments(ORG)

    answer = person.post(PAGE, fields)

    assert answer.status_code == status
    assert "field-error" in answer.text
    assert shared.world.services.tenants.environments(ORG) == before
