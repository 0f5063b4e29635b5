"""
Damaged files end in a video, or in a sentence; workers survive them all.
"""

import os
import time
from collections import Counter
from pathlib import Path
from typing import Final

import attrs
import psutil
import pytest

from hvcore.conformance import Level
from hvcore.plugin_api import Speed, Transcoder, UnusableSourceError
from tests.plugins.transcoder_ffmpeg.conftest import make_workspace
from tests.plugins.transcoder_ffmpeg.fuzzing import NAMES, damaged, make
from tests.plugins.transcoder_ffmpeg.playing import complaints, joined
from tests.plugins.transcoder_ffmpeg.publishing import Published, publish

pytestmark = pytest.mark.services

_RATIOS: Final = ("0.00002", "0.0001", "0.0005", "0.002", "0.01", "0.05")
_IN_CI: Final = 50
_ENCODED: Final = 5
"""One of so many is encoded each day; of the others only the headers are read."""
_LONG: Final = 10_000
_BATCH: Final = 100
_ONCE_WRONG: Final = (2676, 6620, 7338, 7630, 7824, 9730)
"""
Of most of these ffprobe does not find a late place, and says so without naming the
file. Of 7338 it says "Input/output error", and of 6620 ffmpeg that it lacks memory.
"""
_MOST_S: Final = 20.0
_HOURS_SPEED: Final = 100.0
"""Times as fast as it plays: a still of 64 pixels for hours, beside other work."""
_NEVER_SAID: Final = ("ffmpeg", "ffprobe", "lavc", "/", "0x", "moov", "errno")


@pytest.fixture(scope="session")
def wholes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """
    The clips before they are damaged.
    """
    folder = tmp_path_factory.mktemp("fuzz")
    return {name: make(name, folder) for name in NAMES}


@attrs.frozen(kw_only=True)
class _Case:
    """
    One damaged file, which its seed says all of.
    """

    seed: int

    @property
    def name(self) -> str:
        """
        Of the clip.
        """
        return NAMES[self.seed % len(NAMES)]

    @property
    def ratio(self) -> str:
        """
        Of the damage.
        """
        return _RATIOS[self.seed // len(NAMES) % len(_RATIOS)]

    @property
    def is_encoded(self) -> bool:
        """
        Encode it, if it can be read at all.
        """
        return self.seed >= _IN_CI or self.seed // len(NAMES) % _ENCODED == 0


def _batches() -> list[object]:
    daily = [pytest.param(range(first, first + 25)) for first in range(0, _IN_CI, 25)]
    many = range(_IN_CI, _IN_CI + _LONG, _BATCH)
    marks = [pytest.mark.long, pytest.mark.timeout(_BATCH * _MOST_S)]
    return daily + [
        pytest.param(range(first, first + _BATCH), marks=marks) for first in many
    ]


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "seeds", _batches(), ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}"
)
def test_every_damaged_file_becomes_a_video_or_a_sentence(
    seeds: range, wholes: dict[str, Path], transcoder: Transcoder, tmp_path: Path
) -> None:
    transcoder.capabilities()
    before = _descendants()
    ends: Counter[str] = Counter()
    wrong = []
    for case in (_Case(seed=seed) for seed in seeds):
        begun = time.monotonic()
        try:
            ends[_outcome(case, wholes, transcoder, tmp_path)] += 1
        except Exception as exc:  # noqa: BLE001 - any other end is wrong
            log = getattr(exc, "log", "")
            wrong.append(f"{case} {case.name} {case.ratio}: {exc!r} {log}")
        took_s = time.monotonic() - begun
        if took_s > _MOST_S and took_s > _MOST_S + _allowed_s(
            case, transcoder, tmp_path
        ):
            wrong.append(f"{case} took {took_s:.0f} s")

    assert wrong == []
    assert _descendants() == before
    assert ends["video"]
    assert ends["sentence"]


@pytest.mark.cases(3)
@pytest.mark.parametrize("seed", _ONCE_WRONG)
def test_what_is_said_of_a_damaged_file_is_no_fault_of_the_machine(
    seed: int, wholes: dict[str, Path], transcoder: Transcoder, tmp_path: Path
) -> None:
    outcome = _outcome(_Case(seed=seed), wholes, transcoder, tmp_path)

    assert outcome in {"video", "sentence"}


def _outcome(
    case: _Case, wholes: dict[str, Path], transcoder: Transcoder, folder: Path
) -> str:
    place = folder / str(case.seed)
    place.mkdir()
    source = damaged(
        wholes[case.name], place / "source", seed=case.seed, ratio=case.ratio
    )
    before = source.read_bytes()
    try:
        if case.is_encoded:
            made = publish(transcoder, source, place / "job", speed=Speed.ULTRAFAST)
            _check_video(made)
        else:
            transcoder.probe(make_workspace(source, place / "job"))
            assert list((place / "job").iterdir()) == []
    except UnusableSourceError as error:
        _check_sentence(str(error))
        return "sentence"
    finally:
        assert source.read_bytes() == before
    return "video"


def _allowed_s(case: _Case, transcoder: Transcoder, folder: Path) -> float:
    """
    Return what a source may take longer because it says that it has hours.
    """
    place = folder / str(case.seed)
    try:
        made = transcoder.probe(make_workspace(place / "source", place / "probe"))
    except UnusableSourceError:
        return 0.0
    return made.duration_s / _HOURS_SPEED


def _check_video(made: Published) -> None:
    for track in made.tracks:
        assert complaints(joined(made.folder, track)) == ""
    findings = made.report().findings
    assert [one for one in findings if one.rule.level is Level.MUST] == []


def _check_sentence(text: str) -> None:
    assert text[0].isupper()
    assert text.endswith(".")
    assert len(text) < 300
    assert not [word for word in _NEVER_SAID if word in text.lower()], text


def _descendants() -> set[int]:
    return {child.pid for child in psutil.Process(os.getpid()).children(recursive=True)}
