"""
Two people who have opened the same form of an organization, and both send it.
"""

import pytest

from hvcore.domain.access.quotas import QuotaLimits
from hvcore.domain.access.roles import Role
from tests.dashboard.opened import Dashboard, two
from tests.dashboard.pages.keys.test_changes import KEYS, keys_of, made
from tests.dashboard.pages.members.test_changes import MEMBERS
from tests.dashboard.pages.operation.test_tenants import ONE
from tests.dashboard.pages.settings.test_resources import SETTINGS
from tests.dashboard.pages.webhooks.added import added, endpoints
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import ORG


def test_limits_that_are_sent_twice_after_a_lost_answer_are_saved(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(None)
    seen = person.get(ONE)
    written = {"stored_bytes": "2048gb", "weight": "2.50", "concurrent_encodes": "04"}

    answers = [person.submit(f"{ONE}/limits", written, seen=seen) for _ in range(2)]

    assert [one.status_code for one in answers] == [303, 303]


def test_limits_that_were_not_touched_stay_as_somebody_else_has_set_them(
    dashboard: Dashboard,
) -> None:
    quotas = dashboard.world.services.quotas
    quotas.change(ORG, {"stored_bytes": 100 * 1024**3, "weight": 1.23456789})
    person = dashboard.sign_in(None)
    seen = person.get(ONE)
    quotas.change(ORG, {"stored_bytes": 500 * 1024**3})

    answer = person.submit(f"{ONE}/limits", {"concurrent_encodes": "4"}, seen=seen)

    assert answer.status_code == 303
    assert quotas.of_one(ORG).limits == QuotaLimits(
        concurrent_encodes=4, stored_bytes=500 * 1024**3, weight=1.23456789
    )


def test_a_limit_that_two_operators_have_set_is_asked_about(
    dashboard: Dashboard,
) -> None:
    quotas = dashboard.world.services.quotas
    person = dashboard.sign_in(None)
    seen = person.get(ONE)
    quotas.change(ORG, {"stored_bytes": 500 * 1024**3})
    changed = {"stored_bytes": "100 GB", "weight": "2"}

    asked = person.submit(f"{ONE}/limits", changed, seen=seen)

    assert asked.status_code == 409
    assert quotas.of_one(ORG).limits == QuotaLimits(stored_bytes=500 * 1024**3)
    assert "500 GB" in asked.text
    assert form_of(asked, f"{ONE}/limits")["stored_bytes"] == ["100 GB"]
    assert person.submit(f"{ONE}/limits", seen=asked).status_code == 303
    assert quotas.of_one(ORG).limits == QuotaLimits(
        stored_bytes=100 * 1024**3, weight=2
    )


def test_a_role_that_two_admins_have_changed_is_asked_about(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.ADMIN)
    services = dashboard.world.services
    ann = services.members.add(ORG, role=Role.VIEWER, name="Ann")
    path = f"{MEMBERS}/{ann.id}"
    seen = second.get(path)
    first.submit(f"{path}/role", {"role": "admin"}, page=path)

    asked = second.submit(f"{path}/role", {"role": "editor"}, seen=seen)

    assert asked.status_code == 409
    assert services.members.find(ORG, ann.id).role is Role.ADMIN
    assert "Saved meanwhile" in asked.text
    assert second.submit(f"{path}/role", seen=asked).status_code == 303
    assert services.members.find(ORG, ann.id).role is Role.EDITOR


def test_a_role_that_was_not_touched_is_not_taken_back(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.ADMIN)
    services = dashboard.world.services
    ann = services.members.add(ORG, role=Role.VIEWER, name="Ann")
    path = f"{MEMBERS}/{ann.id}"
    seen = second.get(path)
    first.submit(f"{path}/role", {"role": "admin"}, page=path)

    assert second.submit(f"{path}/role", seen=seen).status_code == 303

    assert services.members.find(ORG, ann.id).role is Role.ADMIN


def test_a_member_made_admin_meanwhile_is_not_removed_from_an_older_page(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.ADMIN)
    services = dashboard.world.services
    ann = services.members.add(ORG, role=Role.VIEWER, name="Ann")
    path = f"{MEMBERS}/{ann.id}"
    seen = second.get(path)
    first.submit(f"{path}/role", {"role": "admin"}, page=path)

    refused = second.submit(f"{path}/remove", seen=seen)

    assert refused.status_code == 409
    assert "has made Ann an admin" in refused.text
    assert services.members.find(ORG, ann.id).role is Role.ADMIN
    assert second.submit(f"{path}/remove", seen=refused).status_code == 303


def test_two_admins_who_remove_each_other_from_old_pages_leave_one(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.ADMIN)
    paths = [f"{MEMBERS}/{one.session.person.subject}" for one in (first, second)]
    operator = dashboard.sign_in(None)
    pages = [operator.get(path) for path in paths]

    answers = [
        operator.submit(f"{path}/remove", seen=page).status_code
        for path, page in zip(paths, pages, strict=True)
    ]

    assert answers == [303, 409]
    (left,) = dashboard.world.services.members.of_organization(ORG)
    assert left.role is Role.ADMIN


def test_a_key_that_somebody_has_rotated_is_not_rotated_once_more(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.ADMIN)
    key, _ = made(dashboard, first)
    path = f"{KEYS}/{key.id}"
    seen = second.get(path)
    first.submit(f"{path}/rotate", page=path)
    before = keys_of(dashboard)

    refused = second.submit(f"{path}/rotate", {"overlap": "0"}, seen=seen)

    assert refused.status_code == 409
    assert "Somebody else has rotated" in refused.text
    assert keys_of(dashboard) == before
    assert second.submit(f"{path}/rotate", seen=refused).status_code == 200
    assert len(keys_of(dashboard)) == len(before) + 1


def test_a_secret_that_somebody_has_rotated_goes_on_signing(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.ADMIN)
    path = added(dashboard, first)
    seen = second.get(path)
    first.submit(f"{path}/rotate", {"overlap": "0"}, page=path)
    before = endpoints(dashboard)

    refused = second.submit(f"{path}/rotate", {"overlap": "0"}, seen=seen)

    assert refused.headers["location"] == path
    assert endpoints(dashboard) == before
    assert second.submit(f"{path}/rotate", page=path).status_code == 200


@pytest.mark.parametrize(
    ("field", "theirs", "mine", "is_shown"),
    [
        ("videoQuality", "ultra", "high", "Ultra: up to 2160p"),
        ("domains", "a.example.com", "b.example.com", "a.example.com"),
    ],
)
def test_a_default_that_two_admins_have_set_is_asked_about(
    dashboard: Dashboard, field: str, theirs: str, mine: str, is_shown: str
) -> None:
    first, second = two(dashboard, Role.ADMIN)
    seen = second.get(SETTINGS)
    first.submit(SETTINGS, {field: theirs})
    before = dashboard.world.services.new_video_defaults.of(ORG)

    asked = second.submit(SETTINGS, {field: mine, "access": "public"}, seen=seen)

    assert asked.status_code == 409
    assert dashboard.world.services.new_video_defaults.of(ORG) == before
    assert is_shown in asked.text.partition("Saved meanwhile")[2]
    assert form_of(asked, SETTINGS)[field] == [mine]
    assert second.submit(SETTINGS, seen=asked).status_code == 303
    assert form_of(second.get(SETTINGS), SETTINGS)[field] == [mine]


def test_a_default_that_was_not_touched_stays_as_somebody_else_has_set_it(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.ADMIN)
    seen = second.get(SETTINGS)
    first.submit(SETTINGS, {"access": "public", "domains": "a.example.com"})

    answer = second.submit(SETTINGS, {"videoQuality": "ultra"}, seen=seen)

    form = form_of(first.get(SETTINGS), SETTINGS)
    assert answer.status_code == 303
    assert form["access"] == ["public"]
    assert form["domains"] == ["a.example.com"]
    assert form["videoQuality"] == ["ultra"]


def test_a_name_that_two_admins_give_an_environment_is_asked_about(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.ADMIN)
    env = dashboard.world.services.tenants.environment(ORG, "live")
    path = f"/dashboard/{ORG}/environments/{env.id}"
    seen = second.get(path)
    first.submit(path, {"title": "theirs"})

    asked = second.submit(path, {"title": "mine"}, seen=seen)

    assert asked.status_code == 409
    assert "theirs" in asked.text.partition("Saved meanwhile")[2]
    assert second.submit(path, seen=asked).status_code == 303
    assert dashboard.world.services.tenants.environment(ORG, "live").title == "mine"
