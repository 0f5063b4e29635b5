"""
Signing in by a provider's pages, and by one-time links.
"""

from pathlib import Path

import attrs
import pytest
import sqlalchemy as sa

from hvcore.domain.access.roles import Role
from hvcore.errors import RateLimitExceededError
from hvcore.ports.sign_in import SignInRefusedError
from hvcore.services.sign_in.sign_ins import BegunSignIn, CompletedSignIn, safe_return
from tests.services.sign_in.conftest import ADA, ADDRESS, ORG, House, make_house


def begin(house: House, return_to: str = "/dashboard/org_a/videos") -> BegunSignIn:
    return house.services.sign_ins.begin(return_to=return_to, client_address=ADDRESS)


def come_back(
    house: House,
    begun: BegunSignIn,
    *,
    cookie: str | None = None,
    state: str | None = None,
    code: str = "good",
) -> CompletedSignIn:
    return house.services.sign_ins.complete(
        {"code": code, "state": begun.cookie if state is None else state},
        cookie=begun.cookie if cookie is None else cookie,
        client_address=ADDRESS,
    )


def test_a_person_who_signs_in_comes_back_to_the_page(house: House) -> None:
    begun = begin(house)

    completed = come_back(house, begun)

    assert begun.address.startswith("https://id.example.com/")
    assert begun.lasts_s == 600
    assert completed.return_to == "/dashboard/org_a/videos"
    assert house.person(completed.session) == completed.session.person
    assert house.provider.completed == [
        ({"code": "good", "state": begun.cookie}, "nonce")
    ]


def test_an_answer_is_taken_once(house: House) -> None:
    begun = begin(house)
    come_back(house, begun)

    with pytest.raises(SignInRefusedError, match="begin again"):
        come_back(house, begun)

    assert len(house.provider.completed) == 1


def test_a_refused_answer_is_used_up(house: House) -> None:
    begun = begin(house)
    with pytest.raises(SignInRefusedError, match="could not be signed in"):
        come_back(house, begun, code="bad")

    with pytest.raises(SignInRefusedError, match="was not begun here"):
        come_back(house, begun)


def test_an_answer_comes_within_ten_minutes(house: House) -> None:
    begun = begin(house)
    house.clock.move(minutes=10)

    with pytest.raises(SignInRefusedError, match="it took too long"):
        come_back(house, begun)


@pytest.mark.parametrize(
    ("cookie", "state"),
    [
        *(("", None), ("x" * 43, None), (None, "x" * 43), ("", "")),
        *(("\ud800", "\ud800"), ("ä" * 43, "ä" * 43), ("\ud800", None)),
    ],
)
def test_another_browsers_answer_signs_nobody_in(
    house: House, cookie: str | None, state: str | None
) -> None:
    begun = begin(house)

    with pytest.raises(SignInRefusedError, match="was not begun here"):
        come_back(house, begun, cookie=cookie, state=state)

    assert house.provider.completed == []
    assert come_back(house, begun).session.person.subject == "ada"


def test_an_answer_without_cookie_or_state_is_refused(house: House) -> None:
    begun = begin(house)

    for parameters, cookie in (({"state": begun.cookie}, None), ({}, begun.cookie)):
        with pytest.raises(SignInRefusedError, match="was not begun here"):
            house.services.sign_ins.complete(
                parameters, cookie=cookie, client_address=ADDRESS
            )


def test_the_database_has_neither_state_nor_nonce(house: House) -> None:
    begun = begin(house)

    with house.services.engine.connect() as connection:
        rows = connection.execute(sa.text("SELECT * FROM pending_sign_ins")).all()

    stored = repr(rows)
    assert "/dashboard/org_a/videos" in stored
    assert "nonce" not in stored
    assert begun.cookie not in stored
    assert begun.cookie not in repr(begun).replace(begun.address, "")


def test_an_answer_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with make_house(tmp_path, {"HV_SIGN_IN__SECRET": "a" * 32}) as house:
        begun = begin(house)
    with (
        make_house(tmp_path, {"HV_SIGN_IN__SECRET": "b" * 32}) as again,
        pytest.raises(SignInRefusedError, match="was not begun here"),
    ):
        come_back(again, begun)


