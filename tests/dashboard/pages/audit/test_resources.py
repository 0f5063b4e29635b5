"""
The audit log: who did what, found again.
"""

import csv
import io
import json
from datetime import timedelta
from typing import Final

from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.services.access.audit import acting_as
from tests.dashboard.opened import VIDEOS, Dashboard, ids_in
from tests.support.http.world import ORG, OTHER_ORG

PAGE = f"/dashboard/{ORG}/audit"
FILE = f"{PAGE}/files/audit-log"


def do(dashboard: Dashboard, org: str = ORG, actor: str = "cli:alice") -> None:
    with acting_as(actor):
        dashboard.world.services.quotas.change(org, {"weight": 2.5})


def actions(answer: Result) -> list[str]:
    rows = [json.loads(line) for line in answer.content.splitlines()]
    return [row["action"] for row in rows]


def test_an_entry_says_who_what_and_when(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    do(dashboard, actor="cli:<script>alert(1)</script>")

    answer = person.get(PAGE)

    assert answer.status_code == 200
    assert "cli:&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
    assert "<code>organization.set</code>" in answer.text
    assert '<span class="muted">weight</span> 2.5' in answer.text
    assert 'datetime="2026-01-02T03:04:05Z"' in answer.text
    assert f'<b dir="auto">{person.session.person.name}</b>' in answer.text
    ids_in(answer)


def test_other_organizations_are_not_in_it(dashboard: Dashboard) -> None:
    do(dashboard, OTHER_ORG, "cli:mallory")
    person = dashboard.sign_in(Role.ADMIN)

    assert "mallory" not in person.get(PAGE).text
    assert b"mallory" not in person.get(FILE).content


FOUND: Final = {
    "area=organization": ["organization.set", "organization.create"],
    "search=ALICE": ["organization.set"],
    "search=environment.cr": ["environment.create", "environment.create"],
    "search=%25": [],
    "search=a%00b": [],
    "startDate=2026-01-03&area=organization": ["organization.set"],
    "endDate=2026-01-02&area=organization": ["organization.create"],
    "endDate=9999-12-31&area=organization&search=alice": ["organization.set"],
    "area=nothing&search=alice": ["organization.set"],
}


def test_entries_are_found(dashboard: Dashboard) -> None:
    dashboard.world.clock.move(timedelta(days=1))
    do(dashboard)
    person = dashboard.sign_in(Role.ADMIN)

    for query, found in FOUND.items():
        file = person.get(FILE, f"{query}&format=ndjson")
        page = person.get(PAGE, query)

        assert file.status_code == page.status_code == 200
        assert actions(file) == found, query
        assert page.text.count('<td class="nowrap"><code>') == len(found), query


def test_entries_of_people_are_found_among_those_of_a_script(
    dashboard: Dashboard,
) -> None:
    do(dashboard)
    video = dashboard.world.ready()
    for number in range(60):
        path, name = f"/v1/videos/{video}", f"clip {number}"
        dashboard.world.call("PATCH", path, json={"videoName": name})
    person = dashboard.sign_in(Role.ADMIN)

    everybody, people = person.get(PAGE), person.get(PAGE, "by=person")

    assert "<code>organization.set</code>" not in everybody.text.partition("<h1")[2]
    assert "<code>organization.set</code>" in people.text
    assert "<code>video.change</code>" not in people.text
    programs = person.get(FILE, "by=program&format=ndjson")
    assert actions(programs) == ["video.change"] * 60
    assert person.get(PAGE, "by=nobody").status_code == 200


def test_an_admin_finds_who_changed_a_video_from_its_page(dashboard: Dashboard) -> None:
    video = dashboard.world.ready()
    dashboard.world.call("PATCH", f"/v1/videos/{video}", json={"videoName": "new"})
    page = f"{VIDEOS}/{video}"

    link = f'href="{PAGE}?search={video}"'
    shown = dashboard.sign_in(Role.ADMIN).get(PAGE, f"search={video}").text

    assert link in dashboard.sign_in(Role.ADMIN).get(page).text
    assert link not in dashboard.sign_in(Role.EDITOR).get(page).text
    assert "<code>video.change</code>" in shown
    assert "<code>key:key_" in shown


def test_what_finds_nothing_says_so(dashboard: Dashboard) -> None:
    answer = dashboard.sign_in(Role.ADMIN).get(PAGE, "search=qqqq")

    assert "No entry is like that" in answer.text


def test_older_entries_are_a_page_away(dashboard: Dashboard) -> None:
    for number in range(60):
        do(dashboard, actor=f"cli:person-{number}-")
    person = dashboard.sign_in(Role.ADMIN)

    first = person.get(PAGE, "area=organization")
    address = first.text.partition('rel="next" href="')[2].partition('"')[0]
    path, _, query = address.replace("&amp;", "&").partition("?")
    second = person.get(path, query)

    assert "area=organization" in query
    assert "cli:person-59-" in first.text
    assert "cli:person-9-" not in first.text
    assert "cli:person-9-" in second.text
    assert 'rel="next"' not in second.text
    assert ">Latest</a>" in second.text
    # A file has all of it, whatever page is shown.
    assert len(actions(person.get(FILE, f"{query}&format=ndjson"))) == 61


def test_filters_change_the_list_alone(dashboard: Dashboard) -> None:
    do(dashboard)

    answer = dashboard.sign_in(Role.ADMIN).fragment(PAGE, "search=alice")

    assert "<html" not in answer.text
    assert 'id="results"' in answer.text
    assert answer.headers["hx-push-url"] == f"{PAGE}?search=alice"


def test_bad_filters_are_told(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)

    page = person.get(PAGE, "startDate=2026-02-01&endDate=2026-01-01")

    assert page.status_code == 400
    assert 'role="alert"' in page.text
    assert 'name="startDate" value="2026-02-01"' in page.text
    assert "<code>environment.create</code>" not in page.text
    assert person.get(FILE, "startDate=x").status_code == 422
    assert person.get(f"{PAGE}/files/other").status_code == 404
    for before in ("x", "²", "9" * 5000):
        assert person.get(PAGE, f"before={before}").status_code == 200


def test_a_file_has_every_detail(dashboard: Dashboard) -> None:
    do(dashboard, actor="=cmd()")
    person = dashboard.sign_in(Role.ADMIN)

    answer = person.get(FILE, "area=organization")

    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert list(rows[0]) == [
        "at", "actor", "actorName", "action", "subject", "orgID", "details",
    ]  # fmt: skip
    assert rows[0]["at"] == "2026-01-02T03:04:05.678Z"
    assert rows[0]["actor"] == "'=cmd()"
    assert json.loads(rows[0]["details"]) == {"weight": 2.5}
    assert answer.headers["content-disposition"] == (
        'attachment; filename="audit-log.csv"'
    )


def test_lists_in_details_are_words(dashboard: Dashboard) -> None:
    dashboard.world.make_key()

    answer = dashboard.sign_in(Role.ADMIN).get(PAGE, "area=key")

    assert "analytics:read, playback:sign" in answer.text
    assert '<span class="muted">expiresAt</span> none' in answer.text
