"""
What a provider calls people and organizations gives them nothing by itself.
"""

from pathlib import Path

import attrs
import pytest
import sqlalchemy as sa

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.ports.sign_in import SignInRefusedError
from tests.services.sign_in.conftest import ADA, ADDRESS, ORG, House, make_house

BOSS = "boss@example.com"


def test_a_subject_that_looks_like_an_operators_address_makes_no_operator(
    tmp_path: Path,
) -> None:
    """
    Some providers let people choose their user name, and give it as the subject.
    """
    with make_house(tmp_path, {"HV_DASHBOARD__OPERATORS": BOSS}) as house:
        house.provider.identity = attrs.evolve(ADA, subject=BOSS, email=BOSS)
        house.provider.identity = attrs.evolve(
            house.provider.identity, is_email_proven=False
        )
        person = house.signed_in().person
        house.provider.identity = attrs.evolve(
            house.provider.identity, is_email_proven=True
        )
        boss = house.signed_in().person

    assert not person.is_operator
    assert boss.is_operator


def test_a_sign_in_is_audited_in_organizations_that_exist(house: House) -> None:
    ghosts = {OrgId(f"ghost-{number}"): Role.ADMIN for number in range(50)}
    house.provider.identity = attrs.evolve(ADA, roles={**ghosts, ORG: Role.VIEWER})
    house.signed_in()

    audited = [entry.org_id for entry in house.audited("session.start")]

    assert audited == [ORG]


def test_one_in_no_organization_that_exists_is_audited_too(house: House) -> None:
    house.provider.identity = attrs.evolve(ADA, roles={OrgId("ghost"): Role.ADMIN})
    house.signed_in()

    (entry,) = house.audited("session.start")

    assert entry.org_id is None


def test_a_links_code_in_an_address_signs_nobody_in(tmp_path: Path) -> None:
    """
    Addresses are logged; a code that stands in one stays good for the form.
    """
    with make_house(tmp_path, {"HV_SIGN_IN__BACKEND": "link"}) as house:
        made = house.services.sign_in_links.for_operator(name="Olga")
        code = made.address.partition("#")[2]
        sign_ins = house.services.sign_ins
        begun = sign_ins.begin(return_to="/dashboard/", client_address=ADDRESS)

        with pytest.raises(SignInRefusedError, match="not begun here"):
            sign_ins.complete(
                {"code": code, "state": begun.cookie},
                cookie=begun.cookie,
                client_address=ADDRESS,
            )

        assert house.by_link(made.address).person.is_operator


def test_a_person_who_leaves_is_known_without_asking_the_backend(house: House) -> None:
    session = house.signed_in()
    house.clock.move(minutes=6)

    holder = house.services.sign_in_sessions.holder_of(session.value)

    assert holder == session.person
    assert house.provider.asked == []
    for cookie in (None, "", "x" * 43):
        assert house.services.sign_in_sessions.holder_of(cookie) is None


def test_a_session_that_is_over_has_no_holder(house: House) -> None:
    session = house.signed_in()
    house.clock.move(hours=12)

    assert house.services.sign_in_sessions.holder_of(session.value) is None


def test_the_database_has_no_value_of_a_session(house: House) -> None:
    session = house.signed_in()

    with house.services.engine.connect() as connection:
        rows = connection.execute(sa.text("SELECT * FROM sign_in_sessions")).all()

    assert session.value not in repr(rows)
    assert session.person.change_token not in repr(rows)
    assert session.value not in repr(session)