def test_a_person_of_no_organization_is_refused_by_name(house: House) -> None:
    house.provider.identity = attrs.evolve(ADA, roles={}, name="\u202eAda\n")

    with pytest.raises(
        SignInRefusedError, match=r"^Ada is a member of no organization"
    ):
        come_back(house, begin(house))


def test_an_answer_to_another_backend_is_refused(tmp_path: Path) -> None:
    with make_house(tmp_path, {}) as house:
        begun = begin(house)
    with make_house(tmp_path, {"HV_SIGN_IN__BACKEND": "link"}) as other:
        with pytest.raises(SignInRefusedError, match="was not begun here"):
            come_back(other, begun)
        at_links = begin(other)

    assert at_links.address == "http://127.0.0.1:8080/dashboard/sign-in/link"


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/dashboard/org_a/videos?page=2", "/dashboard/org_a/videos?page=2"),
        ("/dashboard", "/dashboard"),
        ("/dashboard/".ljust(2000, "a"), "/dashboard/".ljust(2000, "a")),
        *(
            (path, "/dashboard/")
            for path in (
                *("", "/", "//evil.example", "https://evil.example/dashboard/"),
                *("/dashboardx", "/dashboard/\\evil", "/dashboard/a\nb"),
                *("/dashboard/../v1", "/dashboard/".ljust(2001, "a"), "/dashboard/ä"),
                *("/dashboard/sign-in?x", "/dashboard/sign-out"),
            )
        ),
    ],
)
def test_the_way_back_stays_in_the_dashboard(path: str, wanted: str) -> None:
    assert safe_return(path) == wanted


def test_a_link_signs_an_operator_in_once(house: House) -> None:
    made = house.services.sign_in_links.for_operator(
        name="Olga", email="olga@example.com"
    )

    session = house.by_link(made.address)
    with pytest.raises(SignInRefusedError, match="used already"):
        house.by_link(made.address)

    assert session.person.is_operator
    assert session.person.name == "Olga"
    assert house.person(session) == session.person


def test_the_code_of_a_link_is_where_no_server_sees_it(house: House) -> None:
    made = house.services.sign_in_links.for_operator(name="Olga")

    seen, _, code = made.address.partition("#")

    assert seen == "http://127.0.0.1:8080/dashboard/sign-in/link"
    assert len(code) == 43
    assert code not in repr(made)
    with house.services.engine.connect() as connection:
        rows = connection.execute(sa.text("SELECT * FROM sign_in_links")).all()
        entries = connection.execute(sa.text("SELECT * FROM audit_log")).all()
    assert code not in repr(rows) + repr(entries)
    (entry,) = house.audited("sign-in-link.create")
    assert entry.subject == "operator"


def test_a_link_ends_after_ten_minutes(house: House) -> None:
    made = house.services.sign_in_links.for_operator(name="Olga")

    house.clock.move(minutes=10)

    with pytest.raises(SignInRefusedError, match="used already"):
        house.by_link(made.address)


def test_a_link_of_a_member_opens_one_organization(link_house: House) -> None:
    house = link_house
    member = house.services.members.add(ORG, role=Role.ADMIN, name="Ann")
    made = house.services.sign_in_links.for_member(ORG, member.id)

    session = house.by_link(made.address)

    assert session.person.roles == {ORG: Role.ADMIN}
    assert not session.person.is_operator


def test_a_link_to_an_operators_address_makes_no_operator(tmp_path: Path) -> None:
    """
    An admin may write down whatever address, and gets no further than a member.
    """
    environ = {
        "HV_DASHBOARD__OPERATORS": "olga@example.com",
        "HV_SIGN_IN__BACKEND": "link",
    }
    with make_house(tmp_path, environ) as house:
        mine = house.services.members
        member = mine.add(ORG, role=Role.VIEWER, email="olga@example.com")
        mine.add("org_b", role=Role.ADMIN, email="olga@example.com")
        made = house.services.sign_in_links.for_member(ORG, member.id)

        session = house.by_link(made.address)

    assert session.person.roles == {ORG: Role.VIEWER}
    assert not session.person.is_operator


