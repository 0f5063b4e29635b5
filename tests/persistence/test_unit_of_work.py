"""
Transactions, and what several of them do to one another.
"""

import os
import signal
import subprocess
import sys
import threading
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine, make_url

from hvcore.domain.access.keys import ALL_PERMISSIONS, ApiKey, KeyType
from hvcore.domain.access.tenants import Environment, EnvironmentKind, Organization
from hvcore.domain.ids import EnvId, OrgId, new_job_id, new_key_id
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.tasks.kinds import UPLOAD_TAKE
from hvcore.domain.tasks.task import Lane, TaskState
from hvcore.domain.uploads.grants import GrantState
from hvcore.domain.videos.states import VideoState
from hvcore.errors import ConfigError, UnavailableError
from hvcore.persistence import tables
from hvcore.persistence.access.key_book import SqlKeyBook
from hvcore.persistence.engine import (
    ForkedEngineError,
    make_engine,
    reading,
    writing,
)
from hvcore.persistence.unit_of_work import LEADS_FOR, SqlUnitOfWork
from hvcore.ports.repositories.errors import AlreadyExistsError, ConcurrentUpdateError
from hvcore.ports.unit_of_work import UnitOfWork
from tests.conftest import SettableClock
from tests.persistence.samples import (
    ENV,
    NOW,
    ORG,
    OTHER_ORG,
    at_once,
    grant,
    new_task,
    order,
    video,
)
from tests.support.servers import PostgresqlServer, wait_until


def test_the_sql_unit_of_work_is_a_unit_of_work(uow: SqlUnitOfWork) -> None:
    port: UnitOfWork = uow

    port.ping()


def test_two_threads_that_save_one_video_clash(uow: SqlUnitOfWork) -> None:
    made = video()
    with uow.write() as work:
        work.videos.add(made)
        work.commit()

    def rename(number: int) -> None:
        with uow.read() as work:
            found = work.videos.find(made.id)
        assert found is not None
        found.name = f"name {number}"
        both_have_read.wait()
        with uow.write() as work:
            work.videos.save(found)
            work.commit()

    both_have_read = threading.Barrier(2)
    results = at_once(rename, threads=2)

    assert [type(r) for r in results if r] == [ConcurrentUpdateError]
    assert results.count(None) == 1


def test_a_video_can_be_saved_again_and_again(uow: SqlUnitOfWork) -> None:
    made = video()
    with uow.write() as work:
        work.videos.add(made)
        work.videos.save(made)
        made.description = "x"
        work.videos.save(made)
        work.commit()

    with uow.read() as work:
        assert work.videos.find(made.id) == made


def test_sixteen_threads_use_one_grant_once(uow: SqlUnitOfWork) -> None:
    made = grant()
    with uow.write() as work:
        work.grants.add(made)
        work.commit()

    def use(_: int) -> bool:
        with uow.write() as work:
            found = work.grants.find(made.id, for_update=True)
            assert found is not None
            if found.state is not GrantState.GRANTED:
                return False
            found.state = GrantState.USED
            work.grants.save(found)
            work.commit()
        return True

    results = at_once(use, threads=16)

    assert sorted(map(str, results)) == ["False"] * 15 + ["True"]


def test_of_many_parts_exactly_one_is_the_last(uow: SqlUnitOfWork) -> None:
    made = video()
    job_id = new_job_id()
    job = TranscodeJob(
        id=job_id,
        video_id=made.id,
        order=order(),
        parts_total=40,
        parts_left=40,
        transcoder="far",
        chosen_because="hdr",
    )
    with uow.write() as work:
        work.videos.add(made)
        assert work.jobs.add(job)
        assert not work.jobs.add(job)
        work.commit()
    with uow.read() as work:
        assert work.jobs.find(job_id) == job

    def finish_five(_: int) -> list[int]:
        left = []
        for _ in range(5):
            with uow.write() as work:
                left.append(work.jobs.count_down(job_id))
                work.commit()
        return left

    results = at_once(finish_five, threads=8)

    counts = [n for result in results if isinstance(result, list) for n in result]
    assert sorted(counts) == list(range(40))


