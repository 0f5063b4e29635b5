"""
What is known of people, and what proves it.
"""

from datetime import UTC, datetime, timedelta

import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.identities import Identity, is_subject
from hvcore.domain.sign_in.members import fold_email, is_email_address, is_member_name
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore.domain.sign_in.sessions import (
    SignInSession,
    change_token,
    hash_secret_value,
    is_secret_value,
    new_secret_value,
)

NOW = datetime(2026, 1, 2, tzinfo=UTC)
IDLE = timedelta(hours=12)
ORG = OrgId("org_a")


def person(**changes: object) -> SignedInPerson:
    values = {
        "subject": "ada",
        "name": "Ada",
        "email": "",
        "roles": {ORG: Role.VIEWER},
        "is_operator": False,
        "backend": "oidc",
        "change_token": "t",
        **changes,
    }
    return SignedInPerson(**values)  # type: ignore[arg-type]  # names of fields


def test_a_role_is_that_of_the_organization() -> None:
    assert person().role_in("org_a") is Role.VIEWER
    assert person().role_in("org_b") is None
    assert person(is_operator=True).role_in("org_b") is Role.ADMIN


def test_a_change_carries_the_sessions_own_token() -> None:
    value, other = new_secret_value(), new_secret_value()
    mine = person(change_token=change_token(value))

    assert mine.may_change_with(change_token(value))
    for token in ("", "\ud800ä", value, change_token(other)):
        assert not mine.may_change_with(token)
    assert change_token(value) not in repr(mine)


def test_values_are_recognised_by_their_form() -> None:
    value = new_secret_value()

    assert is_secret_value(value)
    assert len(hash_secret_value(value)) == 64
    for text in ("", value[:-1], value + "a", value[:-1] + "ä", value[:-1] + "\n"):
        assert not is_secret_value(text)


@pytest.mark.parametrize(
    ("identity", "shown"),
    [
        (Identity(subject="s", name="Ada", email="a@b"), "Ada"),
        (Identity(subject="s", name=" \n", email="a@b"), "a@b"),
        (Identity(subject="s"), "s"),
        (Identity(subject=""), "?"),
        (Identity(subject="s", name="A\u202eda\nL"), "Ada L"),
        (Identity(subject="s", name="x" * 5000), "x" * 200),
    ],
)
def test_somebody_always_has_a_name(identity: Identity, shown: str) -> None:
    assert identity.shown_name == shown


def test_a_session_ends_when_it_is_idle_or_old() -> None:
    session = SignInSession(
        sha256="",
        identity=Identity(subject="ada"),
        backend="oidc",
        created_at=NOW,
        last_used_at=NOW,
        asked_at=NOW,
        ends_at=NOW + timedelta(days=7),
        refresh_state=b"",
    )
    second = timedelta(seconds=1)

    assert not session.is_over_at(NOW + IDLE - second, IDLE)
    assert session.is_over_at(NOW + IDLE, IDLE)
    assert not session.is_over_at(NOW + timedelta(days=7) - second, timedelta(days=9))
    assert session.is_over_at(NOW + timedelta(days=7), timedelta(days=9))


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("a", True),
        ("a" * 255, True),
        ("", False),
        ("a" * 256, False),
        ("ä", False),
        ("a\n", False),
    ],
)
def test_subjects_are_told_from_other_texts(text: str, *, is_one: bool) -> None:
    assert is_subject(text) is is_one


@pytest.mark.parametrize(
    "text", ["", "a", "a@", "@b", "a b@c", "a@b\n", "a@b\0", "<a@b>"]
)
def test_malformed_email_addresses_are_told_from_good_ones(text: str) -> None:
    assert not is_email_address(text)
    assert is_email_address("ada@example.com")


def test_names_are_one_line() -> None:
    assert is_member_name("Ada Lovelace")
    assert is_member_name("")
    for text in ("a\nb", "a\u202eb", " a", "a" * 201):
        assert not is_member_name(text)


def test_only_ascii_loses_its_case() -> None:
    assert fold_email(" ADA@Example.COM ") == "ada@example.com"
    assert fold_email("İ@ẞ") == "İ@ẞ"
