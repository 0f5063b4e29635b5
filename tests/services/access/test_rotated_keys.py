"""
The service's own keys in the database, as many requests read them.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hvcore.domain.access.service_keys import ServiceKey
from hvcore.errors import UnavailableError
from hvcore.services.access.rotated_keys import RotatedKeys
from hvcore.services.uploads.key_rotation import read_address_key
from hvcore.signing.sealing import Sealer

REQUESTS = 8
SILENT_FOR_S = 0.3


def test_requests_to_a_database_that_is_silent_wait_for_one_answer_together() -> None:
    loads: list[int] = []
    begin = threading.Barrier(REQUESTS)

    def load() -> list[ServiceKey]:
        loads.append(1)
        threading.Event().wait(SILENT_FOR_S)
        raise UnavailableError

    keys = RotatedKeys(load, Sealer("secret"), read_address_key)

    def ask(_: int) -> bool:
        begin.wait(60)
        with pytest.raises(UnavailableError, match="temporarily"):
            keys.all()
        return True

    with ThreadPoolExecutor(REQUESTS) as threads:
        assert all(threads.map(ask, range(REQUESTS)))
    # One that a busy machine lets ask late asks by itself.
    assert len(loads) <= REQUESTS // 2


def test_after_a_failure_the_next_request_asks_again() -> None:
    answers: list[list[ServiceKey] | None] = [None, []]

    def load() -> list[ServiceKey]:
        answer = answers.pop(0)
        if answer is None:
            raise UnavailableError
        return answer

    keys = RotatedKeys(load, Sealer("secret"), read_address_key)
    with pytest.raises(UnavailableError, match="temporarily"):
        keys.all()

    assert keys.all() == []
    assert answers == []
