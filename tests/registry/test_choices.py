"""
The backends that settings choose, with their options and where these are set.
"""

from pathlib import Path
from typing import Any

import attrs
import pytest

from hvcore.registry.choices import added, choices, further_transcoder
from hvcore.settings import Settings, load


def settings(**environ: str) -> Settings:
    given = {"HV_PLUGINS": "hvcore_ratelimit.plugin", **environ}
    return load(config_path=None, environ=given, data_dir=Path("/nowhere")).settings


def chosen(kind: str, **environ: str) -> list[tuple[str, str, dict[str, Any]]]:
    found = choices(settings(**environ), kind)
    assert {one.kind for one in found} <= {kind}
    return [(one.name, one.path, dict(one.options)) for one in found]


def test_a_chosen_backend_has_the_options_of_its_kind() -> None:
    environ = {
        "HV_STORAGE__BACKEND": "s3",
        "HV_STORAGE__OPTIONS__URL": "s",
        "HV_QUEUE__BACKEND": "sqs",
        "HV_QUEUE__OPTIONS__URL": "q",
        "HV_LIMITS__STORE": "redis",
        "HV_LIMITS__OPTIONS__URL": "l",
        "HV_TRANSCRIBER__BACKEND": "http",
        "HV_TRANSCRIBER__OPTIONS__URL": "t",
    }

    assert chosen("storage", **environ) == [("s3", "storage.options", {"url": "s"})]
    assert chosen("queue", **environ) == [("sqs", "queue.options", {"url": "q"})]
    assert chosen("limits", **environ) == [("redis", "limits.options", {"url": "l"})]
    assert chosen("transcriber", **environ) == [
        ("http", "transcriber.options", {"url": "t"})
    ]


def test_no_transcriber_is_chosen_unless_one_is_named() -> None:
    assert chosen("transcriber") == []


@pytest.mark.parametrize(
    ("kind", "setting"),
    [
        ("auth", "AUTH__PROVIDERS"),
        ("analytics", "ANALYTICS__SINKS"),
        ("edge", "EDGE__CACHE_INVALIDATORS"),
    ],
)
def test_several_backends_are_chosen_in_their_order_each_with_its_own_options(
    kind: str, setting: str
) -> None:
    environ = {
        f"HV_{setting}": "two,one",
        f"HV_{kind.upper()}__OPTIONS__ONE__URL": "u",
    }

    assert chosen(kind, **environ) == [
        ("two", f"{kind}.options.two", {}),
        ("one", f"{kind}.options.one", {"url": "u"}),
    ]


def test_a_sign_in_by_link_is_chosen_besides_another_one() -> None:
    environ = {"HV_SIGN_IN__BACKEND": "oidc", "HV_SIGN_IN__OIDC__ISSUER": "i"}

    assert [name for name, *_ in chosen("sign_in")] == ["link"]
    assert chosen("sign_in", **environ) == [
        ("link", "sign_in.options.link", {}),
        ("oidc", "sign_in.oidc", {"issuer": "i"}),
    ]


def test_transcoders_of_routes_are_chosen_once_behind_the_usual_one() -> None:
    found = settings()
    routes = ("acme if hdr", "ffmpeg if edge > 720 px", "acme if size > 9 GB")
    further = {"acme": {"url": "u"}}
    transcoder = attrs.evolve(
        found.transcoder, backend="ffmpeg", routes=routes, further=further
    )

    names = [
        (one.name, one.path, dict(one.options))
        for one in choices(attrs.evolve(found, transcoder=transcoder), "transcoder")
    ]

    assert names == [
        ("ffmpeg", "transcoder.options", {}),
        ("acme", "transcoder.further.acme", {"url": "u"}),
    ]


def test_added_and_further_backends_may_have_no_options() -> None:
    assert added(settings(), "routes", "notes").options == {}
    assert further_transcoder(settings(), "acme").options == {}
    environ = {"HV_PLUGIN__OPTIONS__NOTES__URL": "u"}
    found = added(settings(**environ), "routes", "notes")
    assert (found.path, dict(found.options)) == ("plugin.options.notes", {"url": "u"})
