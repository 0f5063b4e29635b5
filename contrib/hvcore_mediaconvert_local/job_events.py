"""Post the changes of jobs to an address, as EventBridge does to API destinations."""

import json
import logging
import queue
import threading
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

import urllib3
from urllib3.exceptions import HTTPError

from hvcore_mediaconvert_local.clock import MovableClock
from hvcore_mediaconvert_local.config import ACCOUNT_ID, LocalMediaConvertConfig
from hvcore_mediaconvert_local.job_answers import job_event
from hvcore_mediaconvert_local.jobs import LocalJob
from hvcore_mediaconvert_local.wire import JsonObject

_log = logging.getLogger(__name__)

ATTEMPTS: Final = 3
_PAUSE_S: Final = 0.5
_MOST_WAITING: Final = 1000
_STOP_S: Final = 3.0
_MILLISECONDS: Final = 1000
_REFUSED: Final = 300


class JobEvents:
    """
    Post events about jobs in order, from a separate thread; thread-safe.

    An event that the address does not accept in three attempts is lost.
    """

    def __init__(self, config: LocalMediaConvertConfig, clock: MovableClock) -> None:
        self._config = config
        self._clock = clock
        self._http = urllib3.PoolManager(timeout=5, retries=False)
        self._waiting: queue.Queue[JsonObject | None] = queue.Queue(_MOST_WAITING)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._post_all, name="events")
        if config.events_url:
            self._thread.start()

    def publish(self, job: LocalJob, status: str = "") -> None:
        """
        Queue an event about a job for posting.

        Args:
            status: The event's status; "" for that of the job.
        """
        if not self._config.events_url:
            return
        now_s = self._clock.now_s()
        moment = datetime.fromtimestamp(now_s, UTC)
        event = {
            "version": "0",
            "id": str(uuid.uuid4()),
            "detail-type": "MediaConvert Job State Change",
            "source": "aws.mediaconvert",
            "account": ACCOUNT_ID,
            "time": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "region": self._config.region,
            "resources": [self._config.arn("jobs", job.id)],
            "detail": job_event(
                job, self._config, status or job.status, int(now_s * _MILLISECONDS)
            ),
        }
        try:
            self._waiting.put_nowait(event)
        except queue.Full:
            _log.warning("an event is lost: too many wait", extra={"hv_job": job.id})

    def close(self) -> None:
        """Post the waiting events for at most three seconds, and end the thread."""
        if self._thread.is_alive():
            with suppress(queue.Full):
                self._waiting.put(None, timeout=_STOP_S)
            self._thread.join(_STOP_S)
            self._stopping.set()
            self._thread.join()
        self._http.clear()

    def _post_all(self) -> None:
        while (event := self._waiting.get()) is not None:
            for attempt in range(ATTEMPTS):
                if self._stopping.is_set():
                    return
                if self._has_posted(event):
                    break
                self._stopping.wait(_PAUSE_S * 2**attempt)
            else:
                _log.warning("an event is lost", extra={"hv_event": event["id"]})

    def _has_posted(self, event: JsonObject) -> bool:
        headers = {"Content-Type": "application/json", "User-Agent": "hv-mediaconvert"}
        name, _, value = self._config.events_header.partition(":")
        if name:
            headers[name.strip()] = value.strip()
        try:
            answer = self._http.request(
                "POST", self._config.events_url, body=json.dumps(event), headers=headers
            )
        except HTTPError:
            return False
        return answer.status < _REFUSED
