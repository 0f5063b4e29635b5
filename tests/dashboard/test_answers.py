"""
What browsers are told, and what every page has.
"""

from datetime import timedelta
from http.cookies import SimpleCookie

import falcon
import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore_dashboard.cookies import Cookies
from tests.dashboard.opened import (
    SESSION,
    VIDEOS,
    Dashboard,
    ids_in,
    policy_of,
    same_for_all,
)
from tests.support.http.world import ORG

MISSING = "/dashboard/org_zz/videos"


def answers_of(dashboard: Dashboard) -> dict[str, Result]:
    person = dashboard.sign_in(Role.EDITOR)
    return {
        "page": person.get(VIDEOS),
        "part": person.fragment(VIDEOS),
        "error": person.get(MISSING),
        "redirect": dashboard.get(VIDEOS),
        "sign-in": dashboard.get("/dashboard/sign-in"),
        "refused change": person.send("POST", f"{VIDEOS}/delete"),
        "script": person.get(f"{VIDEOS}/vid_x/storyboard"),
    }


def test_every_answer_protects_itself(dashboard: Dashboard) -> None:
    for name, answer in answers_of(dashboard).items():
        headers = answer.headers
        assert headers["cache-control"] == "no-store", name
        assert headers["x-content-type-options"] == "nosniff", name
        assert headers["x-frame-options"] == "DENY", name
        assert headers["referrer-policy"] == "same-origin", name
        assert headers["cross-origin-opener-policy"] == "same-origin", name
        assert "access-control-allow-origin" not in headers, name
        rules = policy_of(answer)
        assert rules["default-src"] == "'none'", name
        assert rules["frame-ancestors"] == rules["base-uri"] == "'none'", name
        assert rules["form-action"] == "'self'", name
        assert rules["require-trusted-types-for"] == "'script'", name
        assert "unsafe" not in headers["content-security-policy"], name
        assert "*" not in headers["content-security-policy"], name


def test_a_page_names_a_nonce_of_its_own(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.EDITOR)

    first, second = person.get(VIDEOS), person.get(VIDEOS)

    nonces = [policy_of(answer)["script-src"].split()[1] for answer in (first, second)]
    assert nonces[0] != nonces[1]
    nonce = nonces[0].removeprefix("'nonce-").removesuffix("'")
    assert f'hx-nonce="{nonce}"' in first.text
    assert " onclick" not in first.text
    assert " style=" not in first.text
    assert "<style" not in first.text


def test_pages_have_each_id_once(dashboard: Dashboard) -> None:
    dashboard.world.ready()
    dashboard.world.transcoding()
    person = dashboard.sign_in(Role.EDITOR)

    for path in (VIDEOS, f"/dashboard/{ORG}/upload"):
        assert ids_in(person.get(path))
    assert ids_in(person.get(VIDEOS, "view=table"))


