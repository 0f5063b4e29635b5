"""
Keys that Azure lends for a time, while its token service has a bad hour.
"""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from urllib.parse import parse_qs

import attrs
import pytest
from azure.storage.blob import UserDelegationKey
from fsspec.asyn import get_loop

from hvcore_storage_fsspec import delegated_keys
from hvcore_storage_fsspec.azure_client import SasSigner
from hvcore_storage_fsspec.delegated_keys import (
    DELEGATION_RENEWED,
    DelegatedKeys,
    end_of,
)
from tests.support.live import until

NOW = datetime.now(UTC).replace(microsecond=0)


@attrs.define(kw_only=True)
class TokenService:
    """
    Azure's client, as far as it lends keys.
    """

    account_name: str = "account"
    asked: int = 0
    is_silent: bool = False
    error: Exception | None = None

    async def get_user_delegation_key(
        self, start: datetime, expiry: datetime
    ) -> UserDelegationKey:
        self.asked += 1
        if self.is_silent:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error
        key = UserDelegationKey()
        key.signed_oid = key.signed_tid = "id"
        key.signed_start, key.signed_expiry = start.isoformat(), expiry.isoformat()
        key.signed_service, key.signed_version = "b", "2024-01-01"
        key.value = "a2V5"
        return key


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> TokenService:
    monkeypatch.setattr(delegated_keys, "ANSWER_S", 0.3)
    return TokenService()


@pytest.fixture
def keys(service: TokenService) -> DelegatedKeys:
    return DelegatedKeys(client=cast(Any, service), loop=get_loop())


def test_a_key_is_used_until_it_ends_while_nobody_lends_another_one(
    service: TokenService, keys: DelegatedKeys
) -> None:
    first = keys.key(NOW)
    service.is_silent = True
    last = end_of(first) - timedelta(seconds=1)

    began_s = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(keys.key, [last] * 40))

    assert time.monotonic() - began_s < 0.25
    assert found == [first] * 40
    until(lambda: service.asked == 2, within_s=10, what="the question")


def test_the_next_key_is_asked_for_before_the_last_one_ends(
    service: TokenService, keys: DelegatedKeys
) -> None:
    first = keys.key(NOW)
    soon = end_of(first) - DELEGATION_RENEWED + timedelta(minutes=1)

    assert keys.key(soon) == first
    until(lambda: keys.key(soon) != first, within_s=10, what="the next key")
    assert service.asked == 2


def test_without_a_good_key_all_wait_for_one_question(
    service: TokenService, keys: DelegatedKeys
) -> None:
    service.is_silent = True

    def refused(_number: int) -> bool:
        with pytest.raises(TimeoutError):
            keys.key(NOW)
        return True

    began_s = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(refused, range(16)))

    assert time.monotonic() - began_s < 1.5
    assert service.asked == 1


def test_a_question_that_failed_is_asked_again_after_a_pause(
    service: TokenService, keys: DelegatedKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.error = OSError("refused")
    for _ in range(3):
        with pytest.raises(OSError, match="refused"):
            keys.key(NOW)
    assert service.asked == 1

    service.error = None
    late_s = time.monotonic() + delegated_keys.ASKED_EVERY_S
    monkeypatch.setattr(time, "monotonic", lambda: late_s)

    assert end_of(keys.key(NOW)) > NOW


def test_an_address_ends_with_the_key_that_signed_it(
    service: TokenService, keys: DelegatedKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delegated_keys, "DELEGATION_VALID", timedelta(minutes=1))
    signer = SasSigner(
        client=cast(Any, service), account_key=None, protocol="https", delegated=keys
    )

    query = parse_qs(signer.token("videos", "a", "r", 3600))

    ends = [query[name][0].removesuffix("Z")[:19] for name in ("se", "ske")]
    assert ends[0] == ends[1]
