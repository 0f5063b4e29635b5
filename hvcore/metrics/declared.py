"""
Declare every metric of the service.

Names are ``hv_…`` in base units. No label is an id: each label has few values, all of which
the code or the settings determine.
"""

from typing import Final

from hvcore.metrics.measuring import CounterOf, GaugeOf, HistogramOf

_REQUEST_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_TASK_S: Final = (0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)

BUILD_INFO: Final = GaugeOf(
    "hv_build_info", "1, with the version that runs.", ("version",)
)

HTTP_REQUESTS: Final = CounterOf(
    "hv_http_requests_total",
    "Requests that were answered.",
    ("app", "route", "method", "status"),
)
HTTP_REQUEST_DURATION: Final = HistogramOf(
    "hv_http_request_duration_seconds",
    "From a request's headers to the beginning of its answer; without plain files.",
    ("app", "route", "method"),
    buckets=_REQUEST_S,
)
DELIVERED_BYTES: Final = CounterOf(
    "hv_delivered_bytes_total", "Bytes of answers with files of videos, as begun."
)

UPLOADS: Final = CounterOf(
    "hv_uploads_total",
    "Uploads whose bytes have all arrived: stored, refused or failed.",
    ("outcome",),
)
UPLOAD_BYTES: Final = CounterOf("hv_upload_bytes_total", "Bytes of stored uploads.")

TASKS: Final = GaugeOf(
    "hv_tasks",
    "Tasks that have not ended, and failed ones of the last 7 days.",
    ("lane", "kind", "state"),
)
TASK_OLDEST_AGE: Final = GaugeOf(
    "hv_task_oldest_age_seconds",
    "How long the oldest task that may run now has waited for a worker.",
    ("lane",),
)
TASK_RUNS: Final = CounterOf(
    "hv_task_runs_total",
    "Attempts at tasks: done, failed, tried_again, waits (for a dependency), handed_back "
    "(the worker stops) or lost (its lease).",
    ("lane", "kind", "outcome"),
)
TASK_RUN_DURATION: Final = HistogramOf(
    "hv_task_run_duration_seconds",
    "How long attempts at tasks took.",
    ("lane", "kind"),
    buckets=_TASK_S,
)
LEASES_LOST: Final = CounterOf(
    "hv_leases_lost_total", "Leases that ran out because their worker vanished."
)

ENCODER: Final = CounterOf(
    "hv_encoder_seconds_total", "Time for which encoders of workers have worked."
)
ENCODED_MEDIA: Final = CounterOf(
    "hv_encoded_media_seconds_total",
    "Length of the source that was encoded in this time, all rungs together.",
)
ENCODE_WAITING: Final = GaugeOf(
    "hv_encode_waiting_minutes",
    "Minutes of source that wait for an encode worker.",
)

WEBHOOKS_WAITING: Final = GaugeOf(
    "hv_webhook_deliveries_waiting", "Deliveries of webhooks that have not ended."
)
WEBHOOK_OLDEST_AGE: Final = GaugeOf(
    "hv_webhook_oldest_age_seconds",
    "How long the oldest delivery of a webhook that may run now has waited.",
)
SPOOL_BACKLOG: Final = GaugeOf(
    "hv_spool_backlog_bytes",
    "Counts of this machine that wait for the analytics sinks.",
)

SHARES_REFUSED: Final = CounterOf(
    "hv_shares_refused_total",
    "Requests that met a share, by the share's setting.",
    ("share",),
)
RATE_LIMITED: Final = CounterOf(
    "hv_rate_limited_total", "Requests over a rate limit, by the limit.", ("limit",)
)

CLOCK_AHEAD: Final = GaugeOf(
    "hv_clock_ahead_seconds",
    "How far this machine's clock is ahead of the database's; negative: behind.",
)

DEPENDENCY_UP: Final = GaugeOf(
    "hv_dependency_up",
    "1 if the database, the storage or the queue answers this machine, else 0.",
    ("dependency",),
)
READY: Final = GaugeOf(
    "hv_ready",
    "1 if this machine's servers of an app say that they can serve, else 0.",
    ("app",),
)
DISK_FREE: Final = GaugeOf(
    "hv_disk_free_bytes", "Room on the disk of a folder of this machine.", ("folder",)
)
DISK_SIZE: Final = GaugeOf(
    "hv_disk_size_bytes", "Size of the disk of a folder of this machine.", ("folder",)
)
EDGE_FAILURES: Final = CounterOf(
    "hv_edge_failures_total",
    "Answers of nginx with a status of 500 and above.",
    ("status",),
)
INSTALLATION_AGE: Final = GaugeOf(
    "hv_installation_age_seconds",
    "How long ago this installation was first measured.",
)
BACKUP_AGE: Final = GaugeOf(
    "hv_backup_age_seconds",
    "How long ago the newest backup was made; missing if there is none.",
)

METRICS: Final = (
    BUILD_INFO,
    HTTP_REQUESTS,
    HTTP_REQUEST_DURATION,
    DELIVERED_BYTES,
    UPLOADS,
    UPLOAD_BYTES,
    TASKS,
    TASK_OLDEST_AGE,
    TASK_RUNS,
    TASK_RUN_DURATION,
    LEASES_LOST,
    ENCODER,
    ENCODED_MEDIA,
    ENCODE_WAITING,
    WEBHOOKS_WAITING,
    WEBHOOK_OLDEST_AGE,
    SPOOL_BACKLOG,
    SHARES_REFUSED,
    RATE_LIMITED,
    CLOCK_AHEAD,
    DEPENDENCY_UP,
    READY,
    DISK_FREE,
    DISK_SIZE,
    EDGE_FAILURES,
    INSTALLATION_AGE,
    BACKUP_AGE,
)
