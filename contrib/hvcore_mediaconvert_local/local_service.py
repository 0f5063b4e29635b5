"""Put together the parts of the local MediaConvert."""

from hvcore_mediaconvert_local.clock import MovableClock
from hvcore_mediaconvert_local.config import LocalMediaConvertConfig
from hvcore_mediaconvert_local.faults import FaultBook
from hvcore_mediaconvert_local.input_probe import InputProbe
from hvcore_mediaconvert_local.inputs import InputFetcher
from hvcore_mediaconvert_local.job_events import JobEvents
from hvcore_mediaconvert_local.job_run import JobRun
from hvcore_mediaconvert_local.job_runner import JobRunner
from hvcore_mediaconvert_local.job_service import JobService
from hvcore_mediaconvert_local.job_store import JobStore
from hvcore_mediaconvert_local.media_bucket import MediaBucket
from hvcore_mediaconvert_local.named_settings import NamedSettings
from hvcore_mediaconvert_local.programs import EncodingPrograms
from hvcore_mediaconvert_local.queues import LocalQueues
from hvcore_mediaconvert_local.tags import ResourceTags


class LocalMediaConvert:
    """
    Answer the requests of the emulated service and work on its jobs; thread-safe.

    Raises:
        FileNotFoundError: ffmpeg or ffprobe is missing.
        sqlite3.Error: The state file cannot be used.
    """

    def __init__(self, config: LocalMediaConvertConfig) -> None:
        self.config = config
        self.clock = MovableClock()
        self.faults = FaultBook()
        programs = EncodingPrograms.find(config.ffmpeg, config.ffprobe)
        self._store = JobStore(config.state)
        self._bucket = MediaBucket(config)
        self._fetcher = InputFetcher(self._bucket, config.max_input_bytes)
        self._events = JobEvents(config, self.clock)
        self.queues = LocalQueues(config, self._store, self.clock)
        self.tags = ResourceTags(self._store)
        self.presets, self.templates = (
            NamedSettings(kind, one, config=config, store=self._store, clock=self.clock)
            for kind, one in (("presets", "preset"), ("jobTemplates", "jobTemplate"))
        )
        self.inputs = InputProbe(config, self._fetcher, programs)
        run = JobRun(
            bucket=self._bucket, fetcher=self._fetcher, programs=programs, config=config
        )
        self._runner = JobRunner(
            self._store, self.queues, self.clock, self._events, run
        )
        self.jobs = JobService(
            config,
            self._store,
            self.clock,
            self.queues,
            self.presets,
            self.templates,
            self.faults,
            self._events,
            self._runner,
        )

    def start(self) -> None:
        """Start the threads that work on jobs."""
        self._runner.start(self.config.max_encodes)

    def close(self) -> None:
        """Stop the work on jobs at once; unfinished jobs begin again at the next start."""
        self._runner.close()
        self._events.close()
        self._fetcher.close()
        self._bucket.close()
        self._store.close()
