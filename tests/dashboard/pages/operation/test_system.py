"""
The system page: how the service is doing, and what to do about it.
"""

from datetime import UTC, datetime, timedelta

from hvcore import __version__
from hvcore.domain.health_findings import HealthFinding, broken, healthy
from hvcore.domain.processes import ServiceProcess
from hvcore.domain.tasks.task import Lane, NewTask
from tests.dashboard.opened import Dashboard, ids_in
from tests.support.http.world import ORG

PAGE = "/dashboard/system"
FINDINGS = f"{PAGE}/fragments/findings"
TASKS = f"{PAGE}/fragments/tasks"


def order(dashboard: Dashboard, **wanted: object) -> NewTask:
    details = {"lane": Lane.ENCODE, "kind": "transcode.part", "subject": "vid_x"}
    task = NewTask(org_id=ORG, **{**details, **wanted})  # type: ignore[arg-type]  # each of its own type
    with dashboard.world.services.uow.write() as work:
        work.tasks.add([task])
        work.commit()
    return task


def test_a_service_that_works_says_so(dashboard: Dashboard) -> None:
    answer = dashboard.sign_in(None).get(PAGE)

    assert answer.status_code == 200
    assert "Everything works" in answer.text
    assert f"hvcore {__version__}" in answer.text
    assert (
        "analytics-sql" in answer.text or "hvcore_analytics_sql.plugin" in answer.text
    )
    assert f'hx-get="{FINDINGS}"' in answer.text
    ids_in(answer)


def test_what_does_not_work_is_named(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(None)
    dashboard.world.queue.is_down = True

    answer = person.get(PAGE)

    assert answer.status_code == 200
    assert "Something does not work" in answer.text
    assert "The queue does not answer." in answer.text
    assert "not known" in answer.text


def test_the_keys_of_the_service_are_listed_without_their_secrets(
    dashboard: Dashboard,
) -> None:
    services = dashboard.world.services
    kids = [rotation.replace_now() for rotation in services.key_rotations.values()]

    answer = dashboard.sign_in(None).get(PAGE)

    assert all(f"<code>{kid}</code>" in answer.text for kid in kids)
    assert answer.text.count("Signs</span>") == answer.text.count("Ended</span>") == 2
    signer, now = services.upload_signer, services.clock.now()
    secrets = [
        services.key_ring.signing_key(now).private,
        signer.own_keys.signing(now)[1],
        services.settings.uploads.signing_key.encode(),
        services.settings.playback.signing_key.encode(),
    ]
    assert not [one for one in secrets if one in answer.content]  # type: ignore[operator]


def test_findings_come_with_their_fixes_the_worst_first(
    dashboard: Dashboard,
) -> None:
    dashboard.installation.findings = [
        healthy("python", "3.13"),
        HealthFinding(state="warning", check="disk", found="little", fix="Free some."),
        broken("storage", "<b>full</b>", "Enlarge it."),
    ]

    answer = dashboard.sign_in(None).fragment(FINDINGS)

    places = [answer.text.index(text) for text in ("Enlarge it.", "Free some.", "3.13")]
    assert places == sorted(places)
    assert "&lt;b&gt;full&lt;/b&gt;" in answer.text


def test_checks_are_repeated_on_demand(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(None)

    first = person.fragment(FINDINGS)
    again = person.fragment(FINDINGS, "anew=yes")

    assert f'hx-get="{FINDINGS}?anew=yes"' in first.text
    assert again.status_code == 200
    assert dashboard.installation.asked_anew == 1


def test_processes_are_shown_where_they_are_known(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(None)
    unknown = person.fragment(TASKS)
    at = datetime(2026, 1, 2, tzinfo=UTC)
    dashboard.installation.known = [
        ServiceProcess(name="api", pid=123, started_at=at, starts=1),
        ServiceProcess(name="encode-1", pid=None, started_at=at, starts=4),
    ]

    known = person.fragment(TASKS)

    assert "so it does not know the others" in unknown.text
    assert "encode-1" in known.text
    assert "Starts again" in known.text
    assert '<td class="number">3</td>' in known.text


def test_tasks_are_counted_by_lane(dashboard: Dashboard) -> None:
    later = dashboard.world.clock.now() + timedelta(hours=1)
    order(dashboard)
    order(dashboard, lane=Lane.OUTBOUND, not_before=later)
    failed = order(dashboard, lane=Lane.LIGHT, kind="media.purge")
    uow = dashboard.world.services.uow
    with uow.write() as work:
        task = work.tasks.lease(failed.id, worker="host:1")
        assert task is not None
        work.tasks.fail(task, error="The <i>storage</i> said no.")
        work.commit()
    encode = order(dashboard)
    with uow.write() as work:
        work.tasks.lease(encode.id, worker="host:abc:77")
        work.commit()

    answer = dashboard.sign_in(None).fragment(TASKS)

    assert "The &lt;i&gt;storage&lt;/i&gt; said no." in answer.text
    assert "<code>host:abc:77</code>" in answer.text
    with uow.read() as work:
        found = {one.lane: one for one in work.tasks.backlogs()}
    assert list(found) == list(Lane)
    assert found[Lane.ENCODE].leased == 1
    assert found[Lane.ENCODE].due + found[Lane.ENCODE].queued == 1
    assert (found[Lane.OUTBOUND].later, found[Lane.OUTBOUND].due) == (1, 0)
    assert found[Lane.LIGHT].failed == 1


def test_the_oldest_that_is_due_is_told(dashboard: Dashboard) -> None:
    since = dashboard.world.clock.now()
    # A window takes 8 into the queue; the rest stays due.
    for _ in range(10):
        order(dashboard)
    dashboard.world.clock.move(timedelta(minutes=9))

    with dashboard.world.services.uow.read() as work:
        (encode, *_) = work.tasks.backlogs()

    assert (encode.queued, encode.due) == (8, 2)
    assert encode.oldest_due_at == since


def test_what_is_no_fragment_is_not_found(dashboard: Dashboard) -> None:
    assert dashboard.sign_in(None).get(f"{PAGE}/fragments/x").status_code == 404
