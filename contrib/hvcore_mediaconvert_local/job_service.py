"""Carry out the operations of MediaConvert's API on jobs."""

import secrets
import string
from collections.abc import Mapping
from typing import Any, Final

from hvcore_mediaconvert_local.carried_out import ignored_settings
from hvcore_mediaconvert_local.clock import MovableClock
from hvcore_mediaconvert_local.config import LocalMediaConvertConfig
from hvcore_mediaconvert_local.errors import (
    MediaConvertError,
    bad_request,
    conflict,
    not_found,
)
from hvcore_mediaconvert_local.faults import FaultBook
from hvcore_mediaconvert_local.job_answers import job_answer
from hvcore_mediaconvert_local.job_events import JobEvents
from hvcore_mediaconvert_local.job_rules import setting_problems
from hvcore_mediaconvert_local.job_runner import JobRunner
from hvcore_mediaconvert_local.job_store import JobQuestion, JobStore
from hvcore_mediaconvert_local.jobs import LocalJob, LocalJobStatus
from hvcore_mediaconvert_local.listing import PAGE_SIZE, number_in
from hvcore_mediaconvert_local.named_settings import NamedSettings
from hvcore_mediaconvert_local.queues import LocalQueues
from hvcore_mediaconvert_local.wire import JsonObject, laid_over, object_at, objects_at

TOKEN_S: Final = 60
"""The seconds for which a request with the same client token returns the same job, as at
AWS."""
MAX_TOKEN_LENGTH: Final = 64
_SUFFIX: Final = string.ascii_lowercase + string.digits
_MOST_PROBLEMS: Final = 20
_MILLISECONDS: Final = 1000


class JobService:
    """Carry out the operations that create, show, list and cancel jobs; thread-safe."""

    def __init__(  # noqa: PLR0913, PLR0917 - what jobs have to do with
        self,
        config: LocalMediaConvertConfig,
        store: JobStore,
        clock: MovableClock,
        queues: LocalQueues,
        presets: NamedSettings,
        templates: NamedSettings,
        faults: FaultBook,
        events: JobEvents,
        runner: JobRunner,
    ) -> None:
        self._config = config
        self._store = store
        self._clock = clock
        self._queues = queues
        self._presets = presets
        self._templates = templates
        self._faults = faults
        self._events = events
        self._runner = runner

    def create(self, request: JsonObject) -> JsonObject:
        """Carry out CreateJob: check and store a new job, and return its JSON."""
        token = str(request.get("clientRequestToken", ""))
        if len(token) > MAX_TOKEN_LENGTH or not token.isascii():
            raise bad_request(
                f"clientRequestToken must have at most {MAX_TOKEN_LENGTH} ASCII characters"
            )
        if not str(request["role"]).startswith("arn:"):
            raise bad_request("/role: Should be the ARN of an IAM role")
        whole = self._filled_in(request)
        found = list(setting_problems(whole["settings"]))
        if found:
            raise bad_request("; ".join(found[:_MOST_PROBLEMS]))
        queue = self._queues.name_of(whole.get("queue"))
        with self._store.changing():
            job = self._earlier(token) or self._added(whole, queue, token)
        self._clock.wake()
        return {"job": job_answer(job, self._config)}

    def get(self, request: JsonObject) -> JsonObject:
        """Carry out GetJob: return the JSON of a job."""
        return {"job": job_answer(self._known(request["id"]), self._config)}

    def list(self, request: JsonObject) -> JsonObject:
        """Carry out ListJobs and SearchJobs: return a page of jobs, by default newest first."""
        queue, status = request.get("queue"), request.get("status")
        limit = int(request.get("maxResults", PAGE_SIZE))
        token = request.get("nextToken")
        jobs = self._store.page(
            JobQuestion(
                queue=self._queues.name_of(queue) if queue else "",
                status=LocalJobStatus(status) if status else None,
                input_part=str(request.get("inputFile", "")),
                is_ascending=request.get("order") == "ASCENDING",
                after=number_in(token) if token else None,
                limit=limit,
            )
        )
        shown = jobs[:limit]
        answer: JsonObject = {"jobs": [job_answer(job, self._config) for job in shown]}
        if len(jobs) > limit:
            answer["nextToken"] = str(shown[-1].number)
        return answer

    def cancel(self, request: JsonObject) -> JsonObject:
        """Carry out CancelJob: cancel a job that has not ended."""
        with self._store.changing():
            job = self._known(request["id"])
            if job.status.is_final:
                raise conflict(f"Job {job.id} is {job.status} and cannot be canceled")
            now_s = self._clock.now_s()
            canceled = self._store.change(job.id, lambda found: found.canceled(now_s))
        self._runner.cancel(job.id)
        if canceled is not None:
            self._events.publish(canceled)
        return {}

    def _known(self, job_id: str) -> LocalJob:
        job = self._store.job(job_id)
        if job is None:
            raise not_found(f"Job {job_id} does not exist")
        return job

    def _earlier(self, token: str) -> LocalJob | None:
        job = self._store.latest_of_token(token) if token else None
        if job and self._clock.now_s() - job.created_at_s < TOKEN_S:
            return job
        return None

    def _added(self, whole: JsonObject, queue: str, token: str) -> LocalJob:
        if self._store.count(LocalJobStatus.SUBMITTED) >= self._config.max_waiting:
            raise MediaConvertError(
                "TooManyRequestsException",
                f"{self._config.max_waiting} jobs wait already; try again later",
            )
        now_s = self._clock.now_s()
        job_id = f"{int(now_s * _MILLISECONDS)}-" + "".join(
            secrets.choice(_SUFFIX) for _ in range(6)
        )
        fault = self._faults.for_job(whole.get("userMetadata", {}))
        self._store.put("tags", self._config.arn("jobs", job_id), whole.get("tags", {}))
        return self._store.add(
            lambda number: LocalJob(
                number=number,
                id=job_id,
                created_at_s=now_s,
                request=whole,
                queue=queue,
                priority=int(whole.get("priority", 0)),
                token=token,
                fault=fault,
                ignored=ignored_settings(whole["settings"]),
            )
        )

    def _filled_in(self, request: JsonObject) -> JsonObject:
        whole = request
        if request.get("jobTemplate"):
            template = self._templates.known(str(request["jobTemplate"]))
            taken: JsonObject = {
                name: template[name]
                for name in ("accelerationSettings", "priority", "queue", "settings")
                if name in template
            }
            whole = laid_over(taken, request)
        groups = [
            {
                **group,
                "outputs": [self._preset(o) for o in objects_at(group, "outputs")],
            }
            for group in objects_at(whole["settings"], "outputGroups")
        ]
        return {**whole, "settings": {**whole["settings"], "outputGroups": groups}}

    def _preset(self, output: Mapping[str, Any]) -> JsonObject:
        name = output.get("preset")
        if not name:
            return dict(output)
        return laid_over(object_at(self._presets.known(str(name)), "settings"), output)
