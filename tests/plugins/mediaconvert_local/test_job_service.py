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


def test_jobs_are_listed_by_queue_state_and_input_newest_first(
    idle_service: LocalMediaConvert,
) -> None:
    jobs = idle_service.jobs
    idle_service.queues.create({"name": "q"})
    first, second, third = (
        created(idle_service, **more) for more in ({}, {"queue": "q"}, {})
    )
    jobs.cancel({"id": third})

    def listed(**request: object) -> list[str]:
        return [one["id"] for one in jobs.list(request)["jobs"]]

    assert listed() == [third, second, first]
    assert listed(order="ASCENDING") == [first, second, third]
    assert listed(queue="q") == [second]
    assert listed(status="SUBMITTED") == [second, first]
    assert listed(inputFile="b/in") == [third, second, first]
    assert listed(inputFile="other") == []
    page = jobs.list({"maxResults": 2})
    assert listed(maxResults=2, nextToken=page["nextToken"]) == [first]
    assert "nextToken" not in jobs.list({"maxResults": 3})
    up = jobs.list({"maxResults": 1, "order": "ASCENDING"})["nextToken"]
    assert listed(order="ASCENDING", nextToken=up) == [second, third]
    assert jobs.get({"id": third})["job"]["status"] == "CANCELED"
    for call in (jobs.get, jobs.cancel):
        with pytest.raises(MediaConvertError, match="Job x does not exist"):
            call({"id": "x"})
    with pytest.raises(MediaConvertError, match="is CANCELED and cannot be canceled"):
        jobs.cancel({"id": third})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"clientRequestToken": "x" * 65}, "at most 64 ASCII"),
        ({"clientRequestToken": "ü"}, "at most 64 ASCII"),
        ({"role": "MediaConvert"}, "Should be the ARN"),
        ({"jobTemplate": "none"}, "none is not among the jobTemplates"),
        ({"queue": "none"}, "Queue none does not exist"),
    ],
)
def test_a_job_that_nobody_can_begin_is_refused(
    idle_service: LocalMediaConvert, change: dict[str, object], said: str
) -> None:
    with pytest.raises(MediaConvertError, match=said):
        created(idle_service, **change)
    assert idle_service.jobs.list({})["jobs"] == []


def test_outputs_of_a_file_group_are_named_where_there_are_several(
    idle_service: LocalMediaConvert,
) -> None:
    request = wire(job("s3://b/in.mp4", file_group("b")))
    outputs = request["settings"]["outputGroups"][0]["outputs"]
    idle_service.jobs.create(request)
    outputs.append(outputs[0])

    with pytest.raises(MediaConvertError) as refused:
        idle_service.jobs.create(request)

    path = "/outputGroups/0/outputs"
    assert refused.value.message.split("; ") == [
        f"{path}/{number}: nameModifier is a required property" for number in (0, 1)
    ]


def test_a_token_of_the_longest_length_finds_its_job_for_a_minute(
    idle_service: LocalMediaConvert,
) -> None:
    first = created(idle_service, clientRequestToken="x" * 64)
    other = created(idle_service)
    idle_service.clock.advance(55)
    again = created(idle_service, clientRequestToken="x" * 64)
    idle_service.clock.advance(5)
    late = created(idle_service, clientRequestToken="x" * 64)

    assert first == again
    assert len({first, other, late}) == 3


def test_a_job_takes_what_it_does_not_say_from_template_and_preset(
    idle_service: LocalMediaConvert,
) -> None:
    idle_service.queues.create({"name": "q"})
    whole = wire(job("s3://b/in.mp4", file_group("b")))
    (output,) = whole["settings"]["outputGroups"][0]["outputs"]
    video = output.pop("videoDescription")
    idle_service.presets.create({"name": "p", "settings": {"videoDescription": video}})
    template = {"settings": whole["settings"], "queue": "q", "priority": 7}
    idle_service.templates.create({"name": "t", "category": "c", **template})
    over = {"outputGroups": [{"outputs": [{"preset": "p", "nameModifier": "_x"}]}]}

    request = {"role": whole["role"], "jobTemplate": "t", "settings": over}
    made = idle_service.jobs.create(request | {"tags": {"a": "1"}})["job"]
    urgent = idle_service.jobs.create(request | {"priority": 9})["job"]

    (found,) = made["settings"]["outputGroups"][0]["outputs"]
    assert found["videoDescription"] == video
    assert (found["nameModifier"], found["preset"]) == ("_x", "p")
    assert found["audioDescriptions"] == output["audioDescriptions"]
    assert (made["priority"], made["queue"].endswith("/q")) == (7, True)
    assert urgent["priority"] == 9
    tags = idle_service.tags.list({"arn": made["arn"]})["resourceTags"]["tags"]
    assert tags == {"a": "1"}
