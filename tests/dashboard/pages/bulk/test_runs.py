"""
Bulk changes while they run: limits, lost roles, deaths of workers, other people's edits.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

import attrs
import pytest

from hvcore import failpoints
from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.access.roles import Role
from hvcore.domain.tasks.task import LEASE
from hvcore.domain.videos.bulk_changes import BulkEnd, BulkState
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video, VideoChanges
from hvcore.settings.sign_in import DashboardSettings, SignInSettings
from tests.dashboard.opened import VIDEOS, Dashboard
from tests.dashboard.pages.bulk.ordered import (
    ask,
    order,
    other_host,
    outcomes,
    state,
    tasks,
    view,
    work_off,
)
from tests.dashboard.pages.sign_in.test_sign_in_hostile import SilentProvider
from tests.dashboard.test_limits import left_to, use_up
from tests.support.http.world import ORG


class WorkerKilledError(BaseException):
    """
    Ends a worker at a failpoint as ``kill -9`` would: nothing of it goes on.
    """


@pytest.fixture(autouse=True)
def _no_failpoints() -> Iterator[None]:
    yield
    failpoints.arm("")


def run_until_it_dies(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch, point: str, *, at: int
) -> None:
    """
    Run the task until its worker has come to a failpoint so often, and is gone there.
    """
    seen = 0

    def die(name: str) -> None:
        nonlocal seen
        seen += name == point
        if name == point and seen == at:
            raise WorkerKilledError

    with monkeypatch.context() as patched, suppress(WorkerKilledError):
        patched.setattr("hvcore.services.bulk.runs.failpoint", die)
        work_off(dashboard)
    assert seen == at


def lose_the_lease(dashboard: Dashboard) -> None:
    """
    Let the lease of the worker that is gone end, and the sweep bring its task back.
    """
    dashboard.world.clock.move(LEASE + timedelta(seconds=1))
    dashboard.world.services.task_runs.sweep(holder="test")


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_worker_that_dies_before_a_commit_doubles_nothing(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    world = dashboard.world
    ids = [world.ready(is_public=False) for _ in range(3)]
    before = [dashboard.video(one).event_count for one in ids]
    path = order(dashboard.sign_in(Role.EDITOR), "publish", all="yes")

    run_until_it_dies(dashboard, monkeypatch, "bulk.changed", at=at)
    lose_the_lease(dashboard)
    work_off(dashboard)

    assert state(dashboard, path) is BulkState.DONE
    assert outcomes(dashboard, path) == {"changed": 3}
    after = [dashboard.video(one).event_count for one in ids]
    assert after == [count + 1 for count in before]
    told = world.services.audit.latest(ORG, limit=100)
    changed = [entry.subject for entry in told if entry.action == "video.change"]
    assert sorted(changed) == sorted(ids)
    assert {e.actor_name for e in told if e.action == "video.change"} == {
        "Editor Person"
    }


@pytest.mark.parametrize("at", [1, 2])
def test_a_worker_that_dies_before_the_commit_of_a_deletion_doubles_nothing(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    ids = [dashboard.world.ready() for _ in range(2)]
    path = order(dashboard.sign_in(Role.EDITOR), "delete", all="yes")

    run_until_it_dies(dashboard, monkeypatch, "bulk.deleted", at=at)
    lose_the_lease(dashboard)
    work_off(dashboard)

    assert state(dashboard, path) is BulkState.DONE
    assert outcomes(dashboard, path) == {"changed": 2}
    assert {dashboard.video(one).state for one in ids} == {VideoState.DELETED}
    assert all(dashboard.video(one).bin_stay for one in ids)
    told = dashboard.world.services.audit.latest(ORG, limit=100)
    deleted = [entry.subject for entry in told if entry.action == "video.delete"]
    assert sorted(deleted) == sorted(ids)


@pytest.mark.parametrize("end", ["stop", "death"])
def test_a_restored_video_is_not_deleted_again_when_its_bulk_change_goes_on(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """
    A stop and a death may come at any moment, also right after a deletion.
    """
    ids = [dashboard.world.ready() for _ in range(2)]
    person = dashboard.sign_in(Role.EDITOR)
    path = order(person, "delete", all="yes")

    def interrupt(name: str) -> None:
        if name == "video.deleted":
            if end == "death":
                raise WorkerKilledError
            person.submit(f"{path}/stop", page=path)

    with monkeypatch.context() as patched, suppress(WorkerKilledError):
        patched.setattr("hvcore.services.videos.deletion.failpoint", interrupt)
        work_off(dashboard)
    (first,) = (one for one in ids if dashboard.video(one).bin_stay)
    person.post(f"{VIDEOS}/restore", {"video": first})
    if end == "stop":
        person.submit(path)
    else:
        lose_the_lease(dashboard)
    work_off(dashboard)

    assert outcomes(dashboard, path) == {"changed": 2}
    assert dashboard.video(first).state is VideoState.READY
    (last,) = set(ids) - {first}
    assert dashboard.video(last).state is VideoState.DELETED


def test_videos_that_a_bulk_change_deletes_can_be_restored(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)

    order(person, "delete", all="yes")
    work_off(dashboard)
    answer = person.post(f"{VIDEOS}/restore", {"video": video_id})

    assert answer.status_code == 303, answer.text
    assert dashboard.video(video_id).state is VideoState.READY


def test_a_change_by_somebody_else_is_not_undone_after_a_death(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = dashboard.world
    for _ in range(2):
        world.ready(is_public=False)
    path = order(dashboard.sign_in(Role.EDITOR), "publish", all="yes")
    run_until_it_dies(dashboard, monkeypatch, "bulk.changed", at=2)
    (done,) = (
        one for one in view(dashboard, path).first_ids if dashboard.video(one).is_public
    )

    world.change(done, lambda video: video.change(VideoChanges(is_public=False)))
    lose_the_lease(dashboard)
    work_off(dashboard)

    assert not dashboard.video(done).is_public
    assert outcomes(dashboard, path) == {"changed": 2}


def test_a_change_of_many_keeps_what_others_change_meanwhile(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready(is_public=False)
    other = dashboard.sign_in(Role.ADMIN)
    page = f"{VIDEOS}/{video_id}"
    seen = other.get(page)
    order(dashboard.sign_in(Role.EDITOR), "publish", all="yes")

    other.submit(page, {"videoName": "renamed"}, seen=seen)
    work_off(dashboard)
    renamed = dashboard.video(video_id)
    other.submit(page, {"description": "told later"}, seen=seen)

    assert (renamed.name, renamed.is_public) == ("renamed", True)
    stored = dashboard.video(video_id)
    assert (stored.description, stored.is_public) == ("told later", True)


def test_a_video_deleted_meanwhile_is_named_as_not_changed(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    gone, left = world.ready(is_public=False), world.ready(is_public=False)
    person = dashboard.sign_in(Role.EDITOR)
    path = order(person, "publish", all="yes")

    world.delete(f"/v1/videos/{gone}")
    work_off(dashboard)

    assert outcomes(dashboard, path) == {"changed": 1, "gone": 1}
    page = person.get(path).text
    assert gone in page
    assert "It was deleted meanwhile." in page
    assert dashboard.video(left).is_public


@pytest.mark.parametrize(
    ("tab", "fields"),
    [
        ("", {"videoName": "corrected"}),
        ("/chapters", {"start-1": "1", "title-1": "theirs"}),
        ("/sharing", {"kind": "share"}),
    ],
)
def test_a_video_that_somebody_else_works_on_is_not_deleted_with_others(
    dashboard: Dashboard, tab: str, fields: dict[str, str]
) -> None:
    world = dashboard.world
    theirs, other = world.ready(), world.ready()
    person, colleague = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.ADMIN)
    question = ask(person, "delete", all="yes").partition("?")[0]
    world.clock.move(timedelta(seconds=9))
    page = f"{VIDEOS}/{theirs}{tab}"
    assert colleague.submit(page, fields).status_code == 303

    person.submit(question)
    work_off(dashboard)

    assert dashboard.video(theirs).state is VideoState.READY
    assert dashboard.video(other).state is VideoState.DELETED
    assert outcomes(dashboard, question) == {"changed": 1, "changed-by-others": 1}
    shown = person.get(question).text
    assert "1 deleted, 1 not changed" in shown
    assert "Somebody else, or a program, has changed or shared it since" in shown
    assert f"{VIDEOS}/{theirs}" in shown


def test_a_video_that_a_program_changes_is_not_deleted_with_others(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    changed, shared = world.ready(), world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    question = ask(person, "delete", all="yes").partition("?")[0]
    world.clock.move(timedelta(seconds=9))
    new_name = world.call("PATCH", f"/v1/videos/{changed}", json={"videoName": "new"})
    edge_key = world.post(f"/v1/videos/{shared}/edge-keys", {})
    assert (new_name.status_code, edge_key.status_code) == (200, 200)

    person.submit(question)
    work_off(dashboard)

    assert dashboard.video(changed).state is VideoState.READY
    # Programs make edge keys all day.
    assert dashboard.video(shared).state is VideoState.DELETED
    assert outcomes(dashboard, question) == {"changed": 1, "changed-by-others": 1}


def test_a_video_changed_before_the_question_or_by_its_person_is_deleted(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    before, own = world.ready(), world.ready()
    person, colleague = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.ADMIN)
    colleague.submit(f"{VIDEOS}/{before}", {"videoName": "corrected"})
    world.clock.move(timedelta(seconds=9))
    question = ask(person, "delete", all="yes").partition("?")[0]
    world.clock.move(timedelta(seconds=9))
    person.submit(f"{VIDEOS}/{own}", {"videoName": "mine"})

    person.submit(question)
    work_off(dashboard)

    assert outcomes(dashboard, question) == {"changed": 2}


def test_videos_that_are_deleted_together_can_be_restored(
    dashboard: Dashboard,
) -> None:
    ids = [dashboard.world.ready() for _ in range(2)]
    person = dashboard.sign_in(Role.EDITOR)
    order(person, "delete", all="yes")

    work_off(dashboard)
    person.post(f"{VIDEOS}/restore", {"video": ids})

    assert {dashboard.video(one).state for one in ids} == {VideoState.READY}


@pytest.mark.parametrize("hours", [0, 5])
def test_deleted_videos_stay_in_the_bin_for_as_long_as_the_question_said(
    dashboard: Dashboard, hours: int
) -> None:
    """
    A restart with another setting, and workers with their own, change nothing.
    """
    world = dashboard.world
    video_id = world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    settings = attrs.evolve(
        world.services.settings, dashboard=DashboardSettings(bin_hours=hours)
    )
    with other_host(dashboard, settings) as worker:
        path = ask(person, "delete", all="yes").partition("?")[0]
        asked = person.get(path).text

        person.submit(path)
        work_off(dashboard, worker)

    assert "can be restored for 20 hours" in asked
    stay = dashboard.video(video_id).bin_stay
    assert stay is not None
    assert stay.ends_at == world.clock.now() + timedelta(hours=20)


@pytest.mark.parametrize("loss", ["removed", "smaller role", "signed out"])
def test_a_lost_role_ends_a_change_that_runs(dashboard: Dashboard, loss: str) -> None:
    world = dashboard.world
    video_id = world.ready(is_public=False)
    person = dashboard.sign_in(Role.EDITOR)
    path = order(person, "publish", all="yes")

    members = world.services.members
    member = members.of_organization(ORG)[-1]
    if loss == "removed":
        members.remove(ORG, member.id)
    elif loss == "smaller role":
        members.change_role(ORG, member.id, Role.VIEWER)
    else:
        world.services.sign_in_sessions.sign_out(person.session.value)
    work_off(dashboard)

    assert not dashboard.video(video_id).is_public
    assert view(dashboard, path).bulk.end is BulkEnd.ROLE_LOST
    assert not tasks(dashboard)
    page = dashboard.sign_in(Role.EDITOR).get(path).text
    assert "has signed out, or is no editor" in page


def test_a_change_does_not_go_on_by_a_link_past_single_sign_on(
    dashboard: Dashboard,
) -> None:
    dashboard.world.ready(is_public=False)
    path = order(dashboard.sign_in(Role.EDITOR), "publish", all="yes")
    person = view(dashboard, path).bulk.person
    sessions = dashboard.world.services.sign_in_sessions

    assert sessions.principal_now(person, ORG) is not None
    past = attrs.evolve(sessions, backend="oidc")
    assert past.principal_now(person, ORG) is None


def test_a_lost_role_ends_a_change_between_two_batches(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = dashboard.world
    ids = [world.ready() for _ in range(4)]
    person = dashboard.sign_in(Role.EDITOR)
    path = order(person, "delete", all="yes")
    monkeypatch.setattr("hvcore.services.bulk.runs.BATCH", 2)

    def sign_out(name: str) -> None:
        if name == "video.deleted":
            world.services.sign_in_sessions.sign_out(person.session.value)

    monkeypatch.setattr("hvcore.services.videos.deletion.failpoint", sign_out)
    work_off(dashboard)

    states = [dashboard.video(one).state for one in ids]
    assert states.count(VideoState.DELETED) == 2
    assert state(dashboard, path) is BulkState.STOPPED


@pytest.mark.parametrize(
    ("overrides", "secret", "says"),
    [
        (
            {"sign_in_providers": {"another": SilentProvider()}},
            "",
            "This host has no sign-in backend link",
        ),
        ({}, "another secret, of this host alone", "HV_SIGN_IN__SECRET"),
    ],
)
def test_a_worker_without_the_settings_of_sign_in_says_so_and_ends_nothing(
    dashboard: Dashboard, overrides: dict[str, object], secret: str, says: str
) -> None:
    """
    Neither the change nor the session of the person ends by that.
    """
    world = dashboard.world
    video_id = world.ready(is_public=False)
    person = dashboard.sign_in(Role.EDITOR)
    path = order(person, "publish", all="yes")
    world.clock.move(timedelta(minutes=6))
    settings = attrs.evolve(
        world.services.settings, sign_in=SignInSettings(secret=secret)
    )

    with other_host(dashboard, settings, **overrides) as worker:
        work_off(dashboard, worker)
    waiting = person.get(path).text
    world.clock.move(timedelta(minutes=6))
    work_off(dashboard)

    assert "It waits: " in waiting
    assert says in waiting
    assert state(dashboard, path) is BulkState.DONE
    assert dashboard.video(video_id).is_public
    assert "It waits" not in person.get(path).text


def test_somebody_else_has_a_stopped_change_go_on_in_their_name(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready(is_public=False)
    person, other = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.ADMIN)
    path = order(person, "publish", all="yes")

    assert person.submit(f"{path}/stop", page=path).status_code == 303
    work_off(dashboard)
    stopped = dashboard.video(video_id)
    other.submit(path)
    work_off(dashboard)

    assert not stopped.is_public
    assert dashboard.video(video_id).is_public
    told = dashboard.world.services.audit.latest(ORG, limit=4)
    assert [(entry.action, entry.actor_name) for entry in reversed(told)] == [
        ("bulk.start", "Editor Person"),
        ("bulk.stop", "Editor Person"),
        ("bulk.start", "Admin Person"),
        ("video.change", "Admin Person"),
    ]


def test_a_restore_is_not_refused_when_deletions_took_the_allowance(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    order(person, "delete", all="yes")
    work_off(dashboard)
    use_up(dashboard, Bucket.VIDEO_OPERATIONS)

    person.post(f"{VIDEOS}/restore", {"video": video_id})

    assert dashboard.video(video_id).state is VideoState.READY


def test_deletions_leave_half_of_the_allowance_and_go_on_by_themselves(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    ids = [world.ready() for _ in range(4)]
    person = dashboard.sign_in(Role.EDITOR)
    path = order(person, "delete", all="yes")
    use_up(dashboard, Bucket.VIDEO_OPERATIONS, left=502)

    work_off(dashboard)
    states = [dashboard.video(one).state for one in ids]
    left = left_to(dashboard, Bucket.VIDEO_OPERATIONS)
    page = person.get(path).text
    world.clock.move(timedelta(hours=1))
    work_off(dashboard)

    assert states.count(VideoState.DELETED) == 3
    assert left == 498
    assert "It goes on by itself" in page
    assert outcomes(dashboard, path) == {"changed": 4}
    assert "It goes on by itself" not in person.get(path).text


def test_a_long_change_lets_others_have_their_turn(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        dashboard.world.ready(is_public=False)
    path = order(dashboard.sign_in(Role.EDITOR), "publish", all="yes")
    monkeypatch.setattr("hvcore.services.bulk.runs.BATCH", 1)
    monkeypatch.setattr("hvcore.services.bulk.runs.SLICE_S", 1e-9)
    (task,) = tasks(dashboard)

    dashboard.world.services.task_runs.run(
        task.id, worker="test:1", stopping=lambda: False
    )

    (left,) = tasks(dashboard)
    assert (left.id, left.attempts) == (task.id, 0)
    assert sum(outcomes(dashboard, path).values()) == 3


def test_an_error_of_the_service_stops_the_change_and_is_told(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    dashboard.world.ready(is_public=False)
    person = dashboard.sign_in(Role.EDITOR)
    path = order(person, "publish", all="yes")

    def fail(_video: Video, _changes: VideoChanges) -> bool:
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr(Video, "change", fail)
        for _ in range(3):
            work_off(dashboard)
            dashboard.world.clock.move(timedelta(minutes=1))

    assert view(dashboard, path).bulk.end is BulkEnd.FAILED
    assert "stopped by an error of the service" in person.get(path).text
    person.submit(path)
    work_off(dashboard)
    assert state(dashboard, path) is BulkState.DONE


def test_ended_changes_are_forgotten_after_twenty_hours(dashboard: Dashboard) -> None:
    dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    running = order(person, "publish", all="yes")
    work_off(dashboard)
    dashboard.world.clock.move(timedelta(hours=19))
    dashboard.world.services.bulk_changes.forget_old()
    is_kept = view(dashboard, running).bulk.state is BulkState.DONE
    dashboard.world.clock.move(timedelta(hours=1))

    dashboard.world.services.bulk_changes.forget_old()

    assert is_kept
    assert dashboard.sign_in(Role.EDITOR).get(running).status_code == 404
