"""
The example of the page about transcoders of one's own makes videos that keep the rules.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from hvcore import plugin_api
from hvcore.domain.videos.states import VideoState
from tests.services.conftest import make_world

PAGE = (
    Path(__file__).parents[3] / "docs" / "how-to" / "local-transcoder.md"
).read_text(encoding="utf-8")
PLUGINS = (
    "acme_local,hvcore_analytics_sql.plugin,hvcore_storage_fsspec.plugin,hvcore_auth_apikey.plugin,"
    "hvcore_ratelimit.plugin,hvcore_sign_in_link.plugin"
)
PICTURES = "testsrc2=duration=8:size=1280x720:rate=30000/1001"


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """
    A folder with the page's modules, on the path of imports.
    """
    folder = tmp_path / "examples"
    folder.mkdir()
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        name = code.splitlines()[0].removeprefix("# ")
        (folder / name).write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    sys.modules.pop("acme_local", None)


def clip_of(folder: Path, *options: str) -> bytes:
    """
    Make a clip of eight seconds with a tone.
    """
    file = folder / "clip.mp4"
    inputs = ["-f", "lavfi", "-i", PICTURES, "-f", "lavfi", "-i", "sine=duration=8"]
    command = ["ffmpeg", "-v", "error", *inputs, *options, str(file)]
    subprocess.run(command, check=True, timeout=60)
    return file.read_bytes()


@pytest.mark.long
@pytest.mark.services
def test_what_the_example_makes_is_published(examples: Path, tmp_path: Path) -> None:
    assert (examples / "acme_local.py").is_file()
    environ = {"HV_PLUGINS": PLUGINS, "HV_TRANSCODER__BACKEND": "acme"}
    data = tmp_path / "data"
    data.mkdir()

    with make_world(data, environ) as world:
        video_id = world.processed(clip_of(tmp_path))
        world.run_everything()
        video = world.video(video_id)
        report = world.services.conformance_reports.find(video)

    assert (video.state, video.failure_reason) == (VideoState.READY, None)
    assert report is not None
    assert report.is_conformant
    assert {rung.key for rung in video.rungs} == {"480p", "720p"}


@pytest.mark.services
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (b"no video", "The file is not a video."),
        (None, "The file has no moving pictures."),
    ],
    ids=["text", "sound alone"],
)
def test_what_is_no_video_fails_with_a_sentence(
    examples: Path, tmp_path: Path, source: bytes | None, reason: str
) -> None:
    assert (examples / "acme_local.py").is_file()
    environ = {"HV_PLUGINS": PLUGINS, "HV_TRANSCODER__BACKEND": "acme"}
    data = tmp_path / "data"
    data.mkdir()

    with make_world(data, environ) as world:
        video_id = world.processed(source or clip_of(tmp_path, "-map", "1:a"))
        world.run_everything()
        video = world.video(video_id)

    assert (video.state, video.failure_reason) == (VideoState.FAILED, reason)


@pytest.mark.long
@pytest.mark.services
def test_the_kit_finds_nothing_wrong(examples: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-p", "no:randomly", str(examples / "test_acme_local.py")],
        cwd=examples,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )

    assert done.returncode == 0, done.stdout
    assert "21 passed" in done.stdout


def test_the_example_imports_what_plugins_may() -> None:
    for names in re.findall(
        r"from hvcore\.plugin_api import \((.*?)\)", PAGE, re.DOTALL
    ):
        assert set(names.replace(",", " ").split()) <= set(plugin_api.__all__)


@pytest.mark.parametrize(
    "kind",
    [
        plugin_api.Capabilities,
        plugin_api.PartDone,
        plugin_api.Rung,
        plugin_api.Segment,
        plugin_api.SourceInfo,
        plugin_api.Still,
    ],
)
def test_each_field_is_explained_and_there_is_no_other(kind: type) -> None:
    rows = re.search(rf"\| `{kind.__name__}` \|.*\n(\| \|.*\n)*", PAGE)

    assert rows
    cells = [row.split("|")[2] for row in rows[0].splitlines()]
    told = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    fields = [field.name for field in attrs.fields(kind) if field.name != "file"]
    assert sorted(told) == sorted(fields)
