"""Describe jobs in the JSON of MediaConvert's answers and events."""

from typing import Final

from hvcore_mediaconvert_local.config import ACCOUNT_ID, LocalMediaConvertConfig
from hvcore_mediaconvert_local.jobs import LocalJob, MadeGroup, MadeOutput
from hvcore_mediaconvert_local.wire import JsonObject

_AS_ASKED: Final = (
    *("accelerationSettings", "billingTagsSource", "hopDestinations", "jobTemplate"),
    *("role", "settings", "simulateReservedQueue", "statusUpdateInterval"),
    "userMetadata",
)


def job_answer(job: LocalJob, config: LocalMediaConvertConfig) -> JsonObject:
    """Return the JSON of a job, as in the answers of GetJob and ListJobs."""
    asked = {name: job.request[name] for name in _AS_ASKED if name in job.request}
    facts: JsonObject = {
        "arn": config.arn("jobs", job.id),
        "id": job.id,
        "createdAt": int(job.created_at_s),
        "queue": config.arn("queues", job.queue),
        "priority": job.priority,
        "status": job.status,
        "clientRequestToken": job.token or None,
        "currentPhase": job.phase,
        "jobPercentComplete": job.percent,
        "errorCode": job.error_code,
        "errorMessage": job.error_message or None,
        "retryCount": job.retries,
        "accelerationStatus": "NOT_APPLICABLE",
        "messages": _messages(job),
        "outputGroupDetails": [_group(made) for made in job.made] or None,
        "timing": _known(
            {
                "submitTime": int(job.created_at_s),
                "startTime": _whole(job.started_at_s),
                "finishTime": _whole(job.finished_at_s),
            }
        ),
    }
    return {**asked, **_known(facts)}


def job_event(
    job: LocalJob, config: LocalMediaConvertConfig, status: str, at_ms: int
) -> JsonObject:
    """
    Return the ``detail`` of an event about a job.

    Args:
        status: The event's status: that of the job, or ``STATUS_UPDATE`` for progress.
        at_ms: The time of the event, in milliseconds since 1970.
    """
    detail: JsonObject = {
        "timestamp": at_ms,
        "accountId": ACCOUNT_ID,
        "queue": config.arn("queues", job.queue),
        "jobId": job.id,
        "status": status,
        "userMetadata": job.request.get("userMetadata", {}),
        "errorCode": job.error_code,
        "errorMessage": job.error_message or None,
        "outputGroupDetails": [_group_of_event(made) for made in job.made] or None,
    }
    if status == "STATUS_UPDATE":
        detail["jobProgress"] = {
            "jobPercentComplete": job.percent,
            "currentPhase": job.phase,
            "retryCount": job.retries,
        }
    return _known(detail)


def _messages(job: LocalJob) -> JsonObject:
    ignored = [f"hv-mediaconvert does not carry out {path}" for path in job.ignored]
    return {"info": [], "warning": ignored}


def _group(made: MadeGroup) -> JsonObject:
    return {"outputDetails": [_output(output) for output in made.outputs]}


def _group_of_event(made: MadeGroup) -> JsonObject:
    outputs = [
        _known({**_output(one), "outputFilePaths": list(one.files) or None})
        for one in made.outputs
    ]
    facts = {"outputDetails": outputs, "type": made.kind}
    return _known({**facts, "playlistFilePaths": list(made.playlists) or None})


def _output(made: MadeOutput) -> JsonObject:
    sizes = _known({"widthInPx": made.width_px, "heightInPx": made.height_px})
    facts = {"durationInMs": made.duration_ms, "videoDetails": sizes or None}
    return _known(facts)


def _known(facts: JsonObject) -> JsonObject:
    return {name: value for name, value in facts.items() if value is not None}


def _whole(moment_s: float | None) -> int | None:
    return None if moment_s is None else int(moment_s)
