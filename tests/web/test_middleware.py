"""
The ids that requests get when they bring none.
"""

import os
import random

from hvcore_web.middleware import is_sane_token, new_request_id

EACH = 50
WORKERS = 4


def ids_of_a_fork() -> list[str]:
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        # Nothing of the test run may go on here.
        try:
            ids = [new_request_id() for _ in range(EACH)]
            os.write(write_end, "\n".join(ids).encode())
        finally:
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as file:
        found = file.read().split()
    os.waitpid(child, 0)
    return found


def test_workers_that_were_forked_give_no_id_twice() -> None:
    new_request_id()
    found = [new_request_id() for _ in range(EACH)]
    for _ in range(WORKERS):
        found += ids_of_a_fork()

    assert len(set(found)) == len(found) == EACH * (WORKERS + 1)
    assert all(is_sane_token(one) for one in found)


def test_a_program_that_seeds_its_random_numbers_gets_no_id_twice() -> None:
    """
    As one that embeds our apps may do in each of its processes.
    """
    state = random.getstate()
    found = []
    for _ in range(2):
        random.seed(1)
        found.append(new_request_id())
    random.setstate(state)

    assert found[0] != found[1]