def test_video_waits_as_long_as_its_parts_are_heavy(uow: SqlUnitOfWork) -> None:
    made, job_id = video(), new_job_id()
    job = TranscodeJob(
        id=job_id, video_id=made.id, order=order(), parts_total=3, parts_left=3
    )
    payload = {"job": job_id, "weight": 0.2}
    in_work = new_task(payload=payload)
    with uow.write() as work:
        assert work.jobs.waiting_s() == 0
        work.videos.add(made)
        work.jobs.add(job)
        work.tasks.add([in_work, new_task(payload=payload), new_task(payload=payload)])
        work.tasks.add([new_task(payload=payload, lane=Lane.OUTBOUND)])
        work.tasks.add([new_task(payload=payload, kind="transcode.plan")])
        work.commit()
    with uow.write() as work:
        assert work.tasks.lease(in_work.id, worker="test:1") is not None
        work.commit()

    with uow.read() as work:
        waiting_s = work.jobs.waiting_s()

    assert waiting_s == pytest.approx(2 * 0.2 * job.order.source.duration_s)


def test_one_leads_until_it_is_gone(uow: SqlUnitOfWork, engine: Engine) -> None:
    def lead(holder: str) -> bool:
        with uow.write() as work:
            leads = work.lead("sweep", holder=holder)
            work.commit()
        return leads

    assert lead("a")
    assert not lead("b")
    assert lead("a")

    step = (LEADS_FOR + timedelta(seconds=1)) // timedelta(microseconds=1)
    with engine.connect() as connection, connection.begin():
        until = sa.literal_column("until", sa.BigInteger) - step
        connection.execute(
            sa.update(sa.table("leaders", sa.column("until"))).values(until=until)
        )

    assert lead("b")
    assert not lead("a")


def test_chosen_ids_are_unique_within_their_organization(uow: SqlUnitOfWork) -> None:
    def environment(org_id: OrgId, id_: str, name: str) -> Environment:
        return Environment(
            id=EnvId(id_),
            org_id=org_id,
            name=name,
            kind=EnvironmentKind.PRODUCTION,
            created_at=NOW + timedelta(days=1),
        )

    with uow.write() as work:
        with pytest.raises(AlreadyExistsError, match="environments: env_1"):
            work.tenants.add_environment(environment(ORG, "env_1", "dev"))
        with pytest.raises(AlreadyExistsError, match="environments: dev"):
            work.tenants.add_environment(environment(ORG, "dev", "other"))
        with pytest.raises(AlreadyExistsError, match="organizations: org_a"):
            work.tenants.add_organization(Organization(id=ORG, created_at=NOW))
        live = environment(ORG, "env_1", "live")
        work.tenants.add_environment(live)
        work.commit()

    with uow.read() as work:
        assert work.tenants.environment(ORG, "live") == live
        assert work.tenants.environment(ORG, "env_1") == live
        assert work.tenants.environment(OTHER_ORG, "live") is None
        assert work.tenants.environment(ORG, "\0") is None
        assert [e.id for e in work.tenants.environments(ORG)] == [ENV, live.id]
        assert [o.id for o in work.tenants.organizations()] == [ORG, OTHER_ORG]
        assert work.tenants.organization("org_x") is None


def _key(**changes: Any) -> ApiKey:  # noqa: ANN401 - fields
    values = {
        "id": new_key_id(),
        "name": "k",
        "type": KeyType.ENVIRONMENT,
        "org_id": ORG,
        "env_id": ENV,
        "permissions": ALL_PERMISSIONS,
        "sha256": "ab" * 32,
        "shown": "hv_test_abcd",
        "created_at": NOW,
    }
    return ApiKey(**(values | changes))  # type: ignore[arg-type]  # as written above


