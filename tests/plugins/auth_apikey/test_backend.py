"""
Authentication by API key.
"""

from datetime import timedelta

import pytest

from hvcore.domain.access.keys import hash_key, new_key_value
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.errors import UnauthorizedError
from hvcore.ports.auth import Credentials
from hvcore.testing.key_book import MemoryKeyBook
from hvcore_auth_apikey.backend import ApiKeyProvider
from tests.conftest import SettableClock


@pytest.fixture
def keys() -> MemoryKeyBook:
    """
    No keys yet.
    """
    return MemoryKeyBook()


@pytest.fixture
def provider(keys: MemoryKeyBook, clock: SettableClock) -> ApiKeyProvider:
    """
    The provider under test.
    """
    return ApiKeyProvider(keys=keys, clock=clock)


def _credentials(value: str) -> Credentials:
    return Credentials(headers={"x-api-key": value})


def test_a_key_is_recognised_and_its_use_noted(
    provider: ApiKeyProvider, keys: MemoryKeyBook, clock: SettableClock
) -> None:
    value = keys.add(clock)

    principal = provider.authenticate(_credentials(value))

    (key,) = keys.keys.values()
    assert principal is not None
    assert (principal.key_id, principal.type) == (key.id, key.type)
    assert (principal.org_id, principal.env_id) == (key.org_id, key.env_id)
    assert principal.permissions == key.permissions
    assert keys.uses == [(key, clock.now())]


def test_without_the_header_it_is_not_ours(provider: ApiKeyProvider) -> None:
    assert provider.authenticate(Credentials(headers={"authorization": "x"})) is None


@pytest.mark.parametrize(
    "value", ["", "hv_test_", "hv_test_" + "a" * 32, "hv_live_ß" + "a" * 31, "\0"]
)
def test_what_is_no_key_is_refused_without_a_lookup(
    provider: ApiKeyProvider, keys: MemoryKeyBook, value: str
) -> None:
    with pytest.raises(UnauthorizedError):
        provider.authenticate(_credentials(value))

    assert keys.lookups == 0


def test_a_mistyped_key_is_refused_without_a_lookup(
    provider: ApiKeyProvider, keys: MemoryKeyBook, clock: SettableClock
) -> None:
    value = keys.add(clock)
    typo = value[:10] + ("b" if value[10] == "a" else "a") + value[11:]

    with pytest.raises(UnauthorizedError):
        provider.authenticate(_credentials(typo))

    assert keys.lookups == 0


@pytest.mark.parametrize("separator", [",", ", "])
def test_two_headers_are_refused(
    provider: ApiKeyProvider, keys: MemoryKeyBook, clock: SettableClock, separator: str
) -> None:
    value = keys.add(clock)

    with pytest.raises(UnauthorizedError):
        provider.authenticate(_credentials(value + separator + value))


def test_an_unknown_key_is_refused(
    provider: ApiKeyProvider, keys: MemoryKeyBook
) -> None:
    with pytest.raises(UnauthorizedError):
        provider.authenticate(_credentials(new_key_value(EnvironmentKind.PRODUCTION)))

    assert keys.lookups == 1


@pytest.mark.parametrize("end", ["expires_at", "revoked_at"])
def test_a_key_works_until_its_end_and_not_longer(
    provider: ApiKeyProvider, keys: MemoryKeyBook, clock: SettableClock, end: str
) -> None:
    value = keys.add(clock, **{end: clock.now() + timedelta(seconds=1)})
    assert provider.authenticate(_credentials(value)) is not None

    clock.move(timedelta(seconds=1))

    with pytest.raises(UnauthorizedError):
        provider.authenticate(_credentials(value))
    assert len(keys.uses) == 1


def test_a_book_that_finds_another_key_is_not_believed(
    provider: ApiKeyProvider, keys: MemoryKeyBook, clock: SettableClock
) -> None:
    value = keys.add(clock, sha256="ab" * 32)
    (other,) = keys.keys.values()
    keys.keys[hash_key(value)] = other

    with pytest.raises(UnauthorizedError):
        provider.authenticate(_credentials(value))
