"""
What plugin authors may rely on stays, or goes with a warning before.
"""

import warnings
from pathlib import Path

import pytest

from hvcore import plugin_api
from tests.support import plugin_surface


def test_nothing_of_the_last_release_is_gone() -> None:
    stored = plugin_surface.FILE.read_text("utf-8").splitlines()

    lost = plugin_surface.gone(stored)

    may_break = plugin_surface.is_breaking(
        plugin_surface.version_of(stored), plugin_api.VERSION
    )
    assert may_break or not lost, (
        "Plugins break: bring these back, or raise plugin_api.VERSION and run "
        "python -m tests.support.plugin_surface"
    )
    assert plugin_surface.version_of(stored) < plugin_api.OLDEST or not lost, (
        "Plugins of the last release break: OLDEST must be VERSION"
    )


@pytest.mark.parametrize(
    ("old", "new", "may_break"),
    [
        ((0, 1), (0, 1), False),
        ((0, 1), (0, 2), True),
        ((0, 2), (1, 0), True),
        ((1, 0), (1, 3), False),
        ((1, 3), (2, 0), True),
    ],
)
def test_what_breaks_needs_a_version(
    old: tuple[int, int], new: tuple[int, int], *, may_break: bool
) -> None:
    assert plugin_surface.is_breaking(old, new) is may_break


@pytest.mark.parametrize(
    ("version", "oldest", "is_written"),
    [((0, 1), (0, 1), False), ((0, 2), (0, 1), False), ((0, 2), (0, 2), True)],
)
def test_a_parameter_that_a_port_gets_is_released_with_a_new_oldest_version(
    *,
    version: tuple[int, int],
    oldest: tuple[int, int],
    is_written: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """
    Plugins of older versions do not take the parameter, however optional it is.
    """
    present = "plugin_api.Storage.open(self, path, *, start=…, end=…)"
    lines = ["VERSION 0.1", *plugin_surface.surface()]
    stored = "\n".join(lines).replace(present, present.replace(", end=…", ""))
    file = tmp_path / "surface.txt"
    file.write_text(stored, "utf-8")
    monkeypatch.setattr(plugin_surface, "FILE", file)
    monkeypatch.setattr(plugin_api, "VERSION", version)
    monkeypatch.setattr(plugin_api, "OLDEST", oldest)

    code = plugin_surface.main()

    assert code == (0 if is_written else 1)
    assert (file.read_text("utf-8") != stored) is is_written


def test_the_surface_knows_names_parameters_fields_and_kits() -> None:
    lines = plugin_surface.surface()

    assert "plugin_api.EventSubscriber.hear(self, event)" in lines
    assert "plugin_api.Storage.open(self, path, *, start=…, end=…)" in lines
    assert "plugin_api.SubscribedEvent.sequence: field" in lines
    assert "plugin_api.PluginRoute.is_open: field (optional)" in lines
    assert any(
        line.startswith("testing.sign_in.SignInConformance.test_") for line in lines
    )


def test_the_surface_has_the_embedding_and_its_ready_videos() -> None:
    stored = plugin_surface.FILE.read_text("utf-8").splitlines()

    for line in (
        "embedding.EmbeddedEnvironment.find(self, video_id)",
        "embedding.EmbeddedService.uninstall(self, *, confirm, removes_files)",
        "embedding.NewVideo.external_id: key",
        "embedding.OutboundHttp",
        "embedding.Overrides.analytics_sinks: field (optional)",
        "testing.make_ready_video",
    ):
        assert line in plugin_surface.surface()
        assert line in stored


def test_every_old_name_of_the_plugin_api_has_a_new_one() -> None:
    for old, renamed in plugin_api.RENAMED.items():
        with warnings.catch_warnings(record=True):
            assert getattr(plugin_api, old) is getattr(plugin_api, renamed.new)
        assert old not in plugin_api.__all__


def test_what_the_plugin_api_never_had_is_not_there() -> None:
    with pytest.raises(AttributeError, match="Nonsense"):
        _ = plugin_api.Nonsense  # type: ignore[attr-defined]  # that is the point
