"""
The tables of the interface, as data: routes, errors, states, ladders and limits.

Written down from the documentation and not from the code, so that the tests
here compare two things that nobody derived from each other. The fields of requests are
in field_tables.py, those of answers in answer_tables.py.
"""

from typing import Final

_ENV: Final = "/v1/api/{orgID}/environments/{envID}"
_A: Final = "/v1/api/{orgID}"
_B: Final = "/v1"
ANALYTICS: Final = ("usage", "daily", "storage", "resolution-distribution")

DOCUMENTED_ROUTES: Final = (
    # Family A
    ("POST", f"{_ENV}/videos/upload-url"),
    ("POST", f"{_ENV}/videos/process"),
    ("GET", f"{_ENV}/videos"),
    ("GET", f"{_A}/videos/{{publicID}}/details"),
    ("DELETE", f"{_A}/videos/{{videoID}}"),
    ("GET", f"{_A}/videos/{{publicID}}/signed-url"),
    *(("GET", f"{_A}/analytics/{name}") for name in ANALYTICS),
    *(("GET", f"{_ENV}/analytics/{name}") for name in ANALYTICS),
    ("GET", f"{_A}/videos/{{publicID}}/analytics/resolution"),
    ("GET", f"{_A}/environments"),
    ("GET", "/health"),
    # Family B
    ("POST", f"{_B}/videos/upload-url"),
    ("POST", f"{_B}/videos/upload"),
    ("POST", f"{_B}/videos/download"),
    ("POST", f"{_B}/videos/process"),
    ("GET", f"{_B}/videos"),
    ("GET", f"{_B}/videos/{{assetId}}"),
    ("GET", f"{_B}/videos/{{assetId}}/details"),
    ("DELETE", f"{_B}/videos/{{assetId}}"),
    ("POST", f"{_B}/videos/{{assetId}}/share"),
    *(("GET", f"{_B}/analytics/{name}") for name in ANALYTICS),
    ("GET", f"{_B}/videos/{{assetId}}/analytics/resolution"),
)
FURTHER_ROUTES: Final = (
    ("GET", "/health/live"),
    ("GET", "/health/ready"),
    ("GET", f"{_B}/openapi.json"),
    ("GET", f"{_B}/videos/{{assetId}}/signed-url"),
    ("POST", f"{_B}/videos/{{assetId}}/retry"),
    ("POST", f"{_B}/videos/{{assetId}}/upload-complete"),
    ("POST", f"{_A}/videos/{{videoID}}/retry"),
    ("POST", f"{_B}/videos/{{assetId}}/restore"),
    ("POST", f"{_A}/videos/{{videoID}}/restore"),
    ("GET", f"{_B}/videos/deleted"),
    ("GET", f"{_A}/environments/{{envID}}/videos/deleted"),
    ("PATCH", f"{_B}/videos/{{assetId}}"),
    ("PATCH", f"{_A}/videos/{{videoID}}"),
    ("POST", f"{_B}/uploads"),
    ("POST", f"{_B}/videos/{{assetId}}/thumbnail"),
    ("POST", f"{_A}/videos/{{videoID}}/thumbnail"),
    ("POST", f"{_B}/videos/{{assetId}}/edge-keys"),
    ("GET", f"{_B}/videos/{{assetId}}/edge-keys"),
    ("DELETE", f"{_B}/edge-keys/{{edgeKey}}"),
    *(("GET", f"{root}/edge-keys/{{edgeKey}}") for root in (_A, _B)),
    ("POST", f"{_A}/videos/{{videoID}}/edge-keys"),
    ("GET", f"{_A}/videos/{{videoID}}/edge-keys"),
    ("GET", f"{_B}/videos/{{assetId}}/shares"),
    ("DELETE", f"{_B}/videos/{{assetId}}/shares/{{shareID}}"),
    *(
        ("GET", f"{video}/{name}")
        for name in ("conformance", "source")
        for video in (f"{_A}/videos/{{videoID}}", f"{_B}/videos/{{assetId}}")
    ),
    *(
        (method, f"{video}/captions{rest}")
        for video in (f"{_A}/videos/{{videoID}}", f"{_B}/videos/{{assetId}}")
        for method, rest in (
            ("GET", ""),
            ("PUT", "/{language}"),
            ("DELETE", "/{language}"),
        )
    ),
    *(
        (method, f"{video}/chapters")
        for video in (f"{_A}/videos/{{videoID}}", f"{_B}/videos/{{assetId}}")
        for method in ("GET", "PUT", "DELETE")
    ),
)
"""Not in the interface's tables; named by what was decided beside them."""