def test_what_is_missing_looks_alike(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    paths = ("/dashboard/nowhere", MISSING, f"/dashboard/{ORG}/nowhere")

    texts = {same_for_all(person.get(path)) for path in paths}

    assert len(texts) == 1
    assert "There is no such page" in texts.pop()


def test_an_error_names_its_request(dashboard: Dashboard) -> None:
    answer = dashboard.sign_in(Role.ADMIN).get(MISSING, **{"X-Request-Id": "mine-1"})

    assert "<code>mine-1</code>" in answer.text


def test_a_part_that_fails_leaves_the_page_as_it_is(dashboard: Dashboard) -> None:
    answer = dashboard.sign_in(Role.ADMIN).fragment(MISSING)

    assert answer.status_code == 404
    assert answer.headers["hx-retarget"] == "#messages"
    assert answer.headers["x-request-id"] in answer.text
    assert "<html" not in answer.text


def test_a_part_without_a_session_leads_the_page_to_sign_in(
    dashboard: Dashboard,
) -> None:
    headers = {
        "HX-Request": "true",
        "HX-Current-URL": f"https://api.test{VIDEOS}?page=2",
    }

    answer = dashboard.get(f"{VIDEOS}/progress", **headers)

    assert answer.status_code == 401
    assert answer.headers["hx-redirect"] == (
        "/dashboard/sign-in?next=%2Fdashboard%2Forg_a%2Fvideos%3Fpage%3D2"
    )


def test_an_ended_session_is_none(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.VIEWER)
    assert person.get(VIDEOS).status_code == 200

    dashboard.world.clock.move(timedelta(hours=13))

    assert person.get(VIDEOS).status_code == 303


def test_sessions_are_no_keys_and_keys_no_sessions(dashboard: Dashboard) -> None:
    key = dashboard.world.key.value
    value = dashboard.sign_in(Role.ADMIN).session.value

    page = dashboard.get(VIDEOS, **{"X-Api-Key": key})
    api = dashboard.world.client.simulate_get(
        "/v1/videos", headers={"Cookie": f"{SESSION}={value}"}
    )

    assert page.status_code == 303
    assert api.status_code == 401


def test_the_sessions_cookie_is_for_nobody_else(dashboard: Dashboard) -> None:
    made = dashboard.world.services.sign_in_links.for_operator(name="Olga")
    code = made.address.partition("#")[2]

    answer = dashboard.client.simulate_post(
        "/dashboard/sign-in/link",
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        body=f"code={code}",
    )

    assert answer.status_code == 303
    cookie = SimpleCookie(answer.headers["set-cookie"])[SESSION]
    assert cookie["httponly"]
    assert cookie["secure"]
    assert cookie["samesite"] == "Lax"
    assert cookie["path"] == "/"
    assert cookie["domain"] == ""


def test_without_tls_the_cookie_is_for_the_dashboards_pages() -> None:
    cookies = Cookies.of("http://127.0.0.1:8080/dashboard")

    assert cookies == Cookies(root="/dashboard", is_secure=False)


@pytest.mark.parametrize(
    "forged", ["", "x", "W10", "bm9uc2Vuc2U=", "eyJhIjogMX0=", "\xff", "W1sxXV0="]
)
def test_forged_messages_are_none(shared: Dashboard, forged: str) -> None:
    person = shared.sign_in(Role.VIEWER)
    cookies = f"{SESSION}={person.session.value}; __Host-hv_messages={forged}"

    answer = shared.get(VIDEOS, Cookie=cookies)

    assert answer.status_code == 200
    assert 'class="message' not in answer.text


def test_a_message_is_told_once(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    changed = person.post(f"{VIDEOS}/delete", {"video": dashboard.world.ready()})
    told = changed.headers["set-cookie"].partition(";")[0]

    answer = dashboard.get(VIDEOS, Cookie=f"{SESSION}={person.session.value}; {told}")

    assert "1 video deleted." in answer.text
    assert answer.cookies["__Host-hv_messages"].value == ""


def test_methods_that_pages_lack_are_refused(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)

    for method in ("PUT", "DELETE", "PATCH"):
        assert person.send(method, VIDEOS).status_code == 405


def test_a_change_by_htmx_leads_the_page_elsewhere(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.EDITOR)

    answer = person.post(
        f"{VIDEOS}/delete",
        {"video": dashboard.world.ready()},
        **{"HX-Request": "true"},
    )

    assert answer.status_code == 204
    assert answer.headers["hx-redirect"] == VIDEOS


def test_a_crash_shows_its_request_and_nothing_else(
    dashboard: Dashboard, caplog: pytest.LogCaptureFixture
) -> None:
    class Crash:
        def on_get(self, _req: falcon.Request, _resp: falcon.Response) -> None:
            raise LookupError("a secret")

    dashboard.client.app.add_route("/dashboard/crash", Crash())

    answer = dashboard.sign_in(Role.VIEWER).get("/dashboard/crash")

    assert answer.status_code == 500
    assert answer.headers["x-request-id"] in answer.text
    assert "a secret" not in answer.text
    assert "Traceback" not in answer.text
    assert "request crashed" in caplog.text


@pytest.mark.parametrize(
    "path",
    [
        f"{VIDEOS}//state",
        "/dashboard//videos",
        "/dashboard/a b/videos",
        f"/dashboard/{'x' * 300}/videos",
        "/dashboard/%00/videos",
    ],
)
def test_what_can_be_no_id_is_missing(dashboard: Dashboard, path: str) -> None:
    assert dashboard.sign_in(Role.ADMIN).get(path).status_code == 404


def test_a_file_that_is_missing_is_no_page(dashboard: Dashboard) -> None:
    answer = dashboard.get("/dashboard/static/../vendor.json")

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