def test_a_key_is_found_by_its_hash(uow: SqlUnitOfWork, engine: Engine) -> None:
    key = _key()
    system = _key(
        type=KeyType.SYSTEM, org_id=None, env_id=None, sha256="cd" * 32, permissions=()
    )
    with uow.write() as work:
        work.keys.add(key)
        work.keys.add(system)
        work.commit()
    book = SqlKeyBook(engine, SettableClock(NOW))

    assert book.find(key.sha256) == key
    assert book.find("00" * 32) is None
    with uow.read() as work:
        assert work.keys.of_organization(ORG) == [key]
        assert [k.id for k in work.keys.of_organization(None)] == [system.id]


def test_the_use_of_a_key_is_noted_once_a_minute(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    key = _key()
    with uow.write() as work:
        work.keys.add(key)
        work.commit()
    book = SqlKeyBook(engine, SettableClock(NOW))

    for seconds in (0, 30, 61, 100):
        book.note_use(key, NOW + timedelta(seconds=seconds))
    with uow.write() as work:
        # From a record that was read before.
        work.keys.save(key)
        work.commit()

    found = book.find(key.sha256)
    assert found is not None
    assert found.last_used_at == NOW + timedelta(seconds=61)


def test_a_note_does_not_wait_for_a_lock(uow: SqlUnitOfWork, engine: Engine) -> None:
    key = _key()
    with uow.write() as work:
        work.keys.add(key)
        work.commit()
    book = SqlKeyBook(engine, SettableClock(NOW))

    with uow.write() as work:
        work.keys.save(key)
        book.note_use(key, NOW)
        work.commit()

    found = book.find(key.sha256)
    assert found is not None
    assert found.last_used_at is None


def test_grants_are_found_by_their_state(uow: SqlUnitOfWork) -> None:
    over = NOW + timedelta(hours=2)
    waiting = grant(starts_processing=True)
    plain = grant()
    used = grant(state=GrantState.USED, starts_processing=True)
    with uow.write() as work:
        for made in (waiting, plain, used):
            work.grants.add(made)
        work.commit()

    with uow.read() as work:
        unused = work.grants.unused(over, 10)
        assert work.grants.unused(NOW, 10) == []
        assert work.grants.find_path(plain.path) == plain
        assert work.grants.find_path("\0") is None
    assert sorted(g.id for g in unused) == sorted([waiting.id, plain.id])


def test_an_upload_that_a_task_is_to_look_for_is_not_over(uow: SqlUnitOfWork) -> None:
    over = NOW + timedelta(hours=2)
    awaited, gone = (
        video(
            state=VideoState.AWAITING_UPLOAD,
            job_id=None,
            upload_expires_at=NOW + timedelta(hours=1),
        )
        for _ in "12"
    )
    looked_for, missing = (
        grant(state=GrantState.DIRECT, starts_processing=True, video_id=one.id)
        for one in (awaited, gone)
    )
    plain = grant(state=GrantState.DIRECT)
    task = new_task(looked_for.id, kind=UPLOAD_TAKE, lane=Lane.OUTBOUND)
    with uow.write() as work:
        for one in (awaited, gone):
            work.videos.add(one)
        for made in (looked_for, missing, plain):
            work.grants.add(made)
        work.tasks.add([task])
        work.commit()

    with uow.write() as work:
        assert [one.id for one in work.videos.expired(over, 10)] == [gone.id]
        assert [one.id for one in work.grants.never_sent(over, 10)] == [missing.id]
        unused = {one.id for one in work.grants.unused(over, 10)}
        assert unused == {missing.id, plain.id}
        work.tasks.cancel(looked_for.id, kinds=(UPLOAD_TAKE,))
        work.commit()
    with uow.write() as work:
        assert len(work.videos.expired(over, 10)) == 2
        assert len(work.grants.unused(over, 10)) == 3


_WRITE_AND_WAIT = """
import sys, time
from hvcore.clock import SystemClock
from hvcore.persistence.engine import make_engine
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import new_task, video

uow = SqlUnitOfWork(make_engine(sys.argv[1]), SystemClock(), lambda tasks: None)
with uow.write() as work:
    work.videos.add(video("half"))
    work.tasks.add([new_task("half")])
    work.tasks.settle(rings=True)
    print("written", flush=True)
    time.sleep(600)
"""


def test_a_kill_before_the_commit_leaves_nothing_half_written(
    uow: SqlUnitOfWork, migrated_url: str
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _WRITE_AND_WAIT, migrated_url], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        process.send_signal(signal.SIGKILL)

    with uow.write() as work:
        made = video("whole")
        work.videos.add(made)
        work.commit()
    with uow.read() as work:
        assert work.tasks.of_subject("half") == []
        assert work.tasks.search(state=TaskState.QUEUED) == []
        assert work.videos.find(made.id) == made


def test_an_engine_is_refused_after_a_fork(uow: SqlUnitOfWork) -> None:
    uow.ping()

    child = os.fork()
    if child == 0:
        try:
            uow.ping()
        except ForkedEngineError:
            os._exit(0)
        os._exit(1)

    assert os.waitpid(child, 0)[1] == 0
    uow.ping()


def test_reading_does_not_commit(uow: SqlUnitOfWork) -> None:
    with uow.read() as work, pytest.raises(RuntimeError, match="nothing to commit"):
        work.commit()


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:////nowhere/at/all/hvcore.db",
        "postgresql://localhost:1/none",
    ],
)
def test_a_database_that_does_not_answer_is_unavailable(
    url: str, clock: SettableClock
) -> None:
    uow = SqlUnitOfWork(make_engine(url), clock, lambda _: None)

    with pytest.raises(UnavailableError, match="does not answer"):
        uow.ping()
    with pytest.raises(UnavailableError, match="does not answer"), uow.write():
        pass