def test_a_link_leads_no_member_past_a_provider(house: House) -> None:
    member = house.services.members.add(ORG, role=Role.ADMIN, name="Ann")
    made = house.services.sign_in_links.for_member(ORG, member.id)

    with pytest.raises(SignInRefusedError, match="links are for operators"):
        house.by_link(made.address)


def test_sessions_of_links_are_over_once_there_is_a_provider(tmp_path: Path) -> None:
    with make_house(tmp_path, {"HV_SIGN_IN__BACKEND": "link"}) as house:
        member = house.services.members.add(ORG, role=Role.ADMIN, name="Ann")
        links = house.services.sign_in_links
        of_member = house.by_link(links.for_member(ORG, member.id).address)
        of_operator = house.by_link(links.for_operator(name="Olga").address)

        with make_house(tmp_path, {}) as with_provider:
            assert with_provider.person(of_member) is None
            assert with_provider.person(of_operator) is not None


@pytest.mark.parametrize("name", ["OLGA@example.com", "olga-id"])
def test_the_settings_name_operators(tmp_path: Path, name: str) -> None:
    with make_house(tmp_path, {"HV_DASHBOARD__OPERATORS": f"x@y, {name}"}) as house:
        house.provider.identity = attrs.evolve(
            ADA, subject="olga-id", email="Olga@example.com", roles={}
        )
        assert house.signed_in().person.is_operator
        house.provider.identity = attrs.evolve(
            ADA, subject="other", email="olga@example.com", is_email_proven=False
        )
        assert not house.signed_in().person.is_operator


def test_links_without_their_backend_are_refused(house: House) -> None:
    made = house.services.sign_in_links.for_operator(name="Olga")
    del house.providers["link"]

    with pytest.raises(SignInRefusedError, match="switched off"):
        house.by_link(made.address)


def test_one_address_may_try_so_often_a_minute(tmp_path: Path) -> None:
    with make_house(tmp_path, {"HV_SIGN_IN__ATTEMPTS_PER_MINUTE": "3"}) as house:
        sign_ins = house.services.sign_ins
        begun = begin(house)
        with pytest.raises(SignInRefusedError, match="could not be"):
            come_back(house, begun, code="bad")
        with pytest.raises(SignInRefusedError, match="used already"):
            sign_ins.complete_link("forged", client_address=ADDRESS)

        for attempt in (
            lambda: begin(house),
            lambda: come_back(house, begun),
            lambda: sign_ins.complete_link("forged", client_address=ADDRESS),
        ):
            with pytest.raises(
                RateLimitExceededError, match="Too many attempts"
            ) as raised:
                attempt()
            assert 1 <= int(raised.value.headers["Retry-After"]) <= 60
        sign_ins.begin(return_to="", client_address="192.0.2.8")
        house.clock.move(seconds=60)
        begin(house)


def test_a_code_of_whoever_tries_too_often_is_not_looked_up(tmp_path: Path) -> None:
    with make_house(tmp_path, {"HV_SIGN_IN__ATTEMPTS_PER_MINUTE": "1"}) as house:
        sign_ins = house.services.sign_ins
        made = house.services.sign_in_links.for_operator(name="Olga")
        code = made.address.partition("#")[2]
        sign_ins.begin(return_to="", client_address=ADDRESS)
        run: list[object] = []

        sa.event.listen(
            house.services.engine,
            "before_cursor_execute",
            lambda *given: run.append(given[2]),
        )
        with pytest.raises(RateLimitExceededError, match="Too many attempts"):
            sign_ins.complete_link_of_page(code, client_address=ADDRESS)

        assert run == []
        house.clock.move(seconds=60)
        done = sign_ins.complete_link_of_page(code, client_address=ADDRESS)
        assert done.return_to == ""
        assert len(run) > 1


def test_a_network_of_ipv6_is_one_client(tmp_path: Path) -> None:
    with make_house(tmp_path, {"HV_SIGN_IN__ATTEMPTS_PER_MINUTE": "1"}) as house:
        sign_ins = house.services.sign_ins
        sign_ins.begin(return_to="", client_address="2001:db8::1")

        with pytest.raises(RateLimitExceededError, match="Too many attempts"):
            sign_ins.begin(return_to="", client_address="2001:db8::2")
        sign_ins.begin(return_to="", client_address="2001:db8:0:1::1")
