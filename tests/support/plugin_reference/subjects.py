"""The ports and hooks that have a page, each with its kits and its example."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs

from hvcore import plugin_api
from hvcore.registry import KINDS
from tests.support.plugin_reference.examples import (
    Example,
    of_class,
    of_extension,
    of_template,
    shortest,
)
from tests.support.plugin_surface import kits


@attrs.frozen(kw_only=True)
class PortSubject:
    """
    The example and the kits of a port's page.

    Attributes:
        kits: Where authors import the kits, below ``hvcore``.
        unproven: Why it has no kit of its own, a sentence; "" if it has.
        given_as: The field of a BuildContext by which plugins get one; "" if plugins
            implement it.
    """

    example: Callable[[], Example]
    kits: Sequence[str] = ()
    unproven: str = ""
    given_as: str = ""


def _template(kind: str) -> Callable[[], Example]:
    return lambda: of_template(kind, "backend")


def _methods(*names: str) -> Callable[[], Example]:
    return lambda: shortest(names)


_GIVEN: Final = (
    "The service implements it, and gives it to factories in their `BuildContext`."
)
_WITH_TRANSCODERS: Final = (
    "It has no kit: try it in tests of your own, beside the kit of the transcoder."
)

PORTS: Final[Mapping[str, PortSubject]] = {
    "AnalyticsSink": PortSubject(
        example=_template("analytics"),
        kits=("testing.analytics.AnalyticsSinkConformance",),
    ),
    "AnalyticsStore": PortSubject(
        example=_methods("totals", "daily", "by_height"),
        kits=("testing.analytics.AnalyticsStoreConformance",),
    ),
    "AuthProvider": PortSubject(
        example=_template("auth"), kits=("testing.auth.AuthConformance",)
    ),
    "CacheInvalidator": PortSubject(
        example=_template("cache_invalidation"),
        kits=("testing.cache_invalidation.CacheInvalidatorConformance",),
    ),
    "Database": PortSubject(
        example=lambda: of_class(
            "plugins/hvcore_queue_sql/backend.py", "SqlQueue", ("put", "depth")
        ),
        unproven=_GIVEN,
        given_as="database",
    ),
    "EventSubscriber": PortSubject(
        example=lambda: of_extension("ForgetNotes"),
        unproven="It has no kit: call `hear` in tests of your own, twice for each event.",
    ),
    "KeyBook": PortSubject(
        example=lambda: of_class(
            "plugins/hvcore_auth_apikey/backend.py", "ApiKeyProvider"
        ),
        unproven=f"{_GIVEN} `hvcore.testing.key_book` has one in memory for tests.",
        given_as="keys",
    ),
    "Queue": PortSubject(
        example=_template("queue"),
        kits=(
            *("testing.queue.QueueConformance",),
            *("testing.queue.SharedQueueConformance",),
        ),
    ),
    "RateLimitStore": PortSubject(
        example=_template("limits"), kits=("testing.rate_limits.RateLimitConformance",)
    ),
    "RemoteTranscoder": PortSubject(
        example=_methods("run", "cancel"),
        kits=("testing.remote_transcoder.RemoteTranscoderConformance",),
    ),
    "SignInBook": PortSubject(
        example=lambda: of_class(
            "plugins/hvcore_sign_in_link/backend.py", "LinkSignIn"
        ),
        unproven=_GIVEN,
        given_as="sign_in",
    ),
    "SignInProvider": PortSubject(
        example=_template("sign_in"), kits=("testing.sign_in.SignInConformance",)
    ),
    "Storage": PortSubject(
        example=_template("storage"), kits=("testing.storage.StorageConformance",)
    ),
    "VideoLengths": PortSubject(
        example=lambda: of_class(
            "hvcore/testing/analytics/videos.py", "KnownLengths", ("changed",)
        ),
        unproven="The service implements it, and gives it to stores as `lengths`.",
    ),
    "SupportsBackup": PortSubject(
        example=_methods("back_up", "restore"),
        kits=("testing.analytics.BackupConformance",),
    ),
    "SupportsCopy": PortSubject(
        example=_methods("copy"), kits=("testing.storage.CopyConformance",)
    ),
    "SupportsDeclining": PortSubject(
        example=_methods("declines"), unproven=_WITH_TRANSCODERS
    ),
    "SupportsHide": PortSubject(
        example=_methods("hide_tree"), kits=("testing.storage.HideConformance",)
    ),
    "SupportsLocalPath": PortSubject(
        example=_methods("local_path"), kits=("testing.storage.LocalPathConformance",)
    ),
    "SupportsObjectUrl": PortSubject(
        example=_methods("object_url"), kits=("testing.storage.ObjectUrlConformance",)
    ),
    "SupportsPartedWrite": PortSubject(
        example=_methods("begin_parts", "part_address", "join_parts"),
        kits=("testing.storage.PartedWriteConformance",),
    ),
    "SupportsPrepare": PortSubject(
        example=_methods("prepare", "is_prepared"),
        unproven="It has no kit of its own: the kits of sinks try both methods.",
    ),
    "SupportsUninstall": PortSubject(
        example=_methods("uninstall"),
        unproven="It has no kit: tests/embedding uninstalls the shipped backends.",
    ),
    "SupportsPresignedRead": PortSubject(
        example=_methods("presigned_url"),
        kits=("testing.storage.PresignedReadConformance",),
    ),
    "SupportsPresignedWrite": PortSubject(
        example=_methods("write_address"),
        kits=("testing.storage.PresignedWriteConformance",),
    ),
    "SupportsReports": PortSubject(
        example=_methods("minutes", "forget_minutes"),
        kits=(
            *("testing.analytics.IgnoredConformance",),
            *("testing.analytics.MinutesConformance",),
            *("testing.analytics.ViewersConformance",),
            *("testing.analytics.QualityConformance",),
            *("testing.analytics.BreakdownConformance",),
        ),
    ),
    "SupportsRoomCheck": PortSubject(
        example=_methods("check_room"),
        unproven="It has no kit: a test needs a disk that is full.",
    ),
    "SupportsStagedWrite": PortSubject(
        example=_methods("staged_write"),
        unproven="It has no kit: a test needs the store that stages.",
    ),
    "SupportsCostMeasurement": PortSubject(
        example=_methods("processor_s_per_minute"),
        unproven="It has no kit: a figure depends on the machine.",
    ),
    "SupportsFrames": PortSubject(
        example=_methods("frames"), unproven=_WITH_TRANSCODERS
    ),
    "SupportsSound": PortSubject(
        example=_methods("sound"), kits=("testing.transcoder_sound.SoundConformance",)
    ),
    "SupportsStill": PortSubject(example=_methods("still"), unproven=_WITH_TRANSCODERS),
    "SupportsStorageCheck": PortSubject(
        example=_methods("storage_problem"), unproven=_WITH_TRANSCODERS
    ),
    "SupportsUploadFile": PortSubject(
        example=_methods("upload_dir"), kits=("testing.storage.UploadFileConformance",)
    ),
    "Transcoder": PortSubject(
        example=_template("transcoder"),
        kits=(
            *("testing.transcoder.TranscoderConformance",),
            *("testing.local_transcoder.LocalTranscoderConformance",),
        ),
    ),
    "Transcriber": PortSubject(
        example=_template("transcriber"),
        kits=("testing.transcriber.TranscriberConformance",),
    ),
}

HOOK_EXAMPLES: Final[Mapping[str, Callable[[], Example]]] = {
    "hvcore_routes": lambda: of_extension("build_notes", "hvcore_routes"),
    "hvcore_middleware": lambda: of_extension(
        "Signed", "build_middleware", "hvcore_middleware"
    ),
    "hvcore_event_subscribers": lambda: of_extension(
        "build_subscriber", "hvcore_event_subscribers"
    ),
    "hvcore_commands": lambda: of_extension("build_command", "hvcore_commands"),
}
_TEMPLATE_KINDS: Final = {"edge": "cache_invalidation"}
"""Kinds of backends whose template has another name."""


def hook_example(kind: str) -> Example:
    """Return the example of a kind's hook."""
    found = HOOK_EXAMPLES.get(KINDS[kind].hook)
    return found() if found else of_template(_TEMPLATE_KINDS.get(kind, kind), "plugin")


def is_port(found: object) -> bool:
    """Return whether a name of the plugin API is a class that somebody implements."""
    if not isinstance(found, type) or not found.__module__.startswith("hvcore.ports."):
        return False
    is_open = inspect.isabstract(found) or getattr(found, "_is_protocol", False)
    return is_open or found is plugin_api.SupportsReports


def ports() -> Mapping[str, type]:
    """Return the ports of the plugin API, by name."""
    return {
        name: getattr(plugin_api, name)
        for name in plugin_api.__all__
        if is_port(getattr(plugin_api, name))
    }


def kits_by_name() -> Mapping[str, Any]:
    """Return the kits, by where authors import them."""
    return dict(kits())
