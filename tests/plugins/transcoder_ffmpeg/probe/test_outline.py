"""
A source in an object store is probed by its index and its first packets.
"""

from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest

from hvcore.plugin_api import SourceInfo, SourceRanges, Transcoder, Workspace
from hvcore_transcoder_ffmpeg.probe.outline import SMALL_BYTES, outline
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern, tone
from tests.plugins.transcoder_ffmpeg.conftest import make_workspace

pytestmark = pytest.mark.services

NOISE = ["-vf", "noise=alls=60:allf=t"]
H264 = ["-c:v", "libx264", "-preset", "ultrafast", "-b:v", "40M", "-g", "50"]
AAC = ["-c:a", "aac"]
FAST_START = ["-movflags", "+faststart"]
CODECS = {
    "index-last.mp4": [*H264, *AAC],
    "index-first.mp4": [*H264, *AAC, *FAST_START],
    "quicktime.mov": [*H264, "-c:a", "pcm_s16le"],
    "b-frames.mp4": ["-c:v", "libx264", "-preset", "veryfast", "-b:v", "40M", *AAC],
    "hevc.mp4": [
        *("-c:v", "libx265", "-preset", "ultrafast", "-b:v", "40M"),
        *("-x265-params", "log-level=error", "-tag:v", "hvc1", *AAC),
    ],
    "prores.mov": ["-c:v", "prores", "-profile:v", "3", "-c:a", "pcm_s24le"],
    "interlaced.mp4": [*H264, "-flags", "+ildct", "-x264opts", "interlaced=1", *AAC],
}
NEEDED_WHOLE = {
    "matroska.mkv": [*H264, *AAC],
    "fragments.mp4": [*H264, *AAC, "-movflags", "frag_keyframe+empty_moov"],
    "mpeg2.mov": ["-c:v", "mpeg2video", "-b:v", "40M", "-c:a", "pcm_s16le"],
}


@attrs.define
class CountedFile:
    """
    A file that lies far away, and how much of it was asked for.
    """

    path: Path
    bytes_read: int = 0
    requests: int = 0

    def ranges(self) -> SourceRanges:
        return SourceRanges(size_bytes=self.path.stat().st_size, read=self._read)

    def workspace(self, folder: Path) -> Workspace:
        """
        Return a workspace whose source may not be fetched.
        """

        def fetch() -> Path:
            pytest.fail("the source was fetched")

        near = make_workspace(self.path, folder, source_ranges=self.ranges)
        return attrs.evolve(near, source=fetch)

    def _read(self, start: int, end: int) -> bytes:
        with self.path.open("rb") as file:
            file.seek(start)
            data = file.read(end - start)
        self.bytes_read += len(data)
        self.requests += 1
        return data


def made(path: Path, codecs: Sequence[str], *more: str | Path) -> Path:
    """
    Make a video of some 30 MB.
    """
    sources = [*pattern("640x360", "25", 6), *tone(6), *more]
    ffmpeg(*sources, *NOISE, *codecs, path)
    assert path.stat().st_size > SMALL_BYTES
    return path


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", CODECS)
def test_what_is_found_out_is_the_same(
    name: str, transcoder: Transcoder, tmp_path: Path
) -> None:
    source = made(tmp_path / name, CODECS[name])
    far = CountedFile(source)

    found = transcoder.probe(far.workspace(tmp_path / "far"))

    assert found == whole(transcoder, source, tmp_path)
    assert far.bytes_read < 0.5 * source.stat().st_size
    assert far.requests < 20
    assert list((tmp_path / "far").iterdir()) == []


def whole(transcoder: Transcoder, source: Path, folder: Path) -> SourceInfo:
    return transcoder.probe(make_workspace(source, folder / "whole"))


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", NEEDED_WHOLE)
def test_what_has_no_such_index_is_fetched(name: str, tmp_path: Path) -> None:
    far = CountedFile(made(tmp_path / name, NEEDED_WHOLE[name]))

    assert outline(far.ranges(), tmp_path, lambda: None) is None
    assert far.requests < 20


def test_a_source_with_titles_of_chapters_is_fetched(tmp_path: Path) -> None:
    titles = tmp_path / "titles"
    titles.write_text(
        ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=5\ntitle=One\n"
    )
    source = made(tmp_path / "chapters.mov", [*H264, *AAC], "-i", titles)

    assert outline(CountedFile(source).ranges(), tmp_path, lambda: None) is None


def test_a_small_source_is_fetched(tmp_path: Path) -> None:
    source = tmp_path / "small.mp4"
    ffmpeg(*pattern("320x180", "25", 2), *H264, source)
    far = CountedFile(source)

    assert outline(far.ranges(), tmp_path, lambda: None) is None
    assert far.requests == 0


@pytest.mark.cases(1)
@pytest.mark.parametrize("cut", [0.5, 0.999])
def test_a_source_that_breaks_off_is_judged_whole(cut: float, tmp_path: Path) -> None:
    source = made(tmp_path / "cut.mp4", CODECS["index-first.mp4"])
    with source.open("r+b") as file:
        file.truncate(int(source.stat().st_size * cut))

    assert outline(CountedFile(source).ranges(), tmp_path, lambda: None) is None


def test_damage_where_the_tracks_begin_is_judged_whole(
    transcoder: Transcoder, tmp_path: Path
) -> None:
    source = made(tmp_path / "damaged.mov", CODECS["quicktime.mov"])
    begins = source.read_bytes().index(b"mdat") + 4
    with source.open("r+b") as file:
        file.seek(begins)
        file.write(b"\xff" * 8_000_000)
    fetched: list[Path] = []

    def fetch() -> Path:
        fetched.append(source)
        return source

    far = CountedFile(source)
    workspace = attrs.evolve(far.workspace(tmp_path / "far"), source=fetch)
    found = transcoder.probe(workspace)

    assert fetched
    assert found == whole(transcoder, source, tmp_path)