@pytest.mark.parametrize("url", ["nonsense", "sqlite://", "mysql://host/db"])
def test_an_unusable_url_is_a_configuration_error(url: str) -> None:
    with pytest.raises(ConfigError, match=r"database\.url"):
        make_engine(url)


def test_a_query_that_is_wrong_is_not_called_unavailable(engine: Engine) -> None:
    with (
        engine.connect() as connection,
        pytest.raises(sa.exc.DBAPIError, match="nothing"),
    ):
        connection.execute(sa.text("SELECT nothing FROM nowhere"))


def test_a_locked_database_is_unavailable_after_a_while(
    engine: Engine, uow: SqlUnitOfWork
) -> None:
    made = video()
    with uow.write() as work:
        work.videos.add(made)
        work.commit()

    with uow.write() as work:
        work.videos.find(made.id, for_update=True)
        with (
            pytest.raises(UnavailableError, match="does not answer"),
            writing(engine, timeout_ms=50) as other,
        ):
            other.execute(sa.update(tables.videos).values(version=7))


def test_the_clock_of_leases_is_about_now(uow: SqlUnitOfWork) -> None:
    with uow.read() as work:
        first = work.now()
        assert first.utcoffset() == timedelta(0)
        wait_until(lambda: work.now() >= first)


@pytest.mark.services
@pytest.mark.parametrize("style", ["German, DMY", "SQL, MDY", "Postgres, DMY"])
def test_a_server_may_write_its_dates_as_it_likes(
    postgresql: PostgresqlServer, style: str
) -> None:
    url = make_url(postgresql.new_database())
    options = f"-cdatestyle={style.replace(' ', '')} -cstatement_timeout=7s"
    asked = url.update_query_dict({"options": options})
    engine = make_engine(asked.render_as_string(hide_password=False))
    try:
        # What ends a transaction does not end it.
        for _ in range(2):
            with writing(engine) as connection:
                moment = connection.execute(sa.select(sa.func.now())).scalar_one()
                assert moment.tzinfo is not None
        with reading(engine) as connection:
            shown = connection.exec_driver_sql("SHOW statement_timeout").scalar_one()
        assert shown == "7s"
    finally:
        engine.dispose()
        postgresql.drop_database(url.render_as_string(hide_password=False))
