"""
No trick makes the service connect to anything but the public internet.
"""

from collections.abc import Sequence

import pytest

from hvcore.domain.tasks.task import TaskState
from hvcore.domain.uploads.grants import GrantState
from hvcore.safe_http import TargetRefusedError
from tests.safe_http.conftest import Outside
from tests.safe_http.targets import TARGETS
from tests.services.conftest import World

# Thousands of cells of one kind: once is enough, whatever the interpreter.
pytestmark = pytest.mark.matrix


def each(targets: Sequence[str]) -> pytest.MarkDecorator:
    ids = [f"{n}-{ascii(text)[1:60]}" for n, text in enumerate(targets)]
    return pytest.mark.parametrize("template", targets, ids=ids)


def fits_a_header(text: str) -> bool:
    # The rest is relative, and stays with the host that redirects.
    leads_away = "://" in text.strip() or text.startswith("//")
    return leads_away and text.isascii() and text.isprintable()


def fits_a_database(text: str) -> bool:
    # Requests with anything else are refused.
    return not any("\ud800" <= char <= "\udfff" or char == "\0" for char in text)


def url_of(template: str, outside: Outside) -> str:
    return template.replace("{port}", str(outside.canary.port))


def test_there_are_enough_of_them() -> None:
    assert len(set(TARGETS)) >= 300


@each(TARGETS)
def test_no_target_is_fetched_from_or_posted_to(
    outside: Outside, template: str
) -> None:
    url = url_of(template, outside)

    with pytest.raises(TargetRefusedError):
        outside.http.check(url, client="org_a")
    with pytest.raises(TargetRefusedError), outside.http.get(url, deadline_s=10):
        pass
    with pytest.raises(TargetRefusedError):
        outside.http.post(url, body=b"{}", headers={}, timeout_s=10)

    assert outside.connects == []
    assert outside.canary.reached == 0


@each([text for text in TARGETS if fits_a_header(text)])
def test_no_redirect_to_a_target_is_followed(outside: Outside, template: str) -> None:
    location = url_of(template, outside)
    outside.source.redirects("/start", location)

    with (
        pytest.raises(TargetRefusedError),
        outside.http.get(outside.source_url("/start"), deadline_s=10),
    ):
        pass

    assert outside.was_spared()


@each([text for text in TARGETS if fits_a_database(text)])
def test_no_task_fetches_from_a_target(
    world: World, outside: Outside, template: str
) -> None:
    # Past the check of the request: what was fine then may have changed.
    url = url_of(template, outside)
    grant = world.services.fetching.fetch_file(world.env, url)

    world.run_tasks()

    with world.services.uow.read() as work:
        found = work.grants.find(grant.id)
        (task,) = work.tasks.of_subject(grant.id)
    assert found is not None
    assert found.state is GrantState.ENDED
    assert task.state is TaskState.FAILED
    assert outside.connects == []
    assert outside.canary.reached == 0
