"""Carry out the operations on queues: the default queue, and those that clients create."""

from typing import Final

from hvcore_mediaconvert_local.clock import MovableClock
from hvcore_mediaconvert_local.config import LocalMediaConvertConfig
from hvcore_mediaconvert_local.errors import bad_request, conflict, not_found
from hvcore_mediaconvert_local.job_store import JobStore
from hvcore_mediaconvert_local.jobs import LocalJobStatus
from hvcore_mediaconvert_local.listing import page_of
from hvcore_mediaconvert_local.wire import JsonObject

DEFAULT: Final = "Default"
_KIND: Final = "queues"
_UNBOUND: Final = 1_000_000


class LocalQueues:
    """Carry out MediaConvert's operations on job queues; thread-safe."""

    def __init__(
        self, config: LocalMediaConvertConfig, store: JobStore, clock: MovableClock
    ) -> None:
        self._config = config
        self._store = store
        self._clock = clock
        with store.changing():
            if store.thing(_KIND, DEFAULT) is None:
                self._put({"name": DEFAULT, "type": "SYSTEM"})

    def create(self, request: JsonObject) -> JsonObject:
        """Carry out MediaConvert's operation CreateQueue: store a new queue, and return it."""
        if request.get("pricingPlan") == "RESERVED":
            raise bad_request("hv-mediaconvert has no reserved queues")
        with self._store.changing():
            if self._store.thing(_KIND, request["name"]) is not None:
                raise conflict(f"Queue {request['name']} exists already")
            queue = self._put({**request, "type": "CUSTOM"})
            self._store.put("tags", queue["arn"], request.get("tags", {}))
        return {"queue": self._counted(queue)}

    def get(self, request: JsonObject) -> JsonObject:
        """Carry out MediaConvert's operation GetQueue: return the queue with a name."""
        return {"queue": self._counted(self._known(request["name"]))}

    def list(self, request: JsonObject) -> JsonObject:
        """Carry out MediaConvert's operation ListQueues: return a page of queues."""
        found = self._store.things(_KIND)
        shown, token = page_of(found, request, default="NAME")
        answer: JsonObject = {"queues": [self._counted(queue) for queue in shown]}
        return {**answer, "nextToken": token} if token else answer

    def update(self, request: JsonObject) -> JsonObject:
        """Carry out MediaConvert's operation UpdateQueue: change a queue, and return it."""
        with self._store.changing():
            queue = self._known(request["name"])
            if queue["type"] == "SYSTEM" and set(request) - {"name", "status"}:
                raise bad_request(f"Of the queue {DEFAULT} only the status can change")
            queue = self._put({**queue, **request})
        # A queue that was paused may go on.
        self._clock.wake()
        return {"queue": self._counted(queue)}

    def delete(self, request: JsonObject) -> JsonObject:
        """Carry out MediaConvert's operation DeleteQueue: remove a queue."""
        name = request["name"]
        with self._store.changing():
            queue = self._known(name)
            if queue["type"] == "SYSTEM":
                raise bad_request(f"The queue {name} cannot be deleted")
            states = (LocalJobStatus.SUBMITTED, LocalJobStatus.PROGRESSING)
            if any(self._store.count(state, name) for state in states):
                raise conflict(f"The queue {name} has jobs that have not ended")
            self._store.remove(_KIND, name)
            self._store.remove("tags", queue["arn"])
        return {}

    def name_of(self, given: str | None) -> str:
        """
        Return the name of the queue that a job asks for by name or ARN, or of the default.

        Raises:
            MediaConvertError: The queue does not exist.
        """
        name = (given or DEFAULT).removeprefix(self._config.arn(_KIND, ""))
        self._known(name)
        return name

    def free_places(self, name: str) -> int:
        """Return the number of further jobs of a queue that may begin now; 0 if it is paused."""
        queue = self._store.thing(_KIND, name)
        if queue is None or queue["status"] == "PAUSED":
            return 0
        allowed = queue.get("concurrentJobs") or _UNBOUND
        return int(allowed) - self._store.count(LocalJobStatus.PROGRESSING, name)

    def _known(self, name: str) -> JsonObject:
        queue = self._store.thing(_KIND, name)
        if queue is None:
            raise not_found(f"Queue {name} does not exist")
        return queue

    def _put(self, found: JsonObject) -> JsonObject:
        now = int(self._clock.now_s())
        queue = {
            "arn": self._config.arn(_KIND, found["name"]),
            "createdAt": now,
            "pricingPlan": "ON_DEMAND",
            "status": "ACTIVE",
            **{name: value for name, value in found.items() if name != "tags"},
            "lastUpdated": now,
        }
        self._store.put(_KIND, queue["name"], queue)
        return queue

    def _counted(self, queue: JsonObject) -> JsonObject:
        count = self._store.count
        return {
            **queue,
            "progressingJobsCount": count(LocalJobStatus.PROGRESSING, queue["name"]),
            "submittedJobsCount": count(LocalJobStatus.SUBMITTED, queue["name"]),
        }
