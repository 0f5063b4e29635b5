"""
Bulk changes as a person orders them on the pages, and the worker that carries them out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from falcon.testing import Result

from hvcore.assembly import Services, build
from hvcore.domain.tasks.kinds import BULK_CHANGE
from hvcore.domain.tasks.task import Task
from hvcore.domain.videos.bulk_changes import BulkState
from hvcore.services.bulk.changes import BulkView
from hvcore.settings import Settings
from tests.dashboard.opened import VIDEOS, Dashboard, PersonClient
from tests.support.http.world import ORG

BULK: Final = f"{VIDEOS}/bulk"


def ask(person: PersonClient, change: str, **fields: str | Sequence[str]) -> str:
    """
    Ask for a bulk change; return the address of its question.
    """
    answer = person.post(BULK, {"change": change, **fields})
    assert answer.status_code == 303
    return answer.headers["location"]


def order(
    person: PersonClient,
    change: str,
    *,
    tags: str = "",
    **fields: str | Sequence[str],
) -> str:
    """
    Ask for a bulk change and confirm it; return the path of its page.
    """
    path = ask(person, change, **fields).partition("?")[0]
    answer = person.submit(path, {"tags": tags} if tags else None)
    assert answer.status_code == 303, answer.text
    return path


def view(dashboard: Dashboard, path: str) -> BulkView:
    """
    Return a bulk change as it is stored.
    """
    bulk_id = path.rpartition("/")[2]
    return dashboard.world.services.bulk_changes.view(
        ORG, bulk_id, first=3, most_failures=10
    )


def state(dashboard: Dashboard, path: str) -> BulkState:
    """
    Return the state of a bulk change.
    """
    return view(dashboard, path).bulk.state


def outcomes(dashboard: Dashboard, path: str) -> Mapping[str, int]:
    """
    Return the number of a bulk change's videos by outcome.
    """
    counts = view(dashboard, path).progress.counts
    return {outcome.value: number for outcome, number in counts.items()}


def tasks(dashboard: Dashboard) -> Sequence[Task]:
    """
    Return the tasks of bulk changes that have not ended.
    """
    with dashboard.world.services.uow.read() as work:
        found = work.tasks.search(kind=BULK_CHANGE)
    return [task for task in found if task.state.value in {"due", "queued", "leased"}]


@contextmanager
def other_host(
    dashboard: Dashboard, settings: Settings, **overrides: object
) -> Iterator[Services]:
    """
    Build the services of a host that has its own settings, and the same database.
    """
    world = dashboard.world
    ports = {
        "clock": world.clock,
        "storage": world.storage,
        "queue": world.queue,
        "transcoder": world.transcoder,
    }
    with build(settings, overrides={**ports, **overrides}) as services:
        yield services


def work_off(dashboard: Dashboard, host: Services | None = None) -> None:
    """
    Run the tasks of bulk changes that may run now, until there are none.

    Args:
        host: The services of the worker; those of the dashboard if None.
    """
    services = host or dashboard.world.services
    while True:
        now = services.clock.now()
        due = [task for task in tasks(dashboard) if task.not_before <= now]
        if not due:
            return
        for task in due:
            services.task_runs.run(task.id, worker="test:1", stopping=lambda: False)


def heading(answer: Result) -> str:
    """
    Return the heading of a page.
    """
    found = re.search(r"<h1>([^<]*)</h1>", answer.text)
    assert found
    return found[1]
