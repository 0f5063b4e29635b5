"""
How jobs wait, in a server without HTTP that works on none of them.
"""

from collections.abc import Iterator

import pytest

from hvcore_mediaconvert_local.config import KeyPair, LocalMediaConvertConfig
from hvcore_mediaconvert_local.errors import MediaConvertError
from hvcore_mediaconvert_local.local_service import LocalMediaConvert
from tests.plugins.mediaconvert_local.job_requests import file_group, job, wire


@pytest.fixture
def service() -> Iterator[LocalMediaConvert]:
    made = LocalMediaConvert(LocalMediaConvertConfig(max_waiting=2))
    yield made
    made.close()


def created(service: LocalMediaConvert, **further: object) -> str:
    request = wire(job("s3://b/in.mp4", file_group("b"))) | further
    return str(service.jobs.create(request)["job"]["id"])


def test_one_job_more_than_may_wait_is_refused(service: LocalMediaConvert) -> None:
    first = created(service)
    created(service)

    with pytest.raises(MediaConvertError) as refused:
        created(service)
    service.jobs.cancel({"id": first})
    created(service)

    assert refused.value.kind == "TooManyRequestsException"
    assert refused.value.status == 429


def test_a_token_is_honoured_also_when_no_more_may_wait(
    service: LocalMediaConvert,
) -> None:
    first = created(service, clientRequestToken="t")
    created(service)

    assert created(service, clientRequestToken="t") == first


def test_a_queue_is_named_by_its_name_or_its_arn(service: LocalMediaConvert) -> None:
    arn = service.queues.create({"name": "q"})["queue"]["arn"]

    created(service, queue=arn)
    created(service, queue="q")

    assert service.queues.get({"name": "q"})["queue"]["submittedJobsCount"] == 2
    with pytest.raises(MediaConvertError, match="does not exist"):
        created(service, queue="other")


def test_a_queue_with_jobs_is_not_deleted(service: LocalMediaConvert) -> None:
    service.queues.create({"name": "q"})
    created(service, queue="q")

    with pytest.raises(MediaConvertError) as refused:
        service.queues.delete({"name": "q"})

    assert refused.value.kind == "ConflictException"


def test_a_queue_gives_as_many_places_as_it_has(service: LocalMediaConvert) -> None:
    service.queues.create({"name": "q", "concurrentJobs": 3})

    free = service.queues.free_places("q")
    service.queues.update({"name": "q", "status": "PAUSED"})

    assert (free, service.queues.free_places("q")) == (3, 0)


def test_no_secret_is_shown() -> None:
    config = LocalMediaConvertConfig(
        access_keys=(KeyPair.parse("id:hidden"),), events_header="X-Key: hidden"
    )

    assert "hidden" not in repr(config)
