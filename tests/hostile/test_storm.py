"""
One organization and one address misbehave in all ways at once; nobody else notices.

What is measured is printed: ``pytest -s``.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs
import cattrs
import pytest

from hvcore_server.sending.retry_pacing import ONE_EVERY_S
from tests.e2e.clips import make_clip
from tests.hostile.storm.attacks import Attacked
from tests.hostile.storm.errand import VIEWERS
from tests.hostile.storm.neighbour import Errand, Experience, percentile
from tests.hostile.storm.outcomes import wrong_outcomes
from tests.hostile.storm.site import StormSite, storm_site
from tests.support.live import until

pytestmark = pytest.mark.services

SOON_S: Final = 60.0
LOOK_EVERY_S: Final = 0.5
MORE_MEMORY_BYTES: Final = 300 * 10**6
ENCODE_WORKERS: Final = 2
"""Of two cores: so many slices are under way when the neighbour comes."""
USUAL: Final = {"videoQuality": "standard", "compressionRatio": "superfast"}


@attrs.frozen(kw_only=True)
class Scale:
    """
    How hard it blows.

    Attributes:
        memory_every_s: How often memory is read, which stops whoever is read for ms.
        costly: Settings of the videos that the attacker orders.
        most_times_idle: How many times slower the neighbour's answers may be, of a
            hundred the slowest but one; None: nothing that depends on the machine.
    """

    idle_s: float
    seconds: float
    connections: int
    memory_every_s: float
    costly: dict[str, object]
    costly_clip_s: int
    costly_orders: int
    most_times_idle: float | None = None


SHORT: Final = Scale(
    idle_s=1,
    seconds=5,
    connections=600,
    memory_every_s=0.5,
    costly={"videoQuality": "high", "compressionRatio": "veryslow"},
    costly_clip_s=3,
    costly_orders=4,
)
LONG_S: Final = float(os.environ.get("HV_STORM_S", "600"))
LONG: Final = Scale(
    idle_s=min(60, LONG_S / 4),
    seconds=LONG_S,
    connections=1_000,
    memory_every_s=15,
    costly={
        "videoQuality": "ultra",
        "compressionRatio": "ultraslow",
        "pixelFormat": "yuv420p12b",
        "twoPassVBREncoding": True,
    },
    costly_clip_s=8,
    costly_orders=8,
    most_times_idle=3,
)


@contextmanager
def going_on(errand: Errand) -> Iterator[Experience]:
    """
    Have somebody ask until the block ends; what it was like is there then.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.storm.neighbour"],
        # Sessions share the processors: see the niceness of both.
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(cattrs.unstructure(errand)) + "\n")
        process.stdin.flush()
        found = Experience()
        yield found
        out, _ = process.communicate("enough\n", timeout=SOON_S)
    told = cattrs.structure(json.loads(out), Experience)
    found.took_ms, found.failures = told.took_ms, told.failures


@attrs.define
class Storm:
    """
    A storm, and what came of it.
    """

    site: StormSite
    scale: Scale
    theirs: list[str] = attrs.field(factory=list)
    mine: str = ""
    attacked: Attacked = attrs.field(factory=Attacked)
    most_memory_bytes: int = 0
    ready_before: int | None = None
    ready_after_s: float = 0.0
    _ordered_at: float = 0.0

    def order(self, costly: Path, short: Path) -> None:
        """
        Have the attacker fill the encoders, and then the neighbour order a short clip.
        """
        self.theirs = [
            self.site.attacker.orders(costly, **self.scale.costly)
            for _ in range(self.scale.costly_orders)
        ]
        self.mine = self.site.neighbour.orders(short, **USUAL)
        self._ordered_at = time.monotonic()

    def is_mine_ready(self) -> bool:
        """
        Look whether it is ready; note how long it took, and who was ready before.
        """
        if self.ready_before is None and self.site.neighbour.is_ready(self.mine):
            self.ready_after_s = time.monotonic() - self._ordered_at
            self.ready_before = sum(map(self.site.attacker.is_ready, self.theirs))
        return self.ready_before is not None

    def blow(self) -> None:
        """
        Attack until the time is over, and look at memory and video meanwhile.
        """
        targets = attrs.evolve(
            self.site.targets,
            seconds=self.scale.seconds,
            connections=self.scale.connections,
        )
        with subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.storm.attacks"],
            start_new_session=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(cattrs.unstructure(targets)))
            process.stdin.close()
            began = read_at = time.monotonic()
            while process.poll() is None:
                if time.monotonic() >= read_at:
                    read_at = time.monotonic() + self.scale.memory_every_s
                    memory = self.site.memory_bytes()
                    self.most_memory_bytes = max(self.most_memory_bytes, memory)
                self.is_mine_ready()
                assert time.monotonic() - began < self.scale.seconds + 2 * SOON_S
                time.sleep(LOOK_EVERY_S)
            self.attacked = cattrs.structure(json.load(process.stdout), Attacked)