STATUS_OF: Final = {
    "invalid_file_size": 400,
    "unsupported_format": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "rate_limit_exceeded": 429,
    "invalid_gcs_path": 400,
    "invalid_quality_preset": 400,
    "invalid_parameters": 400,
    "processing_in_progress": 409,
    "invalid_page_size": 400,
    "environment_not_found": 404,
    "video_not_found": 404,
    "already_deleted": 400,
    "invalid_expiration": 400,
}
ERRORS_OF: Final = {
    "upload-url": (
        "invalid_file_size",
        "unsupported_format",
        "unauthorized",
        "forbidden",
        "rate_limit_exceeded",
    ),
    "process": (
        "invalid_gcs_path",
        "invalid_quality_preset",
        "invalid_parameters",
        "unauthorized",
        "forbidden",
        "processing_in_progress",
    ),
    "list": (
        "invalid_page_size",
        "unauthorized",
        "forbidden",
        "environment_not_found",
    ),
    "details": ("unauthorized", "forbidden", "video_not_found"),
    "delete": ("already_deleted", "unauthorized", "forbidden", "video_not_found"),
    "signed-url": (
        "invalid_expiration",
        "unauthorized",
        "forbidden",
        "video_not_found",
        "rate_limit_exceeded",
    ),
}


TRANSITIONS: Final = (
    ("awaiting_upload", "start", "transcoding"),
    ("transcoding", "complete", "ready"),
    ("transcoding", "fail", "failed"),
    ("ready", "delete", "deleted"),
    ("failed", "delete", "deleted"),
    ("failed", "retry", "transcoding"),
)
FURTHER_TRANSITIONS: Final = (
    ("transcoding", "delete", "deleted"),
    ("awaiting_upload", "delete", "deleted"),
    ("awaiting_upload", "expire", "deleted"),
    ("ready", "lose", "failed"),
    ("deleted", "restore", "ready"),
    ("deleted", "restore_failed", "failed"),
)
"""
Cancelling a job or an upload, an upload that never came, files that are lost, and the way
out of the bin.
"""

LADDERS: Final = {
    "standard": ((360, 480, 720), (500, 2500)),
    "high": ((480, 720, 1080), (1000, 5000)),
    "ultra": ((720, 1080, 1440, 2160), (2000, 15000)),
}

LIMITS_PER_HOUR: Final = {
    "api_per_hour": 10_000,
    "upload_url_per_hour": 100,
    "video_operations_per_hour": 1_000,
    "analytics_per_hour": 1_000,
    "thumbnails_per_hour": 50,
    "key_operations_per_hour": 20,
    "upload_url_per_minute_and_key": 10,
}
BUCKETS: Final = {
    "upload-url": ("/videos/upload-url", "/uploads"),
    "thumbnails": ("/thumbnail",),
    "analytics": ("/analytics/",),
    "video-operations": (
        "/videos/process",
        "/videos/upload",
        "/videos/download",
        "/retry",
        "/restore",
        "/upload-complete",
        "/share",
        "/signed-url",
        "/source",
        "/edge-keys",
        "/captions",
        "/caption-defaults",
        "/transcript/",
        "/chapters",
    ),
}
"""What stands in the addresses that count under each."""
