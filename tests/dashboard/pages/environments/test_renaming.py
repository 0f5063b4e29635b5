"""
Environments that get another name.
"""

from typing import Final

import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.access.tenants import Environment
from tests.dashboard.opened import VIDEOS, Dashboard, ids_in
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import ORG, OTHER_ORG

ENVIRONMENTS: Final = f"/dashboard/{ORG}/environments"


def env_named(dashboard: Dashboard, name: str, org: str = ORG) -> Environment:
    return dashboard.world.services.tenants.environment(org, name)


@pytest.fixture
def path(dashboard: Dashboard) -> str:
    """
    The page of the environment ``live``.
    """
    return f"{ENVIRONMENTS}/{env_named(dashboard, 'live').id}"


def test_people_see_the_new_name_and_addresses_keep_theirs(
    dashboard: Dashboard, path: str
) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    public = dashboard.world.ready(is_public=True)
    before = dashboard.world.get(f"/v1/videos/{public}").json["body"]

    answer = admin.submit(path, {"title": "Our films"})

    assert answer.headers["location"] == ENVIRONMENTS
    assert ids_in(admin.get(path))
    for page in (VIDEOS, ENVIRONMENTS, f"/dashboard/{ORG}/upload"):
        assert "Our films" in admin.get(page).text
    assert f'href="{VIDEOS}?env=live"' in admin.get(VIDEOS).text
    assert dashboard.world.get(f"/v1/videos/{public}").json["body"] == before
    listed = dashboard.world.get(f"/v1/api/{ORG}/environments").json["body"]
    shown = {one["envID"]: one["name"] for one in listed["environments"]}
    assert shown["live"] == "Our films"
    assert dashboard.last_audited()[0] == "environment.rename"


def test_an_empty_name_is_the_first_one_again(dashboard: Dashboard, path: str) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    admin.submit(path, {"title": "Films"})

    admin.submit(path, {"title": ""})

    assert env_named(dashboard, "live").title == ""
    assert form_of(admin.get(path), path)["title"] == ["live"]


@pytest.mark.parametrize(
    ("title", "status"),
    [("x" * 65, 400), ("dev", 409), ("DEV", 409), (" Dev ", 409)],
)
def test_a_name_that_cannot_be_given_is_said_beside_the_field(
    dashboard: Dashboard, path: str, title: str, status: int
) -> None:
    admin = dashboard.sign_in(Role.ADMIN)

    refused = admin.submit(path, {"title": title})

    assert refused.status_code == status
    assert 'id="title-about"' in refused.text
    assert env_named(dashboard, "live").title == ""


def test_two_environments_get_no_name_together(dashboard: Dashboard, path: str) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    dev = f"{ENVIRONMENTS}/{env_named(dashboard, 'dev').id}"
    assert admin.submit(path, {"title": "Films"}).status_code == 303

    assert admin.submit(dev, {"title": "films"}).status_code == 409


def test_a_name_is_shown_as_text(dashboard: Dashboard, path: str) -> None:
    admin = dashboard.sign_in(Role.ADMIN)

    admin.submit(path, {"title": "<img src=x onerror=alert(1)>"})

    for page in (VIDEOS, ENVIRONMENTS, path, f"/dashboard/{ORG}/settings"):
        text = admin.get(page).text
        assert "<img src=x" not in text
        assert "&lt;img src=x" in text


def test_an_environment_of_others_is_not_there(dashboard: Dashboard) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    theirs = env_named(dashboard, dashboard.world.other_env.name, OTHER_ORG)

    for env_id in (theirs.id, "env_none", "live"):
        path = f"{ENVIRONMENTS}/{env_id}"
        assert admin.get(path).status_code == 404
        assert admin.post(path, {"title": "mine"}).status_code == 404
    assert env_named(dashboard, theirs.name, OTHER_ORG).title == ""