def blows_over(site: StormSite, scale: Scale, folder: Path) -> None:
    """
    Let it blow, and see that the neighbour notices nothing.
    """
    short = make_clip(folder / "short.mp4", seconds=3, size="320x180")
    costly = make_clip(
        folder / "costly.mp4", seconds=scale.costly_clip_s, size="320x180"
    )
    with going_on(site.errand) as idle:
        time.sleep(scale.idle_s)
    memory = site.memory_bytes()
    storm = Storm(site, scale)
    storm.order(costly, short)

    with going_on(site.errand) as felt:
        storm.blow()

    try:
        until(storm.is_mine_ready, within_s=SOON_S, what="the short clip")
    finally:
        show(storm, idle, felt, memory)
    assert felt.failures == []
    assert storm.ready_before is not None
    assert storm.ready_before <= ENCODE_WORKERS
    assert wrong_outcomes(storm.attacked.outcomes) == []
    again = storm.attacked.outcomes["slow name"].get("429 rate_limit_exceeded", 0)
    assert again <= 1.5 * scale.seconds / ONE_EVERY_S
    served = idle.segments + felt.segments
    until(lambda: site.counted() >= served, within_s=SOON_S, what="the counts")
    assert site.counted() == served
    # Told a little later; whom somebody invents is more than is followed.
    until(
        lambda: (
            site.watching(site.neighbour) == (VIEWERS, True)
            and not site.watching(site.attacker)[1]
        ),
        within_s=SOON_S,
        what="who watches",
    )
    assert storm.most_memory_bytes < memory + MORE_MEMORY_BYTES
    if scale.most_times_idle is not None:
        most_ms = scale.most_times_idle * idle.percentile_ms(99)
        assert felt.percentile_ms(99) <= most_ms
        assert percentile(felt.took_ms["health"], 99) < 100


def show(storm: Storm, idle: Experience, felt: Experience, memory: int) -> None:
    """
    Print the figures.
    """
    lines = [
        f"memory {memory / 1e6:.0f} MB, at most {storm.most_memory_bytes / 1e6:.0f} MB",
        f"clip ready after {storm.ready_after_s:.1f} s, {storm.ready_before} before it",
        f"all p50 {idle.percentile_ms(50):.1f} -> {felt.percentile_ms(50):.1f} ms",
        f"all p99 {idle.percentile_ms(99):.1f} -> {felt.percentile_ms(99):.1f} ms",
        "all p99 of each tenth of the time: "
        + ", ".join(f"{tenth.percentile_ms(99):.0f}" for tenth in felt.tenths()),
    ]
    for name, before in idle.took_ms.items():
        after = felt.took_ms.get(name, [0.0])
        lines.append(
            f"{name}: p50 {percentile(before, 50):.1f} -> {percentile(after, 50):.1f}, "
            f"p99 {percentile(before, 99):.1f} -> {percentile(after, 99):.1f} ms, "
            f"{len(after)} answers"
        )
    lines.append(f"attackers: {storm.attacked.processor_s:.1f} s of the processors")
    lines += [f"{name}: {got}" for name, got in storm.attacked.outcomes.items()]
    sys.stdout.write("\n" + "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("edge", "settings"),
    [
        ("bare", "sqlite"),
        pytest.param("edge", "postgresql", marks=pytest.mark.long),
    ],
    indirect=True,
)
def test_nobody_notices_who_misbehaves_in_all_ways(
    tmp_path: Path, *, edge: bool, settings: dict[str, str]
) -> None:
    clip = make_clip(tmp_path / "clip.mp4", seconds=2, size="320x180")
    with storm_site(tmp_path, clip, edge=edge, **settings) as site:
        blows_over(site, SHORT, tmp_path)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_nobody_notices_for_ten_minutes(
    tmp_path: Path, *, edge: bool, settings: dict[str, str]
) -> None:
    clip = make_clip(tmp_path / "clip.mp4", seconds=2, size="320x180")
    with storm_site(tmp_path, clip, edge=edge, **settings) as site:
        blows_over(site, LONG, tmp_path)
